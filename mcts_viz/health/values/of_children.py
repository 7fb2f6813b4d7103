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
WORDS = (
    "the value of a node follows from its children's, and is no mean: at {agree:,} of {steps:,} steps it changed as "
    "the value of the child on the path did, the same way and by no more (a soft maximum, an expectation, an average "
    "with weights of its own, with rewards of moves or without)"
)


def follows_children(search: CheckedSearch) -> str | None:
    """In words, where it does; None where it does not, or too few steps tell."""
    if search.meta.watched.value_kind != "mean":
        return None
    signs = [1.0] if search.alone else [1.0, -1.0]
    agree, told, goes_on = dict.fromkeys(signs, 0), 0, dict.fromkeys(signs, 0)
    for part in search.ranges():
        steps, before = part.steps, part.before_steps()
        visits = before.visits + steps.visits
        with np.errstate(divide="ignore", invalid="ignore"):
            was = before.value_sum / before.visits
            change = (before.value_sum + steps.value) / visits - was
        pairs = np.flatnonzero(
            (steps.iteration[1:] == steps.iteration[:-1]) & (steps.visits[1:] > 0)
        )
        pairs = pairs[(before.visits[pairs] > 0) & (before.visits[pairs + 1] > 0)]
        above, below = change[pairs], change[pairs + 1]
        says = np.abs(below) > search.slack
        told += int(says.sum())
        for sign in signs:
            agree[sign] += int(_agrees(above, sign * below, search.slack)[says].sum())
            goes_on[sign] += int((np.abs(above) > search.slack)[says].sum())
    best = max(signs, key=agree.__getitem__)
    if told < FEW or agree[best] < NEARLY_ALL * told or goes_on[best] < OFTEN * told:
        return None
    return WORDS.format(agree=agree[best], steps=told)


def _agrees(above: Floats, below: Floats, slack: float) -> Bools:
    """[k] whether the change of a node goes the way of its child's, and no farther."""
    same_way = (above * below >= 0) | (np.abs(above) <= slack)
    return np.asarray(same_way & (np.abs(above) <= np.abs(below) * (1 + 1e-6) + slack))
