"""Does what the documents and examples show really work?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from .support import PACKAGE, ROOT, Home, binary


class Guides(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Home()
        self.addCleanup(self.home.stop)

    def run_python(self, *arguments: str, url: str | None = None) -> subprocess.CompletedProcess[str]:
        server = self.home.server
        environment = {
            **os.environ,
            **server._env,
            "OPENSCIENCE_BIN": binary(),
            "PYTHONPATH": str(PACKAGE / "src"),
        }
        environment.pop("OPENSCIENCE_AUTH_TOKEN", None)
        if url:
            environment.update({"OPENSCIENCE_URL": url, "OPENSCIENCE_AUTH_TOKEN": server.token or ""})
        return subprocess.run(
            [sys.executable, "-W", "error", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.home.project,
            env=environment,
            stdin=subprocess.DEVNULL,
        )

    def blocks(self, path: Path) -> list[str]:
        found = re.findall(
            r"^```python\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        self.assertTrue(found, path)
        return found

    def check(self, ran: subprocess.CompletedProcess[str], *lines: str) -> None:
        self.assertEqual((ran.returncode, ran.stderr), (0, ""), ran.stdout)
        for line in lines:
            self.assertIn(line, ran.stdout.splitlines())

    def test_the_guide_works_when_pasted(self) -> None:
        ran = self.run_python("-c", "\n".join(self.blocks(ROOT / "docs" / "python.md")))
        self.check(
            ran,
            "completed",
            "w1 w2 w3 w4 w5",
            "bash ['make']",
            "resolved",
            "resolved [['red']]",
            "cancelled",
            "server.connected",
            "True True",
            "['w1 w2 w3', 'w1 w2 w3', 'w1 w2 w3']",
        )

    def test_the_readme_works_when_pasted(self) -> None:
        self.check(
            self.run_python("-c", "\n".join(self.blocks(PACKAGE / "README.md"))), "completed w1 w2 w3 w4 w5"
        )

    def test_a_job_is_done_once_however_often_it_is_started(self) -> None:
        example = str(PACKAGE / "examples" / "persist_and_recover.py")
        self.check(self.run_python(example, "job.json", "say 3"), "w1 w2 w3")
        first = json.loads((self.home.project / "job.json").read_text())
        with self.home.server as server:
            self.check(self.run_python(example, "job.json", "ignored", url=server.url), "w1 w2 w3")
            with server.client() as client:
                self.assertEqual(len(client.snapshot(first["session"])["runs"]), 1)

    def test_permissions_are_answered_by_rule(self) -> None:
        example = str(PACKAGE / "examples" / "permission_loop.py")
        with self.home.server as server:
            self.check(
                self.run_python(example, "ask make", "make", url=server.url),
                "once: make (resolved)",
                "completed",
            )
            self.check(
                self.run_python(example, "question Which? | red", url=server.url),
                "dismissed: Which?",
                "completed",
            )
            self.check(
                self.run_python(example, "ask rm", "make", url=server.url),
                "reject: rm (resolved)",
                "completed",
            )

    def test_the_notebook_runs_from_top_to_bottom(self) -> None:
        said = " ".join(f"w{n}" for n in range(1, 13))
        self.check(
            self.run_python(str(PACKAGE / "examples" / "notebook.py")),
            said,
            f"assistant: {said}",
            "user: say 12 20",
        )


if __name__ == "__main__":
    unittest.main()
