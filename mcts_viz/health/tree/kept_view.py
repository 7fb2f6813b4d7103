"""Whether the numbers of a tree that is used again are in the view of those that are added to them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.values.of_visits import values_turn
from mcts_viz.types import Floats, Ints

FEW_ENDS, FEW_AGAIN = 3, 6  # nodes, and further visits of theirs
DECIDED = 0.5  # of a result from −1 to 1: draws say nothing


def check_kept_view(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where what a reused tree begins with and what is added to it contradict each other; of games of two."""
    if search.alone or not search.meta.mirrors:
        return
    if search.meta.watched.values_unturned:
        yield found(
            "reuse-view", None, 0,
            "values are told in the view of the player to move at the root (value_view=\"root\"); when a move was "
            "played another player came to be to move there, and the numbers of the tree that was kept stayed what "
            "they were: they are in the view of the player before, and what is added to them in that of the new one. "
            "They have to be turned round, or all to be in the view of one player (value_view=\"player0\")",
        )  # fmt: skip
        return
    n = int(search.trace.columns.node_count[search.base])
    if search.meta.shared or n < 2:
        return
    old, new = search.statistics_after(search.base), search.statistics_after(search.T)
    visits = old.visits[:n].astype(np.int64)
    if not visits[1:].any() or not values_turn(search):
        return
    middle = sum(search.value_range) / 2
    more = new.visits[:n].astype(np.int64) - visits
    kept = old.value_sum[:n] - middle * visits
    added = new.value_sum[:n] - old.value_sum[:n] - middle * more
    finding = _against_results(search, n) or _of_ends(search, visits, more, kept, added)
    if finding is not None:
        yield finding


def _against_results(search: CheckedSearch, n: int) -> Finding | None:
    """By finished games whose results are known: all of the n nodes that were kept are on one side of the middle, seen
    from who moved there, and what is added to any is on the other."""
    old, new = search.statistics_after(search.base), search.statistics_after(search.T)
    outcome = search.known_outcome[: search.N]
    mover = search.mover[: search.N]
    share = np.where(mover >= 0, search.share(outcome, mover), np.nan)
    end = np.flatnonzero(np.abs(share) > DECIDED)
    end = end[end > 0]
    middle = sum(search.value_range) / 2
    kept_visits = np.where(end < n, old.visits[np.minimum(end, n - 1)], 0).astype(np.int64)
    kept_sum = np.where(end < n, old.value_sum[np.minimum(end, n - 1)], 0.0)
    more = new.visits[end].astype(np.int64) - kept_visits
    kept = (kept_sum - middle * kept_visits) * share[end]
    added = (new.value_sum[end] - kept_sum - middle * more) * share[end]
    had, gets = kept_visits > 0, more > 0
    if min(had.sum(), gets.sum()) < FEW_ENDS or more[gets].sum() < FEW_AGAIN:
        return None
    right, wrong = (kept[had] > 0).all(), (kept[had] < 0).all()
    if not ((right and (added[gets] < 0).all()) or (wrong and (added[gets] > 0).all())):
        return None
    first = int(end[gets][0])
    words = (
        "the numbers that were kept have the right sign, and what is added since has the wrong one: results are still "
        "those of the search before, as where whose turn it is goes by depths that count from the old root, or by the "
        "player to move at it"
        if right
        else "what is added has the right sign, and the numbers that were kept have the wrong one: they were not "
        "turned round when another player came to be to move at the root"
    )
    return found(
        "reuse-view", None, first,
        f"it begins with the tree that was kept: {words}. Of the finished games whose result is known, "
        f"{int(had.sum()):,} have visits of the search before, worth a {'win' if right else 'loss'} to who has won "
        f"there, and {int(gets.sum()):,} were visited since, worth a {'loss' if right else 'win'} to who has won",
        nodes=int(had.sum()), since=int(gets.sum()),
    )  # fmt: skip


def _of_ends(
    search: CheckedSearch, visits: Ints, more: Ints, kept: Floats, added: Floats
) -> Finding | None:
    """Of nodes without children, each visit of which was worth a win or a loss: as a finished game is."""
    low, high = search.value_range
    middle, best = (low + high) / 2, (high - low) / 2
    node = np.flatnonzero((visits > 0) & (more > 0))
    node = node[(node > 0) & (search.n_children(node) == 0)]
    sure = np.abs(np.abs(kept[node]) - best * visits[node]) <= search.slack * visits[node]
    sure &= np.abs(np.abs(added[node]) - best * more[node]) <= search.slack * more[node]
    node = node[sure]
    opposite = kept[node] * added[node] < 0
    again = int((visits[node] + more[node] - 2)[opposite].sum())
    if not opposite.all() or len(node) < FEW_ENDS or again < FEW_AGAIN:
        return None
    first = int(node[0])
    return found(
        "reuse-view", None, first,
        f"each visit of node {first:,}, which has no children, was worth "
        f"{kept[first] / visits[first] + middle:g} in the tree that was kept, and is worth "
        f"{added[first] / more[first] + middle:g} now; so it is with all {len(node):,} such "
        "nodes. What was kept and what is added are in the views of different players: the player to move at the "
        "root is another one, and the numbers were not turned round, or results are still those of the root before",
        nodes=len(node),
    )  # fmt: skip
