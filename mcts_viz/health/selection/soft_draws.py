"""Whether children are drawn by the softmax of their scores, or by a power of their visits: a temperature, which
belongs to the move played, within the tree.

The chance of a child is e^(a·q + b·u) among its siblings; a and b are those with which the choices are the likeliest.
They are chosen so that the mean of q and of u agree whatever the rule is. So it has to agree, too, how often the same
child is taken twice running: a rule that takes the best child takes it again until another one is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import only
from mcts_viz.health.selection.infer import has_priors
from mcts_viz.health.selection.random_choices import how_far
from mcts_viz.health.selection.scores import PUCT, PUCT_OF_CHILDREN, UCB1, mean
from mcts_viz.types import Floats

LIMIT = 3.0  # standard deviations
FEW = 200  # choices
STEPS = 30  # of Newton's method
DONE = 1e-6
SURE = 0.9  # mean chance of the likeliest child, beyond which nothing seems to be drawn
MOST_C = 10.0  # in ranges of values
COLD = 0.01  # temperature, likewise: below it scores are a little off, and nothing is drawn
BETTER = 10.0  # by how much likelier (ln) the choices are than as even draws


class SoftDraw(NamedTuple):
    """How children are drawn."""

    words: str
    likelihood: float  # ln
    deviations: float  # the greatest, in standard deviations


def soft_draw(search: CheckedSearch, rows: ComparedChildren) -> SoftDraw | None:
    """The likeliest of those that agree with the choices; None where none does."""
    visited = np.minimum.reduceat(rows.visits, rows.first) > 0
    if visited.sum() < FEW:
        return None
    among_visited = only(rows, visited)
    found = [
        *_by_score(search, rows),
        *_by_score(search, among_visited),
        *_by_visits(among_visited),
    ]
    found = [draw for draw in found if draw.deviations <= LIMIT]
    return max(found, key=lambda draw: draw.likelihood) if found else None


def _by_score(search: CheckedSearch, rows: ComparedChildren) -> Iterator[SoftDraw]:
    low, high = search.value_range
    for width in (PUCT, PUCT_OF_CHILDREN) if has_priors(rows) else (UCB1,):
        if not width.at_zero and rows.visits.min() == 0:
            continue
        fitted = _fitted(rows, np.stack([mean(rows), width.of(rows)], axis=1))
        if fitted is None:
            continue
        (a, b), chance, likelihood = fitted
        if 0 < a < 1 / (COLD * (high - low)) and 0 < b / a < MOST_C * (high - low):
            words = f"by the softmax of {width.words}, with c ≈ {b / a:.2g} and a temperature of some {1 / a:.2g}"
            yield SoftDraw(words, likelihood, _apart(rows, chance))


def _by_visits(rows: ComparedChildren) -> Iterator[SoftDraw]:
    fitted = _fitted(rows, np.log(rows.visits.astype(np.float64))[:, None])
    if fitted is not None and fitted[0][0] > 0:
        (power,), chance, likelihood = fitted
        words = f"by their visits to the power of some {power:.2g}"
        yield SoftDraw(words, likelihood, _apart(rows, chance))


def _fitted(rows: ComparedChildren, features: Floats) -> tuple[Floats, Floats, float] | None:
    """(weights [K] of the features [R, K], chances [R], likelihood): the likeliest; None where none are, or where
    nothing seems to be drawn."""
    of, first, n = rows.of, rows.first, len(rows.chosen)
    scale = features.std(axis=0)
    if not (scale > 0).all():
        return None
    x = features / scale
    weights = np.zeros(x.shape[1])
    even = -float(np.log(np.bincount(of)).sum())
    chance = np.zeros(len(of))
    likelihood = even
    for _ in range(STEPS):
        power = x @ weights
        power = np.exp(power - np.maximum.reduceat(power, first)[of])
        chance = power / np.add.reduceat(power, first)[of]
        likelihood = float(np.log(np.maximum(chance[rows.chosen], 1e-300)).sum())
        expected = np.add.reduceat(x * chance[:, None], first, axis=0)
        slope = (x[rows.chosen] - expected).sum(axis=0)
        away = x - expected[of]
        bend = (away * chance[:, None]).T @ away
        try:
            step = np.linalg.solve(bend + 1e-9 * np.eye(len(weights)), slope)
        except np.linalg.LinAlgError:
            return None
        weights = weights + step
        if np.abs(step).max() < DONE:
            break
    else:
        return None
    likeliest = float(np.maximum.reduceat(chance, first).mean())
    if likeliest > SURE or likelihood < even + BETTER or not n:
        return None
    return weights / scale, chance, likelihood


def _apart(rows: ComparedChildren, chance: Floats) -> float:
    """The greatest distance of the choices from draws with these chances, in standard deviations; infinite where too
    little is told."""
    usual = how_far(rows, chance)
    again = _again(rows, chance)
    if usual is None or again is None:
        return float("inf")
    return max(usual, again)


def _again(rows: ComparedChildren, chance: Floats) -> float | None:
    """How far the number of children that are taken twice running is from that of draws; None where too few are."""
    taken = rows.node[rows.chosen]
    order = np.lexsort((np.arange(len(taken)), rows.parent))
    before = np.full(len(taken), -1, np.int64)
    same = np.flatnonzero(rows.parent[order][1:] == rows.parent[order][:-1])
    before[order[same + 1]] = taken[order[same]]
    is_last = rows.node == before[rows.of]
    known = np.bincount(rows.of[is_last], minlength=len(taken)) > 0
    if known.sum() < FEW / 2:
        return None
    p = np.bincount(rows.of[is_last], weights=chance[is_last], minlength=len(taken))[known]
    again = (taken == before)[known]
    spread = float((p * (1 - p)).sum())
    return abs(float((again - p).sum())) / np.sqrt(spread) if spread > 0 else None
