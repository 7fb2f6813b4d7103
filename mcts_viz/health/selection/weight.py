"""Whether the exploration weight fits the scale of the values that are compared: a weight for values from 0 to 1 does
next to nothing beside values from 0 to 100."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import GREEDY_BELOW, Fit
from mcts_viz.health.selection.infer import FEW_CHOICES, SCALED

MIDDLE = (0.05, 0.95)  # quantiles between which most values lie
SMALL, LARGE = 0.07, 20.0  # c as a part of their range


def check_weight(
    rows: ComparedChildren, rule: Fit, declared: float | None = None
) -> Iterator[Finding]:
    """A note where c is small, or large, beside the values of the children that were compared."""
    fits = declared is not None and rule.low <= declared <= rule.high
    c = declared if fits and declared is not None else rule.c
    if rule.of < FEW_CHOICES or not np.isfinite(rule.high) or rule.rule.value in SCALED:
        return
    visited = rows.visits > 0
    values = rule.rule.value(rows)[visited]
    if not len(values):
        return
    low, high = np.quantile(values, MIDDLE).tolist()
    width, whole = high - low, float(np.ptp(values))
    if rule.high >= GREEDY_BELOW and c < SMALL * width:
        hardly = ", and priors hardly count" if rule.rule.width.needs_priors else ""
        what = (
            f"small beside the values that are compared, most of which lie from {low:.3g} to {high:.3g}: next to "
            f"nothing is explored{hardly}. What is usual for values from 0 to 1 wants to be {width:.3g} times as large "
            "here, or values scaled to [0, 1]: by the range of results or, as MuZero does, by the least and greatest "
            "value seen"
        )
    elif 0.0 < LARGE * whole < rule.low:
        what = (
            f"large beside the values that are compared, which lie from {values.min():.3g} to {values.max():.3g}: they "
            "hardly count, and all moves get as many visits"
        )
    else:
        return
    yield found(
        "selection-weight", None, None, f"c = {c:.3g} is {what}",
        c=c, width=width,
    )  # fmt: skip
