"""How are names and texts of the document written in Python?

No knowledge of schemas or operations here.
"""

from __future__ import annotations

import keyword
import re
import textwrap

WIDTH = 110


def snake(name: str) -> str:
    """`sessionID` becomes session_id, `x-openscience-abort-source` abort_source."""
    name = re.sub(r"^x-(openscience-)?", "", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return safe(re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower())


def safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def is_name(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def pascal(name: str) -> str:
    words = re.split(r"[^A-Za-z0-9]+", name)
    return "".join(word[:1].upper() + word[1:] for word in words if word)


def constant(value: str) -> str:
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", value)
    name = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()
    return f"_{name}" if name[:1].isdigit() else name


def flat(text: str) -> str:
    return " ".join(text.split())


def docstring(text: str, indent: str) -> list[str]:
    """The lines of a docstring; none for no text."""
    text = text.strip().replace("\\", "\\\\").replace('"""', "'''")
    if not text:
        return []
    paragraphs = [flat(paragraph) for paragraph in re.split(r"\n\s*\n", text)]
    if len(paragraphs) == 1 and len(indent) + len(paragraphs[0]) + 6 <= WIDTH:
        ending = " " if paragraphs[0].endswith('"') else ""
        return [f'{indent}"""{paragraphs[0]}{ending}"""']
    lines: list[str] = []
    for paragraph in paragraphs:
        lines += ["", *textwrap.wrap(paragraph, WIDTH - len(indent), break_long_words=False)]
    lines = lines[1:]
    lines[0] = f'"""{lines[0]}'
    return [*(f"{indent}{line}".rstrip() for line in lines), f'{indent}"""']


def hanging(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        flat(text), WIDTH, initial_indent=indent, subsequent_indent=indent + "    ", break_long_words=False
    )


def wrapped_call(head: str, expression: str) -> list[str]:
    """`head` and an expression in brackets, one item a line where it is too long."""
    if len(head) + len(expression) <= WIDTH:
        return [head + expression]
    if " | " in expression and not expression.endswith("]"):
        return [f"{head}(", *(f"    {line}" for line in textwrap.wrap(expression, WIDTH - 4)), ")"]
    opening, rest = expression.split("[", 1)
    items = textwrap.wrap(rest[:-1], WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return [f"{head}{opening}[", *(f"    {item}" for item in items), "]"]
