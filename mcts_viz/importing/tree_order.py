"""From a graph's ids and edges to the order that trees have here: 0 to n − 1, parents before
children.

The edges say which node is whose child. Knows graphs; knows nothing of statistics or of JSON.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.snapshot_schema import SnapshotEdge
from mcts_viz.trace.strict_json import shown
from mcts_viz.types import Ints

Ids = Sequence[int | str]


class TreeOrder(NamedTuple):
    """The nodes of a tree in order of creation, as far as parents first allows it."""

    order: Ints  # [N] new id -> position in the file
    parent: npt.NDArray[np.int32]  # [N] new id -> new id of the parent, -1 at the root


def tree_order(
    ids: Ids, parents: Sequence[object], edges: Sequence[SnapshotEdge], source: str
) -> TreeOrder:
    """The order of creation: by id where ids are numbers, else by place in the file.

    Raises ImportFormatError, naming node or edge, when the graph is not one tree, or when the
    nodes' `parent` says otherwise than the edges.
    """
    position = _positions(ids, source)
    parent = _parents_from_edges(ids, position, edges, source)
    _check_parent_fields(ids, position, parents, parent, source)
    roots = np.flatnonzero(parent < 0)
    if len(roots) > 1:
        some = ", ".join(shown(ids[root]) for root in roots[:5])
        raise ImportFormatError(
            f"{source}: {len(roots)} nodes have no parent ({some}{', …' * (len(roots) > 5)}), "
            "so this is more than one tree; add the missing edges or remove all but one tree"
        )
    if len(roots) == 0:
        _refuse_cycle(ids, parent, 0, source)
    in_file_order = np.arange(len(ids))
    if ids == list(range(len(ids))) and (parent < in_file_order).all():
        return TreeOrder(in_file_order, parent.astype(np.int32))
    return _parents_first(ids, parent, int(roots[0]), source)


def _positions(ids: Ids, source: str) -> dict[int | str, int]:
    if not ids:
        raise ImportFormatError(f"{source}: it has no nodes; a snapshot has at least its root")
    position: dict[int | str, int] = {}
    for place, node_id in enumerate(ids):
        if position.setdefault(node_id, place) != place:
            raise ImportFormatError(
                f"{source}: nodes[{position[node_id]}] and nodes[{place}] have the same id "
                f"{shown(node_id)}; ids must be distinct"
            )
    return position


def _parents_from_edges(
    ids: Ids, position: dict[int | str, int], edges: Sequence[SnapshotEdge], source: str
) -> Ints:
    parent = [-1] * len(ids)
    for number, edge in enumerate(edges):
        start, child = position.get(edge.source), position.get(edge.target)
        if start is None or child is None:
            name = "source" if start is None else "target"
            raise ImportFormatError(
                f"{source}: edges[{number}].{name}: there is no node {shown(getattr(edge, name))}; "
                "write the id of a node"
            )
        if parent[child] >= 0:
            raise ImportFormatError(
                f"{source}: node {shown(edge.target)} has two parents, "
                f"{shown(ids[parent[child]])} and {shown(edge.source)} (edges[{number}]); in a tree "
                "each node has one: remove an edge"
            )
        parent[child] = start
    return np.array(parent, np.int64)


def _check_parent_fields(
    ids: Ids,
    position: dict[int | str, int],
    said: Sequence[object],
    parent: Ints,
    source: str,
) -> None:
    for place, (claim, true_place) in enumerate(zip(said, parent.tolist(), strict=True)):
        edge_says = None if true_place < 0 else ids[true_place]
        if claim is UNSET or claim == edge_says:
            continue
        where = f'{source}: node {shown(ids[place])}: "parent" is {shown(claim)}'
        if claim is not None and claim not in position:
            raise ImportFormatError(
                f"{where}, and there is no such node; name its parent, or null at the root"
            )
        edge = f"its edge comes from {shown(edge_says)}"
        edge = "no edge leads to it" if edge_says is None else edge
        raise ImportFormatError(
            f"{where}, but {edge}; correct one of the two, or leave `parent` out of all nodes"
        )


def _parents_first(ids: Ids, parent: Ints, root: int, source: str) -> TreeOrder:
    n = len(ids)
    children = np.argsort(parent, kind="stable")[1:]  # grouped by parent; the root comes first
    first = np.searchsorted(parent[children], np.arange(n + 1))
    numbered = all(type(node_id) is int for node_id in ids)
    waiting: list[tuple[object, int]] = [(ids[root] if numbered else root, root)]
    order: list[int] = []
    while waiting:
        _, place = heapq.heappop(waiting)
        order.append(place)
        for child in children[first[place] : first[place + 1]].tolist():
            heapq.heappush(waiting, (ids[child] if numbered else child, child))
    if len(order) < n:
        reached = np.zeros(n, bool)
        reached[order] = True
        _refuse_cycle(ids, parent, int(np.flatnonzero(~reached)[0]), source)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    new_parent = np.where(parent[order] < 0, -1, rank[parent[order]])
    return TreeOrder(np.array(order, np.int64), new_parent.astype(np.int32))


def _refuse_cycle(ids: Ids, parent: Ints, place: int, source: str) -> NoReturn:
    for _ in range(len(ids)):  # n steps up: without a root on the way, that ends in the cycle
        place = int(parent[place])
    raise ImportFormatError(
        f"{source}: node {shown(ids[place])} is its own ancestor: its edges run in a circle; "
        "remove one of them"
    )
