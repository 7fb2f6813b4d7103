"""What all figures of trees share: a drawing area without visible axes, depth downward, and a colour bar."""

from __future__ import annotations

import plotly.graph_objects as go

from mcts_viz.views.colours import Scale
from mcts_viz.views.theme import EDGE, INK, PAPER

GRAPH_CONFIG = {
    "scrollZoom": True,
    "displaylogo": False,
    "doubleClick": False,
    # all there are: Plotly's own list grows, and has one that sends the picture to a server
    "modeBarButtons": [["pan2d", "zoom2d", "zoomIn2d", "zoomOut2d"]],
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


def colour_bar(scale: Scale, theme: str, **place: object) -> dict[str, object]:
    """The marker of a trace without points that shows the scale; `place`: where its bar is."""
    stops = scale.stops[theme]
    last = len(stops) - 1
    colorscale = [[i / last, stop] for i, stop in enumerate(stops)]
    if scale.categorical:  # two halves, nothing between them
        colorscale = [[0, stops[0]], [0.5, stops[0]], [0.5, stops[1]], [1, stops[1]]]
    return {
        "color": [0],
        "cmin": 0,
        "cmax": 1,
        "colorscale": colorscale,
        "showscale": True,
        "colorbar": {
            "title": {"text": scale.title, "side": "right"},
            "tickvals": [0, 1],
            "ticktext": [scale.low_text, scale.high_text],
            "thickness": 12,
            **place,
        },
    }
