"""A page asked by many at once, while hundreds of others begin requests that never end."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.web.access import Access
from mcts_viz.web.server import PageServer, listen
from tests.web.test_security_load import HALVES

HALF_OPEN, REQUESTS, AT_ONCE = 400, 1_000, 16
PATHS = ["/", "/api/start", "/api/trace/{key}/view", "/api/trace/{key}/timeline", "/_dash-layout"]
TOO_LONG = 30.0  # seconds


def under_load(
    folder: Path, half_open: int = HALF_OPEN, requests: int = REQUESTS
) -> tuple[int, int, float]:
    """How many of the requests failed, of how many, and the seconds of the longest."""
    served = folder / "loaded"
    served.mkdir()
    mv.search("tic_tac_toe", iterations=200, seed=1, path=served / "mine.mcts")
    server = PageServer(page.make_app([served], store=served, access=Access()).server, listen(0))
    thread = threading.Thread(target=server.start, daemon=True)
    thread.start()
    try:
        with ExitStack() as stack:
            halves = list(HALVES.values())
            for number in range(half_open):
                line = stack.enter_context(
                    socket.create_connection(("127.0.0.1", server.port), TOO_LONG)
                )
                line.sendall(halves[number % len(halves)])
            _, start = _ask(server.port, "/api/start")
            key = start.split(b'"key":"')[1].split(b'"')[0].decode()
            paths = [PATHS[number % len(PATHS)].format(key=key) for number in range(requests)]
            with ThreadPoolExecutor(AT_ONCE) as threads:
                took = list(threads.map(lambda path: _timed(server.port, path), paths))
    finally:
        server.stop()
        thread.join()
    return sum(each is None for each in took), requests, max(each or 0.0 for each in took)


def _timed(port: int, path: str) -> float | None:
    """Seconds until it was answered well; None where it was not."""
    began = time.perf_counter()
    try:
        status, _ = _ask(port, path)
    except (OSError, http.client.HTTPException):
        return None
    return time.perf_counter() - began if status == 200 else None


def _ask(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TOO_LONG)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
