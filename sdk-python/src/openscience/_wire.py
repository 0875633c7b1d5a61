"""What do the plain and the async client have in common on the wire?

Addresses, heads of requests, and what an answer means. No IO here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Union
from urllib.parse import quote, urlencode, urlsplit

from ._h1 import Head
from .errors import CursorError, HTTPError, ProtocolError

Directory = Union[str, "os.PathLike[str]"]
Content = Union[bytes, bytearray, memoryview, IO[bytes], Iterable[bytes]]
AsyncContent = Union[Content, AsyncIterable[bytes]]

USER_AGENT = "openscience-python"
SAFE_TOKEN = re.compile(r"[\x21-\x7e]+")
PIECE = 64 * 1024
IDLE_CONNECTIONS_MAX = 8


@dataclass(frozen=True)
class Call:
    """One request, whatever sends it."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    fields: Mapping[str, Any] | None = None
    """Keys of a JSON body; those that are None are left out."""
    body: Any = None
    """A JSON body as it is."""
    content: AsyncContent | None = None
    """A body of bytes."""
    selects: bool = False
    """True if the request is about one project."""

    @property
    def is_repeatable(self) -> bool:
        """True if carrying it out twice is the same as once, whatever became of the first."""
        return self.method in ("GET", "HEAD", "OPTIONS")

    def json(self) -> bytes | None:
        """The JSON body, if it has one."""
        value = self.body
        if self.fields is not None:
            value = {key: item for key, item in self.fields.items() if item is not None}
        elif value is None:
            return None
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def segment(value: str) -> str:
    """One part of a path, encoded."""
    if not isinstance(value, str):
        raise TypeError(f"an id is a text, not {type(value).__name__}")
    if not value or value in (".", ".."):
        raise ValueError("an id is missing")
    return quote(value, safe="")


def sequence(value: int | None, name: str = "after_sequence") -> int | None:
    """A cursor, checked."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number")
    if value < 0:
        raise ValueError(f"{name} is 0 or more")
    return value


class Address:
    """Where the daemon is, who calls, and which project is meant."""

    def __init__(
        self,
        base_url: str,
        token: str | None,
        directory: Directory | None,
        project: str | None,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url is an http or https address")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("base_url has no credentials, query or fragment")
        if token is not None and not SAFE_TOKEN.fullmatch(token):
            raise ValueError("token is printable ASCII without blanks")
        self.is_secure = parts.scheme == "https"
        self.host = parts.hostname
        self.port = parts.port or (443 if self.is_secure else 80)
        self.base_url = base_url.rstrip("/")
        self.prefix = parts.path.rstrip("/")
        self.token = token
        self.directory = None if directory is None else absolute(directory)
        self.project = project
        name = f"[{self.host}]" if ":" in self.host else self.host
        self.authority = name if parts.port is None else f"{name}:{self.port}"

    def target(self, call: Call) -> str:
        pairs: list[tuple[str, str | bytes]] = []
        for key, value in call.query.items():
            if value is not None:
                pairs.append((key, word(value)))
        if call.selects and self.directory is not None:
            pairs.append(("directory", os.fsencode(self.directory)))
        if call.selects and self.project is not None:
            pairs.append(("project", self.project))
        query = urlencode(pairs, quote_via=quote, safe="")
        return f"{self.prefix}{call.path}" + (f"?{query}" if query else "")

    def head(self, call: Call, accept: str, body: Mapping[str, str]) -> bytes:
        """The first line and all headers of a request."""
        headers: dict[str, str | None] = {
            "Host": self.authority,
            "Accept": accept,
            "User-Agent": USER_AGENT,
            "Authorization": f"Bearer {self.token}" if self.token else None,
            **body,
            **call.headers,
        }
        lines = [f"{call.method} {self.target(call)} HTTP/1.1"]
        for name, value in headers.items():
            if value is not None:
                if not isinstance(value, str) or re.search(r"[\x00-\x1f\x7f]", value):
                    raise ValueError(f"{name} is text on one line")
                lines.append(f"{name}: {value}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def word(value: Any) -> str:
    if value is True or value is False:
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def absolute(directory: Directory) -> str:
    path = os.fspath(directory)
    if not isinstance(path, str):
        raise TypeError("directory is a text or a path")
    # Not normalised: that would follow `..` without looking at links.
    return path if os.path.isabs(path) else os.path.abspath(path)


def framing(call: Call) -> tuple[dict[str, str], bytes | None]:
    """The headers a body needs, and the body where it is known whole."""
    if call.content is not None:
        headers = {"Content-Type": "application/octet-stream"}
        if isinstance(call.content, (bytes, bytearray, memoryview)):
            data = bytes(call.content)
            return {**headers, "Content-Length": str(len(data))}, data
        size = remaining(call.content)
        if size is not None:
            return {**headers, "Content-Length": str(size)}, None
        return {**headers, "Transfer-Encoding": "chunked"}, None
    document = call.json()
    if document is not None:
        return {"Content-Type": "application/json", "Content-Length": str(len(document))}, document
    return ({} if call.method in ("GET", "HEAD") else {"Content-Length": "0"}), b""


def remaining(content: Any) -> int | None:
    """How many bytes a file on disk still has; None for what does not know."""
    try:
        at: int = content.tell()
        return max(0, os.fstat(content.fileno()).st_size - at)
    except (AttributeError, OSError, ValueError):
        return None


def pieces(content: Any) -> Iterator[bytes]:
    """The bytes of a body, piece by piece."""
    read = getattr(content, "read", None)
    if read is None:
        for piece in content:
            if piece:
                yield bytes(piece)
        return
    while True:
        piece = read(PIECE)
        if not isinstance(piece, (bytes, bytearray)):
            raise TypeError("open the file for reading bytes: open(path, 'rb')")
        if not piece:
            return
        yield bytes(piece)


class Outgoing:
    """Frames the pieces of a body: counted where a length was promised, else in chunks."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        length = headers.get("Content-Length")
        self._left = None if length is None else int(length)

    def piece(self, data: bytes) -> bytes:
        if self._left is None:
            return b"%x\r\n%b\r\n" % (len(data), data)
        if len(data) > self._left:
            raise ValueError("the file grew while it was sent")
        self._left -= len(data)
        return data

    def end(self) -> bytes:
        if self._left is None:
            return b"0\r\n\r\n"
        if self._left:
            raise ValueError("the file shrank while it was sent")
        return b""


def parsed(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, ValueError) as error:
        raise ProtocolError(f"the answer is not JSON: {error}") from None


def answered(head: Head, data: bytes) -> Any:
    """The JSON of a good answer."""
    if head.status == 204:
        return None
    if head.media_type != "application/json":
        raise ProtocolError(f"the answer is {head.media_type or 'of no type'} and not JSON")
    return parsed(data)


def refusal(head: Head, data: bytes) -> HTTPError:
    """The exception for any other status, redirects included: they are never followed."""
    body: Any
    try:
        body = json.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, ValueError):
        body = data.decode("utf-8", "replace")
    error = HTTPError(head.status, body, head.headers)
    if head.status == 409 and error.code in ("cursor_expired", "cursor_ahead"):
        return CursorError(head.status, body, head.headers)
    return error
