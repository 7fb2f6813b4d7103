"""The tree as SVG: as many marks as there are nodes, their numbers the trace's, and no text of a trace as markup."""

from __future__ import annotations

import re
import warnings
from dataclasses import fields, replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.errors import PageError
from mcts_viz.trace.topology import Topology
from mcts_viz.trace.words import plural
from mcts_viz.views.colours import SCALES, Seen, colour_of
from mcts_viz.views.measures import MEASURES, trace_scales
from mcts_viz.views.tree_svg import svg_size, tree_svg, tree_thumbnail
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import visible_items

TRACE = mv.search("tic_tac_toe", iterations=800, seed=1)
FINAL = TRACE.at(800)
SVG = "{http://www.w3.org/2000/svg}"


def marks(svg: str) -> dict[int, ElementTree.Element]:
    """The mark of each node, by the node id in its tooltip."""
    found = {}
    for mark in ElementTree.fromstring(svg).iter():
        tip = mark.find(f"{SVG}title")
        if mark.tag in (f"{SVG}circle", f"{SVG}rect") and tip is not None:
            found[int(re.match(r"node (\d+): ", tip.text or "").group(1))] = mark  # type: ignore[union-attr]
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colour", ["mean_value", "visits", "uct", "last_visit"])
def test_every_node_of_the_view_has_a_mark_of_its_colour(colour: str, theme: str) -> None:
    snapshot, spec = TRACE.at(300), ViewSpec(budget=60)
    found = marks(tree_svg(snapshot, TRACE.columns, FINAL, spec, colour, theme))
    visible = visible_items(TRACE.columns.nodes.parent, FINAL.visits, spec)
    nodes = visible.node[: visible.n_nodes]
    there = nodes[nodes < snapshot.n_nodes]
    assert sorted(found) == there.tolist()
    scale = trace_scales(FINAL)[colour]
    fills = colour_of(scale, theme, MEASURES[colour](TRACE.columns, snapshot)[there])
    assert [found[node].get("fill") for node in there.tolist()] == fills


def test_tooltips_say_the_numbers_of_the_snapshot() -> None:
    snapshot = TRACE.at(300)
    for node, mark in marks(tree_svg(snapshot)).items():
        told = mark.find(f"{SVG}title").text  # type: ignore[union-attr]
        mean = f", mean value {snapshot.mean_value[node]:.4f}" if snapshot.visits[node] else ""
        assert told == (
            f"node {node}: {snapshot.label(node)}, {plural(int(snapshot.visits[node]), 'visit')}{mean}"
        )


def test_pictures_of_one_trace_have_their_nodes_at_the_same_places() -> None:
    early, late = marks(tree_svg(TRACE.at(100), final=FINAL)), marks(tree_svg(FINAL, final=FINAL))
    assert set(early) < set(late)
    for node, mark in early.items():
        if mark.tag == f"{SVG}circle":
            assert [mark.get(at) for at in ("cx", "cy")] == [
                late[node].get(at) for at in ("cx", "cy")
            ]


def test_a_tree_of_negative_visits_and_of_negative_terms_is_drawn() -> None:
    root = SimpleNamespace(children=[], n=0, w=0.0, action=None)
    names = {"children": "children", "visits": "n", "value": "w", "action": "action"}
    with mv.record(root=root, **names) as rec:
        for i in range(12):
            if i < 3:
                root.children.append(SimpleNamespace(children=[], n=0, w=0.0, action=i))
            root.children[i % 3].n -= 1
            root.n += 1
            rec.iteration()
    last = rec.trace.at(12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(marks(tree_svg(last))) == 4
        assert tree_thumbnail(last).count("<circle") >= 4
    terms, none = np.array([np.nan, -0.8, -0.4, 0.0]), np.zeros(4)
    seen = Seen(4, 4, np.ones(4, np.int32), none, none, terms, none.astype(np.float32))
    scale = SCALES["exploration"](FINAL.meta, seen)
    assert scale.low < scale.high < 0
    assert scale.low_text.startswith("≤ −0.7")


def test_the_size_is_that_of_the_drawing() -> None:
    svg = tree_svg(FINAL, spec=ViewSpec(budget=300))
    width, height = svg_size(svg)
    for mark in marks(svg).values():
        if mark.tag == f"{SVG}circle":
            assert 0 < float(mark.get("cx", 0)) < width
            assert 0 < float(mark.get("cy", 0)) < height


def test_hostile_text_stays_text() -> None:
    names = ["root", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\x00\udc00&"]
    small = TRACE.at(3)
    svg = tree_svg(replace(small, recorded_labels=names), name="<b>&")
    assert "<script" not in svg
    assert "<img" not in svg
    assert "<b>" not in svg
    assert sorted(marks(svg)) == [0, 1, 2, 3]


def test_the_deepest_and_the_smallest_tree_are_drawn() -> None:
    n = 2_000
    columns = {
        field.name: np.resize(getattr(FINAL, field.name), n)
        for field in fields(FINAL)
        if isinstance(getattr(FINAL, field.name), np.ndarray)
    }
    columns["parent"] = np.arange(-1, n - 1, dtype=np.int32)
    columns["visits"] = np.arange(n, 0, -1, dtype=np.int32)
    chain = replace(FINAL, **columns, topology=Topology(columns["parent"]))
    assert len(marks(tree_svg(chain, spec=ViewSpec(budget=5_000)))) == n
    assert list(marks(tree_svg(TRACE.at(0)))) == [0]


def test_what_cannot_be_drawn_is_refused_with_the_choice_there_is() -> None:
    with pytest.raises(
        PageError, match="colour 'red' is not known here; choose one of: mean_value"
    ):
        tree_svg(FINAL, colour="red")
    with pytest.raises(PageError, match="theme 'blue' is not known; choose one of: light, dark"):
        tree_svg(FINAL, theme="blue")
    with pytest.raises(PageError, match="no such node"):
        tree_svg(FINAL, spec=ViewSpec(focus=99_999))


def test_labels_do_not_run_into_the_next_node() -> None:
    svg = tree_svg(FINAL, spec=ViewSpec(budget=300))
    found = marks(svg)
    circles = np.array(
        [[float(m.get(a, 0)) for a in ("cx", "cy", "r")] for m in found.values() if m.get("cx")]
    )
    labels = [
        t for t in ElementTree.fromstring(svg).iter(f"{SVG}text") if t.get("font-weight") == "600"
    ]
    for label in labels[:-1]:  # the last is the legend's
        x, y = float(label.get("x", 0)), float(label.get("y", 0)) - 1
        end = x + 6 * len(label.text or "")
        level = circles[np.abs(circles[:, 1] - y) < 1]
        assert not ((level[:, 0] - level[:, 2] > x) & (level[:, 0] - level[:, 2] < end)).any()
