"""How does the package become a wheel and a source archive?

A build backend (PEP 517, PEP 660) in the standard library: there is nothing to compile and nothing to
resolve, so a build needs no network and gives the same bytes each time. It reads what it needs from
`pyproject.toml` and knows no other project.
"""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent.parent
SOURCE = HOME / "src"
TAG = "py3-none-any"
GENERATOR = "openscience-backend"
# Archives hold times; one that never changes makes equal sources give equal archives.
EPOCH = (1980, 1, 1, 0, 0, 0)
EPOCH_SECONDS = 315532800
SHIPPED = ("README.md", "LICENSE", "pyproject.toml", "src", "tools", "examples")


def project() -> dict[str, Any]:
    """The `[project]` table: texts and lists of texts, which is all ours has. (tomllib came with 3.11.)"""
    text = (HOME / "pyproject.toml").read_text(encoding="utf-8")
    table = text.split("[project]\n", 1)[1].split("\n[", 1)[0]
    found: dict[str, Any] = {}
    for key, value in re.findall(r'^([a-z-]+) = ("[^"]*"|\[[^\]]*\])', table, re.MULTILINE):
        words = re.findall(r'"([^"]*)"', value)
        found[key] = words if value.startswith("[") else words[0]
    urls = text.split("[project.urls]\n", 1)[1].split("\n[", 1)[0]
    found["urls"] = re.findall(r'^(\w+) = "([^"]*)"', urls, re.MULTILINE)
    return found


def name() -> str:
    return f"{project()['name']}-{project()['version']}"


def metadata() -> str:
    said = project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {said['name']}",
        f"Version: {said['version']}",
        f"Summary: {said['description']}",
        f"License-Expression: {said['license']}",
        "License-File: LICENSE",
        f"Keywords: {','.join(said['keywords'])}",
        *(f"Classifier: {one}" for one in said["classifiers"]),
        *(f"Project-URL: {label}, {url}" for label, url in said["urls"]),
        f"Requires-Python: {said['requires-python']}",
        "Description-Content-Type: text/markdown",
        "",
        (HOME / said["readme"]).read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def license_text() -> bytes:
    """Beside the package in a source archive, else that of the repository."""
    for folder in (HOME, HOME.parent):
        if (folder / "LICENSE").exists():
            return (folder / "LICENSE").read_bytes()
    raise FileNotFoundError("LICENSE")


def files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
            yield path


def info() -> list[tuple[str, bytes]]:
    """What stands in the wheel beside the package."""
    wheel = f"Wheel-Version: 1.0\nGenerator: {GENERATOR}\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    return [
        ("METADATA", metadata().encode()),
        ("WHEEL", wheel.encode()),
        ("licenses/LICENSE", license_text()),
    ]


def write_wheel(directory: str, content: list[tuple[str, bytes]]) -> str:
    folder = f"{name()}.dist-info"
    content = [*content, *((f"{folder}/{path}", data) for path, data in info())]
    rows = []
    for path, data in content:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append((path, f"sha256={digest}", str(len(data))))
    rows.append((f"{folder}/RECORD", "", ""))
    record = io.StringIO()
    csv.writer(record, lineterminator="\n").writerows(rows)
    filename = f"{name()}-{TAG}.whl"
    with zipfile.ZipFile(Path(directory) / filename, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in [*content, (f"{folder}/RECORD", record.getvalue().encode())]:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return filename


# What installers call


def build_wheel(
    wheel_directory: str, config_settings: Any | None = None, metadata_directory: str | None = None
) -> str:
    content = [(path.relative_to(SOURCE).as_posix(), path.read_bytes()) for path in files(SOURCE)]
    return write_wheel(wheel_directory, content)


def build_editable(
    wheel_directory: str, config_settings: Any | None = None, metadata_directory: str | None = None
) -> str:
    return write_wheel(wheel_directory, [("openscience.pth", f"{SOURCE}\n".encode())])


def build_sdist(sdist_directory: str, config_settings: Any | None = None) -> str:
    filename = f"{name()}.tar.gz"
    content: list[tuple[str, bytes]] = [("PKG-INFO", metadata().encode()), ("LICENSE", license_text())]
    for shipped in SHIPPED:
        place = HOME / shipped
        for path in files(place) if place.is_dir() else [place]:
            if path.exists() and path.name != "LICENSE":
                content.append((path.relative_to(HOME).as_posix(), path.read_bytes()))
    with open(Path(sdist_directory) / filename, "wb") as raw:
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=EPOCH_SECONDS) as packed:
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for path_name, data in content:
                    entry = tarfile.TarInfo(f"{name()}/{path_name}")
                    entry.size, entry.mtime, entry.mode = len(data), EPOCH_SECONDS, 0o644
                    archive.addfile(entry, io.BytesIO(data))
    return filename
