"""Descents that stop at a node with children, as none of these beats a score that is not reset."""

from __future__ import annotations

import math

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, Node, Puct, Rules, Search, Walk, watched
from tests.variants import few

GAMES = {"tic_tac_toe": [], "connect_four": [3, 3, 2, 2]}


class Stops(Search):
    """`at` says what the best score so far begins with at each level."""

    c, at = 0.5, "fresh"

    def step(self) -> None:
        path, best = [self.root], -math.inf
        while path[-1].outcome is None:
            node = path[-1]
            if (child := self.grow(node)) is not None:
                path.append(child)
                break
            if self.at != "kept":
                best = 0.0 if self.at == "zero" else -math.inf
            taken = None
            for child in node.children:
                if self.score(node, child) > best:
                    taken, best = child, self.score(node, child)
            if taken is None:
                break
            path.append(taken)
        self.backpropagate(path, self.evaluate(path[-1]))


class StopsAlone(Stops):
    def worth(self, node: Node, outcome: float) -> float:
        return outcome


class PuctStops(Puct):
    """The same with priors."""

    c, at = 1.5, "fresh"

    def step(self) -> None:
        path, best = [self.root], -math.inf
        while path[-1].children:
            if self.at != "kept":
                best = -math.inf
            taken = None
            for child in path[-1].children:
                if self.score(path[-1], child) > best:
                    taken, best = child, self.score(path[-1], child)
            if taken is None:
                break
            path.append(taken)
        if path[-1].outcome is None and not path[-1].children:
            self.expand(path[-1])
        self.backpropagate(path, self.evaluate(path[-1]))


class ReturnsEarly(Search):
    """All children are made at once, and a finished game is backed up without being counted itself."""

    counts = False

    def step(self) -> None:
        path = [self.root]
        while path[-1].N and path[-1].outcome is None:
            if not path[-1].children:
                for move in self.rules.moves(path[-1].state):
                    self.add(path[-1], move)
            path.append(self.choose(path[-1]))
        outcome, is_over = self.evaluate(path[-1]), path[-1].outcome is not None
        self.backpropagate(path[:-1] if is_over and not self.counts else path, outcome)


def checks(search: Search, at: str, **told: object) -> dict[str, mv.Finding]:
    search.at = at  # type: ignore[attr-defined]
    found = watched(search, 800, **told).check()  # type: ignore[arg-type]
    return {one.check: one for one in found if one.severity != "note"}


@pytest.mark.parametrize("told", few([{}, {"selection": "ucb1", "c": 0.5}]))
@pytest.mark.parametrize("game", few(GAMES))
def test_a_best_score_that_is_not_reset_is_named(game: str, told: dict[str, object]) -> None:
    found = checks(Stops(Rules(game, GAMES[game]), 1), "kept", **told)
    assert list(found) == ["selection-stops"]
    one = found["selection-stops"]
    assert "set once before the descent and not again at each level" in one.message
    assert one.evidence["times"] >= 5


def test_a_best_score_that_is_not_reset_is_named_with_one_player() -> None:
    search = StopsAlone(Walk(), 1)
    search.c = 0.02
    found = {one.check for one in watched(search, 1_500).check() if one.severity != "note"}
    assert not found
    search = StopsAlone(Walk(), 1)
    search.c, search.at = 0.02, "kept"
    found = {one.check for one in watched(search, 1_500).check() if one.severity != "note"}
    assert found == {"selection-stops"}


def test_a_best_score_that_is_not_reset_is_named_with_priors() -> None:
    found = checks(PuctStops(Rules("connect_four", []), 1), "kept", **PRIORS)
    assert "selection-stops" in found


def test_a_best_score_that_begins_with_zero_is_named() -> None:
    search = Stops(Rules("tic_tac_toe", []), 1)
    search.c = 0.3
    found = checks(search, "zero")
    assert "begins with 0 and not with −∞" in found["selection-stops"].message


@pytest.mark.thorough
@pytest.mark.parametrize("game", few(GAMES))
def test_a_best_score_of_each_level_is_right(game: str) -> None:
    assert checks(Stops(Rules(game, GAMES[game]), 1), "fresh") == {}
    assert "selection-stops" not in checks(
        PuctStops(Rules(game, GAMES[game]), 1), "fresh", **PRIORS
    )


def test_finished_games_that_are_not_counted_are_named() -> None:
    rules = Rules("tic_tac_toe", [4])
    told = {"game": None, "start": None, "selection": "ucb1", "c": 1.4}
    search = ReturnsEarly(rules, 1)
    found = [one for one in watched(search, 800, **told).check() if one.severity != "note"]
    assert [one.check for one in found] == ["selection-stops"]
    assert "returns before it counts its last node" in found[0].message
    search = ReturnsEarly(rules, 1)
    search.counts = True
    assert [one for one in watched(search, 800, **told).check() if one.severity != "note"] == []
