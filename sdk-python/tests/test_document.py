"""Does the package have all of the interface, and only that? Held against the OpenAPI document itself."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
import typing
import unittest
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import openscience
from openscience import _generated, constants, types
from openscience._aio_transport import AsyncOperations
from openscience._transport import Operations
from openscience._wire import Call

from .schema import DOCUMENT, SCHEMAS, problems, schema_of
from .support import PACKAGE, ROOT, STREAM_HEAD, Async, Case, Fake, Plain, answer

# Arguments the client itself adds to a request.
SELECTORS = {"directory", "project", "projectID", "x-openscience-directory", "x-openscience-project"}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            if "operationId" in operation:
                yield method.upper(), path, operation


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().replace(".", "_")


def method_of(client: Any, operation_id: str) -> Any:
    group, verb = operation_id.split(".", 1)
    return getattr(getattr(client, group, None) or getattr(client, f"{group}_"), snake(verb))


def content(operation: dict[str, Any]) -> set[str]:
    """What its good answers are made of."""
    found: set[str] = set()
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            found |= set(response.get("content", {}))
    return found


def kind_of(operation: dict[str, Any]) -> str:
    """How its answer is to be handed out."""
    kinds = content(operation)
    if "text/event-stream" in kinds:
        return "stream"
    if kinds == {"text/plain"}:
        return "text"
    return "download" if kinds - {"application/json"} else "json"


def takes_bytes(operation: dict[str, Any]) -> bool:
    body = operation.get("requestBody", {}).get("content", {})
    return bool(body) and "application/json" not in body


class Coverage(unittest.TestCase):
    def test_every_operation_has_a_method_in_both_clients(self) -> None:
        plain, async_ = openscience.Client(), openscience.AsyncClient()
        for _, _, operation in operations():
            one, other = (
                method_of(plain, operation["operationId"]),
                method_of(async_, operation["operationId"]),
            )
            ours, theirs = inspect.signature(one), inspect.signature(other)
            self.assertEqual(list(ours.parameters), list(theirs.parameters))
            self.assertIn(
                f"`{next(m for m, _, o in operations() if o is operation)} ", inspect.getdoc(one) or ""
            )
            opens = kind_of(operation) in ("stream", "download")
            self.assertEqual(inspect.iscoroutinefunction(other), not opens, operation["operationId"])

    def test_no_group_of_operations_hides_a_method_of_the_clients(self) -> None:
        for client in (openscience.Client(), openscience.AsyncClient()):
            hidden = {name for name in vars(client) if callable(getattr(type(client), name, None))}
            self.assertEqual(hidden, set())

    def test_there_are_no_methods_the_document_does_not_have(self) -> None:
        known = {operation["operationId"] for _, _, operation in operations()}
        self.assertEqual(set(_generated.OPERATIONS), known)
        for client, kind in (
            (openscience.Client(), Operations),
            (openscience.AsyncClient(), AsyncOperations),
        ):
            groups = {name: value for name, value in vars(client).items() if isinstance(value, kind)}
            count = sum(not name.startswith("_") for group in groups.values() for name in vars(type(group)))
            self.assertEqual(count, len(known))

    def test_groups_do_not_hide_methods(self) -> None:
        for client in (openscience.Client(), openscience.AsyncClient()):
            groups = {name for name in vars(client) if not name.startswith("_")}
            self.assertEqual(groups & set(dir(type(client))), set())

    def test_both_clients_have_the_same_methods(self) -> None:
        def public(kind: Any) -> dict[str, list[str]]:
            found = {}
            for name, value in inspect.getmembers(kind, inspect.isfunction):
                if not name.startswith("_"):
                    found[name.replace("aclose", "close")] = list(inspect.signature(value).parameters.items())
            return {name: [f"{key}={one.default!r}" for key, one in items] for name, items in found.items()}

        self.assertEqual(public(openscience.Client), public(openscience.AsyncClient))
        for plain, async_ in (
            (openscience.Events, openscience.AsyncEvents),
            (openscience.Follow, openscience.AsyncFollow),
        ):
            self.assertEqual(public(plain), public(async_))

    def test_streams_texts_and_bytes_are_handed_out_as_what_they_are(self) -> None:
        returned = {"stream": "EventStream", "download": "Download", "text": "str"}
        client = openscience.Client()
        kinds: dict[str, set[str]] = {}
        for _, _, operation in operations():
            name, kind = operation["operationId"], kind_of(operation)
            kinds.setdefault(kind, set()).add(name)
            signature = inspect.signature(method_of(client, name))
            if kind in returned:
                self.assertEqual(signature.return_annotation, returned[kind], name)
            self.assertEqual("content" in signature.parameters, takes_bytes(operation), name)
        self.assertLessEqual({"event.subscribe", "global.event", "runtime.events"}, kinds["stream"])
        self.assertIn("global.metrics", kinds["text"])

    def test_what_is_committed_is_what_the_generator_writes(self) -> None:
        command = [sys.executable, str(PACKAGE / "tools" / "generate.py"), "--check"]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_the_versions_are_one(self) -> None:
        project = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
        versions = {
            openscience.__version__,
            re.findall(r'^version = "(.*)"', project, re.MULTILINE)[0],
            DOCUMENT["info"]["version"],
        }
        self.assertEqual(len(versions), 1, versions)


class Words(unittest.TestCase):
    def test_every_enumeration_is_exported_with_all_its_words(self) -> None:
        enums = {name: schema["enum"] for name, schema in SCHEMAS.items() if "enum" in schema}
        self.assertGreater(len(enums), 10)
        for name, words in enums.items():
            self.check(name, words)
            self.assertEqual(typing.get_args(getattr(types, name)), tuple(words))

    def check(self, name: str, words: list[str]) -> None:
        group = getattr(constants, name)
        values = {value for key, value in vars(group).items() if key.isupper() and isinstance(value, str)}
        self.assertEqual((values, group.ALL), (set(words), set(words)), name)

    def test_the_words_that_tell_parts_apart_are_exported(self) -> None:
        parts = [part["allOf"][1]["properties"]["type"]["enum"][0] for part in SCHEMAS["PartBody"]["oneOf"]]
        self.check("PartType", parts)

    def test_the_error_codes_are_those_of_the_sources(self) -> None:
        source = (ROOT / "crates" / "openscience-protocol" / "src" / "codes.rs").read_text(encoding="utf-8")
        codes = set(re.findall(r'pub const \w+: &str = "(\w+)"', source))
        known = constants.ErrorCode.ALL | constants.RunErrorCode.ALL | constants.StartErrorCode.ALL
        self.assertGreater(len(codes), 50)
        self.assertEqual(codes - known, set())

    def test_the_event_types_are_those_of_the_sources(self) -> None:
        source = (ROOT / "crates" / "openscience-protocol" / "src" / "event.rs").read_text(encoding="utf-8")
        body = source.split("pub fn event_type", 1)[1].split("pub fn kind", 1)[0]
        self.assertEqual(set(re.findall(r'"([a-z]+\.[a-z.]+)"', body)), set(constants.EventType.ALL))

    def test_the_ends_of_a_run_are_known(self) -> None:
        self.assertEqual(openscience.TERMINAL_STATES, {"completed", "failed", "cancelled", "interrupted"})
        self.assertLess(openscience.TERMINAL_STATES, constants.RunState.ALL)
        self.assertLess(openscience.TERMINAL_EVENTS, constants.EventType.ALL)

    def test_every_record_has_the_fields_of_its_schema(self) -> None:
        checked = 0
        for name, schema in SCHEMAS.items():
            record = getattr(types, name, None)
            if schema.get("type") == "object" and schema.get("properties") and record is not None:
                hints = typing.get_type_hints(record, vars(_generated.types))  # type: ignore[attr-defined]
                self.assertEqual(set(hints), set(schema["properties"]), name)
                self.assertEqual(set(record.__required_keys__), set(schema.get("required", ())), name)
                checked += 1
        self.assertGreater(checked, 40)


def sample(kind: str, schema: dict[str, Any]) -> Any:
    """A value for an argument of that schema."""
    while "$ref" in schema:
        schema = SCHEMAS[schema["$ref"].rsplit("/", 1)[-1]]
    for alternative in schema.get("oneOf", ()):
        if alternative.get("type") != "null":
            return sample(kind, alternative)
    types_ = schema.get("type")
    one = types_[0] if isinstance(types_, list) else types_
    if "enum" in schema:
        return schema["enum"][0]
    return {"integer": 7, "boolean": True, "array": [], "object": {}}.get(one or "object", f"{kind} /ä?")


class Wire(Case):
    """What each generated method sends is what the document asks for."""

    def check_request(
        self, operation: dict[str, Any], path: str, method: str, given: dict[str, Any], request: Any
    ) -> None:
        target = urlsplit(request.target)
        expected = path
        for name, value in given["path"].items():
            expected = expected.replace("{" + name + "}", value)
        self.assertEqual((request.method, unquote(target.path)), (method, expected))
        query = {key: word(value) for key, value in given["query"].items()}
        if any(parameter["name"] == "directory" for parameter in operation.get("parameters", ())):
            query["directory"] = "/project"
        self.assertEqual(dict(parse_qsl(target.query)), query)
        for name, value in given["header"].items():
            self.assertEqual(request.headers[name.lower()], value)
        if given["content"]:
            self.assertEqual(request.body, b"bytes")
        elif given["body"] is not None:
            self.assertEqual(json.loads(request.body), given["body"])
        else:
            self.assertEqual(request.body, b"")

    def given(self, operation: dict[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {"path": {}, "query": {}, "header": {}, "body": None, "content": False}
        for parameter in operation.get("parameters", ()):
            if parameter["name"] not in SELECTORS:
                value = (
                    "header"
                    if parameter["in"] == "header"
                    else sample(parameter["name"], parameter["schema"])
                )
                given[parameter["in"]][parameter["name"]] = value
        body = operation.get("requestBody", {}).get("content", {})
        if "application/json" in body:
            given["body"] = self.body(body["application/json"]["schema"])
        given["content"] = bool(body) and given["body"] is None
        return given

    def body(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = SCHEMAS[schema["$ref"].rsplit("/", 1)[-1]]
        return {name: sample(name, value) for name, value in schema.get("properties", {"any": {}}).items()}

    def arguments(
        self, method: Any, operation: dict[str, Any], given: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        parameters = inspect.signature(method).parameters
        positional: list[Any] = [*given["path"].values(), *([b"bytes"] if given["content"] else [])]
        named = {**given["query"], **given["header"]}
        if "body" in parameters:
            positional.append(given["body"])
        else:
            named.update(given["body"] or {})
        keywords = {}
        for name, value in named.items():
            wire = re.sub(r"^x-(openscience-)?", "", name)
            key = snake(re.sub(r"[^A-Za-z0-9]+", "_", wire))
            keywords[next(one for one in (f"body_{key}", key, f"{key}_") if one in parameters)] = value
        return positional, keywords

    async def run_all(self, client_of: Any) -> None:
        json_answer, stream = answer(200, {}), STREAM_HEAD
        text = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi"
        for method_name, path, operation in operations():
            name = operation["operationId"]
            kind = kind_of(operation)
            reply = {"stream": stream, "text": text, "download": text}.get(kind, json_answer)
            async with Fake([reply]) as fake:
                method = method_of(client_of(fake.url), name)
                given = self.given(operation)
                positional, keywords = self.arguments(method_of(openscience.Client(), name), operation, given)
                with self.subTest(name):
                    result = method(*positional, **keywords)
                    if kind == "stream":
                        async with result:
                            pass
                    elif kind == "download":
                        self.assertEqual(await result.read(), b"hi")
                    else:
                        await result
                    self.check_request(operation, path, method_name, given, fake.requests[0])

    async def test_the_plain_client_sends_what_the_document_asks_for(self) -> None:
        await self.run_all(lambda url: Plain.client(self, url, directory="/project"))  # type: ignore[arg-type]

    async def test_the_async_client_sends_what_the_document_asks_for(self) -> None:
        await self.run_all(lambda url: Async.client(self, url, directory="/project"))  # type: ignore[arg-type]


def word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def loaded(name: str) -> Any:
    """A module of tools/, which is no part of the package."""
    if str(PACKAGE / "tools") not in sys.path:
        sys.path.append(str(PACKAGE / "tools"))
    return importlib.import_module(name)


class Answers(unittest.TestCase):
    """The means by which the scenarios hold answers against the document."""

    def found(self, value: Any, name: str) -> list[str]:
        return list(problems(value, {"$ref": f"#/components/schemas/{name}"}, "it"))

    def test_an_answer_that_is_not_what_the_document_says_is_found(self) -> None:
        part = {"id": "prt_a", "sessionID": "ses_a", "messageID": "msg_a", "type": "text", "text": "x"}
        self.assertEqual(self.found(part, "Part"), [])
        self.assertEqual(self.found({**part, "text": 5}, "Part"), ["it.text is 5 and not string"])
        self.assertEqual(len(self.found({**part, "type": "new"}, "Part")), 1)
        self.assertEqual(self.found({**part, "id": "x"}, "Part")[0][:15], "it.id is 'x' an")
        health = {"healthy": True, "version": "1", "sourceSha": None, "sourceWorktreeHash": None}
        self.assertEqual(self.found(health, "Health"), ["it has no runId"])
        self.assertEqual(
            self.found({**health, "runId": "r", "healthy": 1}, "Health"), ["it.healthy is 1 and not boolean"]
        )

    def test_answers_are_those_of_their_operation(self) -> None:
        for method, path, reference in (
            ("GET", "/session/status", None),
            ("GET", "/session/ses_a", "Session"),
            ("POST", "/runtime/prompt", "PromptAccepted"),
            ("DELETE", "/session/ses_a/queue/trn_a", "RunTurn"),
        ):
            found = schema_of(Call(method, path))
            assert found is not None
            self.assertEqual(found.get("$ref", "").rsplit("/", 1)[-1], reference or "", path)
        self.assertIsNone(schema_of(Call("GET", "/nowhere")))


class Unasync(unittest.TestCase):
    """How the plain client is made of the async one."""

    def plain(self, text: str) -> str:
        return str(loaded("unasync").plain("aio.py", text))

    def test_what_is_async_is_left_out(self) -> None:
        source = (
            "import asyncio\nfrom ._aio_connection import AsyncPool\n"
            "async def f(self) -> AsyncIterator[int]:\n"
            "    try:\n        async with AsyncClient() as c:\n            return await c.__anext__()\n"
            "    except asyncio.CancelledError:\n        # Why.\n        raise\n"
            "    except OSError:\n        await c.aclose()\n"
        )
        self.assertEqual(
            self.plain(source),
            (
                "from ._connection import Pool\n"
                "def f(self) -> Iterator[int]:\n"
                "    try:\n        with Client() as c:\n            return c.__next__()\n"
                "    except OSError:\n        c.close()\n"
            ),
        )

    def test_what_it_does_not_know_is_an_error(self) -> None:
        for text in ("x = asyncio.sleep(1)\n", '"""For asyncio."""\n', "f(async_=await_)\nawait\n"):
            with self.assertRaisesRegex(ValueError, "left over"):
                self.plain(text)


class Generator(unittest.TestCase):
    """The generator, on a document that has what ours has not yet."""

    def modules(self, paths: dict[str, Any], schemas: dict[str, Any]) -> dict[str, str]:
        generate, methods = loaded("generate"), loaded("methods")
        document = {"paths": paths, "components": {"schemas": schemas}}
        found = loaded("schemas").Types(document)
        read = methods.Reader(document, found).read()
        return {
            "types": generate.types_module(found),
            "plain": methods.Writer(document, found, read, is_async=False).module(),
            "async": methods.Writer(document, found, read, is_async=True).module(),
        }

    def responses(self, content: dict[str, Any]) -> dict[str, Any]:
        return {"200": {"description": "", "content": content}}

    def test_bytes_both_ways_and_arguments_of_every_place(self) -> None:
        json_ = {"application/json": {"schema": {"type": "object"}}}
        bytes_ = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        parameters = [
            {"name": "filename", "in": "query", "required": True, "schema": {"type": "string"}},
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "Range", "in": "header", "schema": {"type": "string"}},
            {"name": "timeout", "in": "query", "schema": {"type": "integer"}},
        ]
        modules = self.modules(
            {
                "/file/upload/{id}": {
                    "put": {
                        "operationId": "file.resumeUpload",
                        "parameters": parameters,
                        "requestBody": {"content": bytes_},
                        "responses": self.responses(json_),
                    },
                    "get": {
                        "operationId": "file.raw",
                        "parameters": parameters,
                        "responses": self.responses(bytes_),
                    },
                    "delete": {"operationId": "file.drop", "responses": {"204": {"description": ""}}},
                },
            },
            {},
        )
        compact = " ".join(modules["async"].split())
        self.assertIn(
            "async def resume_upload( self, upload_id: str, content: AsyncContent, *, filename: str, "
            "range: str | None = None, timeout_: int | None = None, timeout",
            compact,
        )
        self.assertIn(
            "def raw( self, upload_id: str, *, filename: str, range: str | None = None, timeout_: int | None = None, "
            "timeout: float | None = None, ) -> AsyncDownload:",
            compact,
        )
        self.assertNotIn("async def raw", compact)
        self.assertIn("async def drop(self, *, timeout: float | None = None) -> None:", compact)
        self.assertIn("from .._wire import AsyncContent, Call, segment", compact)
        self.assertIn("-> Download:", modules["plain"])
        for name in ("plain", "async"):
            compile(modules[name], name, "exec")

    def test_unions_maps_nulls_and_nested_objects_have_types(self) -> None:
        modules = self.modules(
            {},
            {
                "Launch": {
                    "type": "object",
                    "description": "How.",
                    "required": ["command"],
                    "properties": {"command": {"type": "string"}},
                },
                "Choice": {"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/Launch"}]},
                "Either": {
                    "oneOf": [{"$ref": "#/components/schemas/Launch"}, {"$ref": "#/components/schemas/Other"}]
                },
                "Odd": {
                    "type": "object",
                    "description": "O.",
                    "required": ["a"],
                    "properties": {
                        "from": {"type": "string"},
                        "a": {"type": "string"},
                        "b": {"type": "string"},
                    },
                },
                "Other": {
                    "type": "object",
                    "description": "Else.",
                    "properties": {
                        "idleMs": {"type": "integer"},
                        "openedAt": {"type": ["integer", "null"], "description": "When."},
                        "labels": {
                            "type": "object",
                            "additionalProperties": {"type": "array", "items": {"type": "number"}},
                        },
                        "inner": {
                            "type": "object",
                            "required": ["x"],
                            "properties": {"x": {"type": "boolean"}},
                        },
                        "choice": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Choice"}]},
                    },
                },
            },
        )
        text = modules["types"]
        self.assertIn("Choice = str | Launch", text)
        self.assertIn("Either = Launch | Other", text)
        self.assertIn('_OddOdd = TypedDict("_OddOdd", {"from": "str"}, total=False)', text)
        self.assertIn("class Odd(_OddRequired, _OddOdd, total=False):", text)
        self.assertIn("    labels: dict[str, list[float]]\n", text)
        self.assertIn("    inner: OtherInner\n", text)
        self.assertIn("    choice: Choice | None\n", text)
        self.assertIn('    idleMs: int\n    """Milliseconds."""', text)
        self.assertIn('    openedAt: int | None\n    """When, in milliseconds since 1970."""', text)
        compile(text, "types", "exec")

    def test_what_has_no_form_is_refused_and_not_guessed(self) -> None:
        with self.assertRaises(loaded("schemas").Unsupported):
            self.modules(
                {
                    "/a": {
                        "get": {"operationId": "a.b", "responses": {}},
                        "post": {"operationId": "a.b", "responses": {}},
                    }
                },
                {},
            )


if __name__ == "__main__":
    unittest.main()
