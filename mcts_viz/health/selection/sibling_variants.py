"""Mistakes that people make in the rules of MuZero and Gumbel MuZero."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mcts_viz.formulas.among_siblings import (
    SiblingNumbers,
    SiblingRule,
    completed,
    gumbel_muzero,
    muzero,
)
from mcts_viz.types import Floats

Terms = tuple[Floats, Floats]
Rule = Callable[[SiblingRule, SiblingNumbers], Terms]


class Variant(NamedTuple):
    """A mistake in a rule that people make, and what it is in words."""

    words: str
    rule: Rule
    check: str = "selection-not-declared"


def _of(changed: Callable[[SiblingNumbers], SiblingNumbers], rule: Rule = gumbel_muzero) -> Rule:
    return lambda settings, of: rule(settings, changed(of))


def _below_only(settings: SiblingRule, of: SiblingNumbers) -> Terms:
    """The rule of inner nodes at the root, too."""
    return gumbel_muzero(settings, of._replace(is_root=False))


def _mirrored(of: SiblingNumbers) -> SiblingNumbers:
    return of._replace(mean=-of.mean)


def _mirrored_tried(of: SiblingNumbers) -> SiblingNumbers:
    """The same, but what untried moves count as is right."""
    tried = of.visits > 0
    weight = np.where(tried, of.prior, 0.0)
    mean = (weight * np.where(tried, of.mean, 0.0)).sum() / (weight.sum() or 1.0)
    return _mirrored(of)._replace(own_value=of.own_value + 2 * float(of.visits.sum() * mean))


def _raw_values(settings: SiblingRule, of: SiblingNumbers) -> Terms:
    return gumbel_muzero(settings._replace(rescale=not settings.rescale), of)


def _priors_as_logits(settings: SiblingRule, of: SiblingNumbers) -> Terms:
    """Below the root softmax(prior + σ(q)), in place of logit + σ(q)."""
    if of.is_root:
        return gumbel_muzero(settings, of)
    scaled, _ = completed(settings, of)
    weight = np.exp(of.prior + scaled - (of.prior + scaled).max(axis=0))
    return weight / weight.sum(axis=0), -of.visits / (1.0 + of.visits.sum(axis=0))


def _without_logits(settings: SiblingRule, of: SiblingNumbers) -> Terms:
    """At the root σ(q) and the noise alone."""
    scaled, logit = gumbel_muzero(settings, of)
    return scaled, logit - np.log(of.prior) if of.is_root else logit


def _by_values_later(settings: SiblingRule, of: SiblingNumbers) -> Terms:
    """At the root σ(q) alone, once the moves considered have visits."""
    scaled, logit = gumbel_muzero(settings, of)
    if not of.is_root:
        return scaled, logit
    return scaled, np.where((of.visits > 0) & np.isfinite(logit), 0.0, logit)


WRONG_VIEW = Variant(
    "values count in the view of the other player", _of(_mirrored), "selection-wrong-view"
)
GUMBEL_VARIANTS = (
    Variant(
        "below the root the priors stand in place of their logarithms: the policy's probabilities are taken for logits",
        _priors_as_logits,
    ),
    Variant(
        "the root's moves are ranked by σ(q) alone once they have visits: the Gumbel noise and the logits are left "
        "out from then on",
        _by_values_later,
    ),
    Variant(
        "the logits are left out at the root, where σ(q) and the Gumbel noise count alone",
        _without_logits,
    ),
    Variant("the Gumbel noise is left out", _of(lambda of: of._replace(gumbel=0 * of.gumbel))),
    Variant("the Gumbel noise is added twice", _of(lambda of: of._replace(gumbel=2 * of.gumbel))),
    Variant("the Gumbel noise is taken off", _of(lambda of: of._replace(gumbel=-of.gumbel))),
    WRONG_VIEW,
    WRONG_VIEW._replace(rule=_of(_mirrored_tried)),
    Variant(
        "untried moves count as the evaluator's value alone",
        lambda settings, of: gumbel_muzero(settings._replace(mixed=not settings.mixed), of),
    ),
    Variant("values are not scaled to [0, 1] by the siblings'", _raw_values),
    Variant("the root goes by the improved policy, without noise", _below_only),
)
MUZERO_VARIANTS = (WRONG_VIEW._replace(rule=_of(_mirrored, muzero)),)
