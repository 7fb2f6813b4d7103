"""What a colour means: the scales, their ranges and the words of their legends.

All scales can be told apart with the common kinds of colour blindness: mean value runs from orange to blue, the others
from pale to dark in one direction of lightness (dark to bright on a dark page). The one copy: the browser gets these
stops from the page's route.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.point_of_view import WHOEVER, Viewpoint
from mcts_viz.trace.memory import pieces
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.words import signed
from mcts_viz.types import Floats
from mcts_viz.views.board import PLAYER_COLOURS
from mcts_viz.views.theme import DIVERGING, SEQUENTIAL, THEMES, UNVISITED

COLOUR_NAMES = {
    "mean_value": "mean value",
    "visits": "visits",
    "uct": "selection score",
    "exploration": "exploration term",
    "prior": "prior",
    "player": "player",
    "last_visit": "last visit",
}
COLOUR_MODES = tuple(COLOUR_NAMES)


def colour_modes(meta: TraceMeta, prior: npt.NDArray[np.float32]) -> tuple[str, ...]:
    """The colour modes that a trace has numbers for; `prior` is the column of all its nodes."""
    has = {"uct": meta.knows_scores, "exploration": meta.knows_scores}
    some = prior[:1] if prior.strides == (0,) else prior  # of one number for all
    has["prior"] = any(bool(np.isfinite(some[each]).any()) for each in pieces(len(some)))
    return tuple(mode for mode in COLOUR_MODES if has.get(mode, True))


class Seen(NamedTuple):
    """Final numbers of the V most visited nodes: what the scales are fitted to."""

    n_iterations: int
    root_visits: int
    visits: npt.NDArray[np.int32]  # [V]
    value: Floats  # [V] mean value, view of player 0
    uct: Floats  # [V]
    exploration: Floats  # [V]
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


def scales(meta: TraceMeta, seen: Seen) -> dict[str, Scale]:
    """The scales of a trace, the same for all views and iterations."""
    return {mode: scale(meta, seen) for mode, scale in SCALES.items()}


def _mean_value(meta: TraceMeta, seen: Seen) -> Scale:
    if meta.n_players == 1:
        return _of_one(seen.value, meta)
    return _of_two(seen, meta)


def _visits(meta: TraceMeta, seen: Seen) -> Scale:
    high = float(max(seen.root_visits, 2))
    return Scale(
        "visits", 1.0, high, True, SEQUENTIAL, "visits (logarithmic)", "1", f"{int(high):,}"
    )


def _uct(meta: TraceMeta, seen: Seen) -> Scale:
    low, high = _around_middle(seen.value, seen.visits, meta.value_range)
    low, high = _usual_range(seen.uct, (low, high + 1.0))
    view = "" if meta.n_players == 1 else ", view of the player who chooses"
    return Scale(
        "uct", low, high, False, SEQUENTIAL,
        f"selection score{view}", f"≤ {_two(low)}", f"≥ {_two(high)}",
    )  # fmt: skip


def _exploration(meta: TraceMeta, seen: Seen) -> Scale:
    low, high = _usual_range(seen.exploration, (0.0, 1.0))
    # Gumbel's rule takes away from moves that were tried
    low = min(low, 0.0) if np.nanmin(seen.exploration, initial=0.0) < 0 else 0.0
    least = f"≤ {_two(low)}" if low < 0 else "0"
    return Scale(
        "exploration", low, high, False, SEQUENTIAL, "exploration term", least, f"≥ {_two(high)}"
    )


def _prior(meta: TraceMeta, seen: Seen) -> Scale:
    high = _usual_range(seen.prior.astype(np.float64), (0.0, 1.0))[1]
    title = "prior, for the player who chooses"
    return Scale("prior", 0.0, high, False, SEQUENTIAL, title, "0", f"≥ {_two(high)}")


# of more than two players
SEATS = (
    *PLAYER_COLOURS, "#3a9a57", "#b4508f", "#8a6d1b", "#5b5fc7", "#c2483f", "#1b9aa0",
    "#8bb8e0", "#f0b27a", "#93cfa5", "#dba6c9", "#cdb878", "#b0b2ea", "#e6a19b", "#8fd0d3",
)  # fmt: skip


def seat_colours(n: int) -> tuple[str, ...]:
    """A colour for each of n players."""
    return SEATS[:n]


def _player(meta: TraceMeta, seen: Seen) -> Scale:
    names = meta.player_names
    n = max(2, len(names))
    stops: dict[str, tuple[str, ...]] = dict.fromkeys(THEMES, seat_colours(n))
    title = "player who moved into the node"
    return Scale("player", 0.0, n - 1.0, False, stops, title, names[0], names[-1], categorical=True)


def _last_visit(meta: TraceMeta, seen: Seen) -> Scale:
    stops = {theme: SEQUENTIAL[theme][::-1] for theme in THEMES}
    high = float(max(seen.n_iterations, 2))
    return Scale(
        "last_visit", 1.0, high, True, stops,
        "last visit (logarithmic)", "this iteration", f"{int(high) - 1:,} iterations ago",
    )  # fmt: skip


# mode -> its scale; what the browser measures for it stands in assets/core/colours.js under the same name
SCALES: dict[str, Callable[[TraceMeta, Seen], Scale]] = {
    "mean_value": _mean_value,
    "visits": _visits,
    "uct": _uct,
    "exploration": _exploration,
    "prior": _prior,
    "player": _player,
    "last_visit": _last_visit,
}


def _of_two(seen: Seen, meta: TraceMeta) -> Scale:
    """Mean values between what is good for the one player and for the other."""
    low, high = _around_middle(seen.value, seen.visits, meta.value_range)
    if not seen.movers_known or not meta.mirrors:
        return Scale(
            "mean_value", low, high, False, DIVERGING,
            f"mean value, {WHOEVER}", f"≤ {_two(low)}", f"≥ {_two(high)}",
        )  # fmt: skip
    first, second = meta.player_names
    return Scale(
        "mean_value", low, high, False, DIVERGING,
        f"mean value, view of {first}", f"good for {second} ≤ {_two(low)}", f"{_two(high)} ≤ good for {first}",
    )  # fmt: skip


def _of_one(value: Floats, meta: TraceMeta) -> Scale:
    """Mean values of a player without an opponent: from low to high, over the values in the tree."""
    low, high = _usual_range(value, meta.value_range)
    ends = [signed(f"{each:.3g}") for each in (low, high)]
    return Scale(
        "mean_value", low, high, False, SEQUENTIAL, "mean value", f"≤ {ends[0]}", f"≥ {ends[1]}"
    )


def _two(value: float) -> str:
    return signed(f"{value:.2f}")


def in_view(scale: Scale, meta: TraceMeta, viewpoint: Viewpoint) -> Scale:
    """The scale of mean values with the words of a view, as assets/core/viewpoint.js has them."""
    names, player = meta.player_names, viewpoint.player
    if meta.player_values and player is not None and player < len(names):
        return scale._replace(title=scale.title.replace(WHOEVER, f"view of {names[player]}"))
    if len(names) != 2 or player == 0 or WHOEVER in scale.title:
        return scale
    low, high = _two(scale.low), _two(scale.high)
    if player is None:
        title = "mean value, view of the mover"
        return scale._replace(title=title, low_text=f"bad ≤ {low}", high_text=f"{high} ≤ good")
    return scale._replace(
        title=f"mean value, view of {names[1]}",
        low_text=f"good for {names[0]} ≤ {low}", high_text=f"{high} ≤ good for {names[1]}",
    )  # fmt: skip


def colour_of(scale: Scale, theme: str, value: Floats) -> list[str]:
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
    value: Floats,
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


def _usual_range(value: Floats, default: tuple[float, float]) -> tuple[float, float]:
    """The range of all but the outermost 2 % at either end; the default when there is nothing to measure."""
    finite = value[np.isfinite(value)]
    if len(finite) == 0:
        return default
    low, high = np.quantile(finite, [0.02, 0.98])
    return (float(low), float(high)) if high > low else (float(low) - 0.5, float(low) + 0.5)
