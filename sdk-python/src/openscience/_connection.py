"""How does a thread have connections to the daemon?

Sockets, and those that are kept for the next request. Many threads may share a pool: each request has a
connection to itself while it lasts.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
import time
from typing import IO, Any

from ._wire import IDLE_CONNECTIONS_MAX, PIECE, Address, pieces
from .errors import ConnectionError, RequestTimeout

__all__ = ["Connection", "Pool", "Stop", "pieces", "sleep", "write"]


class Connection:
    """One connection to the daemon."""

    def __init__(self, own: socket.socket) -> None:
        self._socket = own

    @classmethod
    def open(cls, address: Address, timeout: float | None, tls: ssl.SSLContext | None) -> Connection:
        with translated():
            own: socket.socket = socket.create_connection((address.host, address.port), timeout)
            try:
                own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if address.is_secure:
                    context = tls or ssl.create_default_context()
                    own = context.wrap_socket(own, server_hostname=address.host)
            except BaseException:
                own.close()
                raise
        return cls(own)

    def wait_at_most(self, timeout: float | None) -> None:
        self._socket.settimeout(timeout)

    @property
    def is_quiet(self) -> bool:
        """False if the other side has closed it, or has said what nobody asked for."""
        try:
            poll = select.poll()
            poll.register(self._socket, select.POLLIN)
            return not poll.poll(0)
        except (AttributeError, OSError, ValueError):
            return False

    def send(self, data: bytes) -> None:
        with translated():
            self._socket.sendall(data)

    def receive(self) -> bytes:
        with translated():
            return self._socket.recv(PIECE)

    def close(self) -> None:
        self._socket.close()

    def interrupt(self) -> None:
        """Ends a read that another thread is in."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class translated:
    """Faults of sockets as faults of this package."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, TimeoutError) and not isinstance(error, ConnectionError):
            raise RequestTimeout("the daemon did not answer in time") from error
        if isinstance(error, OSError) and not isinstance(error, ConnectionError):
            raise ConnectionError(f"no connection to the daemon: {error.strerror or error}") from error


class Pool:
    """Connections that wait for the next request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        """Guards the list alone; held for no IO."""
        self._idle: list[Connection] = []
        self._process = os.getpid()

    def take(self) -> Connection | None:
        while True:
            with self._lock:
                # After a fork both processes would talk on the same connections.
                if self._process != os.getpid():
                    self._idle, self._process = [], os.getpid()
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if connection.is_quiet:
                return connection
            connection.close()

    def give(self, connection: Connection) -> None:
        with self._lock:
            if len(self._idle) < IDLE_CONNECTIONS_MAX:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class Stop:
    """Set once; waiting ends then."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def pause(self, seconds: float) -> None:
        """Waits, but not once it is set."""
        self._event.wait(seconds)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def write(target: IO[bytes], data: bytes) -> None:
    target.write(data)
