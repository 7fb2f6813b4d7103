"""Whatever the metadata of a file say: it is refused when it is opened, with the key in the message,
or everything can be asked about the trace."""

from __future__ import annotations

import ast
import contextlib
import copy
import json
import math
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.analysis.comparison.trees import compare
from mcts_viz.errors import MctsVizError, TraceError
from mcts_viz.export.events import event_chunks
from mcts_viz.trace.format import Rows
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.web.library import Library
from tests.variants import each

PACKAGE = Path(mv.__file__).parent
ITERATIONS = 12
KEYS = [
    "kind", "game", "game.name", "game.title", "game.n_actions", "game.parameters", "start", "root",
    "root.to_move", "root.outcome", "root.label", "root.state", "action_labels", "players",
    "reward_range", "value_range", "discount", "step_rewards", "player_values", "snapshot_iteration",
    "snapshot_iterations", "shared", "state_format", "policies", "policies.preset", "policies.selection",
    "policies.selection.name", "policies.selection.c", "policies.selection.unvisited",
    "policies.expansion", "policies.expansion.order", "policies.simulation",
    "policies.simulation.name", "policies.simulation.rollouts", "policies.simulation.own", "policies.backpropagation",
    "policies.backpropagation.win", "policies.backpropagation.solver",
    "policies.backpropagation.collect", "policies.backpropagation.poison", "policies.final_move",
    "policies.final_move.name", "policies.keep_tree", "root_actions", "worker_seeds", "inherited",
    "inherited.visits", "resumed", "resumed.iteration", "seed", "budget", "budget.iterations",
    "budget.seconds", "software", "recorded_by", "recorded_at", "watched", "watched.visits_before",
    "not_observed", "notes", "mine",
]  # fmt: skip
VALUES: dict[str, object] = {
    "null": None,
    "number": 5,
    "negative": -7,
    "fraction": 0.5,
    "huge": 10**400,
    "huge fraction": 1e308,
    "true": True,
    "text": "x",
    "empty text": "",
    "empty list": [],
    "list": [1],
    "pair": [1, 0],
    "numbers": [-3, 0, 2**70],
    "texts": ["a", "b", "c", "d"],
    "mixed": ["a", 1, None],
    "empty object": {},
    "object": {"name": "x"},
    "nested": {"name": {"c": [{}]}},
}


def changed(meta: dict[str, Any], key: str, value: object) -> dict[str, Any]:
    """The document with another value at a dotted key."""
    found = json.loads(json.dumps(meta))
    *above, last = key.split(".")
    place = found
    for name in above:
        if not isinstance(place.get(name), dict):
            place[name] = {}
        place = place[name]
    place[last] = value
    return found


QUESTIONS: list[Callable[[mv.Trace, Path], object]] = [
    lambda trace, _: [str(finding) for finding in trace.check()],
    lambda trace, _: str(trace.explain(trace.n_iterations)),
    lambda trace, _: trace.explain(trace.n_iterations, why_not=0),
    lambda trace, _: trace.events(),
    lambda trace, _: trace.truth(limit=20),
    lambda trace, _: trace.iteration(trace.n_iterations),
    lambda trace, _: trace.at(trace.n_iterations)._repr_html_(),
    lambda trace, _: trace.rerun(iterations=2, compile=False),
    lambda trace, _: repr(trace),
    lambda trace, _: str(compare(trace, trace)),
    lambda trace, folder: trace.at(trace.n_iterations).export(folder / "tree.svg"),
    lambda trace, folder: trace.at(trace.n_iterations).export(folder / "tree.graphml"),
    lambda trace, folder: trace.to_html(folder / "steps.html"),
]
EXPORTS: list[Callable[[mv.Trace, Path], object]] = [
    lambda trace, folder: trace.at(trace.n_iterations).to_json(folder / "tree.json"),
    lambda trace, folder: mv.open(folder / "tree.json").check(),
    lambda trace, folder: b"".join(event_chunks(trace)),
    lambda trace, _: json.dumps(trace.meta),
]
ROUTES = (
    "view", "window?from=0&to=12", "icicle?from=0&to=12&width=50", "timeline", "node/1?t=12", "path/1",
    "marks", "findings", "truth", "board/1.svg", "sizes?iteration=12", "picture.svg",
)  # fmt: skip


class Recorded(NamedTuple):
    """A small recording, and a page over the folder in which its variants are written."""

    document: dict[str, Any]
    batches: list[Rows]
    folder: Path
    client: FlaskClient
    asked: list[dict[str, Any]]  # what the package knew of the metadata of traces that were asked


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """With a solver, so that proven results are asked about, too."""
    folder = tmp_path_factory.mktemp("variants")
    path = folder / "original.mcts"
    mv.search(
        "tic_tac_toe", iterations=12, seed=1, compile=False, path=path, solver=True,
        start=[4, 0],
    )  # fmt: skip
    file = TraceFile(path)
    batches = list(file.rows())
    client = pages.make_app([folder], store=folder).server.test_client()
    return Recorded(json.loads(json.dumps(file.meta)), batches, folder, client, [])


def written(recorded: Recorded, document: dict[str, Any]) -> Path:
    path = recorded.folder / "variant.mcts"
    path.unlink(missing_ok=True)
    with TraceWriter(path, document) as writer:
        for rows in recorded.batches:
            writer.append(rows)
    return path


def tried(path: Path) -> tuple[mv.Trace | None, str]:
    """The trace, or what was said instead."""
    try:
        return mv.open(path), ""
    except TraceError as err:
        return None, str(err)


def ask_everything(recorded: Recorded, path: Path, trace: mv.Trace) -> None:
    """Each question is answered, or refused with an error of the package."""
    questions = EXPORTS
    known = {name: repr(value) for name, value in vars(trace.meta).items()}
    if known not in recorded.asked:  # nothing else of the document is ever read
        recorded.asked.append(known)
        questions = QUESTIONS + EXPORTS
        key = Library([], recorded.folder).key_of(path)
        for address in ROUTES:
            response = recorded.client.get(f"/api/trace/{key}/{address}")
            assert response.status_code < 500, (address, response.text[-800:])
    for question in questions:
        with contextlib.suppress(MctsVizError):
            question(trace, recorded.folder)


# every sixth key in `make test`, all of them in `make test-thorough`
@pytest.mark.parametrize("key", each(6, KEYS))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers as large as can be
def test_a_malformed_key_is_refused_or_everything_can_be_asked(
    recorded: Recorded, key: str
) -> None:
    for value in VALUES.values():
        path = written(recorded, changed(recorded.document, key, value))
        opened, refusal = tried(path)
        if opened is None:
            assert str(path) in refusal
            assert key.split(".")[0] in refusal, (key, value, refusal)
        else:
            ask_everything(recorded, path, opened)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("players", 5, "players: 5 is not a list; correct the program that wrote it"),
        ("players", [*"abcdefghijklmnopq"], "is not a list of length <= 16"),
        ("reward_range", [1], "reward_range: [1] is not a list of length 2"),
        ("reward_range", [1, 1], "reward_range: [1, 1] is not a range [least, greatest]"),
        ("value_range", 7, "value_range: 7 is not a list"),
        ("start", 1, "start: 1 is not a list"),
        ("start", [4, "b2"], 'start[1]: "b2" is not a whole number'),
        ("not_observed", 1, "not_observed: 1 is not a list"),
        ("policies.selection.c", "big", 'policies.selection.c: "big" is not a number'),
        ("inherited", {"visits": 1}, 'inherited: {"visits": 1} is not an object with nodes'),
    ],
)
def test_the_message_names_file_key_value_and_what_is_expected(
    recorded: Recorded, key: str, value: object, message: str
) -> None:
    path = written(recorded, changed(recorded.document, key, value))
    with pytest.raises(TraceError, match=re.escape(f"{path}: metadata, ")) as caught:
        mv.open(path)
    assert message in str(caught.value)


def test_every_question_has_an_answer_where_nothing_is_malformed(recorded: Recorded) -> None:
    path = written(recorded, recorded.document)
    key = Library([], recorded.folder).key_of(path)
    for address in ROUTES:
        assert recorded.client.get(f"/api/trace/{key}/{address}").status_code == 200, address
    for question in QUESTIONS + EXPORTS:
        question(mv.open(path), recorded.folder)


def test_a_null_is_as_good_as_an_absent_key(recorded: Recorded) -> None:
    """A selection policy that is null, say, is one that is not known."""
    for key in set(KEYS) - {"root.to_move", "inherited.visits", "resumed.iteration"}:
        null = changed(recorded.document, key, None)
        absent = changed(recorded.document, key, None)
        above = absent
        for name in key.split(".")[:-1]:
            above = above[name]
        del above[key.split(".")[-1]]
        if key != "discount":  # null: not always the same
            assert vars(TraceMeta(null)) == vars(TraceMeta(absent)), key
    assert TraceMeta({"discount": None}).discount is None
    assert TraceMeta({}).discount == 1.0


def test_numbers_that_json_does_not_have_and_deep_lists_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(80):
        deep = [deep]
    for value, said in ((math.nan, "mine: NaN"), (math.inf, "mine: Infinity"), (deep, "mine: [[")):
        with pytest.raises(TraceError, match=re.escape(said)):
            TraceMeta({"mine": value})


def test_it_is_a_mapping_that_cannot_change(recorded: Recorded) -> None:
    meta = TraceMeta(recorded.document)
    assert meta["game"]["name"] == meta.game.name == "tic_tac_toe"
    assert dict(meta) == recorded.document
    assert json.loads(json.dumps(meta)) == recorded.document
    for again in (copy.copy(meta), copy.deepcopy(meta), pickle.loads(pickle.dumps(meta))):
        assert (again, vars(again)) == (meta, vars(meta))
    with pytest.raises(TypeError, match="cannot change"):
        meta["seed"] = 2
    with pytest.raises(TypeError, match="cannot change"):
        meta.seed = 2
    with pytest.raises(TypeError, match="cannot change"):
        meta.update(seed=2)


FIRST_IN_THREADS = """
import sys, threading
from mcts_viz.trace.meta import TraceMeta
sys.setswitchinterval(1e-5)
barrier = threading.Barrier(8)
def read():
    barrier.wait()
    TraceMeta({"game": {"name": "nim"}, "root": {"to_move": 0}, "budget": {"iterations": 5}})
threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_the_first_documents_may_be_read_in_several_threads() -> None:
    """A library that looked its types over only then ended the process in half of the runs."""
    for _ in range(4):
        subprocess.run([sys.executable, "-c", FIRST_IN_THREADS], check=True)


def test_no_other_module_reads_the_document() -> None:
    """Keys are known in one place: others use attributes."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        if path == PACKAGE / "trace" / "meta.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            read: ast.expr | None = None
            if isinstance(node, ast.Subscript):
                read = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                read = node.func.value if node.func.attr in ("get", "setdefault", "pop") else None
            name = read.id if isinstance(read, ast.Name) else getattr(read, "attr", "")
            if name in ("meta", "_meta"):
                found.append(f"{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)}")
    assert found == []
