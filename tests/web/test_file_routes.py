"""Routes that carry files, and what they say to a question that makes no sense."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.web.library import Library
from tests.indexed import in_memory
from tests.web.recordings import FOREIGN, SCRIPT, TIC_TAC_TOE, record_foreign


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def client(recordings: Path, store: Path) -> FlaskClient:
    client: FlaskClient = page.make_app([recordings], store=store).server.test_client()
    return client


@pytest.fixture(scope="module")
def key(recordings: Path) -> str:
    return Library([], recordings).key_of(recordings / f"{TIC_TAC_TOE}.mcts")


@pytest.mark.parametrize("t", [0, 1, 77, 300])
def test_an_export_is_the_apis_own(client: FlaskClient, recordings: Path, key: str, t: int) -> None:
    trace = mv.open(recordings / f"{TIC_TAC_TOE}.mcts")
    answer = client.get(f"/api/trace/{key}/export?format=json&at={t}")
    assert answer.status_code == 200
    assert json.loads(answer.data) == json.loads(trace.at(t).to_json() or "")
    assert f"tic_tac_toe-at-{t}.json" in answer.headers["Content-Disposition"]


def test_without_an_iteration_the_export_is_of_the_last_one(client: FlaskClient, key: str) -> None:
    last = client.get(f"/api/trace/{key}/export")
    assert last.data == client.get(f"/api/trace/{key}/export?format=json&at=300").data


def test_the_whole_trace_is_the_file_itself(
    client: FlaskClient, recordings: Path, key: str
) -> None:
    answer = client.get(f"/api/trace/{key}/file")
    assert answer.data == (recordings / f"{TIC_TAC_TOE}.mcts").read_bytes()
    assert "tic_tac_toe.mcts" in answer.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("/api/trace/{key}/export?at=-1", "at=-1: not an iteration; choose one from 0 to 300"),
        ("/api/trace/{key}/export?at=1.5", "at=1.5: not an iteration"),
        ("/api/trace/{key}/export?at=", "at=: not an iteration"),
        ("/api/trace/{key}/export?at=301", "iteration 301 is not in this trace"),
        ("/api/trace/{key}/export?at=" + "9" * 5_000, "not an iteration"),
        ("/api/trace/{key}/export?format=exe", "exe"),
        ("/api/trace/{key}/export?format=../../etc/passwd", "passwd"),
        ("/api/trace/nowhere/export", "there is no trace 'nowhere' here"),
        ("/api/trace/nowhere/file", "there is no trace 'nowhere' here"),
        ("/api/trace/nowhere/board/0.svg", "there is no trace 'nowhere' here"),
        ("/api/trace/nowhere/view", "there is no trace 'nowhere' here"),
        ("/api/trace/nowhere/timeline", "there is no trace 'nowhere' here"),
        ("/api/trace/{key}/board/99999.svg", "node 99999 is not in this trace"),
        ("/api/trace/{foreign}/board/0.svg", "game is not known here"),
        ("/api/trace/{key}/window?from=0&to=" + "9" * 5_000, "a whole number is expected"),
        ("/api/trace/{key}/view?budget=" + "9" * 5_000, "a whole number is expected"),
        ("/api/trace/{key}/view?focus=99999999999", "no such node"),
        ("/api/trace/{key}/view?opened=99999999999", "no such node"),
        ("/api/trace/{key}/window?from=5&to=3", "5"),
    ],
)
def test_a_question_that_makes_no_sense_is_answered_in_words(
    client: FlaskClient, recordings: Path, key: str, url: str, told: str
) -> None:
    foreign = Library([], recordings).key_of(recordings / f"{FOREIGN}.mcts")
    answer = client.get(url.format(key=key, foreign=foreign))
    assert answer.status_code in (400, 404)
    assert answer.json is not None
    assert told in answer.json["error"]
    assert "Traceback" not in answer.text
    assert len(answer.json["error"]) < 600


def test_a_broken_upload_is_refused_in_words_and_leaves_nothing(
    client: FlaskClient, store: Path
) -> None:
    for name, content in [("x.mcts", b"junk"), ("x.json", b"{}"), ("x.exe", b""), ("", b"")]:
        answer = client.post(f"/api/upload?name={name}", data=content)
        assert answer.status_code == 400
        assert answer.json is not None
        assert answer.json["error"]
        assert str(store) not in answer.json["error"]
    assert list(store.iterdir()) == []


@in_memory
def test_an_upload_opens_by_the_key_that_comes_back(
    client: FlaskClient, recordings: Path, store: Path
) -> None:
    content = (recordings / f"{TIC_TAC_TOE}.mcts").read_bytes()
    answer = client.post("/api/upload?name=../up.mcts", data=content)
    assert answer.status_code == 200
    assert answer.json is not None
    assert client.get(f"/api/trace/{answer.json['key']}/file").data == content
    assert [path.name for path in store.iterdir()] == ["up.mcts"]
    (store / "up.mcts").unlink()


def test_a_board_of_a_hostile_trace_carries_no_markup_of_its_own(
    client: FlaskClient, store: Path
) -> None:
    path = store / "masked.mcts"
    record_foreign(path, game={"name": "tic_tac_toe", "title": SCRIPT, "n_actions": 9})
    key = Library([], store).key_of(path)
    for url in (f"/api/trace/{key}/board/1.svg", f"/api/trace/{key}/node/1?t=60"):
        answer = client.get(url)
        assert answer.status_code == 200
        text = answer.json["board_svg"] if answer.json else answer.text
        assert "<svg" in text
        assert "<script" not in text
    path.unlink()


def test_a_browser_keeps_the_scripts_that_have_an_address_of_their_own(client: FlaskClient) -> None:
    addresses = set(re.findall(r"/assets/mcts_viz\.(?:js|css)\?m=[0-9.]+", client.get("/").text))
    assert len(addresses) == 2
    for address in addresses:
        assert "immutable" in client.get(address).headers["Cache-Control"]
        without = client.get(address.partition("?")[0])
        assert "immutable" not in without.headers.get("Cache-Control", "")
    assert "immutable" not in client.get("/").headers.get("Cache-Control", "")
