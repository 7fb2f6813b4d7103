"""The simulations through a node, against a count over every iteration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.node.rollouts import PAGE, RolloutsThrough, rollout, rollouts_through
from tests.web.recordings import record_foreign, record_kept


def searched(**parameters: Any) -> mv.Trace:
    return mv.search("tic_tac_toe", **{"iterations": 600, "seed": 1, **parameters})


@pytest.fixture(scope="module")
def trace() -> mv.Trace:
    return searched()


def through(trace: mv.Trace, node: int, t: int) -> list[int]:
    return [
        i for i in range(1, t + 1) if node in trace.topology.path(int(trace.columns.leaf[i - 1]))
    ]


def test_what_passed_through_a_node_is_what_its_visits_say(trace: mv.Trace) -> None:
    for t in (0, 1, 77, 600):
        tree = trace.at(t)
        for node in range(0, tree.n_nodes, 7):
            told = rollouts_through(trace, node, t)
            assert told.iterations.tolist() == through(trace, node, t)
            assert len(told.iterations) == tree.visits[node]


def test_outcomes_are_counted_and_add_up(trace: mv.Trace) -> None:
    for node in (0, 1, 2, 30):
        told = rollouts_through(trace, node, 600)
        outcomes = [trace.iteration(i).outcome for i in told.iterations.tolist()]
        assert told.outcomes.wins == (outcomes.count(1.0), outcomes.count(-1.0))
        assert told.outcomes.draws == outcomes.count(0.0)
        assert told.outcomes.n_values == told.outcomes.not_recorded == 0
        known = [each for each in outcomes if each is not None]
        assert told.outcomes.mean == pytest.approx(sum(known) / len(known))
        assert told.outcomes.n == len(outcomes)


def test_games_over_at_the_leaf_are_counted_apart() -> None:
    trace = searched(start=["a1", "b2", "c3"])
    told = rollouts_through(trace, 0, 600)
    over = [i for i in range(1, 601) if trace.at(600).terminal[trace.columns.leaf[i - 1]]]
    assert over
    assert told.outcomes.n_over == len(over)
    each = rollout(trace.at(600), trace, over[0])
    assert (each.is_over, each.n_moves) == (True, 0)


def test_a_row_tells_the_moves_and_the_result(trace: mv.Trace) -> None:
    tree = trace.at(600)
    for t in (1, 250, 600):
        each, told = rollout(tree, trace, t), trace.iteration(t)
        assert told.rollout is not None
        assert each.moves == (tuple(trace.action_name(a) for a in told.rollout),)
        assert each.n_moves == len(told.rollout)
        assert each.leaf == tree.label(told.leaf)
        assert told.outcome is not None
        assert each.result == {1.0: "X wins", -1.0: "O wins", 0.0: "draw"}[told.outcome]


def test_the_list_has_pages_newest_first_and_none_is_left_out(trace: mv.Trace) -> None:
    told = rollouts_through(trace, 0, 600)
    assert told.n_pages == 3
    pages = [told.page(number).tolist() for number in (1, 2, 3)]
    assert [len(page) for page in pages] == [PAGE, PAGE, 600 - 2 * PAGE]
    assert [t for page in pages for t in page] == list(range(600, 0, -1))
    assert told.page(9).tolist() == pages[2]  # a page that is no more
    assert nothing(trace).n_pages == 1


def nothing(trace: mv.Trace) -> RolloutsThrough:
    return rollouts_through(trace, 0, 0)


def test_an_evaluators_word_and_means_of_several_are_values_and_no_results() -> None:
    valued = rollouts_through(searched(preset="alphazero", iterations=60), 0, 60)
    assert valued.by_evaluator
    assert valued.outcomes.n_values + valued.outcomes.n_over >= 60
    several = searched(n_rollouts=3, iterations=60)
    told = rollouts_through(several, 0, 60)
    results = several.columns.outcome
    over = ~np.isnan(several.columns.nodes.outcome[several.columns.leaf])
    assert told.outcomes.n_values == int((~over).sum())
    assert told.outcomes.least == results[~over].min()
    assert told.outcomes.greatest == results[~over].max()
    each = rollout(several.at(60), several, 5)
    assert each.moves is not None
    assert len(each.moves) == 3
    assert each.result.endswith("for X")


def test_moves_that_were_not_recorded_are_not_made_up() -> None:
    trace = searched(rollouts=False, iterations=60)
    told = rollouts_through(trace, 0, 60)
    assert not told.has_moves
    assert rollout(trace.at(60), trace, 9).moves is None
    assert sum(told.outcomes.wins) + told.outcomes.draws == 60


def test_a_foreign_search_tells_its_outcomes_without_moves(tmp_path: Path) -> None:
    record_foreign(tmp_path / "foreign.mcts")
    told = rollouts_through(mv.open(tmp_path / "foreign.mcts"), 0, 60)
    assert not told.has_moves
    assert told.outcomes.n == 60


def test_visits_from_the_search_before_are_told_apart() -> None:
    trace = record_kept()
    for node in (0, 1, 5):
        told = rollouts_through(trace, node, 60)
        assert told.inherited == trace.at(0).visits[node]
        assert told.inherited + len(told.iterations) == trace.at(60).visits[node]


def test_a_snapshot_has_none(tmp_path: Path) -> None:
    searched(iterations=60).at(50).to_json(tmp_path / "snapshot.json")
    told = rollouts_through(mv.open(tmp_path / "snapshot.json"), 0, 1)
    assert told.is_snapshot
    assert not len(told.iterations)


def test_a_subtree_is_what_lies_below_a_node(trace: mv.Trace) -> None:
    tree = trace.at(400)
    for node in (0, 1, 9, 399):
        below = [v for v in range(tree.n_nodes) if node in tree.path(v)]
        assert sorted(trace.topology.subtree(node, tree.n_nodes).tolist()) == below
