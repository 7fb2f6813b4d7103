"""Moves of rollouts as they are told, where no rules are known: all beginnings of one sequence, or none any more."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv

LENGTH, MOVES = 7, 4
BEST = (2, 0, 3, 1, 1, 0, 2)


@dataclass
class Node:
    line: tuple[int, ...] = ()
    kids: dict[int, Node] = field(default_factory=dict)
    n: int = 0
    w: float = 0.0


class Lines:
    """One player fills a line of moves, as near to the best one as can be."""

    def __init__(self, seed: int) -> None:
        self.random, self.seed, self.root = random.Random(seed), seed, Node()

    def step(self) -> tuple[float, list[int]]:
        path = [self.root]
        while len(path[-1].line) < LENGTH:
            node = path[-1]
            untried = [move for move in range(MOVES) if move not in node.kids]
            if untried:
                move = self.random.choice(untried)
                node.kids[move] = Node((*node.line, move))
                path.append(node.kids[move])
                break
            log = math.log(node.n)
            path.append(
                max(node.kids.values(), key=lambda kid: kid.w / kid.n + math.sqrt(log / kid.n))
            )
        moves = self.rollout(len(path[-1].line))
        line = (*path[-1].line, *moves)
        value = sum(a == b for a, b in zip(line, BEST)) / LENGTH
        for node in path:
            node.n += 1
            node.w += value
        return value, moves

    def rollout(self, begun: int) -> list[int]:
        return [self.random.randrange(MOVES) for _ in range(begun, LENGTH)]


class SeededAnew(Lines):
    def rollout(self, begun: int) -> list[int]:
        generator = random.Random(self.seed)
        return [generator.randrange(MOVES) for _ in range(begun, LENGTH)]


class ByPlan(Lines):
    """Right: the rest of a plan, whose moves depend on how far the line is."""

    def rollout(self, begun: int) -> list[int]:
        return [1, 3, 0, 2, 2, 1, 0][begun:]


class Waits(Lines):
    """Right: a default policy that always does the same."""

    def rollout(self, begun: int) -> list[int]:
        return [0] * (LENGTH - begun)


class NeverSetBack(Lines):
    """The limit of a rollout's moves is reached once for all."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.depth = 0

    def rollout(self, begun: int) -> list[int]:
        moves = []
        while begun + len(moves) < LENGTH and self.depth < 3 * LENGTH:
            moves.append(self.random.randrange(MOVES))
            self.depth += 1
        return moves


def found(kind: type[Lines]) -> dict[str, mv.Finding]:
    search = kind(1)
    with mv.record(
        root=search.root, children="kids", visits="n", value="w", players=("me",), value_range=(0, 1),
        reward_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in range(600):
            value, moves = search.step()
            rec.iteration(outcome=value, rollout=moves)
    return {one.check: one for one in rec.trace.check()}


def test_rollouts_from_a_generator_that_is_seeded_anew_are_named() -> None:
    one = found(SeededAnew)["simulation-repeats"]
    assert one.severity == "warning"
    assert "are beginnings of one sequence" in one.message


def test_a_limit_of_steps_that_is_never_set_back_is_named() -> None:
    one = found(NeverSetBack)["simulation-unfinished"]
    assert "in something that is not set back to 0" in one.message
    assert "up to iteration 4, 6 at most, and none in the 596 after it" in one.message


@pytest.mark.parametrize("kind", [Lines, ByPlan, Waits])
def test_other_rollouts_are_right(kind: type[Lines]) -> None:
    said = found(kind)
    assert [str(one) for one in said.values() if one.severity != "note"] == []
    assert not {"simulation-repeats", "simulation-unfinished"} & said.keys()
