"""Another rule, another N, or another number for children without visits than the search says."""

from __future__ import annotations

import math

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Puct, Rules, Search, watched
from tests.variants import few

CONNECT_FOUR = Rules("connect_four", [])


class Own(Puct):
    """PUCT with c = 1.4, whose children without visits count as what `kind` says."""

    c, kind, by_children = 1.4, "zero", False

    def score(self, node: Node, child: Node) -> float:
        numbers = {
            "zero": 0.0, "loss": -1.0, "parent": -node.Q, "prior": 3 * child.P,
            "random": math.sin(1e4 * child.P * len(str(child.state))) / 2,
        }  # fmt: skip
        q = child.Q if child.N else numbers[self.kind]
        n = sum(each.N for each in node.children) if self.by_children else node.N
        return q + self.c * child.P * math.sqrt(n) / (1 + child.N)


def puct(kind: str = "zero", by_children: bool = False) -> Own:
    search = Own(CONNECT_FOUR, 1)
    search.kind, search.by_children = kind, by_children
    return search


def found(
    search: Search, selection: str, c: float = 1.4, priors: bool = True,
    unvisited: float | str | None = None, n: str | None = None,
) -> mv.Finding:  # fmt: skip
    """The first finding about the rule."""
    trace = watched(
        search,
        500,
        selection=selection,
        c=c,
        unvisited=unvisited,
        n=n,
        prior="P" if priors else None,
    )
    return next(
        one
        for one in trace.check()
        if one.check.startswith("selection-") and one.check != "selection-weight"
    )


@pytest.mark.thorough
def test_puct_that_is_declared_as_ucb1_is_named() -> None:
    one = found(puct(), "ucb1")
    assert (one.check, one.severity) == ("selection-not-declared", "error")
    assert "PUCT, with c = 1.4, explains all" in one.message
    one = found(puct(), "ucb1", priors=False)
    assert "give prior= and selection='puct'" in one.message


@pytest.mark.parametrize("c", few([1.0, 1.4]))
def test_ucb1_that_is_declared_as_puct_is_named(c: float) -> None:
    search = Search(CONNECT_FOUR, 1)
    one = found(search, "puct", c, priors=False)
    assert (one.check, one.severity) == ("selection-not-declared", "error")
    assert "UCB1, with c = 1.4, explains all" in one.message


@pytest.mark.parametrize(
    ("kind", "words"),
    few(
        [
            ("loss", "children without visits count as a loss"),
            ("prior", "none of the usual numbers"),
            ("parent", "children without visits count as their parent"),
            ("random", "none of the usual numbers"),
        ],
        2,
    ),
)
def test_children_without_visits_that_count_as_something_else_are_named(
    kind: str, words: str
) -> None:
    one = found(puct(kind), "puct", unvisited=0)
    assert (one.check, one.severity) == ("selection-not-declared", "warning")
    assert "declared is PUCT with c = 1.4, and unvisited=0" in one.message
    assert words in one.message
    assert "grows" not in one.message


@pytest.mark.parametrize("by_children", few([True, False]))
def test_another_n_than_declared_is_named(by_children: bool) -> None:
    told, other = ("parent", "children") if by_children else ("children", "parent")
    one = found(puct(by_children=by_children), "puct", unvisited=0, n=told)
    assert (one.check, one.severity) == ("selection-not-declared", "warning")
    assert f"n={told!r}" in one.message
    assert "unvisited=" not in one.message
    right = found(puct(by_children=by_children), "puct", unvisited=0, n=other)
    assert (right.check, right.severity) == ("selection-rule", "note")


@pytest.mark.parametrize(
    ("kind", "told"), few([("zero", 0), ("prior", None), ("loss", "loss"), ("parent", "parent")], 2)
)
def test_what_holds_or_was_not_said_is_a_note(kind: str, told: float | str | None) -> None:
    one = found(puct(kind), "puct", unvisited=told)
    assert (one.check, one.severity) == ("selection-rule", "note")
    assert "the declared c = 1.4" in one.message or kind == "prior"
