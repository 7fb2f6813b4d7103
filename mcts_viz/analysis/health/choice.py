"""Whether the move played follows from the tree, and the tree from the one before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.finding import Finding

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
    n = int(course.node_count[course.base])
    visits, _, _ = course.before(np.arange(n), course.base + 1)
    of_children = np.bincount(course.parent[1:n], weights=visits[1:], minlength=n).astype(np.int64)
    has_children = np.bincount(course.parent[1:n], minlength=n) > 0
    own = visits - of_children
    doubled = np.flatnonzero(has_children & (own < 0))
    if len(doubled):
        node = int(doubled[0])
        yield found(
            "reuse-doubled", course.base, node,
            f"the inherited node {node:,} has {int(visits[node]):,} visits, its children together "
            f"{int(of_children[node]):,}; so it is with {len(doubled):,} nodes",
            nodes=len(doubled),
        )  # fmt: skip
    lost = np.flatnonzero((own > 2 + 0.02 * visits) & (has_children | (np.arange(n) == 0)))
    if len(lost) and (own[lost] > 5).any():
        node = int(lost[0])
        yield found(
            "reuse-lost", course.base, node,
            f"the inherited node {node:,} has {int(visits[node]):,} visits, its children together only "
            f"{int(of_children[node]):,}; so it is with {len(lost):,} nodes",
            nodes=len(lost),
        )  # fmt: skip


def _root_moves(course: Course) -> Iterator[Finding]:
    visits, _ = course.final()
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
