"""Searches that make a node when they first select its move, and what moves without a node count as."""

from __future__ import annotations

import math

import pytest

from tests.health.unusual import Node, Rules, Search, watched

CHECK = "selection-untried"


class AsParent(Search):
    """Ludii: a move without a node counts as its parent's mean, with the exploration of one visit."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)
            self.random.shuffle(node.untried)
        if not node.untried:
            return None
        best = max((self.score(node, child) for child in node.children), default=-math.inf)
        if node.children and best > self.urgency(node):
            return None
        return self.add(node, node.untried.pop())

    def urgency(self, node: Node) -> float:
        mover = 1 - self.root.player if node.parent is None else node.parent.player
        own = node.W / node.N if node.N else 0.0
        mean = own if mover == node.player else -own
        return mean + self.c * math.sqrt(math.log(max(node.N, 1)))


class AsNumber(AsParent):
    """It counts as one number."""

    def urgency(self, node: Node) -> float:
        return 0.6


class ByChance(AsParent):
    """Whether a further move is tried is drawn: a mistake."""

    def grow(self, node: Node) -> Node | None:
        made = len(node.children)
        if made and self.random.random() < 0.3:
            return None
        return super().grow(node)

    def urgency(self, node: Node) -> float:
        return math.inf


@pytest.mark.parametrize(
    ("kind", "words"),
    [(AsParent, "their parent's mean with the exploration of one visit"), (AsNumber, "one number")],
)
def test_moves_that_count_as_a_number_until_they_have_a_node_are_no_mistake(
    kind: type[AsParent], words: str
) -> None:
    findings = watched(kind(Rules("connect_four:4,5", []), 1), 1_500).check()
    assert [one for one in findings if one.severity != "note"] == []
    (one,) = (one for one in findings if one.check == CHECK)
    assert f"count as {words}, which explains when they are tried" in one.message


@pytest.mark.thorough
def test_moves_that_wait_by_chance_are_a_mistake() -> None:
    findings = watched(ByChance(Rules("connect_four:4,5", []), 1), 1_500).check()
    (one,) = (one for one in findings if one.check == CHECK)
    assert one.severity == "warning"
