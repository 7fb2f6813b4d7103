"""What the referee says of a trace's positions and rollouts, for a sample of them: rules are asked in
Python, one position at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.referee import Referee
from mcts_viz.analysis.health.stretch import Ints

MOST_NODES = 3_000  # positions looked at, evenly spread
MOST_ROLLOUTS = 1_500
NEXT_ROLLOUT = -1  # between two rollouts of one leaf


class Position(NamedTuple):
    """What the rules say of a node."""

    node: int
    illegal: int | None  # node of the first illegal move on the way; the rest then says nothing
    legal: list[int]
    to_move: int
    outcome: float | None


class Rollout(NamedTuple):
    """What the rules say of the simulation of an iteration."""

    iteration: int
    illegal: int | None  # the first illegal action
    unfinished: bool  # the game goes on after the last move
    outcome: float | None  # mean of its rollouts, view of player 0
    firsts: list[tuple[int, int]]  # of each rollout: place of its first move among n legal ones


def sample(ids: Ints | range, at_most: int) -> list[int]:
    """Some of them, evenly spread, the first and the last included."""
    if len(ids) <= at_most:
        return [int(i) for i in ids]
    places = np.unique(np.linspace(0, len(ids) - 1, at_most).astype(np.int64))
    return [int(ids[place]) for place in places.tolist()]


def positions(course: Course, nodes: Iterable[int]) -> list[Position]:
    """The rules' word on nodes."""
    referee = course.referee
    assert referee is not None
    return [position(course, referee, node)[0] for node in nodes]


def position(course: Course, referee: Referee, node: int) -> tuple[Position, Any]:
    """The rules' word on a node, and the state they reach there, which is the caller's own."""
    state = referee.start()
    for step in course.trace.topology.path(node)[1:]:
        action = int(course.action[step])
        if action not in _legal(course, int(course.parent[step]), referee, state):
            return Position(node, step, [], -1, None), state
        state = referee.play(state, action)
    legal = _legal(course, node, referee, state)
    return Position(node, None, legal, referee.to_move(state), referee.outcome(state)), state


def _legal(course: Course, node: int, referee: Referee, state: Any) -> list[int]:
    """Legal actions; at the root those that the search was allowed."""
    legal = list(referee.legal_actions(state))
    allowed = course.meta.get("root_actions")
    return legal if node != 0 or allowed is None else [each for each in legal if each in allowed]


def rollouts(course: Course, iterations: Iterable[int]) -> list[Rollout]:
    """The rules' word on simulations whose leaf can be reached."""
    referee = course.referee
    columns = course.trace.columns
    assert referee is not None
    assert columns.rollout_offset is not None
    assert columns.rollout_action is not None
    told = []
    for t in iterations:
        place, state = position(course, referee, int(course.leaf[t - 1]))
        if place.illegal is not None:
            continue
        rows = slice(int(columns.rollout_offset[t - 1]), int(columns.rollout_offset[t]))
        moves = columns.rollout_action[rows].tolist()
        told.append(_rollout(referee, t, state, moves))
    return told


def _rollout(referee: Referee, t: int, leaf: Any, moves: list[int]) -> Rollout:
    parts: list[list[int]] = [[]]
    for move in moves:
        if move == NEXT_ROLLOUT:
            parts.append([])
        else:
            parts[-1].append(move)
    outcomes: list[float] = []
    firsts: list[tuple[int, int]] = []
    unfinished = False
    for part in parts:
        state = referee.copy(leaf)
        for i, move in enumerate(part):
            legal = list(referee.legal_actions(state))
            if move not in legal:
                return Rollout(t, move, False, None, firsts)
            if i == 0:
                firsts.append((legal.index(move), len(legal)))
            state = referee.play(state, move)
        outcome = referee.outcome(state)
        if outcome is None:
            unfinished = True
        else:
            outcomes.append(outcome)
    mean = None if unfinished else float(np.mean(outcomes))
    return Rollout(t, None, unfinished, mean, firsts)
