"""How does a program have a daemon of its own?

`Server` starts `openscience serve`, waits until it answers, and ends it again: by `close`, at the end of a
`with`, when Python exits, and when Python is killed. It does not talk to the daemon apart from asking
whether it is healthy; `client` makes a `Client` for that.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import json
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Union
from urllib.parse import urlsplit

from . import _watchdog
from ._generated.types import Health
from ._wire import Directory, absolute
from .aio import AsyncClient
from .client import Client
from .errors import OpenScienceError, ServerError

__all__ = ["Server", "find_binary"]

STDERR_CHARACTERS = 8192
START_TIMEOUT = 30.0
SHUTDOWN_TIMEOUT = 10.0
READY_SCHEMA_VERSION = 1
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")

PathLike = Union[str, "os.PathLike[str]"]


def find_binary(binary: PathLike | None = None) -> str:
    """The program: the argument, else `OPENSCIENCE_BIN`, else `openscience` on the PATH."""
    named = os.fspath(binary) if binary is not None else os.environ.get("OPENSCIENCE_BIN")
    found = shutil.which(named or "openscience")
    if found is None:
        raise ServerError(
            f"there is no program {named}"
            if named
            else "openscience is not on the PATH: install it, set OPENSCIENCE_BIN, or pass binary="
        )
    return os.path.abspath(found)


class Server:
    """A daemon this process owns.

        with Server(directory="/path/to/project") as server, server.client() as client:
            session = client.create_session()

    It is started when it is entered, or by `start`, and listens once that returns. It is protected by a
    random token unless told otherwise, so that other programs of this machine cannot use it.
    """

    def __init__(
        self,
        binary: PathLike | None = None,
        *,
        directory: Directory | None = None,
        port: int = 0,
        token: str | None = None,
        data_dir: PathLike | None = None,
        config: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        binary_arguments: Sequence[str] = (),
        log_level: str | None = None,
        start_timeout: float = START_TIMEOUT,
        shutdown_timeout: float = SHUTDOWN_TIMEOUT,
    ) -> None:
        """
        Args:
            binary: The program; see `find_binary`.
            directory: Where it is started, which is its own project; the current directory if left out.
            port: Port to listen on; 0 takes a free one.
            token: Bearer token. Left out, `OPENSCIENCE_AUTH_TOKEN` if that is set, else a random one; an
                empty text starts it without.
            data_dir: Where it keeps its data; its default if left out.
            config: Configuration laid over that of the user and the project.
            env: Further environment variables.
            arguments: Further arguments of `serve`, such as `["--agent", "codex"]`.
            binary_arguments: What stands between the program and `serve`.
            log_level: DEBUG, INFO, WARN or ERROR.
            start_timeout: Seconds until it has to answer.
            shutdown_timeout: Seconds between asking it to stop and killing it.
        """
        if not isinstance(port, int) or not 0 <= port <= 65535:
            raise ValueError("port is a number from 0 to 65535")
        if not start_timeout > 0 or not shutdown_timeout > 0:
            raise ValueError("time limits are more than 0 seconds")
        self._binary = binary
        self.directory = absolute(directory if directory is not None else os.getcwd())
        self._port = port
        self.token = (
            os.environ.get("OPENSCIENCE_AUTH_TOKEN") or secrets.token_urlsafe(32) if token is None else token
        ) or None
        self._data_dir = data_dir
        self._config = None if config is None else dict(config)
        self._env = dict(env or {})
        self._arguments = [*binary_arguments, "serve", "--port", str(port)]
        if data_dir is not None:
            self._arguments += ["--data-dir", os.fspath(data_dir)]
        if log_level is not None:
            self._arguments += ["--log-level", log_level]
        self._arguments += arguments
        self._start_timeout = start_timeout
        self._shutdown_timeout = shutdown_timeout
        self._child: _Child | None = None
        self._url: str | None = None
        self.version: str | None = None
        """Version of the daemon, once it runs."""

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Server({self._url or 'not started'})"

    @property
    def url(self) -> str:
        """Where it listens."""
        if self._url is None:
            raise ServerError("the daemon has not been started")
        return self._url

    @property
    def pid(self) -> int:
        if self._child is None:
            raise ServerError("the daemon has not been started")
        return self._child.process.pid

    @property
    def stderr(self) -> str:
        """The last 8,192 characters it wrote to stderr."""
        return self._child.stderr() if self._child else ""

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.process.poll() is None

    def start(self) -> Server:
        """Starts it and waits until it is healthy. A server that was closed can be started again.

        Raises:
            ServerError: It did not start: `code` and `stderr` say why.
        """
        if self.is_running:
            return self
        end = time.monotonic() + self._start_timeout
        child = _Child([find_binary(self._binary), *self._arguments], self.directory, self._environment())
        self._child = child
        try:
            ready = self._ready(child, end)
            self._url, self.version = ready["url"], ready.get("version")
            self._check_health(end)
        except BaseException:
            self._url = None
            child.end(self._shutdown_timeout)
            raise
        return self

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, **self._env}
        environment["OPENSCIENCE_SERVER_READY_FORMAT"] = "json"
        if self._config is not None:
            environment["OPENSCIENCE_CONFIG_CONTENT"] = json.dumps(self._config)
        environment["OPENSCIENCE_AUTH_TOKEN"] = self.token or ""
        return environment

    def _ready(self, child: _Child, end: float) -> dict[str, Any]:
        """What the daemon says once it listens."""
        while True:
            try:
                line = child.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise ServerError(
                    f"the daemon did not start within {self._start_timeout:g} seconds", stderr=child.stderr()
                ) from None
            if line is None:
                raise self._failed(child)
            if line.startswith("{"):
                ready = _object(line)
                if ready.get("type") == "server.ready":
                    return _checked(ready, child.process.pid)

    def _failed(self, child: _Child) -> ServerError:
        """It ended before it was ready: it says why on stderr."""
        child.end(self._shutdown_timeout)
        stderr = child.stderr()
        for line in reversed(stderr.splitlines()):
            with contextlib.suppress(ServerError):
                said = _object(line)
                if said.get("type") == "server.error":
                    message = f"the daemon did not start: {said.get('message')}"
                    return ServerError(message, code=said.get("code"), stderr=stderr)
        status = child.process.returncode
        return ServerError(f"the daemon ended with status {status}: {stderr.strip()}", stderr=stderr)

    def _check_health(self, end: float) -> None:
        try:
            health = self.health(timeout=max(0.1, end - time.monotonic()))
        except OpenScienceError as error:
            stderr = self._child.stderr() if self._child else ""
            raise ServerError(f"the daemon is not healthy: {error}", stderr=stderr) from error
        if health.get("healthy") is not True or not isinstance(health.get("version"), str):
            raise ServerError("what answers there is not the daemon")

    def health(self, timeout: float = 5.0) -> Health:
        """Asks it whether it answers."""
        with self.client(timeout=timeout) as client:
            return client.global_.health()

    def client(self, **options: Any) -> Client:
        """A client of it; `options` are those of `Client`. Its project is `directory`."""
        return Client(self.url, **{"token": self.token, "directory": self.directory, **options})

    def async_client(self, **options: Any) -> AsyncClient:
        """An async client of it."""
        return AsyncClient(self.url, **{"token": self.token, "directory": self.directory, **options})

    def close(self) -> None:
        """Asks it to stop and waits; kills it if that takes too long. Fine if it does not run."""
        child, self._url = self._child, None
        if child is not None:
            child.end(self._shutdown_timeout)

    def kill(self) -> None:
        """Ends it at once, as a crash would: what it was doing is `interrupted`."""
        child, self._url = self._child, None
        if child is not None:
            child.kill()


class _Child:
    """The process, its output, and what watches over it."""

    def __init__(self, command: list[str], directory: str, environment: dict[str, str]) -> None:
        try:
            # In a session of its own: Ctrl-C in the terminal is for us, we then stop it in order.
            self.process = subprocess.Popen(
                command,
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"{command[0]} could not be started: {error.strerror or error}") from error
        self.owner = os.getpid()
        self.lines: queue.Queue[str | None] = queue.Queue()
        self._stderr: collections.deque[str] = collections.deque()
        self._stderr_length = 0
        self._lock = threading.Lock()
        """Guards what is kept of stderr."""
        _living.add(self)
        self._watchdog: subprocess.Popen[bytes] | None = None
        try:
            self._watchdog = self._watch()
            self._threads = [
                self._thread(self._read_stdout, self.process.stdout),
                self._thread(self._read_stderr, self.process.stderr),
            ]
        except BaseException:
            self.kill()
            raise

    def _watch(self) -> subprocess.Popen[bytes] | None:
        """Starts what ends the daemon if we die. It is at its post when this returns."""
        if not sys.executable:
            # Python inside another program: there is nothing to start it with.
            return None
        command = [
            sys.executable,
            "-I",
            "-S",
            str(Path(_watchdog.__file__)),
            str(self.process.pid),
            str(SHUTDOWN_TIMEOUT),
        ]
        watchdog = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert watchdog.stdout is not None
        with watchdog.stdout as ready:
            ready.read(1)
        return watchdog

    def _thread(self, target: Any, pipe: IO[bytes] | None) -> threading.Thread:
        thread = threading.Thread(target=target, args=(pipe,), name="openscience-output", daemon=True)
        thread.start()
        return thread

    def _read_stdout(self, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                # Nothing is expected after readiness, and nothing is kept of it.
                if self.lines.qsize() < 100:
                    self.lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        self.lines.put(None)

    def _read_stderr(self, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                text = line.decode("utf-8", "replace")[-STDERR_CHARACTERS:]
                with self._lock:
                    self._stderr.append(text)
                    self._stderr_length += len(text)
                    while self._stderr_length - len(self._stderr[0]) >= STDERR_CHARACTERS:
                        self._stderr_length -= len(self._stderr.popleft())

    def stderr(self) -> str:
        with self._lock:
            return "".join(self._stderr)[-STDERR_CHARACTERS:]

    def end(self, grace: float) -> None:
        """Asks it to stop, kills it after `grace` seconds, and waits for what is left."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(grace)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._settle()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self._settle()

    def _settle(self) -> None:
        self.process.wait()
        watchdog, self._watchdog = self._watchdog, None
        if watchdog is not None:
            watchdog.kill()
            if watchdog.stdin is not None:
                watchdog.stdin.close()
            watchdog.wait()
        for thread in getattr(self, "_threads", ()):
            # A grandchild may hold the pipe open; it is not waited for.
            thread.join(1.0)
        _living.discard(self)


_living: weakref.WeakSet[_Child] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """At the end of Python: all are asked first, then waited for."""
    # A fork of ours has no say over it.
    children = [child for child in _living if child.owner == os.getpid()]
    for child in children:
        if child.process.poll() is None:
            child.process.send_signal(signal.SIGTERM)
    for child in children:
        child.end(SHUTDOWN_TIMEOUT)


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        raise ServerError(f"the daemon wrote a line that is not JSON: {line[:200]}") from None
    return value if isinstance(value, dict) else {}


def _checked(ready: dict[str, Any], pid: int) -> dict[str, Any]:
    """The readiness line, if it is of this very process and of this very machine."""
    if ready.get("schemaVersion") != READY_SCHEMA_VERSION:
        raise ServerError(f"the daemon is ready in a form this package does not know: {ready}")
    if ready.get("pid") != pid:
        raise ServerError(f"another process is ready: {ready.get('pid')} and not {pid}")
    url = ready.get("url")
    parts = urlsplit(url if isinstance(url, str) else "")
    is_plain = parts.path in ("", "/") and not (parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme != "http" or parts.hostname not in LOCAL_HOSTS or not is_plain:
        raise ServerError(f"the daemon listens at {url}, which is not this machine")
    return ready
