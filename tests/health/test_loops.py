"""Mistakes in the loop that looks for the best child."""

from __future__ import annotations

import math

import pytest

from tests.health.unusual import PRIORS, AllChildren, Node, Puct, Rules, Search, watched
from tests.variants import few, in_turn

GAMES = {"tic_tac_toe": [], "connect_four": [3, 3, 2, 2]}


class SecondBest(Search):
    def choose(self, node: Node) -> Node:
        return sorted(node.children, key=lambda child: self.score(node, child))[-2:][0]


class NotKept(Search):
    """`best` stays 0."""

    def choose(self, node: Node) -> Node:
        taken = node.children[0]
        for child in node.children:
            if self.score(node, child) > 0:
                taken = child
        return taken


class StopsAtOnce(Search):
    def choose(self, node: Node) -> Node:
        good = (child for child in node.children if self.score(node, child) > 0)
        return next(good, node.children[0])


class AlwaysFirst(Search):
    """Scores are nan, which is less than nothing."""

    def choose(self, node: Node) -> Node:
        return node.children[0]


class AlwaysLast(Search):
    """The best score is not kept, and begins with −∞."""

    def choose(self, node: Node) -> Node:
        return node.children[-1]


class BeginsWithZero(Search):
    c = 0.5

    def choose(self, node: Node) -> Node:
        taken, best = node.children[0], 0.0
        for child in node.children:
            if self.score(node, child) > best:
                taken, best = child, self.score(node, child)
        return taken


class AllAtOnce(AllChildren):
    """Children without visits come first, and then the search for the best begins with `start`."""

    c, start, last = 0.7, 0.0, False

    def choose(self, node: Node) -> Node:
        if new := [child for child in node.children if not child.N]:
            return new[0]
        taken, best = node.children[-self.last], self.start
        for child in node.children:
            if self.score(node, child) > best:
                taken, best = child, self.score(node, child)
        return taken


class BeginsWithMore(AllAtOnce):
    c, start = 0.83, 0.6


class BeginsWithLast(AllAtOnce):
    last = True


class OneSideBeginsWithMore(AllAtOnce):
    """As where one player looks for the least, and from a number down."""

    def choose(self, node: Node) -> Node:
        self.start = -math.inf if node.player == 0 else 0.9
        return super().choose(node)


class BeginsWithNothing(AllAtOnce):
    start = -math.inf


class BeginsWithRandom(Search):
    """And with a child that is drawn."""

    c = 0.5

    def choose(self, node: Node) -> Node:
        taken, best = self.random.choice(node.children), 0.0
        for child in node.children:
            if self.score(node, child) > best:
                taken, best = child, self.score(node, child)
        return taken


class PuctBeginsWithZero(Puct):
    c = 0.5

    def choose(self, node: Node) -> Node:
        return BeginsWithZero.choose(self, node)  # type: ignore[arg-type]


MISTAKES: dict[type[Search], str] = {
    SecondBest: "selection-argmin",
    NotKept: "selection-fixed",
    StopsAtOnce: "selection-fixed",
    AlwaysLast: "selection-fixed",
    BeginsWithZero: "selection-ignored-child",
    PuctBeginsWithZero: "selection-ignored-child",
    BeginsWithRandom: "selection-ignored-child",
    AllAtOnce: "selection-ignored-child",
    BeginsWithMore: "selection-ignored-child",
    BeginsWithLast: "selection-ignored-child",
    OneSideBeginsWithMore: "selection-ignored-child",
}


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "start"), few(GAMES.items()))
@pytest.mark.parametrize(("kind", "declared"), in_turn(MISTAKES, [False, True], 2))
def test_a_mistake_in_the_loop_is_named(
    declared: bool, kind: type[Search], game: str, start: list[int]
) -> None:
    priors = PRIORS if issubclass(kind, Puct) else {}
    told = {"selection": "puct" if priors else "ucb1", "c": kind.c} if declared else {}
    found = watched(kind(Rules(game, start), 1), 800, **priors, **told).check()
    serious = [one for one in found if one.severity != "note"]
    assert [(one.check, one.severity) for one in serious if one.check.startswith("sel")] == [
        (MISTAKES[kind], "error")
    ]


def test_the_first_child_whatever_the_scores_is_named() -> None:
    found = watched(AlwaysFirst(Rules("tic_tac_toe", []), 1), 600, selection="ucb1", c=1.4).check()
    assert [one.check for one in found if one.severity == "error"] == ["selection-fixed"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (AllAtOnce, "begins with 0, not with −∞"),
        (BeginsWithMore, "begins with 0.6, not with −∞"),
        (BeginsWithLast, "the last one where no score is"),
        (OneSideBeginsWithMore, "where O is to choose"),
    ],
)
def test_the_start_of_the_search_for_the_best_is_told(kind: type[Search], words: str) -> None:
    found = watched(kind(Rules("connect_four", [3, 3, 2, 2]), 2), 1_200).check()
    (one,) = (one for one in found if one.severity != "note")
    assert one.check == "selection-ignored-child"
    assert words in one.message


def test_a_search_for_the_best_that_begins_with_nothing_is_right() -> None:
    found = watched(BeginsWithNothing(Rules("connect_four", [3, 3, 2, 2]), 2), 1_200).check()
    assert not [one for one in found if one.severity != "note"]
