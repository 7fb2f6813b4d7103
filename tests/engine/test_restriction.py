"""A root move forced or forbidden: the search never visits another one."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.engine.presets import PRESETS
from tests.complaints import complaints
from tests.engine.test_compilation import assert_same_trace
from tests.variants import few

every_preset = pytest.mark.parametrize("preset", PRESETS)


def root_actions(trace: mv.Trace) -> set[int]:
    """Every action that any node below the root, or any first update after it, was reached by."""
    tree = trace.at(trace.n_iterations)
    seen = {int(tree.action[v]) for v in tree.children(0)}
    for t in range(1, trace.n_iterations + 1):
        path = trace.iteration(t).path
        if len(path) > 1:
            seen.add(int(tree.action[path[1]]))
    return seen


@every_preset
def test_a_forced_move_is_the_only_one(preset: str) -> None:
    trace = mv.search("tic_tac_toe", preset, iterations=200, seed=1, force="b2")
    assert root_actions(trace) == {4}
    assert trace.best_action == 4
    assert trace.meta["root_actions"] == [4]


@every_preset
def test_forbidden_moves_are_never_visited(preset: str) -> None:
    trace = mv.search("tic_tac_toe", preset, iterations=200, seed=1, forbid=[4, "a1"])
    assert root_actions(trace) == {0, 1, 2, 3, 5, 7, 8}  # a1 is 6
    assert trace.meta["root_actions"] == [0, 1, 2, 3, 5, 7, 8]


@pytest.mark.parametrize(
    "options", few([{}, {"preset": "tech_io"}, {"order": "last_legal_first"}]), ids=str
)
def test_compiled_and_interpreted_keep_to_it_alike(options: dict[str, Any]) -> None:
    wanted = {"iterations": 400, "seed": 2, "forbid": [3, 0], **options}
    traces = [mv.search("connect_four", compile=c, **wanted) for c in (False, True)]
    assert_same_trace(*traces)
    assert root_actions(traces[1]) == {1, 2, 4, 5, 6}


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"rhu2001", "baeldung"}))
def test_such_a_search_is_healthy(preset: str) -> None:
    trace = mv.search("tic_tac_toe", preset, iterations=400, seed=1, forbid=[4])
    assert complaints(trace) == []


def test_a_restriction_that_leaves_every_move_changes_nothing() -> None:
    plain = mv.search("connect_four", iterations=300, seed=1)
    free = mv.search("connect_four", iterations=300, seed=1, forbid=[])
    assert_same_trace(plain, free)
    assert "root_actions" not in free.meta


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"force": "z9"}, "no move 'z9'"),
        ({"start": ["a1"], "force": "a1"}, "not a legal move at the root"),
        ({"force": 4, "forbid": [4]}, "both forced and forbidden"),
        ({"forbid": list(range(9))}, "every move at the root is forbidden"),
        ({"forbid": "a1"}, "not a list of moves"),
        ({"force": 4, "expansion": "all_children", "simulate_from": "leaf"}, "another simulate_from"),
    ],
)  # fmt: skip
def test_restrictions_that_make_no_sense_are_refused(options: Any, message: str) -> None:
    with pytest.raises(mv.MctsVizError, match=message):
        mv.search("tic_tac_toe", iterations=10, **options)
