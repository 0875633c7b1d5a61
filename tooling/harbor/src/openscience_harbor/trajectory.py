"""From the lines of a run to an ATIF trajectory."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from harbor.models.trajectories import (
    Agent,
    FinalMetrics,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
)

from openscience_harbor.stream import Line


def to_trajectory(lines: list[Line], *, version: str, model: str | None = None) -> Trajectory | None:
    """The trajectory of a run, complete or cut off; none if nothing was told."""
    if not lines:
        return None
    steps = list(_steps(lines, model))
    if not steps:
        return None
    for number, step in enumerate(steps, start=1):
        step["step_id"] = number
    done = lines[-1] if lines[-1]["type"] == "done" else None
    permissions = [
        {"request": line["request"], "reply": line["reply"]} for line in lines if line["type"] == "permission"
    ]
    ended = {key: done[key] for key in ("status", "reason", "exitCode") if key in done} if done else {"status": "cut off"}
    return Trajectory(
        session_id=lines[0]["sessionID"],
        agent=Agent(
            name="openscience",
            version=version,
            model_name=model,
            extra={"agent": done["agent"]} if done else None,
        ),
        steps=[Step(**step) for step in steps],
        final_metrics=_total(lines, len(steps)),
        extra={"ended": ended, **({"permissions": permissions} if permissions else {})},
    )


def _steps(lines: Iterable[Line], model: str | None) -> Iterable[dict[str, Any]]:
    turn: _Turn | None = None
    for line in lines:
        match line["type"]:
            case "user":
                # A prompt may come while a turn is open: it is read with the next one.
                yield {"timestamp": _time(line), "source": "user", "message": _text(line["parts"])}
            case "step_start":
                turn = _Turn(line, model)
            case "text" | "reasoning" | "tool_use" if turn:
                turn.add(line)
            case "step_finish" if turn:
                yield from turn.finish(line["part"])
                turn = None
            case "error":
                error = line["error"]
                message = error.get("data", {}).get("message", "")
                yield {
                    "timestamp": _time(line),
                    "source": "system",
                    "message": message or error["name"],
                    "extra": {"error": error},
                }
            case _:
                pass
    if turn:
        yield from turn.finish(None)


class _Turn:
    """One prompt and what the agent did about it, divided where it saw the output of a call and went on."""

    def __init__(self, line: Line, model: str | None) -> None:
        self._begin = _time(line)
        self._model = model
        self._steps: list[dict[str, Any]] = []

    def add(self, line: Line) -> None:
        part = line["part"]
        if line["type"] == "tool_use":
            self._call(line, part)
            return
        step = self._current(line, after_call=True)
        key = "message" if line["type"] == "text" else "reasoning_content"
        # What was said before a thought stays before it: a thought after words begins a step too.
        if key == "reasoning_content" and step["message"]:
            step = self._new(line)
        step[key] = "\n\n".join(filter(None, [step.get(key), part["text"]]))

    def _call(self, line: Line, part: dict[str, Any]) -> None:
        step = self._current(line, after_call=False)
        state = part["state"]
        given = state.get("input")
        arguments = given if isinstance(given, dict) else {} if given is None else {"value": given}
        step.setdefault("tool_calls", []).append(
            ToolCall(
                # An agent may use a call's id again in another turn; a part's id is nobody else's.
                tool_call_id=part["id"],
                function_name=part["tool"],
                arguments=arguments,
                extra={"call_id": part["callID"], "status": state["status"]},
            )
        )
        output = state.get("output") if state["status"] == "completed" else state.get("error")
        result = ObservationResult(source_call_id=part["id"], content=output or "")
        step.setdefault("observation", Observation(results=[])).results.append(result)

    def _current(self, line: Line, *, after_call: bool) -> dict[str, Any]:
        if not self._steps or (after_call and "tool_calls" in self._steps[-1]):
            return self._new(line)
        return self._steps[-1]

    def _new(self, line: Line) -> dict[str, Any]:
        timestamp = _time(line) if self._steps else self._begin
        step = {"timestamp": timestamp, "source": "agent", "message": "", "model_name": self._model}
        self._steps.append(step)
        return step

    def finish(self, part: dict[str, Any] | None) -> list[dict[str, Any]]:
        if not self._steps:
            self._steps.append(
                {"timestamp": self._begin, "source": "agent", "message": "", "model_name": self._model}
            )
        last = self._steps[-1]
        if part is None:
            last["extra"] = {"finish": "cut off"}
        else:
            last["extra"] = {"finish": part["reason"]}
            last["metrics"] = _metrics(part["tokens"], part["cost"])
        return self._steps


def _metrics(tokens: dict[str, Any], cost: float) -> Metrics | None:
    prompt = tokens["input"] + tokens["cache"]["read"] + tokens["cache"]["write"]
    if not (prompt or tokens["output"] or cost):
        # The agent does not tell.
        return None
    extra = {"reasoning_tokens": tokens["reasoning"], "cache_write_tokens": tokens["cache"]["write"]}
    return Metrics(
        prompt_tokens=prompt,
        completion_tokens=tokens["output"],
        cached_tokens=tokens["cache"]["read"],
        cost_usd=cost or None,
        extra={key: value for key, value in extra.items() if value} or None,
    )


def _total(lines: list[Line], steps: int) -> FinalMetrics:
    turns = [_metrics(line["part"]["tokens"], line["part"]["cost"]) for line in lines if line["type"] == "step_finish"]
    told = [turn for turn in turns if turn]
    if not told:
        return FinalMetrics(total_steps=steps)
    cost = sum(turn.cost_usd or 0 for turn in told)
    return FinalMetrics(
        total_prompt_tokens=sum(turn.prompt_tokens or 0 for turn in told),
        total_completion_tokens=sum(turn.completion_tokens or 0 for turn in told),
        total_cached_tokens=sum(turn.cached_tokens or 0 for turn in told),
        total_cost_usd=cost or None,
        total_steps=steps,
    )


def _text(parts: list[dict[str, Any]]) -> str:
    words = (part["text"] if part["type"] == "text" else f"[{part['type']}]" for part in parts)
    return "\n".join(words)


def _time(line: Line) -> str:
    return datetime.fromtimestamp(line["timestamp"] / 1000, UTC).isoformat()
