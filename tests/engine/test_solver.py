"""The solver: what it proves is what minimax says, it stops once the root is proven, and the move that
it has proven to win is played."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES, final_move_rule, ranking
from tests.engine import references
from tests.engine.references import THREATENED, TURNING_POINT, minimax, starts
from tests.searches import prepare, tree_columns
from tests.variants import few

PRESETS = ("uct", "tech_io", "alphazero", "rhu2001", "mctspy")
every_preset = pytest.mark.parametrize("preset", few(PRESETS, 2))
BUDGET = 3_000  # enough to prove any position with six empty cells


def boards(start: Sequence[int], parent: Sequence[int], action: Sequence[int]) -> list[str]:
    """[N] the board at each node of a tree of Tic-Tac-Toe."""
    found = [references.after("tic_tac_toe", start)]
    for above, chosen in zip(parent[1:], action[1:]):
        found.append(references.tic_tac_toe(dict(found[above].legal)[chosen]))
    return [position.board for position in found]


def proven_at(trace: mv.Trace, t: int) -> npt.NDArray[np.float32]:
    """[N] what was proven after `t` iterations."""
    proven = trace.at(t).proven
    assert proven is not None
    return proven


def searched(
    start: Sequence[int], preset: str, iterations: int, seed: int, **more: Any
) -> mv.Trace:
    return mv.search(
        "tic_tac_toe",
        preset,
        iterations=iterations,
        seed=seed,
        start=start,
        solver=True,
        **{"compile": False, **more},
    )


@every_preset
def test_whatever_is_proven_is_the_result_of_minimax(preset: str) -> None:
    counts = {1: 0, 0: 0, -1: 0}
    for seed, start in enumerate(starts(40, (0, 1, 2, 3, 4, 5, 6))):
        plan = prepare(
            "tic_tac_toe",
            preset,
            iterations=400,
            seed=seed,
            start=start,
            solver=True,
            compile=False,
        )
        tree = tree_columns(run(plan))
        found = boards(start, tree["parent"].tolist(), tree["action"].tolist())
        proven = np.flatnonzero(~np.isnan(tree["proven"]))
        for node in proven.tolist():
            assert tree["proven"][node] == minimax(found[node]), (start, found[node])
            if np.isnan(tree["outcome"][node]):
                counts[int(tree["proven"][node])] += 1
    assert min(counts.values()) > 100, counts


@every_preset
def test_all_that_follows_from_the_tree_is_proven_and_nothing_else(preset: str) -> None:
    """A win for the mover among the children, or else all children and their best."""
    for seed, start in enumerate(starts(15, (0, 1, 2, 3, 4))):
        plan = prepare(
            "tic_tac_toe",
            preset,
            iterations=300,
            seed=seed,
            start=start,
            solver=True,
            compile=False,
        )
        tree = tree_columns(run(plan))
        parent = tree["parent"].tolist()
        found = boards(start, parent, tree["action"].tolist())
        below: list[list[float]] = [[] for _ in parent]
        expected = tree["outcome"].copy()
        for node in range(len(parent) - 1, -1, -1):
            position = references.tic_tac_toe(found[node])
            if position.result is None:
                best = max if position.mover == "X" else min
                won = 1.0 if position.mover == "X" else -1.0
                complete = len(below[node]) == len(position.legal)
                if won in below[node]:
                    expected[node] = won
                elif complete and not np.isnan(below[node]).any():
                    expected[node] = best(below[node])
            if node > 0:
                below[parent[node]].append(float(expected[node]))
        assert np.array_equal(tree["proven"], expected, equal_nan=True), start


@every_preset
def test_a_position_with_few_empty_cells_is_proven_and_the_search_stops_then(preset: str) -> None:
    for seed, start in enumerate(starts(30, (3, 4, 5, 6, 7, 8))):
        trace = searched(start, preset, BUDGET, seed)
        n = trace.n_iterations
        assert n < BUDGET, start
        assert np.isnan(proven_at(trace, n - 1)[0])
        board = references.after("tic_tac_toe", start).board
        assert proven_at(trace, n)[0] == minimax(board)


def test_without_a_solver_nothing_is_carried_up_and_the_search_goes_on() -> None:
    trace = mv.search("tic_tac_toe", iterations=BUDGET, seed=1, start=TURNING_POINT, compile=False)
    assert trace.n_iterations == BUDGET
    final = trace.at(BUDGET)
    assert np.array_equal(proven_at(trace, BUDGET), final.outcome, equal_nan=True)


@every_preset
def test_what_is_proven_once_is_not_contradicted_later(preset: str) -> None:
    for seed, start in enumerate([(), (4,), THREATENED, TURNING_POINT]):
        trace = searched(start, preset, 300, seed)
        before = proven_at(trace, 0)
        for t in range(1, trace.n_iterations + 1):
            now = proven_at(trace, t)
            known = ~np.isnan(before)
            assert np.array_equal(now[: len(before)][known], before[known])
            before = now


@every_preset
def test_the_recorded_proofs_are_those_of_the_live_tree(preset: str) -> None:
    for seed, start in enumerate([(), (4, 0), THREATENED]):
        trace = searched(start, preset, 500, seed)
        plan = prepare(
            "tic_tac_toe",
            preset,
            iterations=500,
            seed=seed,
            start=start,
            solver=True,
            compile=False,
        )
        live = tree_columns(run(plan))
        final = trace.at(trace.n_iterations)
        assert np.array_equal(proven_at(trace, trace.n_iterations), live["proven"], equal_nan=True)
        assert np.array_equal(final.visits, live["visits"])


@pytest.mark.parametrize("rule", few(FINAL_MOVE_RULES))
def test_a_proven_win_is_played_whatever_the_final_move_rule_says(rule: str) -> None:
    won = 0
    against_the_rule = 0
    for seed, start in enumerate(starts(60, (2, 3, 4, 5))):
        position = references.after("tic_tac_toe", start)
        mover_wins = 1 if position.mover == "X" else -1
        if minimax(position.board) != mover_wins:
            continue
        for preset in PRESETS:
            trace = searched(start, preset, BUDGET, seed, final_move=rule)
            final = trace.at(trace.n_iterations)
            assert final.best_action is not None
            assert minimax(dict(position.legal)[final.best_action]) == mover_wins, (start, preset)
            won += 1
            children = final.children(0)
            ranked = ranking(
                final_move_rule(rule),
                final.visits[children],
                final.value_sum[children],
                final.value_width,
            )
            if ranked:  # else the win was made with all its siblings, and none had a visit yet
                chosen = int(final.action[children[ranked[0]]])
                against_the_rule += minimax(dict(position.legal)[chosen]) != mover_wins
    assert won > 100
    assert against_the_rule > 0


@pytest.mark.parametrize("rule", few(FINAL_MOVE_RULES))
def test_a_proven_loss_is_not_played_where_there_is_another_move(rule: str) -> None:
    others = 0
    for seed, start in enumerate(starts(60, (3, 4, 5))):
        position = references.after("tic_tac_toe", start)
        for preset in ("uct", "tech_io"):
            trace = searched(start, preset, 40, seed, final_move=rule)
            now = trace.at(trace.n_iterations)
            results = proven_at(trace, trace.n_iterations)
            mover_loses = -1.0 if position.mover == "X" else 1.0
            proven = {int(now.action[v]): float(results[v]) for v in now.children(0)}
            visited = {int(now.action[v]) for v in now.children(0) if now.visits[v]}
            if any(proven[action] != mover_loses for action in visited):
                assert now.best_action is not None
                assert proven[now.best_action] != mover_loses, (start, preset)
                others += mover_loses in proven.values()
    assert others > 20


@pytest.mark.thorough
def test_compiled_and_interpreted_searches_prove_the_same() -> None:
    for start in ((), THREATENED):
        slow, fast = (
            searched(start, "uct", 2_000, 3, compile=compiled) for compiled in (False, True)
        )
        assert slow.n_iterations == fast.n_iterations
        now, then = (trace.at(trace.n_iterations) for trace in (slow, fast))
        for column in ("parent", "action", "visits", "value_sum", "proven"):
            a, b = getattr(now, column), getattr(then, column)
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), column
