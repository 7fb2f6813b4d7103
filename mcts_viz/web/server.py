"""The server: an address of this machine, and requests to it, answered until Ctrl+C.

Threads, connections and waiting are bounded. Knows no page; any WSGI app will do.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import queue
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from cheroot.server import HTTPRequest
from cheroot.workers import threadpool
from cheroot.wsgi import Server as WsgiServer

from mcts_viz.errors import PageError
from mcts_viz.web.doorway import LARGEST_HEAD, PATIENCE, SMALL, Connection, Doorway

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

HOST = "127.0.0.1"  # reachable from this machine alone
HIGHEST_PORT = 65_535
PORTS_TRIED = 50
WAITING = 128  # connections
THREADS = 24
BODIES = 8  # of the threads, those that may wait for large bodies
MOST_CONNECTIONS = 512
FILES = 128  # descriptors left for everything else, or half of a smaller limit
LAST_WORDS = 4 << 20  # bytes of a refused body that are read, so that its sender hears the refusal
ENDING = 1.0  # seconds that requests have to end when the server does


def listen(wanted: int, host: str = HOST) -> socket.socket:
    """A socket that listens on the port wanted, or on the next one above it that is free.

    Connections are taken from now on, and answered once `answer` runs. 0: any port. Raises
    PageError.
    """
    if not 0 <= wanted <= HIGHEST_PORT:
        raise PageError(f"{wanted} is not a port; choose one from 1 to {HIGHEST_PORT}")
    last = min(wanted + PORTS_TRIED - 1, HIGHEST_PORT)
    try:
        family = socket.getaddrinfo(host, wanted, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError) as err:
        raise PageError(f"{host}: this machine has no such address ({err})") from err
    for port in range(wanted, last + 1):
        listener = socket.socket(family)
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(WAITING)
        except OSError as err:
            listener.close()
            if err.errno == errno.EADDRINUSE:
                continue
            raise PageError(
                f"port {port} of {host} cannot be used ({err.strerror}); choose another one"
            ) from err
        return listener
    raise PageError(f"ports {wanted} to {last} are all taken; choose another one")


def port_of(listener: socket.socket) -> int:
    """The port that it listens on."""
    return int(listener.getsockname()[1])


def answer(app: WSGIApplication, listener: socket.socket) -> None:
    """Let a WSGI app answer what comes in, until interrupted (Ctrl+C)."""
    server = PageServer(app, listener)
    try:
        server.start()
    finally:
        server.stop()


def most_connections() -> int:
    """The number of connections for which there are file descriptors, beside those of files."""
    try:
        limits: Any = importlib.import_module("resource")
    except ImportError:  # Windows, which has no such limit
        return MOST_CONNECTIONS
    files, _ = limits.getrlimit(limits.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files < 0 else min(MOST_CONNECTIONS, max(files - FILES, files // 2))


class _Request(HTTPRequest):
    """One request."""

    def respond(self) -> None:
        """Answer it; of requests with large bodies, `BODIES` at a time."""
        length = self.inheaders.get(b"Content-Length", b"0")
        if not length.isdigit() or len(length) > 18:
            self._refuse("400 Bad Request", "Malformed Content-Length")
        elif not self.chunked_read and int(length) <= SMALL:
            super().respond()
        elif self.server.bodies.acquire(blocking=False):
            try:
                super().respond()
            finally:
                self.server.bodies.release()
        else:
            self._refuse("503 Service Unavailable", "Too many uploads at once; try again soon")

    def _refuse(self, status: str, words: str) -> None:
        self.close_connection = True
        self.simple_response(status, words)

    def send_headers(self) -> None:
        """A body that was refused is not read to its end: a little of it, then the line is cut."""
        left = getattr(self.rfile, "remaining", 0)
        while 0 < left <= LAST_WORDS and self.rfile.read(SMALL):
            left = self.rfile.remaining
        if left or (self.chunked_read and int(self.status[:3]) >= 400):
            self.close_connection = self.conn.linger = True
        super().send_headers()


class _Connection(Connection):
    """One connection."""

    RequestHandlerClass = _Request


class _Threads(threadpool.ThreadPool):
    """The threads that answer requests; they do not keep the process from ending."""

    _threads: list[threading.Thread]
    _queue: queue.Queue[object]

    def _spawn_worker(self) -> threading.Thread:
        worker: threading.Thread = threadpool.WorkerThread(self.server)  # type: ignore[no-untyped-call]
        worker.daemon = True
        worker.name = f"mcts_viz page {worker.name}"
        worker.start()
        return worker

    def stop(self, timeout: float = ENDING) -> None:
        """Let each end after its request; those that take longer than `timeout` are left to the end of
        the process."""
        end = time.monotonic() + timeout
        threads, self._threads = self._threads, []
        for _ in threads:
            self._queue.put(threadpool._SHUTDOWNREQUEST)  # type: ignore[attr-defined]
        for each in threads:
            each.join(max(0.0, end - time.monotonic()))


class PageServer(WsgiServer):
    """A WSGI server on a socket that listens already."""

    timeout = PATIENCE
    max_request_header_size = LARGEST_HEAD

    def __init__(self, app: WSGIApplication, listener: socket.socket) -> None:
        super().__init__(
            listener.getsockname()[:2], app, numthreads=THREADS, server_name="mcts_viz"
        )
        self.requests = _Threads(self, min=THREADS, max=THREADS)
        self.ConnectionClass = _Connection
        self.bodies = threading.Semaphore(BODIES)
        self.socket = listener
        self._starting = threading.Lock()
        self._is_stopped = False

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.bind_addr[1])

    def prepare(self) -> None:
        """Start the threads, unless it was stopped before it had begun."""
        self._interrupt = None
        self.software = "mcts_viz"
        with self._starting:
            if not self._is_stopped:
                self._connections = Doorway(self, most_connections(), self.requests.put)
                self.requests.start()
                self.ready = True

    def serve(self) -> None:
        """Answer until stopped or interrupted."""
        if self._connections is not None:
            self._connections.run()

    def stop(self) -> None:
        """End it, for good; what is being answered has a second for it."""
        with self._starting:
            self._is_stopped = True
        if self.ready:
            self.ready = False
            self._connections.stop()
            self.requests.stop()
        with contextlib.suppress(OSError):
            self.socket.close()

    def error_log(self, msg: str = "", level: int = 20, traceback: bool = False) -> None:
        """Log nothing for a broken connection: the page shows what went wrong."""
