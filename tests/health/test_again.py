"""Leaves that are simulated from several times, and leaves that are judged by their last move, without any rules."""

from __future__ import annotations

import math
import random
import zlib
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, watched

BLIND: dict[str, Any] = {"game": None, "start": None, "value_range": (-1.0, 1.0)}


class Threshold(Search):
    """A leaf gets children at its fourth visit."""

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            path.append(self.choose(path[-1]))
        leaf = path[-1]
        if leaf.outcome is None and (leaf.N >= 4 or leaf is self.root):
            self.grow(leaf)
            path.append(leaf.children[0])
        self.backpropagate(path, self.evaluate(path[-1]))


class Seeded(Threshold):
    def evaluate(self, leaf: Node) -> float:
        self.random = random.Random(5)
        return super().evaluate(leaf)


def found(trace: mv.Trace, check: str) -> list[mv.Finding]:
    return [one for one in trace.check() if one.check == check]


def test_simulations_from_one_leaf_that_always_end_alike_are_a_note() -> None:
    (one,) = found(
        watched(Seeded(Rules("connect_four", [3]), 1), 1_500, **BLIND), "simulation-repeats"
    )
    assert one.severity == "note"
    assert "the same result each time" in one.message
    assert "seeded anew" in one.message


def test_random_ones_are_not() -> None:
    assert not found(
        watched(Threshold(Rules("connect_four", [3]), 1), 1_500, **BLIND), "simulation-repeats"
    )


@pytest.mark.parametrize("seeded", [True, False])
def test_the_same_moves_each_time_are_a_warning(seeded: bool) -> None:
    search = (Seeded if seeded else Threshold)(Rules("connect_four", [3]), 1)
    rules = search.rules
    moves: list[int] = []

    def playout(leaf: Node) -> float:
        draw, state = random.Random(5) if seeded else search.random, leaf.state
        moves.clear()
        while (outcome := rules.outcome(state)) is None:
            moves.append(draw.choice(rules.moves(state)))
            state = rules.play(state, moves[-1])
        return float(outcome)

    search.evaluate = playout  # type: ignore[method-assign]
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move",
        to_move="player", outcome="outcome",
    ) as rec:  # fmt: skip
        for _ in range(1_000):
            search.step()
            rec.iteration(rollout=moves)
    severities = [one.severity for one in found(rec.trace, "simulation-repeats")]
    assert severities == (["warning"] if seeded else [])


class Judge:
    """Plans of five steps each; what a plan is worth goes by all its steps, or by the last one."""

    words = ("read", "edit", "test", "log", "ask", "stop")

    def __init__(self, by_last_step: bool) -> None:
        self.by_last_step, self.random, self.root = by_last_step, random.Random(3), Plan([], None)

    def step(self) -> None:
        node = self.root
        while node.children:
            unvisited = [child for child in node.children if not child.N]
            node = unvisited[0] if unvisited else max(node.children, key=self.score)
        if node.N and len(node.steps) < 5:
            steps = self.random.sample(self.words, 3)
            node.children = [Plan([*node.steps, step], node) for step in steps]
            node = node.children[0]
        told = node.steps[-1:] if self.by_last_step else node.steps
        value = self.worth("/".join(told))
        node.first = node.first or value
        at: Plan | None = node
        while at is not None:
            at.N, at.W, at = at.N + 1, at.W + value, at.parent

    def worth(self, text: str) -> float:
        return zlib.crc32(text.encode()) % 1_000 / 1_000

    def score(self, child: Plan) -> float:
        assert child.parent is not None
        return child.W / child.N + float(child.parent.N**0.5) / (1 + child.N)


class Plan:
    def __init__(self, steps: list[str], parent: Plan | None) -> None:
        self.steps, self.parent, self.move = steps, parent, steps[-1] if steps else None
        self.children: list[Plan] = []
        self.N, self.W, self.first = 0, 0.0, 0.0


class Words(Judge):
    """Three steps alone, and few marks."""

    words = ("read", "edit", "test")

    def worth(self, text: str) -> float:
        return zlib.crc32(text.encode()) % 5 / 4


@pytest.mark.parametrize("kind", [Judge, Words])
@pytest.mark.parametrize("by_last_step", [True, False])
def test_what_goes_by_the_last_step_alone_is_a_note(by_last_step: bool, kind: type[Judge]) -> None:
    judge = kind(by_last_step)
    told: dict[str, Any] = {"players": ("agent",), "value_range": (0, 1), "action": "move"}
    with mv.record(root=judge.root, children="children", visits="N", value="W", **told) as rec:
        for _ in rec.steps(judge.step, 500):
            pass
    notes = found(rec.trace, "simulation-last-move")
    assert [one.severity for one in notes] == (["note"] if by_last_step else [])
    assert not by_last_step or "by its last move alone" in notes[0].message
    assert not by_last_step or "a table (a cache) by the last move" in notes[0].message


class Several(Search):
    """The mean of eight simulations, all of one seed or not."""

    seeded = False

    def evaluate(self, leaf: Node) -> float:
        results = []
        for _ in range(8):
            if self.seeded:
                self.random = random.Random(5)
            results.append(super().evaluate(leaf))
        return sum(results) / len(results)


@pytest.mark.parametrize("seeded", [True, False])
def test_a_mean_of_simulations_that_all_end_alike_is_a_warning(seeded: bool) -> None:
    search = Several(Rules("connect_four", [3, 2]), 1)
    search.seeded = seeded
    policies = {"simulation": {"name": "random", "rollouts": 8}}
    notes = found(watched(search, 400, policies=policies, **BLIND), "simulation-repeats")
    assert [one.severity for one in notes] == (["warning"] if seeded else [])


@pytest.mark.parametrize(
    ("of_cut", "words"),
    [("win", "those of rollouts that are cut off"), ("draw", "count as draws"), (None, "")],
)
def test_wins_of_one_player_that_are_none_are_a_note(of_cut: str | None, words: str) -> None:
    """Rollouts that are cut off are a win of player 0; or wins of player 0 count as draws."""

    class Odd(Search):
        def evaluate(self, leaf: Node) -> float:
            outcome = super().evaluate(leaf)
            if of_cut == "win":
                return outcome if leaf.outcome is not None or self.random.random() < 0.1 else 1.0
            return 0.0 if of_cut == "draw" and outcome == 1 else outcome

    trace = watched(Odd(Rules("connect_four", []), 1), 600, **BLIND)
    notes = found(trace, "simulation-constant")
    assert [words in one.message for one in notes] == ([True] if of_cut else [])


class Place:
    """Two players by turns go a step or throw a die; who comes to the end first has won."""

    def __init__(self, at: tuple[int, int], mover: int, rolls: bool, move: str) -> None:
        self.at, self.mover, self.rolls, self.move = at, mover, rolls, move
        self.children: list[Place] = []
        self.N, self.W = 0, 0.0  # view of the first player
        self.to_move = None if rolls else mover
        self.outcome = None if max(at) < 8 else 1.0 if at[0] >= 8 else -1.0

    def moved(self, steps: int) -> Place:
        at = list(self.at)
        at[self.mover] += steps
        return Place((at[0], at[1]), 1 - self.mover, False, str(steps))

    def events(self) -> list[Place]:
        return [self.moved(steps) for steps in (0, 1, 2, 3)]

    def moves(self) -> list[Place]:
        return [self.moved(1), Place(self.at, self.mover, True, "throw")]


class Race:
    """A leaf gets children at its fourth visit."""

    def __init__(self, evaluates: str) -> None:
        self.evaluates, self.random, self.root = (
            evaluates,
            random.Random(1),
            Place((0, 0), 0, False, ""),
        )

    def step(self) -> None:
        path = [self.root]
        while path[-1].outcome is None:
            node = path[-1]
            if not node.children:
                if node.N < 4:
                    break
                node.children = node.events() if node.rolls else node.moves()
            path.append(self.random.choice(node.children) if node.rolls else self.chosen(node))
        value = self.value(path[-1])
        for node in path:
            node.N, node.W = node.N + 1, node.W + value

    def chosen(self, node: Place) -> Place:
        new = [child for child in node.children if not child.N]
        sign = 1 - 2 * node.mover
        return new[0] if new else max(
            node.children, key=lambda child: sign * child.W / child.N + (math.log(node.N) / child.N) ** 0.5
        )  # fmt: skip

    def value(self, leaf: Place) -> float:
        if leaf.outcome is None and self.evaluates == "who is ahead":
            return (leaf.at[0] - leaf.at[1]) % 3 / 2 - 0.75
        draw = random.Random(5) if self.evaluates == "seeded" else self.random
        while leaf.outcome is None:
            leaf = draw.choice(leaf.events() if leaf.rolls else leaf.moves())
        return leaf.outcome


@pytest.mark.parametrize(
    ("evaluates", "severities"),
    [("seeded", ["warning"]), ("at random", []), ("who is ahead", ["note"])],
)
def test_where_chance_decides_results_that_never_vary_are_a_warning(
    evaluates: str, severities: list[str]
) -> None:
    race = Race(evaluates)
    told: dict[str, Any] = {"action": "move", "to_move": "to_move", "chance": "rolls"}
    told |= {"outcome": "outcome", "value_view": "player0", "players": ("one", "two")}
    with mv.record(root=race.root, children="children", visits="N", value="W", **told) as rec:
        for _ in rec.steps(race.step, 2_000):
            pass
    findings = found(rec.trace, "simulation-repeats")
    assert [one.severity for one in findings] == severities
    assert evaluates != "seeded" or "events of chance" in findings[0].message
