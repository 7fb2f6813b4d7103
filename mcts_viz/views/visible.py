"""Which nodes of a trace a picture shows, and what it says about the ones it leaves out.

A view names a budget of nodes, a focus, filters, and nodes opened or closed by hand; what is opened by hand is shown
whatever budget and filters say, and what is below a closed node counts for the budget all the same, so closing one
opens no other. The answer depends on the final visits alone, so it is the same at every iteration:
stepping adds no node that was not there in the layout. Knows neither coordinates nor iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import PageError
from mcts_viz.trace.deferred import DeferredColumn
from mcts_viz.trace.index.loops import read_only
from mcts_viz.trace.path_loops import LOOPS, note_children
from mcts_viz.trace.statistics import visits_between
from mcts_viz.types import Bools, Ints, Numbers
from mcts_viz.views.readable import readable
from mcts_viz.views.view_spec import USUAL_BUDGET, ViewSpec

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns

WHOLE_AT_MOST = 20_000  # nodes of subtrees opened as a whole, those with the most visits first
MOST_READ = 6_000  # nodes among which those are that can be read
NO_ITEM = -1


@dataclass(frozen=True)
class Visible:
    """The items of a picture: V visible nodes by ascending id, then S stubs, one for each cut child list."""

    spec: ViewSpec
    node: npt.NDArray[np.int32]  # [V + S] node id; of a stub, the node whose children it stands for
    parent: npt.NDArray[np.int32]  # [V + S] item of the parent, NO_ITEM for the focus
    n_nodes: int  # V
    n_children: npt.NDArray[np.int32]  # [V] children in the whole trace, shown or not
    hidden_children: npt.NDArray[np.int32]  # [S] children that a stub stands for
    hidden_visits: Ints  # [S] their final visits
    # [N] item that counts a node's updates: its own or its parent's stub
    item_of_node: npt.NDArray[np.int32]
    tracked: Ints  # [K] nodes that have such an item, rising

    def __len__(self) -> int:
        return len(self.node)


def visible_items(
    parent: npt.NDArray[np.int32],
    final_visits: npt.NDArray[np.int32],
    spec: ViewSpec,
    line: Sequence[int] = (),
    falls: bool = False,
) -> Visible:
    """The items that the spec asks for, of a tree with these parents (root −1, parents first); `line` is the
    principal variation from the focus on, for `spec.pv`. falls: no node is known to have more visits than the one above
    it. Ties in visits go to the lower id; raises PageError for an unknown node."""
    parent = parent[: len(final_visits)]  # the trace may be growing meanwhile
    check_nodes(spec, len(parent))
    passed = _passed_by_filters(parent, final_visits, spec, line) if spec.is_filtered else None
    if falls and spec.focus == 0 and passed is None:
        key = final_visits
    else:
        key = _smallest_on_path(parent, final_visits, spec, passed)
    shown = _taken_by_visits(parent, key, spec)
    _show_children_of_opened(parent, shown, spec, passed)
    _show_whole_subtrees(parent, final_visits, shown, spec)
    _hide_below_closed(parent, shown, spec)
    node = np.flatnonzero(shown).astype(np.int32)
    return _with_stubs(parent, final_visits, shown, node, spec)


def items_of(n_nodes: int, nodes: Ints, items: Numbers) -> npt.NDArray[np.int32]:
    """[n_nodes] the items of these nodes, whose ids rise, NO_ITEM of all others; takes no memory for those."""

    def some(wanted: Ints) -> Numbers:
        at = np.minimum(np.searchsorted(nodes, wanted), len(nodes) - 1)
        return np.where(nodes[at] == wanted, items[at], np.int32(NO_ITEM))

    return DeferredColumn(n_nodes, np.int32, some).as_array


def final_visits(columns: Columns) -> npt.NDArray[np.int32]:
    """[N] visits after the last iteration, straight from the recorded updates."""
    return visits_between(columns, -1, columns.n_iterations, columns.n_nodes).astype(np.int32)


def nearest_mark(mark: npt.NDArray[np.int8], parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
    """[N] the mark of the nearest marked node on the way up, itself included; 0 where there is none."""
    above = np.where(mark != 0, np.arange(len(parent), dtype=np.int32), parent)
    above[0] = 0
    while True:
        twice = above[above]
        if bool((twice == above).all()):
            return mark[above]
        above = twice


def _passed_by_filters(
    parent: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    spec: ViewSpec,
    line: Sequence[int],
) -> Bools:
    """[N] whether the node itself is wanted; the ones above it may not be."""
    passed = visits >= spec.least
    if spec.pv:
        in_line = np.zeros(len(parent), bool)
        in_line[list(line)] = True
        passed &= in_line
    if spec.top:
        passed &= _place_among_siblings(parent, visits) < spec.top
    if spec.levels:
        passed &= _is_near(parent, spec.focus, spec.levels)
    passed[spec.focus] = True
    return passed


def _place_among_siblings(
    parent: npt.NDArray[np.int32], visits: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """[N] 0 for the most visited child of a node, 1 for the next."""
    order = np.lexsort((-visits, parent))  # stable: ties by id
    family = parent[order]
    first = np.concatenate([[True], family[1:] != family[:-1]])
    start = np.flatnonzero(first)
    place = np.empty(len(parent), np.int32)
    place[order] = np.arange(len(parent)) - start[np.cumsum(first) - 1]
    return place


def _is_near(parent: npt.NDArray[np.int32], focus: int, levels: int) -> Bools:
    """[N] whether a node is at most that many levels below the focus."""
    near = np.zeros(len(parent), bool)
    near[focus] = True
    level = np.array([focus])
    is_level = np.zeros(len(parent), bool)
    for _ in range(levels):
        is_level[:] = False
        is_level[level] = True
        below = is_level[parent]
        below[0] = False
        level = np.flatnonzero(below)
        if not level.size:
            break
        near[level] = True
    return near


def _taken_by_visits(
    parent: npt.NDArray[np.int32], key: npt.NDArray[np.int32], spec: ViewSpec
) -> Bools:
    shown = np.zeros(len(parent), bool)
    fits = not spec.budget and spec.wide > 0
    taken = greatest(key, MOST_READ if fits else spec.budget or USUAL_BUDGET)
    shown[readable(parent, key, taken, spec) if fits else taken] = True
    shown[spec.focus] = True
    return shown


def greatest(key: npt.NDArray[np.int32], n_taken: int) -> Ints:
    """At most that many nodes, those with the greatest keys, none below 0; ties go to the lower id."""
    return _best(key, _likely(key, n_taken), n_taken)


def _likely(key: npt.NDArray[np.int32], n_taken: int) -> Ints:
    """Nodes among which the best ones are: those above a limit that enough of them pass, for in a
    large tree most have a visit or two. None with a key below 0."""
    greatest_key = max(int(key.max()), 0)  # a faulty search may take visits back
    low = greatest_key // (16 * n_taken)  # lower than needed: most nodes go in one pass
    for nearly in (low, 0):
        found = np.flatnonzero(key >= nearly)
        if len(found) >= n_taken:
            break
    keys, least = key[found], greatest_key // n_taken
    while least > nearly and np.count_nonzero(keys >= least) < n_taken:
        least //= 4
    return found[keys >= least] if least > nearly else found


def _best(key: npt.NDArray[np.int32], eligible: Ints, n_taken: int) -> Ints:
    """At most that many of the eligible nodes, those with the greatest keys; ties go to the lower id."""
    if len(eligible) <= n_taken:
        return eligible
    ranked = key[eligible]
    threshold = np.partition(ranked, len(ranked) - n_taken)[len(ranked) - n_taken]
    above = eligible[ranked > threshold]
    return np.concatenate([above, eligible[ranked == threshold][: n_taken - len(above)]])


def _smallest_on_path(
    parent: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    spec: ViewSpec,
    passed: Bools | None,
) -> npt.NDArray[np.int32]:
    """[N] least visits among a node and its ancestors, -1 outside the focus, and from a node on that did not pass the
    filters.

    A node's ancestors never rank below it, so the best nodes by this key are a tree whatever was recorded.
    """
    above = parent.copy()
    above[0] = 0
    whole_tree = spec.focus == 0 and passed is None
    if whole_tree and bool((visits <= visits[above]).all()):
        return visits
    key = visits.copy()
    if spec.focus != 0:
        key[0] = -1
        key[spec.focus] = visits[spec.focus]
        above[spec.focus] = spec.focus
    if passed is not None:
        key[~passed] = -1
    return _least_above(key, above)


def _least_above(key: npt.NDArray[np.int32], above: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Pointer doubling: as many rounds as the depth has bits, and nodes that reached their root drop out."""
    moving = np.flatnonzero(above[above] != above)
    np.minimum(key, key[above], out=key)
    while moving.size:
        twice = above[above[moving]]
        least = np.minimum(key[moving], key[above[moving]])
        above[moving] = twice
        key[moving] = np.minimum(least, key[twice])
        moving = moving[above[twice] != twice]
    return key


def _show_children_of_opened(
    parent: npt.NDArray[np.int32],
    shown: Bools,
    spec: ViewSpec,
    passed: Bools | None,
) -> None:
    """The focus counts as opened, but its children have to pass the filters."""
    opened = np.zeros(len(parent), bool)
    for node in spec.opened:
        path = _path_from_focus(parent, node, spec)
        if path is not None:
            shown[path] = True
            opened[node] = True
    if spec.opened:
        shown[_children(parent, opened)] = True
    if not opened[spec.focus]:
        below = np.flatnonzero(parent == spec.focus)
        shown[below if passed is None else below[passed[below]]] = True


def _show_whole_subtrees(
    parent: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    shown: Bools,
    spec: ViewSpec,
) -> None:
    mark = np.zeros(len(parent), np.int8)
    for node in spec.whole:
        path = _path_from_focus(parent, node, spec)
        if path is not None:
            shown[path] = True
            mark[node] = 1
    if not mark.any():
        return
    key = _smallest_on_path(parent, visits, spec, None)
    wanted = np.flatnonzero((nearest_mark(mark, parent) == 1) & (key >= 0))
    shown[_best(key, wanted, WHOLE_AT_MOST)] = True


def _hide_below_closed(parent: npt.NDArray[np.int32], shown: Bools, spec: ViewSpec) -> None:
    if not spec.closed:
        return
    there = np.flatnonzero(shown)  # a tree, the focus first
    above = np.searchsorted(there, parent[there]).astype(np.int32)
    mark = np.isin(parent[there], list(spec.closed)).astype(np.int8)
    mark[0] = above[0] = 0
    shown[there[nearest_mark(mark, above) == 1]] = False


def _path_from_focus(parent: npt.NDArray[np.int32], node: int, spec: ViewSpec) -> list[int] | None:
    """The node and its ancestors up to the focus; None for one that is not below it."""
    path = []
    at = node
    while True:
        path.append(at)
        if at == spec.focus:
            return path
        if at == 0:
            return None
        at = int(parent[at])


def _with_stubs(
    parent: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    shown: Bools,
    node: npt.NDArray[np.int32],
    spec: ViewSpec,
) -> Visible:
    n_nodes = len(node)
    below = _children(parent, shown)
    above = np.searchsorted(node, parent[below]).astype(np.int32)
    is_hidden = ~shown[below]
    parent_item = np.full(n_nodes, NO_ITEM, np.int32)
    parent_item[np.searchsorted(node, below[~is_hidden])] = above[~is_hidden]
    if spec.closed:
        is_hidden &= ~np.isin(parent[below], list(spec.closed))
    hidden = below[is_hidden]
    cut, stub_of_hidden = np.unique(above[is_hidden], return_inverse=True)
    item_of_node = np.full(len(parent), NO_ITEM, np.int32)
    item_of_node[node] = np.arange(n_nodes, dtype=np.int32)
    item_of_node[hidden] = n_nodes + stub_of_hidden
    return Visible(
        spec=spec,
        node=np.concatenate([node, node[cut]]).astype(np.int32),
        parent=np.concatenate([parent_item, cut]).astype(np.int32),
        n_nodes=n_nodes,
        n_children=np.bincount(above, minlength=n_nodes).astype(np.int32),
        hidden_children=np.bincount(stub_of_hidden, minlength=len(cut)).astype(np.int32),
        hidden_visits=np.bincount(
            stub_of_hidden, weights=visits[hidden], minlength=len(cut)
        ).astype(np.int64),
        item_of_node=item_of_node,
        tracked=np.sort(np.concatenate([node, hidden]).astype(np.int64)),
    )


def _children(parent: npt.NDArray[np.int32], is_above: Bools) -> Ints:
    """Ids of the children of those nodes, rising."""
    if not LOOPS.are_ready:
        return np.flatnonzero(is_above[parent[1:]]) + 1
    is_child = np.zeros(len(parent), np.bool_)
    LOOPS.run(note_children, read_only(parent), is_above, is_child)
    return np.flatnonzero(is_child)


def check_nodes(spec: ViewSpec, n_nodes: int) -> None:
    """Raise PageError for a node that is not there."""
    for role, nodes in (
        ("focus", {spec.focus}),
        ("opened", spec.opened),
        ("closed", spec.closed),
        ("whole", spec.whole),
    ):
        for node in nodes:
            if not 0 <= node < n_nodes:
                raise PageError(
                    f"{role}={node}: no such node in this trace, whose nodes are 0 to {n_nodes - 1}"
                )
