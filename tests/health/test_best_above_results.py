"""A best result that begins above every result never changes: all nodes keep it, and the search is blind."""

from __future__ import annotations

import math
import random
from typing import Any

import mcts_viz as mv

DISTANCES = [[abs(a - b) * 7 % 11 + 2 for b in range(6)] for a in range(6)]


class Tour:
    def __init__(self, begin: float, towns: tuple[int, ...] = (0,)) -> None:
        self.begin, self.towns, self.visits, self.best = begin, towns, 0, begin
        self.children: list[Tour] = []

    def missing(self) -> list[int]:
        there = {*self.towns, *(child.towns[-1] for child in self.children)}
        return [town for town in range(6) if town not in there]


class Travel:
    """Keeps the best of all results below each node, which are lengths with the opposite sign."""

    def __init__(self, begin: float) -> None:
        self.random, self.root = random.Random(3), Tour(begin)

    def step(self) -> float:
        path = [self.root]
        while path[-1].children and not path[-1].missing():
            log = math.log(path[-1].visits)
            path.append(
                max(path[-1].children, key=lambda one: one.best + 9 * math.sqrt(log / one.visits))
            )
        node = path[-1]
        if node.missing():
            town = self.random.choice(node.missing())
            node.children.append(Tour(node.begin, (*node.towns, town)))
            path.append(node.children[-1])
        rest = [town for town in range(6) if town not in path[-1].towns]
        self.random.shuffle(rest)
        order = [*path[-1].towns, *rest]
        result = -float(sum(DISTANCES[a][b] for a, b in zip(order, order[1:] + order[:1])))
        for node in path:
            node.visits += 1
            node.best = max(node.best, result)
        return result


def findings(begin: float, is_told: bool = False, **told: Any) -> list[mv.Finding]:
    search = Travel(begin)
    told = {"value_kind": "mean", "value_range": (-80, 0)} | told
    told = {name: each for name, each in told.items() if each is not None}
    with mv.record(
        root=search.root, children="children", visits="visits", value="best", players=("traveller",), **told
    ) as rec:  # fmt: skip
        for _ in range(300):
            result = search.step()
            rec.iteration(**({"outcome": result} if is_told else {}))
    return rec.trace.check()


def test_a_best_that_begins_at_0_above_all_costs_is_a_warning() -> None:
    for told in ({"backup": "max"}, {}, {"backup": "max", "value_range": (-80, -5)}):
        found = findings(0.0, **told)
        (one,) = [each for each in found if each.check == "value-backup"]
        assert one.severity == "warning"
        assert "begins above every result" in one.message
        assert "−inf" in one.message
        assert "simulation-constant" not in [each.check for each in found]


def test_it_is_an_error_where_results_are_told() -> None:
    (one,) = [
        each for each in findings(0.0, True, value_range=None) if each.check == "value-backup"
    ]
    assert one.severity == "error"
    assert "results that are told" in one.message


def test_without_a_range_a_note_names_it_among_other_causes() -> None:
    found = findings(0.0, value_range=None)
    (one,) = [each for each in found if each.check == "simulation-constant"]
    assert one.severity == "note"
    assert "has to begin at −inf" in one.message


def test_a_best_that_begins_below_all_results_is_right() -> None:
    ways: tuple[dict[str, Any], ...] = ({}, {"backup": "max"}, {"value_range": (-80, -5)})
    for told in ways:
        for is_told in (False, True):
            found = findings(-1e9, is_told, **told)
            assert [each for each in found if each.severity != "note"] == []
            assert not any("begins above" in each.message for each in found)
