"""Is what the daemon answers what the document says, and so what the types of the package say?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from openscience._aio_transport import AsyncTransport
from openscience._transport import Transport
from openscience._wire import Call

from .support import ROOT

DOCUMENT: dict[str, Any] = json.loads((ROOT / "openapi" / "openscience.json").read_text(encoding="utf-8"))
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def problems(value: Any, schema: dict[str, Any], place: str) -> Iterator[str]:
    """Where a value is not what a schema says."""
    if "$ref" in schema:
        yield from problems(value, SCHEMAS[schema["$ref"].rsplit("/", 1)[-1]], place)
        return
    for part in schema.get("allOf", ()):
        yield from problems(value, part, place)
    alternatives = schema.get("oneOf") or schema.get("anyOf")
    if alternatives:
        found = [list(problems(value, one, place)) for one in alternatives]
        if all(found):
            yield min(found, key=len)[0]
        return
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(is_a(value, kind) for kind in kinds):
        yield f"{place} is {json.dumps(value)[:80]} and not {' or '.join(kinds)}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{place} is {value!r}"
    elif "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place} is {value!r} and not {schema['pattern']}"
    elif isinstance(value, dict):
        yield from of_object(value, schema, place)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from problems(item, schema.get("items", {}), f"{place}[{index}]")


def of_object(value: dict[str, Any], schema: dict[str, Any], place: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{place} has no {key}"
    further = schema.get("additionalProperties", {})
    for key, item in value.items():
        inner = properties.get(key, further if isinstance(further, dict) else {})
        yield from problems(item, inner, f"{place}.{key}")


def is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])


def schema_of(call: Call) -> dict[str, Any] | None:
    """What the document says of the answer to a call; None for paths it does not have."""
    path = unquote(call.path)
    # `/session/status` is no session: plain paths come first.
    for template in sorted(DOCUMENT["paths"], key=lambda one: one.count("{")):
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        operation = DOCUMENT["paths"][template].get(call.method.lower())
        if operation and re.fullmatch(pattern, path):
            for status, response in operation["responses"].items():
                content = response.get("content", {}).get("application/json")
                if status[0] == "2" and content:
                    schema: dict[str, Any] = content["schema"]
                    return schema
    return None


class Watched:
    """Holds every JSON answer of both transports against the document, while it is entered."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.checked = 0

    def __enter__(self) -> Watched:
        self._plain, self._async = Transport.json, AsyncTransport.json
        plain, async_, look = self._plain, self._async, self._look

        def json_(transport: Transport, call: Call, timeout: float | None = None) -> Any:
            return look(call, plain(transport, call, timeout))

        async def async_json(transport: AsyncTransport, call: Call, timeout: float | None = None) -> Any:
            return look(call, await async_(transport, call, timeout))

        Transport.json, AsyncTransport.json = json_, async_json  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: Any) -> None:
        Transport.json, AsyncTransport.json = self._plain, self._async  # type: ignore[method-assign]

    def _look(self, call: Call, answer: Any) -> Any:
        schema = schema_of(call)
        if schema is None:
            self.problems.append(f"{call.method} {call.path} is not in the document")
        else:
            self.checked += 1
            self.problems += problems(answer, schema, f"{call.method} {call.path}")
        return answer
