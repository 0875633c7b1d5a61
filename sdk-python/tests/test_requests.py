"""Which requests do the methods send, and what do answers become? Against servers that say what a test wants."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import tempfile
import unittest
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openscience
from openscience import CursorError, HTTPError, ProtocolError, RequestTimeout

from .support import STREAM_HEAD, Async, Case, Fake, Plain, Serving, answer, frame, until

CAPABILITIES = {"protocolVersion": "1.0"}
RUN = {"runID": "run_a", "sessionID": "ses_a", "state": "completed"}


class Requests:
    """For both clients."""

    async def sent(self, name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Calls a method; method, target and body of what it sent."""
        body = {"events": [], "oldestSequence": 1, "latestSequence": 0, **CAPABILITIES}
        async with Fake([answer(200, body)]) as fake:
            await getattr(self.client(fake.url), name)(*args, **kwargs)  # type: ignore[attr-defined]
            request = fake.requests[0]
            return [request.method, request.target, request.json if request.body else None]

    async def test_each_method_sends_its_request(self: Any) -> None:
        check = self.assertEqual
        sent = self.sent
        check(await sent("capabilities"), ["GET", "/runtime/capabilities", None])
        check(await sent("create_session"), ["POST", "/session", {}])
        check(
            await sent("create_session", "T", "project"),
            ["POST", "/session", {"title": "T", "workspace": "project"}],
        )
        check(await sent("get_session", "ses_a"), ["GET", "/session/ses_a", None])
        check(await sent("messages", "ses_a"), ["GET", "/session/ses_a/message", None])
        check(await sent("messages", "ses_a", 5), ["GET", "/session/ses_a/message?limit=5", None])
        check(await sent("get_message", "ses_a", "msg_a"), ["GET", "/session/ses_a/message/msg_a", None])
        check(await sent("abort_session", "ses_a"), ["POST", "/session/ses_a/abort", {}])
        check(
            await sent("get_run", "ses_a", "run_a"), ["GET", "/runtime/run?sessionID=ses_a&runID=run_a", None]
        )
        check(await sent("snapshot", "ses_a"), ["GET", "/runtime/snapshot?sessionID=ses_a", None])
        check(
            await sent("replay", "ses_a", 0),
            ["GET", "/runtime/events/replay?sessionID=ses_a&afterSequence=0", None],
        )
        check(
            await sent("cancel_run", "ses_a", "run_a"),
            ["POST", "/runtime/cancel", {"sessionID": "ses_a", "runID": "run_a"}],
        )
        decision = {"sessionID": "ses_a", "requestID": "per_a"}
        check(
            await sent("reply_permission", "ses_a", "per_a", "reject", "no"),
            [
                "POST",
                "/runtime/decision",
                {"kind": "permission", **decision, "reply": "reject", "message": "no"},
            ],
        )
        check(
            await sent("reply_permission", "ses_a", "per_a", "once"),
            ["POST", "/runtime/decision", {"kind": "permission", **decision, "reply": "once"}],
        )
        check(
            await sent("reply_question", "ses_a", "que_a", [["x"], []]),
            [
                "POST",
                "/runtime/decision",
                {"kind": "question", "sessionID": "ses_a", "requestID": "que_a", "answers": [["x"], []]},
            ],
        )
        check(
            await sent("reject_question", "ses_a", "que_a"),
            [
                "POST",
                "/runtime/decision",
                {"kind": "question_reject", "sessionID": "ses_a", "requestID": "que_a"},
            ],
        )
        check(await sent("request", "PUT", "/x", query={"a": True}, body=[1]), ["PUT", "/x?a=true", [1]])

    async def test_a_prompt_sends_everything_it_was_given_and_nothing_else(self: Any) -> None:
        model = {"providerID": "p", "modelID": "m"}
        parts = [{"type": "text", "text": "größer"}]
        sent = await self.sent(
            "prompt",
            "ses_a",
            request_id="k",
            parts=parts,
            effort="ultra",
            model=model,
            variant="v",
            tier="t",
            context=5,
            message_id="msg_a",
            delegation=False,
            delegation_settings={"level": "off"},
            deadline_ms=9,
        )
        self.assertEqual(sent[:2], ["POST", "/runtime/prompt"])
        self.assertEqual(
            sent[2],
            {
                "sessionID": "ses_a",
                "requestID": "k",
                "parts": parts,
                "effort": "ultra",
                "model": model,
                "variant": "v",
                "tier": "t",
                "context": 5,
                "messageID": "msg_a",
                "delegation": False,
                "delegationSettings": {"level": "off"},
                "deadlineMs": 9,
            },
        )

    async def test_token_and_project_go_with_every_request_that_takes_them(self: Any) -> None:
        async with Fake([], always=answer(200, CAPABILITIES)) as fake:
            client = self.client(fake.url, token="secret", directory="/a b", project="prj_a")
            await client.get_session("ses_a")
            await client.capabilities()
            get, capabilities = fake.requests
            self.assertEqual(get.target, "/session/ses_a?directory=%2Fa%20b&project=prj_a")
            self.assertEqual(capabilities.target, "/runtime/capabilities")
            self.assertEqual([r.headers["authorization"] for r in fake.requests], ["Bearer secret"] * 2)
            self.assertEqual(get.headers["accept"], "application/json")
            self.assertEqual(get.headers["host"], fake.url[7:])

    async def test_a_command_is_sent_once_whatever_becomes_of_it(self: Any) -> None:
        conflict = answer(409, {"error": "decision_conflict", "message": "no"})
        for given in (conflict, b"", b"HTTP/1.1 200 OK\r\nContent-Le"):
            async with Fake([given], always=answer(200, {})) as fake:
                with self.assertRaises((HTTPError, openscience.ConnectionError)):
                    await self.client(fake.url).reply_permission("ses_a", "per_a", "once")
                self.assertEqual(len(fake.requests), 1)

    async def test_a_prompt_that_lost_its_answer_is_sent_again_under_the_same_key(self: Any) -> None:
        lost = [b"", b"HTTP/1.1 202", answer(202, {})[:-1]]
        for key in ({}, {"request_id": "mine"}, {"message_id": "msg_x"}):
            async with Fake([*lost, answer(202, {"runID": "run_a", "acceptedAt": 1})]) as fake:
                client = self.client(fake.url, retry_delay=0)
                accepted = await client.prompt("ses_a", "x", **key)
                self.assertEqual(accepted["runID"], "run_a")
                bodies = [request.body for request in fake.requests]
                self.assertEqual((len(bodies), len(set(bodies))), (4, 1))
                self.assertEqual("requestID" in json.loads(bodies[0]), "message_id" not in key)

    async def test_a_prompt_that_cannot_be_sent_tells_its_key(self: Any) -> None:
        async with Fake([], always=b"") as fake:
            with self.assertRaises(openscience.ConnectionError) as caught:
                await self.client(fake.url, prompt_retries=2, retry_delay=0).prompt("ses_a", "x")
            keys = {request.json["requestID"] for request in fake.requests}
            self.assertEqual((len(fake.requests), keys), (3, {caught.exception.request_id}))

    async def test_a_refused_prompt_is_not_sent_again(self: Any) -> None:
        for status, code in (
            (409, "request_conflict"),
            (503, "store_unavailable"),
            (429, "too_many_sessions"),
        ):
            async with Fake(
                [], always=answer(status, {"error": code, "code": code}, Retry_After="7")
            ) as fake:
                with self.assertRaises(HTTPError) as caught:
                    await self.client(fake.url, retry_delay=0).prompt("ses_a", "x")
                self.assertEqual((caught.exception.code, caught.exception.retry_after), (code, 7.0))
                self.assertEqual(len(fake.requests), 1)

    async def test_a_daemon_that_is_not_there_is_a_lost_connection(self: Any) -> None:
        async with Fake([]) as fake:
            url = fake.url
        client = self.client(url, prompt_retries=0)
        for call in (
            client.prompt("ses_a", "x"),
            client.get_session("ses_a"),
            client.events("ses_a").__anext__(),
        ):
            with self.assertRaisesRegex(openscience.ConnectionError, "no connection to the daemon"):
                await call

    async def test_cursor_errors_have_a_class_of_their_own(self: Any) -> None:
        for code in ("cursor_expired", "cursor_ahead"):
            body = {"error": code, "code": code, "oldestSequence": 3, "latestSequence": 9}
            async with Fake([answer(409, body), answer(409, body)]) as fake:
                client = self.client(fake.url)
                with self.assertRaises(CursorError) as caught:
                    await client.replay("ses_a", 1)
                self.assertEqual((caught.exception.oldest_sequence, caught.exception.latest_sequence), (3, 9))
                with self.assertRaises(CursorError):
                    async for _ in client.events("ses_a", 1, reconnects=5, retry_delay=0):
                        pass
                self.assertEqual(len(fake.requests), 2)

    async def test_redirects_are_never_followed(self: Any) -> None:
        for status in (301, 302, 303, 307, 308):
            async with Fake(
                [answer(status, {}, Location="/other")], always=answer(200, CAPABILITIES)
            ) as fake:
                with self.assertRaises(HTTPError) as caught:
                    await self.client(fake.url).capabilities()
                self.assertEqual((caught.exception.status, len(fake.requests)), (status, 1))

    async def test_another_version_of_the_protocol_is_refused(self: Any) -> None:
        bodies: list[Any] = [{"protocolVersion": "2.0"}, {}, []]
        for body in bodies:
            async with Fake([answer(200, body)]) as fake:
                with self.assertRaisesRegex(ProtocolError, "protocol"):
                    await self.client(fake.url).capabilities()

    async def test_answers_beyond_the_limit_and_of_other_kinds_are_refused(self: Any) -> None:
        html = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"
        text = html.replace(b"text/html", b"application/json")
        for given in (answer(200, "x" * 200), html, text, b"hello\r\n\r\n"):
            async with Fake([given]) as fake:
                with self.assertRaises(ProtocolError):
                    await self.client(fake.url, max_response_bytes=100).get_session("ses_a")

    async def test_a_daemon_that_says_nothing_is_given_up(self: Any) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        async with Serving(silent) as server:
            with self.assertRaises(RequestTimeout):
                await self.client(server.url, timeout=0.05).get_session("ses_a")
            with self.assertRaises(RequestTimeout):
                await self.client(server.url).session.get("ses_a", timeout=0.05)

    async def test_a_connection_is_kept_for_reads_and_new_for_commands(self: Any) -> None:
        async with Fake([], keeps=True, always=answer(200, CAPABILITIES)) as fake:
            client = self.client(fake.url)
            for _ in range(5):
                await client.capabilities()
            self.assertEqual(fake.connections, 1)
            for _ in range(3):
                await client.cancel_run("ses_a", "run_a")
            self.assertEqual(fake.connections, 4)

    async def test_a_read_survives_a_kept_connection_that_died(self: Any) -> None:
        async with Fake([answer(200, CAPABILITIES), b""], always=answer(200, CAPABILITIES)) as fake:
            # The server closes after each answer without saying so, then once before answering.
            client = self.client(fake.url)
            await client.capabilities()
            with self.assertRaises(openscience.ConnectionError):
                await client.capabilities()
            await client.capabilities()
            self.assertEqual(len(fake.requests), 3)

    async def test_pages_of_sessions_are_one_list(self: Any) -> None:
        pages = [answer(200, [{"id": "ses_1"}, {"id": "ses_2"}]), answer(200, [{"id": "ses_3"}])]
        async with Fake(pages) as fake:
            found = [
                item["id"] async for item in self.client(fake.url).iter_sessions(page_size=2, roots=True)
            ]
            self.assertEqual(found, ["ses_1", "ses_2", "ses_3"])
            self.assertEqual(fake.requests[1].target, "/session?roots=true&limit=2&before=ses_2")

    async def test_bytes_go_up_from_anything_that_has_them(self: Any) -> None:
        from openscience._wire import Call

        with tempfile.TemporaryFile() as file:
            file.write(b"skipped" + b"x" * 200_000)
            file.seek(7)
            sources: list[Any] = [
                b"abc",
                bytearray(b"abc"),
                memoryview(b"abc"),
                io.BytesIO(b"abc"),
                [b"a", b"", b"bc"],
                file,
            ]
            for source in sources:
                async with Fake([answer(200, {"ok": True})]) as fake:
                    await self.client(fake.url)._transport.json(Call("POST", "/upload", content=source))
                    request = fake.requests[0]
                    whole = source is file
                    self.assertEqual(request.body, b"x" * 200_000 if whole else b"abc")
                    counted = whole or isinstance(source, (bytes, bytearray, memoryview))
                    self.assertEqual("content-length" in request.headers, counted)

    async def test_a_refusal_that_comes_before_everything_was_sent_is_heard(self: Any) -> None:
        from openscience._wire import Call

        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer(413, {"error": "payload_too_large", "code": "payload_too_large"}))
            await writer.drain()
            await reader.read(10_000_000)
            writer.close()

        async with Serving(refuse) as server:
            with self.assertRaises((HTTPError, openscience.ConnectionError)) as caught:
                await self.client(server.url)._transport.json(Call("POST", "/upload", content=b"x" * 100_000))
            self.assertEqual(getattr(caught.exception, "code", None), "payload_too_large")

    async def test_bytes_come_down_in_pieces_into_memory_or_a_file(self: Any) -> None:
        from openscience._wire import Call

        whole = b'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nETag: "x"\r\nContent-Length: 5\r\n\r\nhello'
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "out.bin"
            async with Fake([whole, whole, whole[:-1], answer(404, {"code": "result_not_found"})]) as fake:
                client = self.client(fake.url)
                download = lambda: self.download(client, Call("GET", "/raw"))  # noqa: E731
                self.assertEqual(await download().read(), b"hello")
                self.assertEqual((await download().save(path), path.read_bytes()), (5, b"hello"))
                path.unlink()
                with self.assertRaises(openscience.ConnectionError):
                    await download().save(path)
                self.assertEqual(list(Path(folder).iterdir()), [], "nothing half is left")
                with self.assertRaises(HTTPError):
                    await download().read()

    async def test_a_stream_is_read_frame_by_frame(self: Any) -> None:
        whole = STREAM_HEAD + b': hi\n\ndata: {"type":"server.connected"}\n\n'
        async with Fake([whole, whole + b"data: {", whole, answer(200, {})]) as fake:
            client = self.client(fake.url, directory="/a")
            async with client.event.subscribe() as stream:
                self.assertEqual([frame.json() async for frame in stream], [{"type": "server.connected"}])
            self.assertEqual(fake.requests[0].target, "/event?directory=%2Fa")
            self.assertEqual(fake.requests[0].headers["accept"], "text/event-stream")
            with self.assertRaises(openscience.ConnectionError):
                async for _ in client.event.subscribe():
                    pass
            stream = client.global_.event()
            await stream.__anext__()
            await stream.aclose()
            with self.assertRaises(StopAsyncIteration):
                await stream.__anext__()
            with self.assertRaisesRegex(ProtocolError, "the stream is application/json"):
                async for _ in client.event.subscribe():
                    pass


class PlainRequests(Requests, Plain, Case):
    def download(self, client: Any, call: Any) -> Any:
        from .support import ThreadedStream

        return ThreadedStream(client._plain._transport.bytes(call))

    def client(self, url: str, **options: Any) -> Any:
        client = super().client(url, **options)
        client._transport = _Transport(client._plain._transport)
        return client


class _Transport:
    def __init__(self, transport: Any) -> None:
        self._transport = transport

    async def json(self, call: Any) -> Any:
        return await asyncio.to_thread(self._transport.json, call)


class AsyncRequests(Requests, Async, Case):
    def download(self, client: Any, call: Any) -> Any:
        return client._transport.bytes(call)

    async def test_bytes_can_come_from_an_async_source(self) -> None:
        from openscience._wire import Call

        async def source() -> AsyncIterator[bytes]:
            yield b"ab"
            yield b"c"

        async with Fake([answer(200, {})]) as fake:
            await self.client(fake.url)._transport.json(Call("POST", "/upload", content=source()))
            self.assertEqual(fake.requests[0].body, b"abc")

    async def test_a_cancelled_request_leaves_no_connection(self) -> None:
        open_now: dict[str, int] = {"connections": 0}

        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            open_now["connections"] += 1
            try:
                await reader.read()
                await reader.read()
            except OSError:
                pass
            open_now["connections"] -= 1
            writer.close()

        async with Serving(silent) as server:
            client = self.client(server.url)
            tasks = [asyncio.ensure_future(client.get_session("ses_a")) for _ in range(5)]
            await until(lambda: open_now["connections"] == 5)
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            self.assertTrue(all(isinstance(result, asyncio.CancelledError) for result in results))
            await until(lambda: open_now["connections"] == 0)

    async def test_a_client_may_be_used_by_one_event_loop_after_another(self) -> None:
        async with Fake([], keeps=True, always=answer(200, CAPABILITIES)) as fake:
            client = openscience.AsyncClient(fake.url)

            async def ask() -> Any:
                return await client.capabilities()

            with warnings.catch_warnings():
                # Each loop ends with a connection open: nobody closed the client.
                warnings.simplefilter("ignore", ResourceWarning)
                for _ in range(2):
                    self.assertEqual(await asyncio.to_thread(asyncio.run, ask()), CAPABILITIES)
                client._transport.close()
                gc.collect()

    async def test_a_cancelled_step_of_a_stream_loses_nothing(self) -> None:
        ready = asyncio.Event()
        connections: list[int] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.append(1)
            await reader.readuntil(b"\r\n\r\n")
            first = frame(1)
            writer.write(STREAM_HEAD + first[:20])
            await ready.wait()
            writer.write(first[20:] + frame(2))
            await writer.drain()
            writer.close()

        async with Serving(serve) as server:
            events = self.client(server.url).events("ses_a", 0)
            step = asyncio.ensure_future(events.__anext__())
            await until(lambda: events.connection == "connected")
            step.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await step
            ready.set()
            self.assertEqual([event.sequence async for event in events], [1, 2])
            self.assertEqual(len(connections), 1)


if __name__ == "__main__":
    unittest.main()
