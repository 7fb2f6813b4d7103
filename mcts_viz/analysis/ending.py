"""Why a search ended before it had run all of its iterations, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.trace.snapshot import Snapshot, has_solver
from mcts_viz.trace.trace import Trace


def ending(trace: Trace) -> str | None:
    """Such as "ended after 812 of 1,000 iterations: the runner-up could no longer overtake"; None
    where the budget was used up in iterations or, without a number of those, in seconds, and where
    the trace does not tell: it is a snapshot, not complete, or names no budget."""
    budget = trace.meta.get("budget")
    if not isinstance(budget, Mapping) or not trace.complete or trace.n_iterations == 0:
        return None
    if trace.meta.get("kind") in ("snapshot", "snapshots") or not any(budget.values()):
        return None
    most, done = budget.get("iterations"), trace.n_iterations
    if most is not None and done >= most:
        return None
    reason = _reason(trace, trace.at(done), budget)
    if reason is None:
        return None
    of = "" if most is None else f" of {most:,}"
    return f"ended after {done:,}{of} iterations: {reason}"


def _reason(trace: Trace, final: Snapshot, budget: Mapping[str, Any]) -> str | None:
    most, seconds = budget.get("iterations"), budget.get("seconds")
    if has_solver(trace.meta) and final.proven is not None and not np.isnan(final.proven[0]):
        return f"the result is proven, {outcome_text(trace.meta, float(final.proven[0]))}"
    if budget.get("decided") and most is not None and _lead(final) > most - trace.n_iterations:
        return "the runner-up could no longer overtake"
    if budget.get("nodes") is not None and trace.n_nodes >= budget["nodes"]:
        return f"the tree has {trace.n_nodes:,} nodes, and {budget['nodes']:,} were allowed"
    if seconds is not None and int(trace.columns.elapsed[-1]) >= seconds * 1e9:
        return None if most is None else f"the {seconds:g} s were over"
    return "stopped before its budget was used up"


def _lead(final: Snapshot) -> int:
    """Visits of the most visited root move minus those of the next."""
    visits = np.sort(final.visits[final.children(0)])
    return int(visits[-1] - (visits[-2] if len(visits) > 1 else 0)) if len(visits) else 0
