"""Back-up of λ-returns (Sutton and Barto, 2018, chapter 12): what a node gets lies between what its child gets and what
the child is worth by itself, Δnode = reward + γ·((1 − λ)·V(child) + λ·Δchild)."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.values.of_visits import steps_down
from mcts_viz.types import Floats

NEARLY_ALL = 0.98  # of the steps
FEW = 20
NEAR = 1e-4  # of the magnitudes
VALUES = ("its own evaluation", "its mean before", "its mean then")


def lambda_of(search: CheckedSearch, discount: float) -> tuple[float, str] | None:
    """λ, and what V is, that explain nearly all steps; None where none does."""
    first = np.full(search.N, np.nan)
    parts: list[tuple[Floats, Floats, Floats, Floats]] = []
    for part in search.ranges():
        steps, before, after = part.steps, part.before_steps(), part.after_steps()
        new = steps.is_leaf & (before.visits == 0) & (steps.visits == 1)
        first[steps.node[new]] = steps.value[new]
        at, _, child, turn = steps_down(search, part)
        with np.errstate(all="ignore"):
            own = np.stack([
                first[child],
                before.value_sum[at + 1] / before.visits[at + 1],
                after.value_sum[at + 1] / after.visits[at + 1],
            ])  # fmt: skip
        due = turn * steps.value[at] - search.rewards[child]
        parts.append((due, steps.value[at + 1], np.abs(search.rewards[child]), own))
    if not parts:
        return None
    due, got, reward = (np.concatenate([each[which] for each in parts]) for which in range(3))
    for words, own in zip(VALUES, np.concatenate([each[3] for each in parts], axis=1)):
        share = _weight(due, discount * got, discount * own, reward)
        if share is not None:
            return share, words
    return None


def _weight(due: Floats, got: Floats, own: Floats, rounded: Floats) -> float | None:
    """The one λ for which λ·got + (1 − λ)·own is due, at nearly all steps; `rounded`: sizes of further numbers of
    theirs, which are known to seven digits."""
    size = np.abs(due) + np.abs(got) + np.abs(own) + rounded
    tells = np.abs(got - own) > 1e-3 * size
    if tells.sum() < FEW:
        return None
    share = float(np.median(((due - own) / (got - own))[tells]))
    known = ~np.isnan(own)
    fits = np.abs(share * got + (1 - share) * own - due)[known] <= (NEAR * size + 1e-9)[known]
    if not (1e-3 < share < 1 - 1e-3) or known.mean() < 0.5 or fits.mean() < NEARLY_ALL:
        return None
    return share
