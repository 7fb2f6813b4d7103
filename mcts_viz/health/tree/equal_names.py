"""Whether children with the same move are moves of one name rather than a move that was made twice.

Two equal cards in a hand, or two equal numbers of a puzzle, give two moves of one name. So it is in some positions, and
their lists are made in one go, or move by move, before anything is chosen. Where moves are drawn and not taken off the
list, nearly every node with all its children has some twice: of four draws from four moves nine of ten have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Ints

FEW_CHILDREN = 4
FEW_NODES = 10  # with all their children
MOSTLY = 0.5  # of these: where moves are drawn and not taken off, nine of ten have some twice
LATER = 3  # visits of a node beside those that made its children: by then it has them all
BESIDE = 2  # the same while they are made


class EqualNames(NamedTuple):
    """Nodes that have all their children, and how many of them have some of one name."""

    twice: int
    nodes: int


def equal_names(search: CheckedSearch, twins: Ints) -> EqualNames | None:
    """None where moves were made twice by mistake, or may have been. twins: nodes with an older sibling of the same
    move."""
    visits = search.statistics_after(search.T).visits
    has_twins = np.zeros(search.N, np.bool_)
    has_twins[search.parent[twins]] = True
    nodes = twice = doubled = families = 0
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        ends = np.append(begin[1:], len(children))
        born = search.born[children]
        together = np.minimum.reduceat(born, begin) == np.maximum.reduceat(born, begin)
        size = ends - begin
        whole = (together | (visits[parent] >= size + LATER)) & (size >= FEW_CHILDREN)
        whole &= search.to_move[parent] != CHANCE
        nodes += int(whole.sum())
        twice += int((whole & has_twins[parent]).sum())
        families += int(has_twins[parent].sum())
        doubled += _n_doubled(search.action[children].astype(np.int64), begin)
    seldom = nodes >= FEW_NODES and twice <= MOSTLY * nodes
    if not seldom or 2 * doubled > families or _come_late(search, twins):
        return None
    return EqualNames(twice, nodes)


def _n_doubled(actions: Ints, begin: Ints) -> int:
    """Of how many nodes the whole list of several moves stands there more than once. actions: of the children of one
    node after another, where those of each begin."""
    family = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(actions)))
    order = np.lexsort((actions, family))
    family, actions = family[order], actions[order]
    is_first = (np.diff(family, prepend=-1) != 0) | (np.diff(actions, prepend=-1) != 0)
    move = np.flatnonzero(is_first)
    times, of = np.diff(move, append=len(actions)), family[move]
    first = np.flatnonzero(np.diff(of, prepend=-1))  # of the moves of each node
    least, most = np.minimum.reduceat(times, first), np.maximum.reduceat(times, first)
    return int(((np.diff(first, append=len(of)) > 1) & (least == most) & (least > 1)).sum())


def _come_late(search: CheckedSearch, twins: Ints) -> bool:
    """Whether any was made at a node that had children, and went on below them already."""
    for part in search.ranges():
        born = search.born[twins].astype(np.int64)
        new = (born >= part.first) & (born <= part.last)
        parent, born = search.parent[twins][new].astype(np.int64), born[new]
        older = search.families.count(parent, part.node_count(born))
        before = part.before(parent, born).visits
        if ((older > 0) & (before > older + BESIDE)).any():
            return True
    return False
