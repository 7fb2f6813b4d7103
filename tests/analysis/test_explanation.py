"""Why this move: every number of the words against the trace, and what the words are at the edges."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.analysis.choice import selections
from mcts_viz.analysis.choice.prose import BY_TERM
from mcts_viz.analysis.history import siblings
from mcts_viz.errors import TraceError
from tests.analysis.reader import Reader, Story
from tests.variants import each, few
from tests.web.recordings import record_foreign

SEARCHES: dict[str, dict[str, Any]] = {
    "uct": {},
    "tech_io": {"preset": "tech_io"},
    "mctspy": {"preset": "mctspy", "final_move": "highest_total"},
    "rhu2001": {"preset": "rhu2001", "iterations": 150},
    "baeldung": {"preset": "baeldung", "iterations": 150, "start": [0, 4]},
    "alphazero": {"preset": "alphazero", "iterations": 80},
    "solver": {"solver": True, "start": [0, 3, 1], "iterations": 400},
    "solver_late": {"solver": True, "start": [0, 4, 1, 2], "final_move": "highest_mean"},
    "lost": {"solver": True, "start": [0, 8, 2, 1], "loss": -1.0},
    "secure": {"final_move": "secure"},
    "robust_max": {"final_move": "robust_max", "loss": -1.0},
    "tuned": {"selection": "ucb1_tuned"},
    "four": {"game": "connect_four", "preset": "tech_io", "iterations": 120},
    "one_move": {"start": [0, 1, 2, 4, 3, 5, 7, 6], "iterations": 20},
    "nearly_over": {"start": [0, 1, 2, 4, 3, 5], "iterations": 60},
}
# in `make test`: a search of each kind
FIRST = ("alphazero", "solver", "one_move")
every_search = pytest.mark.parametrize(
    "name", few([*FIRST, *(name for name in SEARCHES if name not in FIRST)], len(FIRST))
)


@cache
def searched(name: str) -> mv.Trace:
    options = {"game": "tic_tac_toe", "iterations": 200, "seed": 3, "compile": False}
    return mv.search(**{**options, **SEARCHES[name]})


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> mv.Trace:
    path = tmp_path_factory.mktemp("foreign") / "foreign.mcts"
    record_foreign(path, game={"name": "g"}, root={"to_move": -1}, players=None, format_version=2)
    return mv.open(path)


def read(trace: mv.Trace, t: int, node: int, why_not: int | None) -> None:
    """Raises where a number of the words is not the trace's."""
    text = str(trace.explain(t, node, why_not))
    try:
        Reader(text, Story(trace, t, node), why_not).read()
    except AssertionError as err:
        raise AssertionError(f"t = {t}, node {node}, why not {why_not}: {text}") from err


@every_search
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_number_in_the_words_is_the_traces(name: str, data: st.DataObject) -> None:
    trace = searched(name)
    t = data.draw(st.integers(0, trace.n_iterations))
    nodes = trace.columns.node_count[t]
    node = data.draw(st.one_of(st.just(0), st.integers(0, min(int(nodes), 30) - 1)))
    tree = trace.at(t)
    actions = [int(tree.action[v]) for v in tree.children(node)]
    read(trace, t, node, data.draw(st.sampled_from([None, *actions, 0])))


@every_search
def test_every_move_of_a_whole_search_is_explained(name: str) -> None:
    trace = searched(name)
    tree = trace.at(trace.n_iterations)
    for child in tree.children(0):
        read(trace, trace.n_iterations, 0, int(tree.action[child]))


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["uct", "tech_io", "tuned"]))
def test_of_very_many_selections_some_are_looked_at_and_it_says_which(name: str) -> None:
    trace = searched(name)
    with (
        mock.patch.object(selections, "MOST_SELECTIONS", 60),
        mock.patch.object(siblings, "BLOCK", 64),
    ):
        told = trace.explain(200)
        assert told.selections.step == 4
        assert "one in 4" in str(told)
        for action in range(9):
            read(trace, 200, 0, action)


@pytest.mark.parametrize("name", each(2, ["uct", "solver", "four", "rhu2001"]))
def test_blocks_make_no_difference(name: str) -> None:
    trace = searched(name)
    told = trace.explain(why_not=1)
    with mock.patch.object(siblings, "BLOCK", 7):
        found = trace.explain(why_not=1).as_json()
    assert json.dumps(found["text"]) == json.dumps(str(told))


def test_a_foreign_search_without_formula_and_players(foreign: mv.Trace) -> None:
    for t in (0, 1, 30, 60):
        for node in (0, 1):
            if node < foreign.columns.node_count[t]:
                read(foreign, t, node, None)
    assert "scores are not in the trace" in str(foreign.explain())
    assert "the rules of g are not known here" in str(foreign.explain(truth=True))


def test_a_snapshot_is_explained_without_its_history(tmp_path: Path) -> None:
    searched("uct").at(120).to_json(tmp_path / "tree.json")
    trace = mv.open(tmp_path / "tree.json")
    read(trace, 1, 0, 4)
    told = trace.explain()
    assert told.chosen is not None
    assert told.chosen.no_interval == "its visits were not recorded one by one"
    assert told.selections.total == 0


def test_data_is_plain_json() -> None:
    told = searched("solver_late").explain(why_not=5)
    data = json.loads(json.dumps(told.as_json(), allow_nan=False))
    assert data["text"] == str(told)
    assert data["chosen"]["node"] == told.chosen.node if told.chosen else False
    assert [choice["rule"] for choice in data["rules"]] == [
        "most_visits", "highest_mean", "highest_total", "robust_max", "secure",
    ]  # fmt: skip
    assert told._repr_html_().startswith("<p>")


def test_a_move_is_asked_about_by_name_or_by_action() -> None:
    trace = searched("uct")
    assert trace.explain(why_not="A3") == trace.explain(why_not="a3") == trace.explain(why_not=0)
    assert trace.explain(why_not="0") == trace.explain(why_not=0)
    with pytest.raises(TraceError, match=r"why_not = 'z9' is not a move here.*: .*b2"):
        trace.explain(why_not="z9")
    with pytest.raises(TraceError, match="node 9999"):
        trace.explain(node=9999)


def test_numbers_lead_to_where_they_are_seen() -> None:
    told = searched("uct").explain(why_not=0)
    phrases = [phrase for paragraph in told.prose for phrase in paragraph]
    assert "".join(phrase.text for phrase in told.prose[0]) == str(told).split("\n")[0]
    assert told.leads_since in {phrase.iteration for phrase in phrases}
    assert told.decision is not None
    assert {told.decision.chosen, told.decision.runner_up} <= {phrase.node for phrase in phrases}


@pytest.mark.parametrize("name", each(2, ["uct", "tech_io", "alphazero", "tuned"]))
def test_a_count_leads_to_the_first_iteration_that_it_counts(name: str) -> None:
    trace = searched(name)
    told = trace.explain(why_not=8)
    phrases = {phrase.text: phrase for phrase in itertools.chain(*told.prose)}
    assert told.selections.reasons.keys() == told.selections.first.keys()
    for reason, first in told.selections.first.items():
        text = f"{told.selections.reasons[reason]:,} {BY_TERM[reason]}"
        assert phrases[text].iteration is not None
        assert trace.explain(first).selections.reasons[reason] == 1
        assert reason not in trace.explain(first - 1).selections.reasons
    assert told.rejected is not None
    for reason, first in told.rejected.lost_first.items():
        assert first >= (told.rejected.starved_since or 1)
        before, then = (trace.explain(t, why_not=8).rejected for t in (first - 1, first))
        assert before is not None
        assert then is not None
        if told.rejected.starved_since is None and before.candidate is not None:
            assert then.lost_by.get(reason, 0) == before.lost_by.get(reason, 0) + 1


def test_it_says_whether_the_choice_is_a_mistake_at_any_node() -> None:
    trace = searched("uct")
    tree = trace.at(200)
    for node in (0, *tree.ranked_children(0)[:2]):
        told = trace.explain(200, node, truth=True)
        exact = trace.truth(200, node)
        assert told.truth is not None
        assert (told.truth.mistake, told.truth.moves) == (exact.mistake, exact.moves)
        assert exact.mistake is not None
        verdict = "This is a mistake: " if exact.mistake else " is right: it "
        assert verdict in str(told)
        assert json.loads(json.dumps(told.as_json(), allow_nan=False))["truth"]["node"] == node
    assert trace.explain(200).truth is None


@every_search
def test_every_number_leads_to_where_it_is_seen(name: str) -> None:
    """But for the method, what a move is called, and which every how manieth selection was looked at."""
    trace = searched(name)
    tree = trace.at(trace.n_iterations)
    for node in (0, *tree.children(0)[:2]):
        for asked in [None, *(int(tree.action[v]) for v in tree.children(node))]:
            told = trace.explain(trace.n_iterations, node, asked)
            for phrase in itertools.chain(*told.prose):
                if phrase.iteration is None and phrase.node is None:
                    text = phrase.text.replace(told.method, "").replace("95 % interval", "")
                    for move in (*told.line_to, *(tree.label(v) for v in range(1, len(tree)))):
                        text = text.replace(move, "")
                    assert not re.search(r"\d", re.sub(r"one in \d+", "", text)), phrase


def test_a_node_that_collects_no_values_has_no_mean() -> None:
    trace = mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1, start=[4], compile=False)
    final = trace.at(300)
    told = trace.explain(300)
    assert [step.mean is None for step in told.line[:3]] == [False, True, False]
    assert " for X" not in str(told)
    node = told.line[0].node
    reply = trace.explain(300, node=node, why_not=final.label(final.children(node)[-1]))
    assert "moves of X collect no values in this search" in str(reply)
    assert "0.0000" not in str(reply)


def test_of_a_poisoned_sum_no_range_of_games_is_told() -> None:
    trace = mv.search("tic_tac_toe", "baeldung", iterations=300, seed=1, start=[0, 1, 4])
    assert "0 to 10" not in f"{trace.check()} {mv.compare(trace, trace)} {trace.explain(300)}"


@pytest.mark.thorough
def test_a_node_may_have_more_children_than_a_small_number_holds() -> None:
    """Searches over actions by their number have hundreds of thousands at the root."""
    root = SimpleNamespace(move=None, visits=0, value=0.0)
    root.children = [
        SimpleNamespace(move=move, visits=0, value=0.0, children=[]) for move in range(33_000)
    ]

    def step() -> None:
        child = root.children[root.visits * 7_919 % len(root.children)]
        for node in (root, child):
            node.visits += 1
            node.value += 0.5

    fields = {"children": "children", "visits": "visits", "value": "value", "action": "move"}
    with mv.record(root=root, **fields) as rec:  # type: ignore[arg-type]
        for _ in rec.steps(step, 4):
            pass
    assert "most visited (1 of 4;" in str(rec.trace.explain())


def test_where_nodes_collect_no_values_none_is_said_to_be_needed() -> None:
    trace = mv.search("tic_tac_toe", "rhu2001", iterations=150, seed=1)
    t = 30
    now = trace.at(t)
    told = []
    for node in now.children():
        visits = {
            int(now.action[child]): int(now.visits[child]) for child in now.children(int(node))
        }
        if 0 in visits.values() and any(visits.values()):
            never = next(move for move, n in visits.items() if not n)
            told.append(str(trace.explain(t, int(node), never)))
    assert told
    assert all("only visits are counted there" in each for each in told)
    assert not any("would need a mean value" in each for each in told)
