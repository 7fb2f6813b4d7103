"""Games played at random from a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts_viz.games.random_play import RandomPlay
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.types import Floats


class Playouts:
    """Random games of a search whose rules are known. seed: the same has the same games."""

    def __init__(self, search: CheckedSearch, seed: int) -> None:
        self._search = search
        self._rules = search.positions.rules
        self._play = RandomPlay(self._rules.game, seed)

    @property
    def are_quick(self) -> bool:
        """Whether thousands of them take no time."""
        return self._play.is_quick

    def ends(self, state: Any, n: int, takes_wins: bool = False) -> Floats | None:
        """[n] How so many games from a state end, −1 to 1 in the view of player 0; None where one is too long.
        takes_wins: who can win at once does so."""
        ends = self._rules.as_told(self._play.ends(state, n, takes_wins))
        return None if np.isnan(ends).any() else np.asarray(self._search.share(ends, 0))
