"""Whether visits are counted as they must be: one for each node of the path, and none elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.finding import Finding

FEW_EXPANSIONS = 10  # too few to say how a search expands


def check_visits(course: Course) -> Iterator[Finding]:
    """Findings about visits."""
    findings = [
        *_shrinking(course), *_off_the_path(course), *_root(course), *_leaf(course),
        *_uneven(course),
    ]  # fmt: skip
    yield from findings
    if not findings:
        yield from _children(course)


def _shrinking(course: Course) -> Iterator[Finding]:
    bad = np.flatnonzero((course.update_visits < 0) & (course.update_iteration > course.base))
    if len(bad):
        i = bad[0]
        t, node = int(course.update_iteration[i]), int(course.update_node[i])
        yield found(
            "visits-shrink", t, node,
            f"node {node:,} loses {-int(course.update_visits[i]):,} visits in iteration {t:,}; "
            f"visits fall {len(bad):,} times",
            times=len(bad),
        )  # fmt: skip


def _off_the_path(course: Course) -> Iterator[Finding]:
    off = course.updates_off_path()
    for check, bad, what in (
        ("visits-off-path", off[course.update_visits[off] > 0], "gets a visit"),
        ("value-off-path", off[course.update_visits[off] == 0], "changes its value without a visit"),
    ):  # fmt: skip
        if len(bad):
            t, node = int(course.update_iteration[bad[0]]), int(course.update_node[bad[0]])
            yield found(
                check, t, node,
                f"node {node:,} {what} in iteration {t:,}, whose path does not pass it; "
                f"this happens {len(bad):,} times",
                times=len(bad),
            )  # fmt: skip


def _root(course: Course) -> Iterator[Finding]:
    steps = course.steps
    root = steps.node == 0
    missing = root & (steps.visits == 0)
    n, of = int(missing.sum()), int(root.sum())
    if n:
        yield found(
            "visits-root", int(steps.iteration[missing][0]), 0,
            f"the root is not counted in {n:,} of {of:,} iterations",
            times=n, iterations=of,
        )  # fmt: skip


def _leaf(course: Course) -> Iterator[Finding]:
    """A search that makes one node an iteration evaluates that node."""
    new = np.diff(course.node_count)[course.base :]
    if new.max(initial=0) != 1 or int(new.sum()) < FEW_EXPANSIONS:
        return
    iteration = np.flatnonzero(new) + course.base + 1
    node = course.node_count[iteration - 1]
    visits, _, _ = course.before(node, iteration + 1)
    if np.all(visits == 0):
        yield found(
            "visits-leaf", int(iteration[0]), int(node[0]),
            f"none of the {len(node):,} new nodes is counted in the iteration that makes it: "
            "backpropagation begins at its parent",
            nodes=len(node),
        )  # fmt: skip


def _uneven(course: Course) -> Iterator[Finding]:
    """Within an iteration every node of the path gets the same number of visits."""
    steps = course.steps
    inner = steps.node > 0
    least = np.zeros(course.T + 1, np.int64)
    counts = steps.visits.astype(np.int64)
    big = np.iinfo(np.int64).max
    least[:] = big
    np.minimum.at(least, steps.iteration[counts > 0], counts[counts > 0])
    missing = inner & (steps.visits == 0) & (least[steps.iteration] < big)
    if missing.any():
        i = np.flatnonzero(missing)[0]
        t, node = int(steps.iteration[i]), int(steps.node[i])
        yield found(
            "visits-missing", t, node,
            f"node {node:,} is on the path of iteration {t:,} and gets no visit; "
            f"this happens at {int(missing.sum()):,} of {len(missing):,} steps",
            times=int(missing.sum()),
        )  # fmt: skip
    double = (steps.visits > least[steps.iteration]) & (least[steps.iteration] < big)
    if double.any():
        i = np.flatnonzero(double)[0]
        t, node = int(steps.iteration[i]), int(steps.node[i])
        leaves = int((double & steps.is_leaf).sum())
        where = ", always at the leaf" if leaves == int(double.sum()) else ""
        yield found(
            "visits-double", t, node,
            f"node {node:,} gets {int(steps.visits[i])} visits in iteration {t:,}, others on the "
            f"path {int(least[t])}; this happens {int(double.sum()):,} times{where}",
            times=int(double.sum()), at_the_leaf=leaves,
        )  # fmt: skip


def _children(course: Course) -> Iterator[Finding]:
    visits, _ = course.final()
    of_children = np.bincount(
        course.parent[1:], weights=visits[1:].astype(np.float64), minlength=course.N
    ).astype(np.int64)
    bad = np.flatnonzero(of_children > visits)
    if len(bad) and not course.meta.get("inherited"):
        node = int(bad[0])
        yield found(
            "visits-children", None, node,
            f"node {node:,} has {int(visits[node]):,} visits, its children together "
            f"{int(of_children[node]):,}; so it is with {len(bad):,} nodes",
            nodes=len(bad),
        )  # fmt: skip
