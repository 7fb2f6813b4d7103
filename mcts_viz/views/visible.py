"""Which nodes of a trace a picture shows, and what it says about the ones it leaves out.

A view names a budget of nodes, a focus, and nodes opened or closed by hand. The answer depends on the final visits
alone, so it is the same at every iteration: stepping adds no node that was not there in the layout. Knows neither
coordinates nor iterations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import PageError

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns

DEFAULT_BUDGET = 300
MAX_BUDGET = 200_000
NO_ITEM = -1


@dataclass(frozen=True)
class ViewSpec:
    """What somebody asked to see of a tree."""

    budget: int = DEFAULT_BUDGET  # nodes taken by final visits
    opened: frozenset[int] = frozenset()  # node ids all of whose children are shown
    closed: frozenset[int] = frozenset()  # node ids whose descendants are not shown
    focus: int = 0  # node id drawn as the root

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ViewSpec:
        """The spec of `?budget=300&opened=1,5&closed=7&focus=0`; what is left out takes its default."""
        budget = _number("budget", query.get("budget"), DEFAULT_BUDGET)
        if not 1 <= budget <= MAX_BUDGET:
            raise PageError(f"budget={budget}: choose a number of nodes from 1 to {MAX_BUDGET:,}")
        return cls(
            budget=budget,
            opened=_numbers("opened", query.get("opened")),
            closed=_numbers("closed", query.get("closed")),
            focus=_number("focus", query.get("focus"), 0),
        )

    def to_query(self) -> dict[str, str]:
        """The query arguments that `from_query` reads back to an equal spec."""
        return {
            "budget": str(self.budget),
            "opened": ",".join(map(str, sorted(self.opened))),
            "closed": ",".join(map(str, sorted(self.closed))),
            "focus": str(self.focus),
        }


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


def visible_items(columns: Columns, final_visits: npt.NDArray[np.int32], spec: ViewSpec) -> Visible:
    """The items that the spec asks for. Ties in visits go to the lower id; raises PageError for an unknown node."""
    parent = columns.parent[: len(final_visits)]  # the trace may be growing meanwhile
    _check_nodes(spec, len(parent))
    shown = _taken_by_visits(parent, final_visits, spec)
    _show_children_of_opened(parent, shown, spec)
    node = np.flatnonzero(shown).astype(np.int32)
    return _with_stubs(parent, final_visits, shown, node, spec)


def final_visits(columns: Columns) -> npt.NDArray[np.int32]:
    """[N] visits after the last iteration, straight from the recorded updates."""
    total = np.bincount(
        columns.update_node, weights=columns.update_visits, minlength=len(columns.parent)
    )
    return total.astype(np.int32)


def _taken_by_visits(
    parent: npt.NDArray[np.int32], visits: npt.NDArray[np.int32], spec: ViewSpec
) -> npt.NDArray[np.bool_]:
    key = _smallest_on_path(parent, visits, spec)
    eligible = np.flatnonzero(key >= 0)
    ranked = key[eligible]
    if len(eligible) > spec.budget:
        threshold = np.partition(ranked, len(ranked) - spec.budget)[len(ranked) - spec.budget]
        above = eligible[ranked > threshold]
        level = eligible[ranked == threshold][: spec.budget - len(above)]
        eligible = np.concatenate([above, level])
    shown = np.zeros(len(parent), bool)
    shown[eligible] = True
    shown[spec.focus] = True
    return shown


def _smallest_on_path(
    parent: npt.NDArray[np.int32], visits: npt.NDArray[np.int32], spec: ViewSpec
) -> npt.NDArray[np.int32]:
    """[N] least visits among a node and its ancestors, -1 outside the focus and below closed nodes.

    A node's ancestors never rank below it, so the best nodes by this key are a tree whatever was recorded.
    """
    above = parent.copy()
    above[0] = 0
    whole_tree = spec.focus == 0 and not spec.closed
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
    parent: npt.NDArray[np.int32], shown: npt.NDArray[np.bool_], spec: ViewSpec
) -> None:
    opened = np.zeros(len(parent), bool)
    for node in spec.opened | {spec.focus}:
        path = _path_from_focus(parent, node, spec)
        if path is not None:
            shown[path] = True
            opened[node] = True
    children = opened[parent]
    children[0] = children[spec.focus] = False
    shown[children] = True


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
