"""A snapshot's visible tree as an SVG document: a picture for papers and reports, drawn without a browser.

Where the nodes stand, which are shown and what their colours mean is the page's own (`visible`, `layout`, `colours`).
All text of a trace is escaped. Knows neither files nor Dash.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.decision import decision
from mcts_viz.errors import PageError
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.views.colours import THEMES, Scale, colour_modes, colour_of
from mcts_viz.views.layout import Layout, tidy_layout
from mcts_viz.views.markup import xml_text
from mcts_viz.views.tree_figure import EDGE, INK, MEASURES, PAPER, item_counts, view_scales
from mcts_viz.views.visible import ViewSpec, Visible, visible_of

MUTED = {"light": "#66707c", "dark": "#a3abb6"}
CHOSEN = {"light": "#9a6700", "dark": "#f2c14e"}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
LEVEL = 92.0  # pixels between two depths
SLOT = (16.0, 96.0)  # least and most pixels of a slot of the layout
WIDTH = 1_500.0  # pixels that a tree is fitted to where its slots allow it
MARGIN = {"left": 44.0, "right": 90.0, "top": 92.0, "bottom": 96.0}
LEAST_WIDTH = 720.0  # so that title and legend fit
RADIUS = (3.5, 22.0)
LETTER = 7.3  # pixels of a letter of a label, about
TAIL = 18.0  # pixels from a node to what says that its children are left out
LABEL_SIZE = 12


class Scene(NamedTuple):
    """Everything that is drawn, M items; pixels."""

    visible: Visible
    shown: npt.NDArray[np.intp]  # items that there are at the snapshot
    standing_for: npt.NDArray[np.int64]  # [M] nodes
    visits: npt.NDArray[np.int64]  # [M]
    x: npt.NDArray[np.float64]  # [M]
    y: npt.NDArray[np.float64]  # [M]
    radius: npt.NDArray[np.float64]  # [M]
    room: npt.NDArray[np.float64]  # [M] to the nearer neighbour on the level
    right: npt.NDArray[np.float64]  # [M] to the left edge of the next one on the level
    width: float
    height: float


def tree_svg(
    snapshot: Snapshot,
    columns: Columns | None = None,
    final: Snapshot | None = None,
    spec: ViewSpec | None = None,
    colour: str = "mean_value",
    theme: str = "light",
    name: str = "",
) -> str:
    """The tree as an SVG document. `final`, another snapshot of the same trace, decides what is shown and
    where, so that pictures of several iterations agree; None: the snapshot itself. `columns` are the
    trace's; a snapshot has enough of them for all colours but one. Raises PageError."""
    known = colour_modes(snapshot.meta, snapshot.prior)
    if columns is None:  # then nothing is known of other iterations
        known = tuple(mode for mode in known if mode != "last_visit")
    if colour not in known:
        raise PageError(f"colour {colour!r} is not known here; choose one of: {', '.join(known)}")
    if theme not in THEMES:
        raise PageError(f"theme {theme!r} is not known; choose one of: {', '.join(THEMES)}")
    last = snapshot if final is None else final
    of = cast(Columns, snapshot) if columns is None else columns
    scene = _scene(snapshot, last, spec or ViewSpec())
    of_last = cast(Columns, last) if columns is None else columns
    scale = view_scales(of_last, last, scene.visible)[colour]
    fills = colour_of(scale, theme, MEASURES[colour](of, snapshot))
    return "\n".join(_parts(snapshot, scene, scale, theme, fills, name)) + "\n"


def svg_size(svg: str) -> tuple[int, int]:
    """Width and height in pixels of a document of `tree_svg`."""
    head = svg[: svg.index(">")]
    width, height = (head.split(f'{side}="')[1].split('"')[0] for side in (" width", " height"))
    return int(width), int(height)


def _scene(snapshot: Snapshot, final: Snapshot, spec: ViewSpec) -> Scene:
    visible = visible_of(cast(Columns, final), final, spec)
    layout = tidy_layout(visible, final.visits)
    count, visits = item_counts(snapshot, visible.item_of_node, len(visible))
    slots = float(layout.x.max() - layout.x.min()) + 0.5
    slot = min(max(WIDTH / slots, SLOT[0]), SLOT[1])
    inside = max(slots * slot, LEAST_WIDTH - MARGIN["left"] - MARGIN["right"])
    left = MARGIN["left"] + (inside - slots * slot) / 2
    x = left + (layout.x - layout.x.min() + 0.25) * slot
    tucked = _tucked(visible)
    room, following = _neighbours(layout, x, tucked)
    shown = np.flatnonzero(count)
    deepest = int(layout.depth[shown[~tucked[shown]]].max(initial=0))
    share = np.sqrt(visits / max(int(snapshot.visits[spec.focus]), 1))
    radius = np.minimum(RADIUS[0] + (RADIUS[1] - RADIUS[0]) * share, np.maximum(room * 0.46, 1.5))
    y = MARGIN["top"] + LEVEL * layout.depth.astype(np.float64)
    y[tucked] = (y + radius)[visible.parent[tucked]] + TAIL
    edge = np.where(following < 0, np.inf, x[following] - radius[following] - 3)
    return Scene(
        visible=visible,
        shown=shown,
        standing_for=count,
        visits=visits,
        x=x,
        y=y,
        radius=radius,
        room=room,
        right=edge - x,
        width=inside + MARGIN["left"] + MARGIN["right"],
        height=MARGIN["top"] + LEVEL * deepest + MARGIN["bottom"],
    )


def _tucked(visible: Visible) -> npt.NDArray[np.bool_]:
    """[M] stubs without siblings in view: they hang right under their node, off the level."""
    n_children = np.bincount(visible.parent[visible.parent >= 0], minlength=len(visible))
    tucked: npt.NDArray[np.bool_] = n_children[visible.parent] == 1
    tucked[: visible.n_nodes] = False
    return tucked


def _neighbours(
    layout: Layout, x: npt.NDArray[np.float64], tucked: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """[M] pixels from each item to the nearer of its two neighbours on the level; and the next one to
    the right, −1 for none."""
    room, following = np.full(len(x), np.inf), np.full(len(x), -1, np.intp)
    for begin, end in zip(layout.level_start[:-1], layout.level_start[1:]):
        level = layout.order[begin:end]
        level = level[~tucked[level]]
        gap = np.diff(x[level])
        room[level[:-1]] = gap
        room[level[1:]] = np.minimum(room[level[1:]], gap)
        following[level[:-1]] = level[1:]
    return room, following


def _parts(
    snapshot: Snapshot, scene: Scene, scale: Scale, theme: str, fills: Sequence[str], name: str
) -> Iterator[str]:
    width, height = round(scene.width), round(scene.height)
    title = _title(snapshot, name)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{xml_text(FONT)}" '
        f'font-size="{LABEL_SIZE}">'
    )
    yield f"<title>{xml_text(title)}</title>"
    yield f'<rect width="{width}" height="{height}" fill="{PAPER[theme]}"/>'
    yield _text(20, 30, title, INK[theme], size=17, weight=650)
    yield _text(20, 50, _subtitle(snapshot, scene), MUTED[theme])
    yield from _edges(scene, theme)
    yield from _nodes(snapshot, scene, theme, fills)
    yield from _labels(snapshot, scene, theme)
    yield from _legend(scale, theme, scene.height)
    yield "</svg>"


def _title(snapshot: Snapshot, name: str) -> str:
    game = snapshot.meta.get("game") or {}
    named = name or str(game.get("title") or game.get("name") or "search")
    return f"{named}: the tree after iteration {snapshot.iteration:,}"


def _subtitle(snapshot: Snapshot, scene: Scene) -> str:
    shown = int((scene.shown < scene.visible.n_nodes).sum())
    said = [f"{shown:,} of {snapshot.n_nodes:,} nodes"]
    chosen = decision(snapshot)
    if chosen is not None:
        said.append(f"{chosen.chosen_label} would be played ({chosen.rule_words})")
    return " · ".join(said)


def _edges(scene: Scene, theme: str) -> Iterator[str]:
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
        share = scene.visits[item] / max(int(scene.visits[above]), 1)
        widest = min(2 * scene.radius[item], scene.room[item] / 2, 6.5)
        yield f'<path d="{line}" stroke-width="{max(0.5, min(6.5 * math.sqrt(share), widest)):.2f}"/>'
    yield "</g>"


def _nodes(snapshot: Snapshot, scene: Scene, theme: str, fills: Sequence[str]) -> Iterator[str]:
    nodes = scene.shown[scene.shown < scene.visible.n_nodes]
    ids = scene.visible.node[nodes]
    over = snapshot.terminal[ids]
    chosen = decision(snapshot)
    yield f'<g stroke="{MUTED[theme]}">'
    for item, node, ended in zip(nodes.tolist(), ids.tolist(), over.tolist()):
        fill = fills[node]
        x, y, r = float(scene.x[item]), float(scene.y[item]), float(scene.radius[item])
        tip = f"<title>{xml_text(_tip(snapshot, node))}</title>"
        yield _square(x, y, r, fill, tip) if ended else _circle(x, y, r, f'fill="{fill}"', tip)
        if chosen is not None and node == chosen.chosen:
            yield _circle(x, y, r + 3, _ring(theme))
    yield "</g>"


def _circle(x: float, y: float, radius: float, look: str, inside: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {look}>{inside}</circle>'


def _square(x: float, y: float, radius: float, fill: str, inside: str) -> str:
    """For a node where the game is over."""
    left, top, side = x - 0.9 * radius, y - 0.9 * radius, 1.8 * radius
    place = f'x="{left:.1f}" y="{top:.1f}" width="{side:.1f}" height="{side:.1f}"'
    return f'<rect {place} fill="{fill}">{inside}</rect>'


def _ring(theme: str) -> str:
    return f'fill="none" stroke="{CHOSEN[theme]}" stroke-width="2.6"'


def _tip(snapshot: Snapshot, node: int) -> str:
    mean = snapshot.mean_value[node]
    value = "" if np.isnan(mean) else f", mean value {mean:.4f}"
    return f"node {node}: {snapshot.label(node)}, {int(snapshot.visits[node]):,} visits{value}"


def _labels(snapshot: Snapshot, scene: Scene, theme: str) -> Iterator[str]:
    yield f'<g stroke="{PAPER[theme]}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">'
    chosen = decision(snapshot)
    best = -1 if chosen is None else chosen.chosen
    for item in scene.shown.tolist():
        x, y, r = float(scene.x[item]), float(scene.y[item]), float(scene.radius[item])
        if item >= scene.visible.n_nodes:
            above = int(scene.visible.parent[item])
            text = f"+{int(scene.standing_for[item]):,}"
            if len(text) * LETTER <= min(scene.room[item], scene.room[above]):
                yield _text(x, y + 4, text, MUTED[theme], anchor="middle", size=11)
            continue
        node = int(scene.visible.node[item])
        start = r + (9 if node == best else 4)
        label, visits = snapshot.label(node), f"{int(scene.visits[item]):,}"
        if r >= 3 and start + len(label) * LETTER <= scene.right[item]:
            yield _text(x + start, y + 1, label, INK[theme], weight=600)
            if start + len(visits) * LETTER <= scene.right[item]:
                yield _text(x + start, y + 13, visits, MUTED[theme], size=10.5)
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
    yield _text(376, top + 17, "move chosen", INK[theme])
    note = "size and line width: visits · squares: the game is over · +k: children left out"
    yield _text(352, top + 37, note, MUTED[theme], size=11)


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
