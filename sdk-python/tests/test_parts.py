"""The small parts by themselves: cursors, pauses, texts, errors, addresses."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

import openscience
from openscience import (
    CursorError,
    EventGapError,
    FileCursorStore,
    HTTPError,
    ProtocolError,
    RuntimeEvent,
    Transcript,
    text_of,
)
from openscience._prompt import Prompt
from openscience._verbs import Look
from openscience._wire import Address, Call, segment
from openscience.events import Attempts, Backoff, Cursor
from openscience.sse import ServerSentEvent
from openscience.text import utf16_length

from .support import envelope


def frame(sequence: int, id: str | None = None, event: str | None = None, **fields: Any) -> ServerSentEvent:
    import json

    body = envelope(sequence, **fields)
    return ServerSentEvent(event or body["type"], json.dumps(body), id or str(sequence))


class Cursors(unittest.TestCase):
    def test_events_are_taken_in_order_and_once(self) -> None:
        cursor = Cursor("ses_a", 4)
        taken = [cursor.accept(frame(sequence)) for sequence in (3, 4, 5, 5, 6)]
        self.assertEqual([event and event.sequence for event in taken], [None, None, 5, None, 6])
        with self.assertRaisesRegex(EventGapError, "expected event 7, got 9"):
            cursor.accept(frame(9))

    def test_without_a_cursor_the_first_event_is_where_it_begins(self) -> None:
        cursor = Cursor("ses_a", None)
        event = cursor.accept(frame(40))
        self.assertEqual((event and event.sequence, cursor.sequence), (40, 40))

    def test_what_is_not_the_protocol_is_refused(self) -> None:
        broken = [
            frame(5, session="ses_b"),
            frame(5, id="6"),
            frame(5, id="05"),
            frame(5, event="another"),
            frame(5, time=1.5),
            frame(5, time=True),
            frame(5, properties=[]),
            frame(5, sessionID=None),
            ServerSentEvent("a", "[]", "5"),
            ServerSentEvent("a", "{", "5"),
        ]
        for one in broken:
            with self.assertRaises(ProtocolError, msg=str(one)):
                Cursor("ses_a", 4).accept(one)

    def test_an_event_keeps_what_this_package_does_not_know(self) -> None:
        event = RuntimeEvent.of(envelope(1, "future.type", kind="future", added={"x": 1}))
        self.assertEqual((event.type, event.kind, event.raw["added"]), ("future.type", "future", {"x": 1}))
        self.assertFalse(event.is_terminal)


class Stores(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "cursors"

    def test_a_file_keeps_the_last_cursor_of_each_session(self) -> None:
        for durable in (False, True):
            store = FileCursorStore(self.folder, durable=durable)
            store.save("ses_a", 1)
            store.save("ses_a", 17)
            store.save("ses_b", 0)
            again = FileCursorStore(self.folder)
            self.assertEqual([again.load(f"ses_{name}") for name in "abc"], [17, 0, None])
            self.assertEqual(sorted(os.listdir(self.folder)), ["ses_a.cursor", "ses_b.cursor"])

    def test_a_file_that_says_nothing_counts_as_none(self) -> None:
        self.folder.mkdir()
        for content in (b"", b"x", b"-1", b"\xff"):
            (self.folder / "ses_a.cursor").write_bytes(content)
            self.assertIsNone(FileCursorStore(self.folder).load("ses_a"), content)

    def test_a_session_cannot_name_another_place(self) -> None:
        for name in ("../x", "ses_a/b", "ses_", "ses_a\n"):
            with self.assertRaises(ValueError):
                FileCursorStore(self.folder).save(name, 1)


class Pauses(unittest.TestCase):
    def test_pauses_double_with_jitter_up_to_a_limit(self) -> None:
        backoff = Backoff(1, chance=lambda: 1.0)
        self.assertEqual([backoff.next() for _ in range(7)], [1, 2, 4, 8, 16, 30, 30])
        backoff.reset()
        self.assertEqual(backoff.next(), 1)
        self.assertEqual(Backoff(1, chance=lambda: 0.0).next(), 0.5)
        self.assertEqual(Backoff(1).next(at_least=7), 7)

    def test_a_total_of_attempts_is_used_up_by_faults_and_ends_alike(self) -> None:
        fault = openscience.ConnectionError("x")
        attempts = Attempts(2, 0, renews=False)
        self.assertEqual(attempts.after(fault), 0)
        attempts.delivered()
        self.assertEqual(attempts.after_end(), 0)
        self.assertIsNone(attempts.after_end())
        with self.assertRaises(openscience.ConnectionError):
            attempts.after(fault)

    def test_attempts_that_renew_count_what_brings_nothing(self) -> None:
        attempts = Attempts(1, 0, renews=True)
        for _ in range(3):
            self.assertEqual(attempts.after_end(), 0)
            attempts.delivered()
        self.assertEqual(attempts.after_end(), 0)
        self.assertIsNone(attempts.after_end())

    def test_only_faults_that_pass_are_waited_for(self) -> None:
        refused = HTTPError(503, {"code": "shutting_down"}, {"retry-after": "3"})
        self.assertEqual(Attempts(None, 0, renews=True).after(refused), 3)
        for attempts, error in (
            (Attempts(None, 0, renews=False), refused),
            (Attempts(None, 0, renews=True), HTTPError(404, {"code": "session_not_found"})),
            (Attempts(None, 0, renews=True), CursorError(409, {"code": "cursor_expired"})),
        ):
            with self.assertRaises(HTTPError):
                attempts.after(error)

    def test_waiting_looks_often_first_and_stops_in_time(self) -> None:
        now = [0.0]
        look = Look("run_a", 10, 1, "wait", 5, clock=lambda: now[0])
        run: Any = {"runID": "run_a", "state": "a state of the future"}
        delays = []
        for _ in range(12):
            self.assertFalse(look.is_over(run))
            delays.append(look.delay())
        self.assertEqual((delays[0], delays[-1]), (0.05, 1))
        now[0] = 9.75
        self.assertEqual(look.delay(), 0.25)
        now[0] = 10.0
        with self.assertRaises(openscience.WaitTimeout) as caught:
            look.delay()
        self.assertEqual(caught.exception.run, run)

    def test_a_look_takes_no_longer_than_is_left(self) -> None:
        now = [0.0]
        look = Look("run_a", 10, 1, "wait", 5, clock=lambda: now[0])
        self.assertEqual((look.limit(60), look.limit(None), look.limit(3)), (10, 10, 3))
        now[0] = 9.9
        self.assertEqual(look.limit(60), 1)
        self.assertEqual(Look("run_a", None, 1, "wait", 5).limit(60), 60)

    def test_waiting_outlasts_faults_that_pass(self) -> None:
        now = [0.0]
        look = Look("run_a", None, 1, "wait", 5, clock=lambda: now[0])
        fault = openscience.ConnectionError("x")
        now[0] = 4.9
        self.assertGreater(look.failed(fault), 0)
        self.assertFalse(look.is_over({"runID": "run_a", "state": "running"}))  # type: ignore[typeddict-item]
        now[0] = 9.8
        self.assertGreater(look.failed(HTTPError(503, {})), 0)
        now[0] = 10.0
        with self.assertRaises(openscience.ConnectionError):
            look.failed(fault)
        with self.assertRaises(HTTPError):
            look.failed(HTTPError(404, {}))

    def test_waiting_for_a_person_can_be_told_apart(self) -> None:
        run: Any = {"runID": "run_a", "state": "running", "waiting": {"decisions": ["per_a"], "since": 1}}
        self.assertFalse(Look("run_a", None, 1, "wait", 5).is_over(run))
        self.assertTrue(Look("run_a", None, 1, "return", 5).is_over(run))
        with self.assertRaises(openscience.DecisionNeeded) as caught:
            Look("run_a", None, 1, "raise", 5).is_over(run)
        self.assertEqual(caught.exception.decisions, ["per_a"])


def part(
    properties: dict[str, Any], message: str = "msg_a", part_id: str = "prt_a", kind: str = "text"
) -> RuntimeEvent:
    part = {"id": part_id, "messageID": message, "type": kind, **properties.pop("part", {})}
    return RuntimeEvent.of(envelope(1, "message.part.updated", properties={**properties, "part": part}))


class Texts(unittest.TestCase):
    def apply(self, transcript: Transcript, *all_properties: dict[str, Any]) -> list[str]:
        return [transcript.apply(part(properties)) for properties in all_properties]

    def test_lengths_are_those_of_the_wire(self) -> None:
        self.assertEqual(utf16_length("aä漢🙂"), 5)

    def test_text_grows_by_what_comes(self) -> None:
        transcript = Transcript()
        said = self.apply(
            transcript,
            {"part": {"text": "🙂a"}},
            {"part": {"textLength": 5}, "delta": "bc", "offset": 3},
            {"part": {"textLength": 5}, "delta": "bc", "offset": 3},
            {"part": {"textLength": 6}, "delta": "d", "offset": 5},
            {"part": {"textLength": 6}},
        )
        self.assertEqual(said, ["🙂a", "bc", "", "d", ""])
        self.assertEqual((transcript.text(), transcript.is_whole()), ("🙂abcd", True))

    def test_text_whose_beginning_was_not_seen_is_known_not_to_be_whole(self) -> None:
        transcript = Transcript()
        self.apply(transcript, {"part": {"textLength": 9}, "delta": "x", "offset": 8})
        self.assertFalse(transcript.is_whole("msg_a"))
        self.assertTrue(transcript.is_whole("msg_b"))
        self.assertEqual(self.apply(transcript, {"part": {"text": "12345678x"}}), ["12345678x"])
        self.assertTrue(transcript.is_whole())

    def test_thoughts_and_prompts_are_not_said(self) -> None:
        transcript = Transcript()
        info = envelope(1, "message.updated", properties={"info": {"id": "msg_u", "role": "user"}})
        self.assertEqual(transcript.apply(RuntimeEvent.of(info)), "")
        self.assertEqual(transcript.apply(part({"part": {"text": "please"}}, message="msg_u")), "")
        self.assertEqual(
            transcript.apply(part({"part": {"text": "hm"}}, part_id="prt_r", kind="reasoning")), ""
        )
        self.assertEqual(transcript.apply(part({"part": {"text": "yes"}})), "yes")
        self.assertEqual((transcript.text(), transcript.thoughts()), ("yes", "hm"))

    def test_a_message_says_its_texts(self) -> None:
        message: Any = {
            "parts": [
                {"type": "reasoning", "text": "hm"},
                {"type": "text", "text": "a"},
                {"type": "future"},
                {"type": "text", "text": "b"},
            ]
        }
        self.assertEqual((text_of(message), text_of(None)), ("ab", ""))


class Errors(unittest.TestCase):
    def test_the_stable_word_is_the_code(self) -> None:
        error = HTTPError(404, {"error": "not_found", "code": "run_not_found", "message": "no run"})
        self.assertEqual((error.code, error.error, error.message), ("run_not_found", "not_found", "no run"))
        self.assertEqual(str(error), "HTTP 404 run_not_found: no run")

    def test_other_servers_are_understood_too(self) -> None:
        self.assertEqual(HTTPError(409, {"error": "request_conflict"}).code, "request_conflict")
        invalid = HTTPError(400, {"error": [{"path": ["x"]}], "success": False})
        self.assertEqual((invalid.code, invalid.error), (None, [{"path": ["x"]}]))
        self.assertEqual(str(HTTPError(502, "<html>bad gateway")), "HTTP 502: <html>bad gateway")
        self.assertEqual(HTTPError(500, ["x"]).code, None)

    def test_the_places_of_an_invalid_request_are_told(self) -> None:
        body = {
            "code": "invalid_request",
            "message": "not valid",
            "issues": [{"path": "effort", "message": "unknown"}],
        }
        self.assertIn("effort: unknown", str(HTTPError(400, body)))

    def test_cursor_errors_tell_the_range(self) -> None:
        error = CursorError(409, {"code": "cursor_expired", "oldestSequence": 5, "latestSequence": True})
        self.assertEqual((error.oldest_sequence, error.latest_sequence), (5, None))

    def test_faults_are_the_builtin_ones_too(self) -> None:
        self.assertTrue(issubclass(openscience.ConnectionError, OSError))
        self.assertTrue(issubclass(openscience.RequestTimeout, TimeoutError))
        self.assertTrue(issubclass(openscience.WaitTimeout, TimeoutError))
        self.assertFalse(issubclass(openscience.WaitTimeout, openscience.ConnectionError))


class Addresses(unittest.TestCase):
    def target(self, directory: Any, url: str = "http://127.0.0.1:4096", **query: Any) -> str:
        return Address(url, None, directory, None).target(Call("GET", "/session", query=query, selects=True))

    def test_a_directory_is_encoded_once_and_completely(self) -> None:
        check = self.assertEqual
        check(self.target("/a b/漢+%20&#"), "/session?directory=%2Fa%20b%2F%E6%BC%A2%2B%2520%26%23")
        check(self.target(Path("/x/y")), "/session?directory=%2Fx%2Fy")
        check(self.target(None, roots=False, limit=5, before=None), "/session?roots=false&limit=5")
        check(self.target("x"), self.target(os.path.join(os.getcwd(), "x")))

    def test_only_addresses_that_can_be_meant_are_taken(self) -> None:
        for url in (
            "ftp://x",
            "127.0.0.1:4096",
            "http://",
            "http://a:b@c",
            "http://x?y",
            "http://x#y",
            "http://x:y",
        ):
            with self.assertRaises(ValueError, msg=url):
                openscience.Client(url)
        self.assertEqual(openscience.Client("http://h:1/prefix/").base_url, "http://h:1/prefix")
        self.assertEqual(self.target(None, "http://h/prefix/"), "/prefix/session")
        self.assertEqual(Address("http://[::1]:9", None, None, None).authority, "[::1]:9")

    def test_wrong_arguments_are_refused_before_anything_is_sent(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"token": "two words"},
            {"token": "a\r\nX: y"},
            {"token": ""},
            {"timeout": 0},
            {"timeout": -1},
            {"max_response_bytes": 0},
            {"max_event_bytes": 0},
            {"prompt_retries": -1},
        ]
        for options in wrong:
            for kind in (openscience.Client, openscience.AsyncClient):
                with self.assertRaises(ValueError, msg=str(options)):
                    kind(**options)
        client = openscience.Client()
        for call in (
            lambda: client.prompt("ses_a"),
            lambda: client.prompt("ses_a", "x", parts=[{"type": "text", "text": "x"}]),
            lambda: client.replay("ses_a", -1),
            lambda: client.events("ses_a", -1),
            lambda: client.events("ses_a", reconnects=-1),
            lambda: client.events("ses_a", retry_delay=-1),
            lambda: client.get_session(""),
            lambda: client.get_session(".."),
            lambda: client.wait("ses_a", "run_a", interval=0),
            lambda: client.wait("ses_a", "run_a", on_waiting="x"),  # type: ignore[arg-type]
        ):
            with self.assertRaises(ValueError):
                call()
        for call in (
            lambda: client.replay("ses_a", True),
            lambda: client.replay("ses_a", 1.0),  # type: ignore[arg-type]
            lambda: client.get_session(None),  # type: ignore[arg-type]
            lambda: client.prompt("ses_a", 5),  # type: ignore[arg-type]
            lambda: openscience.Client(directory=b"/x"),  # type: ignore[arg-type]
        ):
            with self.assertRaises(TypeError):
                call()

    def test_an_id_cannot_leave_its_place_in_the_path(self) -> None:
        self.assertEqual(segment("a/../b?c#d e"), "a%2F..%2Fb%3Fc%23d%20e")


class Prompts(unittest.TestCase):
    def prompt(self, **options: Any) -> Prompt:
        names = (
            "message",
            "parts",
            "request_id",
            "message_id",
            "model",
            "variant",
            "tier",
            "context",
            "delegation",
            "delegation_settings",
            "deadline_ms",
        )
        return Prompt("ses_a", effort="normal", **{**dict.fromkeys(names), "message": "x", **options})

    def test_a_prompt_without_a_key_gets_one_that_stays(self) -> None:
        prompt = self.prompt()
        self.assertEqual(prompt.call().json(), prompt.call().json())
        self.assertRegex(prompt.request_id or "", "^py-")
        self.assertNotEqual(prompt.request_id, self.prompt().request_id)

    def test_a_key_of_the_caller_is_kept(self) -> None:
        self.assertEqual(self.prompt(request_id="mine").request_id, "mine")
        self.assertIsNone(self.prompt(message_id="msg_x").request_id)

    def test_what_is_none_is_left_out_and_false_is_not(self) -> None:
        body = self.prompt(request_id="k", delegation=False).call().json()
        self.assertEqual(
            body, b'{"sessionID":"ses_a","effort":"normal","requestID":"k","message":"x","delegation":false}'
        )


if __name__ == "__main__":
    unittest.main()
