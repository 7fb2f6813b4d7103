"""A search that goes on from an iteration of a trace: its tree is the live one, its iterations are
legal, its statistics exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.engine.tree import BRANCH_COLUMNS
from mcts_viz.health.finding import Finding
from tests.engine.live import same
from tests.engine.test_compilation import assert_same_trace
from tests.searches import prepare, prepare_again, tree_columns
from tests.variants import few

KINDS: list[dict[str, Any]] = [
    {"preset": "uct"},
    {"preset": "uct", "order": "first_legal_first"},
    {"preset": "mctspy"},
    {"preset": "tech_io"},
    {"preset": "tech_io", "solver": True},
    {"preset": "rhu2001"},
    {"preset": "baeldung"},
    {"preset": "alphazero"},
    {"preset": "alphazero", "fpu": -0.25, "solver": True},
    {"preset": "uct", "selection": "ucb1_tuned", "c": 1},
    {"preset": "sudo_tic_tac_toe", "n_rollouts": 3},
]
every_kind = pytest.mark.parametrize(
    "kind", few(KINDS, 4), ids=lambda kind: "-".join(map(str, kind.values()))
)
every_game = pytest.mark.parametrize("name", few(["tic_tac_toe", "connect_four"]))
T, MORE = 180, 120


def searched(name: str, kind: dict[str, Any], **options: Any) -> mv.Trace:
    return mv.search(name, **{"iterations": 300, "seed": 3, "compile": False, **kind, **options})


def problems(trace: mv.Trace) -> list[Finding]:
    return [finding for finding in trace.check() if finding.severity != "note"]


@every_kind
@every_game
def test_the_tree_it_goes_on_with_is_the_live_one(name: str, kind: dict[str, Any]) -> None:
    trace = searched(name, kind)
    t = min(T, trace.n_iterations - 1)
    options = {"seed": 3, "compile": False, **kind, "iterations": t}
    live = tree_columns(run(prepare(name, **options)))
    kept = prepare_again(trace, resume=t, iterations=1).reused
    assert kept is not None
    rebuilt = tree_columns(kept)
    drawn = kind.get("order", trace.meta["policies"]["expansion"]["order"]) == "random"
    made = live["branch_child"] > 0  # what the others say has no meaning
    made[0] = True
    visited = made & (live["visits"][live["branch_child"]] > 0)
    for column, values in live.items():
        if column == "next_branch":  # worked out when it is needed
            assert not rebuilt[column].any()
        elif column == "weight":  # of no meaning before the first visit
            assert same(rebuilt[column][visited], values[visited])
        elif column == "branch_action" and not drawn:
            assert same(rebuilt[column], values)
        elif column in BRANCH_COLUMNS:
            assert same(rebuilt[column][made], values[made]), column
        else:
            assert same(rebuilt[column], values), column
    assert same(rebuilt["branch_child"], live["branch_child"])
    assert sorted_untried(live) == sorted_untried(rebuilt)


def sorted_untried(columns: dict[str, Any]) -> list[list[int]]:
    """Untried actions below each branch that leads to a node, without their order."""
    found = []
    for branch in [0, *np.flatnonzero(columns["branch_child"]).tolist()]:
        first = int(columns["first_branch"][branch]) + int(columns["n_children"][branch])
        n = max(0, int(columns["n_untried"][branch]))
        found.append(sorted(columns["branch_action"][first : first + n].tolist()))
    return found


@every_kind
@every_game
def test_what_comes_of_it_is_a_legal_search_with_exact_statistics(
    name: str, kind: dict[str, Any]
) -> None:
    trace = searched(name, kind)
    t = min(T, trace.n_iterations - 1)
    more = trace.rerun(resume=t, iterations=MORE)
    before, begun = trace.at(t), more.at(0)
    for column in ("parent", "action", "visits", "value_sum", "outcome"):
        assert same(getattr(begun, column), getattr(before, column))
    end = more.at(more.n_iterations)
    assert end.visits[0] == t + more.n_iterations
    if kind["preset"] not in ("rhu2001", "baeldung"):  # faulty as published
        assert problems(more) == []
    # its statistics are those that replaying its own iterations gives
    visits = np.zeros(end.n_nodes, np.int64)
    values = np.zeros(end.n_nodes)
    visits[: begun.n_nodes], values[: begun.n_nodes] = before.visits, before.value_sum
    for k in range(1, more.n_iterations + 1):
        for update in more.iteration(k).updates:
            visits[update.node] += update.visits
            values[update.node] += update.value
    assert same(end.visits, visits.astype(np.int32))
    assert same(end.value_sum, values)


def test_where_nothing_is_drawn_at_random_it_is_the_very_continuation() -> None:
    """alphazero with the evaluator that needs no random numbers: the rest is the search's own."""
    trace = searched("connect_four", {"preset": "alphazero"})
    more = trace.rerun(resume=T, iterations=300 - T)
    end, resumed = trace.at(300), more.at(300 - T)
    for column in ("parent", "action", "visits", "value_sum"):
        assert same(getattr(resumed, column), getattr(end, column))
    told = mv.compare(trace, more)
    assert told.first == (120, None, None, "")


def test_it_is_reproducible_and_says_where_it_comes_from() -> None:
    trace = searched("tic_tac_toe", {})
    more, again = (trace.rerun(resume=T, iterations=50) for _ in range(2))
    assert_same_trace(more, again)
    assert more.meta["resumed"]["iteration"] == T
    assert more.meta["resumed"]["seed"] == 3
    assert more.meta["seed"] != 3
    chain = more.rerun(resume=50, iterations=10)
    assert chain.meta["resumed"]["iteration"] == T + 50
    told = mv.compare(trace, chain)
    assert told.first == (10, T + 50, 0, "the trees that they begin with")
    parted = mv.compare(trace, more).first
    assert parted.compared == 50
    assert parted.iteration_b
    assert parted.iteration_a == T + parted.iteration_b


def test_compiled_and_interpreted_go_on_alike() -> None:
    trace = searched("connect_four", {})
    assert_same_trace(*(trace.rerun(resume=T, iterations=200, compile=c) for c in (False, True)))


def test_the_constant_may_change_on_the_way() -> None:
    trace = searched("connect_four", {})
    more = trace.rerun(resume=T, iterations=MORE, c=0.2)
    assert more.meta["policies"]["selection"]["c"] == 0.2
    assert problems(more) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"win": 2.0}, "win: a search that goes on"),
        ({"expansion": "all_children"}, "expansion: a search that goes on"),
        ({"solver": True}, "solver: a search that goes on"),
        ({"force": 0}, "cannot become one that never does"),
        ({"resume": 301}, "choose one from 0 to 300"),
    ],
)
def test_what_would_be_no_continuation_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(mv.MctsVizError, match=message):
        searched("tic_tac_toe", {}).rerun(**{"resume": T, **change})
