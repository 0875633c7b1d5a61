"""What is an event of a session, and is it the one that must come next?

No IO: the clients read the stream, this says what its frames are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from ._generated.constants import EventType, RunState
from ._generated.types import RuntimeRun, Snapshot
from .errors import ConnectionError, CursorError, EventGapError, HTTPError, ProtocolError
from .sse import ServerSentEvent

__all__ = ["TERMINAL_EVENTS", "TERMINAL_STATES", "Resync", "RuntimeEvent", "is_terminal"]

TERMINAL_STATES = frozenset({RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED, RunState.INTERRUPTED})
"""States of a run that never change."""

TERMINAL_EVENTS = frozenset(
    {EventType.RUNTIME_COMPLETED, EventType.RUNTIME_FAILED, EventType.RUNTIME_CANCELLED}
)
"""Types of the last event of a run."""


def is_terminal(run: RuntimeRun) -> bool:
    """True if the run has ended. A state this package does not know counts as going on."""
    return run["state"] in TERMINAL_STATES


@dataclass(frozen=True)
class RuntimeEvent:
    """One journaled, numbered fact of a session."""

    sequence: int
    """1 for the first of a session, then one more each."""
    type: str
    """`openscience.EventType`; ignore the ones you do not know."""
    session_id: str
    run_id: str | None
    time: int
    """Milliseconds since 1970."""
    properties: dict[str, Any] = field(repr=False)
    kind: str | None = None
    """Coarse class, `openscience.EventKind`."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The whole envelope as it came."""

    @property
    def is_terminal(self) -> bool:
        """True for the last event of a run."""
        return self.type in TERMINAL_EVENTS

    @classmethod
    def of(cls, envelope: Any) -> RuntimeEvent:
        """Reads an envelope, of a stream or of a replay."""
        if not isinstance(envelope, dict):
            raise ProtocolError("an event is not an object")
        sequence, kind, time = (envelope.get(key) for key in ("sequence", "type", "time"))
        if not isinstance(sequence, int) or isinstance(sequence, bool) or sequence < 1:
            raise ProtocolError("an event has no sequence")
        if not isinstance(kind, str) or not isinstance(envelope.get("sessionID"), str):
            raise ProtocolError(f"event {sequence} has no type or no session")
        if not isinstance(time, int) or isinstance(time, bool):
            raise ProtocolError(f"event {sequence} has no time")
        if not isinstance(envelope.get("properties"), dict):
            raise ProtocolError(f"event {sequence} has no properties")
        return cls(
            sequence=sequence,
            type=kind,
            session_id=envelope["sessionID"],
            run_id=envelope.get("runID"),
            time=time,
            properties=envelope["properties"],
            kind=envelope.get("kind"),
            raw=envelope,
        )


@dataclass(frozen=True)
class Resync:
    """`follow` starts, or cannot go on where it was: this is how the session stands now.

    Events between the last one seen and the snapshot are gone; what they led to is in the snapshot
    and in the transcript. An update made meanwhile may show up in both, the snapshot and an event.
    """

    reason: str
    """`start`, `cursor_expired`, `cursor_ahead` or `gap`."""
    snapshot: Snapshot = field(repr=False)


Followed = Union[RuntimeEvent, Resync]


class Cursor:
    """Where a reader stands, and whether a frame is what must come next."""

    def __init__(self, session_id: str, after_sequence: int | None) -> None:
        self.session_id = session_id
        self.sequence = after_sequence

    def accept(self, frame: ServerSentEvent) -> RuntimeEvent | None:
        """The event of a frame; None if it was seen before."""
        event = RuntimeEvent.of(frame.json())
        if frame.id != str(event.sequence):
            raise ProtocolError(f"event {event.sequence} came under the id {frame.id}")
        if frame.event != event.type:
            raise ProtocolError(f"event {event.sequence} is {event.type} and came as {frame.event}")
        if event.session_id != self.session_id:
            raise ProtocolError(f"event {event.sequence} is of the session {event.session_id}")
        if self.sequence is not None:
            if event.sequence <= self.sequence:
                return None
            if event.sequence > self.sequence + 1:
                raise EventGapError(self.sequence + 1, event.sequence)
        self.sequence = event.sequence
        return event


class Backoff:
    """How long to wait before the next attempt: doubled each time, with jitter, up to 30 seconds."""

    LIMIT = 30.0

    def __init__(self, first: float, chance: Callable[[], float] = random.random) -> None:
        if not first >= 0:
            raise ValueError("a delay is 0 or more seconds")
        self._first = first
        self._chance = chance
        self._delay = first

    def reset(self) -> None:
        self._delay = self._first

    def next(self, at_least: float | None = None) -> float:
        """Between half and the whole of the current delay."""
        delay = min(self._delay, self.LIMIT)
        self._delay = min(delay * 2, self.LIMIT)
        jittered = delay * (0.5 + self._chance() / 2)
        return jittered if at_least is None else max(jittered, min(at_least, self.LIMIT))


class Attempts:
    """Whether a reader may try again, and when.

    With `renews` each event that comes starts the count anew, and refusals that pass by themselves
    (5xx, 429) count as faults. Without, `reconnects` is a total, and every refusal is raised.
    """

    def __init__(self, reconnects: int | None, delay: float, renews: bool) -> None:
        if reconnects is not None and (isinstance(reconnects, bool) or reconnects < 0):
            raise ValueError("reconnects is 0 or more, or None for no limit")
        self._reconnects = reconnects
        self._left = reconnects
        self._backoff = Backoff(delay)
        self._renews = renews

    def delivered(self) -> None:
        self._backoff.reset()
        if self._renews:
            self._left = self._reconnects

    def after_end(self) -> float | None:
        """How long to wait after a stream that ended; None if that was the last attempt."""
        return self._take(None)

    def after(self, error: Exception) -> float:
        """How long to wait after a fault. Raises it if nothing is to be tried any more."""
        delay = self._take(getattr(error, "retry_after", None)) if self.is_passing(error) else None
        if delay is None:
            raise error
        return delay

    def is_passing(self, error: Exception) -> bool:
        if isinstance(error, HTTPError):
            return self._renews and passes(error)
        return isinstance(error, ConnectionError)

    def _take(self, at_least: float | None) -> float | None:
        if self._left == 0:
            return None
        if self._left is not None:
            self._left -= 1
        return self._backoff.next(at_least)


def passes(error: HTTPError) -> bool:
    """True for refusals that are over by themselves: full, stopping, without a disk."""
    return error.status == 429 or error.status >= 500


def lost(error: Exception) -> str | None:
    """Why a reader has to start from a snapshot; None if the error is something else."""
    if isinstance(error, CursorError):
        return error.code
    return "gap" if isinstance(error, EventGapError) else None


def decisions(run: RuntimeRun) -> list[str]:
    """Ids of what a run waits for."""
    return list(run.get("waiting", {"decisions": []})["decisions"])
