"""The ends of selected paths that no item of a picture shows: nodes in stubs or below closed ones, and their numbers.

A picture hides most nodes; what its iteration did is drawn all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.sums import Sums
from mcts_viz.types import Floats, Ints
from mcts_viz.views.visible import Visible

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns


class Known(NamedTuple):
    """What is at hand already: the sums of any nodes after an iteration."""

    iteration: int
    sums_of: Callable[[Ints], Sums]


class HiddenEnds(NamedTuple):
    """K hidden nodes of the paths of n iterations, each path from its first hidden node to its leaf."""

    offset: npt.NDArray[np.int32]  # [n + 1] into the others
    node: npt.NDArray[np.int32]  # [K]
    visits: npt.NDArray[np.int32]  # [K] after the iteration
    value_sum: Floats  # [K] likewise, view of the player who moved into the node
    visits_before: npt.NDArray[np.int32]  # [K]
    value_sum_before: Floats  # [K]


def hidden_ends(
    columns: Columns, visible: Visible, known: Known, first: int, last: int
) -> HiddenEnds:
    """The hidden ends of iterations first + 1 to last; `known`: at iteration `first` or before."""
    place, node = _climbed(columns, visible, first, last)
    offset = np.searchsorted(place, np.arange(last - first + 1)).astype(np.int32)
    nodes, which = np.unique(node, return_inverse=True)
    begin = int(columns.updates.offset[known.iteration])
    rows = slice(begin, int(columns.updates.offset[last]))
    touched = columns.updates.node[rows]
    at = np.searchsorted(nodes, touched)
    row = np.flatnonzero(nodes[np.minimum(at, len(nodes) - 1)] == touched) if len(nodes) else at[:0]
    row = row[np.argsort(at[row], kind="stable")]
    n_rows = len(touched) + 1
    key = at[row] * n_rows + row  # rises: by node, then by time
    start = np.searchsorted(key, which * n_rows)
    ends = columns.updates.offset[first : last + 1].astype(np.int64) - begin
    then = np.searchsorted(key, which * n_rows + ends[place + 1])
    before = np.searchsorted(key, which * n_rows + ends[place])
    there = np.flatnonzero(node < columns.node_count[known.iteration])
    old = known.sums_of(node[there].astype(np.int64))
    sums: list[npt.NDArray[np.float64]] = []
    for added, had in (
        (columns.updates.visits[rows], old.visits),
        (columns.updates.value[rows], old.value_sum),
    ):
        total = np.concatenate([[0.0], np.cumsum(added[row], dtype=np.float64)])
        base = np.zeros(len(node))
        base[there] = had
        sums += [base + total[then] - total[start], base + total[before] - total[start]]
    visits, visits_before, value, value_before = sums
    return HiddenEnds(
        offset, node, visits.astype(np.int32), value, visits_before.astype(np.int32), value_before
    )


def _climbed(
    columns: Columns, visible: Visible, first: int, last: int
) -> tuple[Ints, npt.NDArray[np.int32]]:
    """The hidden nodes of each path, its first one first, and the iteration of each, counted from `first` + 1 as 0."""
    at = columns.leaf[first:last].astype(np.int64)
    climbing = np.flatnonzero(_is_hidden(visible, at))
    iteration = np.arange(first + 1, last + 1)
    row = columns.paths.begin(iteration, at)
    rounds: list[tuple[Ints, Ints]] = []
    misses = np.zeros(len(at), bool)  # paths that do not lead through the focus
    while climbing.size:
        rounds.append((climbing, at[climbing]))
        at[climbing], row[climbing] = columns.paths.above(
            iteration[climbing], at[climbing], row[climbing]
        )
        misses[climbing[at[climbing] < 0]] = True
        climbing = climbing[at[climbing] >= 0]
        climbing = climbing[_is_hidden(visible, at[climbing])]
    if not rounds:
        return np.zeros(0, np.int64), np.zeros(0, np.int32)
    place = np.concatenate([where for where, _ in reversed(rounds)])
    node = np.concatenate([nodes for _, nodes in reversed(rounds)])
    order = np.argsort(place, kind="stable")
    order = order[~misses[place[order]]]
    return place[order], node[order].astype(np.int32)


def _is_hidden(visible: Visible, node: Ints) -> npt.NDArray[np.bool_]:
    """[k] whether no item shows the node itself; one of a stub counts as hidden."""
    item = visible.item_of_node[node]
    hidden: npt.NDArray[np.bool_] = (item < 0) | (item >= visible.n_nodes)
    return hidden
