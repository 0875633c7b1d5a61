"""What does the HTTP interface look like in Python?

Writes `src/openscience/_generated/` from `openapi/openscience.json` (types, enumerations and one method
per operation, plain and async) and from the tables in `docs/` (error codes, event types). It knows no
operation by name: what the document adds, the package has after the next run. The plain client is written
from the async one (`unasync.py`).

    python tools/generate.py           write
    python tools/generate.py --check   fail if what is committed differs

Standard library only. It does not talk to a daemon and does not touch hand-written modules.
"""

from __future__ import annotations

import argparse
import json
import keyword
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import unasync

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "openapi" / "openscience.json"
ERRORS = ROOT / "docs" / "errors.md"
API = ROOT / "docs" / "api.md"
PACKAGE = ROOT / "sdk-python" / "src" / "openscience"
TARGET = PACKAGE / "_generated"

WIDTH = 110
HEADER = "# Written by tools/generate.py; change the OpenAPI document or the generator instead."
Schema = dict[str, Any]

# The client puts these on every request that takes them; they are no arguments of a method.
SELECTORS = {"directory", "project", "projectID", "x-openscience-directory", "x-openscience-project"}


class Unsupported(Exception):
    """The document says something this generator has no form for."""


# Names


def snake(name: str) -> str:
    """`sessionID` becomes session_id, `x-openscience-abort-source` abort_source."""
    name = re.sub(r"^x-(openscience-)?", "", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return safe(re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower())


def safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def is_name(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def pascal(name: str) -> str:
    words = re.split(r"[^A-Za-z0-9]+", name)
    return "".join(word[:1].upper() + word[1:] for word in words if word)


def constant(value: str) -> str:
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", value)
    name = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()
    return f"_{name}" if name[:1].isdigit() else name


def ref_name(schema: Schema) -> str | None:
    ref = schema.get("$ref")
    return ref.rsplit("/", 1)[-1] if isinstance(ref, str) else None


# Types


@dataclass
class Shape:
    """The fields of one object, gathered from everything it is made of."""

    doc: str = ""
    properties: dict[str, Schema] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    tag: str = ""

    def merged(self, other: Shape) -> Shape:
        return Shape(
            self.doc or other.doc,
            {**self.properties, **other.properties},
            self.required | other.required,
            self.tag or other.tag,
        )


class Types:
    """The schemas of the document as Python types."""

    def __init__(self, document: Schema) -> None:
        self.schemas: dict[str, Schema] = document["components"]["schemas"]
        self.received = self.reached(document, "responses")
        self.parts = self.merge_parts()
        self.classes: list[str] = []
        self.aliases: list[str] = []
        self.names: list[str] = []
        self.enums: dict[str, tuple[str, list[str]]] = {}
        for name in sorted(self.schemas):
            self.define(name, self.schemas[name])

    def reached(self, document: Schema, where: str) -> set[str]:
        """Schemas a server may send: their enumerations may grow."""
        found: set[str] = set()
        waiting = [operation.get(where, {}) for _, _, operation in operations(document)]
        # What a stream carries is not told by its operation.
        waiting.append({"$ref": "#/components/schemas/RuntimeEvent"})
        while waiting:
            for name in refs(waiting.pop()):
                if name not in found and name in self.schemas:
                    found.add(name)
                    waiting.append(self.schemas[name])
        return found

    def merge_parts(self) -> set[str]:
        """Schemas that only ever stand beside others in an `allOf`: no value is of that type alone."""
        merged: set[str] = set()
        alone: set[str] = set()

        def visit(schema: Any, within_all: bool) -> None:
            if isinstance(schema, list):
                for item in schema:
                    visit(item, within_all)
            elif isinstance(schema, dict):
                name = ref_name(schema)
                if name:
                    (merged if within_all else alone).add(name)
                for key, value in schema.items():
                    visit(value, key == "allOf" and len(value) > 1)

        visit(self.document_without_names(), False)
        return merged - alone

    def document_without_names(self) -> list[Schema]:
        return list(self.schemas.values())

    def resolve(self, schema: Schema) -> Schema:
        name = ref_name(schema)
        return self.resolve(self.schemas[name]) if name else schema

    def shapes(self, schema: Schema) -> list[Shape] | None:
        """The objects a schema stands for, one per alternative; None if it is not all objects."""
        name = ref_name(schema)
        if name:
            return self.shapes(self.schemas[name])
        doc = schema.get("description", "")
        for word in ("oneOf", "anyOf"):
            if word in schema:
                found: list[Shape] = []
                for alternative in schema[word]:
                    shapes = self.shapes(alternative)
                    if shapes is None:
                        return None
                    found += shapes
                return found
        if "allOf" in schema:
            result = [Shape()]
            for part in schema["allOf"]:
                shapes = self.shapes(part)
                if shapes is None:
                    return None
                result = [left.merged(right) for left in result for right in shapes]
            return result
        if schema.get("type") == "object" and "properties" in schema:
            properties = schema["properties"]
            tags = [value["enum"][0] for value in properties.values() if len(value.get("enum", ())) == 1]
            tag = tags[0] if len(properties) <= 2 and tags else ""
            return [Shape(doc, dict(properties), set(schema.get("required", ())), tag)]
        if schema.get("type") == "object" and "additionalProperties" not in schema and doc:
            return [Shape(doc)]
        return None

    def define(self, name: str, schema: Schema) -> None:
        """Adds the type of a named schema."""
        if name in self.parts:
            return
        doc = schema.get("description", "")
        if "enum" in schema:
            self.define_enum(name, doc, schema["enum"])
            return
        alternatives = schema.get("oneOf") or schema.get("anyOf") or []
        if alternatives and all(ref_name(one) for one in alternatives):
            self.alias(name, self.expression(schema, name, name in self.received), doc)
            return
        shapes = self.shapes(schema)
        if shapes is None or (len(shapes) == 1 and not shapes[0].properties):
            if not self.is_simple(schema):
                self.alias(name, self.expression(schema, name, name in self.received), doc)
            return
        if len(shapes) == 1:
            shapes[0].doc = doc or shapes[0].doc
            self.define_class(name, name, shapes[0])
            return
        members = []
        for index, shape in enumerate(shapes):
            member = name + (pascal(shape.tag) if shape.tag else str(index + 1))
            self.define_class(member, name, shape)
            members.append(member)
        self.alias(name, f"Union[{', '.join(members)}]", doc)
        self.define_tags(name, shapes)

    def define_enum(self, name: str, doc: str, values: list[str]) -> None:
        self.enums[name] = (doc, list(values))
        self.alias(name, f"Literal[{', '.join(json.dumps(value) for value in values)}]", doc, first=True)

    def define_tags(self, name: str, shapes: list[Shape]) -> None:
        """The words that tell the alternatives of a union apart."""
        for key in shapes[0].properties:
            words = [shape.properties.get(key, {}).get("enum", ()) for shape in shapes]
            if all(len(word) == 1 for word in words):
                doc = f"What `{key}` of {name} says."
                self.enums[name + pascal(key)] = (doc, [word[0] for word in words])

    def alias(self, name: str, expression: str, doc: str, first: bool = False) -> None:
        self.names.append(name)
        lines = [*wrapped_call(f"{name} = ", expression), *docstring(doc, "")]
        self.aliases.insert(0 if first else len(self.aliases), "\n".join(lines))

    def define_class(self, name: str, owner: str, shape: Shape) -> None:
        self.names.append(name)
        bases = self.odd_base(name, owner, shape)
        keys = [key for key in shape.properties if is_name(key)]
        required = [key for key in keys if key in shape.required]
        optional = [key for key in keys if key not in shape.required]
        if required and optional:
            base = f"_{name}Required"
            self.add_class(f"class {base}(TypedDict):", "", required, name, owner, shape)
            bases, required = [base, *bases], []
        bases = bases or ["TypedDict"]
        total = "" if required else ", total=False"
        head = f"class {name}({', '.join(bases)}{total}):"
        self.add_class(head, shape.doc, required or optional, name, owner, shape)

    def odd_base(self, name: str, owner: str, shape: Shape) -> list[str]:
        """A base for keys such as `from`, which cannot stand in the body of a class."""
        odd = {key: schema for key, schema in shape.properties.items() if not is_name(key)}
        if not odd:
            return []
        pairs = [
            f'"{key}": "{self.expression(schema, name + pascal(key), owner in self.received)}"'
            for key, schema in odd.items()
        ]
        base = f"_{name}Odd"
        self.classes.append(f'{base} = TypedDict("{base}", {{{", ".join(pairs)}}}, total=False)')
        return [base]

    def add_class(self, head: str, doc: str, keys: list[str], name: str, owner: str, shape: Shape) -> None:
        lines = [head, *docstring(doc, "    ")]
        if doc and keys:
            lines.append("")
        if not doc and not keys:
            lines.append("    pass")
        for key in keys:
            schema = shape.properties[key]
            opens = owner in self.received
            lines.append(f"    {key}: {self.expression(schema, name + pascal(key), opens)}")
            lines += docstring(self.note(key, schema, name), "    ")
        self.classes.append("\n".join(lines))

    def note(self, key: str, schema: Schema, owner: str) -> str:
        """What the document says of a field, and its unit where the name tells it."""
        said = described(schema)
        unit = self.unit(key, schema, owner)
        if said and unit:
            return f"{said.rstrip('.')}, in {unit}."
        return said or (f"{unit.capitalize()}." if unit else "")

    def unit(self, key: str, schema: Schema, owner: str) -> str:
        resolved = self.resolve(schema)
        types = resolved.get("type")
        if "integer" not in (types if isinstance(types, list) else [types]):
            return ""
        said = described(schema).lower()
        if key.endswith("Ms"):
            return "" if "millisecond" in said else "milliseconds"
        if key.endswith(("Bytes", "size")):
            return "" if "byte" in said else "bytes"
        is_time = key.endswith("At") or key in {"time", "created", "since", "timestamp"}
        times = ("Time", "TimeChange", "Span", "Start")
        if is_time or (owner.endswith(times) and key in TIME_MARKS):
            return "milliseconds since 1970"
        return ""

    def is_simple(self, schema: Schema) -> bool:
        """True for what is written out where it is used: text of a form, numbers."""
        return schema.get("type") in ("string", "integer", "number", "boolean")

    def expression(self, schema: Schema, context: str, opens: bool = False) -> str:
        """The Python type of a schema, with names of classes in it."""
        members = self.members(schema, context, opens)
        has_none = "None" in members
        members = [member for member in dict.fromkeys(members) if member != "None"]
        if not members:
            return "None"
        return " | ".join([*members, "None"] if has_none else members)

    def members(self, schema: Schema, context: str, opens: bool) -> list[str]:
        name = ref_name(schema)
        if name:
            return self.reference(name, opens)
        for word in ("oneOf", "anyOf"):
            if word in schema:
                found: list[str] = []
                for alternative in schema[word]:
                    found += self.members(alternative, context, opens)
                return found
        if "allOf" in schema:
            if len(schema["allOf"]) == 1:
                return self.members(schema["allOf"][0], context, opens)
            return self.inline(schema, context)
        if "enum" in schema:
            words = f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
            return [words] if len(schema["enum"]) == 1 or not opens else [words, "str"]
        types = schema.get("type")
        found = []
        for one in types if isinstance(types, list) else [types]:
            found += self.plain(one, schema, context, opens)
        return found

    def reference(self, name: str, opens: bool) -> list[str]:
        target = self.schemas[name]
        if "enum" in target:
            return [name, "str"] if opens else [name]
        if self.is_simple(target):
            return self.members(target, name, opens)
        if target.get("type") == "object" and "properties" not in target and not target.get("description"):
            return self.members(target, name, opens)
        return [name]

    def plain(self, kind: str | None, schema: Schema, context: str, opens: bool) -> list[str]:
        simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
        if kind in simple:
            return [simple[kind]]
        if kind == "array":
            return [f"list[{self.expression(schema.get('items', {}), context, opens)}]"]
        if kind == "object":
            if "properties" in schema:
                return self.inline(schema, context)
            values = schema.get("additionalProperties")
            if isinstance(values, dict) and values:
                return [f"dict[str, {self.expression(values, context, opens)}]"]
            return ["dict[str, Any]"]
        if kind is None:
            return ["Any"]
        raise Unsupported(f"{context} has the type {kind}")

    def inline(self, schema: Schema, context: str) -> list[str]:
        """An object without a name gets one from where it stands."""
        shapes = self.shapes(schema)
        if shapes is None:
            raise Unsupported(f"{context} is made of parts that are no objects")
        names = []
        for index, shape in enumerate(shapes):
            name = context + (pascal(shape.tag) if shape.tag and len(shapes) > 1 else "")
            name += "Object" if name in self.schemas else ""
            name += str(index + 1) if name in self.names else ""
            self.define_class(name, context, shape)
            names.append(name)
        return names


TIME_MARKS = {
    "created",
    "updated",
    "completed",
    "archived",
    "pinned",
    "start",
    "end",
    "compacted",
    "initialized",
    "activity",
    "compacting",
}


def refs(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from refs(item)
    elif isinstance(schema, dict):
        name = ref_name(schema)
        if name:
            yield name
        for value in schema.values():
            yield from refs(value)


def described(schema: Schema) -> str:
    """The description of a use of a schema, also where it stands inside an alternative with null."""
    if "description" in schema:
        return schema["description"]
    for alternative in schema.get("oneOf", ()):
        if "description" in alternative:
            return alternative["description"]
    return ""


# Text


def flat(text: str) -> str:
    return " ".join(text.split())


def docstring(text: str, indent: str) -> list[str]:
    """The lines of a docstring; none for no text."""
    text = text.strip().replace("\\", "\\\\").replace('"""', "'''")
    if not text:
        return []
    paragraphs = [flat(paragraph) for paragraph in re.split(r"\n\s*\n", text)]
    if len(paragraphs) == 1 and len(indent) + len(paragraphs[0]) + 6 <= WIDTH:
        ending = " " if paragraphs[0].endswith('"') else ""
        return [f'{indent}"""{paragraphs[0]}{ending}"""']
    lines: list[str] = []
    for paragraph in paragraphs:
        lines += ["", *textwrap.wrap(paragraph, WIDTH - len(indent), break_long_words=False)]
    lines = lines[1:]
    lines[0] = f'"""{lines[0]}'
    return [*(f"{indent}{line}".rstrip() for line in lines), f'{indent}"""']


def hanging(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        flat(text), WIDTH, initial_indent=indent, subsequent_indent=indent + "    ", break_long_words=False
    )


def wrapped_call(head: str, expression: str) -> list[str]:
    """`head` and an expression in brackets, one item a line where it is too long."""
    if len(head) + len(expression) <= WIDTH:
        return [head + expression]
    if " | " in expression and not expression.endswith("]"):
        return [f"{head}(", *(f"    {line}" for line in textwrap.wrap(expression, WIDTH - 4)), ")"]
    opening, rest = expression.split("[", 1)
    items = textwrap.wrap(rest[:-1], WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return [f"{head}{opening}[", *(f"    {item}" for item in items), "]"]


# Operations


def operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, dict) and "operationId" in operation:
                yield method.upper(), path, operation


@dataclass
class Argument:
    """One argument of a method and where it goes."""

    name: str
    wire: str
    place: str
    type: str
    required: bool
    doc: str


@dataclass
class Operation:
    """One operation as a method."""

    id: str
    method: str
    path: str
    summary: str
    doc: str
    arguments: list[Argument]
    body: str
    answer: str
    type: str
    selects: bool
    errors: list[tuple[str, str]]

    @property
    def group(self) -> str:
        return self.id.split(".", 1)[0]

    @property
    def name(self) -> str:
        return snake(self.id.split(".", 1)[1].replace(".", "_"))


class Reader:
    """Reads the operations of the document."""

    def __init__(self, document: Schema, types: Types) -> None:
        self.document = document
        self.types = types
        self.usual = self.usual_errors()

    def usual_errors(self) -> set[tuple[str, str]]:
        """Refusals that every operation but the fewest have: they are told once, not everywhere."""
        counts: dict[tuple[str, str], int] = {}
        total = 0
        for _, _, operation in operations(self.document):
            total += 1
            for pair in self.errors(operation):
                counts[pair] = counts.get(pair, 0) + 1
        return {pair for pair, count in counts.items() if count * 3 > total and pair[0] not in ("404", "409")}

    def errors(self, operation: Schema) -> list[tuple[str, str]]:
        found = []
        for status, response in operation["responses"].items():
            if status[0] in "45d":
                found.append((status, flat(self.response(response).get("description", ""))))
        return sorted(found)

    def response(self, response: Schema) -> Schema:
        name = ref_name(response)
        return self.document["components"]["responses"][name] if name else response

    def read(self) -> list[Operation]:
        return [self.operation(*one) for one in operations(self.document)]

    def operation(self, method: str, path: str, said: Schema) -> Operation:
        parameters = said.get("parameters", [])
        selects = any(parameter["name"] == "directory" for parameter in parameters)
        arguments = [
            self.parameter(path, parameter) for parameter in parameters if parameter["name"] not in SELECTORS
        ]
        # The order of the path, whatever the order in the document.
        arguments.sort(key=lambda a: (a.place != "path", path.find("{" + a.wire + "}")))
        body, further = self.body(said)
        taken = {argument.name for argument in arguments}
        for argument in further:
            if argument.name in taken:
                argument.name = f"body_{argument.name}"
            arguments.append(argument)
        answer, type_ = self.answer(said)
        if answer == "stream":
            arguments = [a for a in arguments if a.wire != "Last-Event-ID"] + [
                Argument("last_event_id", "Last-Event-ID", "header", "str", False, "Where to go on.")
            ] * any(a.wire == "Last-Event-ID" for a in arguments)
        errors = [pair for pair in self.errors(said) if pair not in self.usual and pair[0] != "default"]
        return Operation(
            said["operationId"],
            method,
            path,
            flat(said.get("summary", "")),
            said.get("description", ""),
            arguments,
            body,
            answer,
            type_,
            selects,
            errors,
        )

    def parameter(self, path: str, parameter: Schema) -> Argument:
        wire, place = parameter["name"], parameter["in"]
        name = snake(wire)
        if place == "path" and name == "id":
            before = path[: path.index("{id}")].rstrip("/").rsplit("/", 1)[-1]
            name = f"{snake(before)}_id"
        schema = parameter.get("schema", {})
        doc = parameter.get("description", "") or described(self.types.resolve(schema))
        type_ = self.types.expression(schema, pascal(wire))
        return Argument(name, wire, place, type_, bool(parameter.get("required")), flat(doc))

    def body(self, said: Schema) -> tuple[str, list[Argument]]:
        """Which form the body has, and the arguments it is made of."""
        content = said.get("requestBody", {}).get("content", {})
        if not content:
            return "", []
        if "application/json" not in content:
            doc = "The bytes: as they are, a file opened for reading, or pieces one after the other."
            return "bytes", [Argument("content", "", "content", "Content", True, doc)]
        schema = content["application/json"].get("schema", {})
        shapes = self.types.shapes(schema)
        if shapes is None or len(shapes) != 1 or not shapes[0].properties:
            type_ = self.types.expression(schema, pascal(said["operationId"]) + "Body")
            required = bool(said["requestBody"].get("required"))
            return "json", [Argument("body", "", "body", type_, required, "")]
        shape = shapes[0]
        owner = ref_name(schema) or pascal(said["operationId"])
        arguments = []
        for key, value in shape.properties.items():
            type_ = self.types.expression(value, owner + pascal(key))
            type_ = type_.removesuffix(" | None")
            doc = flat(self.types.note(key, value, owner))
            arguments.append(Argument(snake(key), key, "field", type_, key in shape.required, doc))
        return "fields", arguments

    def answer(self, said: Schema) -> tuple[str, str]:
        """How the answer is read, and its type."""
        for status, response in sorted(said["responses"].items()):
            content = self.response(response).get("content", {})
            if status[0] != "2" or not content:
                continue
            if "text/event-stream" in content:
                return "stream", "EventStream"
            if set(content) == {"application/json"}:
                context = pascal(said["operationId"])
                schema = content["application/json"].get("schema", {})
                return "json", self.types.expression(schema, context, opens=True)
            if set(content) == {"text/plain"}:
                return "text", "str"
            return "bytes", "Download"
        return "nothing", "None"


class Writer:
    """Writes operations as methods, plain or async."""

    def __init__(self, document: Schema, types: Types, found: list[Operation], is_async: bool) -> None:
        self.document = document
        self.types = types
        self.found = found
        self.is_async = is_async
        self.prefix = "Async" if is_async else ""

    def module(self) -> str:
        groups: dict[str, list[Operation]] = {}
        for operation in self.found:
            groups.setdefault(operation.group, []).append(operation)
        tags = {tag["name"]: tag.get("description", "") for tag in self.document.get("tags", ())}
        blocks = [self.namespace(group, tags.get(group, ""), groups[group]) for group in sorted(groups)]
        blocks.append(self.namespaces(sorted(groups)))
        text = "\n\n\n".join(blocks)
        used = [name for name in sorted(set(self.types.names)) if re.search(rf"\b{name}\b", text)]
        # Within a class that has a method of that name, `list` is the method.
        text = text.replace("list[", "List[")
        typing = [name for name in ("Any", "List", "Literal") if re.search(rf"\b{name}\b", text)]
        base = f"{self.prefix}Operations"
        support = [base] + [f"{self.prefix}{name}" for name in ("Download", "EventStream", "Transport")]
        support = [name for name in support if re.search(rf"\b{name}\b", text)]
        content = f"{self.prefix}Content"
        wire = ["Call", "segment"] + ([content] if re.search(rf"\b{content}\b", text) else [])
        home = ".._aio_transport" if self.is_async else ".._transport"
        return "\n".join(
            [
                HEADER,
                f'"""Every operation of the HTTP interface as a method{", async" if self.is_async else ""}.',
                "",
                "Any of them may also be refused for what all requests share: 400 for a directory or arguments that",
                "are not valid, 401 without the token, 403 for a Host or origin that is not allowed, 410 for a",
                "directory that is gone, 500 and 503 where the daemon cannot answer.",
                '"""',
                "",
                "from __future__ import annotations",
                "",
                f"from typing import {', '.join(typing)}",
                "",
                f"from {home} import {', '.join(sorted(support))}",
                f"from .._wire import {', '.join(sorted(wire))}",
                *import_block(".types", used),
                "",
                "",
                text,
                "",
            ]
        )

    def namespace(self, group: str, doc: str, found: list[Operation]) -> str:
        lines = [f"class {self.prefix}{pascal(group)}Operations({self.prefix}Operations):"]
        lines += docstring(doc or f"The operations `{group}.*`.", "    ")
        names = [operation.name for operation in found]
        for name in names:
            if names.count(name) > 1:
                raise Unsupported(f"two operations of {group} are called {name}")
        for operation in found:
            lines += ["", *self.method(operation)]
        return "\n".join(lines)

    def namespaces(self, groups: list[str]) -> str:
        lines = [
            f"class {self.prefix}Namespaces:",
            '    """All operations, grouped as in the document."""',
            "",
        ]
        lines.append(f"    def __init__(self, transport: {self.prefix}Transport) -> None:")
        for group in groups:
            lines.append(f"        self.{safe(group)} = {self.prefix}{pascal(group)}Operations(transport)")
        return "\n".join(lines)

    def method(self, operation: Operation) -> list[str]:
        is_open = operation.answer in ("stream", "bytes")
        kind = "async def" if self.is_async and not is_open else "def"
        type_ = self.prefix + operation.type if is_open else operation.type
        head = f"    {kind} {operation.name}("
        arguments = ["self", *self.signature(operation)]
        line = f"{head}{', '.join(arguments)}) -> {type_}:"
        lines = [line]
        if len(line) > WIDTH:
            lines = [head, *(f"        {argument}," for argument in arguments), f"    ) -> {type_}:"]
        return lines + self.doc(operation) + self.call(operation, is_open)

    def signature(self, operation: Operation) -> list[str]:
        names = [argument.name for argument in operation.arguments]
        if len(set(names)) < len(names) or {"timeout", "self", "call", "answer"} & set(names):
            raise Unsupported(f"{operation.id} has two arguments of one name: {names}")
        first = [a for a in operation.arguments if a.place in ("path", "content", "body")]
        rest = [a for a in operation.arguments if a not in first]
        rest.sort(key=lambda a: not a.required)
        written = [f"{a.name}: {self.argument_type(a)}" for a in first]
        written.append("*")
        for argument in rest:
            if argument.required:
                written.append(f"{argument.name}: {argument.type}")
            else:
                written.append(f"{argument.name}: {argument.type} | None = None")
        return [*written, "timeout: float | None = None"]

    def argument_type(self, argument: Argument) -> str:
        if argument.place == "content":
            return self.prefix + argument.type
        return argument.type if argument.required else f"{argument.type} | None = None"

    def doc(self, operation: Operation) -> list[str]:
        indent = "        "
        lines = [*docstring(operation.summary or operation.id, indent)]
        lines[-1] = lines[-1][:-3].rstrip() if lines[-1].strip() != '"""' else ""
        body: list[str] = []
        for paragraph in re.split(r"\n\s*\n", operation.doc.strip().replace("\\", "\\\\")):
            if paragraph:
                body += [
                    "",
                    *textwrap.wrap(
                        flat(paragraph),
                        WIDTH - len(indent),
                        initial_indent=indent,
                        subsequent_indent=indent,
                        break_long_words=False,
                    ),
                ]
        told = [argument for argument in operation.arguments if argument.doc]
        if told:
            body += ["", f"{indent}Args:"]
            for argument in told:
                body += hanging(f"{argument.name}: {argument.doc}", indent + "    ")
        if operation.answer == "stream":
            body += [
                "",
                f"{indent}One connection, opened when it is entered or first read; it does not reconnect.",
            ]
        if operation.errors:
            body += ["", f"{indent}Raises:"]
            said = [f"{status}: {text}" for status, text in operation.errors]
            for text in said:
                body += hanging("HTTPError " + text, indent + "    ")
        body += ["", f"{indent}`{operation.method} {operation.path}`"]
        body = [line.replace('"""', "'''") for line in body]
        return [line for line in lines if line] + body + [f'{indent}"""']

    def call(self, operation: Operation, is_open: bool) -> list[str]:
        path = operation.path
        for argument in operation.arguments:
            if argument.place == "path":
                path = path.replace("{" + argument.wire + "}", "{segment(" + argument.name + ")}")
        literal = f'f"{path}"' if "{" in path else f'"{path}"'
        items = [f'"{operation.method}"', literal]
        for place, keyword_ in (("query", "query"), ("header", "headers"), ("field", "fields")):
            pairs = [f'"{a.wire}": {a.name}' for a in operation.arguments if a.place == place]
            if pairs:
                items.append(f"{keyword_}={{{', '.join(pairs)}}}")
        if operation.body == "json":
            items.append("body=body")
        elif operation.body == "bytes":
            items.append("content=content")
        if operation.selects:
            items.append("selects=True")
        line = f"        call = Call({', '.join(items)})"
        lines = [line]
        if len(line) > WIDTH:
            lines = ["        call = Call(", *self.items(items), "        )"]
        waits = "await " if self.is_async and not is_open else ""
        sent = f"{waits}self._transport.{operation.answer}(call, timeout)"
        if operation.answer != "json":
            return [*lines, f"        return {sent}"]
        return [*lines, f"        answer: {operation.type} = {sent}", "        return answer"]

    def items(self, items: Iterable[str]) -> list[str]:
        lines = []
        for item in items:
            if len(item) + 13 <= WIDTH or "={" not in item:
                lines.append(f"            {item},")
                continue
            head, rest = item.split("={", 1)
            lines += [f"            {head}={{"]
            # A key stays on the line of its value.
            kept = rest[:-1].replace(": ", ":\0")
            for pairs in textwrap.wrap(kept, WIDTH - 17, break_long_words=False, break_on_hyphens=False):
                text = pairs.replace("\0", " ")
                lines.append(f"                {text if text.endswith(',') else text + ','}")
            lines.append("            },")
        return lines


def import_block(module: str, names: list[str]) -> list[str]:
    if not names:
        return []
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]


# Modules


def types_module(types: Types) -> str:
    text = "\n\n\n".join(types.classes)
    enums = [alias for alias in types.aliases if " = Literal[" in alias]
    unions = [alias for alias in types.aliases if " = Literal[" not in alias]
    text = "\n\n".join(sorted(enums)) + "\n\n\n" + text + "\n\n\n" + "\n\n".join(ordered(unions)) + "\n"
    typing = ["Any", "Literal", "TypedDict", "Union"]
    typing = [name for name in typing if re.search(rf"\b{name}\b", text)]
    return "\n".join(
        [
            HEADER,
            '"""The records of the HTTP interface, with the keys they have on the wire.',
            "",
            "They are dictionaries: what a newer daemon adds stays in them, and where one of the words below is",
            "listed, a newer daemon may send another. Times are milliseconds since 1970 unless they say otherwise.",
            '"""',
            "",
            "from __future__ import annotations",
            "",
            f"from typing import {', '.join(typing)}",
            "",
            text,
        ]
    )


def ordered(aliases: list[str]) -> list[str]:
    """Aliases, each after those it names."""
    waiting = {alias.split(" = ", 1)[0]: alias for alias in aliases}
    result: list[str] = []
    while waiting:
        free = [
            name
            for name, alias in sorted(waiting.items())
            if not any(
                re.search(rf"\b{other}\b", alias.split(" = ", 1)[1].split('"""')[0])
                for other in waiting
                if other != name
            )
        ]
        if not free:
            raise Unsupported(f"{', '.join(sorted(waiting))} name each other")
        result += [waiting.pop(name) for name in free]
    return result


def section(path: Path, heading: str) -> str:
    text = path.read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n## {heading}\n")
    if not found:
        raise Unsupported(f"{path.name} has no section {heading}")
    return rest.split("\n## ", 1)[0]


def listed(path: Path, heading: str) -> list[str]:
    """The words in code style in the first column of a table."""
    words: list[str] = []
    for line in section(path, heading).splitlines():
        if line.startswith("| `"):
            words += re.findall(r"`([^`]+)`", line.split("|")[1])
    if not words:
        raise Unsupported(f"{path.name} lists nothing under {heading}")
    return list(dict.fromkeys(words))


def constants_module(types: Types) -> str:
    groups = dict(types.enums)
    documents = [
        ("ErrorCode", "`code` of a refused request (docs/errors.md).", listed(ERRORS, "Refused requests")),
        ("RunErrorCode", "`error.code` of a run that did not complete.", listed(ERRORS, "Failed runs")),
        ("StartErrorCode", "Why the daemon did not start.", listed(ERRORS, "The daemon does not start")),
        ("EventType", "`type` of a RuntimeEvent.", listed(API, "Events")),
    ]
    for name, doc, values in documents:
        groups[name] = (doc, values)
    blocks = []
    for name in sorted(groups):
        doc, values = groups[name]
        lines = [f"class {name}:", *docstring(doc or f"The words of {name}.", "    "), ""]
        lines += [f"    {constant(value)}: Final = {json.dumps(value)}" for value in values]
        words = ", ".join(constant(value) for value in values)
        lines += wrapped_words("    ALL: Final[frozenset[str]] = frozenset({", words, "})")
        blocks.append("\n".join(lines))
    return "\n".join(
        [
            HEADER,
            '"""The stable words of the interface. A newer daemon may send further ones."""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import Final",
            "",
            "",
            "\n\n\n".join(blocks),
            "",
        ]
    )


def wrapped_words(head: str, words: str, tail: str) -> list[str]:
    if len(head) + len(words) + len(tail) <= WIDTH:
        return [head + words + tail]
    return [head, *(f"        {line}" for line in textwrap.wrap(words, WIDTH - 8)), f"    {tail}"]


def generated() -> dict[str, str]:
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    types = Types(document)
    found = Reader(document, types).read()
    plain = Writer(document, types, found, is_async=False).module()
    async_ = Writer(document, types, found, is_async=True).module()
    names = sorted({operation.id for operation in found})
    index = "\n".join(
        [
            HEADER,
            '"""What tools/generate.py wrote."""',
            "",
            f'PROTOCOL_DOCUMENT_VERSION = "{document["info"]["version"]}"',
            "",
            "OPERATIONS = (",
            *(f'    "{name}",' for name in names),
            ")",
            "",
        ]
    )
    modules = {
        "_generated/__init__.py": index,
        "_generated/types.py": types_module(types),
        "_generated/constants.py": constants_module(types),
        "_generated/operations.py": plain,
        "_generated/async_operations.py": async_,
    }
    for source, target in unasync.SOURCES.items():
        text = (PACKAGE / source).read_text(encoding="utf-8")
        header = f"# Written by tools/generate.py from {source}; change that instead.\n"
        modules[target] = header + unasync.plain(source, text)
    return modules


def differing(modules: dict[str, str]) -> list[str]:
    found = []
    for name, text in modules.items():
        path = PACKAGE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            found.append(name)
    known = {f"_generated/{path.name}" for path in TARGET.glob("*.py")}
    return found + sorted(known - set(modules))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Writes the generated half of the Python package.")
    parser.add_argument("--check", action="store_true", help="fail if what is committed differs")
    options = parser.parse_args(arguments)
    modules = generated()
    if options.check:
        names = differing(modules)
        for name in names:
            print(
                f"{(PACKAGE / name).relative_to(ROOT)}: differs from what it is made of; "
                "run `cargo xtask sdk python --write`",
                file=sys.stderr,
            )
        return 1 if names else 0
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, text in modules.items():
        (PACKAGE / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
