"""Told rollouts that go by the rules from another position than that of their leaf."""

from __future__ import annotations

import pytest

from tests.health.told_rollouts import findings
from tests.health.zoo import STARTS, Node, Search

CHECK = "simulation-from-parent"


class FromParent(Search):
    """The new child's move is not played before its rollout; a leaf that comes again has its own position."""

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        return super().play_on(node.parent if node.parent and not node.visits else node)


class TurnedToo(FromParent):
    """As well, the result is in the other view."""

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        outcome, moves = super().play_on(node)
        return (outcome if node.visits else -outcome), moves


class FromRoot(Search):
    def play_on(self, node: Node) -> tuple[float, list[int]]:
        return super().play_on(self.root)


class ToldWithItsMove(Search):
    """The rollout is right, and what is told of it begins with the move into the leaf."""

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        outcome, moves = super().play_on(node)
        return outcome, ([node.move, *moves] if node.parent else moves)


class ToldWithAllMoves(Search):
    def play_on(self, node: Node) -> tuple[float, list[int]]:
        outcome, moves = super().play_on(node)
        while node.parent:
            node, moves = node.parent, [node.move, *moves]
        return outcome, moves


@pytest.mark.parametrize("name", STARTS)
def test_rollouts_from_the_parents_position_are_one_finding(name: str) -> None:
    (one,) = findings(FromParent, name)
    assert (one.check, one.severity) == (CHECK, "error")
    assert "but do from that of its parent, to the result that is recorded" in one.message
    assert "was not played on it" in one.message


@pytest.mark.parametrize("name", STARTS)
def test_results_in_the_other_view_are_said_beside_it(name: str) -> None:
    (one,) = [each for each in findings(TurnedToo, name) if each.check == CHECK]
    assert "from that of its parent, to the opposite of the result" in one.message


@pytest.mark.parametrize("name", STARTS)
def test_rollouts_from_the_roots_position_are_named(name: str) -> None:
    (one,) = findings(FromRoot, name)
    assert one.check == CHECK
    assert "from that of the root, to the result that is recorded" in one.message


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ToldWithItsMove, "with the move into the leaf as their beginning"),
        (ToldWithAllMoves, "with all moves from the root to the leaf as their beginning"),
    ],
)
@pytest.mark.parametrize("name", STARTS)
def test_rollouts_that_are_told_with_moves_of_the_tree_are_not_called_simulations_from_there(
    name: str, kind: type[Search], words: str
) -> None:
    (one,) = findings(kind, name)
    assert one.check in ("simulation-illegal", "simulation-outcome")
    assert words in one.message


@pytest.mark.parametrize("name", STARTS)
def test_rollouts_from_the_leaf_are_right(name: str) -> None:
    assert findings(Search, name) == []
