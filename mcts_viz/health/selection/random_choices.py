"""Whether children are drawn at random: uniformly, in proportion to a number of theirs, or now and then
(ε-greedy).

A draw with known chances is tested by ranks. The share of the chances below the child taken, ties by half,
is 1/2 in the mean, whatever the children are ranked by, as long as that was known before the draw. The sum
over all choices is compared with 1/2 in standard deviations, for ranks by mean, by visits and by age. Each
rule that people select by takes children of high means, or of few visits, far too often for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import Fit, scores
from mcts_viz.types import Bools, Floats, Ints

LIMIT = 4.0  # standard deviations: of three rankings one is beyond by chance once in 5,000 searches
LIMIT_BY_SCORE = 8.0  # likewise, of a rule whose weight c was chosen to fit the draws
FEW = 60  # choices, weighted by the number of similar children
FEW_MISSED = 30  # likewise, of those that no rule explains
MANY_LATE = 0.2  # share of nodes
BY_PRIORS = "in proportion to their priors"
MOST_DRAWN = 0.5  # share of choices that are drawn, of a search that else follows a rule


class Draw(NamedTuple):
    """How children are drawn."""

    words: str
    share: float  # of the choices
    deviations: float  # the greatest of the three, in standard deviations
    by_priors: bool = False


def drawn(search: CheckedSearch, rows: ComparedChildren, rule: Fit) -> Draw | None:
    """How all choices are drawn; None where they are not. rule: the usual one that explains most; draws do not go by
    its score."""
    score = _score(search, rows, rule)
    weights: list[tuple[str, Floats]] = [
        ("uniformly", np.ones(len(rows.of))),
        ("in proportion to their visits", rows.visits.astype(np.float64)),
        ("in proportion to their visits and one more", 1.0 + rows.visits.astype(np.float64)),
    ]
    if not np.isnan(rows.prior).all():
        weights.append((BY_PRIORS, np.nan_to_num(rows.prior)))
    for words, weight in weights:
        deviations = how_far(rows, weight)
        if deviations is not None and deviations <= LIMIT:
            by_score = how_far(rows, weight, keys=(score,))
            if by_score is not None and by_score <= LIMIT_BY_SCORE:
                return Draw(words, 1.0, deviations, words == BY_PRIORS)
    return None


def are_uniform(rows: ComparedChildren, score: Floats, use: Bools) -> bool:
    """Whether the choices in `use` [C] may be uniform draws, as far as their ranks by a score tell."""
    best = np.maximum.reduceat(score, rows.first)[rows.of]
    deviations = how_far(
        rows, (score < best).astype(np.float64), use & (score < best)[rows.chosen], 0, keys=(score,)
    )
    return deviations is not None and deviations <= LIMIT


def _score(search: CheckedSearch, rows: ComparedChildren, rule: Fit) -> Floats:
    """[R] by a rule, with a weight in the middle of those that fit."""
    value, width = scores(search, rows, rule.rule)
    return np.asarray(
        value + (rule.low if np.isinf(rule.high) else (rule.low + rule.high) / 2) * width
    )


def children_come_late(search: CheckedSearch) -> bool:
    """Whether many nodes got a child after a choice among its siblings, so that the choice did not see all of them."""
    first = np.full(search.N, np.iinfo(np.int64).max)
    for part in search.ranges():
        choices = search.choices(part)
        several = choices.n_children > 1
        np.minimum.at(first, choices.parent[several], choices.iteration[several])
    last = np.zeros(search.N, np.int64)
    np.maximum.at(last, search.parent[1:], search.born[1:])
    chose = first < np.iinfo(np.int64).max
    return bool((last[chose] > first[chose]).mean() > MANY_LATE) if chose.any() else False


def drawn_now_and_then(search: CheckedSearch, rows: ComparedChildren, rule: Fit) -> Draw | None:
    """Where a rule explains most choices, and all others take one of the other children uniformly."""
    score = _score(search, rows, rule)
    best = np.maximum.reduceat(score, rows.first)[rows.of]
    is_best = score >= best - search.tolerance - 1e-9 * np.abs(best)
    missed = ~is_best[rows.chosen]
    if not missed.any():
        return None
    deviations = how_far(rows, (~is_best).astype(np.float64), missed, FEW_MISSED)
    if deviations is None or deviations > LIMIT:
        return None
    # a rule that is nearly right errs by little, towards the children that are nearly best
    by_score = how_far(rows, (~is_best).astype(np.float64), missed, FEW_MISSED, keys=(score,))
    if by_score is None or by_score > LIMIT:
        return None
    behind = np.bincount(rows.of, weights=~is_best, minlength=len(missed))
    k = np.bincount(rows.of, minlength=len(missed))
    share = float(missed.sum() / (behind / k).sum())  # a draw may take the best child, too
    return Draw("uniformly", share, deviations) if share <= MOST_DRAWN else None


def how_far(
    rows: ComparedChildren,
    weight: Floats,
    use: Bools | None = None,
    few: int = FEW,
    keys: Sequence[Floats] = (),
) -> float | None:
    """Greatest distance of the choices in `use` from draws with these weights, in standard
    deviations; None where they cannot be such draws, or say too little. keys: what children are ranked by, if not by
    mean, visits and age."""
    total = np.bincount(rows.of, weights=weight, minlength=len(rows.chosen))
    taken = weight[rows.chosen] > 0
    used = np.ones(len(rows.chosen), np.bool_) if use is None else use
    if not taken[used].all():
        return None
    with np.errstate(all="ignore"):
        chance = np.nan_to_num(weight / total[rows.of])
    mean = rows.value_sum / np.maximum(rows.visits, 1)
    usual = (np.round(mean, 12), rows.visits.astype(np.float64), rows.place.astype(np.float64))
    found = []
    for key in keys or usual:
        rank = _rank(rows.of, key, chance) - 0.5
        variance = np.bincount(rows.of, weights=chance * rank**2, minlength=len(rows.chosen))
        worth = float(variance[used].sum())
        if 12 * worth < few:
            return None
        found.append(abs(float(rank[rows.chosen][used].sum())) / np.sqrt(worth))
    return float(max(found))


def _rank(of: Ints, key: Floats, chance: Floats) -> Floats:
    """[R] chance of a sibling with a lower key, and half that of one with the same."""
    order = np.lexsort((key, of))
    sorted_of, sorted_key, sorted_chance = of[order], key[order], chance[order]
    after = np.cumsum(sorted_chance)
    before = after - sorted_chance
    begins = np.flatnonzero(np.diff(sorted_of, prepend=-1))
    start = before[begins][sorted_of]
    group = np.flatnonzero(
        (np.diff(sorted_of, prepend=-1) != 0) | (np.diff(sorted_key, prepend=np.nan) != 0)
    )
    which = np.cumsum(np.isin(np.arange(len(order)), group)) - 1
    end = np.append(group[1:], len(order)) - 1
    rank = np.empty(len(order))
    rank[order] = (before[group][which] + after[end][which]) / 2 - start
    return rank
