"""What does an HTTP/1.1 answer say, piece by piece?

Both clients read answers with this. The standard library's `http.client` takes an answer whose head was
cut off for a whole one (a 200 without headers and content); a client that lives with dropped connections
has to know the difference. And it cannot be used from asyncio without a thread per open stream.

No IO: bytes are fed in and taken out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .errors import ConnectionError, ProtocolError

HEAD_BYTES_MAX = 64 * 1024
CHUNK_LINE_BYTES_MAX = 4 * 1024

STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9]{2})(?: .*)?")
HEADER_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")


@dataclass(frozen=True)
class Head:
    """Status and headers."""

    status: int
    headers: Mapping[str, str]
    """By lowercase name."""
    keeps_alive: bool

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").split(";", 1)[0].strip().lower()

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


class ResponseParser:
    """Reads one answer. `feed` it what comes, `take` the content that is whole so far."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._buffer = bytearray()
        self._content = bytearray()
        self._read: Callable[[], bool] = self._read_head
        self._left = 0
        self.head: Head | None = None
        self.done = False
        self.began = False
        """True once a byte of an answer came."""

    @property
    def is_reusable(self) -> bool:
        """True if the connection can carry another request."""
        return self.done and self.head is not None and self.head.keeps_alive and not self._buffer

    def feed(self, data: bytes) -> None:
        """Takes what the connection gave; nothing means that it ended."""
        if not data:
            self._end()
            return
        self.began = True
        self._buffer += data
        while not self.done and self._read():
            pass

    def take(self) -> bytes:
        """The content that came since the last time."""
        data = bytes(self._content)
        self._content.clear()
        return data

    def _end(self) -> None:
        if self._read == self._read_to_end:
            self.done = True
        elif not self.done:
            raise ConnectionError("the connection ended before the answer did")

    def _line(self, limit: int) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) > limit:
                raise ProtocolError("a line of the answer does not end")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line[:-1] if line.endswith(b"\r") else line

    # Each `_read_…` returns True if it got on and may be called again.

    def _read_head(self) -> bool:
        match = re.search(rb"\r?\n\r?\n", self._buffer)
        if match is None:
            if len(self._buffer) > HEAD_BYTES_MAX:
                raise ProtocolError("the head of the answer does not end")
            return False
        lines = bytes(self._buffer[: match.start()]).splitlines()
        del self._buffer[: match.end()]
        status_line = STATUS_LINE.fullmatch(lines[0]) if lines else None
        if status_line is None:
            raise ProtocolError("what answers does not speak HTTP/1.1")
        status = int(status_line[2])
        if status < 200:
            if status == 101:
                raise ProtocolError("the answer switches to another protocol")
            return True
        headers = self._headers(lines[1:])
        connection = headers.get("connection", "").lower()
        keeps_alive = status_line[1] == b"1" and "close" not in connection
        self.head = Head(status, headers, keeps_alive)
        self._choose(self.head)
        return True

    def _headers(self, lines: list[bytes]) -> dict[str, str]:
        headers: dict[str, str] = {}
        for line in lines:
            match = HEADER_LINE.fullmatch(line)
            if match is None:
                raise ProtocolError("a header of the answer is malformed")
            name, value = match[1].decode("ascii").lower(), match[2].decode("latin-1")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        return headers

    def _choose(self, head: Head) -> None:
        encoding = head.headers.get("transfer-encoding", "").lower()
        length = head.headers.get("content-length")
        if self._method == "HEAD" or head.status in (204, 304):
            self.done = True
        elif encoding == "chunked":
            self._read = self._read_size
        elif encoding:
            raise ProtocolError(f"the answer is encoded as {encoding}")
        elif length is None:
            self.head = Head(head.status, head.headers, False)
            self._read = self._read_to_end
        elif not (length.isascii() and length.isdigit()):
            raise ProtocolError("the length of the answer is no number")
        else:
            self._left = int(length)
            self._read = self._read_counted
            self.done = self._left == 0

    def _move(self, count: int) -> None:
        self._content += self._buffer[:count]
        del self._buffer[:count]

    def _read_counted(self) -> bool:
        count = min(self._left, len(self._buffer))
        self._move(count)
        self._left -= count
        self.done = self._left == 0
        return False

    def _read_to_end(self) -> bool:
        self._move(len(self._buffer))
        return False

    def _read_size(self) -> bool:
        line = self._line(CHUNK_LINE_BYTES_MAX)
        if line is None:
            return False
        digits = line.split(b";", 1)[0].strip()
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}", digits):
            raise ProtocolError("a chunk of the answer has no size")
        self._left = int(digits, 16)
        self._read = self._read_chunk if self._left else self._read_trailer
        return True

    def _read_chunk(self) -> bool:
        count = min(self._left, len(self._buffer))
        self._move(count)
        self._left -= count
        if self._left == 0:
            self._read = self._read_chunk_end
        return self._left == 0

    def _read_chunk_end(self) -> bool:
        line = self._line(CHUNK_LINE_BYTES_MAX)
        if line is None:
            return False
        if line:
            raise ProtocolError("a chunk of the answer is longer than its size")
        self._read = self._read_size
        return True

    def _read_trailer(self) -> bool:
        line = self._line(HEAD_BYTES_MAX)
        self.done = line == b""
        return line is not None
