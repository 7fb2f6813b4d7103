"""A weight that grows with the parent's visits: which base and init explain the choices."""

import numpy as np
import pytest

from mcts_viz.health.selection.fit import Bounds, growing
from tests.variants import few


def test_a_base_that_no_list_has_is_found() -> None:
    """Thousands of choices leave little room for c at each N."""
    visits = np.arange(2, 1_500)
    c = 1.3 + np.log((visits + 286 + 1) / 286)
    found = growing(visits, Bounds(c - 1e-5, c + 1e-5))
    assert found is not None
    assert (found.base, found.slope) == (286, 1.0)
    assert "init + ln((N + 287) / 286)" in found.words
    assert found.low <= 1.3 <= found.high


def test_another_growth_is_not_taken_for_it() -> None:
    visits = np.arange(2, 1_500)
    c = np.sqrt(visits) / 10
    assert growing(visits, Bounds(c - 1e-5, c + 1e-5)) is None
    assert growing(visits, Bounds(c - 1e-5, c + 1e-5), any_slope=True) is None


@pytest.mark.parametrize("base", few([1.4, 2.6, 37.4, 812.3], 2))
@pytest.mark.parametrize("room", [1e-5, 1e-3])
def test_a_base_between_those_that_are_tried_is_found(base: float, room: float) -> None:
    N = np.arange(1, 400)
    c = 1.25 + np.log((N + base + 1) / base)
    found = growing(N, Bounds(c - room, c + room))
    assert found is not None
    assert np.abs(found.at(N) - c).max() <= 2 * room


def test_no_growth_is_made_up_where_c_falls() -> None:
    N = np.arange(1, 400)
    c = 3.0 - np.log(N + 1.0)
    assert growing(N, Bounds(c - 1e-3, c + 1e-3)) is None
