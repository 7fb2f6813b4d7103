"""A snapshot's visible tree as a true Plotly figure: for exports, notebooks and tests.

The page itself draws on a canvas inside the empty figure that `canvas_figure` returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mcts_viz.analysis.point_of_view import player_0_value
from mcts_viz.errors import PageError
from mcts_viz.trace.players import movers, movers_into
from mcts_viz.views.colours import COLOUR_MODES, THEMES, Scale, Seen, colour_of, scales
from mcts_viz.views.layout import euler_tour, tidy_layout
from mcts_viz.views.visible import ViewSpec, Visible, visible_of
from mcts_viz.views.window import last_visits

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot

LABELS_AT_MOST = 60  # more text than this cannot be read in one picture
PAPER = {"light": "#ffffff", "dark": "#1a1c20"}
INK = {"light": "#1f2933", "dark": "#e6e8eb"}
EDGE = {"light": "#b4bcc6", "dark": "#4d545e"}
GRAPH_CONFIG = {
    "scrollZoom": True,
    "displaylogo": False,
    "doubleClick": False,
    # all there are: Plotly's own list grows, and has one that sends the picture to somebody's server
    "modeBarButtons": [["pan2d", "zoom2d", "zoomIn2d", "zoomOut2d"]],
}


class _TreeInfo(NamedTuple):
    node: npt.NDArray[np.int32]  # [M] node id; of a stub, its parent's
    is_stub: npt.NDArray[np.bool_]  # [M]
    x: npt.NDArray[np.float64]  # [M]
    depth: npt.NDArray[np.int32]  # [M]
    edge_x: npt.NDArray[np.float64]  # [2 M - 1] one line that runs along every edge twice
    edge_depth: npt.NDArray[np.int32]  # [2 M - 1]
    visits: npt.NDArray[np.int64]  # [M]
    value: npt.NDArray[np.float64]  # [M] what the colour shows; nan for stubs
    size: npt.NDArray[np.float64]  # [M] pixels across
    label: list[str]  # [M] move into the node, or "+k more"
    scale: Scale


def tree_figure(
    columns: Columns,
    snapshot: Snapshot,
    final: Snapshot,
    spec: ViewSpec | None = None,
    colour: str = "mean_value",
    theme: str = "light",
) -> go.Figure:
    """The tree after `snapshot.iteration` iterations, where the page would draw it: `final`, the trace's last
    snapshot, decides what is shown and where."""
    if colour not in COLOUR_MODES:
        raise PageError(f"colour {colour!r} is not known; choose one of: {', '.join(COLOUR_MODES)}")
    if theme not in THEMES:
        raise PageError(f"theme {theme!r} is not known; choose one of: {', '.join(THEMES)}")
    return _tree_plot(_tree_info(columns, snapshot, final, spec or ViewSpec(), colour), theme)


def _tree_info(
    columns: Columns, snapshot: Snapshot, final: Snapshot, spec: ViewSpec, colour: str
) -> _TreeInfo:
    visible = visible_of(columns, final, spec)
    layout = tidy_layout(visible, final.visits)
    tour = euler_tour(visible.parent, layout)
    is_stub = np.arange(len(visible)) >= visible.n_nodes
    exists, hidden_visits = item_counts(snapshot, visible.item_of_node, len(visible))
    tour = tour[exists[tour] > 0]
    tour = tour[
        np.concatenate([[True], tour[1:] != tour[:-1]])
    ]  # nobody goes down to a node to come
    shown = np.flatnonzero(exists)
    node, nodes_only = visible.node[shown], ~is_stub[shown]
    scale = view_scales(columns, final, visible)[colour]
    visits = np.where(nodes_only, snapshot.visits[node], hidden_visits[shown]).astype(np.int64)
    value = np.where(nodes_only, MEASURES[colour](columns, snapshot)[node], np.nan)
    return _TreeInfo(
        node=node,
        is_stub=is_stub[shown],
        x=layout.x[shown],
        depth=layout.depth[shown],
        edge_x=layout.x[tour],
        edge_depth=layout.depth[tour],
        visits=visits,
        value=value,
        size=8 + 30 * np.sqrt(visits / max(int(final.visits[spec.focus]), 1)),
        label=[
            f"+{exists[item]:,} more" if is_stub[item] else snapshot.label(int(visible.node[item]))
            for item in shown
        ],
        scale=scale,
    )


def view_scales(columns: Columns, final: Snapshot, visible: Visible) -> dict[str, Scale]:
    """The colour scales of a view, from the trace's last snapshot."""
    seen = visible.node[: visible.n_nodes]
    visits = final.visits[seen]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(visits == 0, np.nan, final.value_sum[seen] / visits)
    mover = movers_into(seen, final.parent, final.to_move, final.meta)
    _, exploration, uct = final.scores(seen)
    return scales(
        final.meta,
        Seen(
            n_iterations=final.iteration,
            root_visits=int(final.visits[visible.spec.focus]),
            visits=visits,
            value=player_0_value(mean, mover, final.meta),
            uct=uct,
            exploration=exploration,
            prior=columns.prior[seen],
            movers_known=bool((mover >= 0).any()),
        ),
    )


def item_counts(
    snapshot: Snapshot, item_of_node: npt.NDArray[np.int32], n_items: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """How many nodes each item stands for at the snapshot, and their visits."""
    item = item_of_node[: len(snapshot)]
    tracked = np.flatnonzero(item >= 0)
    exists = np.bincount(item[tracked], minlength=n_items).astype(np.int64)
    visits = np.bincount(item[tracked], weights=snapshot.visits[tracked], minlength=n_items).astype(
        np.int64
    )
    return exists, visits


def _mean_value(columns: Columns, snapshot: Snapshot) -> npt.NDArray[np.float64]:
    mover = movers(snapshot.parent, snapshot.to_move, snapshot.meta)
    return player_0_value(snapshot.mean_value, mover, snapshot.meta)


def _finite(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)


def _player(columns: Columns, snapshot: Snapshot) -> npt.NDArray[np.float64]:
    mover = movers(snapshot.parent, snapshot.to_move, snapshot.meta)
    return np.where(mover >= 0, mover, np.nan)


def _since_last_visit(columns: Columns, snapshot: Snapshot) -> npt.NDArray[np.float64]:
    last = last_visits(columns, snapshot.iteration)[: len(snapshot)]
    return np.where(snapshot.visits > 0, snapshot.iteration - last + 1.0, np.nan)


# mode -> [N] what it shows; the browser's copy is in assets/colours.js
MEASURES: dict[str, Callable[[Columns, Snapshot], npt.NDArray[np.float64]]] = {
    "mean_value": _mean_value,
    "visits": lambda columns, snapshot: np.where(snapshot.visits > 0, snapshot.visits, np.nan),
    "uct": lambda columns, snapshot: _finite(snapshot.uct),
    "exploration": lambda columns, snapshot: _finite(snapshot.exploration_term),
    "prior": lambda columns, snapshot: columns.prior[: len(snapshot)].astype(np.float64),
    "player": _player,
    "last_visit": _since_last_visit,
}


def _tree_plot(info: _TreeInfo, theme: str) -> go.Figure:
    figure = canvas_figure(theme)
    edges = {"color": EDGE[theme], "width": 1}
    figure.add_scatter(
        x=info.edge_x, y=info.edge_depth, mode="lines", line=edges, hoverinfo="skip", name="edges"
    )
    readable = set(np.argsort(-info.visits, kind="stable")[:LABELS_AT_MOST].tolist())
    nodes = np.flatnonzero(~info.is_stub)
    figure.add_scatter(
        x=info.x[nodes],
        y=info.depth[nodes],
        mode="markers+text",
        name="nodes",
        text=[info.label[i] if i in readable else "" for i in nodes.tolist()],
        textposition="middle right",
        customdata=info.node[nodes],
        hovertext=[
            f"node {info.node[i]}: {info.label[i]}<br>{info.visits[i]:,} visits<br>"
            f"{info.scale.title}: {info.value[i]:.4f}"
            for i in nodes.tolist()
        ],
        hoverinfo="text",
        marker={
            "size": info.size[nodes],
            "color": colour_of(info.scale, theme, info.value[nodes]),
            "line": {"color": INK[theme], "width": 1},
        },
    )
    stubs = np.flatnonzero(info.is_stub)
    figure.add_scatter(
        x=info.x[stubs],
        y=info.depth[stubs],
        mode="markers",
        name="left out",
        hovertext=[f"{info.label[i]}, {info.visits[i]:,} visits" for i in stubs.tolist()],
        hoverinfo="text",
        marker={"symbol": "line-ew-open", "size": 8, "color": INK[theme]},
    )
    figure.add_scatter(
        x=[None], y=[None], mode="markers", name="scale", marker=_colorbar(info, theme)
    )
    width = float(info.x.max()) if len(info.x) else 1.0
    figure.update_xaxes(range=[-0.6, width + 0.6])
    figure.update_yaxes(range=[float(info.depth.max(initial=0)) + 0.6, -0.6])
    return figure


def _colorbar(info: _TreeInfo, theme: str) -> dict[str, object]:
    stops = info.scale.stops[theme]
    return {
        "cmin": 0,
        "cmax": 1,
        "color": [0],
        "showscale": True,
        "colorscale": [[i / (len(stops) - 1), stop] for i, stop in enumerate(stops)],
        "colorbar": {
            "title": {"text": info.scale.title, "side": "right"},
            "tickvals": [0, 1],
            "ticktext": [info.scale.low_text, info.scale.high_text],
            "thickness": 12,
        },
    }


def canvas_figure(theme: str = "light") -> go.Figure:
    """The empty figure that gives the page's canvas its axes: depth runs downward, a drag pans."""
    axis = {"visible": False, "zeroline": False, "showgrid": False}
    figure = go.Figure()
    figure.update_layout(
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor=PAPER[theme],
        plot_bgcolor=PAPER[theme],
        font={"color": INK[theme]},
        showlegend=False,
        dragmode="pan",
        hovermode=False,
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": EDGE[theme], "activecolor": INK[theme]},
        xaxis={**axis, "range": [-1, 1]},
        yaxis={**axis, "range": [4, -0.6]},
        uirevision="canvas",
    )
    return figure
