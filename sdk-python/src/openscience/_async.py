"""How do requests get to the daemon and answers back under asyncio?

The same as `_sync`, on asyncio's own streams: no thread, so thousands of open streams cost thousands of
sockets and nothing else. A time limit closes the connection and lets the pending read end by itself,
instead of cancelling a task around it: so a cancellation that comes at the same moment is never lost, and
a connection that was cancelled under a request is never used again.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ._h1 import Head, ResponseParser
from ._sync import IDLE_CONNECTIONS_MAX
from ._wire import PIECE, Address, AsyncContent, Call, Outgoing, answered, framing, pieces, refusal
from .errors import ConnectionError, ProtocolError, RequestTimeout
from .sse import ServerSentEvent, SSEParser


class AsyncConnection:
    """One connection to the daemon."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._timeout: float | None = None
        self._timed_out = False
        self.loop = asyncio.get_running_loop()

    @classmethod
    async def open(
        cls, address: Address, timeout: float | None, tls: ssl.SSLContext | None
    ) -> AsyncConnection:
        context = (tls or ssl.create_default_context()) if address.is_secure else None
        connecting = asyncio.ensure_future(asyncio.open_connection(address.host, address.port, ssl=context))
        try:
            done, _ = await asyncio.wait({connecting}, timeout=timeout)
        except asyncio.CancelledError:
            abandon(connecting)
            raise
        if not done:
            abandon(connecting)
            raise RequestTimeout("the daemon did not answer in time")
        try:
            reader, writer = connecting.result()
        except OSError as error:
            raise ConnectionError(f"no connection to the daemon: {error.strerror or error}") from error
        return cls(reader, writer)

    def wait_at_most(self, timeout: float | None) -> None:
        self._timeout = timeout

    @property
    def is_quiet(self) -> bool:
        """False if the other side has closed it."""
        return not (self._writer.is_closing() or self._reader.at_eof())

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        with self._limit():
            await self._writer.drain()

    async def receive(self) -> bytes:
        with self._limit():
            return await self._reader.read(PIECE)

    def _limit(self) -> Limit:
        return Limit(self, self._timeout)

    def expire(self) -> None:
        self._timed_out = True
        self.close()

    @property
    def timed_out(self) -> bool:
        return self._timed_out

    def close(self) -> None:
        self._writer.transport.abort()


class Limit:
    """Closes a connection that takes too long, and tells its faults as faults of this package."""

    def __init__(self, connection: AsyncConnection, timeout: float | None) -> None:
        self._connection = connection
        self._timeout = timeout
        self._handle: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        if self._timeout is not None:
            loop = asyncio.get_running_loop()
            self._handle = loop.call_later(self._timeout, self._connection.expire)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self._handle is not None:
            self._handle.cancel()
        if isinstance(error, asyncio.CancelledError):
            return
        if self._connection.timed_out:
            raise RequestTimeout("the daemon did not answer in time") from error
        if isinstance(error, OSError) and not isinstance(error, ConnectionError):
            raise ConnectionError(f"no connection to the daemon: {error.strerror or error}") from error


def abandon(connecting: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]) -> None:
    """Nobody waits for that connection any more: closed if it comes about all the same."""

    def close(done: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]) -> None:
        if not done.cancelled() and done.exception() is None:
            done.result()[1].transport.abort()

    connecting.add_done_callback(close)
    connecting.cancel()


class AsyncPool:
    """Connections that wait for the next request of their event loop."""

    def __init__(self) -> None:
        self._idle: list[AsyncConnection] = []

    def take(self) -> AsyncConnection | None:
        loop = asyncio.get_running_loop()
        while self._idle:
            connection = self._idle.pop()
            # One of a loop that is over cannot even be closed.
            if connection.loop is loop:
                if connection.is_quiet:
                    return connection
                connection.close()
        return None

    def give(self, connection: AsyncConnection) -> None:
        if len(self._idle) < IDLE_CONNECTIONS_MAX and connection.is_quiet:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            if not connection.loop.is_closed():
                connection.close()


class AsyncAnswer:
    """An answer whose head is here and whose content is still to be read."""

    def __init__(
        self, connection: AsyncConnection, parser: ResponseParser, head: Head, pool: AsyncPool
    ) -> None:
        self._connection: AsyncConnection | None = connection
        self._parser = parser
        self._pool = pool
        self.head = head

    async def read(self) -> bytes:
        """The next of the content; nothing at its end."""
        while True:
            data = self._parser.take()
            if data:
                return data
            if self._parser.done or self._connection is None:
                self.close()
                return b""
            try:
                self._parser.feed(await self._connection.receive())
            except asyncio.CancelledError:
                # What had come is still there: reading can go on.
                raise
            except BaseException:
                self.close()
                raise

    async def read_all(self, limit: int) -> bytes:
        data = bytearray()
        try:
            while True:
                piece = await self.read()
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


class AsyncTransport:
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
        self._pool = AsyncPool()

    def close(self) -> None:
        self._pool.close()

    async def open(self, call: Call, accept: str, timeout: float | None) -> AsyncAnswer:
        """Sends a call; answers once the head of a good answer is here, else raises."""
        timeout = self.timeout if timeout is None else timeout
        # A kept connection may die under a request. Only what may be done twice goes over one.
        connection = self._pool.take() if call.is_repeatable else None
        if connection is not None:
            answer = await self._tried(connection, call, accept, timeout)
            if answer is not None:
                return await self._checked(answer)
        connection = await AsyncConnection.open(self.address, timeout, self._tls)
        return await self._checked(await self._exchange(connection, call, accept, timeout))

    async def _tried(
        self, connection: AsyncConnection, call: Call, accept: str, timeout: float | None
    ) -> AsyncAnswer | None:
        """An answer over a kept connection; None if it turned out to be dead."""
        try:
            return await self._exchange(connection, call, accept, timeout)
        except RequestTimeout:
            raise
        except ConnectionError:
            return None

    async def _exchange(
        self, connection: AsyncConnection, call: Call, accept: str, timeout: float | None
    ) -> AsyncAnswer:
        try:
            connection.wait_at_most(timeout)
            headers, body = framing(call)
            head = self.address.head(call, accept, headers)
            parser = ResponseParser(call.method)
            try:
                await connection.send(head + (body or b""))
                if body is None:
                    outgoing = Outgoing(headers)
                    async for piece in async_pieces(call.content):
                        await connection.send(outgoing.piece(piece))
                    await connection.send(outgoing.end())
            except RequestTimeout:
                raise
            except ConnectionError:
                # The daemon may have refused before it read everything: what it said counts.
                pass
            while parser.head is None:
                parser.feed(await connection.receive())
            return AsyncAnswer(connection, parser, parser.head, self._pool)
        except BaseException:
            connection.close()
            raise

    async def _checked(self, answer: AsyncAnswer) -> AsyncAnswer:
        if answer.head.is_good:
            return answer
        raise refusal(answer.head, await answer.read_all(self.max_response_bytes))

    async def json(self, call: Call, timeout: float | None = None) -> Any:
        answer = await self.open(call, "application/json", timeout)
        return answered(answer.head, await answer.read_all(self.max_response_bytes))

    async def text(self, call: Call, timeout: float | None = None) -> str:
        answer = await self.open(call, "text/plain, application/json", timeout)
        try:
            return (await answer.read_all(self.max_response_bytes)).decode("utf-8")
        except UnicodeDecodeError:
            raise ProtocolError("the answer is not UTF-8") from None

    async def nothing(self, call: Call, timeout: float | None = None) -> None:
        answer = await self.open(call, "application/json", timeout)
        await answer.read_all(self.max_response_bytes)

    def bytes(self, call: Call, timeout: float | None = None) -> AsyncDownload:
        return AsyncDownload(self, call, timeout)

    def stream(self, call: Call, timeout: float | None = None) -> AsyncEventStream:
        return AsyncEventStream(self, call, timeout)


async def async_pieces(content: Any) -> AsyncIterator[bytes]:
    """The bytes of a body, piece by piece. Files are read in a thread: a disk may be slow."""
    if hasattr(content, "__aiter__"):
        async for piece in content:
            if piece:
                yield bytes(piece)
        return
    if not hasattr(content, "read"):
        for piece in content:
            if piece:
                yield bytes(piece)
        return
    source = pieces(content)
    while True:
        piece = await asyncio.to_thread(next, source, b"")
        if not piece:
            return
        yield piece


class AsyncOperations:
    """Operations of one group."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport


class AsyncEventStream:
    """Frames of one stream, over one connection.

    Opened when it is entered or first read. A connection that is lost raises; an orderly end ends the
    iteration. It does not reconnect.
    """

    def __init__(self, transport: AsyncTransport, call: Call, timeout: float | None) -> None:
        self._transport = transport
        self._call = call
        self._timeout = timeout
        self._parser = SSEParser(transport.max_event_bytes)
        self._answer: AsyncAnswer | None = None
        self._frames: list[ServerSentEvent] = []
        self._closed = False

    async def open(self) -> AsyncEventStream:
        """Connects, if it is not connected yet."""
        if self._answer is None and not self._closed:
            answer = await self._transport.open(self._call, "text/event-stream", self._timeout)
            if answer.head.media_type != "text/event-stream":
                answer.close()
                raise ProtocolError(f"the stream is {answer.head.media_type or 'of no type'}")
            if self._closed:
                answer.close()
            else:
                self._answer = answer
        return self

    async def __aenter__(self) -> AsyncEventStream:
        return await self.open()

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[ServerSentEvent]:
        return self

    async def __anext__(self) -> ServerSentEvent:
        await self.open()
        while not self._frames:
            if self._answer is None or self._closed:
                raise StopAsyncIteration
            try:
                data = await self._answer.read()
                self._frames = self._parser.feed(data)[::-1]
                if not data and self._parser.is_within_frame:
                    raise ConnectionError("the stream was cut off within a frame")
            except asyncio.CancelledError:
                raise
            except BaseException as error:
                was_closed = self._closed
                await self.aclose()
                if was_closed and isinstance(error, ConnectionError):
                    raise StopAsyncIteration from None
                raise
            if not data:
                await self.aclose()
                raise StopAsyncIteration
        return self._frames.pop()

    async def aclose(self) -> None:
        self._closed = True
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.close()


class AsyncDownload:
    """Bytes that are read as they are wanted. Opened when it is entered or first read."""

    def __init__(self, transport: AsyncTransport, call: Call, timeout: float | None) -> None:
        self._transport = transport
        self._call = call
        self._timeout = timeout
        self._answer: AsyncAnswer | None = None

    async def open(self) -> AsyncAnswer:
        if self._answer is None:
            self._answer = await self._transport.open(self._call, "*/*", self._timeout)
        return self._answer

    async def __aenter__(self) -> AsyncDownload:
        await self.open()
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    @property
    def head(self) -> Head:
        """Status and headers, such as `content-type`, `content-disposition` and `etag`; once it is entered."""
        if self._answer is None:
            raise ValueError("enter the download first: `async with`")
        return self._answer.head

    async def __aiter__(self) -> AsyncIterator[bytes]:
        answer = await self.open()
        while True:
            piece = await answer.read()
            if not piece:
                return
            yield piece

    async def read(self) -> bytes:
        """All of it."""
        async with self:
            return b"".join([piece async for piece in self])

    async def save(self, path: str | os.PathLike[str]) -> int:
        """Writes it to a path; answers how many bytes that were.

        It is written beside its place first and moved there when it is whole. Writing happens in a
        thread: a disk may be slow.
        """
        place = Path(path)
        beside = place.with_name(f".{place.name}.part")
        count = 0
        try:
            with open(beside, "wb") as target:
                async with self:
                    async for piece in self:
                        await asyncio.to_thread(target.write, piece)
                        count += len(piece)
            shutil.move(beside, place)
            return count
        finally:
            beside.unlink(missing_ok=True)

    async def aclose(self) -> None:
        if self._answer is not None:
            self._answer.close()


__all__ = ["AsyncContent", "AsyncDownload", "AsyncEventStream", "AsyncOperations", "AsyncTransport"]
