"""A rule and its c in words, and in the evidence of a finding."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.selection.fit import Fit
from mcts_viz.health.selection.infer import Inferred


def range_words(one: Fit) -> str:
    """The c that explain as many choices as possible."""
    name = "init" if "init" in one.rule.words else "c"
    if np.isinf(one.high):
        return f"{name} ≥ {one.low:.4g}" if one.low > 0 else f"any {name}"
    low, high = f"{one.low:.4g}", f"{one.high:.4g}"
    return f"{name} = {low}" if low == high else f"{name} in [{low}, {high}]"


def numbers(one: Fit) -> dict[str, object]:
    """The evidence of a finding about the rule."""
    high = None if np.isinf(one.high) else one.high
    return {"rule": one.rule.words, "c_low": one.low, "c_high": high, "share": one.share,
            "choices": one.of}  # fmt: skip


def how_many(one: Fit) -> str:
    """Choices that the rule explains."""
    return f"all {one.of:,}" if one.n == one.of else f"{one.n:,} of {one.of:,}"


def rule_words(known: Inferred) -> str:
    """The rule with its c, and a comma behind."""
    return f"{known.fit.rule.words}, with {range_words(known.fit)},"


def missed_words(legit: Fit) -> str:
    """How far the best of the correct rules is from explaining the choices."""
    rule = legit.rule.words
    if legit.whole:
        return f"{rule} would explain the {legit.of:,} choices, but only with {range_words(legit)}"
    return f"{legit.of - legit.n:,} of {legit.of:,} choices fit no c of {rule}"


def unvisited_words(told: float | str) -> str:
    """What a search says of children without visits, as it is written."""
    return f"unvisited={told!r}" if isinstance(told, str) else f"unvisited={told:g}"
