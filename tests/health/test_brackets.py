"""Brackets that are missing in PUCT, where one child takes nearly all visits, and odd rules fit as well."""

from __future__ import annotations

import hashlib
import math

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Puct, Rules, watched
from tests.variants import few


class Hashed(Puct):
    """Priors and values that follow from the board and a seed alone."""

    brackets, of_children, scale, name = True, False, 1.0, ""

    def number(self, state: object, what: object) -> float:
        text = f"{self.name}{list(map(int, state))}{what}"  # type: ignore[call-overload]
        return int(hashlib.md5(text.encode()).hexdigest()[:8], 16) / 2**32 - 0.5

    def expand(self, leaf: Node) -> None:
        moves = self.rules.moves(leaf.state)
        weights = [math.exp(2 * self.scale * self.number(leaf.state, move)) for move in moves]
        for move, weight in zip(moves, weights):
            self.add(leaf, move).P = weight / sum(weights)

    def evaluate(self, leaf: Node) -> float:
        return math.tanh(2 * self.number(leaf.state, "v")) if leaf.outcome is None else leaf.outcome

    def score(self, node: Node, child: Node) -> float:
        bonus = self.c * child.P * math.sqrt(node.N - self.of_children)
        return child.Q + (bonus / (1 + child.N) if self.brackets else bonus / 1 + child.N)


def checks(search: Hashed, iterations: int) -> dict[str, mv.Finding]:
    trace = watched(search, iterations, prior="P", game=None, start=None)
    return {one.check: one for one in trace.check() if one.check.startswith("selection-")}


@pytest.mark.thorough
@pytest.mark.parametrize("brackets", [False, True])
@pytest.mark.parametrize("name", few(["15", "46", "53"]))
def test_a_rule_without_exploration_that_leaves_the_root_aside_is_none(
    name: str, brackets: bool
) -> None:
    """Below the root the child taken first is better than a loss, so that it is never left."""
    search = Hashed(Rules("connect_four:5,5", [2, 2, 1]), 1)
    search.c, search.name, search.brackets = 1.0, name, brackets
    found = checks(search, 300)
    if brackets:
        assert "PUCT with c " in found["selection-rule"].message
    else:
        assert list(found) == ["selection-no-visits"]
        assert "c·P·√N / 1 + n is (c·P·√N / 1) + n" in found["selection-no-visits"].message


@pytest.mark.thorough
def test_a_plain_mistake_comes_before_another_one_in_an_odd_rule() -> None:
    search = Hashed(Rules("connect_four", [3, 3, 2, 2]), 1)
    search.c, search.scale, search.name = 1.0, 1.5, "connect_four1.01.5"
    search.brackets, search.of_children = False, True
    found = checks(search, 500)
    assert list(found) == ["selection-no-visits"]
    assert "no brackets around 1 + n" in found["selection-no-visits"].message
