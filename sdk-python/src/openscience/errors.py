"""What can go wrong, as exceptions.

Four families below `OpenScienceError`: the daemon refused (`HTTPError`), nobody knows whether it got
the request (`ConnectionError`), what answers does not keep the protocol (`ProtocolError`), and what
this package itself was asked to watch for (`WaitTimeout`, `DecisionNeeded`, `ServerError`).
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from ._generated.types import RuntimeRun

__all__ = [
    "ConnectionError",
    "CursorError",
    "DecisionNeeded",
    "EventGapError",
    "HTTPError",
    "OpenScienceError",
    "ProtocolError",
    "RequestTimeout",
    "ServerError",
    "WaitTimeout",
]


class OpenScienceError(Exception):
    """Everything this package raises on purpose, apart from TypeError and ValueError for wrong arguments."""


class HTTPError(OpenScienceError):
    """The daemon refused the request, or something between here and there did.

    Match on `code`, a stable word (`openscience.ErrorCode`); `message` is for people. A refused
    request changed nothing.
    """

    def __init__(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        fields: dict[str, Any] = body if isinstance(body, dict) else {}
        error, code = fields.get("error"), fields.get("code")
        self.status = status
        self.body = body
        """The whole answer: a dictionary if it was JSON, else its text."""
        self.headers: Mapping[str, str] = headers or {}
        """Headers of the answer, by lowercase name."""
        self.error = error
        """What older clients match on: the code, or `not_found` and texts of the guards."""
        self.code: str | None = code if isinstance(code, str) else error if isinstance(error, str) else None
        message = fields.get("message")
        self.message: str = message if isinstance(message, str) else ""
        self.name: str | None = fields.get("name")
        """Name of the error for clients that know errors by name."""
        self.issues: list[dict[str, Any]] = fields.get("issues") or []
        """Every place that is wrong in an invalid request: `path` and `message`."""
        super().__init__(f"HTTP {status}" + (f" {self.code}" if self.code else "") + self._reason())

    def _reason(self) -> str:
        if self.message:
            places = [f"{issue.get('path') or 'body'}: {issue.get('message')}" for issue in self.issues]
            return f": {self.message}" + (f" ({'; '.join(places)})" if places else "")
        return f": {self.body[:200]}" if isinstance(self.body, str) and self.body else ""

    @property
    def retry_after(self) -> float | None:
        """Seconds after which to come back, if the daemon said so."""
        try:
            return max(0.0, float(self.headers["retry-after"]))
        except (KeyError, ValueError):
            return None


class CursorError(HTTPError):
    """The daemon cannot go on from that cursor (409 `cursor_expired` or `cursor_ahead`).

    Take a snapshot and go on from its `latestSequence`; `follow` does.
    """

    @property
    def oldest_sequence(self) -> int | None:
        """The oldest event that can be replayed."""
        return _number(self.body, "oldestSequence")

    @property
    def latest_sequence(self) -> int | None:
        """The newest event there is."""
        return _number(self.body, "latestSequence")


class ConnectionError(OpenScienceError, builtins.ConnectionError):
    """No whole answer came. A command may have been carried out all the same.

    Also a `builtins.ConnectionError`, so that `except OSError` sees it.
    """

    request_id: str | None = None
    """The key of the prompt that was sent: the same prompt under it is safe to send again."""


class RequestTimeout(ConnectionError, builtins.TimeoutError):
    """The daemon said nothing for longer than `timeout`."""


class ProtocolError(OpenScienceError):
    """What answers does not keep the protocol of this package, or keeps another version of it."""


class EventGapError(ProtocolError):
    """An event is missing between the last one and the one that came."""

    def __init__(self, expected: int, received: int) -> None:
        super().__init__(f"expected event {expected}, got {received}")
        self.expected = expected
        self.received = received


class WaitTimeout(OpenScienceError, builtins.TimeoutError):
    """The run had not ended in time. It goes on: waiting again is fine."""

    def __init__(self, run: RuntimeRun | None, run_id: str) -> None:
        state = run["state"] if run else "unknown"
        super().__init__(f"run {run_id} has not ended yet: {state}")
        self.run = run
        """The receipt as it was seen last; None if there was no answer at all."""


class DecisionNeeded(OpenScienceError):
    """The run waits for a person; its requests are in a snapshot of the session."""

    def __init__(self, run: RuntimeRun) -> None:
        decisions = run.get("waiting", {"decisions": []})["decisions"]
        super().__init__(f"run {run['runID']} waits for {', '.join(decisions)}")
        self.run = run
        self.decisions: list[str] = list(decisions)
        """Ids of the requests that wait: `per_…` and `que_…`."""


class ServerError(OpenScienceError):
    """The daemon did not start, or ended before it was asked to."""

    def __init__(self, message: str, code: str | None = None, stderr: str = "") -> None:
        super().__init__(message)
        self.code = code
        """Why, as a stable word (`openscience.StartErrorCode`), if the daemon said so."""
        self.stderr = stderr
        """The last 8,192 characters it wrote to stderr."""


def _number(body: Any, key: str) -> int | None:
    value = body.get(key) if isinstance(body, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
