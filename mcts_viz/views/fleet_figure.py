"""The picture of a stored question's rows: bars, lines or dots over one column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from mcts_viz.views.theme import EDGE, FONT, INK, PAPER

Cell = str | float | bool | None
COLOURS = {
    "light": ("#135a9c", "#b35806", "#3b7d4f", "#7a4a9c", "#9a6700", "#4d545e"),
    "dark": ("#8fcbff", "#ffab4f", "#85c59e", "#c9a2e8", "#f2c14e", "#a3abb6"),
}
LARGEST = 36  # pixels of a dot


def fleet_figure(
    rows: Sequence[Mapping[str, Cell]],
    kind: str,
    x: str,
    y: Sequence[str],
    titles: tuple[str, str],
    group: str | None = None,
    size: str | None = None,
    log_x: bool = False,
    theme: str = "light",
) -> go.Figure:
    """kind: "bars", "line" or "dots". A colour for each column of `y`, or for each value of `group`. What is brushed in
    it are its rows: `customdata` of a mark is its row's number."""
    figure = go.Figure()
    numbered = list(enumerate(rows))
    parts = [(name, name.replace("_", " "), numbered) for name in y]
    if group is not None:
        values = list(dict.fromkeys(row[group] for row in rows))
        parts = [
            (
                y[0],
                f"{value:,g}"
                if isinstance(value, float)
                else "none"
                if value is None
                else str(value),
                [each for each in numbered if each[1][group] == value],
            )
            for value in values
        ]
    largest = max((float(row[size] or 0) for row in rows), default=1.0) if size else 1.0
    for place, (name, title, shown) in enumerate(parts):
        colour = COLOURS[theme][place % len(COLOURS[theme])]
        marks = {
            "x": [row[x] for _, row in shown],
            "y": [row[name] for _, row in shown],
            "name": title,
            "customdata": [n for n, _ in shown],
        }
        if kind == "bars":
            figure.add_bar(**marks, marker={"color": colour})
            continue
        sizes = (
            [6 + LARGEST * (float(row[size] or 0) / largest) ** 0.5 for _, row in shown]
            if size
            else 8
        )
        figure.add_scatter(
            **marks,
            mode="lines+markers" if kind == "line" else "markers",
            marker={"color": colour, "size": sizes},
        )
    axis = {"gridcolor": EDGE[theme], "zerolinecolor": EDGE[theme], "automargin": True}
    figure.update_layout(
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        paper_bgcolor=PAPER[theme],
        plot_bgcolor=PAPER[theme],
        font={"color": INK[theme], "family": FONT},
        xaxis={**axis, "title": {"text": titles[0]}, "type": "log" if log_x else "-"},
        yaxis={**axis, "title": {"text": titles[1]}},
        showlegend=len(parts) > 1,
        legend={"title": {"text": (group or "").replace("_", " ")}},
        dragmode="select",
    )
    return figure
