"""How sure a choice is, in one picture: constants across, moves down, how often each was chosen."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mcts_viz.analysis.choice.sensitivity import Sensitivity
from mcts_viz.views.theme import INK, PAPER

MOST_MOVES = 12  # rows; moves that were never chosen are left out first
SCALE = {
    "light": [[0, "#ffffff"], [0.5, "#7fb2d9"], [1, "#0b4f86"]],
    "dark": [[0, "#1a1c20"], [0.5, "#2f6f9f"], [1, "#a8d8ff"]],
}


def sensitivity_figure(found: Sensitivity, theme: str = "light") -> go.Figure:
    """A heat map: one row a move, those chosen most often on top."""
    chosen = np.flatnonzero(found.counts.any(axis=0))[:MOST_MOVES]
    rows = chosen if len(chosen) else np.arange(min(1, len(found.labels)))
    share = found.share[:, rows].T
    counts, ran = found.counts[:, rows].T, found.ran.sum(axis=1)
    figure = go.Figure(
        go.Heatmap(
            x=[_constant(c, found.own_c) for c in found.c.tolist()],
            y=[found.labels[i] for i in rows],
            z=share,
            text=[
                [f"{k} of {n}" if k else "" for k, n in zip(row, ran)] for row in counts.tolist()
            ],
            texttemplate="%{text}",
            hovertemplate="c = %{x}<br>%{y}: %{text} searches<extra></extra>",
            zmin=0,
            zmax=1,
            colorscale=SCALE[theme],
            xgap=2,
            ygap=2,
            colorbar={"title": {"text": "share"}, "tickformat": ".0%", "thickness": 12},
        )
    )
    figure.update_layout(
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        paper_bgcolor=PAPER[theme],
        plot_bgcolor=PAPER[theme],
        font={"color": INK[theme]},
        xaxis={
            "title": {"text": "c, exploration"},
            "type": "category",
            "fixedrange": True,
            "showgrid": False,
        },
        yaxis={
            "showgrid": False,
            "autorange": "reversed",
            "automargin": True,
            "fixedrange": True,
            "type": "category",
        },
        height=130 + 40 * len(rows),
    )
    return figure


def _constant(c: float, own: float | None) -> str:
    """The constant as its column is named."""
    return f"{c:.4g}" + (" (as searched)" if c == own else "")
