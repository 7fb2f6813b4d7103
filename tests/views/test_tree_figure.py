from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.errors import PageError
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.views.colours import UNVISITED, colour_of
from mcts_viz.views.timeline import RootMoves
from mcts_viz.views.tree_figure import _tree_info, canvas_figure, tree_figure, view_scales
from mcts_viz.views.visible import ViewSpec, visible_items
from tests.views.synthetic import META, uct_trace

TRACE = uct_trace(500, branching=4, max_depth=6)
FINAL = TRACE.at(500)


@pytest.mark.parametrize("t", [0, 1, 20, 500])
@pytest.mark.parametrize("colour", ["mean_value", "visits", "uct", "exploration"])
def test_a_figure_shows_the_nodes_that_exist_with_their_numbers(t: int, colour: str) -> None:
    snapshot = TRACE.at(t)
    info = _tree_info(TRACE.columns, snapshot, FINAL, ViewSpec(budget=60), colour)
    nodes = ~info.is_stub
    assert (info.node[nodes] < len(snapshot)).all()
    assert (info.visits[nodes] == snapshot.visits[info.node[nodes]]).all()
    visible = visible_items(TRACE.columns, FINAL.visits, ViewSpec(budget=60))
    assert set(info.node[nodes].tolist()) == {
        v for v in visible.node[: visible.n_nodes].tolist() if v < len(snapshot)
    }
    figure = tree_figure(TRACE.columns, snapshot, FINAL, ViewSpec(budget=60), colour, "dark")
    assert figure.to_json()


def test_nothing_moves_between_iterations() -> None:
    early = _tree_info(TRACE.columns, TRACE.at(100), FINAL, ViewSpec(), "visits")
    late = _tree_info(TRACE.columns, FINAL, FINAL, ViewSpec(), "visits")
    at = {(int(n), bool(s)): x for n, s, x in zip(late.node, late.is_stub, late.x)}
    assert all(at[int(n), bool(s)] == x for n, s, x in zip(early.node, early.is_stub, early.x))


def test_edges_are_one_line_along_edges_only() -> None:
    info = _tree_info(TRACE.columns, TRACE.at(60), FINAL, ViewSpec(), "visits")
    assert (np.abs(np.diff(info.edge_depth)) == 1).all()


@pytest.mark.parametrize("wrong", [{"colour": "pink"}, {"theme": "sepia"}])
def test_an_unknown_colour_or_theme_is_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(PageError, match=next(iter(wrong.values()))):
        tree_figure(TRACE.columns, FINAL, FINAL, **wrong)


def test_the_canvas_figure_has_depth_running_down() -> None:
    low, high = canvas_figure("dark").layout.yaxis.range
    assert low > high


def test_scales_end_where_they_say_and_show_the_unvisited_apart() -> None:
    visible = visible_items(TRACE.columns, FINAL.visits, ViewSpec())
    scale = view_scales(TRACE.columns, FINAL, visible)["mean_value"]
    middle = (scale.low + scale.high) / 2
    assert middle == pytest.approx(0.5)
    colours = colour_of(scale, "light", np.array([-9, scale.low, middle, scale.high, 9, np.nan]))
    assert colours[0] == colours[1] == scale.stops["light"][0]
    assert colours[3] == colours[4] == scale.stops["light"][-1]
    assert colours[5] == UNVISITED["light"]
    assert "view of X" in scale.title
    assert "good for O" in scale.low_text


@pytest.mark.parametrize("rule", FINAL_MOVE_RULES)
def test_the_leaders_through_time_are_those_of_the_snapshots(rule: str) -> None:
    trace = mv.search("tic_tac_toe", iterations=500, seed=2, loss=-1, final_move=rule)
    moves = RootMoves(trace.columns, trace.meta, 500)
    ranked = [trace.at(t).ranked_children(0) for t in range(501)]
    expected = [children[0] if children else -1 for children in ranked]
    assert moves.leaders(0, 500).tolist() == expected
    timeline = moves.timeline()
    assert timeline.leader.tolist() == [expected[t] for t in timeline.iteration]


def test_a_root_without_children_has_no_leader() -> None:
    trace = uct_trace(3, branching=1, max_depth=0)
    moves = RootMoves(trace.columns, META, 3)
    assert moves.leaders(0, 3).tolist() == [-1] * 4
    assert moves.timeline().leader.tolist() == [-1] * 4


def test_nobodys_view_is_claimed_where_nobody_knows_who_moved() -> None:
    class Node:
        def __init__(self) -> None:
            self.children: list[Node] = []
            self.visits, self.value = 0, 0.0

    root = Node()
    with mv.record(root=root, children="children", visits="visits", value="value") as rec:
        root.children = [Node(), Node()]
        for n, child in enumerate(root.children, 1):
            root.visits, child.visits, child.value = n, 1, 0.5
            rec.iteration()
    trace = rec.trace
    final = trace.at(2)
    visible = visible_items(trace.columns, final.visits, ViewSpec())
    scale = view_scales(trace.columns, final, visible)["mean_value"]
    assert scale.title == "mean value, view of whoever moved there"
    assert "good" not in scale.low_text + scale.high_text
    told = RootMoves(trace.columns, trace.meta, 2).timeline()
    assert told.view_text == "mean value of the root, view of whoever moved there"
