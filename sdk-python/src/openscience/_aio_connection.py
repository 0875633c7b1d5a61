"""How does an event loop have connections to the daemon?

On asyncio's own streams: no thread, so thousands of open streams cost thousands of sockets and nothing
else. A time limit closes the connection and lets the pending read end by itself, instead of cancelling a
task around it: so a cancellation that comes at the same moment is never lost, and a connection that was
cancelled under a request is never used again.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import IO, Any

from . import _wire
from ._wire import IDLE_CONNECTIONS_MAX, PIECE, Address
from .errors import ConnectionError, RequestTimeout

__all__ = ["AsyncConnection", "AsyncPool", "AsyncStop", "pieces", "sleep", "write"]


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

    def interrupt(self) -> None:
        """Ends a read that another task is in."""
        self.close()


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


class AsyncStop:
    """Set once; waiting ends then."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    async def pause(self, seconds: float) -> None:
        """Waits, but not once it is set."""
        stopped = asyncio.ensure_future(self._event.wait())
        try:
            await asyncio.wait({stopped}, timeout=seconds)
        finally:
            stopped.cancel()


async def pieces(content: Any) -> AsyncIterator[bytes]:
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
    source = _wire.pieces(content)
    while True:
        piece = await asyncio.to_thread(next, source, b"")
        if not piece:
            return
        yield piece


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def write(target: IO[bytes], data: bytes) -> None:
    """In a thread: a disk may be slow."""
    await asyncio.to_thread(target.write, data)
