"""The items that a view of a trace shows; of a long trace, found by going down from the root where most visits are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mcts_viz.trace.index.shape import IndexedTree, Visits
from mcts_viz.types import Bools, Ints, Numbers
from mcts_viz.views.view_spec import USUAL_BUDGET, ViewSpec
from mcts_viz.views.visible import (
    MOST_READ,
    WHOLE_AT_MOST,
    Visible,
    check_nodes,
    items_of,
    visible_items,
)

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot


def visible_of(columns: Columns | None, final: Snapshot, spec: ViewSpec) -> Visible:
    """The items that the spec asks for; `final` is the trace's last snapshot. columns: the trace's, which tell how
    visits were counted; None: not known. Raises PageError for an unknown node."""
    is_there = 0 <= spec.focus < len(final)
    line = principal_line(final, spec.focus) if spec.pv and is_there else ()
    tree = final.index
    if tree is None:
        # of visits that were counted along paths, none has more than the one above it
        falls = columns is not None and columns.along_paths(-1, final.iteration) is not None
        return visible_items(final.parent, final.visits, spec, line, falls)
    return visible_in(tree, len(final), lambda nodes: final.visits[nodes], spec, line)


def without_closed(columns: Columns | None, final: Snapshot, visible: Visible) -> Visible:
    """The items of the same view with nothing closed by hand."""
    if not visible.spec.closed:
        return visible
    return visible_of(columns, final, replace(visible.spec, closed=frozenset()))


def principal_line(snapshot: Snapshot, node: int) -> list[int]:
    """Node ids from the node along the final-move rule's choice at every node."""
    line = [node]
    while ranked := snapshot.ranked_children(line[-1]):
        line.append(ranked[0])
    return line


def visible_in(
    tree: IndexedTree, n_nodes: int, visits: Visits, spec: ViewSpec, line: Sequence[int] = ()
) -> Visible:
    """As `visible_items`, of a large tree, by its index: the same items, chosen in the part of the tree that
    holds all that could be chosen."""
    check_nodes(spec, n_nodes)
    ids = _Part(tree, n_nodes, visits, spec, line).ids
    parent = np.searchsorted(ids, tree.parent[ids]).astype(np.int32)
    parent[0] = -1

    def there(nodes: Sequence[int] | frozenset[int]) -> list[int]:
        """Their places in the part, of those that are in it."""
        return np.flatnonzero(np.isin(ids, list(nodes))).tolist()

    within = replace(
        spec,
        focus=int(np.searchsorted(ids, spec.focus)),
        opened=frozenset(there(spec.opened)),
        closed=frozenset(there(spec.closed)),
        whole=frozenset(there(spec.whole)),
    )
    found = visible_items(parent, visits(ids), within, there(line))
    return replace(
        found,
        spec=spec,
        node=ids[found.node].astype(np.int32),
        item_of_node=items_of(n_nodes, ids[found.tracked], found.item_of_node[found.tracked]),
        tracked=ids[found.tracked],
    )


class _Part:
    """The part of a tree in which a view's nodes are, with all children of each of them."""

    def __init__(
        self, tree: IndexedTree, n_nodes: int, visits: Visits, spec: ViewSpec, line: Sequence[int]
    ) -> None:
        self._tree, self._n_nodes, self._visits = tree, n_nodes, visits
        self._spec, self._line = spec, np.array(line, np.int64)
        self._found = [np.array([0], np.int64)]
        focus = spec.focus
        self._path(focus)
        fits = not spec.budget and spec.wide > 0
        budget = MOST_READ if fits else spec.budget or USUAL_BUDGET
        self._go_down(
            focus, int(visits(np.array([focus]))[0]), budget, is_filtered=spec.is_filtered
        )
        shown = [*self._children([focus]).tolist()]
        for node in (*spec.opened, *spec.whole):
            path = self._path(node)
            shown += [*path, *self._children([node]).tolist()]
            if node in spec.whole and focus in path:
                way = np.array(path[path.index(focus) :])
                self._go_down(node, int(visits(way).min()), WHOLE_AT_MOST, is_filtered=False)
        self._children(shown)
        self.ids: Ints = np.unique(np.concatenate(self._found))

    def _path(self, node: int) -> list[int]:
        path = [node]
        while path[-1]:
            path.append(int(self._tree.parent[path[-1]]))
        self._found.append(np.array(path, np.int64))
        return path[::-1]

    def _children(self, nodes: Sequence[int]) -> Ints:
        found = self._tree.children_of(np.array(nodes, np.int64), self._n_nodes)[0].astype(np.int64)
        self._found.append(found)
        return found

    def _go_down(self, start: int, key: int, most: int, is_filtered: bool) -> None:
        """Find so many nodes at and below `start` with the greatest keys, see `much_visited`, and their children."""
        passes = self._passed if is_filtered else None
        self._found += self._tree.much_visited(
            start, key, most, self._n_nodes, self._visits, passes
        )

    def _passed(self, children: Numbers, visits: Numbers, above: Ints) -> Bools:
        """[k] which children of nodes the filters let pass; `above` tells siblings."""
        spec = self._spec
        passed = visits >= spec.least
        if spec.pv:
            passed &= np.isin(children, self._line)
        if spec.top:
            order = np.lexsort((children, -visits, above))
            family = above[order]
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order)) - np.searchsorted(family, family)
            passed &= place < spec.top
        if spec.levels:
            depth = self._tree.depth[children].astype(np.int64) - int(self._tree.depth[spec.focus])
            passed &= depth <= spec.levels
        return passed
