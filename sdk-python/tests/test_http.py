"""Is an answer read right, however the connection gives it, and is a broken one ever taken for a whole?"""

from __future__ import annotations

import unittest

import openscience
from openscience._h1 import ResponseParser

COUNTED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 100 Continue\r\n\r\n"
    b"HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
    b"3\r\nhel\r\n2;name=value\r\nlo\r\n0\r\nTrailer: x\r\n\r\n"
)


def read(*pieces: bytes, method: str = "GET", ends: bool = False) -> tuple[int, bytes, bool, bool]:
    parser = ResponseParser(method)
    content = b""
    for piece in [*pieces, b""] if ends else pieces:
        parser.feed(piece)
        content += parser.take()
    assert parser.head is not None
    return parser.head.status, content, parser.done, parser.is_reusable


def bytes_of(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


class Answers(unittest.TestCase):
    def test_an_answer_is_read_the_same_wherever_it_is_cut_in_two(self) -> None:
        for data, status in ((COUNTED, 200), (CHUNKED, 202)):
            for at in range(1, len(data)):
                self.assertEqual(read(data[:at], data[at:]), (status, b"hello", True, True), at)
            self.assertEqual(read(*bytes_of(data)), (status, b"hello", True, True))

    def test_an_answer_that_is_cut_off_anywhere_is_never_taken_for_a_whole(self) -> None:
        for data in (COUNTED, CHUNKED):
            for at in range(len(data)):
                parser = ResponseParser("GET")
                with self.assertRaises(openscience.ConnectionError, msg=str(at)):
                    if at:
                        parser.feed(data[:at])
                    parser.feed(b"")

    def test_an_answer_without_a_length_lasts_until_the_connection_ends(self) -> None:
        data = b"HTTP/1.0 200\r\n\r\nhel"
        self.assertEqual(read(data, b"lo", ends=True), (200, b"hello", True, False))

    def test_answers_without_content_are_over_with_their_head(self) -> None:
        head = b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n"
        self.assertEqual(read(head % (204, 0)), (204, b"", True, True))
        self.assertEqual(read(head % (200, 5), method="HEAD"), (200, b"", True, True))
        self.assertEqual(read(head % (200, 0)), (200, b"", True, True))

    def test_a_connection_is_only_used_again_if_both_sides_are_done_with_it(self) -> None:
        closing = COUNTED.replace(b"Content-Type: text/plain", b"Connection: close")
        self.assertEqual(read(closing), (200, b"hello", True, False))
        self.assertEqual(read(COUNTED + b"HTTP/1.1"), (200, b"hello", True, False))
        self.assertEqual(read(COUNTED[:-1]), (200, b"hell", False, False))

    def test_headers_are_found_by_lowercase_name_and_joined(self) -> None:
        parser = ResponseParser("GET")
        parser.feed(CHUNKED)
        assert parser.head is not None
        self.assertEqual(parser.head.headers["x-a"], "1, 2")

    def test_what_is_no_http_is_refused(self) -> None:
        broken = [
            b"SSH-2.0-OpenSSH\r\n\r\n",
            b"\r\n\r\n",
            b"HTTP/2 200 OK\r\n\r\n",
            b"HTTP/1.1 20 OK\r\n\r\n",
            b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n folded: x\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 5000,
            b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70000,
        ]
        for data in broken:
            parser: ResponseParser | None = ResponseParser("GET")
            assert parser is not None
            with self.assertRaises(openscience.ProtocolError, msg=str(data[:60])):
                parser.feed(data)


if __name__ == "__main__":
    unittest.main()
