"""An evaluation in the view of one player, or one whose sign goes by the depth, where nobody knows the rules."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from mcts_viz.health.finding import Finding
from tests.health.unusual import PRIORS, Node, Puct, Rules, Search, watched
from tests.variants import few, in_turn

START = [3, 3, 2, 2, 0]
LINES = [
    [(column + i * across, row + i * up) for i in range(4)]
    for column in range(7)
    for row in range(6)
    for across, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if column + 3 * across < 7 and 0 <= row + 3 * up < 6
]


class Judge(Puct):
    """Counts the lines that each side has the better part of: in the view of the first player."""

    def evaluate(self, leaf: Node) -> float:
        return leaf.outcome if leaf.outcome is not None else self.lines(leaf)

    def lines(self, leaf: Node) -> float:
        cells = cells_of(leaf)
        total = 0.0
        for line in LINES:
            marks = [cells.get(cell, 0) for cell in line]
            if not (1 in marks and -1 in marks):
                total += math.copysign(sum(marks) ** 2, sum(marks))
        return math.tanh(0.08 * total)


class OneView(Judge):
    """Taken for that of the player to move, and turned round where the second one is."""

    def lines(self, leaf: Node) -> float:
        return super().lines(leaf) * (1 if leaf.player == 0 else -1)


class ByDepth(Judge):
    """Handed down the path from the root: right where its length is odd; finished games, too."""

    def evaluate(self, leaf: Node) -> float:
        depth, at = 0, leaf
        while at.parent is not None:
            depth, at = depth + 1, at.parent
        return super().evaluate(leaf) * (1 if depth % 2 else -1)


class NotTrained(Judge):
    """As good as random."""

    def lines(self, leaf: Node) -> float:
        return random.Random(str(leaf.state)).uniform(-0.9, 0.9)


class InBatches(Judge):
    """Four leaves an iteration, evaluated one after the other."""

    def step(self) -> None:
        for _ in range(4):
            super().step()


class OneViewInBatches(OneView, InBatches):
    pass


def cells_of(leaf: Node) -> dict[tuple[int, int], int]:
    """1 and −1 for the first and the second player, by column and row: from the moves."""
    moves, at = [], leaf
    while at.parent is not None:
        moves.append(at.move)
        at = at.parent
    height, cells = [0] * 7, {}
    for n, column in enumerate([*START, *reversed(moves)]):
        cells[column, height[column]] = 1 if n % 2 == 0 else -1
        height[column] += 1
    return cells


def flipped(search: Search, told: dict[str, Any]) -> list[Finding]:
    unknown = {"game": None, "start": None, "to_move": None}
    trace = watched(search, **{"iterations": 800, **unknown, **PRIORS, **told})
    return [one for one in trace.check() if one.check == "simulation-flipped"]


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize(("kind", "told"), in_turn([OneView, ByDepth], [{}, {"to_move": "player"}]))
def test_a_sign_that_is_right_at_every_other_level_is_named(
    kind: type[Search], told: dict[str, Any], seed: int
) -> None:
    (found,) = flipped(kind(Rules("connect_four", START), seed), told)
    assert found.severity == "note"
    assert "Right for a network that knows nothing yet" in found.message
    assert "right at every other level only" in found.message


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("kind", [Judge, NotTrained, Puct])
def test_evaluations_with_the_right_sign_are_not(kind: type[Search], seed: int) -> None:
    assert not flipped(kind(Rules("connect_four", START), seed), {"to_move": "player"})


def test_one_player_who_does_not_say_so_has_no_signs() -> None:
    class Alone(Judge):
        def worth(self, node: Node, outcome: float) -> float:
            return outcome

    assert not flipped(Alone(Rules("connect_four", START), 1), {})


@pytest.mark.thorough
def test_a_sign_that_is_right_at_every_other_level_is_named_in_batches() -> None:
    for seed in (1, 2):
        wrong, right = (
            kind(Rules("connect_four", START), seed) for kind in (OneViewInBatches, InBatches)
        )
        (found,) = flipped(wrong, {"leaves": 4, "iterations": 250})
        assert "right at every other level only" in found.message
        assert not flipped(right, {"leaves": 4, "iterations": 250})
