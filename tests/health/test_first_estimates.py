"""Nodes that begin with one visit and an estimate as its value (equivalent experience); and one visit too many."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, watched
from tests.variants import few


def checked(kind: type[Search]) -> list[mv.Finding]:
    return watched(kind(Rules("tic_tac_toe", []), 1)).check()


class Estimated(Search):
    """A heuristic's word counts as a game already played. One child an iteration."""

    root_too = False

    def estimate(self, state: Any) -> float:
        return random.Random(str(state)).uniform(-0.5, 0.5)

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        if parent is not None or self.root_too:
            made.N, made.W = 1, self.estimate(state)
        return made

    def score(self, node: Node, child: Node) -> float:
        visits = sum(each.N for each in node.children)
        return child.Q + self.c * math.sqrt(math.log(visits) / child.N)


class EstimatedRoot(Estimated):
    root_too = True


class OfFewKinds(Estimated):
    """Most positions look even to it."""

    def estimate(self, state: Any) -> float:
        return random.Random(str(state)).choice([-0.5, 0.0, 0.0, 0.0, 0.5])


def all_moves(search: Search, node: Node) -> Node | None:
    if node.children:
        return None
    for move in search.rules.moves(node.state):
        search.add(node, move)
    return search.choose(node)


class EstimatedSiblings(Estimated):
    """All children are made at once, and the best of them is simulated from."""

    def grow(self, node: Node) -> Node | None:
        return all_moves(self, node)


class EstimatedSiblingsAndRoot(EstimatedSiblings):
    root_too = True


class SiblingsOfFewKinds(OfFewKinds):
    def grow(self, node: Node) -> Node | None:
        return all_moves(self, node)


@pytest.mark.parametrize(
    "kind",
    few(
        [EstimatedSiblings, Estimated, EstimatedRoot, EstimatedSiblingsAndRoot, OfFewKinds, SiblingsOfFewKinds]
    ),
)  # fmt: skip
def test_a_game_that_an_estimate_counts_as_is_a_note(kind: type[Search]) -> None:
    findings = checked(kind)
    assert [str(one) for one in findings if one.severity != "note"] == []
    (given,) = (one for one in findings if one.check == "visits-given")
    assert "most with 1 visit" in given.message


class EstimatedForAll(Estimated):
    """All values are those of one player, and nobody says who moves."""

    def worth(self, node: Node, outcome: float) -> float:
        return outcome


def test_a_game_that_an_estimate_counts_as_is_a_note_where_nobody_says_who_moves() -> None:
    search = EstimatedForAll(Rules("tic_tac_toe", []), 1)
    findings = watched(search, game=None, start=None, to_move=None).check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    assert "visits-given" in [one.check for one in findings]


class Twice(Search):
    """The leaf is counted once more."""

    def again(self, leaf: Node, outcome: float) -> float | None:
        return 0.0

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        more = self.again(path[-1], outcome)
        if more is not None:
            path[-1].N, path[-1].W = path[-1].N + 1, path[-1].W + more


class TwiceWithResult(Twice):
    def again(self, leaf: Node, outcome: float) -> float | None:
        return self.worth(leaf, outcome)


class TwiceWithAnother(Twice):
    """A second rollout is counted at the new leaf alone."""

    def again(self, leaf: Node, outcome: float) -> float | None:
        return self.worth(leaf, self.evaluate(leaf)) if leaf.N == 1 else None


@pytest.mark.parametrize("kind", few([Twice, TwiceWithResult, TwiceWithAnother]))
def test_a_leaf_that_is_counted_twice_is_none(kind: type[Search]) -> None:
    assert "visits-double" in [one.check for one in checked(kind) if one.severity == "error"]


class CountedSiblings(Search):
    """A mistake: all children are made at once, and the result is given to each of them."""

    def grow(self, node: Node) -> Node | None:
        return all_moves(self, node)

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        above = path[-2] if len(path) > 1 else None
        new = above is not None and not any(child.N for child in above.children)
        super().backpropagate(path, outcome)
        if above is not None and new:
            for child in above.children:
                child.N, child.W = child.N + 1, child.W + self.worth(child, outcome)


def test_a_result_that_is_given_to_all_siblings_is_none() -> None:
    found = [one.check for one in checked(CountedSiblings) if one.severity == "error"]
    assert "visits-double" in found


class Batches(Search):
    """Eight leaves an iteration; each of them is counted by all nodes above it."""

    def step(self) -> None:
        for _ in range(8):
            super().step()


@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_leaves_of_a_batch_begin_with_nothing(seed: int) -> None:
    search = Batches(Rules("connect_four", []), seed)
    found = {one.check for one in watched(search, 100).check()}
    assert "visits-given" not in found
    assert "visits-several-leaves" in found
