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
import re
import sys
import textwrap
from pathlib import Path

import unasync
from methods import HEADER, Reader, Writer
from schemas import Types, Unsupported
from wording import WIDTH, constant, docstring

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "openapi" / "openscience.json"
ERRORS = ROOT / "docs" / "errors.md"
API = ROOT / "docs" / "api.md"
PACKAGE = ROOT / "sdk-python" / "src" / "openscience"
TARGET = PACKAGE / "_generated"


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
