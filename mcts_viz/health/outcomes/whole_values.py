"""Whether values lose the fraction that the outcomes of their iterations have, as in an array of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.types import Floats, Ints

FEW = 40  # values of outcomes with a fraction
KINDS = 10  # different outcomes: more than wins, draws and losses
MOST = 100_000  # values looked at, the first ones
NEARLY_ALL = 0.98
FRACTION = 1e-3
ROUNDS_TO_WINS = 2.0  # range of outcomes in which a rounded one may be meant, as who has won
# what is added to a sum, of the sum before and the outcome
Whole = Callable[[Floats, Floats], Floats]
WAYS: dict[str, Whole] = {
    "an array of integers, int() or // in the back-up": lambda before, due: (
        np.trunc(before + due) - before
    ),
    "int() of each result": lambda _, due: np.trunc(due),
    "// in the back-up": lambda _, due: np.floor(due),
    "round() in the back-up": lambda _, due: np.rint(due),
}


class Results(NamedTuple):
    """[V] of visits below the root whose outcome has a fraction."""

    iteration: Ints
    node: Ints
    value: Floats  # added, view of who moved into the node
    due: Floats  # the outcome in that view
    before: Floats  # sum of the node's values


def check_whole_values(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where outcomes have fractions, and what visits add is their whole part; of searches whose iterations
    go one path each. Where no outcome is told nobody knows whether results are whole."""
    low, high = search.meta.reward_range
    rewarded = search.meta.step_rewards or search.has_rewards or search.discount not in (None, 1)
    if rewarded or not search.has_results or not (search.alone or low == -high):
        return
    results = _with_fractions(search)
    value, due = results.value, results.due
    if len(value) < FEW or len(np.unique(np.round(np.abs(due), 6))) < KINDS:
        return
    if (np.abs(value - np.rint(value)) > search.slack).any():
        return
    for words, whole in WAYS.items():
        if words.startswith("round") and np.ptp(due) < ROUNDS_TO_WINS:
            continue
        if (np.abs(value - whole(results.before, due)) <= search.slack).mean() < NEARLY_ALL:
            continue
        t, node = int(results.iteration[0]), int(results.node[0])
        yield found(
            "value-fraction", t, node,
            f"iteration {t:,} has the outcome {due[0]:.6g} in the view of node {node:,}, which gets {value[0]:g}: the "
            f"fraction is lost at all {len(value):,} visits looked at whose outcome has one. So it is by {words}",
            times=len(value), value=float(value[0]),
        )  # fmt: skip
        return


def _with_fractions(search: CheckedSearch) -> Results:
    parts: list[Results] = []
    n = 0
    for part in search.ranges():
        parts.append(_of_range(search, part))
        n += len(parts[-1].node)
        if n >= MOST:
            break
    return Results(*(np.concatenate(column) for column in zip(*parts)))


def _of_range(search: CheckedSearch, part: IterationRange) -> Results:
    outcome = search.trace.columns.outcome[part.first - 1 : part.last].astype(np.float64)
    if not (np.abs(outcome - np.rint(outcome)) > FRACTION).any():
        return Results(
            np.zeros(0, np.int64), np.zeros(0, np.int64), *(np.zeros(0) for _ in range(3))
        )
    steps = part.steps
    due = outcome[steps.iteration - part.first]
    if not search.alone:
        due = np.where(search.mover[steps.node] == 0, due, -due)
    use = (steps.node > 0) & (steps.visits == 1) & (np.abs(due - np.rint(due)) > FRACTION)
    iteration, node = steps.iteration[use], steps.node[use]
    return Results(
        iteration, node, steps.value[use], due[use], part.before(node, iteration).value_sum
    )
