"""Whether the node that an iteration expands is the best of the whole tree, and not what the best child of each level
leads to: scores of nodes below different parents are then compared with each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.selection.fit import Bounds, most_overlap
from mcts_viz.health.selection.scores import logs
from mcts_viz.types import Bools, Floats, Ints

FEW = 30  # iterations in which several nodes are compared
MOST_ROWS = 400_000  # nodes compared, of the first iterations
NEARLY_ALL = 0.995  # iterations; the others have equal scores that were rounded
ALL_NODES = "of all nodes of the tree"
LEAVES = "of all nodes of the tree that have no children"


class BestOfTree(NamedTuple):
    """What explains the nodes that are expanded, with these c."""

    rule: str
    among: str
    low: float
    high: float
    n: int  # iterations it explains
    of: int


class _Compared(NamedTuple):
    """Some iterations with all nodes but the root that there were before each, R of them."""

    of: Ints  # [R] which iteration
    first: Ints  # where those of each begin
    expanded: Ints  # row of the node that is expanded
    is_leaf: Bools  # [R]
    mean: Floats  # [R] view of the player who moved into it
    ucb1: Floats  # [R] exploration terms
    puct: Floats  # [R] nan: no prior
    waits: Bools  # [R] without visits


def best_of_tree(search: CheckedSearch, c: float | None) -> BestOfTree | None:
    """The first rule and set of nodes that explain nearly all expansions; None where there is none. c: as declared."""
    has_rewards = search.has_rewards or search.meta.step_rewards  # told or not
    if has_rewards or search.meta.shared or search.is_pruned:
        return None
    compared = _compared(search)
    if compared is None:
        return None
    for words, width in (("UCB1", compared.ucb1), ("PUCT", compared.puct)):
        if np.isnan(width).any():
            continue
        by_visits = words == "UCB1"  # which takes what has no visits first, whichever it is
        for among, which in (
            (ALL_NODES, np.ones(len(width), np.bool_)),
            (LEAVES, compared.is_leaf),
        ):
            told = _told(compared, which, by_visits)
            n = int(told.sum())
            if n < FEW:
                continue
            bounds = _bounds(search, compared, width, which, by_visits)
            low, high, explained = most_overlap(Bounds(bounds.low[told], bounds.high[told]))
            declared = c is None or low * 0.99 <= c <= high * 1.01
            if explained >= NEARLY_ALL * n and declared:
                return BestOfTree(words, among, low, high, explained, n)
    return None


def _told(rows: _Compared, among: Bools, by_visits: bool) -> Bools:
    """[K] iterations that say by what nodes are compared: of several that have visits, with different means."""
    use = among & ~rows.waits if by_visits else among
    least = np.minimum.reduceat(np.where(use, rows.mean, np.inf), rows.first)
    most = np.maximum.reduceat(np.where(use, rows.mean, -np.inf), rows.first)
    return np.asarray((most > least) & ~(by_visits & rows.waits[rows.expanded]))


def _compared(search: CheckedSearch) -> _Compared | None:
    """None where too few iterations expand a node below the root."""
    parts, rows, choices = [], 0, 0
    for part in search.ranges():
        iteration, node = _expanded(search, part)
        before = part.node_count(iteration)
        use = np.cumsum(before) <= MOST_ROWS - rows
        iteration, node, before = iteration[use], node[use], before[use]
        if not len(iteration):
            break
        one = _of_part(search, part, iteration, node, before - 1)
        parts.append(
            one._replace(of=one.of + choices, first=one.first + rows, expanded=one.expanded + rows)
        )
        rows, choices = rows + len(one.of), choices + len(one.first)
        if not use.all():
            break
    return _Compared(*map(np.concatenate, zip(*parts))) if choices >= FEW else None


def _expanded(search: CheckedSearch, part: IterationRange) -> tuple[Ints, Ints]:
    """Iterations that give children to a node below the root which was there before, and that node."""
    iteration = np.arange(part.first, part.last + 1)
    before = part.node_count(iteration)
    iteration = iteration[part.node_count(iteration + 1) > before]
    node = search.parent[part.node_count(iteration)].astype(np.int64)
    below = node > 0
    return iteration[below], node[below]


def _of_part(
    search: CheckedSearch, part: IterationRange, iteration: Ints, expanded: Ints, k: Ints
) -> _Compared:
    """k: how many nodes but the root there were before each iteration."""
    first = np.cumsum(k) - k
    of = np.repeat(np.arange(len(k)), k)
    node = np.arange(int(k.sum())) - first[of] + 1
    at = iteration[of]
    visits, total, *_ = part.before(node, at)
    above = part.before(search.parent[node].astype(np.int64), at).visits
    n = np.maximum(visits, 1)
    prior = search.trace.columns.nodes.prior[node].astype(np.float64)
    is_leaf = search.families.count(node, k[of] + 1) == 0
    return _Compared(
        of, first, first + expanded - 1, is_leaf, np.where(visits > 0, total / n, 0.0), np.sqrt(logs(above) / n),
        prior * np.sqrt(np.maximum(above, 0)) / (1.0 + visits), visits == 0,
    )  # fmt: skip


def _bounds(
    search: CheckedSearch, rows: _Compared, width: Floats, among: Bools, by_visits: bool
) -> Bounds:
    """The c for which the node that is expanded is the best of those among which it is."""
    taken = rows.expanded[rows.of]
    gain, more = rows.mean[taken] - rows.mean, width[taken] - width
    slack = 10 * search.tolerance + 1e-9 * np.abs(rows.mean)
    flat = np.abs(more) <= 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        bound, room = -gain / more, np.abs(slack / more)
    low = np.where(among & ~flat & (more > 0), bound - room, 0.0)
    high = np.where(among & ~flat & (more < 0), bound + room, np.inf)
    lost = among & flat & (gain < -slack)
    if by_visits:
        lost |= among & rows.waits & ~rows.waits[taken]
    lows = np.maximum(np.maximum.reduceat(low, rows.first), 0.0)
    highs = np.minimum.reduceat(high, rows.first)
    fits = among[rows.expanded] & (np.bincount(rows.of[lost], minlength=len(rows.first)) == 0)
    return Bounds(np.where(fits, lows, np.inf), np.where(fits, highs, -np.inf))
