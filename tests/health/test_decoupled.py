"""Two players who bid at once, each by the sums of its own cards."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv

PRIZES = (2, 3, 1)
Bids = tuple[int, int]


@dataclass
class Node:
    hands: tuple[tuple[int, ...], tuple[int, ...]] = ((1, 2, 3), (1, 2, 3))
    ahead: int = 0
    children: dict[Bids, Node] = field(default_factory=dict)
    n: int = 0
    w: list[float] = field(default_factory=lambda: [0.0, 0.0])

    @property
    def bids(self) -> bool:
        return bool(self.hands[0])

    def bid(self, mine: int, yours: int) -> Node:
        prize = PRIZES[3 - len(self.hands[0])]
        won = (mine > yours) - (mine < yours)
        hands = tuple(
            tuple(card for card in hand if card != used)
            for hand, used in zip(self.hands, (mine, yours))
        )
        return Node((hands[0], hands[1]), self.ahead + prize * won)


def searched(payoff_of: tuple[int, int] = (0, 1), sees: bool = False) -> list[mv.Finding]:
    """payoff_of: by whose payoff each player chooses; sees: whether the second one knows the first one's bid."""
    draw, root = random.Random(1), Node()

    def card(node: Node, children: dict[Bids, Node], player: int) -> int:
        tried = {card: [0, 0.0] for card in node.hands[player]}
        for bids, child in children.items():
            tried[bids[player]][0] += child.n
            tried[bids[player]][1] += child.w[payoff_of[player]]
        new = [one for one, (n, _) in tried.items() if not n]
        if new:
            return draw.choice(new)
        log = math.log(sum(n for n, _ in tried.values()))
        return max(
            tried, key=lambda one: tried[one][1] / tried[one][0] + math.sqrt(log / tried[one][0])
        )

    def step() -> list[float]:
        path, is_new = [root], False
        while path[-1].bids and not is_new:
            node = path[-1]
            mine = card(node, node.children, 0)
            known = {
                bids: child for bids, child in node.children.items() if bids[0] == mine or not sees
            }
            bids = mine, card(node, known, 1)
            is_new = bids not in node.children
            path.append(node.children.setdefault(bids, node.bid(*bids)))
        end = path[-1]
        while end.bids:
            end = end.bid(*(draw.choice(hand) for hand in end.hands))
        won = float((end.ahead > 0) - (end.ahead < 0))
        for node in path:
            node.n += 1
            node.w = [node.w[0] + won, node.w[1] - won]
        return [won, -won]

    with mv.record(
        root=root, children="children", visits="n", value="w", simultaneous="bids", players=("row", "column"),
    ) as rec:  # fmt: skip
        for _ in range(1_200):
            rec.iteration(outcome=step())
    return rec.trace.check()


def test_decoupled_choices_are_recognised() -> None:
    findings = searched()
    assert [str(one) for one in findings if one.severity != "note"] == []
    (rule,) = (one for one in findings if one.check == "selection-rule")
    assert "decoupled UCT" in rule.message


@pytest.mark.parametrize(
    ("payoff_of", "words"), [((0, 0), "column chooses"), ((1, 1), "row chooses")]
)
def test_a_player_who_chooses_by_the_other_s_payoff(payoff_of: tuple[int, int], words: str) -> None:
    (one,) = (one for one in searched(payoff_of) if one.severity == "error")
    assert one.check == "selection-wrong-view"
    assert words in one.message


def test_a_player_who_sees_the_other_s_bid_is_a_note() -> None:
    findings = searched(sees=True)
    assert [str(one) for one in findings if one.severity != "note"] == []
    (one,) = (one for one in findings if one.check == "selection-wrong-view")
    assert "column chooses among the children below what the others have just chosen" in one.message
