"""What do the verbs of both clients have in common?

Checks, limits, and when to look again. No IO.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

from ._generated.types import Capabilities, RuntimeRun
from ._wire import Call
from .errors import DecisionNeeded, HTTPError, OpenScienceError, ProtocolError, WaitTimeout
from .events import Cursor, RuntimeEvent, decisions, is_terminal, passes

PROTOCOL_VERSION = "1.0"
DEFAULT_URL = "http://127.0.0.1:4096"
MAX_RESPONSE_BYTES = 32 * 1024 * 1024
MAX_EVENT_BYTES = 4 * 1024 * 1024

OnWaiting = Literal["wait", "return", "raise"]
ConnectionState = Literal["idle", "connecting", "connected", "reconnecting", "closed"]


class ReplayPage:
    """A stretch of retained events."""

    def __init__(self, body: Any) -> None:
        if not isinstance(body, dict) or not isinstance(body.get("events"), list):
            raise ProtocolError("a replay has no events")
        self.events: list[RuntimeEvent] = [RuntimeEvent.of(event) for event in body["events"]]
        self.oldest_sequence: int = body["oldestSequence"]
        self.latest_sequence: int = body["latestSequence"]

    def __iter__(self) -> Iterator[RuntimeEvent]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __repr__(self) -> str:
        return f"ReplayPage({len(self)} events of {self.oldest_sequence}..{self.latest_sequence})"


def capabilities_checked(body: Capabilities) -> Capabilities:
    version = body.get("protocolVersion") if isinstance(body, dict) else None
    if version != PROTOCOL_VERSION:
        raise ProtocolError(f"the runtime speaks protocol {version}, this package {PROTOCOL_VERSION}")
    return body


def stream_call(cursor: Cursor) -> Call:
    """The cursor goes along twice: the header is what counts for the daemon, the query for what is between."""
    at = None if cursor.sequence is None else str(cursor.sequence)
    return Call(
        "GET",
        "/runtime/events",
        query={"sessionID": cursor.session_id, "afterSequence": at},
        headers={"Last-Event-ID": at, "Cache-Control": "no-cache"},
        selects=True,
    )


def snapshot_call(session_id: str) -> Call:
    return Call("GET", "/runtime/snapshot", query={"sessionID": session_id}, selects=True)


class Look:
    """When `wait` looks again, and when it stops."""

    FIRST = 0.05
    LOOK_AT_LEAST = 1.0

    def __init__(
        self,
        run_id: str,
        timeout: float | None,
        interval: float,
        on_waiting: OnWaiting,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not interval > 0:
            raise ValueError("interval is more than 0 seconds")
        if on_waiting not in ("wait", "return", "raise"):
            raise ValueError("on_waiting is wait, return or raise")
        self._clock = clock
        self._run_id = run_id
        self._end = None if timeout is None else clock() + timeout
        self._interval = interval
        self._next = min(self.FIRST, interval)
        self._on_waiting = on_waiting
        self._patience = patience
        self._heard = clock()
        self._run: RuntimeRun | None = None

    def limit(self, usual: float | None) -> float | None:
        """How long one look may take: no longer than is left, but long enough to be answered."""
        if self._end is None:
            return usual
        left = max(self._end - self._clock(), self.LOOK_AT_LEAST)
        return left if usual is None else min(left, usual)

    def is_over(self, run: RuntimeRun) -> bool:
        self._run, self._heard = run, self._clock()
        if is_terminal(run):
            return True
        if self._on_waiting != "wait" and decisions(run):
            if self._on_waiting == "raise":
                raise DecisionNeeded(run)
            return True
        return False

    def delay(self) -> float:
        """How long to wait before the next look. Raises WaitTimeout when there is none."""
        delay = self._next
        self._next = min(self._next * 1.5, self._interval)
        if self._end is None:
            return delay
        left = self._end - self._clock()
        if left <= 0:
            raise WaitTimeout(self._run, self._run_id)
        return min(delay, left)

    def failed(self, error: OpenScienceError) -> float:
        """The same after a look that failed. Raises the fault if it does not pass."""
        if isinstance(error, HTTPError) and not passes(error):
            raise error
        if self._clock() - self._heard > self._patience:
            raise error
        return self.delay()
