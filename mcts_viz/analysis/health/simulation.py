"""Whether the simulation's result is one that the game can have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.replays import (
    MOST_ROLLOUTS,
    Rollout,
    positions,
    rollouts,
    sample,
)
from mcts_viz.analysis.health.sightings import Sightings
from mcts_viz.analysis.health.stretch import Floats, Ints, Stretch

FEW = 8  # rollouts that say too little about chance
SAME = 0.98


class KnownResults:
    """Outcome of each iteration, view of player 0, as far as it is known: recorded, or that of the
    finished game at the leaf; where there is neither, the referee is asked about some leaves."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._asked: Outcomes | None = None
        if course.referee is not None and not self._recorded():
            self._asked = Outcomes(course)

    def _recorded(self) -> bool:
        return any(
            not np.isnan(self._known(rows)).all()
            for rows in self._course.blocks(self._course.base, self._course.T)
        )

    def _known(self, rows: slice) -> Floats:
        result = self._course.trace.columns.result[rows].astype(np.float64)
        end = self._course.outcome[self._course.leaf[rows]]
        return np.asarray(np.where(np.isnan(result), end, result))

    def during(self, part: Stretch) -> Floats:
        """[n] those of the stretch; nan where not known."""
        if self._asked is not None:
            return self._asked.at(part.leaf)
        return self._known(slice(part.first - 1, part.last))


class Outcomes:
    """What the rules say of leaves where the game is over, for a sample of them."""

    def __init__(self, course: Course) -> None:
        was_leaf = np.zeros(course.N, np.bool_)
        was_leaf[course.leaf[course.base :]] = True
        told = positions(course, sample(np.flatnonzero(was_leaf), MOST_ROLLOUTS))
        over = [(place.node, place.outcome) for place in told if place.outcome is not None]
        self._node = np.array([node for node, _ in over], np.int64)  # ascending
        self._outcome = np.array([outcome for _, outcome in over], np.float64)

    def at(self, nodes: Ints) -> Floats:
        """View of player 0; nan where the game goes on, or nobody was asked."""
        if not len(self._node):
            return np.full(len(nodes), np.nan)
        place = np.minimum(np.searchsorted(self._node, nodes), len(self._node) - 1)
        return np.where(self._node[place] == nodes, self._outcome[place], np.nan)


def check_simulation(course: Course) -> Iterator[Finding]:
    """Findings about simulations."""
    yield from _finished_games(course)
    columns = course.trace.columns
    if course.referee is None or columns.rollout_offset is None or columns.rollout_action is None:
        return
    if not len(columns.rollout_action) or course.policy("simulation").get("name") == "value":
        return
    iterations = sample(range(course.base + 1, course.T + 1), MOST_ROLLOUTS)
    told = rollouts(course, iterations)
    yield from _illegal(course, told)
    yield from _results(course, told)
    yield from _repeated(told)


def _finished_games(course: Course) -> Iterator[Finding]:
    """Leaves where the game is over: there is one result."""
    result = course.trace.columns.result
    ends = None if _ends_recorded(course) or np.isnan(result).all() else _asked(course)
    seen, given, due = Sightings(), 0.0, 0.0
    for rows in course.blocks(course.base, course.T):
        leaf, outcome = course.leaf[rows].astype(np.int64), result[rows].astype(np.float64)
        end = course.outcome[leaf].astype(np.float64) if ends is None else ends.at(leaf)
        bad = np.abs(outcome - end) > 1e-6
        if bad.any() and not seen.times:
            given, due = float(outcome[bad][0]), float(end[bad][0])
        seen.add(bad, np.arange(rows.start, rows.stop) + 1, leaf)
    t, node, times = seen
    if times:
        yield found(
            "simulation-terminal", t, node,
            f"the game is over at node {node:,} with {due:g}, and iteration {t:,} gives it the "
            f"outcome {given:g} (view of player 0); so it is in {times:,} iterations",
            times=times,
        )  # fmt: skip


def _ends_recorded(course: Course) -> bool:
    return any(
        not np.isnan(course.outcome[course.leaf[rows]]).all() for rows in course.blocks(0, course.T)
    )


def _asked(course: Course) -> Outcomes | None:
    return None if course.referee is None else Outcomes(course)


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
