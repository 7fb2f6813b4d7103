"""Whether visits are counted as they must be: one for each node of the path, and none elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import STRETCH_ROWS, Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.sightings import Sightings
from mcts_viz.analysis.health.stretch import Bools, Ints, Stretch

FEW_EXPANSIONS = 10  # too few to say how a search expands
BIG = np.iinfo(np.int64).max


class _Check(Protocol):
    """Something that is looked for stretch by stretch."""

    def look(self, part: Stretch) -> None: ...

    def findings(self) -> Iterator[Finding]: ...


def check_visits(course: Course) -> Iterator[Finding]:
    """Findings about visits."""
    checks: list[_Check] = [_Shrinking(), _OffThePath(), _Root(), _Leaf(course), _Uneven()]
    for part in course.stretches():
        for check in checks:
            check.look(part)
    findings = [finding for check in checks for finding in check.findings()]
    yield from findings
    if not findings:
        yield from _children(course)


class _Shrinking:
    def __init__(self) -> None:
        self.seen = Sightings()
        self.lost = 0  # visits, the first time

    def look(self, part: Stretch) -> None:
        updates = part.updates
        bad = updates.visits < 0
        if bad.any() and not self.seen.times:
            self.lost = -int(updates.visits[bad][0])
        self.seen.add(bad, updates.iteration, updates.node)

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        if times:
            yield found(
                "visits-shrink", t, node,
                f"node {node:,} loses {self.lost:,} visits in iteration {t:,}; "
                f"visits fall {times:,} times",
                times=times,
            )  # fmt: skip


class _OffThePath:
    def __init__(self) -> None:
        self.visited, self.changed = Sightings(), Sightings()

    def look(self, part: Stretch) -> None:
        off, updates = part.updates_off_path(), part.updates
        iteration, node, visits = updates.iteration[off], updates.node[off], updates.visits[off]
        self.visited.add(visits > 0, iteration, node)
        self.changed.add(visits == 0, iteration, node)

    def findings(self) -> Iterator[Finding]:
        for check, seen, what in (
            ("visits-off-path", self.visited, "gets a visit"),
            ("value-off-path", self.changed, "changes its value without a visit"),
        ):
            t, node, times = seen
            if times:
                yield found(
                    check, t, node,
                    f"node {node:,} {what} in iteration {t:,}, whose path does not pass it; "
                    f"this happens {times:,} times",
                    times=times,
                )  # fmt: skip


class _Root:
    def __init__(self) -> None:
        self.seen = Sightings()
        self.iterations = 0

    def look(self, part: Stretch) -> None:
        steps = part.steps
        root = steps.node == 0
        self.iterations += int(root.sum())
        self.seen.add(root & (steps.visits == 0), steps.iteration, steps.node)

    def findings(self) -> Iterator[Finding]:
        t, _, times = self.seen
        if times:
            yield found(
                "visits-root", t, 0,
                f"the root is not counted in {times:,} of {self.iterations:,} iterations",
                times=times, iterations=self.iterations,
            )  # fmt: skip


class _Leaf:
    """A search that makes one node an iteration evaluates that node."""

    def __init__(self, course: Course) -> None:
        new = [
            np.diff(course.trace.columns.node_count[rows.start : rows.stop + 1])
            for rows in course.blocks(course.base, course.T)
        ]
        most = max((int(each.max()) for each in new), default=0)
        self.due = most == 1 and sum(int(each.sum()) for each in new) >= FEW_EXPANSIONS
        self.seen = Sightings()

    def look(self, part: Stretch) -> None:
        if not self.due:
            return
        iteration = np.arange(part.first, part.last + 1)
        new = part.node_count(iteration + 1) > part.node_count(iteration)
        iteration = iteration[new]
        node = part.node_count(iteration)
        visits, _, _ = part.before(node, iteration + 1)
        self.due = not visits.any()
        self.seen.add(visits == 0, iteration, node)

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        if self.due:
            yield found(
                "visits-leaf", t, node,
                f"none of the {times:,} new nodes is counted in the iteration that makes it: "
                "backpropagation begins at its parent",
                nodes=times,
            )  # fmt: skip


class _Uneven:
    """Within an iteration every node of the path gets the same number of visits."""

    def __init__(self) -> None:
        self.missing, self.double = Sightings(), Sightings()
        self.steps = 0
        self.leaves = 0  # counted twice
        self.counts = (0, 0)  # of the first node counted twice, and of the others

    def look(self, part: Stretch) -> None:
        steps = part.steps
        at = steps.iteration - part.first
        least = np.full(part.n, BIG)
        counted = steps.visits > 0
        np.minimum.at(least, at[counted], steps.visits[counted])
        known = least[at] < BIG
        missing = (steps.node > 0) & (steps.visits == 0) & known
        self.steps += len(missing)
        self.missing.add(missing, steps.iteration, steps.node)
        double = (steps.visits > least[at]) & known
        if double.any() and not self.double.times:
            self.counts = _first(double, steps.visits), _first(double, least[at])
        self.double.add(double, steps.iteration, steps.node)
        self.leaves += int((double & steps.is_leaf).sum())

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.missing
        if times:
            yield found(
                "visits-missing", t, node,
                f"node {node:,} is on the path of iteration {t:,} and gets no visit; "
                f"this happens at {times:,} of {self.steps:,} steps",
                times=times,
            )  # fmt: skip
        t, node, times = self.double
        if times:
            where = ", always at the leaf" if self.leaves == times else ""
            yield found(
                "visits-double", t, node,
                f"node {node:,} gets {self.counts[0]} visits in iteration {t:,}, others on the "
                f"path {self.counts[1]}; this happens {times:,} times{where}",
                times=times, at_the_leaf=self.leaves,
            )  # fmt: skip


def _first(mask: Bools, column: Ints) -> int:
    return int(column[np.argmax(mask)])


def _children(course: Course) -> Iterator[Finding]:
    if course.meta.get("inherited"):
        return
    visits = course.statistics_after(course.T).visits
    first, nodes, below = 0, 0, 0
    for parent, begin, children in course.families.parts(STRETCH_ROWS):
        of_children = np.add.reduceat(visits[children], begin)
        bad = np.flatnonzero(of_children > visits[parent])
        if len(bad) and not nodes:
            first, below = int(parent[bad[0]]), int(of_children[bad[0]])
        nodes += len(bad)
    if nodes:
        yield found(
            "visits-children", None, first,
            f"node {first:,} has {int(visits[first]):,} visits, its children together "
            f"{below:,}; so it is with {nodes:,} nodes",
            nodes=nodes,
        )  # fmt: skip
