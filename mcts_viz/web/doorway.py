"""Where connections wait until their requests are there, so that only what can be answered takes a thread.

One that is idle, or has begun a request and not ended it, stands in one selector with all others, until it runs out of
time or makes room for a newer one. Knows sockets and cheroot's connections, and nothing of what is asked.
"""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from cheroot.makefile import MakeFile
from cheroot.server import HTTPConnection, HTTPServer

SMALL = 48 << 10  # bytes of a body that arrives as a whole before it gets a thread
LARGEST_HEAD = 64 << 10  # bytes
PATIENCE = 10.0  # seconds for a request to arrive, and for each read and write
KEPT_ALIVE = 75.0  # seconds between two requests of a connection
LOOK = 0.05  # seconds between two looks at the requests that have arrived in part
IDLE = 1.0  # seconds between two looks at the clock when nothing happens
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,9})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")


class Buffered(Protocol):
    """What has been read of a connection and not been looked at."""

    def has_data(self) -> bool:
        """Whether there is anything."""


class Connection(HTTPConnection):
    """One connection."""

    socket: socket.socket
    rfile: Buffered
    ssl_env: dict[str, str]  # cheroot asks for it
    since: float = 0.0  # seconds of the clock when it began to wait
    requests: int = 0  # handed on

    @property
    def patience(self) -> float:
        """Seconds that it may wait for its next request."""
        return KEPT_ALIVE if self.requests else PATIENCE


class Doorway:
    """All connections that no thread looks at. Its loop runs in one thread; `put` and `stop` may be called by any."""

    def __init__(
        self, server: HTTPServer, most: int, hand_on: Callable[[Connection], None]
    ) -> None:
        self._server, self._most, self._hand_on = server, most, hand_on
        self._listener: socket.socket = server.socket
        self._idle: dict[int, Connection] = {}  # by descriptor, in the order of their coming
        self._partly: deque[Connection] = (
            deque()
        )  # as is; their sockets would wake the selector for ever
        self._back: deque[Connection] = deque()  # from the threads
        self._stopped = False
        self._selector = selectors.DefaultSelector()
        self._bell, self._pull = socket.socketpair()
        for each in (self._listener, self._bell):
            each.setblocking(False)
            self._selector.register(each, selectors.EVENT_READ)

    def put(self, connection: Connection) -> None:
        """Take a connection that has had its answer."""
        if self._stopped:
            _close(connection)
            return
        self._back.append(connection)
        self._ring()

    def stop(self) -> None:
        """Let the loop end."""
        self._stopped = True
        self._ring()

    @property
    def can_add_keepalive_connection(self) -> bool:
        """Whether another connection may stay after its answer."""
        return not self._stopped and len(self._idle) + len(self._partly) < self._most

    def run(self) -> None:
        """Accept connections and hand them on until stopped; then close them all."""
        try:
            while not self._stopped:
                self._turn()
        finally:
            for each in (*self._idle.values(), *self._partly, *self._back):
                _close(each)
            self._selector.close()
            self._bell.close()
            self._pull.close()

    def _turn(self) -> None:
        for key, _ in self._selector.select(LOOK if self._partly else IDLE):
            if key.fileobj is self._listener:
                self._accept()
            elif key.fileobj is self._bell:
                with contextlib.suppress(OSError):
                    self._bell.recv(4_096)
            elif key.fd in self._idle:  # not one that has made room in this turn
                begun = self._release(key.fd)
                begun.since = time.monotonic()
                self._look(begun)
        while self._back:
            self._wait(self._back.popleft())
        now = time.monotonic()
        for _ in range(len(self._partly)):
            each = self._partly.popleft()
            if now - each.since > PATIENCE:
                _close(each)
            else:
                self._look(each)
        for number in [n for n, each in self._idle.items() if now - each.since > each.patience]:
            _close(self._release(number))

    def _accept(self) -> None:
        """Let a new connection wait for its request; where there is no place left for it, the one that
        has waited longest makes room."""
        if len(self._idle) + len(self._partly) >= self._most:
            self._make_room()
        try:
            new, address = self._listener.accept()
        except BlockingIOError:
            return
        except OSError:  # no descriptor left
            self._make_room()
            return
        new.settimeout(PATIENCE)
        try:
            new.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:  # gone by now, which some systems say here
            new.close()
            return
        connection = self._server.ConnectionClass(self._server, new, MakeFile)
        connection.remote_addr, connection.remote_port = address[:2]
        connection.ssl_env = {}
        self._wait(connection)

    def _wait(self, connection: Connection) -> None:
        if connection.rfile.has_data():
            self._pass(connection)
            return
        connection.since = time.monotonic()
        try:
            self._selector.register(connection.socket, selectors.EVENT_READ)
        except (OSError, ValueError):
            _close(connection)
        else:
            self._idle[connection.socket.fileno()] = connection

    def _look(self, connection: Connection) -> None:
        """Hand a connection on if its request can be read without waiting."""
        try:
            seen = connection.socket.recv(LARGEST_HEAD + SMALL, socket.MSG_PEEK)
        except OSError:
            _close(connection)
            return
        if not seen:
            _close(connection)
        elif is_whole(seen):
            self._pass(connection)
        else:
            self._partly.append(connection)

    def _pass(self, connection: Connection) -> None:
        connection.requests += 1
        self._hand_on(connection)

    def _make_room(self) -> None:
        waiting = [*self._partly, *self._idle.values()]
        if not waiting:
            time.sleep(LOOK)  # all are being answered
            return
        oldest = min(waiting, key=lambda each: each.since)
        if oldest in self._partly:
            self._partly.remove(oldest)
        else:
            self._release(oldest.socket.fileno())
        _close(oldest)

    def _release(self, number: int) -> Connection:
        connection = self._idle.pop(number)
        self._selector.unregister(connection.socket)
        return connection

    def _ring(self) -> None:
        with contextlib.suppress(OSError):  # full of rings already, or closed
            self._pull.send(b".")


def is_whole(seen: bytes) -> bool:
    """Whether the bytes hold all of a request, or so much of it that a thread may wait for the rest."""
    end = _END_OF_HEAD.search(seen)
    if end is None:
        return len(seen) >= LARGEST_HEAD
    length = _LENGTH.search(seen, 0, end.end())
    if length is None or int(length[1]) > SMALL:
        return True
    return len(seen) >= end.end() + int(length[1])


def _close(connection: Connection) -> None:
    with contextlib.suppress(OSError):
        connection.close()
