"""A node of two trees as two halves of a disc, A's on the left and B's on the right: each as large as its share of the
visits, in its tree's colour or in that of its mean value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mcts_viz.analysis.comparison.trees import TreeComparison
from mcts_viz.analysis.comparison.union_tree import NOT_THERE
from mcts_viz.analysis.point_of_view import player_0_value
from mcts_viz.trace.players import UNKNOWN, movers
from mcts_viz.types import Bools, Floats
from mcts_viz.views.canvas_figure import colour_bar
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
    x: Floats  # [K]
    depth: npt.NDArray[np.int32]  # [K]


class _Half(NamedTuple):
    """One tree's numbers of the nodes."""

    there: Bools  # [K]
    radius: Floats  # [K] pixels
    value: Floats  # [K] mean value, view of player 0; nan: none


def across(share: Floats) -> Floats:
    """Pixels that a mark has across."""
    return 7 + 32 * np.sqrt(share)


def _halves(comparison: TreeComparison, marks: Marks) -> tuple[_Half, _Half]:
    """A's and B's."""
    meta, mover = comparison.trees[0].meta, _movers(comparison)[marks.node]
    columns = (
        (comparison.in_a, comparison.share_a, comparison.mean_a),
        (comparison.in_b, comparison.share_b, comparison.mean_b),
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


def _movers(comparison: TreeComparison) -> npt.NDArray[np.int8]:
    """[M] the player in whose view a node's values are."""
    found = np.full(len(comparison.parent), UNKNOWN, np.int8)
    for tree, node in zip(comparison.trees, (comparison.node_a, comparison.node_b)):
        there = node != NOT_THERE
        found[there] = movers(tree.parent, tree.to_move, tree.meta.n_players)[node[there]]
    return found


def plot_halves(
    figure: go.Figure, comparison: TreeComparison, marks: Marks, colour: str, theme: str
) -> None:
    """Half discs of each tree, as large as its share of the visits; Plotly has no such marker."""
    halves = _halves(comparison, marks)
    sides = (COLOURS[theme][0], COLOURS[theme][2])
    fills = [[side] * len(marks.node) for side in sides]
    if colour == "mean":
        scale = _mean_scale(comparison, halves, marks)
        fills = [colour_of(scale, theme, half.value) for half in halves]
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name="scale", hoverinfo="skip", marker=colour_bar(scale, theme, len=0.6)
        )  # fmt: skip
    shapes = [
        shape
        for name, half, fill, side in zip("AB", halves, fills, sides)
        for shape in _shapes(name, half, marks, fill, side)
    ]
    figure.update_layout(shapes=shapes)


def _shapes(
    name: str, half: _Half, marks: Marks, fill: Sequence[str], side: str
) -> Iterator[dict[str, object]]:
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


def _mean_scale(comparison: TreeComparison, halves: Sequence[_Half], marks: Marks) -> Scale:
    """The tree's own scale of mean values, fitted to both."""
    value = np.concatenate([half.value for half in halves])
    visits = np.concatenate([comparison.visits_a[marks.node], comparison.visits_b[marks.node]])
    nothing = np.full(len(value), np.nan)
    known = bool((_movers(comparison)[marks.node] >= 0).any())
    seen = Seen(0, 0, visits, value, nothing, nothing, nothing.astype(np.float32), known)
    return scales(comparison.trees[0].meta, seen)["mean_value"]
