"""Loops over the updates of some iterations of a long search, compiled by numba: what a check of it asks for again and
again. A short search does without, see `CheckedSearch.is_long`: numba is slow to load.

The caller has checked every id.
"""

from __future__ import annotations

from mcts_viz.trace.index.loops import Int32s
from mcts_viz.types import Bools, Ints, Numbers

MIXED, RISING, PATHS = 0, 1, 2  # what `note_order` finds


def note_order(first: Ints, node: Ints, leaf: Ints, parent: Int32s, order: Ints) -> None:
    """Note in order[0] whether the updates of each iteration are those of the nodes from the root down to its leaf, or
    of nodes that rise at least. first: [n + 1] where those of each begin."""
    order[0] = PATHS
    for t in range(len(leaf)):
        begin, end = first[t], first[t + 1]
        if end == begin or node[begin] != 0 or node[end - 1] != leaf[t]:
            order[0] = min(order[0], RISING)
        for row in range(begin + 1, end):
            if node[row] <= node[row - 1]:
                order[0] = MIXED
                return
            if parent[node[row]] != node[row - 1]:
                order[0] = min(order[0], RISING)


def add_each(node: Ints, added: Numbers, sums: Numbers) -> None:
    """Add to the sum of each row's node, in the order of the rows."""
    for row in range(len(node)):
        sums[node[row]] += added[row]


def note_sums(node: Ints, added: Numbers, sums: Numbers, before: Numbers) -> None:
    """The same, and note what the sum of each row's node was before it."""
    for row in range(len(node)):
        at = node[row]
        before[row] = sums[at]
        sums[at] += added[row]


def look_up_sums(
    node: Ints, added: Numbers, before: Numbers, asked: Ints, rows: Ints, sums: Numbers, found: Numbers
) -> None:  # fmt: skip
    """The sums of the nodes `asked`, each before a row; rows: these, rising. before, sums: as `note_sums` has left
    them, and as they are left."""
    row = len(node)
    for k in range(len(asked) - 1, -1, -1):
        while row > rows[k]:
            row -= 1
            sums[node[row]] = before[row]
        found[k] = sums[asked[k]]
    for again in range(row, len(node)):
        sums[node[again]] = before[again] + added[again]


def count_children(order: Int32s, start: Int32s, nodes: Ints, n_nodes: Ints, found: Ints) -> None:
    """How many children each node has among the first n_nodes nodes. order, start: see `Families`."""
    for k in range(len(nodes)):
        begin, end = start[nodes[k] + 1], start[nodes[k] + 2]
        if end == begin or order[end - 1] < n_nodes[k]:  # mostly all are there
            found[k] = end - begin
            continue
        low, high = begin, end - 1
        while low < high:
            middle = (low + high) // 2
            if order[middle] < n_nodes[k]:
                low = middle + 1
            else:
                high = middle
        found[k] = low - begin


def group_by_key(key: Int32s, first: int, order: Int32s, start: Int32s) -> None:
    """Write places by their keys, which are `first` or more, and where those of each key begin. order: [N] room; start:
    zeros, one for each key and two more; the last one is of no key."""
    for at in range(len(key)):
        start[key[at] - first + 2] += 1
    for at in range(1, len(start)):
        start[at] += start[at - 1]
    for at in range(len(key)):
        mine = key[at] - first + 1
        order[start[mine]] = at
        start[mine] += 1


def note_repeats(parent: Ints, node: Ints, keys: Ints, last: Ints, same: Bools) -> None:
    """Note whether each choice at a parent takes the node that the one before it there took. keys, last: a hash table,
    keys −1 where it is empty; its length is a power of two and more than there are choices."""
    mask = len(keys) - 1
    for k in range(len(parent)):
        key = parent[k]
        at = (key ^ (key >> 15)) & mask
        while keys[at] >= 0 and keys[at] != key:
            at = (at + 1) & mask
        same[k] = keys[at] == key and last[at] == node[k]
        keys[at], last[at] = key, node[k]
