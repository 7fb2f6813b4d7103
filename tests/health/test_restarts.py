"""Iterations that go on from the leaf of the one before, and back-ups that stop at the leaf or are done again."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.health.unusual import AllChildren, Node, Rules, Search, Walk, watched
from tests.variants import few

GAMES = {"tic_tac_toe": [], "connect_four": [3, 3, 2, 2]}
GAMES_NEAR_THE_END = {"tic_tac_toe": [0, 4, 1], "connect_four": [0, 0, 0, 0, 0]}
every_game = pytest.mark.parametrize(("game", "start"), few(GAMES.items()))


class FromTheLeaf(Search):
    """The way down begins where the last one ended, until the game is over."""

    last: Node | None = None

    def step(self) -> None:
        path = [self.root]
        node = self.last
        if node is not None and node.outcome is None:
            path = []
            while node is not None:
                path.insert(0, node)
                node = node.parent
        while path[-1].outcome is None:
            child = self.grow(path[-1])
            path.append(child or self.choose(path[-1]))
            if child is not None:
                break
        self.last = path[-1]
        self.backpropagate(path, self.evaluate(path[-1]))


class LeafAlone(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(max(node.N, 1)) / child.N)

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in path[:-1]:
            node.N -= 1
            node.W -= self.worth(node, outcome)


def said(search: Search, check: str, **told: Any) -> list[str]:
    """Severities of a check."""
    return [one.severity for one in watched(search, 400, **told).check() if one.check == check]


@every_game
def test_iterations_that_go_on_from_the_last_leaf_are_a_note(game: str, start: list[int]) -> None:
    assert said(FromTheLeaf(Rules(game, start), 1), "selection-from-leaf") == ["note"]


@pytest.mark.parametrize("kind", [Search, AllChildren])
@every_game
def test_iterations_that_begin_at_the_root_are_none(
    kind: type[Search], game: str, start: list[int]
) -> None:
    assert said(kind(Rules(game, start), 1), "selection-from-leaf") == []
    assert said(Search(Walk(), 1), "selection-from-leaf") == []


@every_game
def test_a_back_up_of_the_leaf_alone_is_named(game: str, start: list[int]) -> None:
    assert said(LeafAlone(Rules(game, start), 1), "visits-root") == ["warning"]
    seen = said(LeafAlone(Rules(game, start), 1), "visits-missing", thorough=True)
    assert seen == ["error"]


class EndsAgain(Search):
    """A finished game is backed up when it is met, and once more."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        if path[-1].outcome is not None:
            super().backpropagate(path, outcome)


class SeveralRollouts(Search):
    """The other way round: several rollouts of a leaf, one result of a finished game."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        if path[-1].outcome is None:
            super().backpropagate(path, self.evaluate(path[-1]))


@every_game
@pytest.mark.parametrize("told", [{}, {"game": None, "start": None, "outcome": "outcome"}])
def test_finished_games_that_are_backed_up_again_are_named(
    told: dict[str, Any], game: str, start: list[int]
) -> None:
    rules = Rules(game, [*start, *GAMES_NEAR_THE_END[game]])
    known = {"start": rules.start, **told}
    assert said(EndsAgain(rules, 1), "visits-double", **known) == ["warning"]
    assert said(SeveralRollouts(rules, 1), "visits-double", **known) == []


class NewEndsAgain(Search):
    """A finished game is backed up when its node is made, and by the loop."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        new = path[-1].outcome is not None and not path[-1].N
        super().backpropagate(path, outcome)
        if new:
            super().backpropagate(path, outcome)


@every_game
def test_new_ends_that_are_backed_up_again_are_named(game: str, start: list[int]) -> None:
    rules = Rules(game, [*start, *GAMES_NEAR_THE_END[game]])
    assert said(NewEndsAgain(rules, 1), "visits-double", start=rules.start) == ["warning"]


class RolloutsOfOldLeaves(Search):
    """The other way round again: nodes without moves are come to again, and get several results."""

    def evaluate(self, leaf: Node) -> float:
        return self.random.random()

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        if path[-1].outcome is not None:
            super().backpropagate(path, self.evaluate(path[-1]))


@every_game
def test_ends_that_nobody_tells_are_known_by_their_iterations(game: str, start: list[int]) -> None:
    rules = Rules(game, [*start, *GAMES_NEAR_THE_END[game]])
    untold: dict[str, Any] = {"game": None, "start": None}
    (one,) = [
        each
        for each in watched(EndsAgain(rules, 1), 400, **untold).check()
        if each.check == "visits-double"
    ]
    assert one.severity == "warning"
    assert "counts twice on the whole path" in one.message
    for kind in (Search, SeveralRollouts, RolloutsOfOldLeaves):
        assert said(kind(rules, 1), "visits-double", **untold) == []


class ReturnsAtEnds(Search):
    """An iteration that comes to a finished game again returns before it backs up."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        if path[-1].outcome is None or not path[-1].N:
            super().backpropagate(path, outcome)


@every_game
def test_iterations_that_add_nothing_are_a_note(game: str, start: list[int]) -> None:
    rules = Rules(game, [*start, *GAMES_NEAR_THE_END[game]])
    assert "note" in said(ReturnsAtEnds(rules, 1), "visits-missing", start=rules.start)
    assert said(Search(rules, 1), "visits-missing", start=rules.start) == []
