"""A tree that is used again after a move, and is the one of another move."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search


class Replayed(Search):
    """Boards of new nodes are found by playing the moves of the path, from the board of the game."""

    board: Any = None

    def add(self, node: Node, move: int) -> Node:
        path, above = [move], node
        while above is not self.root and above.parent is not None:
            path.insert(0, above.move)
            above = above.parent
        state = self.board or self.rules.first
        for each in path:
            if each not in self.rules.moves(state):
                return node  # such a move is not made
            state = self.rules.play(state, each)
        child = self.node(state, node, move)
        node.children.append(child)
        return child

    def advance(self) -> None:
        played = max(self.root.children, key=lambda child: child.N)
        self.board = played.state
        self.root = self.kept(played)
        self.root.parent = None

    def kept(self, played: Node) -> Node:
        return played


def fields(node: Node) -> str:
    """The stones of both players, of their bit boards."""
    return " ".join(
        next((name for name, stones in zip("XO", node.state) if stones >> field & 1), ".")
        for field in range(49)
    )


class ByPlace(Replayed):
    """The children are in another order than the moves."""

    def kept(self, played: Node) -> Node:
        return next(child for child in self.root.children if child is not played and child.children)


@pytest.mark.parametrize(("kind", "is_named"), [(ByPlace, True), (Replayed, False)])
def test_the_tree_of_another_move_shows_in_the_boards(kind: type[Replayed], is_named: bool) -> None:
    search = kind(Rules("connect_four", [3, 3]), 1)
    with mv.record(
        root=lambda: search.root, children="children", visits="N", value="W", action="move", to_move="player",
        state=fields, players=("X", "O"), value_range=(-1, 1),
    ) as rec:  # fmt: skip
        for turn in range(2):
            for _ in rec.steps(search.step, 400):
                pass
            if not turn:
                search.advance()
    found = [one for one in rec.trace.check() if one.check == "reuse-start"]
    assert [one.severity for one in found] == ["error"] * is_named
    if is_named:
        assert "not that of the move that was played" in found[0].message
