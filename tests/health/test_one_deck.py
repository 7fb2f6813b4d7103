"""A search of a card game with hidden hands that deals the opponent cards out of the searcher's own hand."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv

HAND, CARDS = (1, 4, 6, 9), range(10)


class Node:
    def __init__(self, parent: Node | None, card: int, mover: int, to_move: int) -> None:
        self.parent, self.card, self.mover, self.to_move = parent, card, mover, to_move
        self.children: list[Node] = []
        self.wins, self.visits, self.available = 0.0, 0, 1


class Tricks:
    """Information-set MCTS: a new deal each iteration; the higher of two cards takes the trick and leads the next."""

    def __init__(self, seed: int, dealt: list[int], is_apart: bool) -> None:
        self.random, self.dealt, self.is_apart = random.Random(seed), dealt, is_apart
        self.root = Node(None, -1, 1, 0)

    def action(self, card: int, mover: int) -> int:
        """Cards of two decks have numbers of their own."""
        return card + 100 * (self.is_apart and mover)

    def step(self) -> None:
        hands = [set(HAND), set(self.random.sample(self.dealt, 4))]
        node, to_move, table, taken, is_inside = self.root, 0, -1, [0, 0], True
        while hands[to_move]:
            card = self.random.choice(sorted(hands[to_move]))
            if is_inside:
                there = {child.card: child for child in node.children}
                here = sorted(hands[to_move])
                untried = [each for each in here if self.action(each, to_move) not in there]
                if untried:
                    card = self.random.choice(untried)
                else:
                    options = {each: there[self.action(each, to_move)] for each in here}
                    card = max(options, key=lambda each: self.score(options[each]))
                    for child in options.values():
                        child.available += 1
            mover = to_move
            hands[mover].remove(card)
            if table < 0:
                table, to_move = card, 1 - mover
            else:
                to_move = mover if card > table else 1 - mover
                taken[to_move] += 1
                table = -1
            if is_inside:
                is_inside = not untried
                if untried:
                    node.children.append(Node(node, self.action(card, mover), mover, to_move))
                    node = node.children[-1]
                else:
                    node = options[card]
        above: Node | None = node
        while above is not None:
            above.visits += 1
            above.wins += taken[above.mover] / 4
            above = above.parent

    def score(self, child: Node) -> float:
        return child.wins / child.visits + 0.7 * math.sqrt(math.log(child.available) / child.visits)


@pytest.mark.parametrize(
    ("dealt", "is_apart", "is_named"),
    [
        ([*CARDS], False, True),
        ([card for card in CARDS if card not in HAND], False, False),
        ([*CARDS], True, False),
    ],
    ids=["his own, too", "what is left", "another deck"],
)
def test_cards_that_the_searcher_holds(dealt: list[int], is_apart: bool, is_named: bool) -> None:
    search = Tricks(1, dealt, is_apart)
    with mv.record(
        root=search.root, children="children", visits="visits", value="wins", action="card", to_move="to_move",
        value_range=(0, 1), players=("me", "opponent"), selection="ISMCTS",
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 800):
            pass
    found = [one for one in rec.trace.check() if one.check == "expansion-illegal"]
    assert [one.severity for one in found] == ["note"] * is_named
    if is_named:
        assert (
            "All 4 moves of the player at the root are among the 10 of the other side"
            in found[0].message
        )
