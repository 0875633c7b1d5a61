"""Which methods do the operations of the document become?

`Reader` says what each operation takes and gives, `Writer` writes it down, plain or async.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from schemas import Schema, Types, Unsupported, described, operations, ref_name
from wording import WIDTH, docstring, flat, hanging, pascal, safe, snake

HEADER = "# Written by tools/generate.py; change the OpenAPI document or the generator instead."

# The client puts these on every request that takes them; they are no arguments of a method.
SELECTORS = {"directory", "project", "projectID", "x-openscience-directory", "x-openscience-project"}

# Names that mean something in every method.
TAKEN = {"self", "call", "answer", "timeout", "content", "body"}


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
        for argument in arguments:
            if argument.name in TAKEN and argument.place not in ("content", "body"):
                argument.name += "_"
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
        if len(set(names)) < len(names):
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
