"""How do requests get to the daemon and answers back under asyncio?

Calls are sent, answers read, streams and downloads handed out. Connections are made elsewhere.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Any

from ._aio_connection import AsyncConnection, AsyncPool, pieces, write
from ._h1 import Head, ResponseParser
from ._wire import Address, AsyncContent, Call, Outgoing, answered, framing, refusal
from .errors import ConnectionError, ProtocolError, RequestTimeout
from .sse import ServerSentEvent, SSEParser

__all__ = ["AsyncContent", "AsyncDownload", "AsyncEventStream", "AsyncOperations", "AsyncTransport"]


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

    def interrupt(self) -> None:
        """Ends a read that another task is in."""
        connection = self._connection
        if connection is not None:
            connection.interrupt()


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
                    async for piece in pieces(call.content):
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
        """Ends it, also under a task that reads it."""
        self._closed = True
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.interrupt()
            answer.close()


class AsyncDownload:
    """Bytes that are read as they are wanted. Opened when it is entered or first read."""

    def __init__(self, transport: AsyncTransport, call: Call, timeout: float | None) -> None:
        self._transport = transport
        self._call = call
        self._timeout = timeout
        self._answer: AsyncAnswer | None = None

    async def open(self) -> AsyncAnswer:
        """Connects, if it is not connected yet."""
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
        """Status and headers, such as `content-type` and `etag`; known once it is entered."""
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

    async def save(self, file: str | os.PathLike[str] | IO[bytes]) -> int:
        """Writes it to a path or an open file; answers how many bytes that were.

        A path is written beside its place first and moved there when it is whole.
        """
        if not isinstance(file, (str, os.PathLike)):
            return await self._write(file)
        path = Path(file)
        beside = path.with_name(f".{path.name}.part")
        try:
            with open(beside, "wb") as target:
                count = await self._write(target)
            shutil.move(beside, path)
            return count
        finally:
            beside.unlink(missing_ok=True)

    async def _write(self, target: IO[bytes]) -> int:
        count = 0
        async with self:
            async for piece in self:
                await write(target, piece)
                count += len(piece)
        return count

    async def aclose(self) -> None:
        """Ends it; what was not read is not fetched."""
        if self._answer is not None:
            self._answer.close()
