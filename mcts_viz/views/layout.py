"""Where the items of a picture stand: a tidy tree by leaf order.

Every subtree owns a strip of the width, as wide as its children's strips together; siblings stand by falling final
visits, so that the principal variation hangs leftmost, with the stub last. Final numbers only: nothing here depends on
the iteration shown. All work is done a level at a time; there is no recursion.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Floats, Ints
from mcts_viz.views.visible import Visible

MIN_SLOT = 0.42  # width of a hardly visited leaf, in units of a comfortable label
STUB_SLOT = (
    0.5  # beside siblings; a stub alone hangs right under its node and asks for no width of its own
)
FAMILY_GAP = 0.16  # extra room between the families of different parents
FULL_SLOT_SHARE = 0.05  # a node with this share of the visits gets a whole unit
FIRST_LEVEL = 12  # the focus's children get one too where there are no more than so many


class Layout(NamedTuple):
    """Coordinates of M items. x in slots from the left edge, y is the depth below the focus."""

    x: Floats  # [M]
    depth: npt.NDArray[np.int32]  # [M] 0 at the focus
    width: Floats  # [M] strip owned by the item's subtree
    order: npt.NDArray[np.int32]  # [M] items by depth, then from left to right
    level_start: npt.NDArray[np.int32]  # [D + 2] where each depth begins in `order`


def tidy_layout(visible: Visible, final_visits: npt.NDArray[np.int32]) -> Layout:
    """Coordinates for the items; `final_visits` [N] is indexed by node id."""
    n_items = len(visible)
    weight = np.empty(n_items, np.int64)
    weight[: visible.n_nodes] = final_visits[visible.node[: visible.n_nodes]]
    weight[visible.n_nodes :] = -1
    depth = depths(visible.parent)
    order, level_start = levels(visible.parent, depth, weight)
    slot = _slots(visible, weight)
    width = _strip_widths(visible.parent, slot, order, level_start)
    x = _positions(visible.parent, width, order, level_start)
    return Layout(x, depth, width, order, level_start)


def layout_of(
    visible: Visible, with_closed: Visible, final_visits: npt.NDArray[np.int32]
) -> Layout:
    """Coordinates for the items where they are while nothing is closed: what is below a closed node goes, and nothing
    else moves. `with_closed`: the items of the same view without closed nodes."""
    layout = tidy_layout(with_closed, final_visits)
    if len(visible) == len(with_closed):
        return layout
    n, n_all = visible.n_nodes, with_closed.n_nodes
    nodes = np.searchsorted(with_closed.node[:n_all], visible.node[:n])
    stubs = n_all + np.searchsorted(with_closed.node[n_all:], visible.node[n:])
    kept = np.concatenate([nodes, stubs])
    item = np.full(len(with_closed), -1, np.int32)
    item[kept] = np.arange(len(visible), dtype=np.int32)
    order, depth = item[layout.order], layout.depth[kept]
    order = order[order >= 0]
    starts = np.searchsorted(depth[order], np.arange(int(depth.max()) + 2)).astype(np.int32)
    return Layout(layout.x[kept], depth, layout.width[kept], order, starts)


def depths(parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """[M] distance from the item without a parent (-1), by pointer doubling."""
    above = np.where(parent < 0, np.arange(len(parent)), parent)
    depth = (parent >= 0).astype(np.int32)
    moving = np.flatnonzero(above[above] != above)
    while moving.size:
        via = above[moving]
        depth_via, twice = depth[via], above[via]
        depth[moving] += depth_via
        above[moving] = twice
        moving = moving[above[twice] != twice]
    return depth


def euler_tour(parent: npt.NDArray[np.int32], layout: Layout) -> npt.NDArray[np.int32]:
    """[2·M - 1] items in the order in which a pen draws all edges without being lifted."""
    size, pre = _subtrees(parent, layout)
    first = 2 * pre - layout.depth
    tour = np.empty(2 * len(parent) - 1, np.int32)
    tour[first] = np.arange(len(parent), dtype=np.int32)
    below = np.flatnonzero(parent >= 0)
    tour[first[below] + 2 * size[below] - 1] = parent[below]
    return tour


def levels(
    parent: npt.NDArray[np.int32], depth: npt.NDArray[np.int32], weight: Ints
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Items by depth and within a depth by their parent's place, then by falling weight, then by age."""
    n_levels = int(depth.max()) + 1
    by_depth = np.lexsort((-weight, depth)).astype(np.int32)
    level_start = np.searchsorted(depth[by_depth], np.arange(n_levels + 1)).astype(np.int32)
    place = np.zeros(len(parent), np.int64)
    order = np.empty_like(by_depth)
    order[:1] = by_depth[:1]
    for begin, end in pairwise(level_start[1:]):
        level = by_depth[begin:end]
        level = level[np.argsort(place[parent[level]], kind="stable")]
        order[begin:end] = level
        place[level] = np.arange(end - begin)
    return order, level_start


def _slots(visible: Visible, weight: Ints) -> Floats:
    """[M] the least width that each item asks for: much-visited nodes get room for their label."""
    top = max(int(weight.max()), 1)
    share = np.clip(weight / (top * FULL_SLOT_SHARE), 0.0, 1.0)
    slot = MIN_SLOT + (1.0 - MIN_SLOT) * np.sqrt(share)
    first_level = np.flatnonzero(visible.parent[: visible.n_nodes] == 0)
    if len(first_level) <= FIRST_LEVEL:
        slot[first_level] = 1.0
    stubs = np.arange(visible.n_nodes, len(visible))
    shown_children = np.bincount(visible.parent[1 : visible.n_nodes], minlength=len(visible))
    slot[stubs] = np.where(shown_children[visible.parent[stubs]] > 0, STUB_SLOT, MIN_SLOT)
    return slot


def _strip_widths(
    parent: npt.NDArray[np.int32],
    slot: Floats,
    order: npt.NDArray[np.int32],
    level_start: npt.NDArray[np.int32],
) -> Floats:
    width = slot.copy()
    children_width = np.zeros(len(parent))
    n_children = np.bincount(parent[parent >= 0], minlength=len(parent))
    for begin, end in zip(level_start[-2:0:-1], level_start[:0:-1]):
        level = order[begin:end]
        gap = FAMILY_GAP * (n_children[level] > 1)
        width[level] = np.maximum(slot[level], children_width[level] + gap)
        np.add.at(children_width, parent[level], width[level])
    root = order[0]
    width[root] = max(slot[root], children_width[root])
    return width


def _positions(
    parent: npt.NDArray[np.int32],
    width: Floats,
    order: npt.NDArray[np.int32],
    level_start: npt.NDArray[np.int32],
) -> Floats:
    """[M] every item over the middle of its children; a family is centred in its parent's strip."""
    left = np.zeros(len(parent))  # where an item's strip begins
    x = np.zeros(len(parent))
    for begin, end in pairwise(level_start[1:]):
        level = order[begin:end]
        above = parent[level]
        first = np.empty(len(level), bool)
        first[0] = True
        first[1:] = above[1:] != above[:-1]
        starts = np.flatnonzero(first)
        family = np.cumsum(first) - 1
        offset = np.concatenate([[0.0], np.cumsum(width[level])[:-1]])
        total = np.add.reduceat(width[level], starts)
        slack = (width[above[starts]] - total) / 2
        left[level] = left[above] + offset - (offset[starts] - slack)[family]
    middle = left + width / 2
    x[:] = middle
    for begin, end in zip(level_start[-2:0:-1], level_start[:0:-1]):
        level = order[begin:end]
        above = parent[level]
        starts = np.flatnonzero(np.concatenate([[True], above[1:] != above[:-1]]))
        ends = np.concatenate([starts[1:], [len(level)]]) - 1
        x[above[starts]] = (x[level[starts]] + x[level[ends]]) / 2
    return x


def _subtrees(parent: npt.NDArray[np.int32], layout: Layout) -> tuple[Ints, Ints]:
    """[M] number of items in each subtree, and each item's place when children are visited left to right."""
    size = np.ones(len(parent), np.int64)
    pre = np.zeros(len(parent), np.int64)
    start = layout.level_start
    for begin, end in zip(start[-2:0:-1], start[:0:-1]):
        level = layout.order[begin:end]
        np.add.at(size, parent[level], size[level])
    for begin, end in pairwise(start[1:]):
        level = layout.order[begin:end]
        above = parent[level]
        starts = np.concatenate([[True], above[1:] != above[:-1]])
        before = np.concatenate([[0], np.cumsum(size[level])[:-1]])
        pre[level] = pre[above] + 1 + before - before[starts][np.cumsum(starts) - 1]
    return size, pre
