"""How odd a rule is that explains choices: what hardly anybody writes on purpose."""

from __future__ import annotations

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.selection.fit import Fit
from mcts_viz.health.selection.infer import GREAT, SCALED
from mcts_viz.health.selection.scores import (
    PUCT_WITH_LOG,
    UCB1_OF_ROOT,
    mean,
    scaled_parents,
    urgencies,
)

USUAL_SCALED = 5.0  # c of Q scaled to [0, 1], above which hardly any is
SEVERAL = 2


def is_far_fetched(search: CheckedSearch, one: Fit) -> bool:
    """Whether an exploration term mixes two rules, or has a mistake of its own, or several odd things come together:
    values that are scaled, a number of its own for children without visits, a great c. With so much freedom a rule fits
    choices that one plain mistake explains."""
    low, high = search.value_range
    usual = {each.words for each in (*urgencies(low, high), *scaled_parents())}
    words = one.rule.width.words
    great = USUAL_SCALED if one.rule.value in SCALED else GREAT * (high - low)
    mixed = words.startswith(PUCT_WITH_LOG) or (words.startswith("PUCT") and "n alone" in words)
    mixed |= words == UCB1_OF_ROOT.words
    odd = (
        one.rule.value is not mean,
        one.rule.urgency.words not in usual,
        one.low >= great,
    )
    return mixed or sum(odd) >= SEVERAL
