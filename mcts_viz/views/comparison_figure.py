"""Two trees on one layout: the moves that both or one of them have, laid out once. A node is two halves, one for each
tree (`comparison_halves`), or one mark, whose colour says in which of the two there is more.

What is shown and where it stands depends on the last iterations alone, so nothing moves while somebody steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mcts_viz.analysis.comparison.trees import Matched, TreeComparison, compare_at
from mcts_viz.errors import PageError
from mcts_viz.trace.words import plural, shared_words
from mcts_viz.types import Floats
from mcts_viz.views.canvas_figure import canvas_figure
from mcts_viz.views.comparison_halves import COLOURS, Marks, across, plot_halves
from mcts_viz.views.layout import Layout, euler_tour, tidy_layout
from mcts_viz.views.theme import EDGE, INK
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import Visible, visible_items

BUDGET = 150  # nodes
RANKED = 60  # of the largest differences in the end, always shown
MARGIN, LAST = 0.9, 30.0  # right of the last node at least: widths of a node, pixels
CHARACTER = 7.0  # pixels, in a picture that is
PICTURE = 500.0  # pixels wide, where a window is 1,024
UNIT = 1 << 29  # a share of one, as the whole numbers that nodes are chosen by
LEAST_REACH = {
    "visits_difference": 0.01,
    "mean_difference": 0.05,
}  # least range of the colours, however similar the trees are
BESIDE = ("visits", "mean")  # what the halves show, each its own
DIFFERENCES = {"visits_difference": "share of the visits", "mean_difference": "mean value"}
COLOURS_BY = (*BESIDE, *DIFFERENCES)


class Union(NamedTuple):
    """The items of the picture: V union nodes, then stubs, which keep room for what is left out."""

    visible: Visible
    layout: Layout


class _Info(NamedTuple):
    """Positions and texts of the nodes, for every colour."""

    node: npt.NDArray[np.int32]  # [K] union ids shown now
    x: Floats  # [K]
    depth: npt.NDArray[np.int32]  # [K]
    size: Floats  # [K] pixels across
    label: list[str]  # [K] "" where there is no room
    hover: list[str]  # [K]
    edge_x: Floats
    edge_depth: npt.NDArray[np.int32]


class _Difference(NamedTuple):
    """One mark a node."""

    value: Floats  # [K] B − A; nan where one has no value
    # [K] circle: in both; triangle to the left: only in A, to the right: only in B; open: no difference known
    symbol: list[str]
    reach: float  # of the colours, to both sides of no difference


def union_layout(matched: Matched, selected: int | None = None) -> Union:
    """What is shown of two traces, and where: the nodes with the largest share of the visits in either, those that
    differ most in the end, and the selected one."""
    final = compare_at(matched)
    share = np.maximum(final.share_a, final.share_b)
    weight = np.round(share * UNIT).astype(np.int32)
    wanted = weight.copy()
    always = [*final.by_visits[:RANKED].tolist(), *([] if selected is None else [selected])]
    shown = {node for each in always for node in matched.tree.path(each)}
    wanted[list(shown)] += UNIT
    visible = visible_items(matched.tree.parent, wanted, ViewSpec(budget=BUDGET))
    return Union(visible, tidy_layout(visible, weight))


def comparison_figure(
    comparison: TreeComparison,
    union: Union,
    colour: str = "visits",
    selected: int | None = None,
    theme: str = "light",
) -> go.Figure:
    """The two trees at the iterations compared. Colour "visits" and "mean" show each tree's own
    numbers side by side, "visits_difference" and "mean_difference" which of the two has more. Raises
    PageError for another one."""
    if colour not in COLOURS_BY:
        raise PageError(f"colour {colour!r} is not known; choose one of: {', '.join(COLOURS_BY)}")
    info = _info(comparison, union)
    figure = canvas_figure(theme)
    figure.update_layout(hovermode="closest", uirevision="compare")
    _plot_edges(figure, info, theme)
    if colour in DIFFERENCES:
        marker = _difference_marker(_difference(comparison, info, colour), info, colour, theme)
    else:
        marker = {"size": info.size, "color": "rgba(0,0,0,0)", "line": {"width": 0}}
        plot_halves(figure, comparison, Marks(info.node, info.x, info.depth), colour, theme)
    _plot_nodes(figure, comparison, info, marker, selected, theme)
    width = float(info.x.max(initial=1.0))
    figure.update_xaxes(range=[-0.6, width + _margin(union.layout)])
    figure.update_yaxes(range=[float(info.depth.max(initial=0)) + 0.6, -0.6])
    return figure


def _info(comparison: TreeComparison, union: Union) -> _Info:
    visible, layout = union
    there = comparison.in_a | comparison.in_b
    nodes = visible.node[: visible.n_nodes]
    shown = np.flatnonzero(there[nodes])
    node = nodes[shown]
    share = np.maximum(comparison.share_a, comparison.share_b)[node]
    exists = np.zeros(len(visible), np.bool_)
    exists[shown] = True
    tour = euler_tour(visible.parent, layout)
    tour = tour[exists[tour]]
    return _Info(
        node=node,
        x=layout.x[shown],
        depth=layout.depth[shown],
        size=across(share),
        label=_where_there_is_room(_labels(comparison, node), layout, shown, share),
        hover=[_hover(comparison, int(each)) for each in node],
        edge_x=layout.x[tour],
        edge_depth=layout.depth[tour],
    )


def _difference(comparison: TreeComparison, info: _Info, colour: str) -> _Difference:
    of_all = (
        comparison.share_difference if colour == "visits_difference" else comparison.mean_difference
    )
    value = of_all[info.node]
    known = np.isfinite(value)
    symbols = [
        _symbol(comparison, int(v)) + ("" if is_known else "-open")
        for v, is_known in zip(info.node, known)
    ]
    reach = float(np.abs(value[known]).max(initial=0.0))
    return _Difference(value, symbols, max(reach, LEAST_REACH[colour]))


def _where_there_is_room(
    labels: list[list[str]],
    layout: Layout,
    shown: npt.NDArray[np.intp],
    share: Floats,
) -> list[str]:
    """The first label of each node that does not run into the next node of its level, "" where there is none."""
    scale = _scale(layout)
    x, depth = layout.x[shown] * scale, layout.depth[shown]
    order = np.lexsort((x, depth))
    room = PICTURE + _margin(layout) * scale - x  # to the picture's edge
    beside = depth[order][1:] == depth[order][:-1]
    room[order[:-1][beside]] = np.diff(x[order])[beside]
    mark = np.sqrt(share) * 15  # about
    taken = mark + 8
    taken[order[:-1][beside]] += mark[order[:-1][beside]]  # that of the next node
    found = []
    for ways, left in zip(labels, (room - taken).tolist()):
        found.append(next((text for text in ways if CHARACTER * len(text) <= left), ""))
    return found


def _symbol(comparison: TreeComparison, node: int) -> str:
    if comparison.only_a[node]:
        return "triangle-left"
    return "triangle-right" if comparison.only_b[node] else "circle"


def _scale(layout: Layout) -> float:
    """Pixels of a node's width."""
    return PICTURE / max(float(layout.x.max(initial=1.0)), 1.0)


def _margin(layout: Layout) -> float:
    return max(MARGIN, LAST / _scale(layout))


def _labels(comparison: TreeComparison, nodes: npt.NDArray[np.int32]) -> list[list[str]]:
    """By node, the longest first: the move, with a star for each search that would play it; without the words that all
    moves begin with, "3" for "column 3"; and only the stars."""
    names = [comparison.label(int(node)) for node in nodes if node]
    shared = shared_words(names)
    found = []
    for node in nodes.tolist():
        name = "root" if node == 0 else comparison.label(node)
        short = name if node == 0 else " ".join(name.split(" ")[shared:])
        stars = [f"★{side}" for side, choice in zip("AB", comparison.choices) if node == choice]
        found.append(
            [" ".join([name, *stars]), " ".join([short, *stars]), " ".join(stars) or short]
        )
    return found


def _hover(comparison: TreeComparison, node: int) -> str:
    row = comparison.row(node)
    lines = [f"<b>{row.line}</b>"]
    for side, there, visits, share, mean in (
        ("A", row.node_a, row.visits_a, row.share_a, row.mean_a),
        ("B", row.node_b, row.visits_b, row.share_b, row.mean_b),
    ):
        if there is None:
            lines.append(f"{side}: not there")
        else:
            value = "" if mean is None else f", mean {mean:.4f}"
            lines.append(f"{side}: {plural(visits, 'visit')} ({share:.1%}){value}")
    return "<br>".join(lines)


def _plot_edges(figure: go.Figure, info: _Info, theme: str) -> None:
    figure.add_scatter(
        x=info.edge_x, y=info.edge_depth, mode="lines", hoverinfo="skip", name="edges",
        line={"color": EDGE[theme], "width": 1},
    )  # fmt: skip


def _plot_nodes(
    figure: go.Figure, comparison: TreeComparison, info: _Info, marker: dict[str, object],
    selected: int | None, theme: str,
) -> None:  # fmt: skip
    """Marks, which are what the mouse finds also where halves are drawn; labels; the selected node's ring."""
    figure.add_scatter(
        x=info.x,
        y=info.depth,
        mode="markers+text",
        name="nodes",
        text=info.label,
        textposition="middle right",
        # ids here and in A; a list, for the page reads it as it was sent
        customdata=np.column_stack((info.node, comparison.node_a[info.node])).tolist(),
        hovertext=info.hover,
        hoverinfo="text",
        marker=marker,
    )
    ring = np.flatnonzero(info.node == (-1 if selected is None else selected))
    figure.add_scatter(
        x=info.x[ring], y=info.depth[ring], mode="markers", name="selected", hoverinfo="skip",
        marker={"symbol": "circle-open", "size": info.size[ring] + 12, "color": INK[theme],
                "line": {"width": 3}},
    )  # fmt: skip


def _difference_marker(
    found: _Difference, info: _Info, colour: str, theme: str
) -> dict[str, object]:
    return {
        "size": info.size,
        "opacity": 1,
        "symbol": found.symbol,
        "color": np.nan_to_num(found.value),
        "cmin": -found.reach,
        "cmax": found.reach,
        "colorscale": [[i / 2, each] for i, each in enumerate(COLOURS[theme])],
        "line": {"color": INK[theme], "width": 1},
        "colorbar": _colorbar(found.reach, colour),
    }


def _colorbar(reach: float, colour: str) -> dict[str, object]:
    text = f"{reach:.1%}" if colour == "visits_difference" else f"{reach:.3f}"
    return {
        "title": {"text": f"difference in {DIFFERENCES[colour]}", "side": "right"},
        "tickvals": [-reach, 0, reach],
        "ticktext": [f"A +{text}", "same", f"B +{text}"],
        "thickness": 12,
        "len": 0.6,
    }
