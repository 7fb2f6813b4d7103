"""Many connections, requests that never end, bodies that nobody wants: the server goes on answering."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from mcts_viz.web import doorway, server
from mcts_viz.web.doorway import is_whole
from mcts_viz.web.server import PageServer, listen

SOON = 5.0  # seconds, on a busy machine
HALVES = {
    "silent": b"",
    "half a line": b"GET / HT",
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "half a body": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc",
    "half an upload": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\nabc",
}


def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Says how many bytes it was sent, unless it does not want them."""
    if environ["PATH_INFO"] == "/refused":
        start_response("403 Forbidden", [("Content-Length", "3")])
        return [b"no!"]
    n = 0
    while piece := environ["wsgi.input"].read(65_536):
        n += len(piece)
    text = str(n).encode()
    start_response("200 OK", [("Content-Length", str(len(text)))])
    return [text]


@pytest.fixture
def running() -> Iterator[PageServer]:
    page = PageServer(app, listen(0))
    thread = threading.Thread(target=page.start, daemon=True)
    thread.start()
    yield page
    page.stop()
    thread.join()


def ask(page: PageServer, path: str = "/", body: Any = None, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=SOON)
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("begun", HALVES.values(), ids=list(HALVES))
def test_requests_that_never_end_hold_nobody_up(running: PageServer, begun: bytes) -> None:
    assert ask(running) == (200, b"0")
    before = threading.active_count()
    with ExitStack() as opened:
        for _ in range(60):
            half = opened.enter_context(socket.create_connection(("127.0.0.1", running.port)))
            half.sendall(begun)
        began = time.monotonic()
        assert [ask(running) for _ in range(5)] == [(200, b"0")] * 5
        assert time.monotonic() - began < SOON
        assert threading.active_count() <= before  # threads of earlier tests may end meanwhile


def test_a_request_that_comes_in_pieces_is_answered(running: PageServer) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=SOON) as slow:
        for piece in (
            b"POST / HT",
            b"TP/1.1\r\nHost: x\r\n",
            b"Content-Length: 4\r\n\r",
            b"\nab",
            b"cd",
        ):
            slow.sendall(piece)
            ask(running)  # somebody else's, meanwhile
        assert slow.recv(4_096).startswith(b"HTTP/1.1 200")


def test_what_waits_too_long_is_closed(
    running: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorway, "PATIENCE", 0.2)
    for begun in (b"", b"GET / HT"):
        with socket.create_connection(("127.0.0.1", running.port), timeout=SOON) as slow:
            slow.sendall(begun)
            assert slow.recv(1) == b""


def test_without_room_for_more_the_longest_wait_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "most_connections", lambda: 10)
    page = PageServer(app, listen(0))
    threading.Thread(target=page.start, daemon=True).start()
    with ExitStack() as opened:
        for _ in range(40):
            opened.enter_context(socket.create_connection(("127.0.0.1", page.port)))
        assert ask(page) == (200, b"0")
    page.stop()


def test_many_requests_of_one_connection_and_of_many(running: PageServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=SOON)
    for n in (0, 1, 50_000, 2_000_000, 3):
        connection.request("POST", "/", b"x" * n)
        assert connection.getresponse().read() == str(n).encode()
    connection.close()
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(running))) for _ in range(40)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert answers == [(200, b"0")] * 40


def test_a_refused_body_is_not_read(running: PageServer) -> None:
    assert ask(running, "/refused", b"x" * 1_000_000) == (403, b"no!")
    with socket.create_connection(("127.0.0.1", running.port), timeout=SOON) as large:
        large.sendall(b"POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000000\r\n\r\n")
        said = large.recv(4_096)
        assert said.startswith(b"HTTP/1.1 403")
        assert b"Connection: close" in said


@pytest.mark.parametrize("length", ["-1", "x", "9" * 30, "1e3"])
def test_a_length_that_is_none_is_refused(running: PageServer, length: str) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=SOON) as bad:
        bad.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode())
        assert bad.recv(4_096).startswith(b"HTTP/1.1 400")
    assert ask(running) == (200, b"0")


def test_a_body_in_chunks_is_read_as_it_comes(running: PageServer) -> None:
    assert ask(running, body=iter([b"abc", b"defg"])) == (200, b"7")


@pytest.mark.parametrize(
    ("seen", "whole"),
    [
        (b"", False),
        (b"GET / HTTP/1.1\r\n", False),
        (b"GET / HTTP/1.1\r\n\r\n", True),
        (b"GET / HTTP/1.1\n\n", True),
        (b"POST / HTTP/1.1\r\ncontent-length:  3 \r\n\r\nab", False),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", True),
        (b"POST / HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n", True),  # a thread reads the rest
        (b"x" * doorway.LARGEST_HEAD, True),  # a thread refuses it
    ],
)
def test_what_is_a_whole_request(seen: bytes, whole: bool) -> None:
    assert is_whole(seen) == whole
