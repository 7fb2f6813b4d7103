"""The chart of the tab History has the numbers of the trace, on each of its scales."""

from dataclasses import replace

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.history.sibling_history import sibling_history
from mcts_viz.views.history_figure import SCALES, history_figure

N = 200


@pytest.fixture(scope="module")
def trace() -> mv.Trace:
    return mv.search("tic_tac_toe", iterations=N, seed=1, compile=False)


@pytest.mark.parametrize("scale", SCALES)
def test_visits_are_counts_or_a_share_of_the_parents(trace: mv.Trace, scale: str) -> None:
    best = trace.at(N).ranked_children(0)[0]
    figure = history_figure(sibling_history(trace, best), best, scale)
    line = figure.data[0]
    whole = trace.history(0).visits[-1] if scale == "share" else 1
    assert line.y[-1] == pytest.approx(trace.history(best).visits[-1] / whole)
    assert figure.layout.yaxis.type == ("log" if scale == "log" else "linear")
    assert (figure.layout.yaxis.tickformat == ".0%") == (scale == "share")
    assert figure.layout.annotations[0].text == SCALES[scale]


def test_the_line_of_the_node_asked_for_is_thick(trace: mv.Trace) -> None:
    node = trace.at(N).ranked_children(0)[2]
    history = sibling_history(trace, node)
    widths = [line.line.width for line in history_figure(history, node).data[::2]]
    place = [course.node for course in history.courses].index(node)
    assert np.argmax(widths) == place
    assert sorted(widths)[:-1] == [1.5] * (len(widths) - 1)


def test_a_title_that_is_too_long_for_a_narrow_panel_has_two_lines(trace: mv.Trace) -> None:
    history = sibling_history(trace, trace.at(trace.n_iterations).children(0)[0])
    for view, between in (("X", " · "), ("the player who moved there", "<br>")):
        told = history_figure(replace(history, view=view), 1).layout.annotations[1].text
        assert told.startswith(f"mean value, view of {view}{between}scale from iteration ")
