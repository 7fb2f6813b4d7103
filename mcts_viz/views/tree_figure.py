"""A snapshot's tree as a Plotly figure, for notebooks and papers: `snapshot.figure()`.

The page itself draws on a canvas, inside the empty figure of `canvas_figure`.
"""

from __future__ import annotations

import html

import numpy as np
import plotly.graph_objects as go

from mcts_viz.errors import PageError
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.types import is_real
from mcts_viz.views.canvas_figure import canvas_figure, colour_bar
from mcts_viz.views.layout import euler_tour, tidy_layout
from mcts_viz.views.theme import CHOSEN, EDGE, FONT, INK, MUTED
from mcts_viz.views.tree_scene import TreeScene, node_text, tree_scene
from mcts_viz.views.view_spec import ViewSpec

SMALLEST = 10  # pixels of a figure
BAR = 300  # pixels of the colour bar
LEGEND = "size: visits · squares: the game is over · +k: children left out"


def tree_figure(
    snapshot: Snapshot,
    spec: ViewSpec,
    colour: str = "mean_value",
    size: tuple[int, int] | None = None,
    theme: str = "light",
    final: Snapshot | None = None,
) -> go.Figure:
    """The figure, as large as the tree needs unless `size` says its pixels; see `tree_scene`."""
    if size is not None and (len(size) != 2 or not all(is_real(n) and n >= SMALLEST for n in size)):
        raise PageError(
            f"size={size} is no size; give width and height in pixels, {SMALLEST} or more"
        )
    scene = tree_scene(snapshot, None, final, spec, colour, theme, size=size)
    figure = canvas_figure(theme)
    figure.update_layout(
        width=round(scene.width),
        height=round(scene.height),
        hovermode="closest",
        font={"family": FONT, "size": 12},
        annotations=_words(scene, theme),
        modebar_remove=["select", "lasso"],
    )
    figure.update_xaxes(range=[0, scene.width])
    figure.update_yaxes(range=[scene.height, 0])
    _plot_edges(figure, snapshot, scene, final or snapshot, theme)
    _plot_nodes(figure, snapshot, scene, theme)
    _plot_left_out(figure, snapshot, scene, theme)
    bar = colour_bar(
        scene.scale, theme, orientation="h", lenmode="pixels", len=BAR, thickness=10, ticks="",
        xanchor="left", x=20 / scene.width, xpad=0, yanchor="bottom", y=30 / scene.height, ypad=0,
        title=None, tickvals=[], ticktext=[], outlinewidth=0,
    )  # fmt: skip
    figure.add_scatter(
        x=[None], y=[None], mode="markers", name="scale", hoverinfo="skip", marker=bar
    )
    return figure


def _plot_edges(
    figure: go.Figure, snapshot: Snapshot, scene: TreeScene, final: Snapshot, theme: str
) -> None:
    """All edges as one line, and over it the expected line of play."""
    exists = np.zeros(len(scene.x), np.bool_)
    exists[scene.shown] = True
    tour = euler_tour(scene.visible.parent, tidy_layout(scene.visible, final.visits))
    tour = tour[exists[tour]]
    item_of = {int(scene.visible.node[item]): item for item in range(scene.visible.n_nodes)}
    line = [item_of[node] for node in snapshot.principal_path if node in item_of]
    for name, items, look in (
        ("edges", tour, {"color": EDGE[theme], "width": 1}),
        ("expected line", np.array(line, np.int64), {"color": CHOSEN[theme], "width": 2.5}),
    ):
        figure.add_scatter(
            x=scene.x[items], y=scene.y[items], mode="lines", name=name, hoverinfo="skip", line=look
        )


def _plot_nodes(figure: go.Figure, snapshot: Snapshot, scene: TreeScene, theme: str) -> None:
    items = scene.shown[scene.shown < scene.visible.n_nodes]
    nodes = scene.visible.node[items]
    is_chosen = nodes == scene.chosen
    figure.add_scatter(
        x=scene.x[items],
        y=scene.y[items],
        mode="markers",
        name="nodes",
        customdata=nodes,
        hovertext=[html.escape(node_text(snapshot, node)) for node in nodes.tolist()],
        hoverinfo="text",
        marker={
            "size": 2 * scene.radius[items],
            "symbol": np.where(snapshot.terminal[nodes], "square", "circle"),
            "color": [scene.fill[node] for node in nodes.tolist()],
            "opacity": 1,
            "line": {
                "color": np.where(is_chosen, CHOSEN[theme], MUTED[theme]),
                "width": np.where(is_chosen, 3, 1),
            },
        },
    )
    texts = [(item, *scene.text(snapshot, item)) for item in items.tolist()]
    texts = [(item, label, visits) for item, label, visits in texts if label]
    places = [item for item, _, _ in texts]
    figure.add_scatter(
        x=[scene.x[item] + scene.gap(item) for item in places],
        y=scene.y[places],
        mode="text",
        name="labels",
        text=[
            f"<b>{html.escape(label)}</b>" + (f"<br>{visits}" if visits else "")
            for _, label, visits in texts
        ],
        textposition="middle right",
        textfont={"color": INK[theme], "size": 11},
        hoverinfo="skip",
    )


def _plot_left_out(figure: go.Figure, snapshot: Snapshot, scene: TreeScene, theme: str) -> None:
    items = scene.shown[scene.shown >= scene.visible.n_nodes]
    figure.add_scatter(
        x=scene.x[items],
        y=scene.y[items],
        mode="text",
        name="left out",
        text=[scene.text(snapshot, item)[0] for item in items.tolist()],
        textfont={"color": MUTED[theme], "size": 10},
        hovertext=[
            f"{scene.standing_for[item]:,} children left out, {scene.visits[item]:,} visits"
            for item in items.tolist()
        ],
        hoverinfo="text",
    )


def _words(scene: TreeScene, theme: str) -> list[dict[str, object]]:
    """Title and legend, at the edges of the picture at every zoom."""
    ink, muted = INK[theme], MUTED[theme]
    bottom, chosen = scene.height, f'<span style="color:{CHOSEN[theme]}">◯</span> leading move'
    words = (
        (20, 20, "left", f"<b>{html.escape(scene.title)}</b>", 17, ink),
        (20, 44, "left", html.escape(scene.subtitle), 12, muted),
        (20, bottom - 52, "left", f"<b>colour: {html.escape(scene.scale.title)}</b>", 12, ink),
        (20, bottom - 18, "left", html.escape(scene.scale.low_text), 11, muted),
        (20 + BAR, bottom - 18, "right", html.escape(scene.scale.high_text), 11, muted),
        (BAR + 52, bottom - 34, "left", f"{chosen}, and the line of play expected", 12, ink),
        (BAR + 52, bottom - 18, "left", LEGEND, 11, muted),
    )
    return [
        {
            "text": text, "font": {"size": size, "color": colour}, "showarrow": False,
            "xref": "paper", "x": x / scene.width, "xanchor": anchor,
            "yref": "paper", "y": 1 - y / scene.height, "yanchor": "middle", "borderpad": 0,
        }
        for x, y, anchor, text, size, colour in words
    ]  # fmt: skip
