"""Increments add up to the search's own number, whatever it is; views are those of the words."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcts_viz.recording.values import Values, increments, sum_of_mean

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(old=finite, new=finite)
def test_increments_lead_from_any_number_to_any_other(old: float, new: float) -> None:
    total = old
    for added in increments(old, new):
        total += added
    assert total == new


@given(numbers=st.lists(st.floats(-1, 1), max_size=50))
def test_a_running_sum_of_scores_needs_one_increment_each(numbers: list[float]) -> None:
    total = 0.0
    for number in numbers:
        assert len(increments(total, total + number)) == 1
        total += number


@pytest.mark.parametrize(("old", "new"), [(1e16, 0.1), (sys.float_info.max, -sys.float_info.max)])
def test_two_increments_where_no_single_one_does(old: float, new: float) -> None:
    assert increments(old, new) == (-old, new)


@given(mean=st.floats(-1, 1), visits=st.integers(1, 2**31))
def test_a_mean_is_off_by_one_bit_at_most(mean: float, visits: int) -> None:
    assert sum_of_mean(mean, visits) / visits == pytest.approx(mean, rel=3e-16, abs=5e-324)


@pytest.mark.parametrize(
    ("view", "mover", "root_player", "opposite"),
    [
        ("mover", 0, 0, False), ("mover", 1, 0, False),
        ("player0", 0, 1, False), ("player0", 1, 1, True),
        ("root", 0, 0, False), ("root", 1, 0, True), ("root", 0, 1, True), ("root", 1, 1, False),
    ],
)  # fmt: skip
def test_a_value_in_the_other_player_s_view_is_turned_round(
    view: str, mover: int, root_player: int, opposite: bool
) -> None:
    values = Values.checked(view, "sum", (0, 1))
    assert values.opposite(mover, root_player) is opposite
    assert values.value_sum(3.0, 10, opposite) == (7.0 if opposite else 3.0)
