"""A tree that is used again after a move, and is that of another one, while its root gets the true state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search

SIDE = 7


class Push:
    """Two players push one token over a torus, twelve moves each; the row where it ends says who wins. A new round
    begins after three moves: the token's height is set anew."""

    name, start = "push", list[int]()
    first: Any = (0, 3, 3, 0)
    length = 12

    def moves(self, state: Any) -> list[int]:
        return [0, 1, 2, 3] if state[0] < self.length else []

    def play(self, state: Any, move: int) -> Any:
        ply, row, column, _ = state
        down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[move]
        return ply + 1, (row + down) % SIDE, (column + right) % SIDE, 0

    def player(self, state: Any) -> int:
        return int(state[0]) % 2

    def outcome(self, state: Any) -> float | None:
        return None if state[0] < self.length else float((state[1] * 5 + state[2]) % 3 - 1)


class Rounds(Push):
    """A new round begins with the fourth move alone: something else is set then, whatever the move."""

    def play(self, state: Any, move: int) -> Any:
        ply, row, column, last = state
        ply, row, column, _ = super().play((ply, row, column, 0), move)
        return ply, row, column, 9 if ply == 4 else move if ply > 4 else last


class Kept(Search):
    """The right child is kept after a move."""

    def advance(self) -> None:
        played = max(self.root.children, key=lambda child: child.N)
        self.root = self.kept(played)
        self.root.parent, self.root.state = None, played.state
        self.root.player = self.rules.player(played.state)

    def kept(self, played: Node) -> Node:
        return played


class ByPlace(Kept):
    """The children are in another order than the moves."""

    def kept(self, played: Node) -> Node:
        return next(child for child in self.root.children if child is not played and child.children)


def told(node: Node) -> str:
    ply, row, column, last = node.state
    return f"ply {ply}, token at ({row}, {column}), last {last}"


def stones(node: Node) -> str:
    """The fields of both players' bit boards."""
    return " ".join(
        next((name for name, own in zip("XO", node.state) if own >> field & 1), ".")
        for field in range(49)
    )


def findings(search: Kept, state: Callable[[Node], str], turns: int) -> list[mv.Finding]:
    with mv.record(
        root=lambda: search.root, children="children", visits="N", value="W", action="move", to_move="player",
        state=state, players=("X", "O"), value_range=(-1, 1),
    ) as rec:  # fmt: skip
        for turn in range(turns):
            for _ in rec.steps(search.step, 500):
                pass
            if turn < turns - 1:
                search.advance()
    return [one for one in rec.trace.check() if one.check == "reuse-start"]


@pytest.mark.parametrize("turns", [2, 4])
@pytest.mark.parametrize("rules", [Push(), Rounds()])
def test_children_of_another_state_than_the_roots_are_named(rules: Push, turns: int) -> None:
    (one,) = findings(ByPlace(rules, 2), told, turns)
    assert one.severity == "error"
    assert "do not follow from its state by their moves" in one.message
    assert "not that of the move that was played" in one.message
    assert one.evidence["times"] == 4
    assert not findings(Kept(rules, 2), told, turns)


@pytest.mark.thorough
def test_they_are_named_where_the_state_is_a_board() -> None:
    (one,) = findings(ByPlace(Rules("connect_four", [3, 3]), 1), stones, 2)
    assert "not that of the move that was played" in one.message
    assert not findings(Kept(Rules("connect_four", [3, 3]), 1), stones, 2)


class Aged(Kept):
    """Visits of the tree that is kept are halved; value sums only where that is done to both."""

    both = False

    def kept(self, played: Node) -> Node:
        below = [played]
        while below:
            node = below.pop()
            n = max(1, node.N // 2)
            node.W *= n / max(node.N, 1) if self.both else 1
            node.N = n
            below += node.children
        return played


class BothAged(Aged):
    both = True


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_visits_that_are_aged_without_their_sums_are_named(seed: int) -> None:
    def alarms(search: Kept) -> list[mv.Finding]:
        with mv.record(root=lambda: search.root, children="children", visits="N", value="W") as rec:
            for turn in range(2):
                for _ in rec.steps(search.step, 600):
                    pass
                if not turn:
                    search.advance()
        return [one for one in rec.trace.check() if one.severity != "note"]

    (one,) = alarms(Aged(Rules("connect_four", [3, 3]), seed))
    assert (one.check, one.severity) == ("reuse-aged", "error")
    assert "their visits are halved" in one.message
    assert not alarms(BothAged(Rules("connect_four", [3, 3]), seed))
    assert not alarms(Kept(Rules("connect_four", [3, 3]), seed))
