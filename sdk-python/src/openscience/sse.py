"""What does a stream of server-sent events say?

The parsing rules of the standard, on bytes, so that a character cut in two by the network is whole again
before anybody looks at it. What the frames mean is decided elsewhere.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import Any

from .errors import ProtocolError

__all__ = ["ServerSentEvent", "SSEParser"]

LINE_END = re.compile(rb"[\r\n]")


@dataclass(frozen=True)
class ServerSentEvent:
    """One frame of a stream."""

    event: str
    """Its type; `message` where the frame names none."""
    data: str
    id: str | None
    """The id this frame itself carries, if any."""

    def json(self) -> Any:
        """`data`, which the streams of the daemon always fill with JSON."""
        try:
            return json.loads(self.data)
        except ValueError as error:
            raise ProtocolError(f"a frame of the stream is not JSON: {error}") from None


class SSEParser:
    """Turns bytes, cut anywhere, into frames."""

    def __init__(self, max_event_bytes: int) -> None:
        self._max = max_event_bytes
        self._buffer = bytearray()
        self._seen = 0
        """How much of the buffer is known to hold no end of a line."""
        self._at_start = True
        self._after_return = False
        self._size = 0
        self._data: list[str] = []
        self._event = ""
        self._id: str | None = None
        self._open = False

    @property
    def is_within_frame(self) -> bool:
        """True if a frame has begun that is not whole: at the end of a stream, something was cut off."""
        return self._open or bool(self._buffer)

    def feed(self, data: bytes) -> list[ServerSentEvent]:
        """The frames that are whole now."""
        self._buffer += data
        if self._at_start and not self._skip_mark():
            return []
        found: list[ServerSentEvent] = []
        for line in self._lines():
            event = self._line(line)
            if event is not None:
                found.append(event)
        if self._size + len(self._buffer) > self._max:
            raise ProtocolError(f"an event of the stream is longer than {self._max} bytes")
        return found

    def _skip_mark(self) -> bool:
        """A stream may begin with a byte order mark. False as long as that is not certain."""
        mark = codecs.BOM_UTF8
        if len(self._buffer) < len(mark) and mark.startswith(self._buffer):
            return False
        if self._buffer.startswith(mark):
            del self._buffer[: len(mark)]
        self._at_start = False
        return True

    def _lines(self) -> list[bytes]:
        """The whole lines of the buffer, ended by CR, LF or both. What is left stays in it."""
        lines: list[bytes] = []
        start = 0
        at = self._seen
        buffer = self._buffer
        while True:
            # The second half of a CRLF whose first half ended the line before.
            if self._after_return and start < len(buffer):
                if buffer[start] == 0x0A:
                    start += 1
                self._after_return = False
            at = max(at, start)
            match = LINE_END.search(buffer, at)
            if match is None:
                break
            end = match.start()
            lines.append(bytes(buffer[start:end]))
            self._after_return = buffer[end] == 0x0D
            start = at = end + 1
        del buffer[:start]
        self._seen = len(buffer)
        return lines

    def _line(self, line: bytes) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        if line.startswith(b":"):
            return None
        self._size += len(line)
        if self._size > self._max:
            raise ProtocolError(f"an event of the stream is longer than {self._max} bytes")
        self._open = True
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise ProtocolError("the stream is not UTF-8") from None
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        event = ServerSentEvent(self._event or "message", "\n".join(self._data), self._id)
        has_data = bool(self._data)
        self._data, self._event, self._id, self._size, self._open = [], "", None, 0, False
        return event if has_data else None
