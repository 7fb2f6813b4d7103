"""Q = reward + γ·mean that is scaled by the least and greatest of the means, in which the reward is not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, Extremes
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import Fit, fit
from mcts_viz.health.selection.infer import FEW_CHOICES
from mcts_viz.health.selection.q_forms import BY_MEANS
from mcts_viz.health.selection.scores import PerChild, QForm, scaled_mean, scaled_mean_with_root

BEYOND = 1e-3  # of [0, 1]
FEW_APART = 5  # choices, of many, that another reading may explain, too
SCALES: dict[PerChild, Extremes] = {
    scaled_mean: Extremes.BUT_ROOT,
    scaled_mean_with_root: Extremes.ALL_NODES,
}


def beyond_scale(search: CheckedSearch, plain: QForm, form: QForm, one: Fit) -> Iterator[Finding]:
    """Q that is scaled by the least and greatest of something else, so that it may leave [0, 1]. plain: the form in
    which it is scaled by its own."""
    if form.words != BY_MEANS or one.rule.value not in SCALES or one.of < FEW_CHOICES:
        return
    rows = form.rows
    q = one.rule.value(rows)
    low, high = rows.extremes.of(SCALES[one.rule.value]).T
    scales = (high > low)[rows.of]  # before there are two values, Q is taken as it is
    beyond = scales & (rows.visits > 0) & ((q < -BEYOND) | (q > 1 + BEYOND))
    n, bad = len(rows.chosen), np.bincount(rows.of[beyond], minlength=len(rows.chosen)) > 0
    first = int(np.argmax(bad)) if bad.any() else 0
    leaves = ""
    if bad.any():
        there = q[scales & (rows.visits > 0)]
        leaves = f", and leaves [0, 1] at {int(bad.sum()):,} of {n:,} choices ({there.min():.3g} to {there.max():.3g})"
    # by its own least and greatest it would have chosen the same, but for so many
    apart = one.of - fit(search, plain.rows, one.rule).n
    finding = found(
        "selection-scale", int(rows.iteration[first]), int(rows.parent[first]),
        "Q = reward + γ·mean is scaled by the least and greatest of the means, in which the reward of the move is not"
        f"{leaves}. What is scaled is to be what the least and greatest are of",
        times=int(bad.sum()), choices=n,
    )  # fmt: skip
    few = f". {apart:,} of {one.of:,} choices alone tell it from the right scale"
    yield finding if apart >= FEW_APART else finding.as_note(finding.message + few)
