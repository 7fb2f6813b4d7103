"""A snapshot's visible tree as an SVG document: a picture for papers and reports, drawn without a browser.

Draws a `tree_scene`. All text of a trace is escaped. Knows neither files nor Dash.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mcts_viz.trace.columns import Columns
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.views.colours import Scale
from mcts_viz.views.markup import xml_text
from mcts_viz.views.theme import CHOSEN, EDGE, FONT, INK, MUTED, PAPER
from mcts_viz.views.tree_scene import TreeScene, node_text, tree_scene
from mcts_viz.views.view_spec import ViewSpec

LABEL_SIZE = 12
THUMBNAIL = (30, 420, 420)  # nodes, and pixels across and down before it is made small
LEGEND = "size and line width: visits · squares: the game is over · +k: children left out"


def tree_svg(
    snapshot: Snapshot,
    columns: Columns | None = None,
    final: Snapshot | None = None,
    spec: ViewSpec | None = None,
    colour: str = "mean_value",
    theme: str = "light",
    name: str = "",
) -> str:
    """The tree as an SVG document; see `tree_scene`. Raises PageError."""
    scene = tree_scene(snapshot, columns, final, spec or ViewSpec(), colour, theme, name)
    return "\n".join(_parts(snapshot, scene, theme)) + "\n"


def tree_thumbnail(snapshot: Snapshot, theme: str = "light") -> str:
    """A small picture of the tree's most visited nodes, without a word, that fits any size."""
    n, *size = THUMBNAIL
    spec = ViewSpec(budget=n)
    scene = tree_scene(snapshot, None, None, spec, "mean_value", theme, size=(size[0], size[1]))
    nodes = scene.shown[scene.shown < scene.visible.n_nodes]
    x, y, edge = scene.x[nodes], scene.y[nodes], float(scene.radius[nodes].max()) + 4
    box = (x.min() - edge, y.min() - edge, np.ptp(x) + 2 * edge, np.ptp(y) + 2 * edge)
    view = " ".join(f"{float(each):.1f}" for each in box)
    parts = (*_edges(scene, theme), *_nodes(snapshot, scene, theme))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}">{"".join(parts)}</svg>'


def svg_size(svg: str) -> tuple[int, int]:
    """Width and height in pixels of a document of `tree_svg`."""
    head = svg[: svg.index(">")]
    width, height = (head.split(f'{side}="')[1].split('"')[0] for side in (" width", " height"))
    return int(width), int(height)


def _parts(snapshot: Snapshot, scene: TreeScene, theme: str) -> Iterator[str]:
    width, height = round(scene.width), round(scene.height)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{xml_text(FONT)}" '
        f'font-size="{LABEL_SIZE}">'
    )
    yield f"<title>{xml_text(scene.title)}</title>"
    yield f'<rect width="{width}" height="{height}" fill="{PAPER[theme]}"/>'
    yield _text(20, 30, scene.title, INK[theme], size=17, weight=650)
    yield _text(20, 50, scene.subtitle, MUTED[theme])
    yield from _edges(scene, theme)
    yield from _nodes(snapshot, scene, theme)
    yield from _labels(snapshot, scene, theme)
    yield from _legend(scene.scale, theme, scene.height)
    yield "</svg>"


def _edges(scene: TreeScene, theme: str) -> Iterator[str]:
    yield f'<g fill="none" stroke="{EDGE[theme]}" stroke-linecap="round">'
    parent = scene.visible.parent
    for item in scene.shown.tolist():
        above = int(parent[item])
        if above < 0:
            continue
        x0, y0, x1, y1 = (
            float(each) for each in (scene.x[above], scene.y[above], scene.x[item], scene.y[item])
        )
        middle = (y0 + y1) / 2
        line = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
        if item >= scene.visible.n_nodes:
            yield f'<path d="{line}" stroke-dasharray="2 3"/>'
            continue
        share = max(int(scene.visits[item]), 0) / max(int(scene.visits[above]), 1)
        widest = min(2 * scene.radius[item], scene.room[item] / 2, 6.5)
        yield f'<path d="{line}" stroke-width="{max(0.5, min(6.5 * math.sqrt(share), widest)):.2f}"/>'
    yield "</g>"


def _nodes(snapshot: Snapshot, scene: TreeScene, theme: str) -> Iterator[str]:
    nodes = scene.shown[scene.shown < scene.visible.n_nodes]
    ids = scene.visible.node[nodes]
    over = snapshot.terminal[ids]
    yield f'<g stroke="{MUTED[theme]}">'
    for item, node, ended in zip(nodes.tolist(), ids.tolist(), over.tolist()):
        fill = scene.fill[node]
        x, y, r = float(scene.x[item]), float(scene.y[item]), float(scene.radius[item])
        tip = f"<title>{xml_text(node_text(snapshot, node))}</title>"
        yield _square(x, y, r, fill, tip) if ended else _circle(x, y, r, f'fill="{fill}"', tip)
        if node == scene.chosen:
            yield _circle(x, y, r + 3, _ring(theme))
    yield "</g>"


def _circle(x: float, y: float, radius: float, look: str, inside: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {look}>{inside}</circle>'


def _square(x: float, y: float, radius: float, fill: str, inside: str) -> str:
    """The square of a node where the game is over."""
    left, top, side = x - 0.9 * radius, y - 0.9 * radius, 1.8 * radius
    place = f'x="{left:.1f}" y="{top:.1f}" width="{side:.1f}" height="{side:.1f}"'
    return f'<rect {place} fill="{fill}">{inside}</rect>'


def _ring(theme: str) -> str:
    return f'fill="none" stroke="{CHOSEN[theme]}" stroke-width="2.6"'


def _labels(snapshot: Snapshot, scene: TreeScene, theme: str) -> Iterator[str]:
    yield f'<g stroke="{PAPER[theme]}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">'
    for item in scene.shown.tolist():
        x, y = float(scene.x[item]), float(scene.y[item])
        label, visits = scene.text(snapshot, item)
        if not label:
            continue
        if item >= scene.visible.n_nodes:
            yield _text(x, y + 4, label, MUTED[theme], anchor="middle", size=11)
            continue
        x += scene.gap(item)
        yield _text(x, y + 1, label, INK[theme], weight=600)
        if visits:
            yield _text(x, y + 13, visits, MUTED[theme], size=10.5)
    yield "</g>"


def _legend(scale: Scale, theme: str, height: float) -> Iterator[str]:
    stops = scale.stops[theme]
    yield '<defs><linearGradient id="scale">'
    for i, stop in enumerate(stops):
        yield f'<stop offset="{i / (len(stops) - 1):.4f}" stop-color="{stop}"/>'
    yield "</linearGradient></defs>"
    top = height - 52
    yield _text(20, top, f"colour: {scale.title}", INK[theme], weight=600)
    yield f'<rect x="20" y="{top + 8:.1f}" width="300" height="10" rx="3" fill="url(#scale)" stroke="{EDGE[theme]}"/>'
    yield _text(20, top + 33, scale.low_text, MUTED[theme], size=11)
    yield _text(320, top + 33, scale.high_text, MUTED[theme], size=11, anchor="end")
    yield _circle(362, top + 13, 7, _ring(theme))
    yield _text(376, top + 17, "leading move", INK[theme])
    yield _text(352, top + 37, LEGEND, MUTED[theme], size=11)


def _text(
    x: float,
    y: float,
    text: str,
    colour: str,
    size: float = LABEL_SIZE,
    weight: int = 400,
    anchor: str = "start",
) -> str:
    more = "" if anchor == "start" else f' text-anchor="{anchor}"'
    bold = "" if weight == 400 else f' font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size:g}"{bold}{more}>{xml_text(text)}</text>'
