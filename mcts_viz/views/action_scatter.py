"""The continuous actions that were tried at a node, by value (SVG): one number against the mean value, or the first two
numbers with the mean value as colour. The size of a point is its visits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.types import Floats, Ints
from mcts_viz.views.markup import xml_text
from mcts_viz.views.theme import DIVERGING, EDGE, FONT, INK, MUTED

WIDTH, HEIGHT = 360.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 12.0, 10.0, 32.0
FEWEST = 3  # actions that make a picture
ACTION = "action"  # number of nodes; of vectors action[0], action[1], …


class ActionScatter(NamedTuple):
    """K actions at a node."""

    node: Ints  # [K]
    actions: Floats  # [K, D] their numbers
    mean: Floats  # [K] nan without visits
    visits: Ints  # [K]


def action_scatter(snapshot: Snapshot, node: int, view: Viewpoint) -> ActionScatter | None:
    """None where there are too few continuous actions."""
    names = [name for name in snapshot.numbers if name == ACTION or name.startswith(f"{ACTION}[")]
    children = np.array(snapshot.children(node), np.int64)
    if not names or len(children) < FEWEST:
        return None
    actions = np.column_stack([snapshot.numbers[name][children] for name in sorted(names)])
    whole = ~np.isnan(actions).any(axis=1)
    if whole.sum() < FEWEST:
        return None
    children, actions = children[whole], actions[whole]
    mean = np.array([view.mean(snapshot, int(child)) for child in children])
    return ActionScatter(children, actions, mean, snapshot.visits[children].astype(np.int64))


def action_scatter_svg(found: ActionScatter, best: int | None, theme: str) -> str:
    """The picture; best: the node that would be played, which is marked."""
    one = found.actions.shape[1] == 1
    x = found.actions[:, 0]
    known = found.mean[~np.isnan(found.mean)]
    y = found.mean if one else found.actions[:, 1]
    x_range, y_range = _range(x), _range(known if one else y)
    low, high = _range(known)
    most = max(1, int(found.visits.max()))
    words = "mean value" if one else "action[1]"
    parts = [
        _line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, theme),
        _line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, theme),
        *_ends(x_range, y_range, "action" if one else "action[0]", words, theme),
    ]
    for i in np.argsort(-found.visits, kind="stable").tolist():  # small points on top
        if np.isnan(y[i]):
            continue
        at = LEFT + (x[i] - x_range[0]) / (x_range[1] - x_range[0]) * (WIDTH - LEFT - RIGHT)
        up = (
            HEIGHT
            - BOTTOM
            - (y[i] - y_range[0]) / (y_range[1] - y_range[0]) * (HEIGHT - TOP - BOTTOM)
        )
        share = 0.5 if np.isnan(found.mean[i]) else (found.mean[i] - low) / (high - low)
        stops = DIVERGING[theme]
        fill = stops[min(len(stops) - 1, int(share * len(stops)))]
        radius = 2.5 + 7.0 * math.sqrt(found.visits[i] / most)
        is_best = int(found.node[i]) == best
        text = f"{found.visits[i]:,} visits, mean {found.mean[i]:.4g}"
        parts.append(
            f'<circle cx="{at:.1f}" cy="{up:.1f}" r="{radius:.1f}" fill="{fill}" fill-opacity="0.85" '
            f'stroke="{INK[theme] if is_best else EDGE[theme]}" stroke-width="{2 if is_best else 0.8}">'
            f"<title>{xml_text(text)}</title></circle>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" font-family="{xml_text(FONT)}" '
        f'font-size="11">{"".join(parts)}</svg>'
    )


def _range(values: Floats) -> tuple[float, float]:
    """The least and the greatest, apart from each other, with a little room."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or max(0.5 * abs(high), 0.5)
    return low - room, high + room


def _line(x: float, y: float, to_x: float, to_y: float, theme: str) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="{EDGE[theme]}"/>'


def _ends(
    x: tuple[float, float], y: tuple[float, float], x_words: str, y_words: str, theme: str
) -> list[str]:
    """What the axes are, and where they end."""
    base, muted, middle = HEIGHT - BOTTOM, MUTED[theme], (TOP + HEIGHT - BOTTOM) / 2
    words = [
        (LEFT, base + 13, "start", f"{x[0]:.3g}", ""),
        (WIDTH - RIGHT, base + 13, "end", f"{x[1]:.3g}", ""),
        ((LEFT + WIDTH - RIGHT) / 2, base + 26, "middle", x_words, ""),
        (LEFT - 4, TOP + 9, "end", f"{y[1]:.3g}", ""),
        (LEFT - 4, base, "end", f"{y[0]:.3g}", ""),
        (12.0, middle, "middle", y_words, f' transform="rotate(-90 12 {middle:g})"'),
    ]
    return [
        f'<text x="{at:g}" y="{up:g}" text-anchor="{anchor}" fill="{muted}"{turn}>{xml_text(text)}</text>'
        for at, up, anchor, text, turn in words
    ]
