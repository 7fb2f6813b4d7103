"""Whether each iteration selects from the root, or goes on from the leaf of the one before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding

FEW = 40  # iterations
NEARLY_ALL = 0.95
# beginnings elsewhere; with fewer, it is one deep line that a search is sure of
FEW_LINES, SOME = 3, 0.02


def check_restarts(search: CheckedSearch) -> Iterator[Finding]:
    """A note where iterations make a child of the leaf before, until the game is over."""
    inner = ~search.childless()
    goes_on = possible = again = 0
    before = -1  # the leaf of the last iteration
    first = 0
    for rows in search.blocks(search.base, search.T):
        leaf = search.leaf[rows].astype(np.int64)
        last = np.append(before, leaf[:-1])
        before = int(leaf[-1])
        use = (last > 0) & inner[last] & ~search.ended[last]
        below = use & (search.parent[leaf] == last)
        possible, goes_on = possible + int(use.sum()), goes_on + int(below.sum())
        again += int((~below).sum())
        if below.any() and not first:
            first = int(rows.start + np.argmax(below)) + 1
    if possible < FEW or goes_on < NEARLY_ALL * possible or again < max(FEW_LINES, SOME * possible):
        return
    yield found(
        "selection-from-leaf", first, int(search.leaf[first - 1]),
        f"{goes_on:,} of {search.T - search.base:,} iterations make a child of the leaf of the one before; others "
        f"follow after the end of a line alone, {again:,} times. So it is where the selection begins at the last leaf "
        "in place of the root. Right where the nodes of a rollout, or of an agent's run, are kept one by one",
        times=goes_on, of=possible,
    )  # fmt: skip
