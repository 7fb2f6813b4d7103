"""Visits and mean values of siblings over a search, as a Plotly figure."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mcts_viz.analysis.history.sibling_history import NodeHistory, SiblingHistory
from mcts_viz.types import Floats
from mcts_viz.views.theme import EDGE, INK, PAPER

SCALES = {"count": "visits", "log": "visits, logarithmic", "share": "share of the parent's visits"}
# Okabe and Ito: apart with colour blindness
COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#804020", "#8a8f98",
)  # fmt: skip
CHART_CONFIG = {"displayModeBar": False, "doubleClick": "reset"}
UNSETTLED = 50  # the first this part of a search is left out when the axis of means is chosen
LEAST_HEIGHT = 0.04  # of the axis of means, of the range of values


def history_figure(
    history: SiblingHistory, selected: int, scale: str = "count", theme: str = "light"
) -> go.Figure:
    """Visits above mean values, one line a node, that of `selected` thick. `scale` is a key of SCALES."""
    settled = history.n_iterations // UNSETTLED
    means = f"mean value, view of {_plain(history.view)}"
    if settled:
        means += f"{' · ' if len(means) < 32 else '<br>'}scale from iteration {settled:,} on"
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.16,
        subplot_titles=[SCALES[scale], means],
    )
    for course, colour in zip(history.courses, COLOURS):
        thick = course.node == selected
        look = {"color": colour, "width": 3.2 if thick else 1.5}
        shared = {"mode": "lines", "name": _plain(course.move), "showlegend": False}
        figure.add_scatter(
            x=history.iteration, y=_heights(history, course, scale), line=look, row=1, col=1,
            hovertemplate="%{y:.1%}" if scale == "share" else "%{y:,}", **shared,
        )  # fmt: skip
        figure.add_scatter(
            x=np.append(course.mean_iteration, history.n_iterations),
            y=np.append(course.mean_value, course.mean_value[-1:] if len(course.mean_value) else np.nan),
            line={**look, "shape": "hv"}, hovertemplate="%{y:.4f}", row=2, col=1, **shared,
        )  # fmt: skip
    return _dressed(figure, history, scale, theme, mean_range(history, settled))


def mean_range(history: SiblingHistory, first: int) -> tuple[float, float]:
    """Least and greatest mean from iteration `first` on, with some room around them."""
    low, high = history.value_range
    values = np.concatenate([_from(course, first) for course in history.courses] or [np.zeros(0)])
    values = values[~np.isnan(values)]
    if not len(values):
        return low, high
    least, greatest = float(values.min()), float(values.max())
    room = max(0.06 * (greatest - least), LEAST_HEIGHT * (high - low) / 2)
    edge = LEAST_HEIGHT * (high - low) / 2  # so that a line along the border is seen whole
    return max(least - room, low - edge), min(greatest + room, high + edge)


def _from(course: NodeHistory, first: int) -> Floats:
    """The means from iteration `first` on, beginning with the one before it."""
    begin = int(np.searchsorted(course.mean_iteration, first, side="right")) - 1
    return course.mean_value[max(begin, 0) :]


def _heights(history: SiblingHistory, course: NodeHistory, scale: str) -> npt.NDArray[np.number]:
    """[P] nan where there is nothing to show on such a scale."""
    if scale == "share":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                history.parent_visits > 0, course.visits / history.parent_visits, np.nan
            )
    return np.where(course.visits > 0, course.visits, np.nan) if scale == "log" else course.visits


def _dressed(
    figure: go.Figure, history: SiblingHistory, scale: str, theme: str, means: tuple[float, float]
) -> go.Figure:
    figure.update_layout(
        margin={"l": 8, "r": 14, "t": 18, "b": 8}, hovermode="x", dragmode="zoom",
        paper_bgcolor=PAPER[theme], plot_bgcolor=PAPER[theme], clickmode="event",
        font={"color": INK[theme], "size": 11}, hoverlabel={"namelength": 24},
        uirevision=f"{history.parent} {scale}",
    )  # fmt: skip
    figure.update_annotations(
        x=0, xanchor="left", yanchor="bottom", font={"size": 11.5, "color": INK[theme]}
    )
    axis = {"gridcolor": EDGE[theme], "gridwidth": 0.5, "zeroline": False, "automargin": True}
    figure.update_xaxes(
        **axis, showgrid=False, range=[0, max(1, history.n_iterations)], tickformat=","
    )
    figure.update_yaxes(**axis, nticks=5)
    figure.update_yaxes(
        type="log" if scale == "log" else "linear", tickformat=".0%" if scale == "share" else "",
        rangemode="normal" if scale == "log" else "tozero", row=1, col=1,
    )  # fmt: skip
    figure.update_yaxes(range=means, row=2, col=1)
    return figure


def _plain(text: str) -> str:
    """A text in which Plotly finds no markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
