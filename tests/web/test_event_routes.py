"""The routes behind the marks on the timeline."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.analysis.history.events import events
from mcts_viz.web.library import Library
from mcts_viz.web.routes.events import QUICKLY_CHECKED

FAULTY, LONG = "faulty", "long"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1, path=folder / f"{FAULTY}.mcts")
    long = folder / f"{LONG}.mcts"
    mv.search("tic_tac_toe", iterations=QUICKLY_CHECKED + 1, seed=1, rollouts=False, path=long)
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> FlaskClient:
    return pages.make_app([folder], store=folder).server.test_client()


def ask(client: FlaskClient, folder: Path, name: str, question: str, status: int = 200) -> Any:
    key = Library([], folder).key_of(folder / f"{name}.mcts")
    answer = client.get(f"/api/trace/{key}/{question}")
    assert answer.status_code == status
    return answer.get_json()


def test_the_events_are_those_of_the_api(client: FlaskClient, folder: Path) -> None:
    told = ask(client, folder, FAULTY, "marks")
    expected = mv.open(folder / f"{FAULTY}.mcts").events()
    assert told["events"] == [asdict(event) for event in expected]
    assert (told["found"], told["hidden"]) == (expected.found, expected.hidden)
    assert told["threshold"] == 0


def test_a_threshold_and_a_shorter_search_can_be_asked_for(
    client: FlaskClient, folder: Path
) -> None:
    trace = mv.open(folder / f"{LONG}.mcts")
    told = ask(client, folder, LONG, "marks?n_iterations=500&threshold=0.6")
    assert told["events"] == [asdict(event) for event in events(trace, threshold=0.6, t=500)]


def test_a_first_visit_is_that_of_the_history(client: FlaskClient, folder: Path) -> None:
    trace = mv.open(folder / f"{FAULTY}.mcts")
    visited = [int((trace.history(v).visits > 0).argmax()) for v in range(60)]
    node = next(v for v in range(60) if visited[v] > trace.columns.nodes.born[v] > 0)
    told = ask(client, folder, FAULTY, f"first-visit?node={node}")["event"]
    assert told["iteration"] == visited[node]
    earlier = f"first-visit?node={node}&n_iterations={visited[node] - 1}"
    assert ask(client, folder, FAULTY, earlier)["event"] is None


def test_findings_with_an_iteration_are_marks_and_the_others_are_counted(
    client: FlaskClient, folder: Path
) -> None:
    findings = mv.open(folder / f"{FAULTY}.mcts").check()
    marks = ask(client, folder, FAULTY, "findings")["marks"]
    placed = [finding for finding in findings if finding.iteration is not None]
    assert placed
    assert [(m["iteration"], m["node"]) for m in marks["events"]] == [
        (finding.iteration, finding.node) for finding in placed
    ]
    assert marks["events"][0]["text"] == (
        f"{placed[0].severity}: {placed[0].check}: {placed[0].message}"
    )
    assert marks["elsewhere"] == len(findings) - len(placed)


def test_a_long_search_is_not_checked_unasked(client: FlaskClient, folder: Path) -> None:
    assert ask(client, folder, LONG, "findings")["marks"] is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("marks?threshold=9", "threshold 9 is not among this trace's values"),
        ("marks?threshold=x", "a number is expected"),
        ("marks?threshold=nan", "a number is expected"),
        ("marks?n_iterations=99999999", "this trace has"),
        ("first-visit?node=99999", "node 99999 is not in the tree"),
        ("first-visit", "a whole number is expected"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(
    client: FlaskClient, folder: Path, question: str, words: str
) -> None:
    assert words in ask(client, folder, FAULTY, question, status=400)["error"]
