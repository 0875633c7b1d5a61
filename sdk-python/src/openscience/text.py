"""What has been said so far?

Puts text together from events, and reads it from messages. The wire counts in UTF-16 units, Python in
characters: this is where one becomes the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ._generated.constants import EventType
from ._generated.types import Message
from .events import RuntimeEvent

__all__ = ["Transcript", "text_of", "utf16_length"]


def utf16_length(text: str) -> int:
    """The length of a text as the wire counts it."""
    return len(text) + sum(1 for character in text if character > "\uffff")


def text_of(message: Message | None) -> str:
    """What a message says: its text parts one after the other, without thoughts and tools."""
    if message is None:
        return ""
    texts: list[str] = []
    for part in message["parts"]:
        if part["type"] == "text":
            texts.append(part["text"])
    return "".join(texts)


@dataclass
class _Text:
    message_id: str
    kind: str
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    is_whole: bool = True


class Transcript:
    """What the agent said and thought in a session, as its events tell it. Prompts are left out.

    Feed it every event in order; the same one twice does no harm. It begins with what it is fed: a
    part whose beginning was not seen is known not to be whole (`is_whole`): read its message then.
    """

    def __init__(self) -> None:
        self._texts: dict[str, _Text] = {}
        self._prompts: set[object] = set()

    def apply(self, event: RuntimeEvent) -> str:
        """Takes an event. Answers the text it adds to what is said, to be printed as it comes.

        Thoughts are kept but not answered.
        """
        if event.type == EventType.MESSAGE_UPDATED:
            info = event.properties.get("info")
            if isinstance(info, dict) and info.get("role") == "user":
                self._prompts.add(info.get("id"))
            return ""
        part = event.properties.get("part")
        if event.type != EventType.MESSAGE_PART_UPDATED or not isinstance(part, dict):
            return ""
        if part.get("type") not in ("text", "reasoning") or part.get("messageID") in self._prompts:
            return ""
        known = self._texts.get(part["id"])
        text = known or _Text(part["messageID"], part["type"])
        self._texts[part["id"]] = text
        added = self._grow(text, part, event.properties)
        return added if text.kind == "text" else ""

    def _grow(self, text: _Text, part: dict[str, object], properties: dict[str, object]) -> str:
        whole = part.get("text")
        if isinstance(whole, str):
            before = "".join(text.pieces)
            text.pieces, text.length, text.is_whole = [whole], utf16_length(whole), True
            return whole[len(before) :] if whole.startswith(before) else ""
        delta, offset, length = properties.get("delta"), properties.get("offset"), part.get("textLength")
        if isinstance(delta, str):
            if offset == text.length:
                text.pieces.append(delta)
                text.length += utf16_length(delta)
                return delta
            # Seen before, or something before it was not.
            if not isinstance(offset, int) or offset > text.length:
                text.is_whole = False
        elif isinstance(length, int) and length != text.length:
            text.is_whole = False
        return ""

    def text(self, message_id: str | None = None) -> str:
        """What was said, in one message or in all of them, in the order it began."""
        return "".join("".join(text.pieces) for text in self._of(message_id, "text"))

    def thoughts(self, message_id: str | None = None) -> str:
        """What was thought."""
        return "".join("".join(text.pieces) for text in self._of(message_id, "reasoning"))

    def is_whole(self, message_id: str | None = None) -> bool:
        """False if some of it was not seen: read the message instead."""
        texts = self._texts.values()
        return all(text.is_whole for text in texts if message_id in (None, text.message_id))

    def _of(self, message_id: str | None, kind: str) -> Iterable[_Text]:
        return (
            text
            for text in self._texts.values()
            if text.kind == kind and message_id in (None, text.message_id)
        )
