"""Of how many games' results values seem to be the means: with n games, each is a whole number of n-ths.

Numbers of a network are none, whatever n; a counted evaluation, such as a tenth for each piece ahead, may look like it.
"""

from __future__ import annotations

import numpy as np

from mcts_viz.types import Floats

MOST_GAMES = 32
OFF = 1e-4  # as of float32; a hundred numbers of a network are as near such a lattice with a chance below 10⁻¹⁰⁰
FEW = 20  # values, too few to tell


def games_of_means(value: Floats) -> int | None:
    """The least number of games that each value can be the mean of; a win is 1, a loss −1. None where there is none, or
    too few values tell."""
    if len(value) < FEW:
        return None
    kinds = np.unique(np.round(value, 6))
    for n in range(1, MOST_GAMES + 1):
        if np.abs(kinds * n - np.round(kinds * n)).max() <= OFF * n:
            return n
    return None
