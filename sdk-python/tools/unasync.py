"""How does the async half of the package become the plain one?

The plain client does word for word what the async one does, without waiting for it. So it is not written
twice: the modules of `SOURCES` are written by hand, this leaves out what is async in them. What really
differs, sockets and clocks, stands by hand in `_connection.py` and `_aio_connection.py`.

Words alone are changed; a word this does not know is an error and not passed on.
"""

from __future__ import annotations

import re

SOURCES = {
    "aio.py": "client.py",
    "_aio_readers.py": "_readers.py",
    "_aio_transport.py": "_transport.py",
}

# What documentation says of the one and not of the other.
PHRASES = [
    (
        '''"""How does an asyncio program use the daemon?

`AsyncClient` has the methods of `Client`, to be awaited. It speaks HTTP on asyncio's own streams, without
threads: a request can be cancelled at any moment and leaves nothing behind but, for a command, doubt
whether the daemon got it.
"""''',
        '''"""How does a program use the daemon?

`Client` has the verbs an integration needs by name, and every operation of the HTTP interface below
`client.session`, `client.queue`, `client.agent` and so on. Records are dictionaries with the keys of the
wire (`openscience.types`); what a newer daemon adds stays in them.
"""''',
    ),
    ("The daemon, for asyncio.", "The daemon, for programs that wait for their answers."),
    ("Its tasks may share it.", "Threads may share it."),
    (
        "\n        A step that is cancelled loses nothing: the next goes on.",
        "",
    ),
    ("answers read under asyncio?", "answers read?"),
    ("and answers back under asyncio?", "and answers back?"),
    ("a task that reads it", "a thread that reads it"),
    ("another task is in", "another thread is in"),
]

RULES = [
    # Only asyncio has steps that are cancelled.
    (r"\n( +)except asyncio\.CancelledError:\n(?:\1    #.*\n)*\1    raise(?=\n)", ""),
    (r"^import asyncio\n", ""),
    (r"\basync (?=(def|with|for)\b)", ""),
    (r"\bawait ", ""),
    (r"\ban `with`", "a `with`"),
    (r"\b_aio_", "_"),
    (r"\basync_operations\b", "operations"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"\baclose\b", "close"),
    (r"\b__a(enter|exit|iter|next)__", r"__\1__"),
]

LEFT_OVER = re.compile(r"\b(async|await|asyncio|aclose)\b|\bAsync|__a(enter|exit|iter|next)__")


def plain(name: str, text: str) -> str:
    """The plain form of an async module."""
    for said, instead in PHRASES:
        text = text.replace(said, instead)
    for pattern, instead in RULES:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    left = LEFT_OVER.search(text)
    if left is not None:
        line = text[: left.start()].count("\n") + 1
        raise ValueError(f"{SOURCES[name]}:{line}: {left[0]} is left over of {name}")
    return text
