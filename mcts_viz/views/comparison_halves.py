"""A node of two trees as two halves of a disc, A's on the left and B's on the right: each as large as its share of the
visits, in its tree's colour or in that of its mean value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mcts_viz.analysis.comparison import TreeComparison
from mcts_viz.analysis.point_of_view import player_0_value
from mcts_viz.analysis.union_tree import NOT_THERE
from mcts_viz.trace.players import UNKNOWN, movers
from mcts_viz.views.colours import Scale, Seen, colour_of, scales

# A's colour, none, B's; both kinds of colour blindness tell them apart
COLOURS = {
    "light": ["#1b6ca8", "#e9ecef", "#c2570c"],
    "dark": ["#6db5ef", "#3a4048", "#ff9a4d"],
}
ARC = 0.5523  # how far a Bézier curve reaches, by the radius, to be a quarter of a circle


class Marks(NamedTuple):
    """Where the nodes stand."""

    node: npt.NDArray[np.int32]  # [K] union ids
    x: npt.NDArray[np.float64]  # [K]
    depth: npt.NDArray[np.int32]  # [K]


class _Half(NamedTuple):
    """What one of the trees has of the nodes."""

    there: npt.NDArray[np.bool_]  # [K]
    radius: npt.NDArray[np.float64]  # [K] pixels
    value: npt.NDArray[np.float64]  # [K] mean value, view of player 0; nan: none


def across(share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Pixels that a mark has across."""
    return 7 + 32 * np.sqrt(share)


def _halves(told: TreeComparison, marks: Marks) -> tuple[_Half, _Half]:
    """A's and B's."""
    meta, mover = told.trees[0].meta, _movers(told)[marks.node]
    columns = (
        (told.in_a, told.share_a, told.mean_a),
        (told.in_b, told.share_b, told.mean_b),
    )
    first, second = (
        _Half(
            there[marks.node],
            across(share[marks.node]) / 2,
            player_0_value(mean[marks.node], mover, meta),
        )
        for there, share, mean in columns
    )
    return first, second


def _movers(told: TreeComparison) -> npt.NDArray[np.int8]:
    """[M] the player in whose view a node's values are."""
    found = np.full(len(told.parent), UNKNOWN, np.int8)
    for tree, node in zip(told.trees, (told.node_a, told.node_b)):
        there = node != NOT_THERE
        found[there] = movers(tree.parent, tree.to_move, tree.meta)[node[there]]
    return found


def plot_halves(
    figure: go.Figure, told: TreeComparison, marks: Marks, colour: str, theme: str
) -> None:
    """Half discs of each tree, as large as its share of the visits; Plotly has no such marker."""
    halves = _halves(told, marks)
    sides = (COLOURS[theme][0], COLOURS[theme][2])
    fills = [[side] * len(marks.node) for side in sides]
    if colour == "mean":
        scale = _mean_scale(told, halves, marks)
        fills = [colour_of(scale, theme, half.value) for half in halves]
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name="scale", hoverinfo="skip", marker=_scale_marker(scale, theme)
        )  # fmt: skip
    shapes = [
        shape
        for name, half, fill, side in zip("AB", halves, fills, sides)
        for shape in _shapes(name, half, marks, fill, side)
    ]
    figure.update_layout(shapes=shapes)


def _shapes(
    name: str, half: _Half, marks: Marks, fill: Sequence[str], side: str
) -> Iterator[dict[str, Any]]:
    for i in np.flatnonzero(half.there).tolist():
        yield {
            "type": "path", "layer": "above", "name": f"{name} {marks.node[i]}",
            "xsizemode": "pixel", "ysizemode": "pixel",
            "xanchor": float(marks.x[i]), "yanchor": float(marks.depth[i]),
            "path": half_disc(float(half.radius[i]), -1 if name == "A" else 1),
            "fillcolor": fill[i], "line": {"color": side, "width": 1.2},
        }  # fmt: skip


def half_disc(radius: float, direction: int) -> str:
    """The path of half a disc about the origin, to the left (−1) or to the right (1); Plotly knows
    no arcs."""
    r, bend, x = radius, radius * ARC, radius * direction
    return (
        f"M 0,{-r:.2f} C {bend * direction:.2f},{-r:.2f} {x:.2f},{-bend:.2f} {x:.2f},0 "
        f"C {x:.2f},{bend:.2f} {bend * direction:.2f},{r:.2f} 0,{r:.2f} Z"
    )


def _mean_scale(told: TreeComparison, halves: Sequence[_Half], marks: Marks) -> Scale:
    """The tree's own scale of mean values, fitted to both."""
    value = np.concatenate([half.value for half in halves])
    visits = np.concatenate([told.visits_a[marks.node], told.visits_b[marks.node]])
    nothing = np.full(len(value), np.nan)
    known = bool((_movers(told)[marks.node] >= 0).any())
    seen = Seen(0, 0, visits, value, nothing, nothing, nothing.astype(np.float32), known)
    return scales(told.trees[0].meta, seen)["mean_value"]


def _scale_marker(scale: Scale, theme: str) -> dict[str, Any]:
    stops = scale.stops[theme]
    return {
        "color": [scale.low],
        "cmin": scale.low,
        "cmax": scale.high,
        "colorscale": [[i / (len(stops) - 1), stop] for i, stop in enumerate(stops)],
        "showscale": True,
        "colorbar": {
            "title": {"text": scale.title, "side": "right"},
            "tickvals": [scale.low, scale.high],
            "ticktext": [scale.low_text, scale.high_text],
            "thickness": 12,
            "len": 0.6,
        },
    }
