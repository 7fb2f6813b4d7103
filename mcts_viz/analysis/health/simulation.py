"""Whether the simulation's result is one that the game can have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course, Floats
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.replays import (
    MOST_ROLLOUTS,
    Position,
    Rollout,
    positions,
    rollouts,
    sample,
)

FEW = 8  # rollouts that say too little about chance
SAME = 0.98


def known_results(course: Course) -> Floats:
    """[T + 1] outcome of each iteration, view of player 0, as far as it is known: recorded, or that of
    the finished game at the leaf."""
    results = np.full(course.T + 1, np.nan)
    results[1:] = course.trace.columns.result
    results[: course.base + 1] = np.nan
    end = course.outcome[course.leaf]
    missing = np.isnan(results[1:]) & ~np.isnan(end)
    missing[: course.base] = False
    results[1:][missing] = end[missing]
    if np.isnan(results[course.base + 1 :]).all() and course.referee is not None:
        leaves = sample(np.unique(course.leaf[course.base :]), MOST_ROLLOUTS)
        truth = np.full(course.N, np.nan)
        for place in positions(course, leaves):
            if place.outcome is not None:
                truth[place.node] = place.outcome
        results[1 + course.base :] = truth[course.leaf[course.base :]]
    return results


def check_simulation(course: Course) -> Iterator[Finding]:
    """Findings about simulations."""
    yield from _finished_games(course)
    columns = course.trace.columns
    if course.referee is None or columns.rollout_offset is None or columns.rollout_action is None:
        return
    if not len(columns.rollout_action) or course.policy("simulation").get("name") == "value":
        return
    iterations = sample(np.arange(course.base + 1, course.T + 1), MOST_ROLLOUTS)
    told = rollouts(course, iterations)
    yield from _illegal(course, told)
    yield from _results(course, told)
    yield from _repeated(told)


def _finished_games(course: Course) -> Iterator[Finding]:
    """Leaves where the game is over: there is one result."""
    result = course.trace.columns.result.astype(np.float64)
    end = course.outcome[course.leaf]
    if np.isnan(end).all() and course.referee is not None and not np.isnan(result).all():
        end = end.copy()
        truth = {p.node: p for p in _leaves(course) if p.outcome is not None}
        for i, leaf in enumerate(course.leaf.tolist()):
            if leaf in truth:
                end[i] = truth[leaf].outcome
    bad = np.flatnonzero(np.abs(result - end) > 1e-6)
    bad = bad[bad >= course.base]
    if len(bad):
        t, node = int(bad[0]) + 1, int(course.leaf[bad[0]])
        yield found(
            "simulation-terminal", t, node,
            f"the game is over at node {node:,} with {end[bad[0]]:g}, and iteration {t:,} gives it the "
            f"outcome {result[bad[0]]:g} (view of player 0); so it is in {len(bad):,} iterations",
            times=len(bad),
        )  # fmt: skip


def _leaves(course: Course) -> list[Position]:
    return positions(course, sample(np.unique(course.leaf[course.base :]), MOST_ROLLOUTS))


def _illegal(course: Course, told: list[Rollout]) -> Iterator[Finding]:
    bad = [one for one in told if one.illegal is not None]
    if bad:
        t, move = bad[0].iteration, bad[0].illegal
        yield found(
            "simulation-illegal", t, int(course.leaf[t - 1]),
            f"the rollout of iteration {t:,} plays {course.trace.action_name(move or 0)}, which is not "
            f"legal then; so do {len(bad):,} of {len(told):,} rollouts looked at",
            times=len(bad), looked_at=len(told),
        )  # fmt: skip


def _results(course: Course, told: list[Rollout]) -> Iterator[Finding]:
    result = course.trace.columns.result
    whole = [one for one in told if one.illegal is None]
    cut = [one for one in whole if one.unfinished]
    if cut:
        t = cut[0].iteration
        yield found(
            "simulation-unfinished", t, int(course.leaf[t - 1]),
            f"the rollout of iteration {t:,} stops before the game is over; so do {len(cut):,} of "
            f"{len(told):,} looked at",
            times=len(cut), looked_at=len(told),
        )  # fmt: skip
    bad = [
        one for one in whole
        if one.outcome is not None and abs(one.outcome - float(result[one.iteration - 1])) > 1e-5
    ]  # fmt: skip
    bad = [one for one in bad if one.firsts]  # else the game is over at the leaf
    if bad:
        t = bad[0].iteration
        yield found(
            "simulation-outcome", t, int(course.leaf[t - 1]),
            f"the rollout of iteration {t:,} ends with {bad[0].outcome:g} by the rules, and "
            f"{float(result[t - 1]):g} is recorded (view of player 0); so it is with {len(bad):,} of "
            f"{len(told):,} looked at",
            times=len(bad), looked_at=len(told),
        )  # fmt: skip


def _repeated(told: list[Rollout]) -> Iterator[Finding]:
    """Rollouts that always begin with the same one of n legal moves."""
    places: dict[int, list[int]] = defaultdict(list)
    for one in told:
        for place, n in one.firsts:
            if n > 1:
                places[n].append(place)
    enough = [group for group in places.values() if len(group) >= FEW]
    total = sum(map(len, enough))
    same = sum(max(group.count(place) for place in set(group)) for group in enough)
    if total >= 3 * FEW and same >= SAME * total:
        yield found(
            "simulation-repeats", None, None,
            f"{same:,} of {total:,} rollouts begin with the same one of the legal moves, whatever the "
            "position: they are not random",
            times=same, of=total,
        )  # fmt: skip
