"""Are the frames of a stream read right, however it is cut?"""

from __future__ import annotations

import unittest

import openscience
from openscience.sse import ServerSentEvent, SSEParser

STREAM = (
    "\ufeff: at once\n\n"
    'event: a\ndata: {"word": "größer 漢字 🙂"}\nid: 1\n\n'
    "data: first\r\ndata: second\r\ndata\r\nid: 2\r\n\r\n"
    "data:no blank\rdata:  two blanks\r\r"
    ": heartbeat\r\n\r\n"
    "unknown: field\nretry: 10\nevent: without data\n\n"
    "id: a\0b\ndata: x\n\n"
).encode()

FRAMES = [
    ServerSentEvent("a", '{"word": "größer 漢字 🙂"}', "1"),
    ServerSentEvent("message", "first\nsecond\n", "2"),
    ServerSentEvent("message", "no blank\n two blanks", None),
    ServerSentEvent("message", "x", None),
]


def read(*pieces: bytes, limit: int = 1000) -> tuple[list[ServerSentEvent], bool]:
    parser = SSEParser(limit)
    found = [event for piece in pieces for event in parser.feed(piece)]
    return found, parser.is_within_frame


class Frames(unittest.TestCase):
    def test_a_stream_is_read_the_same_wherever_it_is_cut_in_two(self) -> None:
        for at in range(len(STREAM) + 1):
            self.assertEqual(read(STREAM[:at], STREAM[at:]), (FRAMES, False), at)

    def test_a_stream_is_read_the_same_byte_by_byte(self) -> None:
        self.assertEqual(read(*(STREAM[at : at + 1] for at in range(len(STREAM)))), (FRAMES, False))

    def test_a_mark_is_only_skipped_at_the_very_beginning(self) -> None:
        found, _ = read(b"data: a\n\n\xef\xbb\xbfdata: b\n\n")
        self.assertEqual([event.data for event in found], ["a"])

    def test_a_frame_that_is_cut_off_is_told_and_not_given(self) -> None:
        for tail in (b"data: {", b"data: {}\n", b"id: 7\n", b"data: {}\nid: 7\n", b"d"):
            self.assertEqual(
                read(b"data: 1\n\n" + tail), ([ServerSentEvent("message", "1", None)], True), tail
            )

    def test_a_stream_that_ends_after_a_comment_is_whole(self) -> None:
        self.assertEqual(read(b"data: 1\n\n: heartbeat\n\n")[1], False)

    def test_a_frame_without_an_end_is_refused_beyond_the_limit(self) -> None:
        for pieces in ([b"data: " + b"x" * 200], [b"data: xxxx\n"] * 20):
            with self.assertRaisesRegex(openscience.ProtocolError, "longer than 100 bytes"):
                read(*pieces, limit=100)

    def test_many_small_frames_never_reach_the_limit(self) -> None:
        found, _ = read(b"data: xxxx\n\n" * 50, limit=100)
        self.assertEqual(len(found), 50)

    def test_bytes_that_are_no_text_are_refused(self) -> None:
        with self.assertRaisesRegex(openscience.ProtocolError, "not UTF-8"):
            read(b"data: \xff\n\n")

    def test_data_that_is_no_json_is_refused_when_it_is_read_as_such(self) -> None:
        with self.assertRaises(openscience.ProtocolError):
            ServerSentEvent("a", "{", None).json()


if __name__ == "__main__":
    unittest.main()
