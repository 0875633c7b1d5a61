"""Are the lines of a run well formed? Reads them from output in which standard error is mixed in.

Knows the contract of `openscience run --format json` and nothing of Harbor.
"""

import json
from typing import Any

Line = dict[str, Any]

_IN_STEP = {"text", "reasoning", "tool_use"}


class MalformedStream(RuntimeError):
    """The output breaks what a run promises; nothing can be concluded from it."""


def read(output: str, *, whole: bool = True) -> list[Line]:
    """The lines of a run, checked. Text for people between them is left out.

    A run that was killed has no end: with `whole=False` what is there is checked as far as it goes.
    """
    lines = [line for line in map(_parse, output.splitlines()) if line is not None]
    if not lines:
        if whole:
            raise MalformedStream("there are no lines")
        return []
    _check(lines, whole)
    return lines


def _parse(text: str) -> Line | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else None


def _check(lines: list[Line], whole: bool) -> None:
    session = lines[0].get("sessionID")
    parts: set[str] = set()
    open_step = False
    for index, line in enumerate(lines):
        kind = line["type"]
        if not isinstance(session, str) or line.get("sessionID") != session:
            raise MalformedStream(f"line {index + 1} is of another session")
        own = [line["part"]] if "part" in line else []
        for part in [*line.get("parts", []), *own]:
            if part["id"] in parts:
                raise MalformedStream(f"part {part['id']} comes twice")
            if part["sessionID"] != session:
                raise MalformedStream(f"part {part['id']} is of another session")
            parts.add(part["id"])
        if kind == "step_start":
            if open_step:
                raise MalformedStream(f"line {index + 1} opens a step inside a step")
            open_step = True
        elif kind == "step_finish":
            if not open_step:
                raise MalformedStream(f"line {index + 1} closes a step that is not open")
            open_step = False
        elif kind in _IN_STEP and not open_step:
            raise MalformedStream(f"line {index + 1} is outside a step")
        if kind == "done" and index + 1 != len(lines):
            raise MalformedStream("something comes after done")
    if not whole:
        return
    done = lines[-1]
    if done["type"] != "done":
        raise MalformedStream("done is missing")
    if open_step:
        raise MalformedStream("a step stays open")
    failed = any(line["type"] == "error" for line in lines)
    if failed == (done.get("status") == "completed"):
        raise MalformedStream("there is an error in a run that completed, or none in one that did not")
