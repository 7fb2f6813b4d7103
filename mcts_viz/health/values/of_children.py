"""Whether each node's value follows from its children's alone, whatever the rule: a soft maximum (MENTS, Xiao et al.
2019), an expectation, any average, with rewards or without. Then a node changes when its child does, the same way, and
by no more: the mean of what came back does not, for a result may lie between a node's mean and its child's.
"""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.types import Bools, Floats

FEW = 50  # steps from a node to its child that tell
NEARLY_ALL = 0.995
OFTEN = 0.3  # share of the children's changes that go on to the node above
HALF = 0.5  # of the steps
SOME = 0.03  # share of the steps at which the result lies between the two values: there a mean goes the other way
WORDS = (
    "the value of a node follows from its children's, and is no mean: at {agree:,} of {steps:,} steps it changed as "
    "the value of the child on the path did, the same way and by no more (a soft maximum, an expectation, an average "
    "with weights of its own, with rewards of moves or without)"
)


def follows_children(search: CheckedSearch) -> str | None:
    """In words, where it does; None where it does not, or too few steps tell. Values are taken to be in one view."""
    if search.meta.watched.value_kind != "mean":
        return None
    agree = told = goes_on = between = 0
    # steps at which a result may have been added to both, and divided wrongly
    same = np.zeros(3, np.int64)
    for part in search.ranges():
        steps, before = part.steps, part.before_steps()
        visits = before.visits + steps.visits
        with np.errstate(divide="ignore", invalid="ignore"):
            was = before.value_sum / before.visits
            change = (before.value_sum + steps.value) / visits - was
            result = np.full(part.n + 1, np.nan)  # of each iteration: what its leaf got
            leaf = np.flatnonzero(steps.is_leaf)
            result[steps.iteration[leaf] - part.first] = (steps.value / steps.visits)[leaf]
        pairs = np.flatnonzero(
            (steps.iteration[1:] == steps.iteration[:-1]) & (steps.visits[1:] > 0)
        )
        pairs = pairs[(before.visits[pairs] > 0) & (before.visits[pairs + 1] > 0)]
        above, below = change[pairs], change[pairs + 1]
        says = np.abs(below) > search.slack
        for at, n in enumerate((np.ones_like(visits), before.visits, visits)):
            apart = np.abs(n[pairs] * above) - np.abs(n[pairs + 1] * below)
            same[at] += int((np.abs(apart) <= search.slack * (1 + n[pairs]))[says].sum())
        told += int(says.sum())
        agree += int(_agrees(above, below, search.slack)[says].sum())
        goes_on += int((np.abs(above) > search.slack)[says].sum())
        came = result[steps.iteration[pairs] - part.first]
        between += int(((came - was[pairs]) * (came - was[pairs + 1]) < 0)[says].sum())
    if same.max() > HALF * told:
        return None  # a mean of results that is updated wrongly, or their sum
    # results that are all a win or a loss pull every mean the same way
    if min(told, between) < FEW or between < SOME * told:
        return None
    if agree < NEARLY_ALL * told or goes_on < OFTEN * told:
        return None
    return WORDS.format(agree=agree, steps=told)


def _agrees(above: Floats, below: Floats, slack: float) -> Bools:
    """[k] whether the change of a node goes the way of its child's, and no farther."""
    same_way = (above * below >= 0) | (np.abs(above) <= slack)
    return np.asarray(same_way & (np.abs(above) <= np.abs(below) * (1 + 1e-6) + slack))
