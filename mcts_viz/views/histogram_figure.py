"""How many searches have which value of a column, as a small Plotly figure: all of them behind those that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import plotly.graph_objects as go

from mcts_viz.views.theme import EDGE, FONT, INK, MUTED, PAPER

Cell = str | float | bool | None
SHOWN = {"light": "#1b6ca8", "dark": "#6db5ef"}
ALL = {"light": "#dde2e8", "dark": "#3a4049"}
LINE = 42  # characters under all bars together, where the page is narrow


class Histogram(NamedTuple):
    """The histogram of a column. With `names`, each bar is one value; without, the bars divide low to high, and those
    at the ends take what lies beyond."""

    column: str
    names: tuple[Cell, ...]
    low: float
    high: float
    everything: tuple[int, ...]  # [bars] searches
    shown: tuple[int, ...]  # [bars] those that the conditions on other columns let pass


def histogram_figure(found: Histogram, theme: str = "light") -> go.Figure:
    """`customdata` of a bar is what a condition needs: its value, or where it begins and ends; null at an open end."""
    n = len(found.shown)
    if found.names:
        places: list[float] = list(range(n))
        data: list[list[Cell]] = [[each] for each in found.names]
        told = [f"{each:g}" if isinstance(each, float) else str(each) for each in found.names]
        width = 0.86
    else:
        step = (found.high - found.low) / n
        edges = [found.low + place * step for place in range(n + 1)]
        places, width = [(a + b) / 2 for a, b in pairwise(edges)], step
        data = [
            [a if place else None, b if place < n - 1 else None]
            for place, (a, b) in enumerate(pairwise(edges))
        ]
        told = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges)]
    figure = go.Figure()
    for counts, colour, name in (
        (found.everything, ALL[theme], "all"), (found.shown, SHOWN[theme], "shown")
    ):  # fmt: skip
        share = _heights(counts, found.everything)
        figure.add_bar(
            x=places, y=share, width=width, name=name, marker={"color": colour, "line": {"width": 0}}, customdata=data,
            text=[f"{value}: {count:,}" for value, count in zip(told, counts)], textposition="none",
            hovertemplate="%{text} " + name + "<extra></extra>",
        )  # fmt: skip
    axis = {
        "gridcolor": EDGE[theme],
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 10, "color": MUTED[theme]},
    }
    figure.update_layout(
        barmode="overlay", bargap=0, margin={"l": 6, "r": 6, "t": 4, "b": 18}, dragmode="select", selectdirection="h",
        paper_bgcolor=PAPER[theme], plot_bgcolor=PAPER[theme], font={"color": INK[theme], "family": FONT},
        showlegend=False, hovermode="closest", clickmode="event", uirevision=found.column,
        xaxis={**axis, "showgrid": False, "nticks": 5}, yaxis={**axis, "visible": False, "range": [0, 1.06]},
    )  # fmt: skip
    figure.update_layout(newselection={"line": {"color": INK[theme], "width": 1}})
    if found.names:
        every = max(1, n // 8)
        most = max(4, LINE // len(places[::every]))
        words = [each if len(each) <= most else f"{each[: most - 1]}…" for each in told]
        figure.update_xaxes(tickvals=places[::every], ticktext=words[::every], tickangle=0)
    return figure


def _heights(counts: Sequence[int], everything: Sequence[int]) -> list[float]:
    """Shares of the highest bar, by their roots: one bar of many must not hide all others."""
    most = max((*everything, 1))
    return [(count / most) ** 0.5 for count in counts]
