"""Where does an observer keep how far it has come?

A store is anything with `load` and `save`; these two are at hand. A cursor belongs to one session in one
data directory.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import Protocol

__all__ = ["CursorStore", "FileCursorStore", "MemoryCursorStore"]

SESSION = re.compile(r"ses_[A-Za-z0-9_-]{1,120}")


class CursorStore(Protocol):
    """Keeps the sequence of the last event that was handled, by session."""

    def load(self, session_id: str) -> int | None:
        """The sequence last saved; None if there is none."""
        ...

    def save(self, session_id: str, sequence: int) -> None:
        """Keeps a sequence. Called after an event was handled, so it must not lose older ones."""
        ...


class MemoryCursorStore:
    """As long as the process lives."""

    def __init__(self) -> None:
        self._sequences: dict[str, int] = {}

    def load(self, session_id: str) -> int | None:
        return self._sequences.get(session_id)

    def save(self, session_id: str, sequence: int) -> None:
        self._sequences[session_id] = sequence


class FileCursorStore:
    """One small file a session, replaced in one step.

    A process that is killed at any moment leaves the old cursor or the new one. Against power cuts
    pass `durable=True`: each save then waits for the disk.
    """

    def __init__(self, directory: str | os.PathLike[str], *, durable: bool = False) -> None:
        self._directory = Path(directory)
        self._durable = durable

    def _path(self, session_id: str) -> Path:
        if not SESSION.fullmatch(session_id):
            raise ValueError(f"{session_id!r} is no session")
        return self._directory / f"{session_id}.cursor"

    def load(self, session_id: str) -> int | None:
        try:
            text = self._path(session_id).read_text(encoding="ascii").strip()
        except (FileNotFoundError, UnicodeDecodeError):
            return None
        # A file that was cut off by a power cut says nothing, which is safe: the reader takes a snapshot.
        return int(text) if text.isascii() and text.isdigit() else None

    def save(self, session_id: str, sequence: int) -> None:
        path = self._path(session_id)
        self._directory.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=self._directory)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(f"{sequence}\n")
                if self._durable:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            raise
