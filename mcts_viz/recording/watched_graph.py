"""Watches a search whose nodes are shared: a node that several parents lead to is one node of the trace.

Each further way to it is a row of its own, which gets the node's updates of the iterations that came that way. Searches
seldom count ways, so which one was taken is derived: an iteration is a path over the nodes that it changed.
"""

from __future__ import annotations

from mcts_viz.errors import TraceError
from mcts_viz.recording.watched_node import WatchedNode
from mcts_viz.recording.watched_tree import WatchedTree


class WatchedGraph(WatchedTree):
    """See `WatchedTree`; here every node is read once, however many ways lead to it."""

    def _visits_kept(self) -> None:
        """Those of a way to a node are not the node's."""

    def look(self) -> int:
        sizes = self._growing.sizes()
        self._n_unvisited, self._first_new = 0, self._n_nodes
        changed, out = self._changed_nodes()
        taken = _ways_taken(self.root, changed, out)
        for node, way in taken.items():
            visits, value = changed[node]
            if way is not None and way is not node:
                self._log_way(way, node, visits - node.visits, value - node.value_sum)
            self._log(node, visits, value)
        self._end_look(sizes)
        return _leaf(taken)

    def _changed_nodes(self) -> tuple[_Numbers, _Ways]:
        """Visits and value of each node that is not as it was recorded last, and the ways from each to such nodes."""
        changed: _Numbers = {}
        out: _Ways = {}
        seen = {self.root}
        to_visit = [self.root]
        while to_visit:
            node = to_visit.pop()
            visits, value, children = self._numbers(node)
            if (visits, value) != (node.visits, node.value_sum):
                changed[node] = visits, value
            elif node is not self.root and not self._thorough:
                continue
            ways = self._changed_children(node, children) if children or node.children else []
            out[node] = ways
            for way in ways:
                same = way.same or self._first_way(way) or way
                node.child_visits[way.place] = self._visits(way)
                if way.node is not same.node:
                    self._check_one_node(way, same)
                if same not in seen:
                    seen.add(same)
                    to_visit.append(same)
        return changed, {
            node: [way for way in ways if way.same in changed] for node, ways in out.items()
        }

    def _check_one_node(self, way: WatchedNode, same: WatchedNode) -> None:
        """Refuse objects that say they are equal, and are not one node."""
        if self._visits(way) == self._visits(same):
            return
        raise TraceError(
            f"shared=True: {way} and {same} say that they are equal (`__eq__`), and have visits of their own; give "
            "shared=lambda node: node, for ways with numbers of their own to what is shared"
        )

    def _visits(self, node: WatchedNode) -> int:
        try:
            found = self._read.visits(node.node)
        except Exception:  # noqa: BLE001 (said, or seen to be nothing, on a closer look)
            found = None
        return found if type(found) is int else self._careful.visits(node)

    def _numbers(self, node: WatchedNode) -> tuple[int, float, object]:
        """Visits, value sum in the view of the mover, and children."""
        try:
            visits, children = self._read_pair(node.node)
            value = self._read_value(node.node)
        except Exception:  # noqa: BLE001 (said, or seen to be nothing, on a closer look)
            visits, value, children = self._careful.numbers_and_children(node)
        if type(visits) is not int or type(value) is not float:
            visits, value = self._careful.checked_numbers(visits, value, node)
        if type(children) is not list and type(children) is not dict:
            children = self._careful.checked_container(children, node)
        if node.id in self._details.waiting:
            self._read_again(node, visits, children)
        return visits, self._summed(node, visits, value), children

    def _log_way(self, way: WatchedNode, node: WatchedNode, visits: int, value: float) -> None:
        if (
            way.mover != node.mover and not self._alone
        ):  # of the same node, but of another player's view
            value = self._values.turned(value, visits)
        if value - value == 0.0:
            self.log.updates += (way.id, visits, value)
            way.visits += visits
            way.value_sum += value


_Numbers = dict[WatchedNode, tuple[int, float]]
_Ways = dict[WatchedNode, list[WatchedNode]]


def _ways_taken(
    root: WatchedNode, changed: _Numbers, out: _Ways
) -> dict[WatchedNode, WatchedNode | None]:
    """The way by which each changed node was come to, those of the path first, in its order; None: by none that is
    known. Of two children that changed the path goes first to the one from which the other can be reached."""
    taken: dict[WatchedNode, WatchedNode | None] = {root: None} if root in changed else {}
    node: WatchedNode | None = root
    while node is not None:
        ways = [way for way in out.get(node, []) if way.same is not None and way.same not in taken]
        if len(ways) > 1:
            ways.sort(key=lambda way: -_n_reached(way, out, taken))
        node = ways[0].same if ways else None
        if node is not None:
            taken[node] = ways[0]
    for ways in out.values():
        for way in ways:
            if way.same is not None:
                taken.setdefault(way.same, way)
    for other in changed:
        taken.setdefault(other, None)
    return taken


def _n_reached(way: WatchedNode, out: _Ways, taken: dict[WatchedNode, WatchedNode | None]) -> int:
    """How many changed nodes that are not on the path so far can be reached over a way."""
    reached: set[WatchedNode] = set()
    below = [way.same]
    while below:
        node = below.pop()
        if node is not None and node not in reached and node not in taken:
            reached.add(node)
            below += [each.same for each in out.get(node, [])]
    return len(reached)


def _leaf(taken: dict[WatchedNode, WatchedNode | None]) -> int:
    """Id of the last row on the path."""
    leaf = 0
    above: WatchedNode | None = None
    for node, way in taken.items():
        if above is not None and (way is None or way.parent is not above):
            break  # the path has ended
        above, leaf = node, node.id if way is None else way.id
    return leaf
