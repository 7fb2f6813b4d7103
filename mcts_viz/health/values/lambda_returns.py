"""Back-up of λ-returns (Sutton and Barto, 2018, chapter 12): what a node gets lies between what its child gets and what
the child is worth by itself, Δnode = reward + γ·((1 − λ)·V(child) + λ·Δchild)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.values.of_visits import first_steps, steps_down
from mcts_viz.types import Floats

NEARLY_ALL = 0.98  # of the steps
FEW = 20
NEAR = 1e-4  # of the magnitudes
VALUES = ("its own evaluation", "its mean before", "its mean then")


class LambdaSteps(NamedTuple):
    """Steps of paths [S] from a node down to its child."""

    due: Floats  # what the node gets, without the reward
    got: Floats  # what the child gets, discounted
    own: Floats  # [len(VALUES), S]: what the child is worth by itself, discounted
    rounded: Floats  # sizes of further numbers of theirs, which are known to seven digits


def lambda_of(search: CheckedSearch, discount: float) -> tuple[float, str] | None:
    """λ, and what V is, that explain nearly all steps; None where none does. λ is taken from the first steps."""
    first = first_steps(LambdaSteps, _steps(search, discount))
    if first is None:
        return None
    for which, words in enumerate(VALUES):
        weight = _weight(first, which)
        if weight is not None and _holds(_steps(search, discount), which, weight):
            return weight, words
    return None


def _steps(search: CheckedSearch, discount: float) -> Iterator[LambdaSteps]:
    """All of a search, range by range."""
    first = np.full(search.N, np.nan)
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
        reward = search.rewards[child]
        yield LambdaSteps(
            turn * steps.value[at] - reward, discount * steps.value[at + 1], discount * own, np.abs(reward)
        )  # fmt: skip


def _weight(steps: LambdaSteps, which: int) -> float | None:
    """The one λ for which λ·got + (1 − λ)·own is due, by the steps that tell."""
    due, got, own = steps.due, steps.got, steps.own[which]
    tells = np.abs(got - own) > 1e-3 * _sizes(steps, which)
    if tells.sum() < FEW:
        return None
    weight = float(np.median((due - own)[tells] / (got - own)[tells]))
    return weight if 1e-3 < weight < 1 - 1e-3 else None


def _holds(parts: Iterable[LambdaSteps], which: int, weight: float) -> bool:
    """Whether nearly all steps at which V is known are so, and it is known at half of them at least."""
    n = n_known = n_right = 0
    for steps in parts:
        due, got, own = steps.due, steps.got, steps.own[which]
        known = ~np.isnan(own)
        wrong = np.abs(weight * got + (1 - weight) * own - due)
        n, n_known = n + len(due), n_known + int(known.sum())
        n_right += int((wrong <= NEAR * _sizes(steps, which) + 1e-9)[known].sum())
    return n_known >= 0.5 * n and n_right >= NEARLY_ALL * n_known


def _sizes(steps: LambdaSteps, which: int) -> Floats:
    sizes: Floats = np.abs(steps.due) + np.abs(steps.got) + np.abs(steps.own[which]) + steps.rounded
    return sizes
