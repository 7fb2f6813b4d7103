"""The colour of game-theoretic values: who wins a node's position with perfect play, as far as it was solved."""

from __future__ import annotations

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.views.colours import Scale
from mcts_viz.views.theme import DIVERGING

TRUE_VALUE = "true_value"
TRUE_VALUE_OPTION = {"value": TRUE_VALUE, "label": "true value"}


def has_true_value(meta: TraceMeta) -> bool:
    """Whether a trace may have game-theoretic values: they say which of two players wins, so one alone has none."""
    return meta.n_players == 2


def true_value_scale(meta: TraceMeta) -> Scale:
    """−1 player 1 wins, 0 a draw, 1 player 0 wins; nan, which is not known, has no colour. For two
    players."""
    first, second = meta.player_names
    stops: dict[str, tuple[str, ...]] = {
        theme: (colours[0], colours[len(colours) // 2], colours[-1])
        for theme, colours in DIVERGING.items()
    }
    return Scale(
        TRUE_VALUE, -1.0, 1.0, False, stops,
        "true value (no colour: not known)", f"{second} wins", f"{first} wins",
    )  # fmt: skip
