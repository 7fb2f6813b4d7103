"""What the rules say of recorded rollouts, for a sample of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.games.position import StartPosition
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.types import Bools, Ints

MOST_NODES = 3_000  # positions looked at, evenly spread
MOST_ROLLOUTS = 1_500
NEXT_ROLLOUT = -1  # between two rollouts of one leaf


class ReplayedRollout(NamedTuple):
    """What the rules say of the simulation of an iteration."""

    iteration: int
    illegal: int | None  # the first illegal action
    after_end: bool  # it comes where the game is over already
    unfinished: bool  # the game goes on after the last move
    # mean of its rollouts, view of player 0; of one that goes on after its end what it came to there
    outcome: float | None
    firsts: list[tuple[int, int]]  # of each rollout: place of its first move among n legal ones
    later: list[tuple[int, int]]  # the same of all its other moves


def sample(ids: Ints | range, at_most: int) -> list[int]:
    """Some of them, evenly spread, the first and the last included."""
    if len(ids) <= at_most:
        return [int(i) for i in ids]
    places = np.unique(np.linspace(0, len(ids) - 1, at_most).astype(np.int64))
    return [int(ids[place]) for place in places.tolist()]


def sample_where(
    search: CheckedSearch, mask: Callable[[slice], Bools], at_most: int
) -> tuple[int, list[int]]:
    """How many iterations the mask takes, and some of them, counted from 0 and evenly spread; it is asked of some at a
    time."""
    blocks = [
        (rows, int(mask(rows).sum())) for rows in search.blocks(search.base, search.T)
    ]  # fmt: skip
    total = sum(n for _, n in blocks)
    wanted, found, before = np.array(sample(range(total), at_most), np.int64), [], 0
    for rows, n in blocks:
        here = wanted[(wanted >= before) & (wanted < before + n)] - before
        if len(here):
            found += (rows.start + np.flatnonzero(mask(rows))[here]).tolist()
        before += n
    return total, found


def rollouts(
    search: CheckedSearch,
    iterations: Iterable[int],
    begin: Callable[[int], int] = lambda leaf: leaf,
) -> list[ReplayedRollout]:
    """The rules' word on simulations whose leaf can be reached. begin: the node from whose position they are played."""
    rules = search.rules
    played = search.trace.columns.rollout
    assert rules is not None
    told = []
    for t in iterations:
        place = search.positions[begin(int(search.leaf[t - 1]))]
        if place.illegal is not None:
            continue
        moves = played.action[int(played.offset[t - 1]) : int(played.offset[t])].tolist()
        told.append(_rollout(rules, t, place.state, moves))
    return told


def _rollout(rules: StartPosition, t: int, leaf: Any, moves: list[int]) -> ReplayedRollout:
    parts: list[list[int]] = [[]]
    for move in moves:
        if move == NEXT_ROLLOUT:
            parts.append([])
        else:
            parts[-1].append(move)
    outcomes: list[float] = []
    firsts: list[tuple[int, int]] = []
    later: list[tuple[int, int]] = []
    unfinished = False
    for part in parts:
        state = rules.copy(leaf)
        for i, move in enumerate(part):
            legal = list(rules.legal_actions(state))
            if move not in legal:
                end = rules.outcome(state)
                return ReplayedRollout(t, move, end is not None, False, end, firsts, later)
            (later if i else firsts).append((legal.index(move), len(legal)))
            state = rules.play(state, move)
        outcome = rules.outcome(state)
        if outcome is None:
            unfinished = True
        else:
            outcomes.append(outcome)
    mean = None if unfinished else float(np.mean(outcomes))
    return ReplayedRollout(t, None, False, unfinished, mean, firsts, later)
