# Written by tools/generate.py from _aio_transport.py; change that instead.
"""How do requests get to the daemon and answers back?

Calls are sent, answers read, streams and downloads handed out. Connections are made elsewhere.
"""

from __future__ import annotations

import os
import shutil
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ._connection import Connection, Pool, pieces, write
from ._h1 import Head, ResponseParser
from ._wire import Address, Content, Call, Outgoing, answered, framing, refusal
from .errors import ConnectionError, ProtocolError, RequestTimeout
from .sse import ServerSentEvent, SSEParser

__all__ = ["Content", "Download", "EventStream", "Operations", "Transport"]


class Answer:
    """An answer whose head is here and whose content is still to be read."""

    def __init__(
        self, connection: Connection, parser: ResponseParser, head: Head, pool: Pool
    ) -> None:
        self._connection: Connection | None = connection
        self._parser = parser
        self._pool = pool
        self.head = head

    def read(self) -> bytes:
        """The next of the content; nothing at its end."""
        while True:
            data = self._parser.take()
            if data:
                return data
            if self._parser.done or self._connection is None:
                self.close()
                return b""
            try:
                self._parser.feed(self._connection.receive())
            except BaseException:
                self.close()
                raise

    def read_all(self, limit: int) -> bytes:
        data = bytearray()
        try:
            while True:
                piece = self.read()
                if not piece:
                    return bytes(data)
                data += piece
                if len(data) > limit:
                    raise ProtocolError(f"the answer is longer than {limit} bytes")
        finally:
            self.close()

    def close(self) -> None:
        """Gives the connection back if it was read to the end, else closes it."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._parser.is_reusable:
            self._pool.give(connection)
        else:
            connection.close()

    def interrupt(self) -> None:
        """Ends a read that another thread is in."""
        connection = self._connection
        if connection is not None:
            connection.interrupt()


class Transport:
    """Sends calls and reads answers."""

    def __init__(
        self,
        address: Address,
        timeout: float | None,
        max_response_bytes: int,
        max_event_bytes: int,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.address = address
        self.timeout = timeout
        self.max_response_bytes = max_response_bytes
        self.max_event_bytes = max_event_bytes
        self._tls = tls
        self._pool = Pool()

    def close(self) -> None:
        self._pool.close()

    def open(self, call: Call, accept: str, timeout: float | None) -> Answer:
        """Sends a call; answers once the head of a good answer is here, else raises."""
        timeout = self.timeout if timeout is None else timeout
        # A kept connection may die under a request. Only what may be done twice goes over one.
        connection = self._pool.take() if call.is_repeatable else None
        if connection is not None:
            answer = self._tried(connection, call, accept, timeout)
            if answer is not None:
                return self._checked(answer)
        connection = Connection.open(self.address, timeout, self._tls)
        return self._checked(self._exchange(connection, call, accept, timeout))

    def _tried(
        self, connection: Connection, call: Call, accept: str, timeout: float | None
    ) -> Answer | None:
        """An answer over a kept connection; None if it turned out to be dead."""
        try:
            return self._exchange(connection, call, accept, timeout)
        except RequestTimeout:
            raise
        except ConnectionError:
            return None

    def _exchange(
        self, connection: Connection, call: Call, accept: str, timeout: float | None
    ) -> Answer:
        try:
            connection.wait_at_most(timeout)
            headers, body = framing(call)
            head = self.address.head(call, accept, headers)
            parser = ResponseParser(call.method)
            try:
                connection.send(head + (body or b""))
                if body is None:
                    outgoing = Outgoing(headers)
                    for piece in pieces(call.content):
                        connection.send(outgoing.piece(piece))
                    connection.send(outgoing.end())
            except RequestTimeout:
                raise
            except ConnectionError:
                # The daemon may have refused before it read everything: what it said counts.
                pass
            while parser.head is None:
                parser.feed(connection.receive())
            return Answer(connection, parser, parser.head, self._pool)
        except BaseException:
            connection.close()
            raise

    def _checked(self, answer: Answer) -> Answer:
        if answer.head.is_good:
            return answer
        raise refusal(answer.head, answer.read_all(self.max_response_bytes))

    def json(self, call: Call, timeout: float | None = None) -> Any:
        answer = self.open(call, "application/json", timeout)
        return answered(answer.head, answer.read_all(self.max_response_bytes))

    def text(self, call: Call, timeout: float | None = None) -> str:
        answer = self.open(call, "text/plain, application/json", timeout)
        try:
            return (answer.read_all(self.max_response_bytes)).decode("utf-8")
        except UnicodeDecodeError:
            raise ProtocolError("the answer is not UTF-8") from None

    def nothing(self, call: Call, timeout: float | None = None) -> None:
        answer = self.open(call, "application/json", timeout)
        answer.read_all(self.max_response_bytes)

    def bytes(self, call: Call, timeout: float | None = None) -> Download:
        return Download(self, call, timeout)

    def stream(self, call: Call, timeout: float | None = None) -> EventStream:
        return EventStream(self, call, timeout)


class Operations:
    """Operations of one group."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport


class EventStream:
    """Frames of one stream, over one connection.

    Opened when it is entered or first read. A connection that is lost raises; an orderly end ends the
    iteration. It does not reconnect.
    """

    def __init__(self, transport: Transport, call: Call, timeout: float | None) -> None:
        self._transport = transport
        self._call = call
        self._timeout = timeout
        self._parser = SSEParser(transport.max_event_bytes)
        self._answer: Answer | None = None
        self._frames: list[ServerSentEvent] = []
        self._closed = False

    def open(self) -> EventStream:
        """Connects, if it is not connected yet."""
        if self._answer is None and not self._closed:
            answer = self._transport.open(self._call, "text/event-stream", self._timeout)
            if answer.head.media_type != "text/event-stream":
                answer.close()
                raise ProtocolError(f"the stream is {answer.head.media_type or 'of no type'}")
            if self._closed:
                answer.close()
            else:
                self._answer = answer
        return self

    def __enter__(self) -> EventStream:
        return self.open()

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[ServerSentEvent]:
        return self

    def __next__(self) -> ServerSentEvent:
        self.open()
        while not self._frames:
            if self._answer is None or self._closed:
                raise StopIteration
            try:
                data = self._answer.read()
                self._frames = self._parser.feed(data)[::-1]
                if not data and self._parser.is_within_frame:
                    raise ConnectionError("the stream was cut off within a frame")
            except BaseException as error:
                was_closed = self._closed
                self.close()
                if was_closed and isinstance(error, ConnectionError):
                    raise StopIteration from None
                raise
            if not data:
                self.close()
                raise StopIteration
        return self._frames.pop()

    def close(self) -> None:
        """Ends it, also under a thread that reads it."""
        self._closed = True
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.interrupt()
            answer.close()


class Download:
    """Bytes that are read as they are wanted. Opened when it is entered or first read."""

    def __init__(self, transport: Transport, call: Call, timeout: float | None) -> None:
        self._transport = transport
        self._call = call
        self._timeout = timeout
        self._answer: Answer | None = None

    def open(self) -> Answer:
        """Connects, if it is not connected yet."""
        if self._answer is None:
            self._answer = self._transport.open(self._call, "*/*", self._timeout)
        return self._answer

    def __enter__(self) -> Download:
        self.open()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def head(self) -> Head:
        """Status and headers, such as `content-type` and `etag`; known once it is entered."""
        if self._answer is None:
            raise ValueError("enter the download first: `with`")
        return self._answer.head

    def __iter__(self) -> Iterator[bytes]:
        answer = self.open()
        while True:
            piece = answer.read()
            if not piece:
                return
            yield piece

    def read(self) -> bytes:
        """All of it."""
        with self:
            return b"".join([piece for piece in self])

    def save(self, file: str | os.PathLike[str] | IO[bytes]) -> int:
        """Writes it to a path or an open file; answers how many bytes that were.

        A path is written beside its place first and moved there when it is whole.
        """
        if not isinstance(file, (str, os.PathLike)):
            return self._write(file)
        path = Path(file)
        beside = path.with_name(f".{path.name}.part")
        try:
            with open(beside, "wb") as target:
                count = self._write(target)
            shutil.move(beside, path)
            return count
        finally:
            beside.unlink(missing_ok=True)

    def _write(self, target: IO[bytes]) -> int:
        count = 0
        with self:
            for piece in self:
                write(target, piece)
                count += len(piece)
        return count

    def close(self) -> None:
        """Ends it; what was not read is not fetched."""
        if self._answer is not None:
            self._answer.close()
