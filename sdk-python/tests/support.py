"""What the tests share: a daemon, servers that misbehave, and one way to speak to both clients."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import json
import os
import socket
import tempfile
import unittest
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Union

import openscience
from openscience._transport import Operations

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent

SCENARIO_SECONDS = 60.0


def binary() -> str:
    """The daemon that is tested: the one named, else the one that was built last in this repository."""
    named = os.environ.get("OPENSCIENCE_BIN")
    built = ROOT / "target" / "debug" / "openscience"
    if named or built.exists():
        return named or str(built)
    raise AssertionError("no daemon to test: build it (`cargo build`) or set OPENSCIENCE_BIN")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Home:
    """A daemon with data, configuration and project of its own."""

    def __init__(self, **options: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="openscience-py-")
        root = Path(self._folder.name).resolve()
        self.project = root / "project"
        self.project.mkdir()
        # Nothing of the person who runs the tests may be read or written.
        environment = {
            "HOME": str(root),
            "OPENSCIENCE_CONFIG_DIR": str(root / "config"),
            "OPENSCIENCE_DATA_DIR": str(root / "data"),
        }
        self.server = openscience.Server(
            binary(),
            directory=self.project,
            port=options.pop("port", 0) or free_port(),
            env={**environment, **options.pop("env", {})},
            **options,
        )

    def start(self) -> Home:
        self.server.start()
        return self

    def stop(self) -> None:
        self.server.close()
        self._folder.cleanup()


class Threaded:
    """The plain client, spoken to like the async one: each call waits in a thread."""

    OPENS = {"Events", "Follow", "EventStream", "Download"}

    def __init__(self, plain: Any) -> None:
        self._plain = plain

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._plain, name)
        if isinstance(value, Operations):
            return Threaded(value)
        if not callable(value):
            return value
        returns = str(inspect.signature(value).return_annotation).strip("'\"")
        if returns in self.OPENS or returns.startswith("Iterator["):
            return lambda *args, **kwargs: ThreadedStream(value(*args, **kwargs))
        return lambda *args, **kwargs: asyncio.to_thread(value, *args, **kwargs)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._plain.close)

    async def __aenter__(self) -> Threaded:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()


class ThreadedStream:
    """The same for what is iterated."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain
        self._items: Any = None

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._plain, name)
        if name in ("read", "save"):
            return lambda *args: asyncio.to_thread(value, *args)
        return value

    async def __aenter__(self) -> ThreadedStream:
        await asyncio.to_thread(self._plain.__enter__)
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    def __aiter__(self) -> ThreadedStream:
        return self

    async def __anext__(self) -> Any:
        if self._items is None:
            self._items = iter(self._plain)
        end = object()
        item = await asyncio.to_thread(next, self._items, end)
        if item is end:
            raise StopAsyncIteration
        return item

    async def aclose(self) -> None:
        await asyncio.to_thread(self._plain.close)


class Case(unittest.IsolatedAsyncioTestCase):
    """A test that may use threads freely and does not hang for ever."""

    maxDiff = 2000

    async def asyncSetUp(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(64))
        # unittest watches for slow steps, which a busy machine has, and doubles the time of all.
        loop.set_debug(False)

    def _callTestMethod(self, method: Callable[[], Any]) -> Any:
        async def limited() -> None:
            await asyncio.wait_for(method(), SCENARIO_SECONDS)

        return super()._callTestMethod(limited if inspect.iscoroutinefunction(method) else method)  # type: ignore[misc]


class Plain:
    """Tests are run with the plain client."""

    def client(self, url: str, **options: Any) -> Any:
        client = openscience.Client(url, **options)
        self.addCleanup(client.close)  # type: ignore[attr-defined]
        return Threaded(client)


class Async:
    """Tests are run with the async client."""

    def client(self, url: str, **options: Any) -> Any:
        client = openscience.AsyncClient(url, **options)
        self.addAsyncCleanup(client.aclose)  # type: ignore[attr-defined]
        return client


# Servers that do exactly what a test says

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Serving:
    """A server on a port of its own; at its end every connection is cut and every handler over."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._tasks: set[asyncio.Task[None]] = set()
        self.writers: list[asyncio.StreamWriter] = []
        self.url = ""

    async def __aenter__(self) -> Serving:
        self._server = await asyncio.start_server(self._handle, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: Any) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        task = asyncio.ensure_future(self._run(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._handler(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            # The client went away.
            pass
        finally:
            writer.close()

    def cut(self) -> None:
        """Cuts every connection, as a network does."""
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()


class Request:
    """One request as it came."""

    def __init__(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Union[bytes, Sequence[bytes], Callable[[Request], bytes]]


class Fake:
    """Answers each request with the next of the given bytes, then closes the connection."""

    def __init__(self, answers: Sequence[Answer], keeps: bool = False, always: Answer | None = None) -> None:
        self._answers = list(answers)
        self._always = always
        self._keeps = keeps
        self.requests: list[Request] = []
        self.connections = 0
        self.url = ""

    async def __aenter__(self) -> Fake:
        self._serving = await Serving(self._serve).__aenter__()
        self.url = self._serving.url
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self._serving.__aexit__()

    def script(self, answers: Sequence[Answer]) -> None:
        """What it answers from now on."""
        self._answers = list(answers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while True:
            request = await read_request(reader)
            self.requests.append(request)
            answer = self._answers.pop(0) if self._answers else self._always
            if answer is None:
                return
            if callable(answer):
                answer = answer(request)
            for piece in [answer] if isinstance(answer, bytes) else answer:
                writer.write(piece)
                await writer.drain()
            if not self._keeps:
                return


async def read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = b""
    if headers.get("transfer-encoding") == "chunked":
        while True:
            size = int((await reader.readuntil(b"\r\n")).strip(), 16)
            body += (await reader.readexactly(size + 2))[:-2]
            if size == 0:
                break
    elif "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    return Request(method, target, headers, body)


def answer(status: int, body: Any, **headers: str) -> bytes:
    """A whole answer in JSON."""
    data = json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Whatever", "Content-Type: application/json", f"Content-Length: {len(data)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + data


STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def envelope(
    sequence: int, kind: str = "session.idle", /, session: str = "ses_a", **fields: Any
) -> dict[str, Any]:
    event = {"sequence": sequence, "sessionID": session, "runID": "run_a", "type": kind, "kind": "system"}
    return {**event, "properties": {"sessionID": session}, "time": 1000 + sequence, **fields}


def frame(sequence: int, kind: str = "session.idle", /, ending: str = "\n", **fields: Any) -> bytes:
    """An event as it stands in a stream."""
    lines = [
        f"event: {kind}",
        f"data: {json.dumps(envelope(sequence, kind, **fields))}",
        f"id: {sequence}",
        "",
        "",
    ]
    return ending.join(lines).encode()


class Proxy:
    """Passes bytes between a client and a daemon, and is as bad at it as `plan` says.

    `plan(number, head)` gets the number of the connection and the head of its first request; it answers
    how many bytes of the answer pass before the connection is cut (None: all), and how many pass at once.
    """

    Plan = Callable[[int, bytes], tuple[int | None, int]]

    def __init__(self, url: str, plan: Proxy.Plan | None = None) -> None:
        self._port = int(url.rsplit(":", 1)[1])
        self.plan: Proxy.Plan = plan or (lambda number, head: (None, 65536))
        self.heads: list[bytes] = []
        self.url = ""

    async def __aenter__(self) -> Proxy:
        self._serving = await Serving(self._serve).__aenter__()
        self.url = self._serving.url
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self._serving.__aexit__()

    def cut(self) -> None:
        """Cuts every connection, as a network does."""
        self._serving.cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        budget, at_once = self.plan(len(self.heads), head)
        upstream, upstream_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._serving.writers.append(upstream_writer)
        # One request a connection, so that a plan is about one answer.
        upstream_writer.write(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        up = asyncio.ensure_future(self._pass(reader, upstream_writer, None, 65536))
        try:
            await self._pass(upstream, writer, budget, at_once)
        finally:
            up.cancel()
            await asyncio.gather(up, return_exceptions=True)
            writer.transport.abort()
            upstream_writer.transport.abort()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, budget: int | None, at_once: int
    ) -> None:
        while budget is None or budget > 0:
            data = await reader.read(65536)
            if not data:
                break
            data = data if budget is None else data[:budget]
            budget = None if budget is None else budget - len(data)
            for start in range(0, len(data), at_once):
                writer.write(data[start : start + at_once])
                await writer.drain()
        # What was written has to get there before the connection is cut.
        if writer.can_write_eof():
            writer.write_eof()

    def count(self, start: bytes) -> int:
        """How many connections began with that request."""
        return sum(head.startswith(start) for head in self.heads)


async def until(condition: Callable[[], bool | Awaitable[bool]], seconds: float = 20.0) -> None:
    """Waits for a condition, not for a time."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        value = condition()
        if await value if inspect.isawaitable(value) else value:
            return
        if asyncio.get_running_loop().time() > end:
            raise AssertionError("it did not happen")
        await asyncio.sleep(0.01)
