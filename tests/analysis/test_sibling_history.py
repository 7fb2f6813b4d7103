"""A node and its siblings over time: every point is what the trace says, and the thinning hides no extreme."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.history.sibling_history import (
    MOST,
    POINTS,
    SiblingHistory,
    extremes,
    sibling_history,
)
from mcts_viz.views.history_figure import COLOURS, history_figure, mean_range
from tests.web.recordings import record_kept


@cache
def connect_four() -> mv.Trace:
    return mv.search("connect_four", iterations=3_000, seed=2)


@cache
def wide() -> mv.Trace:
    return mv.search("mnk:5,5,4", iterations=1_500, seed=1)


def agrees(trace: mv.Trace, told: SiblingHistory) -> None:
    """Every point is that of the node's own history."""
    parent = trace.history(told.parent)
    assert told.parent_visits.tolist() == parent.visits[told.iteration].tolist()
    for course in told.courses:
        one = trace.history(course.node)
        assert course.visits.tolist() == one.visits[told.iteration].tolist()
        assert np.array_equal(
            course.mean_value, one.mean_value[course.mean_iteration], equal_nan=True
        )
        assert course.final_visits == one.visits[-1]


@pytest.mark.parametrize("node", [0, 1, 9])
def test_every_point_is_what_the_nodes_own_history_says(node: int) -> None:
    told = sibling_history(connect_four(), node)
    agrees(connect_four(), told)
    assert len(told.iteration) == POINTS
    assert told.iteration[[0, -1]].tolist() == [0, 3_000]


def test_the_tree_kept_from_before_is_there_at_iteration_0() -> None:
    trace = record_kept()
    told = sibling_history(trace, 1)
    agrees(trace, told)
    assert told.courses[0].visits[0] > 0
    assert told.courses[0].mean_iteration[0] == 0


def test_few_updates_are_all_there() -> None:
    trace = mv.search("tic_tac_toe", iterations=200, seed=1)
    for course in sibling_history(trace, 1).courses:
        changes = np.flatnonzero(np.diff(trace.history(course.node).visits)) + 1
        assert course.mean_iteration.tolist() == changes.tolist()


def test_the_means_are_those_of_the_mover_into_the_siblings() -> None:
    assert sibling_history(connect_four(), 0).view == "X"
    final = connect_four().at(3_000)
    grandchild = final.children(final.children(0)[0])[0]
    assert sibling_history(connect_four(), grandchild).view == "O"


def test_the_most_visited_siblings_are_shown_the_selected_one_always_and_the_others_counted() -> (
    None
):
    final = wide().at(1_500)
    family = sorted(final.children(0), key=lambda v: (-int(final.visits[v]), v))
    assert len(family) == 25
    told = sibling_history(wide(), 0)
    assert [course.node for course in told.courses] == family[:MOST]
    assert (told.n_hidden, told.hidden_visits) == (17, int(final.visits[family[MOST:]].sum()))
    least = family[-1]
    told = sibling_history(wide(), least)
    assert [course.node for course in told.courses] == [*family[: MOST - 1], least]
    assert told.n_hidden == 17
    agrees(wide(), told)
    assert len(COLOURS) == MOST


def test_a_part_of_a_trace_is_as_if_it_ended_there() -> None:
    short = mv.search("connect_four", iterations=500, seed=2)
    long, whole = sibling_history(connect_four(), 1, t=500), sibling_history(short, 1)
    assert long.iteration.tolist() == whole.iteration.tolist()
    assert [c.visits.tolist() for c in long.courses] == [c.visits.tolist() for c in whole.courses]


def test_thinning_keeps_every_stretchs_first_last_least_and_greatest() -> None:
    rng = np.random.default_rng(1)
    value = np.cumsum(rng.normal(size=10_000))
    value[:7] = np.nan
    kept = extremes(value, buckets=50)
    assert len(kept) <= 200
    for begin in range(0, 10_000, 200):
        inside = kept[(kept >= begin) & (kept < begin + 200)]
        stretch = value[begin : begin + 200]
        assert {begin, begin + 199} <= set(inside.tolist())
        assert np.nanmin(value[inside]) == np.nanmin(stretch)
        assert np.nanmax(value[inside]) == np.nanmax(stretch)
    assert extremes(value[:150], buckets=50).tolist() == list(range(150))


def test_the_figure_shows_these_numbers_on_the_scale_that_was_asked_for() -> None:
    told = sibling_history(connect_four(), 1)
    for scale in ("count", "log", "share"):
        figure = history_figure(told, 1, scale)
        visits = np.array(figure.data[0].y, float)
        expected = told.courses[0].visits.astype(float)
        if scale == "share":
            expected = np.divide(
                expected, told.parent_visits, where=told.parent_visits > 0, out=expected * np.nan
            )
        if scale == "log":
            expected[expected == 0] = np.nan
        assert np.array_equal(visits, expected, equal_nan=True)
        assert figure.layout.yaxis.type == ("log" if scale == "log" else "linear")
        assert list(figure.data[1].y)[:-1] == pytest.approx(list(told.courses[0].mean_value))
        assert figure.data[1].line.shape == "hv"
    titles = [each.text for each in figure.layout.annotations]
    assert titles[0] == "share of the parent's visits"
    assert titles[1].startswith("mean value, view of X")
    widths = {course.node: figure.data[2 * i].line.width for i, course in enumerate(told.courses)}
    assert max(widths, key=lambda node: widths[node]) == 1


def test_the_axis_of_means_holds_all_of_them_from_where_it_says_on() -> None:
    told = sibling_history(connect_four(), 0)
    low, high = mean_range(told, 60)
    for course in told.courses:
        later = connect_four().history(course.node).mean_value[60:]
        assert low <= np.nanmin(later) <= np.nanmax(later) <= high
    assert "from iteration 60 on" in history_figure(told, 0).layout.annotations[1].text


def test_a_name_is_no_markup() -> None:
    told = mv.search("tic_tac_toe", iterations=30, seed=1)
    trace = mv.Trace({**told.meta, "players": ["<b>A</b>", "B"]}, told.columns)
    figure = history_figure(sibling_history(trace, 0), 0)
    assert "view of &lt;b>A&lt;/b>" in figure.layout.annotations[1].text


def test_a_root_without_children_has_nothing_to_show() -> None:
    told = sibling_history(mv.search("tic_tac_toe", iterations=5, seed=1), 0, t=0)
    assert (told.courses, told.n_hidden) == ((), 0)
    assert len(history_figure(told, 0).data) == 0
