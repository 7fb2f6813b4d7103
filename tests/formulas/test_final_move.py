"""Which child each rule plays: examples worked out by hand, and what holds for every rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcts_viz.errors import SearchError
from mcts_viz.formulas.final_move import (
    FINAL_MOVE_RULES,
    final_move_rule,
    final_move_scores,
    has_most_visits_and_mean,
    leading_child,
    ranking,
)

every_rule = pytest.mark.parametrize("name", FINAL_MOVE_RULES)


def columns(visits: list[Any], value_sum: list[Any]) -> tuple[Any, Any]:
    return np.array(visits, np.int32), np.array(value_sum, np.float64)


def ranked(name: str, visits: list[int], value_sum: list[float], width: float = 1.0) -> list[int]:
    return ranking(final_move_rule(name), *columns(visits, value_sum), width)


#          child       0     1     2    3
VISITS = [100, 64, 4, 0]
VALUES = [60.0, 41.6, 3.2, 0.0]
# mean                .6   .65    .8    –
# lower bound, A = 1  .5  .525    .3    –
# lower bound, A = 4  .2   .15  -1.2    –


@pytest.mark.parametrize(
    ("name", "width", "order"),
    [
        ("most_visits", 1.0, [0, 1, 2]),
        ("highest_mean", 1.0, [2, 1, 0]),
        ("highest_total", 1.0, [0, 1, 2]),
        ("robust_max", 1.0, [0, 1, 2]),
        ("secure", 1.0, [1, 0, 2]),
        ("secure", 4.0, [0, 1, 2]),
        ("secure", 0.0, [2, 1, 0]),
    ],
)
def test_each_rule_ranks_by_its_own_number(name: str, width: float, order: list[int]) -> None:
    assert ranked(name, VISITS, VALUES, width) == order


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("most_visits", [100, 64, 4]),
        ("highest_mean", [0.6, 0.65, 0.8]),
        ("highest_total", [60, 41.6, 3.2]),
        ("robust_max", [100, 64, 4]),
        ("secure", [0.6 - 2 / 10, 0.65 - 2 / 8, 0.8 - 2 / 2]),
    ],
)
def test_the_scores_are_those_of_the_definition(name: str, scores: list[float]) -> None:
    found = final_move_scores(final_move_rule(name), *columns(VISITS, VALUES), 2.0)
    assert found.tolist() == pytest.approx([*scores, -np.inf], rel=1e-15)


def test_a_total_may_lead_with_neither_visits_nor_mean() -> None:
    visits, values = [10, 8, 2], [2.0, 4.0, 1.8]
    assert ranked("highest_total", visits, values) == [1, 0, 2]
    assert ranked("most_visits", visits, values)[0] == 0
    assert ranked("highest_mean", visits, values)[0] == 2


def test_robust_max_is_the_child_with_both_and_else_the_one_with_most_visits() -> None:
    both = columns([5, 9, 3], [2.0, 6.0, 1.0])
    assert has_most_visits_and_mean(*both).tolist() == [False, True, False]
    rule = final_move_rule("robust_max")
    assert final_move_scores(rule, *both, 1.0).tolist() == [5, np.inf, 3]
    neither = columns([5, 9, 3], [4.0, 6.0, 1.0])
    assert not has_most_visits_and_mean(*neither).any()
    assert ranking(rule, *neither, 1.0) == [1, 0, 2]


def test_of_children_with_equal_visits_the_one_with_the_highest_mean_has_both() -> None:
    found = has_most_visits_and_mean(*columns([4, 4, 0, 4], [1.0, 3.0, 0.0, 3.0]))
    assert found.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    ("name", "visits", "values", "order"),
    [
        ("most_visits", [5, 5, 5], [1.0, 4.0, 2.0], [1, 2, 0]),
        ("most_visits", [3, 9, 5], [3.0, 0.0, 5.0], [1, 2, 0]),
        ("highest_total", [4, 2, 8], [2.0, 2.0, 2.0], [1, 0, 2]),
        ("robust_max", [5, 5, 2], [1.0, 4.0, 2.0], [1, 0, 2]),
        # 0.5 - 1/√4 = 0.25 - 1/√16 = 0
        ("secure", [16, 4], [4.0, 2.0], [1, 0]),
    ],
)
def test_a_tie_goes_to_the_higher_mean(
    name: str, visits: list[int], values: list[float], order: list[int]
) -> None:
    assert ranked(name, visits, values) == order


@every_rule
def test_a_tie_of_both_goes_to_the_child_made_first(name: str) -> None:
    assert ranked(name, [5, 7, 5, 7], [1.25, 3.5, 1.25, 3.5]) == [1, 3, 0, 2]


def test_a_tie_of_means_does_not_look_at_visits() -> None:
    assert ranked("highest_mean", [2, 8, 4], [1.0, 4.0, 2.0]) == [0, 1, 2]


@every_rule
def test_children_without_visits_never_win(name: str) -> None:
    """Not even where all that were visited have lost."""
    assert ranked(name, [0, 2, 0], [0.0, -2.0, 0.0]) == [1]
    assert sorted(ranked(name, [0, 2, 0, 1], [0.0, -2.0, 0.0, 1.0])) == [1, 3]
    assert ranked(name, [0, 0], [0.0, 0.0]) == []
    assert ranked(name, [], []) == []


@every_rule
def test_the_leaders_of_several_moments_are_found_at_once(name: str) -> None:
    visits, value = columns(
        [[0, 0, 0], [0, 3, 1], [2, 2, 2], [2, 2, 2]],
        [[0, 0, 0], [0, -6, -2.5], [1, 2, 1], [1, 1, 1]],
    )
    leaders = leading_child(final_move_rule(name), visits, value, 1.0).tolist()
    lost = 2 if name == "highest_total" else 1  # the second moment: all visits but none of child 0
    assert leaders == [-1, lost, 1, 0]
    assert leading_child(
        final_move_rule(name), *columns([[]] * 2, [[]] * 2), 1.0
    ).tolist() == [-1, -1]  # fmt: skip


CHILD = st.tuples(st.integers(0, 4), st.integers(-4, 4))


@every_rule
@given(st.lists(st.lists(CHILD, min_size=3, max_size=3), min_size=1, max_size=5))
def test_the_leader_is_the_first_of_the_ranking(
    name: str, moments: list[list[tuple[int, int]]]
) -> None:
    table = np.array(moments)
    visits = table[..., 0].astype(np.int32)
    value_sum = np.where(visits > 0, table[..., 1] / 2, 0.0)
    rule = final_move_rule(name)
    rows = [ranking(rule, n, w, 2.0) for n, w in zip(visits, value_sum)]
    expected = [row[0] if row else -1 for row in rows]
    assert leading_child(rule, visits, value_sum, 2.0).tolist() == expected


@every_rule
@given(st.lists(CHILD, min_size=1, max_size=6))
def test_a_child_without_visits_changes_nothing(name: str, children: list[tuple[int, int]]) -> None:
    visits, value_sum = columns([n for n, _ in children], [w if n else 0 for n, w in children])
    visited = np.flatnonzero(visits)
    alone = ranking(final_move_rule(name), visits[visited], value_sum[visited], 1.0)
    assert ranking(final_move_rule(name), visits, value_sum, 1.0) == visited[alone].tolist()


@pytest.mark.parametrize("name", ["robust", None, {}])
def test_an_unknown_rule_is_refused_with_those_there_are(name: Any) -> None:
    names = "most_visits, highest_mean, highest_total, robust_max, secure"
    with pytest.raises(SearchError, match=f"rule .* is not known; choose one of: {names}$"):
        final_move_rule(name)
