"""What do readers do when a stream breaks, lies or leaves something out? Against servers that do."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

import openscience
from openscience import (
    EventGapError,
    HTTPError,
    MemoryCursorStore,
    ProtocolError,
    RequestTimeout,
    Resync,
    RuntimeEvent,
)

from .support import STREAM_HEAD, Async, Case, Fake, Plain, Request, Serving, answer, frame, until

EXPIRED = answer(
    409, {"error": "cursor_expired", "code": "cursor_expired", "oldestSequence": 90, "latestSequence": 99}
)
BUSY = answer(503, {"error": "shutting_down", "code": "shutting_down"})


def snapshot(latest: int) -> bytes:
    return answer(200, {"sessionID": "ses_a", "runs": [], "latestSequence": latest, "oldestSequence": 1})


def stream(*frames: bytes) -> bytes:
    return STREAM_HEAD + b"".join(frames)


class Reconnects:
    """For both clients."""

    async def read(self: Any, fake: Fake, **options: Any) -> list[int]:
        client = self.client(fake.url)
        async with client.events("ses_a", 0, **{"retry_delay": 0, **options}) as events:
            return [event.sequence async for event in events]

    async def test_a_reader_goes_on_after_what_it_has_and_gets_nothing_twice(self: Any) -> None:
        broken = stream(frame(1), frame(2), frame(3)[:-30])
        async with Fake([broken, stream(frame(2), frame(3)), stream(frame(4))]) as fake:
            self.assertEqual(await self.read(fake, reconnects=2), [1, 2, 3, 4])
            queries = [request.target for request in fake.requests]
            headers = [request.headers["last-event-id"] for request in fake.requests]
            self.assertEqual(headers, ["0", "2", "3"])
            self.assertEqual(queries[1], "/runtime/events?sessionID=ses_a&afterSequence=2")

    async def test_a_stream_cut_at_any_byte_is_taken_up_without_loss(self: Any) -> None:
        chunked = STREAM_HEAD.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n")
        first, second = frame(1, properties={"t": "漢"}), frame(2)
        framed = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (b": hi\n\n", first, second))
        whole = chunked + framed + b"0\r\n\r\n"

        def rest(request: Request) -> bytes:
            seen = int(request.headers["last-event-id"])
            return stream(*(frame(n) for n in (1, 2, 3) if n > seen))

        async with Fake([]) as fake:
            client = self.client(fake.url)
            for at in range(len(whole) + 1):
                fake.script([whole[:at], rest])
                events = client.events("ses_a", 0, reconnects=1, retry_delay=0)
                self.assertEqual([event.sequence async for event in events], [1, 2, 3], at)

    async def test_a_stream_of_carriage_returns_in_small_pieces_is_the_same_stream(self: Any) -> None:
        whole = STREAM_HEAD + b"".join(
            frame(n, ending="\r\n", properties={"text": "größer 漢字 🙂"}) for n in (1, 2, 3)
        )
        pieces = [whole[at : at + 7] for at in range(0, len(whole), 7)]
        async with Fake([pieces]) as fake:
            events = [event async for event in self.client(fake.url).events("ses_a")]
            self.assertEqual([event.sequence for event in events], [1, 2, 3])
            self.assertEqual(events[2].properties["text"], "größer 漢字 🙂")
            self.assertNotIn("last-event-id", fake.requests[0].headers)

    async def test_a_clean_end_uses_up_an_attempt_and_then_the_iteration_ends(self: Any) -> None:
        async with Fake([], always=stream(frame(1))) as fake:
            self.assertEqual(await self.read(fake), [1])
            self.assertEqual(len(fake.requests), 1)
            self.assertEqual(await self.read(fake, reconnects=3), [1])
            self.assertEqual(len(fake.requests), 5)

    async def test_a_fault_after_the_last_attempt_is_raised(self: Any) -> None:
        for broken in (b"", b"HTTP/1.1 200 OK\r\nContent-Ty", stream(frame(1)[:-1])):
            async with Fake([], always=broken) as fake:
                with self.assertRaises(openscience.ConnectionError):
                    await self.read(fake, reconnects=2)
                self.assertEqual(len(fake.requests), 3)

    async def test_what_is_not_the_protocol_is_raised_at_once(self: Any) -> None:
        html = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"
        for given, error in (
            (stream(frame(1), frame(3)), EventGapError),
            (stream(frame(1, session="ses_b")), ProtocolError),
            (stream(frame(1).replace(b"id: 1", b"id: 2")), ProtocolError),
            (html, ProtocolError),
            (answer(404, {"code": "session_not_found"}), HTTPError),
            (BUSY, HTTPError),
            (stream(b"data: " + b"x" * 5_000_000), ProtocolError),
        ):
            async with Fake([], always=given) as fake:
                with self.assertRaises(error):
                    await self.read(fake, reconnects=5)
                self.assertEqual(len(fake.requests), 1, str(given[:80]))

    async def test_silence_counts_as_a_lost_connection(self: Any) -> None:
        release = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            request = await reader.readuntil(b"\r\n\r\n")
            writer.write(stream(frame(1) if b"Last-Event-ID: 0" in request else frame(2)))
            await writer.drain()
            if b"Last-Event-ID: 0" in request:
                await release.wait()
            writer.close()

        async with Serving(serve) as server:
            client = self.client(server.url, timeout=0.4)
            events = client.events("ses_a", 0, reconnects=1, retry_delay=0)
            self.assertEqual([event.sequence async for event in events], [1, 2])
            with self.assertRaises(RequestTimeout):
                async for _ in client.events("ses_a", 0):
                    pass
            release.set()

    async def test_a_reader_can_be_closed_while_it_waits(self: Any) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(stream(frame(1)))
            await reader.read()

        async with Serving(serve) as server:
            client = self.client(server.url)
            for events in (client.events("ses_a", 0), client.follow("ses_a", after_sequence=0)):
                self.assertEqual((await events.__anext__()).sequence, 1)
                self.assertEqual((events.connection, events.cursor), ("connected", 1))
                waiting = asyncio.ensure_future(events.__anext__())
                await asyncio.sleep(0)
                await events.aclose()
                with self.assertRaises(StopAsyncIteration):
                    await waiting
                self.assertEqual(events.connection, "closed")

    async def test_a_reader_can_be_closed_while_it_waits_to_connect_again(self: Any) -> None:
        async with Fake([stream(frame(1))], always=b"") as fake:
            events = self.client(fake.url).events("ses_a", 0, reconnects=None, retry_delay=20)
            await events.__anext__()
            waiting = asyncio.ensure_future(events.__anext__())
            await until(lambda: events.connection == "reconnecting")
            await events.aclose()
            with self.assertRaises(StopAsyncIteration):
                await waiting


class Follows:
    """For both clients."""

    async def follow(self: Any, fake: Fake, **options: Any) -> list[Any]:
        """What comes, as short words."""
        found: list[Any] = []
        options = {"reconnects": 0, "retry_delay": 0, **options}
        async with self.client(fake.url).follow("ses_a", **options) as items:
            async for item in items:
                found.append(
                    (item.reason, item.snapshot["latestSequence"])
                    if isinstance(item, Resync)
                    else item.sequence
                )
        return found

    async def test_it_starts_from_a_snapshot_and_goes_on_from_there(self: Any) -> None:
        async with Fake([snapshot(5), stream(frame(6), frame(7))]) as fake:
            self.assertEqual(await self.follow(fake), [("start", 5), 6, 7])
            self.assertEqual(fake.requests[1].headers["last-event-id"], "5")

    async def test_it_starts_from_the_stored_cursor_and_stores_what_was_handled(self: Any) -> None:
        store = MemoryCursorStore()
        store.save("ses_a", 5)
        async with Fake([stream(frame(6), frame(7))]) as fake:
            seen = []
            async with self.client(fake.url).follow("ses_a", cursor=store, reconnects=0) as items:
                async for item in items:
                    # An event counts as handled when the next one is asked for.
                    seen.append((item.sequence, store.load("ses_a")))
            self.assertEqual((seen, store.load("ses_a")), ([(6, 5), (7, 6)], 7))

    async def test_an_event_under_which_the_reader_stops_comes_again_unless_it_is_committed(
        self: Any,
    ) -> None:
        store = MemoryCursorStore()
        async with Fake([], always=stream(frame(6), frame(7))) as fake:
            follow = self.client(fake.url).follow("ses_a", cursor=store, after_sequence=5)
            await follow.__anext__()
            await follow.aclose()
            self.assertIsNone(store.load("ses_a"))
            follow = self.client(fake.url).follow("ses_a", cursor=store, after_sequence=5)
            await follow.__anext__()
            follow.commit()
            await follow.aclose()
            self.assertEqual(store.load("ses_a"), 6)

    async def test_an_expired_cursor_and_a_gap_lead_to_a_snapshot_and_on(self: Any) -> None:
        answers = [EXPIRED, snapshot(99), stream(frame(100), frame(102)), snapshot(103), stream(frame(104))]
        async with Fake(answers) as fake:
            found = await self.follow(fake, after_sequence=5)
            self.assertEqual(found, [("cursor_expired", 99), 100, ("gap", 103), 104])

    async def test_it_outlasts_faults_and_refusals_that_pass(self: Any) -> None:
        answers = [b"", BUSY, snapshot(5), BUSY, b"", stream(), stream(frame(6)), b"", BUSY, stream(frame(7))]
        async with Fake(answers) as fake:
            items = self.client(fake.url).follow("ses_a", reconnects=3, retry_delay=0)
            found = [await items.__anext__() for _ in range(3)]
            self.assertIsInstance(found[0], Resync)
            self.assertEqual([item.sequence for item in found[1:] if isinstance(item, RuntimeEvent)], [6, 7])
            await items.aclose()

    async def test_it_gives_up_after_so_many_attempts_that_brought_nothing(self: Any) -> None:
        async with Fake([stream(frame(1))], always=b"") as fake:
            with self.assertRaises(openscience.ConnectionError):
                await self.follow(fake, after_sequence=0, reconnects=2)
            self.assertEqual(len(fake.requests), 1 + 2)

    async def test_a_session_that_is_gone_ends_it(self: Any) -> None:
        async with Fake([stream(frame(1))], always=answer(404, {"code": "session_not_found"})) as fake:
            with self.assertRaises(HTTPError) as caught:
                await self.follow(fake, after_sequence=0, reconnects=None)
            self.assertEqual(caught.exception.code, "session_not_found")

    async def test_waiting_goes_on_through_faults_and_never_prompts(self: Any) -> None:
        running = {"runID": "run_a", "sessionID": "ses_a", "state": "running"}
        states = [
            answer(200, running),
            b"",
            BUSY,
            answer(200, {**running, "state": "future"}),
            answer(200, {**running, "state": "completed"}),
        ]
        async with Fake(states) as fake:
            run = await self.client(fake.url).wait("ses_a", "run_a", interval=0.01)
            self.assertEqual(run["state"], "completed")
            self.assertEqual({request.method for request in fake.requests}, {"GET"})
        async with Fake([], always=answer(404, {"code": "run_not_found"})) as fake:
            with self.assertRaises(HTTPError):
                await self.client(fake.url).wait("ses_a", "run_a")
        async with Fake([], always=b"") as fake:
            with self.assertRaises(openscience.ConnectionError):
                await self.client(fake.url).wait("ses_a", "run_a", interval=0.01, patience=0.05)


class PlainReconnects(Reconnects, Plain, Case):
    pass


class AsyncReconnects(Reconnects, Async, Case):
    pass


class PlainFollows(Follows, Plain, Case):
    pass


class AsyncFollows(Follows, Async, Case):
    pass


if __name__ == "__main__":
    unittest.main()
