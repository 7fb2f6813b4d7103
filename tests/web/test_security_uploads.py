"""Uploads and notes that lie, have no end or break off: refused in words, and nothing of them is left."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.trace.index.opening import SUFFIX
from mcts_viz.trace.reader import CONTINUATION
from mcts_viz.web.access import Access
from mcts_viz.web.gate import LARGEST_BODY
from mcts_viz.web.library import Library
from mcts_viz.web.server import PageServer, listen

NOTE = "0123456789abcdef"
LIMIT = 100_000  # bytes


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    mv.search("tic_tac_toe", iterations=20, seed=1, path=tmp_path / "mine.mcts")
    app = page.make_app([tmp_path], store=tmp_path, access=Access(), max_upload=LIMIT)
    return app.server.test_client()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != SUFFIX)


def test_an_upload_beyond_the_limit_is_refused_by_its_length_or_as_it_comes(
    client: FlaskClient, tmp_path: Path
) -> None:
    answer = client.post("/api/upload?name=a.mcts", data=CONTINUATION + bytes(LIMIT))
    assert answer.status_code == 400
    assert "a larger --max-upload" in answer.get_json()["error"]
    read = 0

    def without_end() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield CONTINUATION + bytes(10_000)

    with pytest.raises(mv.PageError, match="max-upload"):
        Library([], tmp_path, LIMIT).add("a.mcts", without_end())
    assert read < 12
    assert names(tmp_path) == ["mine.mcts"]


def test_what_is_no_trace_by_its_first_bytes_is_not_read_on(tmp_path: Path) -> None:
    def film() -> Iterator[bytes]:
        yield b"\0\0\0\x20ftypisom"
        pytest.fail("it was read on")

    with pytest.raises(mv.TraceError, match=r"a\.mcts: its content is neither a trace nor JSON"):
        Library([], tmp_path).add("a.mcts", film())
    assert names(tmp_path) == []


def test_an_upload_that_breaks_off_leaves_no_file(tmp_path: Path) -> None:
    mv.search("tic_tac_toe", iterations=20, seed=1, path=tmp_path / "mine.mcts")
    server = PageServer(
        page.make_app([tmp_path], store=tmp_path, access=Access()).server, listen(0)
    )
    threading.Thread(target=server.start, daemon=True).start()
    content = (tmp_path / "mine.mcts").read_bytes()
    head = f"POST /api/upload?name=half.mcts HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10**8}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as sender:
        sender.sendall(head.encode() + content)
        sender.shutdown(socket.SHUT_WR)
        assert b" 400 " in sender.recv(4_096)
    assert names(tmp_path) == ["mine.mcts"]
    server.stop()


def test_a_body_that_is_no_upload_has_a_limit_before_it_is_read(client: FlaskClient) -> None:
    large = {"CONTENT_LENGTH": str(LARGEST_BODY + 1)}
    for more in (large, {"HTTP_TRANSFER_ENCODING": "chunked"}, {"CONTENT_LENGTH": "-1"}):
        answer = client.post("/_dash-update-component", data=b"{}", environ_overrides=more)
        assert answer.status_code == 413


def put(client: FlaskClient, body: str) -> tuple[int, str]:
    key = client.get("/api/start").get_json()["key"]
    answer = client.put(
        f"/api/trace/{key}/notes/{NOTE}", data=body, content_type="application/json"
    )
    told = answer.get_json()
    return answer.status_code, str(told.get("text", told.get("error")))


def test_half_a_character_in_a_note_becomes_a_sign_and_the_note_is_kept(
    client: FlaskClient, tmp_path: Path
) -> None:
    body = r'{"iteration": 1, "node": 0, "text": "a\ud800b\udc00", "created": "\udfff"}'
    assert put(client, body) == (200, "a\ufffdb\ufffd")
    (kept,) = json.loads((tmp_path / "mine.notes.json").read_text())["notes"]
    assert kept["text"] == "a\ufffdb\ufffd"


def test_deep_nesting_in_a_note_or_in_the_file_is_told_in_words(
    client: FlaskClient, tmp_path: Path
) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    status, told = put(client, deep)
    assert (status, "JSON object" in told) == (400, True)
    (tmp_path / "mine.notes.json").write_text(deep)
    key = client.get("/api/start").get_json()["key"]
    answer = client.get(f"/api/trace/{key}/notes")
    assert answer.status_code == 400
    assert "it is not JSON" in answer.get_json()["error"]
