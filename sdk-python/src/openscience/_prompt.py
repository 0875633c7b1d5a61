"""Which request does a prompt become, and under which key?"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from ._generated.types import DelegationSettings, Effort, InputPart, ModelRef
from ._wire import Call
from .errors import ConnectionError

__all__ = ["Prompt"]


class Prompt:
    """One prompt. It gets its key once, so that every attempt to submit it is the same request."""

    def __init__(
        self,
        session_id: str,
        message: str | None,
        parts: Sequence[InputPart] | None,
        request_id: str | None,
        message_id: str | None,
        effort: Effort,
        model: ModelRef | None,
        variant: str | None,
        tier: str | None,
        context: int | None,
        delegation: bool | None,
        delegation_settings: DelegationSettings | None,
        deadline_ms: int | None,
    ) -> None:
        if (message is None) == (parts is None):
            raise ValueError("a prompt has exactly one of message and parts")
        if message is not None and not isinstance(message, str):
            raise TypeError("message is a text")
        # A messageID is the key itself where no requestID is given; one of ours beside it would be another.
        if request_id is None and message_id is None:
            request_id = f"py-{uuid.uuid4()}"
        self.request_id = request_id
        self.fields = {
            "sessionID": session_id,
            "effort": effort,
            "requestID": request_id,
            "messageID": message_id,
            "message": message,
            "parts": listed(parts),
            "model": model,
            "variant": variant,
            "tier": tier,
            "context": context,
            "delegation": delegation,
            "delegationSettings": delegation_settings,
            "deadlineMs": deadline_ms,
        }

    def call(self) -> Call:
        return Call("POST", "/runtime/prompt", fields=self.fields, selects=True)

    def name(self, error: ConnectionError) -> None:
        """Tells a fault the key to try again with."""
        error.request_id = self.request_id


def dropped(**fields: Any) -> dict[str, Any]:
    """Without what is None."""
    return {key: value for key, value in fields.items() if value is not None}


def listed(items: Sequence[Any] | None) -> list[Any] | None:
    """Any sequence as JSON has them."""
    return None if items is None else list(items)
