"""Routes that feed the canvas: geometry, windows of iterations, the timeline, a node's hover card.

They carry numbers, not decisions about their looks; Dash callbacks never see them. What a trace is and where it comes
from is the business of a `TraceSource`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from flask import Blueprint, Response, jsonify, request

from mcts_viz.analysis.node.move_sequence import path_moves
from mcts_viz.errors import PageError
from mcts_viz.types import Document, Numbers
from mcts_viz.views.icicle import icicle
from mcts_viz.views.layout import layout_of
from mcts_viz.views.measures import trace_scales
from mcts_viz.views.timeline import RootReplay
from mcts_viz.views.view_nodes import visible_of, without_closed
from mcts_viz.views.view_spec import VIEWPOINTS, ViewSpec
from mcts_viz.views.window import Recent, VisibleReplay
from mcts_viz.web.cache import Cache
from mcts_viz.web.routes.api import TraceSource, api, iterations, last_asked, number
from mcts_viz.web.routes.binary import MIMETYPE, pack
from mcts_viz.web.routes.live import look
from mcts_viz.web.routes.messages import (
    Final,
    Message,
    View,
    card,
    icicle_message,
    timeline_message,
    view_message,
    window_message,
)
from mcts_viz.web.routes.pictures_first import PicturesFirst

if TYPE_CHECKING:
    from mcts_viz.trace.trace import Trace

WINDOW = 1_024  # iterations in a window, as assets/core/replay.js asks for them
MAX_WINDOW = 20_000  # in one answer
VIEWS_KEPT = 12
RECENT = 4_096  # iterations at a trace's end that its pictures show without a pass over all before
TRACES_KEPT = 4

Kept = TypeVar("Kept")


class ViewVersion(NamedTuple):
    """What tells a picture that is kept from another one."""

    key: str  # of its trace
    trace: int  # id of the trace that was open
    n_iterations: int
    spec: ViewSpec | None = None  # None: of what all pictures of them need


def view_routes(library: TraceSource, pictures: PicturesFirst | None = None) -> Blueprint:
    """The blueprint with all routes under /api/trace."""
    pictures = pictures or PicturesFirst()
    routes = api("view", unreadable=404)
    finals, views = Cache(TRACES_KEPT), Cache(VIEWS_KEPT)
    latest: OrderedDict[str, Final] = OrderedDict()  # by trace: what a longer one goes on from
    lock = threading.Lock()

    def made_final(key: str, trace: Trace, n_iterations: int) -> Final:
        before = latest.get(key)
        final = _final(trace, n_iterations, before)
        if before is not None and before.trace is trace and not trace.complete:
            # while a trace grows, its pictures before the last one are seldom asked for again
            oldest = min(before.snapshot.iteration, n_iterations)
            for kept in (finals, views):
                for made in kept.keys():  # noqa: SIM118 (no dict)
                    if (
                        isinstance(made, ViewVersion)
                        and made.key == key
                        and made.n_iterations < oldest
                    ):
                        kept.forget(made)
        with lock:
            latest[key] = final
            latest.move_to_end(key)
            while len(latest) > TRACES_KEPT:
                latest.popitem(last=False)
        return final

    def final_of(key: str, trace: Trace, n_iterations: int | None = None) -> Final:
        if request.args.get("recording", trace.recording) != trace.recording:
            raise PageError("another recording has replaced this one in its file")
        if n_iterations is None:
            n_iterations = iterations(trace)
        version = ViewVersion(key, id(trace), n_iterations)
        return finals.get(version, lambda: made_final(key, trace, n_iterations))

    def view_of(key: str, final: Final) -> View:
        spec = ViewSpec.from_query(request.args)
        version = ViewVersion(key, id(final.trace), final.snapshot.iteration, spec)
        return views.get(version, lambda: _view(final, spec))

    @routes.get("/<key>/view")
    def view(key: str) -> Response:
        trace = library.trace(key, last_asked())
        final = final_of(key, trace)
        return _binary(*view_message(final, view_of(key, final)))

    @routes.get("/<key>/window")
    def window(key: str) -> Response:
        trace = library.trace(key, last_asked())
        first, last = number("from"), number("to")
        _check_length(first, last)
        final = final_of(key, trace)
        return _binary(*_window(final, view_of(key, final), first, last))

    @routes.get("/<key>/end")
    def end(key: str) -> Response:
        """How the recording stands, and, where it has more iterations than the page knows, its picture at the last
        of them: all in one answer, as a page that follows asks for it several times a second."""
        known, recording = number("known"), request.args.get("recording")
        with pictures.picture():
            standing = look(library, key)
            n = standing["n_iterations"]
            is_missing = standing["state"] == "missing"
            if is_missing or standing["recording"] != recording or n <= known:
                return _binary(standing, {})
            final = final_of(key, library.trace(key, n), n)
            shown = view_of(key, final)
            messages = {
                "view": view_message(final, shown),
                "window": _window(final, shown, window_number(n) * WINDOW, n),
                "timeline": timeline_message(final),
            }
            packed = {name: pack(*message) for name, message in messages.items()}
            return _binary(
                standing, {name: np.frombuffer(each, np.uint8) for name, each in packed.items()}
            )

    @routes.get("/<key>/icicle")
    def icicle_window(key: str) -> Response:
        trace = library.trace(key, last_asked())
        first, last = number("from"), number("to")
        final = final_of(key, trace)
        if not first <= last <= final.snapshot.iteration:
            raise PageError(
                f"from={first}&to={last}: no such run of iterations; this trace has 0 to "
                f"{final.snapshot.iteration}"
            )
        _check_length(first, last)
        found = icicle(
            trace.columns,
            trace.at(first),
            last,
            final.snapshot.visits,
            number("focus", 0),
            number("width", 1_024),
            lasts=number("last", 0) > 0,
        )
        return _binary(*icicle_message(final, found))

    @routes.get("/<key>/path/<int:node>")
    def path(key: str, node: int) -> Response:
        trace = library.trace(key, last_asked())
        return jsonify({"text": ", ".join(path_moves(trace.at(trace.n_iterations), node))})

    @routes.get("/<key>/timeline")
    def timeline(key: str) -> Response:
        trace = library.trace(key, last_asked())
        return _binary(*timeline_message(final_of(key, trace)))

    @routes.get("/<key>/node/<int:node>")
    def node_card(key: str, node: int) -> Response:
        trace = library.trace(key, last_asked())
        return jsonify(card(trace, node, number("t"), library.board_svg(key, node)))

    return routes


def window_number(t: int) -> int:
    """The number of the window that tells of iteration t, as in replay.js."""
    return 0 if t == 0 else (t - 1) // WINDOW


def _final(trace: Trace, n_iterations: int, before: Final | None) -> Final:
    """`before`: of the same trace or of another one."""
    known, earlier = None, None
    if before is not None and before.trace is trace and before.snapshot.iteration <= n_iterations:
        known, earlier = before.root_moves, before.recent
    root_moves = RootReplay(trace.columns, trace.meta, n_iterations, known)
    start = (earlier or Recent(trace)).advance(max(0, n_iterations - RECENT))
    snapshot = trace.at(n_iterations)
    return Final(trace, snapshot, root_moves, start, trace_scales(snapshot))


def _view(final: Final, spec: ViewSpec) -> View:
    columns, snapshot = final.trace.columns, final.snapshot
    visible = visible_of(columns, snapshot, spec)
    squares = final.trace.meta.keeps_squares
    player, shown = VIEWPOINTS[spec.viewpoint].player, columns
    start: Recent | None = final.recent
    if (
        player is not None
        and player < final.trace.meta.n_players
        and snapshot.player_sums is not None
    ):
        shown, start = columns.of_player(player), None
    replay = VisibleReplay(shown, visible, snapshot.iteration, squares, start)
    layout = layout_of(visible, without_closed(columns, snapshot, visible), snapshot.visits)
    return View(final.trace, replay, layout)


def _window(final: Final, view: View, first: int, last: int) -> Message:
    with view.replay.turn:
        return window_message(final, view.replay, first, last)


def _check_length(first: int, last: int) -> None:
    if last - first > MAX_WINDOW:
        raise PageError(f"from={first}&to={last}: ask for at most {MAX_WINDOW:,} iterations")


def _binary(meta: Document, columns: dict[str, Numbers]) -> Response:
    return Response(pack(meta, columns), mimetype=MIMETYPE, headers={"Cache-Control": "no-store"})
