"""Moves of one name, as with two equal cards in a hand, are no moves that were made twice."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv
from tests.variants import few

HAND, RANKS = 6, 40


class Node:
    def __init__(self, hand: tuple[int, ...], played: str | None = None) -> None:
        self.hand, self.played, self.children = hand, played, list[Node]()
        self.untried = list(hand)
        self.visits, self.value = 0, 0.0


class Cards:
    """Who plays a card draws another one; each is a move of its own, named by its rank."""

    def __init__(self, kind: str, seed: int) -> None:
        self.kind, self.random = kind, random.Random(seed)
        self.root = Node(tuple(self.random.sample(range(RANKS), HAND)))

    def child(self, node: Node, card: int) -> Node:
        rest = list(node.hand)
        rest.remove(card)
        drawn = random.Random(str((sorted(node.hand), card))).randrange(RANKS)
        return Node((*rest, drawn), f"play {card}")

    def grow(self, node: Node) -> Node:
        if self.kind in ("at once", "twice"):
            node.children = [self.child(node, card) for card in node.hand]
            if self.kind == "twice":  # a mistake
                node.children += [self.child(node, card) for card in node.hand]
            node.untried = []
            return node.children[0]
        card = self.random.choice(node.hand if self.kind == "not taken off" else node.untried)
        node.untried.remove(card if card in node.untried else node.untried[-1])
        node.children.append(self.child(node, card))
        return node.children[-1]

    def step(self) -> None:
        path = [self.root]
        while True:
            node = path[-1]
            if node.untried and (node.visits or node is self.root):
                path.append(self.grow(node))
                break
            if not node.visits or node.untried:
                break
            log = math.log(node.visits)

            def score(child: Node, log: float = log) -> float:
                return (
                    child.value / child.visits + math.sqrt(log / child.visits)
                    if child.visits
                    else math.inf
                )

            path.append(max(node.children, key=score))
            if self.kind == "again" and node.visits == 40:  # a mistake: the list is filled again
                node.untried = list(node.hand)
        value = self.random.random()
        for node in path:
            node.visits, node.value = node.visits + 1, node.value + value


def duplicates(kind: str, seed: int) -> mv.Finding:
    search = Cards(kind, seed)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="played", players=("player",),
        value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 800):
            pass
    (one,) = (one for one in rec.trace.check() if one.check == "expansion-duplicate")
    return one


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("kind", ["at once", "one by one"])
def test_equal_things_of_some_positions_are_a_note(kind: str, seed: int) -> None:
    one = duplicates(kind, seed)
    assert one.severity == "note"
    assert "moves of one name" in one.message
    assert "the list of legal moves has a move twice" in one.message


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("kind", ["twice", "not taken off", "again"])
def test_moves_that_are_made_twice_are_an_error(kind: str, seed: int) -> None:
    assert duplicates(kind, seed).severity == "error"
