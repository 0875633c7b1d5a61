"""Does a daemon of one's own start, answer and end, whatever happens to it and to us?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openscience
from openscience import HTTPError, Server, ServerError, find_binary

from .support import PACKAGE, Home, binary, free_port

# A stand-in for the daemon that says and does what its arguments tell. A readiness line names its own pid.
STAND_IN = """#!{python}
import http.server, json, os, sys, signal, time
with open({notes!r}, "a") as notes:
    notes.write(json.dumps({{"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd()}}) + "\\n")
{body}
"""
HEALTH = """
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        data = json.dumps({answer}).encode()
        self.send_response({status})
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
url = "http://127.0.0.1:%d" % server.server_port
ready = dict(type="server.ready", schemaVersion=1, url=url, pid=os.getpid(), version="9")
ready.update({changes})
print("a line of something else")
print(json.dumps({{"type": "other"}}))
print(json.dumps(ready), flush=True)
server.serve_forever()
"""


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def is_alive(pid: int) -> bool:
    """False for processes that are gone and for those nobody has waited for yet."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return stat.rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Own(unittest.TestCase):
    """With the real daemon."""

    def setUp(self) -> None:
        self.home = Home()
        self.addCleanup(self.home.stop)
        self.server = self.home.server

    def test_it_starts_answers_and_ends_with_its_block(self) -> None:
        with self.server as server:
            pid = server.pid
            self.assertTrue(server.is_running)
            self.assertEqual(server.health()["version"], server.version)
            with server.client() as client:
                self.assertEqual(client.project.current()["worktree"], str(self.home.project))
            self.assertIs(server.start(), server)
            self.assertEqual(server.pid, pid)
        self.assertFalse(is_alive(pid))
        self.assertFalse(server.is_running)
        with self.assertRaises(ServerError):
            _ = server.url
        server.close()

    def test_it_is_protected_by_a_token_unless_told_otherwise(self) -> None:
        with self.server as server:
            with self.assertRaises(HTTPError) as caught, openscience.Client(server.url) as client:
                client.capabilities()
            self.assertEqual(caught.exception.status, 401)
        home = Home(token="")
        self.addCleanup(home.stop)
        with home.server as server:
            with openscience.Client(server.url) as client:
                client.capabilities()
            self.assertIsNone(server.token)

    def test_its_data_survives_a_kill_and_a_new_start(self) -> None:
        with self.server as server:
            with server.client() as client:
                session = client.create_session("kept")
            server.kill()
            self.assertFalse(server.is_running)
            server.start()
            with server.client() as client:
                self.assertEqual(client.get_session(session["id"])["title"], "kept")

    def test_a_daemon_that_cannot_start_says_why(self) -> None:
        with self.server as server:
            port = int(server.url.rsplit(":", 1)[1])
            second = Home(port=port)
            self.addCleanup(second.stop)
            with self.assertRaises(ServerError) as caught:
                second.start()
            self.assertEqual(caught.exception.code, openscience.StartErrorCode.PORT_IN_USE)
            self.assertIn(str(port), str(caught.exception))
        wrong = Home(config={"limits": {"heartbeatMs": "soon"}})
        self.addCleanup(wrong.stop)
        with self.assertRaises(ServerError) as caught:
            wrong.start()
        self.assertEqual(caught.exception.code, openscience.StartErrorCode.CONFIG_INVALID)

    def owner(self, code: str) -> subprocess.Popen[str]:
        """A Python that owns a daemon, prints its pid and goes on with `code`."""
        script = (
            "import os, sys, openscience\n"
            f"server = openscience.Server({binary()!r}, directory={str(self.home.project)!r}, port={free_port()})\n"
            "print(server.start().pid, server._child._watchdog.pid, flush=True)\n" + code
        )
        env = {**os.environ, **self.server._env, "PYTHONPATH": str(PACKAGE / "src")}
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        assert process.stdin is not None and process.stdout is not None
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        return process

    def pids(self, process: subprocess.Popen[str]) -> list[int]:
        assert process.stdout is not None
        return [int(word) for word in process.stdout.readline().split()]

    def test_it_ends_when_its_owner_is_killed(self) -> None:
        # A fork that holds on to everything the owner had must not keep the daemon.
        process = self.owner("fork = os.fork()\nif fork == 0: os.setsid()\nsys.stdin.read()\n")
        pids = self.pids(process)
        self.assertEqual([is_alive(pid) for pid in pids], [True, True])
        process.kill()
        self.assertTrue(eventually(lambda: not any(is_alive(pid) for pid in pids)))

    def test_a_fork_of_its_owner_that_ends_does_not_end_it(self) -> None:
        process = self.owner(
            "fork = os.fork()\n"
            "if fork == 0: raise SystemExit(0)\n"
            "os.waitpid(fork, 0)\nprint(server.is_running and server.health()['healthy'], flush=True)\n"
        )
        self.pids(process)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "True\n")
        self.assertEqual(process.wait(30), 0)

    def test_it_ends_when_its_owner_ends_without_closing_it(self) -> None:
        for code, status in (
            ("", 0),
            ("raise SystemExit(3)", 3),
            ("os.kill(os.getpid(), 2)\nsys.stdin.read()", -2),
        ):
            process = self.owner(code)
            pids = self.pids(process)
            self.assertEqual(process.wait(30), status)
            self.assertEqual([is_alive(pid) for pid in pids], [False, False], code)

    def test_keys_pressed_in_a_terminal_do_not_reach_it(self) -> None:
        with self.server as server:
            self.assertEqual(os.getsid(server.pid), server.pid)


class StandIns(unittest.TestCase):
    """With programs that behave worse than the daemon."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.notes = self.folder / "notes"

    def program(self, body: str) -> str:
        path = self.folder / "stand in"
        path.write_text(STAND_IN.format(python=sys.executable, notes=str(self.notes), body=body))
        path.chmod(0o755)
        return str(path)

    def server(
        self,
        body: str | None = None,
        changes: str = "{}",
        answer: str = "",
        status: int = 200,
        **options: Any,
    ) -> Server:
        answer = answer or '{"healthy": True, "version": "9"}'
        body = body if body is not None else HEALTH.format(changes=changes, answer=answer, status=status)
        server = Server(self.program(body), **{"start_timeout": 20, "directory": self.folder, **options})
        self.addCleanup(server.kill)
        return server

    def test_it_is_started_as_told(self) -> None:
        server = self.server(
            port=0,
            token="secret",
            config={"model": "a/b"},
            env={"X": "1"},
            data_dir="/data",
            arguments=["--agent", "sim"],
            binary_arguments=["-v"],
            log_level="WARN",
        )
        with server:
            note = json.loads(self.notes.read_text())
            self.assertEqual(
                note["argv"],
                [
                    "-v",
                    "serve",
                    "--port",
                    "0",
                    "--data-dir",
                    "/data",
                    "--log-level",
                    "WARN",
                    "--agent",
                    "sim",
                ],
            )
            self.assertEqual(note["cwd"], str(self.folder))
            env = note["env"]
            self.assertEqual(json.loads(env["OPENSCIENCE_CONFIG_CONTENT"]), {"model": "a/b"})
            self.assertEqual((env["OPENSCIENCE_AUTH_TOKEN"], env["X"]), ("secret", "1"))
            self.assertEqual(env["OPENSCIENCE_SERVER_READY_FORMAT"], "json")
            self.assertEqual(server.version, "9")

    def check_refused(self, pattern: str, **options: Any) -> None:
        server = self.server(**options)
        with self.assertRaisesRegex(ServerError, pattern):
            server.start()
        self.assertFalse(server.is_running)

    def test_what_is_not_the_daemon_is_refused_and_ended(self) -> None:
        self.check_refused("another process", changes='{"pid": 1}')
        self.check_refused("does not know", changes='{"schemaVersion": 2}')
        for url in (
            "http://example.org",
            "https://127.0.0.1:1",
            "http://127.0.0.1:1/x",
            "http://a@127.0.0.1:1",
            None,
        ):
            self.check_refused("not this machine", changes=repr({"url": url}))
        self.check_refused("not healthy", status=500)
        self.check_refused("not healthy", status=302)
        self.check_refused("not the daemon", answer='{"healthy": False, "version": "9"}')
        self.check_refused("not JSON", body="print('{broken', flush=True); time.sleep(60)")

    def test_one_that_ends_early_leaves_its_last_words(self) -> None:
        server = self.server(body="sys.stderr.write('x' * 20000 + 'the reason'); sys.exit(7)")
        with self.assertRaisesRegex(ServerError, "status 7") as caught:
            server.start()
        self.assertEqual(len(caught.exception.stderr), 8192)
        self.assertTrue(caught.exception.stderr.endswith("the reason"))
        line = json.dumps({"type": "server.error", "code": "port_in_use", "message": "taken"})
        server = self.server(
            body=f"sys.stderr.write('warning: x\\n' + {line!r} + '\\n{{no json\\n'); sys.exit(1)"
        )
        with self.assertRaisesRegex(ServerError, "taken") as caught:
            server.start()
        self.assertEqual(caught.exception.code, "port_in_use")

    def test_one_that_never_gets_ready_is_given_up(self) -> None:
        self.check_refused("within 0.5 seconds", body="time.sleep(60)", start_timeout=0.5)

    def test_one_that_does_not_stop_is_killed(self) -> None:
        body = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + HEALTH.format(
            changes="{}", answer='{"healthy": True, "version": "9"}', status=200
        )
        server = self.server(body=body, shutdown_timeout=0.2).start()
        pid = server.pid
        server.close()
        self.assertFalse(is_alive(pid))

    def test_what_it_writes_never_blocks_it(self) -> None:
        body = "for n in range(3000): sys.stderr.write('line %d ' % n + 'x' * 100 + '\\n')\n" + HEALTH.format(
            changes="{}", answer='{"healthy": True, "version": "9"}', status=200
        )
        with self.server(body=body) as server:
            self.assertTrue(eventually(lambda: "line 2999 " in server.stderr))
            self.assertLessEqual(len(server.stderr), 8192)

    def test_the_program_is_found_by_argument_variable_and_path(self) -> None:
        program = self.program("")
        kept = {name: os.environ.get(name) for name in ("OPENSCIENCE_BIN", "PATH")}

        def restore() -> None:
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value

        self.addCleanup(restore)
        os.environ["OPENSCIENCE_BIN"] = program
        self.assertEqual(find_binary(), program)
        self.assertEqual(find_binary(sys.executable), sys.executable)
        os.environ["OPENSCIENCE_BIN"] = str(self.folder / "gone")
        with self.assertRaisesRegex(ServerError, "there is no program"):
            find_binary()
        del os.environ["OPENSCIENCE_BIN"]
        os.environ["PATH"] = str(self.folder)
        with self.assertRaisesRegex(ServerError, "not on the PATH"):
            find_binary()
        shutil.copy(program, self.folder / "openscience")
        self.assertEqual(find_binary(), str(self.folder / "openscience"))

    def test_wrong_arguments_are_refused(self) -> None:
        for options in ({"port": -1}, {"port": 70000}, {"start_timeout": 0}, {"shutdown_timeout": 0}):
            with self.assertRaises(ValueError):
                Server(**options)  # type: ignore[arg-type]
        with self.assertRaises(ServerError):
            Server("/does/not/exist").start()
        with self.assertRaises(ServerError):
            Server(sys.executable, directory=self.folder / "gone").start()


if __name__ == "__main__":
    unittest.main()
