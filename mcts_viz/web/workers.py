"""Several worker processes over one store: a question about a running search or match finds the worker that runs it.

Traces are files, so any worker can show them. What runs lives in the memory of the worker that began it, whose name
the numbers of its searches and matches carry. Each worker that runs something also listens on a socket of its own, in
a folder that only this user can enter; the others pass on what is asked about it, and its answer back.
"""

from __future__ import annotations

import atexit
import hashlib
import http.client
import logging
import os
import re
import secrets
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flask import Flask, Response, request
from werkzeug.serving import make_server

from mcts_viz.errors import PageError

SIGNED = re.compile(
    r"([0-9a-f]{16})\..+"
)  # a number of a search or match: its worker's name, a dot, more
PASSED_ON = "X-Mcts-Viz-Passed-On"
CALLBACKS = "/_dash-update-component"
SECONDS = 60  # that another worker may take to answer
KEPT_HEADERS = ("Content-Type", "Content-Disposition")


class Workers:
    """This worker among those of one store."""

    def __init__(self, store: Path) -> None:
        self._folder = _private_folder(store)
        self._app: Flask | None = None
        self._names: dict[int, str] = {}  # process → its name: the app may be made before the fork
        self._lock = threading.Lock()

    def install(self, app: Flask) -> None:
        """Look at every request to the app first."""
        self._app = app
        app.before_request(self._elsewhere)

    def sign(self, number: str) -> str:
        """A number of something that runs in this worker, by which every worker finds it."""
        with self._lock:
            name = self._names.get(os.getpid())
            if name is None:
                name = self._names[os.getpid()] = secrets.token_hex(8)
                self._listen(self._folder / f"{name}.sock")
        return f"{name}.{number}"

    def _listen(self, path: Path) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for every request
        assert self._app is not None
        server = make_server(f"unix://{path}", 0, self._app, threaded=True)
        threading.Thread(target=server.serve_forever, name="other workers", daemon=True).start()
        atexit.register(path.unlink, missing_ok=True)

    def _elsewhere(self) -> Response | None:
        """The answer of the worker that the request is about; None where it is for this one."""
        if PASSED_ON in request.headers:
            return None
        for name in _workers_asked():
            if name == self._names.get(os.getpid()):
                return None
            path = self._folder / f"{name}.sock"
            try:
                if path.exists():
                    return _passed_on(path)
            except ConnectionRefusedError:  # that worker has died
                path.unlink(missing_ok=True)
        return None


def _workers_asked() -> Iterator[str]:
    """Names of the workers whose searches and matches the request names."""
    if request.path == CALLBACKS:
        asked: Any = request.get_json(silent=True)
        if isinstance(asked, dict):
            for each in _flat([asked.get("inputs"), asked.get("state")]):
                yield from _names_in(each.get("value"))
    else:
        for part in request.path.split("/"):
            yield from _names_in(part)


def _flat(given: Any) -> Iterator[dict[str, Any]]:
    """The inputs of a callback; those with a wildcard come as lists."""
    for each in given if isinstance(given, list) else []:
        if isinstance(each, dict):
            yield each
        else:
            yield from _flat(each)


def _names_in(value: Any) -> Iterator[str]:
    number = value.get("number") if isinstance(value, dict) else value
    if isinstance(number, str) and (found := SIGNED.fullmatch(number)):
        yield found.group(1)


def _passed_on(path: Path) -> Response:
    """What the worker behind the socket answers to this request."""
    connection = _Connection(path)
    try:
        headers = {"Content-Type": request.content_type or "", PASSED_ON: "1"}
        connection.request(request.method, request.full_path, request.get_data(), headers)
        answer = connection.getresponse()
        kept = {name: value for name in KEPT_HEADERS if (value := answer.getheader(name))}
        return Response(answer.read(), answer.status, kept)
    finally:
        connection.close()


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def _private_folder(store: Path) -> Path:
    """A folder for sockets, the same one for all workers of a store, closed to other users. Its name is short, as a
    socket's may have about 100 letters. Raises PageError."""
    digest = hashlib.sha256(str(store.resolve()).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"mcts_viz-{os.getuid()}-{digest}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        about = folder.lstat()
    except OSError as err:
        raise PageError(
            f"{folder}: this folder, where workers find each other, cannot be made: {err.strerror}"
        ) from err
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise PageError(
            f"{folder}: others can enter this folder of sockets; delete it, and start again"
        )
    return folder
