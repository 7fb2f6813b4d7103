"""Which nodes of a trace a picture shows, and what it says about the ones it leaves out.

A view names a budget of nodes, a focus, filters, and nodes opened or closed by hand; what is opened by hand is shown
whatever budget and filters say. The answer depends on the final visits alone, so it is the same at every iteration:
stepping adds no node that was not there in the layout. Knows neither coordinates nor iterations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import PageError

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot

DEFAULT_BUDGET = 300
MAX_BUDGET = 200_000
WHOLE_AT_MOST = 20_000  # nodes of subtrees opened as a whole, those with the most visits first
NO_ITEM = -1


class Parents(Protocol):
    """Any tree: the columns of a trace, or two traces in one."""

    @property
    def parent(self) -> npt.NDArray[np.int32]: ...  # [N] −1 for the root; parents come first


@dataclass(frozen=True)
class ViewSpec:
    """What somebody asked to see of a tree."""

    budget: int = DEFAULT_BUDGET  # nodes taken by final visits
    opened: frozenset[int] = frozenset()  # node ids all of whose children are shown
    closed: frozenset[int] = frozenset()  # node ids whose descendants are not shown
    focus: int = 0  # node id drawn as the root
    whole: frozenset[int] = frozenset()  # node ids all of whose descendants are shown
    least: int = 0  # final visits that a node needs to be shown
    top: int = 0  # children shown of a node, the most visited first; 0: all
    levels: int = 0  # shown below the focus; 0: all
    pv: bool = False  # only the principal variation from the focus on

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ViewSpec:
        """The spec of `?budget=300&opened=1,5&closed=7&focus=0&whole=9&least=10&top=3&levels=4&pv=1`; what is left out
        takes its default."""
        budget = _number("budget", query.get("budget"), DEFAULT_BUDGET)
        if not 1 <= budget <= MAX_BUDGET:
            raise PageError(f"budget={budget}: choose a number of nodes from 1 to {MAX_BUDGET:,}")
        return cls(
            budget=budget,
            opened=_numbers("opened", query.get("opened")),
            closed=_numbers("closed", query.get("closed")),
            focus=_number("focus", query.get("focus"), 0),
            whole=_numbers("whole", query.get("whole")),
            least=_number("least", query.get("least"), 0),
            top=_number("top", query.get("top"), 0),
            levels=_number("levels", query.get("levels"), 0),
            pv=_number("pv", query.get("pv"), 0) > 0,
        )

    def to_query(self) -> dict[str, str]:
        """The query arguments that `from_query` reads back to an equal spec."""
        return {
            "budget": str(self.budget),
            "opened": ",".join(map(str, sorted(self.opened))),
            "closed": ",".join(map(str, sorted(self.closed))),
            "focus": str(self.focus),
            "whole": ",".join(map(str, sorted(self.whole))),
            "least": str(self.least),
            "top": str(self.top),
            "levels": str(self.levels),
            "pv": str(int(self.pv)),
        }

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set."""
        return bool(self.least or self.top or self.levels or self.pv)


@dataclass(frozen=True)
class Visible:
    """The items of a picture: V visible nodes by ascending id, then S stubs, one for each cut child list."""

    spec: ViewSpec
    node: npt.NDArray[np.int32]  # [V + S] node id; of a stub, the node whose children it stands for
    parent: npt.NDArray[np.int32]  # [V + S] item of the parent, NO_ITEM for the focus
    n_nodes: int  # V
    n_children: npt.NDArray[np.int32]  # [V] children in the whole trace, shown or not
    hidden_children: npt.NDArray[np.int32]  # [S] children that a stub stands for
    hidden_visits: npt.NDArray[np.int64]  # [S] their final visits
    item_of_node: npt.NDArray[
        np.int32
    ]  # [N] item that counts a node's updates: its own or its parent's stub

    def __len__(self) -> int:
        return len(self.node)


def visible_of(columns: Columns, final: Snapshot, spec: ViewSpec) -> Visible:
    """The items that the spec asks for; `final` is the trace's last snapshot. Raises PageError for an unknown node."""
    is_there = 0 <= spec.focus < len(final)
    line = principal_line(final, spec.focus) if spec.pv and is_there else ()
    return visible_items(columns, final.visits, spec, line)


def principal_line(snapshot: Snapshot, node: int) -> list[int]:
    """Node ids from the node along the final-move rule's choice at every node."""
    line = [node]
    while ranked := snapshot.ranked_children(line[-1]):
        line.append(ranked[0])
    return line


def visible_items(
    columns: Parents,
    final_visits: npt.NDArray[np.int32],
    spec: ViewSpec,
    line: Sequence[int] = (),
) -> Visible:
    """The items that the spec asks for; `line` is the principal variation from the focus on, for `spec.pv`. Ties in
    visits go to the lower id; raises PageError for an unknown node."""
    parent = columns.parent[: len(final_visits)]  # the trace may be growing meanwhile
    _check_nodes(spec, len(parent))
    passed = _passed_by_filters(parent, final_visits, spec, line) if spec.is_filtered else None
    shown = _taken_by_visits(parent, final_visits, spec, passed)
    _show_children_of_opened(parent, shown, spec, passed)
    _show_whole_subtrees(parent, final_visits, shown, spec)
    node = np.flatnonzero(shown).astype(np.int32)
    return _with_stubs(parent, final_visits, shown, node, spec)


def final_visits(columns: Columns) -> npt.NDArray[np.int32]:
    """[N] visits after the last iteration, straight from the recorded updates."""
    total = np.bincount(
        columns.update_node, weights=columns.update_visits, minlength=len(columns.parent)
    )
    return total.astype(np.int32)


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
) -> npt.NDArray[np.bool_]:
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


def _is_near(parent: npt.NDArray[np.int32], focus: int, levels: int) -> npt.NDArray[np.bool_]:
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
    parent: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    spec: ViewSpec,
    passed: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.bool_]:
    key = _smallest_on_path(parent, visits, spec, passed)
    shown = np.zeros(len(parent), bool)
    shown[_best(key, _likely(key, spec.budget), spec.budget)] = True
    shown[spec.focus] = True
    return shown


def _likely(key: npt.NDArray[np.int32], n_taken: int) -> npt.NDArray[np.int64]:
    """Nodes among which the best ones are: those above a limit that enough of them pass, for in a
    large tree most have a visit or two. None with a key below 0."""
    least = int(key.max()) // n_taken
    while least and np.count_nonzero(key >= least) < n_taken:
        least //= 4
    return np.flatnonzero(key >= least)


def _best(
    key: npt.NDArray[np.int32], eligible: npt.NDArray[np.int64], n_taken: int
) -> npt.NDArray[np.int64]:
    """At most so many of the eligible nodes, those with the greatest keys; ties go to the lower id."""
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
    passed: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.int32]:
    """[N] least visits among a node and its ancestors, -1 outside the focus, below closed nodes, and from a node on
    that did not pass the filters.

    A node's ancestors never rank below it, so the best nodes by this key are a tree whatever was recorded.
    """
    above = parent.copy()
    above[0] = 0
    whole_tree = spec.focus == 0 and not spec.closed and passed is None
    if whole_tree and bool((visits <= visits[above]).all()):
        return visits
    key = visits.copy()
    if spec.focus != 0:
        key[0] = -1
        key[spec.focus] = visits[spec.focus]
        above[spec.focus] = spec.focus
    if spec.closed:
        closed = np.zeros(len(parent), bool)
        closed[list(spec.closed)] = True
        below = closed[parent]
        below[0] = below[spec.focus] = False
        key[below] = -1
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
    shown: npt.NDArray[np.bool_],
    spec: ViewSpec,
    passed: npt.NDArray[np.bool_] | None,
) -> None:
    """The focus counts as opened, but its children have to pass the filters."""
    opened = np.zeros(len(parent), bool)
    for node in spec.opened:
        path = _path_from_focus(parent, node, spec)
        if path is not None:
            shown[path] = True
            opened[node] = True
    children = opened[parent] if spec.opened else np.zeros(len(parent), bool)
    if spec.focus not in spec.closed and not opened[spec.focus]:
        children |= (parent == spec.focus) & (True if passed is None else passed)
    children[0] = children[spec.focus] = False
    shown[children] = True


def _show_whole_subtrees(
    parent: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    shown: npt.NDArray[np.bool_],
    spec: ViewSpec,
) -> None:
    inside, cut = np.int8(1), np.int8(2)
    mark = np.zeros(len(parent), np.int8)
    if spec.closed:
        mark[np.isin(parent, list(spec.closed))] = cut
    mark[[0, spec.focus]] = 0
    for node in spec.whole:
        path = _path_from_focus(parent, node, spec)
        if path is not None:
            shown[path] = True
            mark[node] = inside
    if not (mark == inside).any():
        return
    key = _smallest_on_path(parent, visits, spec, None)
    wanted = np.flatnonzero((nearest_mark(mark, parent) == inside) & (key >= 0))
    shown[_best(key, wanted, WHOLE_AT_MOST)] = True


def _path_from_focus(parent: npt.NDArray[np.int32], node: int, spec: ViewSpec) -> list[int] | None:
    """The node and its ancestors up to the focus; None when the focus or a closed node cuts it off."""
    path = []
    at = node
    while True:
        if at in spec.closed:
            return None
        path.append(at)
        if at == spec.focus:
            return path
        if at == 0:
            return None
        at = int(parent[at])


def _with_stubs(
    parent: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    shown: npt.NDArray[np.bool_],
    node: npt.NDArray[np.int32],
    spec: ViewSpec,
) -> Visible:
    n_nodes = len(node)
    item_of_node = np.full(len(parent), NO_ITEM, np.int32)
    item_of_node[node] = np.arange(n_nodes, dtype=np.int32)
    parent_item = item_of_node[parent]
    parent_item[0] = parent_item[spec.focus] = NO_ITEM
    n_children = np.bincount(parent_item[parent_item >= 0], minlength=n_nodes).astype(np.int32)

    hidden = np.flatnonzero(~shown & (parent_item != NO_ITEM))
    if spec.closed:
        hidden = hidden[~np.isin(parent[hidden], list(spec.closed))]
    cut, stub_of_hidden = np.unique(parent_item[hidden], return_inverse=True)
    item_of_node[hidden] = n_nodes + stub_of_hidden
    return Visible(
        spec=spec,
        node=np.concatenate([node, node[cut]]).astype(np.int32),
        parent=np.concatenate([parent_item[node], cut]).astype(np.int32),
        n_nodes=n_nodes,
        n_children=n_children,
        hidden_children=np.bincount(stub_of_hidden, minlength=len(cut)).astype(np.int32),
        hidden_visits=np.bincount(
            stub_of_hidden, weights=visits[hidden], minlength=len(cut)
        ).astype(np.int64),
        item_of_node=item_of_node,
    )


def _check_nodes(spec: ViewSpec, n_nodes: int) -> None:
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


def _number(name: str, text: str | None, default: int) -> int:
    if text is None or text == "":
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise PageError(f"{name}={text[:40]!r}: a whole number is expected")
    return int(text)


def _numbers(name: str, text: str | None) -> frozenset[int]:
    if text is None or text == "":
        return frozenset()
    return frozenset(_number(name, part, 0) for part in text.split(","))
