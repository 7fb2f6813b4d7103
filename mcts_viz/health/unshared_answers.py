"""Whether simulations ever come to an answer of chance, or of a partly hidden world, that is in the tree already. Where
answers are kept by a number with all its digits, or by an object that equals itself alone, none does: each is visited
once, and the tree never gets deeper than the first answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.particles import PARTICLES
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Ints

MANY_VISITS = (
    100  # of the answers of a node together: 2,000 even answers would come again 2.5 times
)
NEARLY_ALL = 0.98  # of these, that found a new answer


def check_unshared_answers(search: CheckedSearch) -> Iterator[Finding]:
    """At most one: a warning where nodes have particles, of which each answer gets one alone."""
    answered = _are_answered(search)
    if not answered.any():
        return
    visits = search.statistics_after(search.T).visits.astype(np.int64)
    ended = search.ended
    several, fresh, most = list[int](), list[int](), (0, -1)
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        total = np.add.reduceat(visits[children], begin)
        once = np.add.reduceat((visits[children] == 1) & ~ended[children], begin)
        for i in np.flatnonzero(answered[parent] & (total >= MANY_VISITS)).tolist():
            several.append(int(total[i]))
            fresh.append(int(once[i]))
            most = max(most, (int(total[i]), int(parent[i])))
    if not several or sum(fresh) < NEARLY_ALL * sum(several):
        return
    yield _finding(search, several, fresh, most[1])


def _are_answered(search: CheckedSearch) -> Bools:
    """[N] nodes that chance, or the world, answers: known as such, or with no belief between nodes that have one."""
    answered: Bools = search.to_move == CHANCE
    particles = search.trace.columns.numbers(search.T).get(PARTICLES)
    if particles is None:
        return answered
    told = ~np.isnan(particles[: search.N])
    has_told_child = np.zeros(search.N, np.bool_)
    below = np.flatnonzero(told[1:]) + 1
    has_told_child[search.parent[below]] = True
    return answered | (~told & has_told_child)


def _finding(search: CheckedSearch, several: list[int], fresh: list[int], node: int) -> Finding:
    visits: Ints = search.statistics_after(search.T).visits
    depth = int(search.topology.depth[: search.N][visits > 0].max())
    where = "it" if len(several) == 1 else f"all {len(several):,} nodes that so many come to"
    one = found(
        "chance-unshared", None, node,
        f"answers are never shared: {int(visits[node]):,} visits of node {node:,} got "
        f"{len(search.topology.children(node, search.N)):,} different answers, and {sum(fresh):,} of the "
        f"{sum(several):,} visits below {where} went to a node with no other visit. No simulation comes to an answer "
        f"that is there already, and so the tree gets no deeper than the first one (depth {depth:,}). So it is where "
        "answers are kept by an observation or state that is not rounded or put into bins, or by an object that equals "
        "itself alone (no __eq__ and __hash__). Right where answers are continuous and nothing limits their number "
        "(progressive widening), though such a search looks one step ahead",
        visits=sum(several), once=sum(fresh),
    )  # fmt: skip
    particles = search.trace.columns.numbers(search.T).get(PARTICLES)
    return one if particles is not None else one.as_note()
