"""What a picture of a snapshot's tree shows and where, in pixels; `tree_svg` and `tree_figure` draw it.

Nodes, places and colours are those of the page (`visible`, `layout`, `colours`).
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.choice.decision import decision
from mcts_viz.errors import PageError
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Floats, Ints
from mcts_viz.views.colours import Scale, colour_modes, colour_of, in_view
from mcts_viz.views.layout import Layout, layout_of
from mcts_viz.views.measures import mean_in_view, measured, trace_scales
from mcts_viz.views.node_numbers import number_scales
from mcts_viz.views.theme import THEMES
from mcts_viz.views.view_nodes import visible_of, without_closed
from mcts_viz.views.view_spec import VIEWPOINTS, PageView, ViewSpec
from mcts_viz.views.visible import Visible

LEVEL = 92.0  # pixels between two depths
SLOT = (16.0, 96.0)  # least and most pixels of a slot of the layout
WIDTH = 1_500.0  # pixels that a tree is fitted to where its slots allow it
MARGIN = {"left": 44.0, "right": 90.0, "top": 92.0, "bottom": 96.0}
LEAST_WIDTH = 720.0  # so that title and legend fit
RADIUS = (3.5, 22.0)
LETTER = 7.3  # pixels of a letter of a label, about
TAIL = 18.0  # pixels from a node to the count of its children that are left out


class TreeScene(NamedTuple):
    """Everything that is drawn: M items of a view, those that exist at the snapshot in `shown`."""

    visible: Visible
    shown: npt.NDArray[np.intp]  # items that exist at the snapshot
    standing_for: Ints  # [M] nodes
    visits: Ints  # [M]
    x: Floats  # [M]
    y: Floats  # [M]
    radius: Floats  # [M]
    room: Floats  # [M] to the nearer neighbour on the level
    right: Floats  # [M] to the left edge of the next one on the level
    width: float
    height: float
    scale: Scale
    fill: list[str]  # [N] colour of each node of the snapshot
    chosen: int  # id of the child that would be played, -1 for none
    title: str
    subtitle: str

    def text(self, snapshot: Snapshot, item: int) -> tuple[str, str]:
        """Label and visits beside an item; "" where there is no room for them."""
        if item >= self.visible.n_nodes:
            above = int(self.visible.parent[item])
            count = f"+{int(self.standing_for[item]):,}"
            fits = len(count) * LETTER <= min(self.room[item], self.room[above])
            return (count if fits else ""), ""
        node = int(self.visible.node[item])
        label, visits = snapshot.label(node), f"{int(self.visits[item]):,}"
        room = (self.right[item] - self.gap(item)) / LETTER
        if self.radius[item] < 3 or len(label) > room:
            return "", ""
        return label, visits if len(visits) <= room else ""

    def gap(self, item: int) -> float:
        """The distance from the middle of an item to its label."""
        return float(self.radius[item]) + (9 if self.visible.node[item] == self.chosen else 4)


def tree_scene(
    snapshot: Snapshot,
    columns: Columns | None,
    final: Snapshot | None,
    spec: ViewSpec,
    colour: str,
    theme: str,
    name: str = "",
    size: tuple[int, int] | None = None,
) -> TreeScene:
    """The scene. `final`, another snapshot of the same trace, decides what is shown and where, so that
    pictures of several iterations agree; None: the snapshot itself. `columns` are the trace's; a
    snapshot has enough of them for all colours but one. size: pixels; None: what the tree needs.
    Raises PageError."""
    known = colour_modes(snapshot.meta, snapshot.prior)
    known += tuple(number_scales(snapshot.numbers))
    if columns is None:  # then nothing is known of other iterations
        known = tuple(mode for mode in known if mode != "last_visit")
    if colour not in known:
        raise PageError(f"colour {colour!r} is not known here; choose one of: {', '.join(known)}")
    if theme not in THEMES:
        raise PageError(f"theme {theme!r} is not known; choose one of: {', '.join(THEMES)}")
    last = snapshot if final is None else final
    visible = visible_of(None, last, spec)
    scale = trace_scales(last)[colour]
    shades = measured(colour, cast(Columns, snapshot) if columns is None else columns, snapshot)
    if isinstance(spec, PageView) and colour == "mean_value":
        view = VIEWPOINTS[spec.viewpoint]
        scale, shades = in_view(scale, last.meta, view), mean_in_view(snapshot, view)
    count, visits = item_counts(snapshot, visible)
    shown = np.flatnonzero(count)
    layout = layout_of(visible, without_closed(None, last, visible), last.visits)
    tucked = _tucked(visible)
    deepest = int(layout.depth[shown[~tucked[shown]]].max(initial=0))
    x, width = _across(layout, size)
    room, following = _neighbours(layout, x, tucked)
    # a faulty search may have fewer than no visits
    share = np.sqrt(np.maximum(visits, 0) / max(int(snapshot.visits[spec.focus]), 1))
    radius = np.minimum(RADIUS[0] + (RADIUS[1] - RADIUS[0]) * share, np.maximum(room * 0.46, 1.5))
    level = LEVEL
    if size is not None:
        level = max(size[1] - MARGIN["top"] - MARGIN["bottom"], 1.0) / max(deepest, 1)
        radius = np.minimum(radius, max(level / 3, 1.5))
    y = MARGIN["top"] + level * layout.depth.astype(np.float64)
    y[tucked] = (y + radius)[visible.parent[tucked]] + TAIL
    edge = np.where(following < 0, np.inf, x[following] - radius[following] - 3)
    chosen = decision(snapshot)
    return TreeScene(
        visible=visible,
        shown=shown,
        standing_for=count,
        visits=visits,
        x=x,
        y=y,
        radius=radius,
        room=room,
        right=edge - x,
        width=width,
        height=MARGIN["top"] + LEVEL * deepest + MARGIN["bottom"] if size is None else size[1],
        scale=scale,
        fill=colour_of(scale, theme, shades),
        chosen=-1 if chosen is None else chosen.chosen,
        title=_title(snapshot, name),
        subtitle=_subtitle(snapshot, int((shown < visible.n_nodes).sum())),
    )


def node_text(snapshot: Snapshot, node: int) -> str:
    """A node and its numbers, for a tooltip."""
    mean = snapshot.mean_value[node]
    value = "" if np.isnan(mean) else f", mean value {mean:.4f}"
    return f"node {node}: {snapshot.short_label(node)}, {plural(int(snapshot.visits[node]), 'visit')}{value}"


def item_counts(snapshot: Snapshot, visible: Visible) -> tuple[Ints, Ints]:
    """[M] how many nodes each item stands for at the snapshot, and [M] their visits."""
    tracked = visible.tracked[visible.tracked < len(snapshot)]
    item, weights, n_items = visible.item_of_node[tracked], snapshot.visits[tracked], len(visible)
    counts = np.bincount(item, minlength=n_items)
    visits = np.bincount(item, weights=weights, minlength=n_items)
    return counts.astype(np.int64), visits.astype(np.int64)


def _across(layout: Layout, size: tuple[int, int] | None) -> tuple[Floats, float]:
    """[M] where the items stand, and the width of the picture."""
    slots = float(layout.x.max() - layout.x.min()) + 0.5
    margins = MARGIN["left"] + MARGIN["right"]
    if size is None:
        slot = min(max(WIDTH / slots, SLOT[0]), SLOT[1])
        inside = max(slots * slot, LEAST_WIDTH - margins)
    else:
        inside = max(size[0] - margins, 1.0)
        slot = min(inside / slots, SLOT[1])
    left = MARGIN["left"] + (inside - slots * slot) / 2
    return left + (layout.x - layout.x.min() + 0.25) * slot, inside + margins


def _tucked(visible: Visible) -> Bools:
    """[M] stubs without siblings in view: they hang right under their node, off the level."""
    n_children = np.bincount(visible.parent[visible.parent >= 0], minlength=len(visible))
    tucked: Bools = n_children[visible.parent] == 1
    tucked[: visible.n_nodes] = False
    return tucked


def _neighbours(layout: Layout, x: Floats, tucked: Bools) -> tuple[Floats, npt.NDArray[np.intp]]:
    """[M] pixels from each item to the nearer of its two neighbours on the level; and the next one to
    the right, -1 for none."""
    room, following = np.full(len(x), np.inf), np.full(len(x), -1, np.intp)
    for begin, end in zip(layout.level_start[:-1], layout.level_start[1:]):
        level = layout.order[begin:end]
        level = level[~tucked[level]]
        gap = np.diff(x[level])
        room[level[:-1]] = gap
        room[level[1:]] = np.minimum(room[level[1:]], gap)
        following[level[:-1]] = level[1:]
    return room, following


def _title(snapshot: Snapshot, name: str) -> str:
    named = name or snapshot.meta.game.readable
    return f"{named}: the tree after iteration {snapshot.iteration:,}"


def _subtitle(snapshot: Snapshot, n_shown: int) -> str:
    said = [f"{n_shown:,} of {snapshot.n_nodes:,} nodes"]
    chosen = decision(snapshot)
    if chosen is not None:
        said.append(f"{chosen.chosen_label} {chosen.verb} ({chosen.rule_words})")
    return " · ".join(said)
