from typing import Any

import numpy as np
import pytest

from mcts_viz.errors import SearchError
from mcts_viz.formulas.final_move import final_move_rule, most_visits, ranking


def ranked(visits: list[int], value_sum: list[float]) -> list[int]:
    return ranking(most_visits, np.array(visits, np.int32), np.array(value_sum, np.float64))


def test_most_visits_come_first() -> None:
    assert ranked([3, 9, 5], [3.0, 0.0, 5.0]) == [1, 2, 0]


def test_a_tie_goes_to_the_higher_mean() -> None:
    assert ranked([5, 5, 5], [1.0, 4.0, 2.0]) == [1, 2, 0]


def test_a_tie_of_both_goes_to_the_child_made_first() -> None:
    assert ranked([5, 7, 5, 7], [1.0, 2.0, 1.0, 2.0]) == [1, 3, 0, 2]


def test_children_without_visits_are_left_out() -> None:
    assert ranked([0, 2, 0, 1], [0.0, -2.0, 0.0, 1.0]) == [1, 3]
    assert ranked([0, 0], [0.0, 0.0]) == []
    assert ranked([], []) == []


@pytest.mark.parametrize("name", ["robust", None, {}])
def test_an_unknown_rule_is_refused_with_those_there_are(name: Any) -> None:
    with pytest.raises(
        SearchError, match=r"final-move rule .* is not known; choose one of: most_visits"
    ):
        final_move_rule(name)
