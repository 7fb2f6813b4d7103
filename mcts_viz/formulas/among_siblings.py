"""Selection by MuZero and Gumbel MuZero: a child's score depends on its siblings, so all are worked out together.

k children of one node at P moments of a search; values in the view of the player who chooses among them. MuZero:
Schrittwieser et al. 2020, appendix B. Gumbel: Danihelka et al. 2022, "Policy improvement by planning with Gumbel";
sequential halving: Karnin et al. 2013. Both as mctx computes them, in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from mcts_viz.types import Bools, Floats, Ints

LEAST_WIDTH = 1e-8  # of the range of values that is scaled to [0, 1]


class SiblingNumbers(NamedTuple):
    """What selection knows of the k children of one node that are in the tree, at P moments."""

    visits: Ints  # [k, P]
    mean: Floats  # [k, P] anything where there are no visits
    prior: Floats  # [k, 1]
    gumbel: Floats  # [k, 1] noise of the root's moves, nan where there is none
    own_value: float  # the evaluator's of the node itself
    is_root: bool


class SiblingRule(NamedTuple):
    """The numbers of a rule, as mctx names them in its policies; each rule needs some of them."""

    actions: int  # that the node has, with those never tried
    simulations: int = 0  # that the search has in all
    considered: int = 16  # moves that sequential halving begins with, at most as many as there are
    value_scale: float = 0.1
    visit_offset: float = 50.0  # maxvisit_init
    rescale: bool = True  # values to [0, 1], by the least and greatest of them
    # untried moves count as a mixture of the evaluator's value and the tried ones', else as the evaluator's alone
    mixed: bool = True
    c_init: float = 1.25
    c_base: float = 19_652.0


Terms = tuple[Floats, Floats]


def muzero(rule: SiblingRule, of: SiblingNumbers) -> Terms:
    """[k, P] the value, scaled by the least and greatest of the node's and its children's, and
    P·√N/(1+n)·(c₁ + ln((N+c₂+1)/c₂))."""
    tried, mean = _tried(of)
    total = of.visits.sum(axis=0)
    node_value = (of.own_value + (of.visits * mean).sum(axis=0)) / (1 + total)
    low = np.minimum(node_value, np.where(tried, mean, np.inf).min(axis=0))
    high = np.maximum(node_value, np.where(tried, mean, -np.inf).max(axis=0))
    value = np.where(tried, (mean - low) / np.maximum(high - low, LEAST_WIDTH), 0.0)
    weight = rule.c_init + np.log((total + rule.c_base + 2.0) / rule.c_base)
    return value, np.sqrt(1.0 + total) * weight * of.prior / (of.visits + 1)


def gumbel_muzero(rule: SiblingRule, of: SiblingNumbers) -> Terms:
    """[k, P] at the root σ(q) and gumbel + logit, the latter −∞ for a child that sequential halving does not consider
    now; below it the improved policy and −n/(1+N)."""
    scaled, improved = completed(rule, of)
    if not of.is_root:
        return improved, -of.visits / (1.0 + of.visits.sum(axis=0))
    with np.errstate(divide="ignore"):
        logit = np.log(of.prior) + np.nan_to_num(of.gumbel)
    return scaled, np.where(is_considered(rule, of.visits), logit, -np.inf)


def completed(rule: SiblingRule, of: SiblingNumbers) -> Terms:
    """[k, P] σ(q) of each child, and the improved policy softmax(logit + σ(q)), of which untried moves have their
    share, too."""
    tried, mean = _tried(of)
    total = of.visits.sum(axis=0)
    tiny = float(np.finfo(np.float32).tiny)
    weight = np.where(tried, np.maximum(of.prior, tiny), 0.0)
    share = weight.sum(axis=0)
    mean_tried = (weight * mean).sum(axis=0) / np.where(share > 0, share, 1.0)
    untried = (of.own_value + total * mean_tried) / (total + 1) if rule.mixed else of.own_value
    value = np.where(tried, mean, untried)
    some_untried = tried.sum(axis=0) < rule.actions
    if rule.rescale:
        low = np.where(tried, mean, np.inf).min(axis=0)
        high = np.where(tried, mean, -np.inf).max(axis=0)
        low = np.where(some_untried, np.minimum(low, untried), low)
        high = np.where(some_untried, np.maximum(high, untried), high)
        width = np.maximum(high - low, LEAST_WIDTH)
        value, untried = (value - low) / width, (untried - low) / width
    most = of.visits.max(axis=0)
    scale = (rule.visit_offset + most) * rule.value_scale
    scaled: Floats = np.asarray(scale * value)
    # where all are tried nothing is left, though rounded priors do not quite add up to 1
    scaled_untried = np.where(some_untried, scale * untried, -np.inf)
    # shares of e^σ(q), the greatest taken off so that none overflows
    top = np.maximum(scaled.max(axis=0), scaled_untried)
    known = of.prior * np.exp(scaled - top)
    rest = np.maximum(1.0 - of.prior.sum(axis=0), 0.0) * np.exp(scaled_untried - top)
    return scaled, known / (known.sum(axis=0) + rest)


def is_considered(rule: SiblingRule, visits: Ints) -> Bools:
    """[k, P] whether sequential halving chooses among the root's children of that many visits."""
    schedule = halving_schedule(rule.considered, rule.simulations)
    total = visits.sum(axis=0)
    inside = total < len(schedule)
    wanted = schedule[np.minimum(total, len(schedule) - 1)] if len(schedule) else total
    return np.asarray(np.where(inside, visits == wanted, visits == visits.max(axis=0)))


def halving_schedule(considered: int, simulations: int) -> Ints:
    """[simulations] how many visits the move has that each simulation chooses among the root's moves, so that half
    of them are left after each phase."""
    if considered <= 1:
        return np.arange(simulations)
    phases, visits, left = math.ceil(math.log2(considered)), [0] * considered, considered
    schedule: list[int] = []
    while len(schedule) < simulations:
        for _ in range(max(1, int(simulations / (phases * left)))):
            schedule += visits[:left]
            visits[:left] = [n + 1 for n in visits[:left]]
        left = max(2, left // 2)
    return np.array(schedule[:simulations], np.int64)


def halving_phases(considered: int, simulations: int) -> list[tuple[int, int, int]]:
    """The phases of sequential halving: for each the simulations before it, the moves considered, and the visits of
    each."""
    if considered <= 1:
        return [(0, considered, simulations)]
    phases, left, before = math.ceil(math.log2(considered)), considered, 0
    found = []
    while before < simulations:
        each = max(1, int(simulations / (phases * left)))
        found.append((before, left, each))
        before += each * left
        left = max(2, left // 2)
    return found


def _tried(of: SiblingNumbers) -> tuple[Bools, Floats]:
    tried = of.visits > 0
    return tried, np.where(tried, of.mean, 0.0)


SIBLING_RULES: Mapping[str, Callable[[SiblingRule, SiblingNumbers], Terms]] = {
    "muzero": muzero,
    "gumbel_muzero": gumbel_muzero,
}
