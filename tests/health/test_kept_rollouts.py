"""Rollouts whose moves make nodes in the tree."""

from __future__ import annotations

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, watched


class AllChildren(Search):
    """A leaf gets all its children at once."""

    def step(self) -> None:
        path = [self.root]
        while path[-1].outcome is None and self.is_expanded(path[-1]):
            path.append(self.choose(path[-1]))
        leaf = path[-1]
        if leaf.outcome is None:
            self.expand(leaf)
        self.outcome = self.play_on(leaf)
        self.backpropagate(path, self.outcome)

    def is_expanded(self, node: Node) -> bool:
        return bool(node.children)

    def expand(self, node: Node) -> None:
        there = {child.move for child in node.children}
        for move in self.rules.moves(node.state):
            if move not in there:
                self.add(node, move)

    def play_on(self, leaf: Node) -> float:
        return self.rollout(leaf.state)


class KeptRollouts(AllChildren):
    """A rollout makes the nodes of its moves, which pass for expanded."""

    def play_on(self, leaf: Node) -> float:
        node = leaf
        while node.outcome is None:
            move = self.random.choice(self.rules.moves(node.state))
            there = [child for child in node.children if child.move == move]
            node = there[0] if there else self.add(node, move)
        return float(node.outcome)


class WidenedLater(KeptRollouts):
    """They get their other moves when the search comes to them."""

    def is_expanded(self, node: Node) -> bool:
        return len(node.children) == len(self.rules.moves(node.state))


def missing(kind: type[Search], seed: int) -> list[mv.Finding]:
    trace = watched(kind(Rules("connect_four", []), seed), 400, game=None, start=None)
    return [one for one in trace.check() if one.check.startswith("expansion-")]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [1, 2])
def test_nodes_of_rollouts_that_pass_for_expanded_are_found(seed: int) -> None:
    one = next(one for one in missing(KeptRollouts, seed) if one.severity != "note")
    assert one.check == "expansion-missing"
    assert "a rollout makes the nodes of its moves in the tree" in one.message


@pytest.mark.parametrize("kind", [AllChildren, WidenedLater])
def test_nodes_that_get_all_their_moves_are_right(kind: type[Search]) -> None:
    assert not [one for one in missing(kind, 1) if one.severity != "note"]
