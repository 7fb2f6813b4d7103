"""Two trees on one layout: the moves that both or one of them have, laid out once; a colour says in which of the two
there is more.

What is shown and where it stands depends on the last iterations alone, so nothing moves while somebody steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mcts_viz.analysis.comparison import Matched, TreeComparison, compare_at
from mcts_viz.errors import PageError
from mcts_viz.views.layout import Layout, euler_tour, tidy_layout
from mcts_viz.views.tree_figure import EDGE, INK, canvas_figure
from mcts_viz.views.visible import ViewSpec, Visible, visible_items

BUDGET = 150  # nodes
RANKED = 60  # of the largest differences in the end, always shown
CHARACTER = 7.0  # pixels, in a picture that is
PICTURE = 640.0  # pixels wide
UNIT = 1 << 29  # a share of one, as the whole numbers that nodes are chosen by
LEAST_REACH = {"visits": 0.01, "mean": 0.05}  # of the colours, however alike the trees are
# A's colour, none, B's; both kinds of colour blindness tell them apart
COLOURS = {
    "light": ["#1b6ca8", "#e9ecef", "#c2570c"],
    "dark": ["#6db5ef", "#3a4048", "#ff9a4d"],
}
TITLES = {"visits": "share of the visits", "mean": "mean value"}


class Union(NamedTuple):
    """The items of the picture: V union nodes, then stubs, which keep room for what is left out."""

    visible: Visible
    layout: Layout


class _Parents(NamedTuple):
    """What choosing nodes needs to know of a tree."""

    parent: npt.NDArray[np.int32]


class _Info(NamedTuple):
    node: npt.NDArray[np.int32]  # [K] union ids shown now
    x: npt.NDArray[np.float64]  # [K]
    depth: npt.NDArray[np.int32]  # [K]
    difference: npt.NDArray[np.float64]  # [K] B − A; nan where one has no value
    size: npt.NDArray[np.float64]  # [K] pixels across
    # [K] circle: in both; triangle to the left: only in A, to the right: only in B; open: no difference known
    symbol: list[str]
    label: list[str]  # [K] "" where there is no room
    hover: list[str]  # [K]
    edge_x: npt.NDArray[np.float64]
    edge_depth: npt.NDArray[np.int32]
    reach: float  # of the colours, to both sides of no difference


def union_layout(matched: Matched, selected: int | None = None) -> Union:
    """What is shown of two traces, and where: the nodes with the largest share of the visits in either, those that
    differ most in the end, and one that somebody has selected."""
    final = compare_at(matched)
    share = np.maximum(final.share_a, final.share_b)
    weight = np.round(share * UNIT).astype(np.int32)
    wanted = weight.copy()
    always = [*final.by_visits[:RANKED].tolist(), *([] if selected is None else [selected])]
    shown = {node for each in always for node in matched.tree.path(each)}
    wanted[list(shown)] += UNIT
    visible = visible_items(_Parents(matched.tree.parent), wanted, ViewSpec(budget=BUDGET))
    return Union(visible, tidy_layout(visible, weight))


def comparison_figure(
    told: TreeComparison,
    union: Union,
    colour: str = "visits",
    selected: int | None = None,
    theme: str = "light",
) -> go.Figure:
    """The two trees at the iterations compared; colour "visits" or "mean" says what the colour shows."""
    if colour not in TITLES:
        raise PageError(f"colour {colour!r} is not known; choose one of: {', '.join(TITLES)}")
    return _plot(told, _info(told, union, colour), colour, selected, theme)


def _info(told: TreeComparison, union: Union, colour: str) -> _Info:
    visible, layout = union
    there = told.in_a | told.in_b
    nodes = visible.node[: visible.n_nodes]
    shown = np.flatnonzero(there[nodes])
    node = nodes[shown]
    differences = told.share_difference if colour == "visits" else told.mean_difference
    difference = differences[node]
    share = np.maximum(told.share_a, told.share_b)[node]
    exists = np.zeros(len(visible), np.bool_)
    exists[shown] = True
    tour = euler_tour(visible.parent, layout)
    tour = tour[exists[tour]]
    known = np.abs(difference[np.isfinite(difference)])
    return _Info(
        node=node,
        x=layout.x[shown],
        depth=layout.depth[shown],
        difference=difference,
        size=9 + 30 * np.sqrt(share),
        symbol=[
            _symbol(told, int(v)) + ("" if known else "-open")
            for v, known in zip(node, np.isfinite(difference))
        ],
        label=_where_there_is_room([_label(told, int(v)) for v in node], layout, shown, share),
        hover=[_hover(told, int(each)) for each in node],
        edge_x=layout.x[tour],
        edge_depth=layout.depth[tour],
        reach=max(float(known.max(initial=0.0)), LEAST_REACH[colour]),
    )


def _where_there_is_room(
    labels: list[str],
    layout: Layout,
    shown: npt.NDArray[np.intp],
    share: npt.NDArray[np.float64],
) -> list[str]:
    """The labels, "" for those that would run into the next node of their level."""
    scale = PICTURE / max(float(layout.x.max(initial=1.0)), 1.0)  # pixels
    x, depth = layout.x[shown] * scale, layout.depth[shown]
    order = np.lexsort((x, depth))
    room = np.full(len(shown), PICTURE)
    beside = depth[order][1:] == depth[order][:-1]
    room[order[:-1][beside]] = np.diff(x[order])[beside]
    taken = 2 * np.sqrt(share) * 15 + 8  # the marks of this node and the next, about
    needed = np.array([CHARACTER * len(label) for label in labels]) + taken
    return [label if fits else "" for label, fits in zip(labels, needed <= room)]


def _symbol(told: TreeComparison, node: int) -> str:
    if told.only_a[node]:
        return "triangle-left"
    return "triangle-right" if told.only_b[node] else "circle"


def _label(told: TreeComparison, node: int) -> str:
    """The move, with a star for each search that would play it."""
    name = "root" if node == 0 else told.label(node)
    stars = [f"★{side}" for side, choice in zip("AB", told.choices) if node == choice]
    return " ".join([name, *stars])


def _hover(told: TreeComparison, node: int) -> str:
    row = told.row(node)
    lines = [f"<b>{row.line}</b>"]
    for side, there, visits, share, mean in (
        ("A", row.node_a, row.visits_a, row.share_a, row.mean_a),
        ("B", row.node_b, row.visits_b, row.share_b, row.mean_b),
    ):
        if there is None:
            lines.append(f"{side}: not there")
        else:
            value = "" if mean is None else f", mean {mean:.4f}"
            lines.append(f"{side}: {visits:,} visits ({share:.1%}){value}")
    return "<br>".join(lines)


def _plot(
    told: TreeComparison, info: _Info, colour: str, selected: int | None, theme: str
) -> go.Figure:
    figure = canvas_figure(theme)
    figure.update_layout(hovermode="closest", uirevision="compare")
    figure.add_scatter(
        x=info.edge_x, y=info.edge_depth, mode="lines", hoverinfo="skip", name="edges",
        line={"color": EDGE[theme], "width": 1},
    )  # fmt: skip
    figure.add_scatter(
        x=info.x,
        y=info.depth,
        mode="markers+text",
        name="nodes",
        text=info.label,
        textposition="middle right",
        # ids here and in A; a list, for the page reads it as it was sent
        customdata=np.column_stack((info.node, told.node_a[info.node])).tolist(),
        hovertext=info.hover,
        hoverinfo="text",
        marker={
            "size": info.size,
            "opacity": 1,
            "symbol": info.symbol,
            "color": np.nan_to_num(info.difference),
            "cmin": -info.reach,
            "cmax": info.reach,
            "colorscale": [[i / 2, each] for i, each in enumerate(COLOURS[theme])],
            "line": {"color": INK[theme], "width": 1},
            "colorbar": _colorbar(info, colour),
        },
    )
    ring = np.flatnonzero(info.node == (-1 if selected is None else selected))
    figure.add_scatter(
        x=info.x[ring], y=info.depth[ring], mode="markers", name="selected", hoverinfo="skip",
        marker={"symbol": "circle-open", "size": info.size[ring] + 12, "color": INK[theme],
                "line": {"width": 3}},
    )  # fmt: skip
    width = float(info.x.max(initial=1.0))
    figure.update_xaxes(range=[-0.6, width + 0.9])
    figure.update_yaxes(range=[float(info.depth.max(initial=0)) + 0.6, -0.6])
    return figure


def _colorbar(info: _Info, colour: str) -> dict[str, object]:
    reach = f"{info.reach:.1%}" if colour == "visits" else f"{info.reach:.3f}"
    return {
        "title": {"text": f"difference in {TITLES[colour]}", "side": "right"},
        "tickvals": [-info.reach, 0, info.reach],
        "ticktext": [f"A +{reach}", "same", f"B +{reach}"],
        "thickness": 12,
        "len": 0.6,
    }
