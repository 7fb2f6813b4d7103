"""Shapes of well-known searches, recorded as their users would: their own numbers are found again at every iteration,
no check objects, and explanations can be made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from tests.complaints import complaints
from tests.recording.known_searches import (
    Gomoku,
    GomokuNode,
    Ismcts,
    IsmctsNode,
    Minigo,
    MinigoNode,
    MuZeroTwo,
    MuZeroTwoNode,
)

Numbers = list[tuple[int, float]]


def below(
    root: Any, children: Callable[[Any], Iterable[Any]], numbers: Callable[[Any], tuple[int, float]]
) -> Numbers:
    """Visits and value of every node, sorted."""
    nodes, found = [root], []
    while nodes:
        node = nodes.pop()
        found.append(numbers(node))
        nodes += children(node)
    return sorted(found)


def check(
    rec: Any, step: Callable[[], Any], own: Callable[[], Numbers], n: int, mean: bool = False
) -> mv.Trace:
    kept = []
    with rec:
        for _ in range(n):
            rec.iteration(**(step() or {}))
            kept.append(own())
    trace: mv.Trace = rec.trace
    for t in range(1, n + 1):
        snapshot = trace.at(t)
        values = np.nan_to_num(snapshot.mean_value) if mean else snapshot.value_sum
        assert np.allclose(
            sorted(zip(snapshot.visits.tolist(), values.tolist())), kept[t - 1], rtol=0, atol=1e-12
        )
    assert complaints(trace) == []
    assert re.search("most visited|has the most visits", str(trace.explain()))
    return trace


def test_minigo() -> None:
    search = Minigo()

    def numbers(node: MinigoNode) -> tuple[int, float]:
        mover_is_x = node.to_play == -1
        return node.visits, node.w if mover_is_x else -node.w

    rec = mv.record(
        root=search.root, children="children", visits="visits", value="w", value_view="player0",
        to_move=lambda node: 0 if node.to_play == 1 else 1, action="move", game="tic_tac_toe",
        virtual_loss=lambda node: (0, float(node.losses_applied * node.to_play)),
    )  # fmt: skip
    trace = check(
        rec, lambda: {"leaves": search.batch()},
        lambda: below(search.root, lambda node: node.children.values(), numbers), 60,
    )  # fmt: skip
    assert max(len(trace.iteration(t).paths) for t in range(1, 61)) > 1


def test_muzero_general_for_two() -> None:
    search = MuZeroTwo()

    def numbers(node: MuZeroTwoNode) -> tuple[int, float]:
        return node.visit_count, 0.0 - node.value_sum

    rec = mv.record(
        root=search.root, children="children", visits="visit_count", value="value_sum", value_view="to_move",
        to_move=lambda node: None if node.to_play < 0 else node.to_play, prior="prior", reward="reward",
        game="tic_tac_toe", score=search.score,
    )  # fmt: skip
    trace = check(
        rec,
        search.step,
        lambda: below(search.root, lambda node: node.children.values(), numbers),
        150,
    )
    assert trace.columns.unexplained is not None
    assert trace.columns.unexplained.max() == 0


def test_alphazero_gomoku() -> None:
    search = Gomoku()

    def numbers(node: GomokuNode) -> tuple[int, float]:
        return node._n_visits, node._Q

    rec = mv.record(
        root=search._root, children="_children", visits="_n_visits", value="_Q", value_kind="mean", prior="_P",
        game="tic_tac_toe", selection="puct", c=5, unvisited=0, final_move="most_visits",
    )  # fmt: skip
    trace = check(
        rec, search.playout,
        lambda: below(search._root, lambda node: node._children.values(), numbers), 200, mean=True,
    )  # fmt: skip
    assert any(each.check == "selection-rule" for each in trace.check())


@pytest.mark.parametrize("told", [True, False])
def test_ismcts(told: bool) -> None:
    """Moves that are not possible in every deal, and each child with a count of how often it was."""
    search = Ismcts()

    def numbers(node: IsmctsNode) -> tuple[int, float]:
        return node.visits, node.wins

    def step() -> dict[str, Any]:
        search.step()
        return {"outcome": search.outcome} if told else {}

    rec = mv.record(
        root=search.root, children="children", visits="visits", value="wins", action="move", value_range=(0, 1),
        to_move=lambda node: node.children[0].player_just_moved if node.children else None,
        players=("me", "left", "right"),
    )  # fmt: skip
    trace = check(rec, step, lambda: below(search.root, lambda node: node.children, numbers), 200)
    assert trace.meta.n_players == 3
