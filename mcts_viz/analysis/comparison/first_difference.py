"""The first iteration in which two searches differ: in the nodes made, or in the visits or values
added."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.comparison.common_scale import CommonScale
from mcts_viz.analysis.comparison.union_tree import NOT_THERE, UnionTree

if TYPE_CHECKING:
    from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.memory import pieces
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Bools, Floats, Ints

NEVER = np.iinfo(np.int64).max
AT_ONCE = 1 << 14  # iterations compared at a time
ROUNDING = 1e-9  # relative, of values that were brought to another scale


class FirstDifference(NamedTuple):
    """Iterations count from the first one that both searches have: a search that was resumed at
    iteration t of another one goes on with t + 1."""

    compared: int  # iterations that both have
    iteration_a: int | None  # the first that differs, A's count; None: none does
    iteration_b: int | None  # the same one, B's count; another number where one was resumed
    what: str  # differs, in words; "" for nothing


class _ComparedRange(NamedTuple):
    """The `n` iterations after the first `begin` ones of a trace."""

    trace: Trace
    begin: int
    n: int
    union_of: npt.NDArray[np.int32]  # [nodes] union ids


def resumed_at(meta: TraceMeta) -> int:
    """How many iterations the search had behind it when this recording began, as far as known."""
    return 0 if meta.resumed is None else meta.resumed.iteration


def knows_root_value(trace: Trace) -> bool:
    """Whether the recording saw the root's value; many searches keep none there."""
    return "value of the root" not in trace.meta.not_observed


def first_difference(a: Trace, b: Trace, tree: UnionTree, scale: CommonScale) -> FirstDifference:
    """Over all iterations that both traces have; values count where they are comparable."""
    begin = max(resumed_at(a.meta), resumed_at(b.meta))
    begin_a, begin_b = begin - resumed_at(a.meta), begin - resumed_at(b.meta)
    n = min(a.n_iterations - begin_a, b.n_iterations - begin_b)
    if n < 0:
        return FirstDifference(0, None, None, "")
    sides = _ComparedRange(a, begin_a, n, tree.of_a), _ComparedRange(b, begin_b, n, tree.of_b)
    found = [
        (0 if _begins_differently(*sides, scale) else NEVER, "the trees that they begin with"),
        (_first_birth(*sides, tree), "the nodes made"),
        (_first_update(*sides, scale), "what backpropagation added"),
    ]
    first, what = min(found, key=lambda each: each[0])
    if first == NEVER:
        return FirstDifference(n, None, None, "")
    return FirstDifference(n, begin_a + first, begin_b + first, what)


def _begins_differently(a: _ComparedRange, b: _ComparedRange, scale: CommonScale) -> bool:
    """Whether the trees before the stretches differ in nodes, visits or values."""
    at_a, at_b = a.trace.at(a.begin), b.trace.at(b.begin)
    if at_a.n_nodes != at_b.n_nodes:
        return True
    in_a, in_b = a.union_of[: at_a.n_nodes], b.union_of[: at_b.n_nodes]
    order_a, order_b = np.argsort(in_a), np.argsort(in_b)
    if not np.array_equal(in_a[order_a], in_b[order_b]):
        return True
    visits_a, visits_b = at_a.visits[order_a], at_b.visits[order_b]
    if not np.array_equal(visits_a, visits_b):
        return True
    values_a, values_b = at_a.value_sum[order_a], at_b.value_sum[order_b]
    return bool(_other_values(values_a, values_b, visits_b, scale).any())


def _first_birth(a: _ComparedRange, b: _ComparedRange, tree: UnionTree) -> int:
    """The first iteration of the stretch after which one tree has a node that the other has not."""
    first = NEVER
    for some in pieces(len(tree.parent)):
        born_a, born_b = _births(a, tree.node_a[some]), _births(b, tree.node_b[some])
        earlier = np.minimum(born_a, born_b)
        other = (born_a != born_b) & (earlier > 0) & (earlier <= a.n)
        first = int(earlier[other].min(initial=first))
    return first


def _births(side: _ComparedRange, node: npt.NDArray[np.int32]) -> Ints:
    """[k] in which iteration of the stretch each of these nodes was made; 0 before it."""
    born = side.trace.columns.nodes.born[np.maximum(node, 0)].astype(np.int64) - side.begin
    return np.where(node == NOT_THERE, NEVER, np.maximum(born, 0))


def _first_update(a: _ComparedRange, b: _ComparedRange, scale: CommonScale) -> int:
    """The first iteration of the stretch that updated other nodes, or by other amounts."""
    for after in range(0, a.n, AT_ONCE):
        found = _first_update_between(a, b, scale, after, min(after + AT_ONCE, a.n))
        if found is not None:
            return found
    return NEVER


def _first_update_between(
    a: _ComparedRange, b: _ComparedRange, scale: CommonScale, after: int, until: int
) -> int | None:
    """The first of iterations after + 1 to until of the stretch; None: there is none."""
    ends_a, ends_b = (
        side.trace.columns.updates.offset[side.begin + after : side.begin + until + 1]
        for side in (a, b)
    )
    uneven = np.flatnonzero(np.diff(ends_a) != np.diff(ends_b))
    n = int(uneven[0]) if len(uneven) else until - after
    rows = [slice(int(ends[0]), int(ends[n])) for ends in (ends_a, ends_b)]
    in_a, in_b = (side.trace.columns for side in (a, b))
    visits_b = in_b.updates.visits[rows[1]]
    differ = a.union_of[in_a.updates.node[rows[0]]] != b.union_of[in_b.updates.node[rows[1]]]
    differ |= in_a.updates.visits[rows[0]] != visits_b
    values = in_a.updates.value[rows[0]], in_b.updates.value[rows[1]]
    others = _other_values(*values, visits_b, scale)
    if not (knows_root_value(a.trace) and knows_root_value(b.trace)):
        others &= in_b.updates.node[rows[1]] != 0
    differ |= others
    if differ.any():
        row = int(np.argmax(differ)) + int(ends_a[0])
        return after + int(np.searchsorted(ends_a, row, side="right"))
    return after + int(uneven[0]) + 1 if len(uneven) else None


def _other_values(
    a: Floats,
    b: Floats,
    visits: npt.NDArray[np.int32],
    scale: CommonScale,
) -> Bools:
    """[k] whether sums over as many visits differ; nowhere where they are not comparable."""
    if not scale.comparable:
        return np.zeros(len(a), np.bool_)
    if scale.same:
        return np.asarray(a != b)
    brought = scale.factor * b + scale.offset * visits
    return np.asarray(np.abs(a - brought) > ROUNDING * np.maximum(1.0, np.abs(a)))
