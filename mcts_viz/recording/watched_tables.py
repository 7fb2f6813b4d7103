"""Watches a search that keeps tables: as a watched tree, with the numbers of its edges read by their keys.

What is unusual goes the way of every tree.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from operator import attrgetter

from mcts_viz.recording.tables import Edge, Entry
from mcts_viz.recording.values import sum_of_mean
from mcts_viz.recording.watched_tree import MOST_VISITS, WatchedTree

_KEY, _ZEROS = attrgetter("key"), repeat(0)


class WatchedTables(WatchedTree):
    """See `WatchedTree`; here nodes are edges of tables, which are not asked one by one."""

    def _visits_kept(self) -> None:
        """Those of a way to a node are not the node's."""

    def look(self) -> int:
        tables = self.root.node.tables
        if not self._are_usual:
            begin = len(self.log.updates)
            leaf = super().look()
            return self._end_of_path(begin) if self._thorough else leaf
        visits_of: Callable[..., Entry] = tables.visits.get
        value_of: Callable[..., Entry] = tables.values.get
        careful, waiting, sizes = self._careful, self._details.waiting, self._growing.sizes()
        updates, means, gaps = self.log.updates, self._values.kind == "mean", self._without_value
        self._n_unvisited, self._first_new = 0, self._n_nodes
        leaf, to_visit, most = 0, [self.root], MOST_VISITS
        while to_visit:
            watched = to_visit.pop()
            edge: Edge = watched.node
            key, children = edge.key, edge.below
            visits = careful.visits(watched) if key is None else visits_of(key, 0)
            value = value_of(key)
            if children is None:
                try:
                    children = edge.children
                except Exception:  # noqa: BLE001 (said on a closer look)
                    children = careful.container(watched)
            if waiting and watched.id in waiting:
                self._read_again(watched, visits, children)
            before, old = watched.visits, watched.value_sum
            if visits == before and value is edge.last_value:
                total = old
            elif (
                type(visits) is int
                and type(value) is float
                and not (watched.opposite or watched.id in gaps)
            ):
                total = value
                if means:  # most often the product gives back the mean
                    total = value * visits
                    if not visits or total / visits != value:
                        total = sum_of_mean(value, visits)
            else:
                visits, number = careful.checked_numbers(visits, value, watched)
                total = self._summed(watched, visits, number)
            if visits != before or total != old:
                edge.last_value = value
                more = total - old
                if old + more == total and more - more == 0.0 and -most <= visits <= most:
                    updates += (watched.id, visits - before, more)
                    watched.visits, watched.value_sum = visits, total
                else:
                    self._log(watched, visits, total)
            if visits != before:
                leaf = watched.id
                if watched.parent is not None:
                    watched.parent.child_visits[watched.place] = visits
            if visits:
                same = watched.same or self._first_way(watched)
                if same is not watched:  # goes on below the first way to the same state
                    if visits != before and same is not None:
                        to_visit.append(same)
                    children = []
            if children == watched.child_nodes:
                now = [*map(visits_of, edge.keys_below or map(_KEY, children), _ZEROS)]
                seen = watched.child_visits
                try:
                    if now != seen:
                        each = zip(watched.children, now, seen)
                        to_visit += [child for child, new, old in each if new != old][::-1]
                except Exception:  # noqa: BLE001 (said on a closer look)
                    to_visit += reversed(self._changed_order(watched, children))
            else:
                to_visit += reversed(self._changed_children(watched, children))
        self._end_look(sizes)
        return leaf

    def _end_of_path(self, begin: int) -> int:
        """The last edge on the way down over edges with more visits; begin: where their updates begin in the log. Where
        all edges are looked at, what lies below a state is seen before the way by which it was come to."""
        updates = self.log.updates
        each = [tuple(updates[i : i + 3]) for i in range(begin, len(updates), 3)]
        grown = {id for id, visits, _ in each if visits > 0}
        edge, path = self.root, dict[float, int]()
        while edge.id not in path:
            path[edge.id] = len(path)
            below = [each for each in (edge.same or edge).children if each.id in grown]
            edge = below[-1] if below else edge
        each.sort(key=lambda update: path.get(update[0], len(path)))
        updates[begin:] = [number for update in each for number in update]
        return edge.id if edge.id in grown else 0

    @property
    def _are_usual(self) -> bool:
        """Whether the tables are dicts by state and action, and nothing but them is to be looked at."""
        tables = self.root.node.tables
        return (
            tables.is_flat
            and isinstance(tables.visits, dict)
            and isinstance(tables.values, dict)
            and self.virtual_loss is None
            and self.player_values is None
            and not self._proofs
            and not self._thorough
        )
