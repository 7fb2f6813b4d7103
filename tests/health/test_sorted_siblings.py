"""Priors in an array beside a list of children that is sorted in place; and where a rule ends to explain choices."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, Node, Puct, Rules, watched
from tests.variants import few

GAMES = [("connect_four", [3, 3]), ("tic_tac_toe", [])]
TOLD: dict[str, Any] = {
    **PRIORS, "selection": "puct", "c": 1.5, "unvisited": 0, "value_range": (-1, 1),
}  # fmt: skip
one_game = pytest.mark.parametrize(("game", "start"), few(GAMES))


class Beside(Puct):
    """The list that is sorted for a report is the one that priors stand beside."""

    every = 16

    def __init__(self, rules: Any, seed: int) -> None:
        super().__init__(rules, seed)
        self.lists: dict[Node, list[Node]] = {}
        self.priors: dict[Node, list[float]] = {}

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        self.lists[leaf] = list(leaf.children)
        self.priors[leaf] = [child.P for child in leaf.children]

    def choose(self, node: Node) -> Node:
        if node.N % self.every == 0:
            self.report(node)
        scores = [
            child.Q + self.c * P * math.sqrt(node.N) / (1 + child.N)
            for child, P in zip(self.lists[node], self.priors[node])
        ]
        return self.lists[node][scores.index(max(scores))]

    def report(self, node: Node) -> None:
        self.lists[node].sort(key=lambda child: -child.N)


class BesideCopy(Beside):
    def report(self, node: Node) -> None:
        sorted(self.lists[node], key=lambda child: -child.N)


class EachTime(Beside):
    every = 1


class ByValue(Beside):
    every = 25

    def report(self, node: Node) -> None:
        self.lists[node].sort(key=lambda child: -child.Q)


class Undecided(Puct):
    """From the hundredth iteration on, values count twice, or half, by turns."""

    def score(self, node: Node, child: Node) -> float:
        more = (2.0, 0.5)[self.iterations % 2] if self.iterations >= 100 else 1.0
        return super().score(node, child) + (more - 1) * child.Q


def of_selection(search: Puct, **told: Any) -> list[mv.Finding]:
    found = watched(search, 600, **{**TOLD, **told}).check()
    return [one for one in found if one.check.startswith("selection-")]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "words"),
    few(
        [
            (Beside, "the children of a node are sorted in place by their visits, the greatest first, at every 16th"),
            (EachTime, "sorted in place by their visits, the greatest first, before each choice"),
            (ByValue, "sorted in place by their value, the greatest first, at every 25th visit"),
        ],
        2,
    ),
)  # fmt: skip
@one_game
def test_priors_beside_a_list_that_is_sorted_in_place_are_named(
    game: str, start: list[int], kind: type[Beside], words: str
) -> None:
    (one,) = of_selection(kind(Rules(game, start), 1))
    assert (one.check, one.severity) == ("selection-other-prior", "error")
    assert words in one.message


@one_game
def test_a_copy_that_is_sorted_is_no_mistake(game: str, start: list[int]) -> None:
    assert [one.check for one in of_selection(BesideCopy(Rules(game, start), 1))] == [
        "selection-rule"
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("told", few([{}, {"selection": None, "c": None, "unvisited": None}], 2))
@one_game
def test_where_a_rule_ends_to_explain_choices_is_said(
    game: str, start: list[int], told: dict[str, Any]
) -> None:
    (one,) = of_selection(Undecided(Rules(game, start), 1), **told)
    assert one.check == "selection-unexplained"
    assert one.iteration is not None
    assert 100 <= one.iteration < 120
    assert f"choices up to iteration {one.iteration - 1} fit PUCT" in one.message
    assert (
        f"the first that does not is in iteration {one.iteration} at node {one.node:,}"
        in one.message
    )
