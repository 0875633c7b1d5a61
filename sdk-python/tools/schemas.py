"""Which Python types do the schemas of the document become?

`Types` gathers classes, aliases and enumerations; what stands where in a module is not decided here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wording import docstring, is_name, pascal, wrapped_call

Schema = dict[str, Any]

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


class Unsupported(Exception):
    """The document says something this generator has no form for."""


def ref_name(schema: Schema) -> str | None:
    ref = schema.get("$ref")
    return ref.rsplit("/", 1)[-1] if isinstance(ref, str) else None


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


def operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, dict) and "operationId" in operation:
                yield method.upper(), path, operation


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
