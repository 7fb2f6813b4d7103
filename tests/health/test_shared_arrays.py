"""One array, or one list, that serves all nodes: a policy that is masked in place, and sums that belong to nobody."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, Node, Puct, Rules, Search, watched
from tests.variants import few

NINE = 9


class Masked(Puct):
    """A policy of all moves, equal ones, whose illegal moves are masked."""

    def __init__(self, rules: Any, seed: int, in_place: bool = True) -> None:
        self.policy, self.in_place = [1 / NINE] * NINE, in_place
        super().__init__(rules, seed)

    def expand(self, leaf: Node) -> None:
        moves = self.rules.moves(leaf.state)
        p = self.policy if self.in_place else [*self.policy]
        for move in range(NINE):
            p[move] *= move in moves
        total = sum(p)
        for move in range(NINE):
            p[move] = p[move] / total if total else (move in moves) / len(moves)
        for move in moves:
            self.add(leaf, move).P = p[move]


@pytest.mark.parametrize("in_place", [True, False])
def test_a_mask_in_place_of_a_shared_policy_is_named(in_place: bool) -> None:
    search = Masked(Rules("tic_tac_toe", [4]), 1, in_place)
    found = [one for one in watched(search, **PRIORS).check() if one.severity != "note"]
    assert [one.check for one in found] == ["expansion-priors"] * in_place
    assert all("p *= mask" in one.message for one in found)


class OneSum(Search):
    """All nodes have one value sum."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            self.root.W += (self.worth(node, outcome) + 1) / 2
        for node in self.nodes(self.root):
            node.W = self.root.W

    def nodes(self, node: Node) -> list[Node]:
        return [node, *(below for child in node.children for below in self.nodes(child))]


@pytest.mark.parametrize("seed", few([1, 2]))
def test_a_sum_that_all_nodes_share_is_named(seed: int) -> None:
    found = watched(OneSum(Rules("tic_tac_toe", []), seed), 300, value_range=(0, 1)).check()
    (one,) = (one for one in found if one.check.startswith("value-"))
    assert (one.check, one.severity) == ("value-off-path", "error")
    assert "a default argument" in one.message


class Wins(Search):
    """A loss adds nothing, as a draw does."""

    def worth(self, node: Node, outcome: float) -> float:
        return max(super().worth(node, outcome), 0.0)


@pytest.mark.parametrize("meant", [(-1, 1), (0, 1)])
def test_losses_that_add_nothing_may_be_meant_as_one_less(meant: tuple[int, int]) -> None:
    trace = watched(
        Wins(Rules("tic_tac_toe", []), 1), 600, game=None, start=None, value_range=meant
    )
    (one,) = (each for each in trace.check() if each.check == "value-draw-as-loss")
    assert ("then losses are never counted" in one.message) == (meant == (-1, 1))


class FirstNeverTried(Search):
    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)[1:]
        return super().grow(node)


def test_the_first_move_that_is_never_tried_is_said_to_be_the_first() -> None:
    found: list[mv.Finding] = watched(FirstNeverTried(Rules("connect_four", []), 1), 600).check()
    (one,) = (each for each in found if each.check == "expansion-missing")
    assert "It is the first of the legal moves at each" in one.message
    assert one.message.startswith("1 legal move of node 0 has no child")
