"""How does an observer read the events of a session, whatever happens to its connection?

`AsyncEvents` connects again and checks that nothing is missing; `AsyncFollow` also starts afresh where something is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from ._aio_connection import AsyncStop
from ._aio_transport import AsyncEventStream, AsyncTransport
from ._generated.types import Snapshot
from ._verbs import ConnectionState, snapshot_call, stream_call
from .cursors import CursorStore
from .errors import ConnectionError, HTTPError, ProtocolError
from .events import Attempts, Cursor, Followed, Resync, RuntimeEvent, lost

__all__ = ["AsyncEvents", "AsyncFollow"]


class AsyncEvents:
    """Events of a session, in order, over as many connections as it takes. See `AsyncClient.events`."""

    def __init__(
        self, transport: AsyncTransport, session_id: str, after_sequence: int | None, attempts: Attempts
    ) -> None:
        self._transport = transport
        self._cursor = Cursor(session_id, after_sequence)
        self._attempts = attempts
        self._stream: AsyncEventStream | None = None
        self._stop = AsyncStop()
        self._state: ConnectionState = "idle"

    @property
    def connection(self) -> ConnectionState:
        """How the connection is; says nothing about the run, which goes on without anybody looking."""
        return "closed" if self._stop.is_set() else self._state

    @property
    def cursor(self) -> int | None:
        """Sequence of the last event that was handed out."""
        return self._cursor.sequence

    async def __aenter__(self) -> AsyncEvents:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[RuntimeEvent]:
        return self

    async def __anext__(self) -> RuntimeEvent:
        while not self._stop.is_set():
            try:
                event = await self._read()
                if event is not None:
                    self._attempts.delivered()
                    return event
                delay = self._attempts.after_end()
            except asyncio.CancelledError:
                # Nothing is lost: the next call goes on where this one was.
                raise
            except (ConnectionError, HTTPError) as error:
                await self._disconnect()
                if self._stop.is_set():
                    break
                delay = await self._again(error)
            except BaseException:
                await self.aclose()
                raise
            await self._disconnect()
            if delay is None:
                break
            self._state = "reconnecting"
            await self._stop.pause(delay)
        await self.aclose()
        raise StopAsyncIteration

    async def _again(self, error: Exception) -> float:
        try:
            return self._attempts.after(error)
        except BaseException:
            await self.aclose()
            raise

    async def _read(self) -> RuntimeEvent | None:
        """The next event of the stream, which is opened if need be; None at its end."""
        if self._stream is None:
            self._state = "connecting"
            self._stream = AsyncEventStream(self._transport, stream_call(self._cursor), None)
            await self._stream.open()
            self._state = "connected"
        async for frame in self._stream:
            event = self._cursor.accept(frame)
            if event is not None:
                return event
        return None

    async def _disconnect(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()

    async def aclose(self) -> None:
        """Ends it, also under a task that reads it. The run goes on."""
        self._stop.set()
        await self._disconnect()


class AsyncFollow:
    """A session followed through everything. See `AsyncClient.follow`."""

    def __init__(
        self,
        transport: AsyncTransport,
        session_id: str,
        store: CursorStore,
        after_sequence: int | None,
        attempts: Attempts,
    ) -> None:
        self._transport = transport
        self._session_id = session_id
        self._store = store
        self._attempts = attempts
        self._at = store.load(session_id) if after_sequence is None else after_sequence
        self._events: AsyncEvents | None = None
        self._unsaved: int | None = None
        self._stop = AsyncStop()
        self._reason = "start"

    @property
    def connection(self) -> ConnectionState:
        """How the connection is; says nothing about the run."""
        if self._stop.is_set():
            return "closed"
        return self._events.connection if self._events else "idle"

    @property
    def cursor(self) -> int | None:
        """Sequence of the last event or snapshot that was handed out."""
        return self._at

    async def __aenter__(self) -> AsyncFollow:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[Followed]:
        return self

    async def __anext__(self) -> Followed:
        self.commit()
        while not self._stop.is_set():
            if self._at is None:
                return await self._resync()
            if self._events is None:
                self._events = AsyncEvents(self._transport, self._session_id, self._at, self._attempts)
            try:
                event = await self._events.__anext__()
            except (HTTPError, ProtocolError) as error:
                reason = lost(error)
                if reason is None:
                    raise
                self._events, self._at, self._reason = None, None, reason
                continue
            self._at = self._unsaved = event.sequence
            return event
        raise StopAsyncIteration

    async def _resync(self) -> Resync:
        while True:
            try:
                snapshot: Snapshot = await self._transport.json(snapshot_call(self._session_id))
                break
            except (ConnectionError, HTTPError) as error:
                await self._stop.pause(self._attempts.after(error))
                if self._stop.is_set():
                    raise StopAsyncIteration from None
        self._attempts.delivered()
        self._at = self._unsaved = snapshot["latestSequence"]
        return Resync(self._reason, snapshot)

    def commit(self) -> None:
        """Saves the cursor now: what was handed out last is handled. Asking for the next one does it too."""
        if self._unsaved is not None:
            self._store.save(self._session_id, self._unsaved)
            self._unsaved = None

    async def aclose(self) -> None:
        """Ends it, also under a task that reads it. The run goes on."""
        self._stop.set()
        if self._events is not None:
            await self._events.aclose()
