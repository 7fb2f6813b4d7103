"""Priors that are recorded as logarithms, of which the search takes the probabilities where it chooses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.infer import Inferred, infer
from mcts_viz.health.selection.scores import WIDTHS
from mcts_viz.types import Floats

POWER = "e to the power of the prior that was recorded"
SOFTMAX = "the softmax of the siblings' priors that were recorded"


def in_place_of_logarithms(
    search: CheckedSearch, rows: ComparedChildren
) -> tuple[ComparedChildren, Finding | None]:
    """The choices with the probabilities by which they were made, and a note that says so; as they are where the
    search takes the recorded numbers themselves."""
    if not has_logarithms(rows):
        return rows, None
    for words, prior in _probabilities(rows):
        compared = rows._replace(prior=prior)
        known = infer(search, compared, [width for width in WIDTHS if width.needs_priors])
        if known is not None and _needs_them(known):
            note = found(
                "selection-log-priors", None, None,
                f"P in the search's score is {words}: with it, {known.fit.rule.words} explains all {known.fit.of:,} "
                "choices",
                rule=known.fit.rule.words, share=1.0,
            )  # fmt: skip
            return compared, note
    return rows, None


def has_logarithms(rows: ComparedChildren) -> bool:
    """Whether all children compared have priors, and some are below 0."""
    return bool(rows.prior.min(initial=0.0) < 0)  # not where one has none


def _probabilities(rows: ComparedChildren) -> Iterator[tuple[str, Floats]]:
    """What a search may make of logarithms or logits, in words and for each child."""
    most = np.maximum.reduceat(rows.prior, rows.first)[rows.of]
    if rows.prior.max() <= 0:
        yield POWER, np.exp(rows.prior)
    power = np.exp(rows.prior - most)
    yield SOFTMAX, power / np.add.reduceat(power, rows.first)[rows.of]


def _needs_them(known: Inferred) -> bool:
    """Whether the exploration term counts, so that it is known what P is."""
    return not known.aside and bool(np.isfinite(known.fit.high)) and known.fit.low > 0
