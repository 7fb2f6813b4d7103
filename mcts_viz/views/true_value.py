"""The colour of exact results: who wins a node's position with perfect play, as far as it was solved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcts_viz.trace.players import n_players, player_names
from mcts_viz.views.colours import DIVERGING, Scale

TRUE_VALUE = "true_value"
TRUE_VALUE_OPTION = {"value": TRUE_VALUE, "label": "true value"}


def has_true_value(meta: Mapping[str, Any]) -> bool:
    """Whether a trace may have exact results: they say which of two players wins, so one alone has none."""
    return n_players(meta) == 2


def true_value_scale(meta: Mapping[str, Any]) -> Scale:
    """−1 player 1 wins, 0 a draw, 1 player 0 wins; nan, which is not known, has no colour. For two
    players."""
    first, second = player_names(meta)
    stops: dict[str, tuple[str, ...]] = {
        theme: (colours[0], colours[len(colours) // 2], colours[-1])
        for theme, colours in DIVERGING.items()
    }
    return Scale(
        TRUE_VALUE, -1.0, 1.0, False, stops,
        "true value (no colour: not known)", f"{second} wins", f"{first} wins",
    )  # fmt: skip
