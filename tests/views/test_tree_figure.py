from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.errors import PageError
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.trace.words import plural
from mcts_viz.views.canvas_figure import canvas_figure
from mcts_viz.views.colours import colour_of
from mcts_viz.views.measures import MEASURES, trace_scales
from mcts_viz.views.theme import PAPER, UNVISITED
from mcts_viz.views.timeline import RootReplay
from mcts_viz.views.tree_figure import tree_figure
from mcts_viz.views.tree_scene import TreeScene, tree_scene
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import visible_items
from tests.views.synthetic import META, uct_trace

TRACE = mv.search("tic_tac_toe", iterations=500, seed=1)
FINAL = TRACE.at(500)


def scene_at(t: int, spec: ViewSpec, colour: str = "visits", theme: str = "light") -> TreeScene:
    """What is drawn of the trace after t iterations, where its last iteration says."""
    return tree_scene(TRACE.at(t), TRACE.columns, FINAL, spec, colour, theme)


def of(figure: Any, name: str) -> Any:
    """The trace of that name in a figure."""
    return next(trace for trace in figure.data if trace.name == name)


@pytest.mark.parametrize("t", [0, 1, 20, 500])
@pytest.mark.parametrize("colour", ["mean_value", "visits", "uct", "exploration"])
def test_a_figure_shows_the_nodes_that_exist_with_their_numbers(t: int, colour: str) -> None:
    snapshot, spec = TRACE.at(t), ViewSpec(budget=60)
    visible = visible_items(TRACE.columns.nodes.parent, FINAL.visits, spec)
    expected = [v for v in visible.node[: visible.n_nodes].tolist() if v < len(snapshot)]
    figure = tree_figure(snapshot, spec, colour, theme="dark", final=FINAL)
    nodes = of(figure, "nodes")
    assert sorted(nodes.customdata) == expected
    scale = trace_scales(FINAL)[colour]
    fills = colour_of(scale, "dark", MEASURES[colour](snapshot, snapshot)[nodes.customdata])  # type: ignore[arg-type]
    assert list(nodes.marker.color) == fills
    for node, words in zip(nodes.customdata.tolist(), nodes.hovertext):
        assert words.startswith(f"node {node}: ")
        assert f"{plural(int(snapshot.visits[node]), 'visit')}" in words
    assert figure.to_json()


def test_nothing_moves_between_iterations() -> None:
    early, late = (scene_at(t, ViewSpec()) for t in (100, 500))
    assert set(early.shown.tolist()) < set(late.shown.tolist())
    assert (early.x == late.x).all()


def test_edges_are_one_line_along_edges_only() -> None:
    figure = tree_figure(TRACE.at(60), ViewSpec(), final=FINAL)
    scene = tree_scene(TRACE.at(60), None, FINAL, ViewSpec(), "visits", "light")
    parent = scene.visible.parent
    place = [(round(x, 6), round(y, 6)) for x, y in zip(scene.x.tolist(), scene.y.tolist())]
    ends = {frozenset((place[i], place[parent[i]])) for i in scene.shown.tolist() if parent[i] >= 0}
    line = of(figure, "edges")
    points = [(round(x, 6), round(y, 6)) for x, y in zip(line.x, line.y)]
    drawn = {frozenset(pair) for pair in pairwise(points) if pair[0] != pair[1]}
    assert drawn == ends


def test_the_expected_line_is_the_principal_variation() -> None:
    figure = tree_figure(FINAL, ViewSpec())
    nodes, line = of(figure, "nodes"), of(figure, "expected line")
    at = dict(zip(nodes.customdata.tolist(), zip(nodes.x, nodes.y)))
    expected = [at[node] for node in FINAL.principal_path if node in at]
    assert list(zip(line.x, line.y)) == expected
    assert len(expected) > 1


def test_the_options_of_the_api() -> None:
    snapshot = mv.search("tic_tac_toe", iterations=300, seed=1).at(300)
    figure = snapshot.figure("visits", nodes=20, node=1, size=(640, 400), dark=True)
    assert (figure.layout.width, figure.layout.height) == (640, 400)
    assert figure.layout.paper_bgcolor == PAPER["dark"]
    nodes = of(figure, "nodes")
    assert len(nodes.customdata) == 20
    assert min(nodes.customdata) == 1
    assert 0 < min(nodes.x) < max(nodes.x) < 640
    assert 0 < min(nodes.y) < max(nodes.y) < 400
    assert snapshot.figure().layout.paper_bgcolor == PAPER["light"]
    assert snapshot.figure(size=None).layout.width > 1_100


def test_text_of_a_trace_is_no_markup() -> None:
    trace = mv.search("tic_tac_toe", iterations=3, seed=1)
    snapshot = replace(trace.at(3), recorded_labels=["root", "<a href='x'>", "<b>&", "c"])
    figure = snapshot.figure()  # type: ignore[attr-defined]
    text = "".join([*of(figure, "nodes").hovertext, *of(figure, "labels").text])
    assert "<a" not in text
    assert "&lt;b&gt;&amp;" in text


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"colour": "pink"}, "colour 'pink' is not known here; choose one of: mean_value"),
        ({"theme": "sepia"}, "theme 'sepia' is not known; choose one of: light, dark"),
        ({"spec": ViewSpec(focus=99_999)}, "no such node"),
    ],
)
def test_what_cannot_be_drawn_is_named(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(PageError, match=told):
        tree_figure(FINAL, **{"spec": ViewSpec(), **wrong})
    with pytest.raises(PageError, match="budget=300000: choose a number of nodes up to"):
        ViewSpec(budget=300_000)


def test_the_canvas_figure_has_depth_running_down() -> None:
    low, high = canvas_figure("dark").layout.yaxis.range
    assert low > high


def test_scales_end_where_they_say_and_show_the_unvisited_apart() -> None:
    scale = trace_scales(FINAL)["mean_value"]
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
    moves = RootReplay(trace.columns, trace.meta, 500)
    ranked = [trace.at(t).ranked_children(0) for t in range(501)]
    expected = [children[0] if children else -1 for children in ranked]
    assert moves.leaders(0, 500).tolist() == expected
    timeline = moves.timeline()
    assert timeline.leader.tolist() == [expected[t] for t in timeline.iteration]


def test_a_root_without_children_has_no_leader() -> None:
    trace = uct_trace(3, branching=1, max_depth=0)
    moves = RootReplay(trace.columns, META, 3)
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
    scale = trace_scales(final)["mean_value"]
    assert scale.title == "mean value, view of whoever moved there"
    assert "good" not in scale.low_text + scale.high_text
    told = RootReplay(trace.columns, trace.meta, 2).timeline()
    assert told.view_text == "mean value of the root, view of whoever moved there"
