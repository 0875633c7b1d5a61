"""What does an integration live through? Against the real daemon with its simulator, for both clients.

The daemon is the one `OPENSCIENCE_BIN` names, else the debug build of this repository. Networks are broken by
a proxy, daemons by killing them.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import unittest
import uuid
from pathlib import Path
from typing import Any

import openscience
from openscience import (
    CursorError,
    DecisionNeeded,
    FileCursorStore,
    HTTPError,
    Resync,
    RuntimeEvent,
    Transcript,
    WaitTimeout,
    text_of,
)

from .schema import Watched
from .support import Async, Case, Home, Plain, Proxy, Threaded, until

WORDS = "größer 漢字 🙂🧪 e\u0301 \u202e"
SEED = random.randrange(1 << 32)

home: Home
watched: Watched


def setUpModule() -> None:
    global home, watched
    watched = Watched().__enter__()
    config = {"limits": {"heartbeatMs": 100}, "agents": {"sim": {"models": ["stress/fixture-model"]}}}
    home = Home(config=config).start()


def tearDownModule() -> None:
    watched.__exit__()
    home.stop()
    assert watched.checked and not watched.problems, watched.problems


def fingerprint(events: list[RuntimeEvent]) -> list[tuple[int, str, Any]]:
    return [(event.sequence, event.type, event.raw) for event in events]


class Scenarios:
    """For both clients."""

    def connect(self: Any, url: str | None = None, **options: Any) -> Any:
        server = home.server
        defaults = {"token": server.token, "directory": server.directory}
        return self.client(url or server.url, **{**defaults, **options})

    async def started(self: Any, client: Any, message: str, **options: Any) -> tuple[str, str]:
        session = await client.create_session(self.id())
        accepted = await client.prompt(session["id"], message, **options)
        return session["id"], accepted["runID"]

    async def until_end(self: Any, events: Any, run_id: str | None = None) -> list[RuntimeEvent]:
        """The events up to the end of a run."""
        found: list[RuntimeEvent] = []
        async with events:
            async for event in events:
                if isinstance(event, RuntimeEvent):
                    found.append(event)
                    if event.is_terminal and run_id in (None, event.run_id):
                        break
        return found

    # Create, prompt, watch, read

    async def test_a_prompt_is_answered_and_every_view_of_it_agrees(self: Any) -> None:
        client = self.connect()
        self.assertEqual((await client.capabilities())["protocolVersion"], "1.0")
        session_id, run_id = await self.started(client, "say 30 2\nthink 5", request_id="first")
        transcript = Transcript()
        async with client.events(session_id, 0) as events:
            async for event in events:
                transcript.apply(event)
                if event.is_terminal:
                    # Who has read the last event finds the end wherever he looks.
                    run = await client.get_run(session_id, run_id)
                    self.assertEqual(run["state"], "completed")
                    snapshot = await client.snapshot(session_id)
                    self.assertEqual(snapshot["latestSequence"], event.sequence)
                    break
        message = await client.get_message(session_id, run["resultMessageID"])
        self.assertEqual(text_of(message), " ".join(f"w{n}" for n in range(1, 31)))
        self.assertEqual((transcript.text(), transcript.is_whole()), (text_of(message), True))
        self.assertEqual((await client.messages(session_id))[-1], message)
        self.assertEqual(await client.result(run), message)
        self.assertEqual(run, await client.wait(session_id, run_id))
        self.assertEqual((run["requestID"], run["state"]), ("first", "completed"))

    async def test_a_runtime_keeps_its_contract(self: Any) -> None:
        client = self.connect()
        session = await client.create_session("Contract")
        session_id = session["id"]
        self.assertEqual((await client.get_session(session_id))["id"], session_id)
        self.assertEqual(await client.messages(session_id), [])
        snapshot = await client.snapshot(session_id)
        self.assertEqual((snapshot["runs"], snapshot["latestSequence"]), ([], 0))
        self.assertEqual((await client.replay(session_id, 0)).events, [])
        self.assertTrue(await client.abort_session(session_id))
        with self.assertRaises(HTTPError) as unknown:
            await client.get_run(session_id, "run_unknown")
        self.assertEqual((unknown.exception.status, unknown.exception.error), (404, "not_found"))
        prompt = {
            "request_id": "contract",
            "model": {"providerID": "stress", "modelID": "fixture-model"},
            "context": 65536,
            "delegation": False,
            "parts": [{"type": "text", "text": "say 2"}, {"type": "text", "text": "say 3"}],
        }
        accepted = await client.prompt(session_id, **prompt)
        self.assertEqual(await client.prompt(session_id, **prompt), accepted)
        found = await self.until_end(client.events(session_id, snapshot["latestSequence"]), accepted["runID"])
        self.assertEqual([event.sequence for event in found], list(range(1, len(found) + 1)))
        self.assertEqual(found[-1].type, "runtime.completed")
        self.assertEqual(await client.prompt(session_id, **prompt), accepted)
        run = await client.get_run(session_id, accepted["runID"])
        self.assertEqual((run["state"], run["requestID"]), ("completed", "contract"))
        self.assertTrue(text_of(await client.get_message(session_id, run["resultMessageID"])))
        users = [m for m in await client.messages(session_id) if m["info"]["role"] == "user"]
        self.assertEqual([[part["text"] for part in user["parts"]] for user in users], [["say 2", "say 3"]])
        snapshot = await client.snapshot(session_id)
        replay = await client.replay(session_id)
        self.assertEqual(
            ([one["runID"] for one in snapshot["runs"]], snapshot["latestSequence"]),
            ([accepted["runID"]], replay.latest_sequence),
        )
        self.assertEqual(sum(event.is_terminal for event in replay), 1)
        with self.assertRaises(HTTPError) as conflict:
            await client.prompt(session_id, **{**prompt, "parts": prompt["parts"][:1]})
        self.assertEqual((conflict.exception.status, conflict.exception.code), (409, "request_conflict"))

    async def test_the_end_is_in_the_snapshot_or_comes_after_it(self: Any) -> None:
        client = self.connect()
        session = await client.create_session()
        for number in range(15):
            accepted = await client.prompt(session["id"], "say 2")
            for _ in range(number % 4):
                await asyncio.sleep(0)
            snapshot = await client.snapshot(session["id"])
            run = next(run for run in snapshot["runs"] if run["runID"] == accepted["runID"])
            if not openscience.is_terminal(run):
                events = client.events(session["id"], snapshot["latestSequence"])
                found = await self.until_end(events, accepted["runID"])
                self.assertEqual(found[-1].type, "runtime.completed")

    async def test_live_facts_of_a_project_are_heard(self: Any) -> None:
        client = self.connect()
        async with client.event.subscribe() as stream:
            self.assertEqual((await stream.__anext__()).json()["type"], "server.connected")
            session = await client.create_session("heard")
            async for frame in stream:
                fact = frame.json()
                if fact["type"] == "session.created" and fact["properties"]["info"]["id"] == session["id"]:
                    break

    async def test_lists_are_complete_whatever_the_page(self: Any) -> None:
        client = self.connect()
        made = [(await client.create_session(f"page {n}"))["id"] for n in range(5)]
        found = [item["id"] async for item in client.iter_sessions(page_size=2)]
        self.assertEqual([one for one in found if one in made], made[::-1])
        self.assertEqual(len(found), len(set(found)))
        self.assertTrue(await client.session.delete(made[0]))
        with self.assertRaises(HTTPError) as caught:
            await client.get_session(made[0])
        self.assertEqual((caught.exception.status, caught.exception.code), (404, "session_not_found"))

    async def test_the_queue_and_the_agents_can_be_reached(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "hang")
        await until(lambda: self.is_running(client, session_id, run_id))
        follow_up = await client.prompt(session_id, "say 1", request_id="later")
        self.assertEqual(follow_up["runID"], run_id)
        queue = await client.queue.list(session_id)
        self.assertEqual([turn["id"] for turn in queue["turns"]], [follow_up["turnID"]])
        self.assertEqual(
            (await client.queue.set(session_id, delivery="sequential"))["delivery"], "sequential"
        )
        self.assertEqual((await client.queue.withdraw(session_id, follow_up["turnID"]))["state"], "withdrawn")
        self.assertTrue(any(agent["id"] == "sim" for agent in await client.agent.list()))
        self.assertTrue(any(connection["promptInFlight"] for connection in await client.agent.connections()))
        await client.abort_session(session_id)
        self.assertEqual((await client.wait(session_id, run_id))["state"], "cancelled")

    async def test_a_conversation_is_let_go_taken_up_and_forked(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "say 2")
        await client.wait(session_id, run_id)
        self.assertTrue((await client.session.agent(session_id))["open"])
        self.assertTrue(await client.session.close(session_id))
        self.assertFalse((await client.session.agent(session_id))["open"])
        self.assertTrue((await client.session.resume(session_id))["open"])
        fork = await client.session.fork(session_id, title="fork")
        accepted = await client.prompt(fork["id"], "say 3")
        self.assertEqual((await client.wait(fork["id"], accepted["runID"]))["state"], "completed")
        texts = [text_of(message) for message in await client.messages(fork["id"])]
        self.assertEqual(texts, ["say 2", "w1 w2", "say 3", "w1 w2 w3"])
        self.assertEqual(len(await client.messages(session_id)), 2)
        known = await client.session.list(source="all")
        self.assertLessEqual({session_id, fork["id"]}, {one.get("sessionID") for one in known["sessions"]})
        with self.assertRaises(HTTPError) as caught:
            await client.session.mode(session_id, mode="plan")
        self.assertEqual(
            (caught.exception.code, caught.exception.name), ("method_not_supported", "AcpProtocolError")
        )

    async def is_running(self: Any, client: Any, session_id: str, run_id: str) -> bool:
        return bool((await client.get_run(session_id, run_id))["state"] == "running")

    # Networks that break

    async def test_a_stream_that_is_cut_anywhere_loses_and_repeats_nothing(self: Any) -> None:
        chance = random.Random(SEED)
        direct = self.connect()

        def plan(number: int, head: bytes) -> tuple[int | None, int]:
            return (
                (chance.randrange(2500), chance.choice((1, 7, 100, 65536)))
                if b"/events?" in head
                else (None, 65536)
            )

        async with Proxy(home.server.url, plan) as proxy:
            client = self.connect(proxy.url)
            session_id, run_id = await self.started(client, f"say 60 5\ntool work {{}}\n{WORDS}\nthink 20")
            events = client.follow(session_id, after_sequence=0, retry_delay=0.001)
            found = await self.until_end(events, run_id)
            replayed = (await direct.replay(session_id, 0)).events
            self.assertEqual(fingerprint(found), fingerprint(replayed), f"seed {SEED}")
            self.assertGreater(proxy.count(b"GET /runtime/events?"), 2, f"seed {SEED}")

    async def test_text_that_comes_byte_by_byte_is_the_same_text(self: Any) -> None:
        async with Proxy(home.server.url, lambda number, head: (None, 1)) as proxy:
            client = self.connect(proxy.url)
            session_id, run_id = await self.started(client, WORDS)
            transcript = Transcript()
            for event in await self.until_end(client.events(session_id, 0), run_id):
                transcript.apply(event)
            run = await client.wait(session_id, run_id)
            message = await client.get_message(session_id, run["resultMessageID"])
            self.assertIn(WORDS.strip(), text_of(message))
            self.assertNotIn("\ufffd", text_of(message))
            self.assertEqual(transcript.text(), text_of(message))

    async def test_a_prompt_whose_answer_is_lost_runs_once(self: Any) -> None:
        async with Proxy(home.server.url) as proxy:
            client = self.connect(proxy.url, retry_delay=0.001)
            session = await client.create_session()
            cuts = iter((0, 0, 9, 60, 140))

            def plan(number: int, head: bytes) -> tuple[int | None, int]:
                return (next(cuts, None) if head.startswith(b"POST /runtime/prompt") else None), 65536

            proxy.plan = plan
            accepted = await client.prompt(session["id"], "say 3")
            self.assertEqual(proxy.count(b"POST /runtime/prompt"), 6)
            run = await client.wait(session["id"], accepted["runID"])
            self.assertEqual(run["state"], "completed")
            snapshot = await client.snapshot(session["id"])
            self.assertEqual([run["runID"] for run in snapshot["runs"]], [accepted["runID"]])
            self.assertEqual(
                [m["info"]["role"] for m in await client.messages(session["id"])], ["user", "assistant"]
            )

    async def test_the_connection_and_the_run_are_two_things(self: Any) -> None:
        async with Proxy(home.server.url) as proxy:
            client, direct = self.connect(proxy.url), self.connect()
            session_id, run_id = await self.started(client, "say 1\nhang")
            events = client.follow(session_id, after_sequence=0, retry_delay=0.01)
            await events.__anext__()
            self.assertEqual(events.connection, "connected")
            proxy.plan = lambda number, head: (0, 1)
            waiting = asyncio.ensure_future(self.until_end(events, run_id))
            await until(lambda: self.is_running(direct, session_id, run_id))
            proxy.cut()
            await until(lambda: events.connection == "reconnecting")
            self.assertEqual((await direct.get_run(session_id, run_id))["state"], "running")
            proxy.plan = lambda number, head: (None, 65536)
            await direct.cancel_run(session_id, run_id)
            self.assertEqual((await waiting)[-1].type, "runtime.cancelled")

    async def test_a_stream_lives_through_silence(self: Any) -> None:
        async with Proxy(home.server.url) as proxy:
            client = self.connect(proxy.url, timeout=2.0)
            session_id, run_id = await self.started(client, "sleep 2500\nsay 1")
            found = await self.until_end(client.events(session_id, 0), run_id)
            self.assertEqual(found[-1].type, "runtime.completed")
            self.assertEqual(proxy.count(b"GET /runtime/events?"), 1)

    # Daemons that die

    async def test_a_reader_and_a_waiter_outlive_the_daemon(self: Any) -> None:
        own = Home()
        self.addCleanup(own.stop)
        await asyncio.to_thread(own.start)
        client = self.client(own.server.url, token=own.server.token, directory=own.server.directory)
        store = FileCursorStore(own.project / "cursors")
        session_id, run_id = await self.started(client, "say 2000 10")
        events = client.follow(session_id, cursor=store, after_sequence=0, retry_delay=0.01)
        reading = asyncio.ensure_future(self.until_end(events, run_id))
        waiting = asyncio.ensure_future(client.wait(session_id, run_id, interval=0.05))
        await until(lambda: (events.cursor or 0) > 8)
        await asyncio.to_thread(own.server.kill)
        await until(lambda: events.connection == "reconnecting")
        self.assertFalse(waiting.done())
        await asyncio.to_thread(own.server.start)
        found, run = await reading, await waiting
        self.assertEqual([event.sequence for event in found], list(range(1, len(found) + 1)))
        self.assertEqual((found[-1].type, found[-1].properties["recovered"]), ("runtime.failed", True))
        self.assertEqual((run["state"], run["error"]["code"]), ("interrupted", "runtime_stopped"))
        # What was handled before stays handled: another reader starts after it.
        again = client.follow(session_id, cursor=store)
        item = await again.__anext__()
        self.assertEqual(item.sequence, found[-1].sequence)
        await again.aclose()
        # The same prompt is not run again, a new one is.
        self.assertEqual((await client.get_run(session_id, run_id))["state"], "interrupted")
        accepted = await client.prompt(session_id, "say 1")
        self.assertEqual((await client.wait(session_id, accepted["runID"]))["state"], "completed")

    async def test_an_orderly_stop_ends_a_stream_and_the_next_daemon_goes_on(self: Any) -> None:
        own = Home()
        self.addCleanup(own.stop)
        await asyncio.to_thread(own.start)
        client = self.client(own.server.url, token=own.server.token, directory=own.server.directory)
        session_id, run_id = await self.started(client, "say 1", request_id="k")
        run = await client.wait(session_id, run_id)
        events = client.events(session_id, 0)
        seen = [await events.__anext__()]
        await asyncio.to_thread(own.server.close)
        async for event in events:
            seen.append(event)
        self.assertEqual(events.connection, "closed")
        await asyncio.to_thread(own.server.start)
        self.assertEqual(await client.get_run(session_id, run_id), run)
        self.assertEqual((await client.prompt(session_id, "say 1", request_id="k"))["runID"], run_id)
        self.assertEqual(
            fingerprint((await client.replay(session_id)).events)[: len(seen)], fingerprint(seen)
        )

    # Decisions and ends

    async def test_a_run_waits_for_a_person_and_goes_on_with_the_answer(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "ask make\nsay 3")
        run = await client.wait(session_id, run_id, on_waiting="return")
        self.assertEqual(run["state"], "running")
        with self.assertRaises(DecisionNeeded) as caught:
            await client.wait(session_id, run_id, on_waiting="raise")
        with self.assertRaises(WaitTimeout) as timeout:
            await client.wait(session_id, run_id, timeout=0.05)
        self.assertEqual(timeout.exception.run["state"], "running")
        request = (await client.snapshot(session_id))["permissions"][0]
        self.assertEqual(([request["id"]], request["patterns"]), (caught.exception.decisions, ["make"]))
        receipt = await client.reply_permission(session_id, request["id"], "once")
        self.assertEqual(receipt["status"], "resolved")
        self.assertEqual(await client.reply_permission(session_id, request["id"], "once"), receipt)
        with self.assertRaises(HTTPError) as conflict:
            await client.reply_permission(session_id, request["id"], "reject")
        self.assertEqual((conflict.exception.status, conflict.exception.code), (409, "decision_conflict"))
        run = await client.wait(session_id, run_id)
        self.assertEqual(run["state"], "completed")
        with self.assertRaises(HTTPError) as expired:
            await client.reply_permission(session_id, f"per_{uuid.uuid4().hex}", "once")
        self.assertEqual(expired.exception.code, "decision_expired")

    async def test_a_rejection_reaches_the_agent_with_its_reason(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "ask make")
        await client.wait(session_id, run_id, on_waiting="return")
        request = (await client.snapshot(session_id))["permissions"][0]
        await client.reply_permission(session_id, request["id"], "reject", "use ninja")
        self.assertEqual((await client.wait(session_id, run_id))["state"], "completed")
        texts = [text_of(message) for message in await client.messages(session_id)]
        self.assertIn("use ninja", texts)

    async def test_questions_are_answered_or_dismissed(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "question Which? | red | blue\nquestion Why?")
        await client.wait(session_id, run_id, on_waiting="return")
        request = (await client.snapshot(session_id))["questions"][0]
        question = request["questions"][0]
        self.assertEqual([option["label"] for option in question["options"]], ["red", "blue"])
        with self.assertRaises(HTTPError) as wrong:
            await client.reply_question(session_id, request["id"], [["green"]])
        self.assertEqual((wrong.exception.status, wrong.exception.code), (400, "invalid_answer"))
        receipt = await client.reply_question(session_id, request["id"], [["red"]])
        self.assertEqual((receipt["status"], receipt["requestID"]), ("resolved", request["id"]))
        self.assertEqual(await client.reply_question(session_id, request["id"], [["red"]]), receipt)
        await until(lambda: self.asks(client, session_id, request["id"]))
        second = (await client.snapshot(session_id))["questions"][0]
        self.assertEqual((await client.reject_question(session_id, second["id"]))["status"], "resolved")
        run = await client.wait(session_id, run_id)
        self.assertEqual(run["state"], "completed")
        self.assertIn("red", text_of(await client.get_message(session_id, run["resultMessageID"])))

    async def asks(self: Any, client: Any, session_id: str, before: str) -> bool:
        """True if another question waits."""
        questions = (await client.snapshot(session_id))["questions"]
        return any(question["id"] != before for question in questions)

    async def test_a_cancel_ends_its_run_and_no_other(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "say 5\nhang")
        await until(lambda: self.is_running(client, session_id, run_id))
        await client.cancel_run(session_id, run_id)
        run = await client.wait(session_id, run_id)
        self.assertEqual(run["state"], "cancelled")
        later = await client.prompt(session_id, "say 2")
        self.assertEqual(await client.cancel_run(session_id, run_id), run)
        self.assertEqual((await client.wait(session_id, later["runID"]))["state"], "completed")

    async def test_a_failed_run_says_why(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "say 2\nexit 7")
        run = await client.wait(session_id, run_id)
        self.assertEqual(
            (run["state"], run["error"]["code"]), ("failed", openscience.RunErrorCode.AGENT_EXITED)
        )
        self.assertIn("7", run["error"]["exit"])

    # Cursors

    async def test_cursors_that_cannot_be_right_are_told(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "say 1")
        await client.wait(session_id, run_id)
        latest = (await client.snapshot(session_id))["latestSequence"]
        self.assertEqual(len(await asyncio.to_thread(list, await client.replay(session_id, latest))), 0)
        for read in (
            client.replay(session_id, latest + 1000),
            self.until_end(client.events(session_id, latest + 1000)),
        ):
            with self.assertRaises(CursorError) as caught:
                await read
            self.assertEqual(
                (caught.exception.code, caught.exception.latest_sequence), ("cursor_ahead", latest)
            )
        async with client.follow(session_id, after_sequence=latest + 1000) as items:
            item = await items.__anext__()
            self.assertEqual((item.reason, item.snapshot["latestSequence"]), ("cursor_ahead", latest))
        with self.assertRaises(HTTPError) as invalid:
            await client.runtime.replay(session_id=session_id, after_sequence=-1)
        self.assertEqual((invalid.exception.status, invalid.exception.code), (400, "invalid_cursor"))

    async def test_a_cursor_that_expired_leads_to_a_snapshot_and_on(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "repeat 720 tool t {}")
        await client.wait(session_id, run_id)
        with self.assertRaises(CursorError) as caught:
            await client.replay(session_id, 0)
        self.assertEqual(caught.exception.code, "cursor_expired")
        with tempfile.TemporaryDirectory() as folder:
            store = FileCursorStore(folder)
            store.save(session_id, 1)
            async with client.follow(session_id, cursor=store) as items:
                resync = await items.__anext__()
                self.assertIsInstance(resync, Resync)
                self.assertEqual(resync.reason, "cursor_expired")
                again = await client.prompt(session_id, "say 1")
                async for item in items:
                    if item.is_terminal:
                        break
                self.assertEqual(item.run_id, again["runID"])

    # Who, where, how many

    async def test_without_the_token_nothing_but_health_is_told(self: Any) -> None:
        for token in (None, "wrong"):
            client = self.connect(token=token)
            for call in (
                client.capabilities(),
                client.create_session(),
                self.until_end(client.events("ses_a")),
            ):
                with self.assertRaises(HTTPError) as caught:
                    await call
                self.assertEqual((caught.exception.status, caught.exception.code), (401, "unauthorized"))
            self.assertTrue((await client.global_.health())["healthy"])

    async def test_a_project_may_have_any_name(self: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            names = (
                "漢字 한글",
                "🙂🧪",
                "a b",
                "a%20b",
                "a+b",
                "100% & more?#=",
                "größer",
                "quote'\"",
                "back\\slash",
            )
            seen = set()
            for name in names:
                project = root / name
                project.mkdir()
                client = self.connect(directory=project)
                session = await client.create_session(workspace="project")
                self.assertEqual(session["directory"], str(project))
                accepted = await client.prompt(session["id"], "say 1")
                self.assertEqual((await client.wait(session["id"], accepted["runID"]))["state"], "completed")
                self.assertEqual([item["id"] for item in await client.session.list()], [session["id"]])
                seen.add(session["projectID"])
            self.assertEqual(len(seen), len(names))

    async def test_identical_prompts_of_many_clients_are_one_run(self: Any) -> None:
        first = self.connect()
        session = await first.create_session()
        clients = [first] + [self.connect() for _ in range(15)]
        prompts = [client.prompt(session["id"], "say 2", request_id="same") for client in clients]
        accepted = await asyncio.gather(*prompts)
        self.assertEqual(len({one["runID"] for one in accepted}), 1)
        await first.wait(session["id"], accepted[0]["runID"])
        self.assertEqual(len((await first.snapshot(session["id"]))["runs"]), 1)
        with self.assertRaises(HTTPError) as caught:
            await first.prompt(session["id"], "say 3", request_id="same")
        self.assertEqual((caught.exception.status, caught.exception.code), (409, "request_conflict"))

    async def test_readers_of_many_sessions_get_their_own_events_only(self: Any) -> None:
        client = self.connect()

        async def one() -> None:
            session_id, run_id = await self.started(client, "say 10 2")
            found = await self.until_end(client.events(session_id, 0), run_id)
            self.assertEqual({event.session_id for event in found}, {session_id})
            self.assertEqual([event.sequence for event in found], list(range(1, len(found) + 1)))

        await asyncio.gather(*(one() for _ in range(10)))

    async def test_a_large_answer_arrives_whole(self: Any) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, f"say 100000\n{WORDS}")
        transcript = Transcript()
        for event in await self.until_end(client.events(session_id, 0), run_id):
            transcript.apply(event)
        run = await client.wait(session_id, run_id)
        message = await client.get_message(session_id, run["resultMessageID"])
        self.assertGreater(len(text_of(message)), 600_000)
        self.assertEqual(transcript.text() == text_of(message), True, "the texts differ")
        self.assertTrue(transcript.is_whole())


class PlainScenarios(Scenarios, Plain, Case):
    async def test_one_client_serves_many_threads(self) -> None:
        client = self.connect()
        assert isinstance(client, Threaded)
        session = await client.create_session()
        titles = await asyncio.gather(*(client.get_session(session["id"]) for _ in range(40)))
        self.assertEqual({one["id"] for one in titles}, {session["id"]})


class AsyncScenarios(Scenarios, Async, Case):
    async def test_a_cancelled_wait_touches_nothing(self) -> None:
        client = self.connect()
        session_id, run_id = await self.started(client, "say 5 10")
        waiting = asyncio.ensure_future(client.wait(session_id, run_id))
        await asyncio.sleep(0)
        waiting.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await waiting
        self.assertEqual((await client.wait(session_id, run_id))["state"], "completed")

    async def test_steps_that_are_cancelled_over_and_over_lose_nothing(self) -> None:
        client = self.connect()
        session_id, _ = await self.started(client, "say 40 10")
        events = client.follow(session_id, after_sequence=0, retry_delay=0.001)
        found: list[RuntimeEvent] = []
        while not (found and found[-1].is_terminal):
            step = asyncio.ensure_future(events.__anext__())
            await asyncio.wait({step}, timeout=0.003)
            step.cancel()
            try:
                found.append(await step)
            except asyncio.CancelledError:
                continue
        await events.aclose()
        self.assertEqual(fingerprint(found), fingerprint((await client.replay(session_id, 0)).events))

    async def test_three_hundred_streams_need_no_threads(self) -> None:
        import threading

        client = self.connect()
        session_id, run_id = await self.started(client, "say 2\nhang")
        readers = [asyncio.ensure_future(self.until_end(client.events(session_id, 0))) for _ in range(300)]
        await until(lambda: self.subscribers(client, 300))
        self.assertLess(threading.active_count(), 60)
        await client.cancel_run(session_id, run_id)
        results = await asyncio.gather(*readers)
        self.assertEqual({result[-1].type for result in results}, {"runtime.cancelled"})

    async def subscribers(self, client: Any, count: int) -> bool:
        metrics = await client.global_.metrics()
        values = [
            line.rsplit(" ", 1)[1]
            for line in metrics.splitlines()
            if "subscribers" in line and line[0] != "#"
        ]
        return any(float(value) >= count for value in values)


if __name__ == "__main__":
    unittest.main()
