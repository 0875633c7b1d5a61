"""Does what is built hold the package, and does what is installed work?"""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
import io
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from types import ModuleType

import openscience

from .support import PACKAGE


def backend_of(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"backend_{folder.name}", folder / "tools" / "backend.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Built(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.backend = backend_of(PACKAGE)

    def test_the_wheel_holds_every_module_and_says_so(self) -> None:
        wheel = self.folder / self.backend.build_wheel(str(self.folder))
        self.assertEqual(wheel.name, f"openscience-{openscience.__version__}-py3-none-any.whl")
        with zipfile.ZipFile(wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            folder = f"openscience-{openscience.__version__}.dist-info"
            rows = list(csv.reader(io.StringIO(archive.read(f"{folder}/RECORD").decode())))
            self.assertEqual([row[0] for row in rows], names)
            for name, digest, size in rows[:-1]:
                data = archive.read(name)
                hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={hashed}", str(len(data))))
            metadata = archive.read(f"{folder}/METADATA").decode()
        sources = {path.relative_to(PACKAGE / "src").as_posix() for path in (PACKAGE / "src").rglob("*.py")}
        self.assertLessEqual(sources | {"openscience/py.typed", f"{folder}/licenses/LICENSE"}, set(names))
        self.assertFalse([name for name in names if "__pycache__" in name or name.startswith("tests")])
        head = metadata.split("\n\n", 1)[0].splitlines()
        self.assertIn("Name: openscience", head)
        self.assertIn("Requires-Python: >=3.10", head)
        self.assertIn("License-Expression: Apache-2.0", head)
        self.assertFalse([line for line in head if line.startswith("Requires-Dist")])

    def test_the_wheel_works_by_itself(self) -> None:
        wheel = self.folder / self.backend.build_wheel(str(self.folder))
        code = (
            f"import sys; sys.path.insert(0, {str(wheel)!r}); import openscience; "
            "print(openscience.__file__, openscience.Client().session.create)"
        )
        ran = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60
        )
        self.assertIn(".whl/openscience/__init__.py", ran.stdout, ran.stderr)

    def test_a_wheel_built_from_the_source_archive_is_the_same(self) -> None:
        archive = self.folder / self.backend.build_sdist(str(self.folder))
        with tarfile.open(archive) as packed:
            members = packed.getmembers()
            self.assertTrue(all(member.isfile() and ".." not in member.name for member in members))
            for member in members:
                source = packed.extractfile(member)
                assert source is not None
                path = self.folder / member.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(source.read())
        unpacked = self.folder / archive.name.replace(".tar.gz", "")
        for name in ("PKG-INFO", "LICENSE", "tools/backend.py", "examples/permission_loop.py"):
            self.assertTrue((unpacked / name).exists(), name)
        again = self.folder / "again"
        again.mkdir()
        first = self.folder / self.backend.build_wheel(str(self.folder))
        second = again / backend_of(unpacked).build_wheel(str(again))
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_an_editable_install_points_at_the_sources(self) -> None:
        wheel = self.folder / self.backend.build_editable(str(self.folder))
        with zipfile.ZipFile(wheel) as archive:
            self.assertEqual(archive.read("openscience.pth").decode().strip(), str(PACKAGE / "src"))


if __name__ == "__main__":
    unittest.main()
