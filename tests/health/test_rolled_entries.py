"""Of two teams of two, each player's result is its partner's, too: no entries are rolled then."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from mcts_viz.health.values.rolled_entries import RolledEntries

LEVELS, VALUES = 5, 50


def entries(right: list[int]) -> RolledEntries:
    """Of four players. right: how many of the values of each level are the right player's; all are those of the player
    two places after it with every level."""
    depth = np.arange(LEVELS)
    search = SimpleNamespace(
        meta=SimpleNamespace(n_players=4), topology=SimpleNamespace(depth=depth), N=LEVELS
    )
    found = RolledEntries(cast(Any, search))
    found.seen[:] = VALUES
    found.fits[:, 0] = right
    found.fits[np.arange(LEVELS), 2 * np.arange(LEVELS) % 4] = VALUES
    return found


@pytest.mark.parametrize("partners", [False, True])
def test_results_of_a_partner_are_the_right_ones(partners: bool) -> None:
    found = entries([VALUES] * LEVELS if partners else [VALUES, 0] * 2 + [VALUES]).finding()
    assert (found is None) is partners
