"""What a colour means: the scales, their ranges and the words of their legends.

All scales can be told apart with the common kinds of colour blindness: mean value runs from orange to blue, the others
from pale to dark in one direction of lightness (dark to bright on a dark page). The one copy: the browser gets these
stops from the page's route.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.point_of_view import WHOEVER
from mcts_viz.trace.players import n_players, player_names
from mcts_viz.trace.snapshot import knows_scores
from mcts_viz.views.board import PLAYER_COLOURS

COLOUR_NAMES = {
    "mean_value": "mean value",
    "visits": "visits",
    "uct": "UCT score",
    "exploration": "exploration term",
    "prior": "prior",
    "player": "player",
    "last_visit": "last visit",
}
COLOUR_MODES = tuple(COLOUR_NAMES)
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


def colour_modes(meta: Mapping[str, Any], prior: npt.NDArray[np.float32]) -> tuple[str, ...]:
    """Those that a trace has numbers for; `prior` is the column of all its nodes."""
    has = {"uct": knows_scores(meta), "exploration": knows_scores(meta)}
    has["prior"] = bool(np.isfinite(prior).any())
    return tuple(mode for mode in COLOUR_MODES if has.get(mode, True))


class Seen(NamedTuple):
    """Final numbers of the V nodes in view: what the scales are fitted to."""

    n_iterations: int
    root_visits: int  # of the picture's root
    visits: npt.NDArray[np.int32]  # [V]
    value: npt.NDArray[np.float64]  # [V] mean value, view of player 0
    uct: npt.NDArray[np.float64]  # [V]
    exploration: npt.NDArray[np.float64]  # [V]
    prior: npt.NDArray[np.float32]  # [V]
    movers_known: bool = True  # whether the trace tells who moved; else values are as it has them


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
    categorical: bool = False  # each stop stands for one thing; nothing lies between them


def scales(meta: Mapping[str, Any], seen: Seen) -> dict[str, Scale]:
    """The scales of a view, fixed for all iterations."""
    return {mode: scale(meta, seen) for mode, scale in SCALES.items()}


def _mean_value(meta: Mapping[str, Any], seen: Seen) -> Scale:
    if n_players(meta) == 1:
        return _of_one(seen.value, meta)
    return _of_two(seen, meta)


def _visits(meta: Mapping[str, Any], seen: Seen) -> Scale:
    high = float(max(seen.root_visits, 2))
    return Scale(
        "visits", 1.0, high, True, SEQUENTIAL, "visits (logarithmic)", "1", f"{int(high):,}"
    )


def _uct(meta: Mapping[str, Any], seen: Seen) -> Scale:
    low, high = _around_middle(seen.value, seen.visits, meta["value_range"])
    low, high = _usual_range(seen.uct, (low, high + 1.0))
    view = "" if n_players(meta) == 1 else ", view of the player who chooses"
    return Scale(
        "uct", low, high, False, SEQUENTIAL,
        f"UCT score{view}", f"≤ {low:.2f}", f"≥ {high:.2f}",
    )  # fmt: skip


def _exploration(meta: Mapping[str, Any], seen: Seen) -> Scale:
    high = _usual_range(seen.exploration, (0.0, 1.0))[1]
    return Scale(
        "exploration", 0.0, high, False, SEQUENTIAL, "exploration term", "0", f"≥ {high:.2f}"
    )


def _prior(meta: Mapping[str, Any], seen: Seen) -> Scale:
    high = _usual_range(seen.prior.astype(np.float64), (0.0, 1.0))[1]
    title = "prior, for the player who chooses"
    return Scale("prior", 0.0, high, False, SEQUENTIAL, title, "0", f"≥ {high:.2f}")


def _player(meta: Mapping[str, Any], seen: Seen) -> Scale:
    first, second = (player_names(meta) * 2)[:2]  # the same one where he plays alone
    stops: dict[str, tuple[str, ...]] = dict.fromkeys(THEMES, PLAYER_COLOURS)
    title = "player who moved into the node"
    return Scale("player", 0.0, 1.0, False, stops, title, first, second, categorical=True)


def _last_visit(meta: Mapping[str, Any], seen: Seen) -> Scale:
    stops = {theme: SEQUENTIAL[theme][::-1] for theme in THEMES}
    high = float(max(seen.n_iterations, 2))
    return Scale(
        "last_visit", 1.0, high, True, stops,
        "last visit (logarithmic)", "this iteration", f"{int(high) - 1:,} iterations ago",
    )  # fmt: skip


# mode -> its scale; what the browser measures for it stands in assets/colours.js under the same name
SCALES: dict[str, Callable[[Mapping[str, Any], Seen], Scale]] = {
    "mean_value": _mean_value,
    "visits": _visits,
    "uct": _uct,
    "exploration": _exploration,
    "prior": _prior,
    "player": _player,
    "last_visit": _last_visit,
}


def _of_two(seen: Seen, meta: Mapping[str, Any]) -> Scale:
    """Mean values between what is good for the one player and for the other."""
    first, second = player_names(meta)
    low, high = _around_middle(seen.value, seen.visits, meta["value_range"])
    if not seen.movers_known:
        return Scale(
            "mean_value", low, high, False, DIVERGING,
            f"mean value, {WHOEVER}", f"≤ {low:.2f}", f"≥ {high:.2f}",
        )  # fmt: skip
    return Scale(
        "mean_value", low, high, False, DIVERGING,
        f"mean value, view of {first}", f"good for {second} ≤ {low:.2f}", f"{high:.2f} ≤ good for {first}",
    )  # fmt: skip


def _of_one(value: npt.NDArray[np.float64], meta: Mapping[str, Any]) -> Scale:
    """Mean values of a player who has no opponent: from little to much, over what there is."""
    low, high = _usual_range(value, tuple(meta["value_range"]))
    return Scale(
        "mean_value", low, high, False, SEQUENTIAL, "mean value", f"≤ {low:.3g}", f"≥ {high:.3g}"
    )


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
