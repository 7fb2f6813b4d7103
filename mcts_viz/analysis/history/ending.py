"""Why a search ended before it had run all of its iterations, in words."""

from __future__ import annotations

import numpy as np

from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.trace.metadata_fields import BudgetLimits
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural


def ending(trace: Trace, stopped: bool | None = None) -> str | None:
    """Such as "ended after 812 of 1,000 iterations: the runner-up could no longer overtake"; None
    where the budget was used up in iterations or, without a number of those, in seconds, and where
    the trace does not tell: it is a snapshot, not complete, or names no budget. stopped: whether
    somebody asked the search to stop, which no trace tells; None where that is not known."""
    budget = trace.meta.budget
    if not trace.complete or trace.n_iterations == 0:
        return None
    if not trace.meta.has_iterations or budget == BudgetLimits():
        return None
    most, done = budget.iterations, trace.n_iterations
    if most is not None and done >= most:
        return None
    reason = _reason(trace, trace.at(done), budget, stopped)
    if reason is None:
        return None
    of = plural(done, "iteration") if most is None else f"{done:,} of {plural(most, 'iteration')}"
    return f"ended after {of}: {reason}"


def _reason(
    trace: Trace, final: Snapshot, budget: BudgetLimits, stopped: bool | None
) -> str | None:
    most, seconds = budget.iterations, budget.seconds
    if trace.meta.has_solver and final.proven is not None and not np.isnan(final.proven[0]):
        return f"the result is proven, {outcome_text(trace.meta, float(final.proven[0]))}"
    if budget.decided and most is not None and _lead(final) > most - trace.n_iterations:
        return "the runner-up could no longer overtake"
    if budget.nodes is not None and trace.n_nodes >= budget.nodes:
        return f"the tree has {trace.n_nodes:,} nodes, and {budget.nodes:,} were allowed"
    if seconds is not None and int(trace.columns.elapsed[-1]) >= seconds * 1e9:
        return None if most is None else f"the {seconds:g} s were over"
    if stopped is not True and budget.memory is not None:
        full = f"its {budget.memory:,.0f} MB were full"
        return full if stopped is False else f"{full}, or it was stopped"
    if stopped is False:  # the limit that there is without one of its own
        return "the memory that there is for it was full"
    return "stopped before its budget was used up"


def _lead(final: Snapshot) -> int:
    """Visits of the most visited root move minus those of the next."""
    visits = np.sort(final.visits[final.children(0)])
    return int(visits[-1] - (visits[-2] if len(visits) > 1 else 0)) if len(visits) else 0
