"""Whether the best result that each node keeps begins above every result, as at 0 where all results are negative: it
never changes then, and the search is blind.

Where no result is told, it is seen by values alone: all nodes keep one number, which is the greatest that a result may
be, or more. A cost of 0 at each node says that no line costs anything, of which no search is made.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.types import Floats

FEW_NODES = 40  # with visits


def best_above_results(search: CheckedSearch) -> Finding | None:
    """A finding where all nodes of a single player keep one value, and results are below it."""
    if (
        not search.alone
        or search.has_rewards
        or search.meta.step_rewards
        or search.base >= search.T
    ):
        return None
    visits, total, *_ = search.statistics_after(search.T)
    value = total[visits > 0] / visits[visits > 0]
    if len(value) < FEW_NODES or float(np.ptp(value)) > search.slack:
        return None
    kept = float(value[0]) + 0.0  # no −0
    results = _told_results(search)
    if len(results) >= FEW_NODES and (results < kept - search.slack).all():
        low, high = float(results.min()), float(results.max())
        said = f"and the {len(results):,} results that are told lie from {low:g} to {high:g}"
        return replace(_finding(search, kept, len(value), said), severity="error")
    low, high = search.value_range
    told_best = search.meta.policies.backpropagation.backup == "max"
    is_beyond = kept > high + search.slack
    is_free = search.has_costs and kept >= high - search.slack
    if not (is_free or (told_best and is_beyond)):
        return None
    most = "above all results" if is_beyond else "the best of all results"
    said = f"{most} that there may be (value_range from {low:g} to {high:g})"
    return _finding(search, kept, len(value), said).as_warning()


def _told_results(search: CheckedSearch) -> Floats:
    """Of iterations, those that are told."""
    results: Floats = np.concatenate([part.result for part in search.ranges()])
    told: Floats = results[~np.isnan(results)]
    return told


def _finding(search: CheckedSearch, kept: float, n: int, said: str) -> Finding:
    told_best = search.meta.policies.backpropagation.backup == "max"
    lost = "" if told_best else ". Or results are lost on the way to the back-up"
    return found(
        "value-backup", None, 0,
        f"the value of all {n:,} nodes with visits is {kept:g} and stays so, {said}. So it is where the best result of "
        f"a node begins above every result: max(best, result) with a best that begins at {kept:g} never changes, "
        f"results never arrive in the tree, and the search is blind. Let it begin at −inf{lost}",
        backup="best that begins above all results", value=kept, nodes=n,
    )  # fmt: skip
