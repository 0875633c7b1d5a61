# Written by tools/generate.py from _aio_readers.py; change that instead.
"""How does an observer read the events of a session, whatever happens to its connection?

`Events` connects again and checks that nothing is missing; `Follow` also starts afresh where something is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._connection import Stop
from ._transport import EventStream, Transport
from ._generated.types import Snapshot
from ._verbs import ConnectionState, snapshot_call, stream_call
from .cursors import CursorStore
from .errors import ConnectionError, HTTPError, ProtocolError
from .events import Attempts, Cursor, Followed, Resync, RuntimeEvent, lost

__all__ = ["Events", "Follow"]


class Events:
    """Events of a session, in order, over as many connections as it takes. See `Client.events`."""

    def __init__(
        self, transport: Transport, session_id: str, after_sequence: int | None, attempts: Attempts
    ) -> None:
        self._transport = transport
        self._cursor = Cursor(session_id, after_sequence)
        self._attempts = attempts
        self._stream: EventStream | None = None
        self._stop = Stop()
        self._state: ConnectionState = "idle"

    @property
    def connection(self) -> ConnectionState:
        """How the connection is; says nothing about the run, which goes on without anybody looking."""
        return "closed" if self._stop.is_set() else self._state

    @property
    def cursor(self) -> int | None:
        """Sequence of the last event that was handed out."""
        return self._cursor.sequence

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[RuntimeEvent]:
        return self

    def __next__(self) -> RuntimeEvent:
        while not self._stop.is_set():
            try:
                event = self._read()
                if event is not None:
                    self._attempts.delivered()
                    return event
                delay = self._attempts.after_end()
            except (ConnectionError, HTTPError) as error:
                self._disconnect()
                if self._stop.is_set():
                    break
                delay = self._again(error)
            except BaseException:
                self.close()
                raise
            self._disconnect()
            if delay is None:
                break
            self._state = "reconnecting"
            self._stop.pause(delay)
        self.close()
        raise StopIteration

    def _again(self, error: Exception) -> float:
        try:
            return self._attempts.after(error)
        except BaseException:
            self.close()
            raise

    def _read(self) -> RuntimeEvent | None:
        """The next event of the stream, which is opened if need be; None at its end."""
        if self._stream is None:
            self._state = "connecting"
            self._stream = EventStream(self._transport, stream_call(self._cursor), None)
            self._stream.open()
            self._state = "connected"
        for frame in self._stream:
            event = self._cursor.accept(frame)
            if event is not None:
                return event
        return None

    def _disconnect(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def close(self) -> None:
        """Ends it, also under a thread that reads it. The run goes on."""
        self._stop.set()
        self._disconnect()


class Follow:
    """A session followed through everything. See `Client.follow`."""

    def __init__(
        self,
        transport: Transport,
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
        self._events: Events | None = None
        self._unsaved: int | None = None
        self._stop = Stop()
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

    def __enter__(self) -> Follow:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[Followed]:
        return self

    def __next__(self) -> Followed:
        self.commit()
        while not self._stop.is_set():
            if self._at is None:
                return self._resync()
            if self._events is None:
                self._events = Events(self._transport, self._session_id, self._at, self._attempts)
            try:
                event = self._events.__next__()
            except (HTTPError, ProtocolError) as error:
                reason = lost(error)
                if reason is None:
                    raise
                self._events, self._at, self._reason = None, None, reason
                continue
            self._at = self._unsaved = event.sequence
            return event
        raise StopIteration

    def _resync(self) -> Resync:
        while True:
            try:
                snapshot: Snapshot = self._transport.json(snapshot_call(self._session_id))
                break
            except (ConnectionError, HTTPError) as error:
                self._stop.pause(self._attempts.after(error))
                if self._stop.is_set():
                    raise StopIteration from None
        self._attempts.delivered()
        self._at = self._unsaved = snapshot["latestSequence"]
        return Resync(self._reason, snapshot)

    def commit(self) -> None:
        """Saves the cursor now: what was handed out last is handled. Asking for the next one does it too."""
        if self._unsaved is not None:
            self._store.save(self._session_id, self._unsaved)
            self._unsaved = None

    def close(self) -> None:
        """Ends it, also under a thread that reads it. The run goes on."""
        self._stop.set()
        if self._events is not None:
            self._events.close()
