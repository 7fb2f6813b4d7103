"""How the roots of several searches were judged over their iterations, as one Plotly figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mcts_viz.views.fleet_figure import COLOURS
from mcts_viz.views.theme import EDGE, FONT, INK, PAPER

DASHES = ("solid", "dash", "dot")  # once all colours are used


class Curve(NamedTuple):
    """The curve of one search."""

    name: str
    iteration: npt.NDArray[np.int32]  # [P] rising
    root_value: npt.NDArray[np.float64]  # [P] mean value; nan without visits
    view_text: str  # what it is, and in whose view


def curves_figure(curves: Sequence[Curve], theme: str = "light") -> go.Figure:
    """A line a search."""
    figure, colours = go.Figure(), COLOURS[theme]
    for place, curve in enumerate(curves):
        figure.add_scatter(
            x=curve.iteration, y=curve.root_value, name=curve.name, mode="lines",
            line={"color": colours[place % len(colours)], "width": 2, "dash": DASHES[place // len(colours) % 3]},
            hovertemplate="%{y:.4f} after %{x:,}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    axis = {"gridcolor": EDGE[theme], "zerolinecolor": EDGE[theme], "automargin": True}
    views = list(dict.fromkeys(curve.view_text for curve in curves))
    title = views[0] if len(views) == 1 else "mean value of the root, view of player 0"
    words = {"text": f"iteration; upwards: {title}", "font": {"size": 12.5}}
    figure.update_layout(
        margin={"l": 10, "r": 10, "t": 10, "b": 10}, paper_bgcolor=PAPER[theme], plot_bgcolor=PAPER[theme],
        font={"color": INK[theme], "family": FONT}, showlegend=len(curves) > 0,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        xaxis={**axis, "title": words, "rangemode": "tozero", "visible": bool(curves)},
        yaxis={**axis, "visible": bool(curves)},
    )  # fmt: skip
    return figure
