"""Correct searches as further authors write them, each of which got an alarm before."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Puct, Rules, Search, Solver, Walk, watched
from tests.recording.searches import PlainUCT


def complaints(trace: mv.Trace) -> list[str]:
    return [str(one) for one in trace.check() if one.severity != "note"]


def notes(trace: mv.Trace, check: str) -> list[str]:
    return [one.message for one in trace.check() if (one.check, one.severity) == (check, "note")]


def test_statistics_of_other_searches_may_be_added_now_and_then() -> None:
    """To the root and its moves, every fifty iterations; their subtrees are not known here."""
    search, other = PlainUCT(1), PlainUCT(2)
    with mv.record(
        root=search.root, children="children", visits="visits", value="wins", action="move",
        to_move="player", value_range=(0, 1),
    ) as rec:  # fmt: skip
        for t in range(1, 601):
            search.step()
            if t % 50 == 0:
                before = numbers(other)
                for _ in range(150):
                    other.step()
                add(search, before, numbers(other))
            rec.iteration()
    assert complaints(rec.trace) == []
    assert "statistics of other searches are added" in notes(rec.trace, "visits-missing")[0]


def numbers(search: PlainUCT) -> dict[Any, tuple[int, float]]:
    nodes = {None: search.root, **{child.move: child for child in search.root.children}}
    return {move: (node.visits, node.wins) for move, node in nodes.items()}


def add(
    search: PlainUCT, before: dict[Any, tuple[int, float]], after: dict[Any, tuple[int, float]]
) -> None:
    own = {None: search.root, **{child.move: child for child in search.root.children}}
    for move, (visits, wins) in after.items():
        known, won = before.get(move, (0, 0.0))
        own[move].visits += visits - known
        own[move].wins += wins - won


class Endgames(Search):
    """Results of small positions are known from a table, and not carried up."""

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made: Any = super().node(state, parent, move)
        made.depth = 0 if parent is None else parent.depth + 1  # type: ignore[attr-defined]
        if made.depth >= 4:
            made.proven = made.outcome = self.best(state)
        return made

    def best(self, state: Any) -> float:
        """View of the first player."""
        outcome = self.rules.outcome(state)
        if outcome is not None:
            return float(outcome)
        found = [self.best(self.rules.play(state, move)) for move in self.rules.moves(state)]
        return max(found) if self.rules.player(state) == 0 else min(found)


def test_results_of_a_table_of_endgames_need_not_be_carried_up() -> None:
    search = Endgames(Rules("tic_tac_toe", [0, 4]), 1)
    trace = watched(search, 600, game=None, start=None, proven="proven")
    assert complaints(trace) == []
    assert "endgame tables" in notes(trace, "proof-missing")[0]


def test_names_may_be_the_same_but_not_of_all_siblings() -> None:
    def named(digits: int, among: int) -> mv.Trace:
        """So many moves of each node have the same name."""

        def name(node: Node) -> str:
            if node.move < among:
                return f"turn {0.5:.{digits}f} and then go on"
            return f"turn {id(node)} and then go on"

        search = Search(Walk(), 1)
        return watched(search, 400, label=name)

    for digits in (0, 2):
        some, every = named(digits, among=2), named(digits, among=100)
        assert "where they are drawn" in notes(some, "record-duplicate")[0]
        assert not any("record-duplicate" in one for one in complaints(some))
        assert any("are all the same" in one for one in complaints(every))


class Options(Search):
    """A walk whose moves take one to three steps, each of which discounts what comes after it."""

    GAMMA = 0.9

    def reward(self, node: Node) -> float:
        return 0.1 * (node.move + 1) if node.parent else 0.0

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.reward = 0.1 * (move + 1) if parent else 0.0
        return made

    def factor(self, node: Node) -> float:
        return float(self.GAMMA ** (node.move + 1))

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N, node.W = node.N + 1, node.W + outcome
            outcome = node.reward + self.factor(node) * outcome

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return math.inf
        q = child.reward + self.factor(child) * child.Q
        return q + self.c * math.sqrt(math.log(node.N) / child.N)


class RewardLost(Options):
    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N, node.W = node.N + 1, node.W + outcome
            outcome = self.factor(node) * outcome


@pytest.mark.thorough
def test_moves_that_take_several_steps_discount_by_factors_of_their_own() -> None:
    told: dict[str, Any] = {"reward": "reward", "step_rewards": True, "value_range": (0, 3)}
    right, wrong = (watched(kind(Walk(), 1), 800, **told) for kind in (Options, RewardLost))
    assert complaints(right) == []
    assert "0.729 to 0.9" in notes(right, "value-backup")[0]
    assert any("value-reward" in one for one in complaints(wrong))


class PriorAsVisit(Search):
    """A node begins with its prior as the value of a visit, and a rollout makes nodes to its end (AiZynthFinder)."""

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        if parent is not None:
            made.P = random.Random(str((state, move))).uniform(0.1, 0.9)
            made.N, made.W = 1, made.P
        return made

    def step(self) -> None:
        path = [self.root]
        while path[-1].outcome is None:
            child = self.grow(path[-1]) if len(path[-1].children) < 3 else None
            path.append(child or self.choose(path[-1]))
        for node in path:
            node.N, node.W = node.N + 1, node.W + float(path[-1].outcome or 0.0)


class CountedTwice(PriorAsVisit):
    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.N, made.W = int(parent is not None), 0.0
        return made


class AddedTwice(PriorAsVisit):
    """With the result of their first visit."""

    def step(self) -> None:
        known = self.nodes()
        super().step()
        for node in self.nodes() - known:
            node.W = 2 * (node.W - node.P)

    def nodes(self) -> set[Node]:
        found, more = set[Node](), [self.root]
        while more:
            found.update(more)
            more = [child for node in more for child in node.children]
        return found


@pytest.mark.thorough
@pytest.mark.parametrize("told", [{"prior": "P"}, {}], ids=["prior told", "nothing told"])
def test_a_prior_may_be_the_value_of_a_first_visit(told: dict[str, Any]) -> None:
    right, *wrong = (
        watched(kind(Walk(), 1), 300, **told) for kind in (PriorAsVisit, CountedTwice, AddedTwice)
    )
    assert complaints(right) == []
    assert notes(right, "visits-given")
    for trace in wrong:
        assert any("visits-double" in one for one in complaints(trace))


class AllAtOnce(PriorAsVisit):
    """All children of a node are made when it is first come to."""

    def step(self) -> None:
        path = [self.root]
        while path[-1].outcome is None:
            if not path[-1].children:
                for move in self.rules.moves(path[-1].state):
                    self.add(path[-1], move)
            path.append(self.choose(path[-1]))
        for node in path:
            node.N, node.W = node.N + 1, node.W + float(path[-1].outcome or 0.0)

    def score(self, node: Node, child: Node) -> float:
        visits = sum(each.N for each in node.children)
        return child.Q + self.c * math.sqrt(math.log(visits) / child.N)


def test_so_it_may_where_several_nodes_of_a_path_are_new_and_their_siblings_too() -> None:
    trace = watched(AllAtOnce(Walk(), 1), 300, prior="P")
    assert complaints(trace) == []
    assert "with visits and a value of its own" in notes(trace, "visits-given")[0]


class Seeded(Puct):
    """Q is W / (1 + N), with a W that begins with the parent's value; several leaves an iteration (minigo)."""

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        if parent is not None:
            made.W = self.worth(made, self.evaluate(parent))
        return made

    def step(self) -> None:
        for _ in range(4):
            super().step()

    def score(self, node: Node, child: Node) -> float:
        return child.W / (1 + child.N) + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class Unturned(Seeded):
    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N, node.W = node.N + 1, node.W + outcome


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [Seeded, Unturned])
def test_means_may_be_of_sums_that_begin_with_a_number_of_their_own(kind: type[Seeded]) -> None:
    trace = watched(
        kind(Rules("tic_tac_toe", []), 1), 100, leaves=4, prior="P",
        value=lambda node: node.W / (1 + node.N), value_kind="mean",
    )  # fmt: skip
    uneven = [one for one in complaints(trace) if "value-uneven" in one]
    assert bool(uneven) == (kind is Unturned)
    assert bool(notes(trace, "value-backup")) == (kind is Seeded)


class BestKept(Search):
    """A node keeps the best result below it."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N, node.best_value = node.N + 1, max(node.best_value, outcome)

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return math.inf
        return self.kept(child) + self.c * math.sqrt(math.log(node.N) / child.N)

    def kept(self, child: Node) -> float:
        return float(child.best_value)


class BestByVisits(BestKept):
    """The selection is that of sums still."""

    def kept(self, child: Node) -> float:
        return float(child.best_value) / child.N


@pytest.mark.thorough
def test_a_best_result_that_is_divided_by_the_visits_is_named() -> None:
    told: dict[str, Any] = {"value": "best_value", "value_kind": "mean", "backup": "max"}
    right, wrong = (watched(kind(Walk(), 1), 800, **told) for kind in (BestKept, BestByVisits))
    assert complaints(right) == []
    (one,) = complaints(wrong)
    assert "selection-divided-twice" in one
    assert "the value that is kept (max back-up) is divided by the visits" in one


@pytest.mark.parametrize(
    ("told", "severity"), [({"name": "of the last move"}, "note"), ({}, "warning")]
)
def test_a_back_up_that_is_declared_by_its_name_may_leave_nodes_out(
    told: dict[str, Any], severity: str
) -> None:
    class EverySecond(Search):
        """As where an iteration updates the one move that it samples for."""

        def backpropagate(self, path: list[Any], outcome: float) -> None:
            super().backpropagate([path[0], *path[-1:]], outcome)

    search = EverySecond(Rules("tic_tac_toe", [4]), 1)
    found = watched(search, policies={"backpropagation": told}).check()
    (one,) = [each for each in found if each.check == "visits-missing"]
    assert one.severity == severity
    assert ('"of the last move"' in one.message) == (severity == "note")


def test_a_solver_that_leaves_lost_children_alone_is_explained() -> None:
    """It tells what it has proven."""
    search = Solver(Rules("connect_four", [3, 3, 2, 2, 0, 0, 0, 0, 0]), 1)
    trace = watched(
        search,
        1_500,
        game=None,
        start=None,
        value_range=(-1, 1),
        proven="proven",
        c=1.4,
        selection="ucb1",
    )
    assert complaints(trace) == []


def test_soft_values_beside_rewards_are_a_note() -> None:
    """As in MENTS: the value of a node is the soft maximum of its moves'."""

    class Soft:
        def __init__(self, place: int, depth: int) -> None:
            self.place, self.depth, self.reward = place, depth, -0.05 if place % 3 else 0.3
            self.N, self.V = 0, 0.0
            self.children: list[Soft] = []

    def q(node: Soft) -> list[float]:
        return [child.reward + 0.9 * child.V for child in node.children]

    root, draw = Soft(0, 0), random.Random(1)

    def step() -> None:
        path = [root]
        while path[-1].children:
            weights = [math.exp(each / 0.5) + 0.1 for each in q(path[-1])]
            path.append(draw.choices(path[-1].children, weights)[0])
        leaf = path[-1]
        if leaf.depth < 4:
            leaf.V = draw.uniform(-0.3, 0.3)
            leaf.children = [Soft(3 * leaf.place + i, leaf.depth + 1) for i in (1, 2, 3)]
        for node in reversed(path):
            node.N += 1
            if node is not leaf:
                node.V = 0.5 * math.log(sum(math.exp(each / 0.5) for each in q(node)))

    with mv.record(
        root=root, children="children", visits="N", value="V", value_kind="mean", reward="reward",
        discount=0.9, step_rewards=True, players=("agent",), value_range=(-2, 4), selection="e2w",
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 600):
            pass
    assert complaints(rec.trace) == []
    assert "soft values, bounds or medians" in notes(rec.trace, "value-reward")[0]
