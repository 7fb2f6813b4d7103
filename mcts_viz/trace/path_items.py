"""Sums by item of what iterations add up their paths, found by where they ended: an item is a node, or some siblings,
and gets what ended at it and what the items below it get.

An iteration adds ten updates or more, and has one leaf. Knows no columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.index.loops import read_only
from mcts_viz.trace.path_loops import LOOPS, hand_down
from mcts_viz.types import Ints, Numbers, Wholes

Items = npt.NDArray[np.int32]
NO_ITEM = -1


def nearest_items(
    item_of_node: Items, parent: npt.NDArray[np.int32], known: Items | None = None
) -> Items:
    """[N] the item of the nearest node on the way up that has one, itself included; NO_ITEM where there is none.
    item_of_node, parent: [N], every parent older than its children. known: those of the first nodes, whose items have
    not changed."""
    n_known = 0 if known is None else len(known)
    own, found = item_of_node[n_known:], np.empty(len(parent), np.int32)
    if known is not None:
        found[:n_known] = known
    if LOOPS.are_ready:
        found[n_known:] = own
        LOOPS.run(hand_down, read_only(parent), n_known, found)
        return found
    above = np.where(own >= 0, np.arange(n_known, len(parent), dtype=np.int32), parent[n_known:])
    if n_known == 0:
        above[:1] = 0
    unfinished = np.flatnonzero((own < 0) & (above >= n_known))
    while unfinished.size:
        twice = above[above[unfinished] - n_known]
        moved = twice != above[unfinished]
        above[unfinished] = twice
        unfinished = unfinished[moved & (twice >= n_known)]
    is_new = above >= n_known
    found[n_known:][is_new] = own[above[is_new] - n_known]
    found[n_known:][~is_new] = found[above[~is_new]]
    return found


def levels(above: Wholes) -> list[Ints]:
    """The items that have one above them, those with the most above them first. above: [M] the item above each,
    NO_ITEM: none."""
    found, going = list[Ints](), np.flatnonzero(above >= 0)
    up = above[going]
    while going.size:
        further = above[up] >= 0
        found.append(going[~further])
        going, up = going[further], above[up[further]]
    return found[::-1]


def gather(
    values: Numbers, above: Wholes, of_levels: Sequence[Ints], how: np.ufunc = np.add
) -> None:
    """Let each item have what those below it have, too. values: [..., M] of what ended at each, changed in place.
    of_levels: see `levels`."""
    by_item = np.moveaxis(values, -1, 0)
    for items in of_levels:
        how.at(by_item, above[items], by_item[items])
