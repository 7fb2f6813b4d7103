"""Trees that no longer grow, as their number of nodes or their depth is limited, are a note that says so."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, blind, of
from tests.variants import in_turn


class FewNodes(Search):
    """After a hundred iterations nothing is expanded any more; a node with untried moves is a leaf."""

    def step(self) -> None:
        if self.iterations < 100:
            super().step()
            return
        self.iterations += 1
        path = [self.root]
        while path[-1].outcome is None and path[-1].children and not path[-1].untried:
            path.append(self.choose(path[-1]))
        self.outcome = self.evaluate(path[-1])
        self.backpropagate(path, self.outcome)


class TwoMoves(Search):
    """No deeper than two moves."""

    def grow(self, node: Node) -> Node | None:
        return None if node.parent is not None and node.parent.parent else super().grow(node)


def stops(kind: type[Search], knows: bool, name: str) -> list[mv.Finding]:
    made: Any = (of if knows else blind)(kind, iterations=800)
    findings = made(Rules(name, []), 1).check()
    assert [one.check for one in findings if one.severity != "note"] in ([], ["expansion-stops"])
    return [one for one in findings if one.check == "expansion-stops"]


@pytest.mark.parametrize(("knows", "name"), in_turn([True, False], ["tic_tac_toe", "connect_four"]))
def test_a_tree_of_limited_size_says_since_when(knows: bool, name: str) -> None:
    (one,) = stops(FewNodes, knows, name)
    assert "it did until iteration 100, when it had 101 nodes" in one.message
    assert stops(Search, knows, name) == []


def test_a_tree_of_limited_depth_says_how_deep_it_goes_without_rules_as_well() -> None:
    (one,) = stops(TwoMoves, False, "tic_tac_toe")
    assert "no deeper than 2 moves" in one.message
