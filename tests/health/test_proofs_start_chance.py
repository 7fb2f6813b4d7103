"""Proven results that do not follow, a tree of another position, and chance that is not as it says."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.health.chance import DrawnEvents
from tests.health.unusual import Node, Rules, Search, watched
from tests.variants import few


class Solver(Search):
    """MCTS-Solver that proves wins and losses; `mistake`: "early" calls a node lost with its first lost
    child, "one level" stops at the parents of finished games."""

    mistake = ""

    def step(self) -> None:
        super().step()
        self.prove(self.root)

    def prove(self, node: Node, above: int = 0) -> None:
        """The whole tree anew: plain, and slow."""
        for child in node.children:
            self.prove(child, above + 1)
        if node.proven is not None or not node.children:
            if node.outcome is not None:
                node.proven = node.outcome
            return
        if self.mistake == "one level" and all(child.outcome is None for child in node.children):
            return
        win = 1.0 if node.player == 0 else -1.0
        results = [child.proven for child in node.children]
        full = len(node.children) == len(self.rules.moves(node.state))
        if win in results:
            node.proven = win
        elif -win in results and (self.mistake == "early" or (full and set(results) == {-win})):
            node.proven = -win


def solved(mistake: str) -> set[str]:
    search = Solver(Rules("tic_tac_toe", [0, 1, 3]), 1)
    search.mistake = mistake
    trace = watched(search, 500, proven="proven")
    return {finding.check for finding in trace.check() if finding.severity != "note"}


@pytest.mark.parametrize(
    ("mistake", "check"), [("", None), ("early", "proof-wrong"), ("one level", "proof-missing")]
)
def test_proven_results_follow_from_the_children(mistake: str, check: str | None) -> None:
    proofs = {check for check in solved(mistake) if check.startswith("proof-")}
    assert proofs == (set() if check is None else {check})


def test_the_tree_of_an_earlier_position_is_named() -> None:
    search = Search(Rules("tic_tac_toe", [0, 4]), 1)
    trace = watched(search, 200, start=[0, 4, 1, 2])
    (finding,) = (one for one in trace.check() if one.severity == "error")
    assert finding.check == "reuse-start"
    assert "the position after the first 2 of its moves" in finding.message


class Event:
    def __init__(self, chance: bool, prior: float | None = None) -> None:
        self.chance, self.prior = chance, prior
        self.children: dict[int, Event] = {}
        self.visits, self.value = 0, 0.0


def dice(weights: list[float], told: list[float], seed: int, n: int = 600) -> set[str]:
    """Three moves, each followed by a roll with the weights, of which `told` is recorded."""
    draw, root = random.Random(seed), Event(False)
    fields: Any = {"children": "children", "visits": "visits", "value": "value"}
    with mv.record(
        root=root, prior="prior", chance="chance", players=("one",), value_range=(0, 1), **fields
    ) as rec:  # fmt: skip
        for _ in range(n):
            move = draw.randrange(3)
            rolled = draw.choices(range(len(weights)), weights)[0]
            middle = root.children.setdefault(move, Event(True))
            end = middle.children.setdefault(rolled, Event(False, told[rolled]))
            value = float(np.clip(draw.gauss(0.5, 0.1), 0, 1))
            for node in (root, middle, end):
                node.visits += 1
                node.value += value
            rec.iteration()
    return {finding.check for finding in rec.trace.check() if finding.check.startswith("chance")}


@pytest.mark.parametrize("seed", few(range(10), 2))
def test_chance_is_compared_with_its_probabilities(seed: int) -> None:
    fair, loaded = [1 / 6] * 6, [0.5] + [0.1] * 5
    assert dice(fair, fair, seed) == set()
    assert dice(loaded, loaded, seed) == set()
    assert dice(fair, loaded, seed) == {"chance-frequencies"}


def kept_events(
    again: float, seed: int = 1, moves: int = 8, prior: float | None = None, n: int = 400
) -> list[mv.Finding]:
    """Moves with a roll after each, which is made anew with that probability, and else is the first one of all. prior:
    that of each event, where it is told."""
    draw, root = random.Random(seed), Event(False)
    fields: Any = {"children": "children", "visits": "visits", "value": "value"}
    told: Any = {} if prior is None else {"prior": "prior"}
    with mv.record(
        root=root, chance="chance", players=("one",), value_range=(0, 1), **fields, **told
    ) as rec:
        for _ in range(n):
            middle = root.children.setdefault(draw.randrange(moves), Event(True))
            kept = next(iter(middle.children), draw.randrange(6))
            rolled = draw.randrange(6) if draw.random() < again else kept
            end = middle.children.setdefault(rolled, Event(False, prior))
            for node in (root, middle, end):
                node.visits, node.value = node.visits + 1, node.value + draw.random()
            rec.iteration()
    return [finding for finding in rec.trace.check() if finding.check == "chance-frequencies"]


def test_events_that_are_drawn_once_and_kept_are_worth_a_note() -> None:
    (finding,) = kept_events(again=0.0)
    assert finding.severity == "note"
    assert "all 8 nodes of chance" in finding.message
    assert not kept_events(again=0.2)


@pytest.mark.parametrize("moves", [1, 2, 8])
def test_events_that_are_drawn_once_and_kept_are_named_where_probabilities_say_so(
    moves: int,
) -> None:
    (finding,) = kept_events(again=0.0, moves=moves, prior=1 / 6)
    assert finding.severity == "warning"
    assert "got the same event, whose probability is 0.167" in finding.message
    assert "an event is drawn once, and kept" in finding.message
    assert "standard deviations" not in finding.message
    if moves == 2:
        assert "at 2 of 2 nodes of chance" in finding.message
    # certain ones, and those of a die that is rolled at every visit
    assert not [one for one in kept_events(0.0, moves=moves, prior=1.0) if one.severity != "note"]
    assert kept_events(again=1.0, moves=moves, prior=1 / 6) == []


def test_events_that_often_come_again_are_counted_and_not_said_to_be_kept() -> None:
    (finding,) = kept_events(again=0.5, moves=2, prior=1 / 6, n=2_000)
    assert "kept" not in finding.message
    assert "more than 30 standard deviations" in finding.message
    assert "an event of probability 0.167 comes" in finding.message


class Roll:
    def __init__(self, n_moves: int, chance: bool) -> None:
        self.chance, self.visits, self.value = chance, 0, 0.0
        self.children: dict[int, Roll] = {}
        self.n_moves = n_moves


def by_score(above: Roll) -> Roll:
    return max(
        above.children.values(),
        key=lambda one: one.value / one.visits + math.sqrt(math.log(above.visits) / one.visits),
    )


@pytest.mark.parametrize("how", ["drawn", "chosen", "evenly"])
def test_chance_that_is_chosen_is_named(how: str) -> None:
    """Evenly: events come in turn, as by their probabilities over visits (Stochastic MuZero)."""
    chosen = how == "chosen"
    draw, root = random.Random(1), Roll(3, chance=False)
    n_events = 300 if how == "evenly" else 6
    fields: dict[str, Any] = {"children": "children", "visits": "visits", "value": "value"}
    told: dict[str, Any] = {"chance": "chance", "players": ("one",), "value_range": (0, 1)}
    with mv.record(root=root, **fields, **told) as rec:
        for _ in range(500):
            path = [root]
            for _ in range(4):
                above = path[-1]
                if len(above.children) == above.n_moves and (chosen or not above.chance):
                    path.append(by_score(above))
                    continue
                if above.chance and how == "evenly":
                    if not above.children:
                        above.children = {each: Roll(3, chance=False) for each in range(n_events)}
                    event = above.visits % n_events
                    path.append(above.children[event])
                    if not path[-1].visits:
                        break
                    continue
                event = draw.randrange(6) if above.chance else len(above.children)
                new = event not in above.children
                below = Roll(3 if above.chance else n_events, chance=not above.chance)
                path.append(above.children.setdefault(event, below))
                if new:
                    break
            for node in path:
                node.visits += 1
            value = draw.random()
            for node in path:
                node.value += value
            rec.iteration()
    found = {one.check for one in rec.trace.check() if one.severity != "note"}
    assert found == ({"chance-chosen"} if chosen else set())


@pytest.mark.parametrize("p", [0.5, 0.7])
def test_nodes_that_are_left_after_bad_luck_are_no_alarm(p: float) -> None:
    """A search goes on with what chance has favoured, so that most nodes end while an event comes too seldom."""
    draw, drawn = np.random.default_rng(1), DrawnEvents("visits")
    for node in range(400):
        n = np.zeros(2, np.int64)
        while n.sum() < 200 and (n.sum() < 20 or n[0] > 0.35 * n.sum()):
            n[int(draw.random() >= 0.5)] += 1
        drawn.add(node, np.array([p, 1 - p]), n)
    assert len(list(drawn.findings())) == (p != 0.5)


def test_probabilities_of_chance_are_no_priors_that_are_the_same_everywhere() -> None:
    told = [0.5, 0.3, 0.2]
    draw, root = random.Random(1), Event(False)
    fields: Any = {"children": "children", "visits": "visits", "value": "value"}
    with mv.record(
        root=root, prior="prior", chance="chance", players=("one",), value_range=(0, 1), **fields
    ) as rec:  # fmt: skip
        for _ in range(300):
            middle = root.children.setdefault(draw.randrange(20), Event(True))
            middle.children = middle.children or {i: Event(False, p) for i, p in enumerate(told)}
            end = middle.children[draw.choices(range(3), told)[0]]
            for node in (root, middle, end):
                node.visits += 1
                node.value += draw.random()
            rec.iteration()
    assert "expansion-same-priors" not in {one.check for one in rec.trace.check()}


class AtOnce(Solver):
    """All children are made at once; the solver knows of a finished game once it has visited it."""

    def grow(self, node: Node) -> Node | None:
        if not node.children:
            for move in self.rules.moves(node.state):
                self.add(node, move)
        unvisited = [child for child in node.children if not child.N]
        return unvisited[-1] if unvisited else None

    def prove(self, node: Node, above: int = 0) -> None:
        if node.N:
            super().prove(node, above)


def test_finished_games_that_were_not_visited_force_nothing() -> None:
    trace = watched(
        AtOnce(Rules("tic_tac_toe", [0, 1, 3]), 1), 60, proven="proven", outcome="outcome", game=None, start=None,
    )  # fmt: skip
    assert not [one for one in trace.check() if one.check == "proof-missing"]
