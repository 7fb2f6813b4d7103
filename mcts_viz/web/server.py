"""The server: a port of this machine, and requests to it, answered until somebody interrupts.

Knows no page; any WSGI app will do.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
from typing import Any

from werkzeug.serving import make_server

from mcts_viz.errors import PageError

HOST = "127.0.0.1"  # nobody else's business
HIGHEST_PORT = 65_535
PORTS_TRIED = 50
WAITING = 128  # connections


def listen(wanted: int) -> socket.socket:
    """A socket that listens on the port wanted, or on the next one above it that is free.

    Connections are taken from now on, and answered once `answer` runs. 0: any port. Raises
    PageError.
    """
    if not 0 <= wanted <= HIGHEST_PORT:
        raise PageError(f"{wanted} is not a port; choose one from 1 to {HIGHEST_PORT}")
    last = min(wanted + PORTS_TRIED - 1, HIGHEST_PORT)
    for port in range(wanted, last + 1):
        listener = socket.socket()
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen(WAITING)
        except OSError as err:
            listener.close()
            if err.errno == errno.EADDRINUSE:
                continue
            raise PageError(
                f"port {port} cannot be used ({err.strerror}); choose another one"
            ) from err
        return listener
    raise PageError(f"ports {wanted} to {last} are all taken; choose another one")


def port_of(listener: socket.socket) -> int:
    """The port that it listens on."""
    return int(listener.getsockname()[1])


def answer(app: Any, listener: socket.socket) -> None:
    """Let a WSGI app answer what comes in, one thread a request, until interrupted (Ctrl+C)."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for every request
    with listener:
        port = port_of(listener)
        make_server(HOST, port, app, threaded=True, fd=listener.fileno()).serve_forever()
