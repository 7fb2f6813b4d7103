"""What a range of iterations did as a whole: which moves it selected and by which term, nodes made, outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.choice.selections import REASONS, SelectionComparer
from mcts_viz.analysis.history.siblings import Sample, SiblingBlock, Siblings
from mcts_viz.analysis.origin.branches import quick_branches, update_rows
from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.errors import TraceError
from mcts_viz.trace.index.told import iterations_of
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.statistics import WantedNodes, node_states
from mcts_viz.trace.sums import NodeStates
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural
from mcts_viz.types import Ints

MOST_WEIGHED = (
    1 << 12
)  # selections whose terms are looked at; of more, every second one, every third one …
MOST_OUTCOMES = 12  # different outcomes that are counted each for itself


@dataclass(frozen=True)
class MoveTotal:
    """Iterations through one child."""

    node: int
    move: str
    iterations: int


@dataclass(frozen=True)
class RangeTotals:
    """Iterations `first` to `last`, as far as they went through `node`; `str` says it in words."""

    first: int
    last: int
    node: int
    iterations: int  # that updated the node
    moves: tuple[MoveTotal, ...]  # most iterations first
    ended: int  # iterations that went no further than the node
    reasons: dict[
        str, int
    ]  # selections at the node among children that were there, by what decided them
    step: int  # every step-th of these selections is looked at
    new_nodes: int  # made by these iterations
    outcomes: dict[
        str, int
    ]  # in words, most frequent first; empty where they are of very many kinds
    mean_outcome: float | None  # view of player 0; None: none recorded

    def __str__(self) -> str:
        through = "" if self.node == 0 else f" through node {self.node:,}"
        parts = [f"{plural(self.iterations, 'iteration')}{through} from {self.first:,} to {self.last:,}"]  # fmt: skip
        parts += [f"{each.move}: {each.iterations:,}" for each in self.moves]
        looked = f" (every {self.step}th looked at)" if self.step > 1 else ""
        parts += [f"decided by {name}: {n:,}{looked}" for name, n in self.reasons.items()]
        parts.append(plural(self.new_nodes, "new node"))
        parts += [f"{name}: {n:,}" for name, n in self.outcomes.items()]
        return "; ".join(parts)


def range_totals(trace: Trace, first: int, last: int, node: int = 0) -> RangeTotals:
    """The totals of iterations `first` to `last`, from 1, through `node`. Raises TraceError for iterations or a node
    that are not there."""
    tree = trace.at(last)
    node = tree.path(node)[-1]
    if not 1 <= first <= last:
        raise TraceError(
            f"iterations {first:,} to {last:,}: choose a first one from 1 to {max(last, 1):,}"
        )
    columns = trace.columns
    if columns.index is None:
        rows = update_rows(columns, node, first, last)
        updated = iterations_of(columns.updates.offset, rows, first - 1, last)
        once = np.flatnonzero(np.diff(updated, prepend=0))
        when, rows = updated[once].astype(np.int64), rows[once]
        passed = _Passed(when, quick_branches(columns, node, when, rows), rows)
    else:
        when = columns.index.updating(node, first - 1, last)
        passed = _Passed(when, columns.index.branch_taken(node, when), None)
    taken = passed.taken
    n = np.bincount(taken[(taken >= 0) & (taken != node)])
    most = np.flatnonzero(n)[np.argsort(-n[n > 0], kind="stable")]
    reasons, step = _reasons(trace, node, tree, passed)
    made = columns.node_count[when] - columns.node_count[when - 1]
    outcome = columns.outcome[when - 1]
    known = outcome[~np.isnan(outcome)]
    return RangeTotals(
        first=first,
        last=last,
        node=node,
        iterations=len(when),
        moves=tuple(MoveTotal(v, tree.short_label(v), int(n[v])) for v in most.tolist()),
        ended=len(when) - int(n.sum()),
        reasons=reasons,
        step=step,
        new_nodes=int(made.sum()),
        outcomes=_outcomes(tree, known),
        mean_outcome=float(known.mean(dtype=np.float64)) if len(known) else None,
    )


class _Passed(NamedTuple):
    """The m iterations of a range that went through the node."""

    when: Ints  # [m] rising
    taken: Ints  # [m] the child that each went on to, as `branches` tells it
    rows: Ints | None  # [m] of the node's first update in each; None: an index has no rows


def _outcomes(tree: Snapshot, known: npt.NDArray[np.float32]) -> dict[str, int]:
    values = np.unique(known[:MOST_WEIGHED])  # results of games are all among them
    n = np.array([np.count_nonzero(known == value) for value in values[: MOST_OUTCOMES + 1]], int)
    if n.sum() < len(known):
        values, n = np.unique(known, return_counts=True)
    if len(values) > MOST_OUTCOMES:
        return {}
    order = np.argsort(-n, kind="stable")
    return {outcome_text(tree.meta, float(values[i])): int(n[i]) for i in order}


def _reasons(
    trace: Trace, node: int, tree: Snapshot, passed: _Passed
) -> tuple[dict[str, int], int]:
    """The terms that decided the selections at the node, by count, and the step: every step-th selection is looked
    at."""
    last = tree.iteration
    siblings = Siblings(trace, node, last, trace.meta.keeps_squares)
    born, (when, taken, _) = trace.columns.nodes.born, passed
    chosen = np.flatnonzero((taken > node) & (born[np.maximum(taken, 0)] < when))
    if not len(chosen) or not trace.meta.knows_scores:
        return {}, 1
    step = -(-len(chosen) // MOST_WEIGHED)
    looked = chosen[::step]
    places = np.searchsorted(siblings.children, taken[looked])
    sample = Sample(len(chosen), looked, when[looked], places)
    compare = SelectionComparer(trace, node, last, siblings, sample, None)
    compare(_block(trace, [*siblings.children.tolist(), node], int(when[looked[0]]), tree, passed))
    found, _ = compare.reasons()
    return {name: int(k) for i, name in enumerate(REASONS) if (k := (found == i).sum())}, step


def _block(
    trace: Trace, family: list[int], first: int, tree: Snapshot, passed: _Passed
) -> SiblingBlock:
    """The states of the children and, behind them, of the node, from before iteration `first` to the tree."""
    before, squares, last = trace.at(first - 1), trace.meta.keeps_squares, tree.iteration
    begun = [_state_in(before, each) for each in family]
    is_quick = trace.meta.is_ours and not squares
    states = _followed(trace, begun, family, first, tree, passed) if is_quick else None
    if states is None:
        wanted = WantedNodes(family)
        states = node_states(trace.columns, wanted, first - 1, last, begun, squares)
    return SiblingBlock(first, last, states[:-1], states[-1])


def _followed(
    trace: Trace,
    begun: list[NodeStates],
    family: list[int],
    first: int,
    tree: Snapshot,
    passed: _Passed,
) -> list[NodeStates] | None:
    """The states as our own searches make them, in a third of the time: each iteration through the node, the last of
    the family, updates it, and in the next row the child. None where that does not come to the tree."""
    if passed.rows is None:
        return None
    within = slice(*np.searchsorted(passed.when, (first, tree.iteration + 1)))
    when, taken, rows = passed.when[within], passed.taken[within], passed.rows[within]
    updates, node = trace.columns.updates, family[-1]
    states = []
    for each, state in zip(family, begun):
        at: slice | Ints = slice(None)
        row = rows
        if each != node:
            at = np.flatnonzero(taken == each)
            row = rows[at] + 1
            if len(row) and (row[-1] >= len(updates.node) or (updates.node[row] != each).any()):
                return None
        visits, value = updates.visits[row], updates.value[row]
        sums = np.cumsum(np.concatenate((state.value_sum[-1:], value)))
        counts = np.cumsum(np.concatenate((state.visits[-1:], visits)), dtype=np.int32)
        if (counts[-1], sums[-1]) != (tree.visits[each], tree.value_sum[each]):
            return None
        no_squares = np.broadcast_to(state.square_sum[-1:], len(row) + 1)
        states.append(
            NodeStates(when[at].astype(np.int32), counts, sums, no_squares, visits, value, row)
        )
    return states


def _state_in(tree: Snapshot, node: int) -> NodeStates:
    """A node's statistics in a tree; none where it is not there yet."""
    if node >= tree.n_nodes:
        return NodeStates.none()
    squares = np.zeros(1) if tree.square_sum is None else tree.square_sum[node : node + 1]
    none = NodeStates.none()
    return none._replace(
        visits=tree.visits[node : node + 1],
        value_sum=tree.value_sum[node : node + 1],
        square_sum=squares,
    )
