"""What a colour means: the scales, their ranges and the words of their legends.

All scales can be told apart with the common kinds of colour blindness: mean value runs from orange to blue, the others
from pale to dark in one direction of lightness (dark to bright on a dark page). The one copy: the browser gets these
stops from the page's route.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.snapshot import knows_scores
from mcts_viz.views.timeline import player_names

COLOUR_MODES = ("mean_value", "visits", "uct", "exploration")
THEMES = ("light", "dark")

DIVERGING: dict[str, tuple[str, ...]] = {
    "light": (
        "#b35806",
        "#e08214",
        "#fdb863",
        "#fee0b6",
        "#f4f4f2",
        "#cfe1f2",
        "#93c4de",
        "#4a90c4",
        "#135a9c",
    ),
    "dark": (
        "#ffab4f",
        "#e2852a",
        "#b0661f",
        "#754a22",
        "#43464b",
        "#2c5676",
        "#3579ad",
        "#55a0dc",
        "#8fcbff",
    ),
}
SEQUENTIAL: dict[str, tuple[str, ...]] = {
    "light": (
        "#f3f0e2",
        "#d7e3c4",
        "#aed3b3",
        "#7fbfaa",
        "#52a7a5",
        "#338b9c",
        "#246c8d",
        "#1f4c77",
        "#1c2c5b",
    ),
    "dark": (
        "#2b3044",
        "#2f4462",
        "#2f5d7c",
        "#2f778f",
        "#3a929b",
        "#58ac9f",
        "#85c59e",
        "#bcdba0",
        "#f5eeb0",
    ),
}
UNVISITED = {"light": "#ffffff", "dark": "#1f2226"}


def colour_modes(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Those that a trace has numbers for: without selection scores there is nothing to show of
    them."""
    return COLOUR_MODES if knows_scores(meta) else COLOUR_MODES[:2]


class Scale(NamedTuple):
    """One colour mode of one trace."""

    mode: str
    low: float  # value at the first stop
    high: float  # value at the last stop
    logarithmic: bool
    stops: dict[str, tuple[str, ...]]  # theme -> colours, evenly spaced
    title: str  # what is measured, and whose view it is
    low_text: str
    high_text: str


def scales(
    meta: Mapping[str, Any],
    root_visits: int,
    visits: npt.NDArray[np.int32],
    value: npt.NDArray[np.float64],
    uct: npt.NDArray[np.float64],
    exploration: npt.NDArray[np.float64],
) -> dict[str, Scale]:
    """The scales of a view, fixed for all iterations; `visits`, `value` (mean value, view of player 0), `uct` and
    `exploration` are the final ones of the nodes in view."""
    first, second = player_names(meta)[:2]
    low, high = _around_middle(value, visits, meta["value_range"])
    uct_low, uct_high = _usual_range(uct, (low, high + 1.0))
    exploration_high = _usual_range(exploration, (0.0, 1.0))[1]
    visits_high = float(max(root_visits, 2))
    return {
        "mean_value": Scale(
            "mean_value", low, high, False, DIVERGING,
            f"mean value, view of {first}", f"good for {second} ≤ {low:.2f}", f"{high:.2f} ≤ good for {first}",
        ),
        "visits": Scale(
            "visits", 1.0, visits_high, True, SEQUENTIAL,
            "visits (logarithmic)", "1", f"{int(visits_high):,}",
        ),
        "uct": Scale(
            "uct", uct_low, uct_high, False, SEQUENTIAL,
            "UCT score, view of the player who chooses", f"≤ {uct_low:.2f}", f"≥ {uct_high:.2f}",
        ),
        "exploration": Scale(
            "exploration", 0.0, exploration_high, False, SEQUENTIAL,
            "exploration term", "0", f"≥ {exploration_high:.2f}",
        ),
    }  # fmt: skip


def colour_of(scale: Scale, theme: str, value: npt.NDArray[np.float64]) -> list[str]:
    """A `#rrggbb` for each value; out of range takes the end of the scale, nan the colour of the unvisited."""
    stops = np.array([_rgb(stop) for stop in scale.stops[theme]])
    low, high, at = scale.low, scale.high, np.asarray(value, np.float64)
    if scale.logarithmic:
        with np.errstate(divide="ignore"):
            low, high, at = float(np.log(low)), float(np.log(high)), np.log(at)
    with np.errstate(invalid="ignore"):
        place = np.clip((at - low) / (high - low), 0.0, 1.0) * (len(stops) - 1)
    left = np.clip(np.nan_to_num(place), 0, len(stops) - 2).astype(int)
    part = (place - left)[:, None]
    rgb = stops[left] * (1 - part) + stops[left + 1] * part
    return [
        UNVISITED[theme]
        if np.isnan(row[0])
        else "#{:02x}{:02x}{:02x}".format(*row.round().astype(int))
        for row in rgb
    ]


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _around_middle(
    value: npt.NDArray[np.float64],
    visits: npt.NDArray[np.int32],
    value_range: tuple[float, float],
) -> tuple[float, float]:
    """An even distance to both sides of the middle of the range, so that the middle keeps its neutral colour, and just
    so far that nine tenths of the visits fall inside: a node tried once says little about its worth."""
    low, high = (float(bound) for bound in value_range)
    middle, widest = (low + high) / 2, (high - low) / 2
    known = np.isfinite(value)
    distance = np.abs(value[known] - middle)
    if len(distance):
        order = np.argsort(distance)
        weight = np.cumsum(visits[known][order].astype(np.float64))
        reach = float(distance[order][np.searchsorted(weight, 0.9 * weight[-1])])
    else:
        reach = widest
    reach = min(max(math.ceil(reach / widest * 20) / 20 * widest, widest / 5), widest)
    return middle - reach, middle + reach


def _usual_range(
    value: npt.NDArray[np.float64], default: tuple[float, float]
) -> tuple[float, float]:
    """The range of all but the outermost 2 % at either end; the default when there is nothing to measure."""
    finite = value[np.isfinite(value)]
    if len(finite) == 0:
        return default
    low, high = np.quantile(finite, [0.02, 0.98])
    return (float(low), float(high)) if high > low else (float(low) - 0.5, float(low) + 0.5)
