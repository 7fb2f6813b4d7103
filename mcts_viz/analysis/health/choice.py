"""Whether the move played follows from the tree, and the tree from the one before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import STRETCH_ROWS, Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.stretch import Ints

STARVED = 0.1  # of an even share of the visits
LATE = 20  # visits of the root for each of its children


def check_choice(course: Course, played: int | None = None) -> Iterator[Finding]:
    """Findings about the root's children, an inherited tree, and the action played, if it is told."""
    yield from _reuse(course)
    yield from _root_moves(course)
    if played is not None:
        yield from _played(course, played)


def _reuse(course: Course) -> Iterator[Finding]:
    """Own evaluations of a node, its visits less those of its children, are one or two: more of them
    in an inherited tree are visits whose nodes were lost."""
    begun = course.base == 1 and course.meta.get("kind") != "snapshot"
    if not begun and not course.meta.get("inherited"):
        return
    n = int(course.trace.columns.node_count[course.base])
    visits = course.statistics_after(course.base).visits
    doubled, lost, lost_more = [0, -1, 0], [0, -1, 0], False  # how many, the first, its children's
    for parent, of_children in _of_children(course, visits, n):
        own = visits[parent] - of_children
        few = own < 0
        many = own > 2 + 0.02 * visits[parent]
        for told, mask in ((doubled, few), (lost, many)):
            if mask.any() and not told[0]:
                told[1:] = int(parent[np.argmax(mask)]), int(of_children[np.argmax(mask)])
            told[0] += int(mask.sum())
        lost_more |= bool((own[many] > 5).any())
    for check, (nodes, node, below), due, only in (
        ("reuse-doubled", doubled, True, ""),
        ("reuse-lost", lost, lost_more, "only "),
    ):
        if nodes and due:
            yield found(
                check, course.base, node,
                f"the inherited node {node:,} has {int(visits[node]):,} visits, its children together "
                f"{only}{below:,}; so it is with {nodes:,} nodes",
                nodes=nodes,
            )  # fmt: skip


def _of_children(course: Course, visits: Ints, n_nodes: int) -> Iterator[tuple[Ints, Ints]]:
    """(parents, visits of their children together) among the first nodes, part by part; the root is
    there even without children."""
    if n_nodes == 1:
        yield np.zeros(1, np.int64), np.zeros(1, np.int64)
    for parent, first, children in course.families.parts(STRETCH_ROWS):
        there = children < n_nodes
        inherited = np.add.reduceat(there.astype(np.int64), first) > 0
        total = np.add.reduceat(np.where(there, visits[children], 0), first)
        yield parent[inherited], total[inherited]


def _root_moves(course: Course) -> Iterator[Finding]:
    visits = course.statistics_after(course.T).visits
    children = np.flatnonzero(course.parent == 0)
    k = len(children)
    if k < 2 or visits[0] < LATE * k:
        return
    never = children[visits[children] == 0]
    starved = children[(visits[children] < STARVED * visits[0] / k) & (visits[children] > 0)]
    for check, nodes, word in (
        ("choice-never-visited", never, "were never visited"),
        ("choice-starved", starved, f"have less than {STARVED:.0%} of an even share of visits"),
    ):
        if len(nodes):
            yield found(
                check, None, int(nodes[0]),
                f"after {int(visits[0]):,} visits {len(nodes)} of {k} moves at the root {word}",
                nodes=nodes.tolist(),
            )  # fmt: skip


def _played(course: Course, played: int) -> Iterator[Finding]:
    last = course.trace.at(course.T)
    best = last.best_action
    if best is not None and played != best:
        name = course.trace.action_name
        yield found(
            "choice-final-move", course.T, None,
            f"{name(played)} was played, and the rule {last.final_move} gives {name(best)}",
            played=played, rule=last.final_move, due=best,
        )  # fmt: skip
