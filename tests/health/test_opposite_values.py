"""Equal positions that are evaluated with opposite numbers: a cache whose entries the back-up changes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.types import Floats
from tests.health.unusual import PRIORS, Node, Puct, Rules, Search, watched
from tests.variants import few

CHECK = "simulation-values-vary"
GAMES = [("tic_tac_toe", []), ("connect_four", [3, 3, 2, 2])]
BLIND: dict[str, Any] = {
    "game": None, "start": None, "state": lambda node: str(node.state), "value_range": (-1, 1),
}  # fmt: skip
TOLD: dict[str, Any] = {"evaluation": lambda node: node.results[0] if node.results else None}
one_game = pytest.mark.parametrize(("game", "start"), few(GAMES))


class ChangedCache(Puct):
    """The value is an array of one number, and the back-up turns it round where it lies: in the cache."""

    def __init__(self, rules: Any, seed: int) -> None:
        self.cache: dict[str, Floats] = {}
        super().__init__(rules, seed)

    def network(self, leaf: Node) -> Floats:
        """View of the player to move."""
        key = str(leaf.state)
        if key not in self.cache:
            self.cache[key] = np.array([random.Random(key).uniform(-0.9, 0.9)])
        return self.cache[key]

    def step(self) -> None:
        self.iterations += 1
        path = [self.root]
        while path[-1].children:
            path.append(self.choose(path[-1]))
        leaf = path[-1]
        if leaf.outcome is None:
            self.expand(leaf)
            value = self.network(leaf)
            leaf.results.append(float(value[0]))
        else:
            value = np.array([leaf.outcome if leaf.player == 0 else -leaf.outcome])
        for node in reversed(path):
            node.N += 1
            value *= -1
            node.W += float(value[0])


class CopiedCache(ChangedCache):
    def network(self, leaf: Node) -> Floats:
        return super().network(leaf).copy()


class FewLevels(ChangedCache):
    """The network says one of four numbers, each of many positions, as where it counts moves to the goal."""

    def network(self, leaf: Node) -> Floats:
        value = super().network(leaf)
        if (size := abs(float(value[0]))) not in (0.25, 0.5):
            value[0] = np.sign(value[0]) * (0.5 if size > 0.45 else 0.25)
        return value


class FewCopied(FewLevels):
    def network(self, leaf: Node) -> Floats:
        return super().network(leaf).copy()


class Draws(CopiedCache):
    """An evaluation that is drawn anew each time, now on this side and now on that."""

    def network(self, leaf: Node) -> Floats:
        return np.array([self.random.uniform(-0.9, 0.9)])


class DrawnSigns(CopiedCache):
    """Each position has a number of its own, of which a draw takes a part."""

    parts = (1.0, -1.0, 0.5)

    def network(self, leaf: Node) -> Floats:
        return super().network(leaf) * self.random.choice(self.parts)


class RolloutsOfSome(CopiedCache):
    """Of every third position a game is played, with a result now for this side and now for that."""

    def network(self, leaf: Node) -> Floats:
        value = super().network(leaf)
        return value if abs(value[0]) > 0.3 else np.array([self.random.choice((-1.0, 1.0))])


class Margins(Search):
    """A position tells by how much it is decided, and a rollout for whom."""

    def evaluate(self, leaf: Node) -> float:
        return self.rollout(leaf.state) * random.Random(str(leaf.state)).randrange(1, 8) / 8


class Discounted(Search):
    """Results of rollouts, worth less with each move of the path: of one position the same number or its opposite."""

    def evaluate(self, leaf: Node) -> float:
        depth, node = 0, leaf
        while node.parent is not None:
            node, depth = node.parent, depth + 1
        return self.rollout(leaf.state) * 0.9**depth


def findings(search: Search, **told: Any) -> list[mv.Finding]:
    return [one for one in watched(search, 800, **told).check() if one.check == CHECK]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("known", "told"), few([({}, TOLD), (BLIND, {}), ({}, {}), (BLIND, TOLD)], 2)
)
@one_game
def test_an_entry_of_the_cache_that_is_turned_round_in_place_is_named(
    game: str, start: list[int], told: dict[str, Any], known: dict[str, Any]
) -> None:
    (one,) = findings(ChangedCache(Rules(game, start), 1), **PRIORS, **told, **known)
    assert one.severity == "warning"
    assert "a cache keeps the array" in one.message
    assert one.evidence["opposite"] >= 5
    assert not findings(CopiedCache(Rules(game, start), 1), **PRIORS, **told, **known)


@pytest.mark.parametrize(("game", "start"), [GAMES[0]])
def test_signs_that_go_by_turns_are_named_where_a_network_says_few_numbers(
    game: str, start: list[int]
) -> None:
    (one,) = findings(FewLevels(Rules(game, start), 1), **PRIORS, **BLIND)
    assert one.severity == "warning"
    assert "Signs go by turns" in one.message
    assert one.evidence["by_turns"] >= 30
    assert not findings(FewCopied(Rules(game, start), 1), **PRIORS, **BLIND)


@pytest.mark.parametrize("kind", [Draws, DrawnSigns, RolloutsOfSome, Search, Margins, Discounted])
@one_game
def test_evaluations_and_results_that_differ_in_other_ways_are_not(
    game: str, start: list[int], kind: type[Search]
) -> None:
    assert not findings(kind(Rules(game, start), 1), **BLIND)
