"""Routes that feed the canvas: geometry, windows of iterations, the timeline, a node's hover card.

They carry numbers, not decisions about their looks; Dash callbacks never see them. What a trace is and where it comes
from is the injected library's business.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from flask import Blueprint, Response, jsonify, request

from mcts_viz.analysis.move_sequence import path_moves
from mcts_viz.analysis.phases import has_phases
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.trace.players import CHANCE, movers_into, player_names
from mcts_viz.trace.snapshot import has_solver, keeps_squares, knows_scores
from mcts_viz.views.colours import UNVISITED, colour_modes
from mcts_viz.views.icicle import Icicle, icicle
from mcts_viz.views.layout import Layout, tidy_layout
from mcts_viz.views.position_text import as_json, position_blocks
from mcts_viz.views.proofs import proofs
from mcts_viz.views.timeline import RootMoves
from mcts_viz.views.tree_figure import view_scales
from mcts_viz.views.true_value import TRUE_VALUE, has_true_value, true_value_scale
from mcts_viz.views.visible import ViewSpec, Visible, visible_of
from mcts_viz.views.window import Recent, VisibleReplay, Window, recent
from mcts_viz.web.binary import MIMETYPE, pack

if TYPE_CHECKING:
    from mcts_viz.trace.snapshot import Snapshot
    from mcts_viz.trace.trace import Trace

MAX_WINDOW = 20_000  # iterations in one answer
VIEWS_KEPT = 12
RECENT = 4_096  # iterations at a trace's end that its pictures show without a pass over all before
TRACES_KEPT = 4

Kept = TypeVar("Kept")


class Library(Protocol):
    """Where traces come from."""

    def trace(self, key: str) -> Trace:
        """The open trace of that key; raises MctsVizError when there is none."""

    def board_svg(self, key: str, node: int) -> str | None:
        """The position at a node as an SVG document, or None where the game is not known."""


class Final(NamedTuple):
    """What is the same for all views of a trace."""

    trace: Trace
    snapshot: Snapshot  # after the last iteration, or the last one when the view was opened on a growing trace
    root_moves: RootMoves
    recent: Recent


class View(NamedTuple):
    """One picture of a trace."""

    trace: Trace
    replay: VisibleReplay
    layout: Layout


class Cache:
    """The last few results by key; a missing one is made by one thread while the others wait."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """The result kept under the key, made now if need be."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]  # type: ignore[no-any-return]
            made = make()
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > self._size:
                    oldest, _ = self._kept.popitem(last=False)
                    self._making.pop(oldest, None)
            return made


def view_routes(library: Library) -> Blueprint:
    """The blueprint with all routes under /api/trace."""
    routes = Blueprint("view", __name__, url_prefix="/api/trace")
    finals, views = Cache(TRACES_KEPT), Cache(VIEWS_KEPT)
    latest: OrderedDict[str, Final] = OrderedDict()  # by trace: what a longer one goes on from
    lock = threading.Lock()

    def made_final(key: str, trace: Trace, n_iterations: int) -> Final:
        final = _final(trace, n_iterations, latest.get(key))
        with lock:
            latest[key] = final
            latest.move_to_end(key)
            while len(latest) > TRACES_KEPT:
                latest.popitem(last=False)
        return final

    def final_of(key: str, trace: Trace) -> Final:
        if request.args.get("recording", trace.recording) != trace.recording:
            raise PageError("another recording has replaced this one in its file")
        n_iterations = _whole_number("n_iterations", trace.n_iterations)
        if n_iterations > trace.n_iterations:
            raise PageError(f"n_iterations={n_iterations}: this trace has {trace.n_iterations}")
        version = (key, id(trace), n_iterations)
        return finals.get(version, lambda: made_final(key, trace, n_iterations))

    def view_of(key: str, final: Final) -> View:
        spec = ViewSpec.from_query(request.args)
        version = (key, id(final.trace), final.snapshot.iteration, spec)
        return views.get(version, lambda: _view(final, spec))

    @routes.get("/<key>/view")
    @_errors_as_json
    def view(key: str) -> Response:
        trace = library.trace(key)
        final = final_of(key, trace)
        return _binary(*_view_message(final, view_of(key, final)))

    @routes.get("/<key>/window")
    @_errors_as_json
    def window(key: str) -> Response:
        trace = library.trace(key)
        first, last = _whole_number("from"), _whole_number("to")
        _check_length(first, last)
        final = final_of(key, trace)
        replay = view_of(key, final).replay
        return _binary(*_window_message(replay, final.root_moves, first, last))

    @routes.get("/<key>/icicle")
    @_errors_as_json
    def icicle_window(key: str) -> Response:
        trace = library.trace(key)
        first, last = _whole_number("from"), _whole_number("to")
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
            _whole_number("focus", 0),
            _whole_number("width", 1_024),
            lasts=_whole_number("last", 0) > 0,
        )
        return _binary(*_icicle_message(final, found))

    @routes.get("/<key>/path/<int:node>")
    @_errors_as_json
    def path(key: str, node: int) -> Response:
        trace = library.trace(key)
        return jsonify({"text": ", ".join(path_moves(trace.at(trace.n_iterations), node))})

    @routes.get("/<key>/timeline")
    @_errors_as_json
    def timeline(key: str) -> Response:
        trace = library.trace(key)
        return _binary(*_timeline_message(final_of(key, trace)))

    @routes.get("/<key>/node/<int:node>")
    @_errors_as_json
    def node_card(key: str, node: int) -> Response:
        trace = library.trace(key)
        return jsonify(_card(trace, node, _whole_number("t"), library.board_svg(key, node)))

    return routes


def _final(trace: Trace, n_iterations: int, before: Final | None) -> Final:
    """`before`: of the same trace or of another one."""
    known, earlier = None, None
    if before is not None and before.trace is trace and before.snapshot.iteration <= n_iterations:
        known, earlier = before.root_moves, before.recent
    root_moves = RootMoves(trace.columns, trace.meta, n_iterations, known)
    start = recent(trace, max(0, n_iterations - RECENT), earlier)
    return Final(trace, trace.at(n_iterations), root_moves, start)


def _view(final: Final, spec: ViewSpec) -> View:
    columns, snapshot = final.trace.columns, final.snapshot
    visible = visible_of(columns, snapshot, spec)
    squares = keeps_squares(final.trace.meta)
    replay = VisibleReplay(columns, visible, snapshot.iteration, squares, final.recent)
    return View(final.trace, replay, tidy_layout(visible, snapshot.visits))


def _view_message(final: Final, view: View) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    visible, snapshot, trace = view.replay.visible, final.snapshot, final.trace
    columns = trace.columns
    labels, about = _about_nodes(final, visible)
    spec, meta = visible.spec, trace.meta
    message = {
        "n_iterations": snapshot.iteration,
        "n_nodes": len(snapshot),
        "complete": bool(trace.complete),
        "recording": trace.recording,
        "n_visible": visible.n_nodes,
        "view": spec.to_query(),
        "focus_path": [
            {"node": node, "label": snapshot.label(node)} for node in snapshot.path(spec.focus)
        ],
        "labels": labels,
        "players": player_names(meta),
        "value_range": meta["value_range"],
        # null where the trace does not tell enough for scores
        "selection": meta.get("policies", {}).get("selection") if knows_scores(meta) else None,
        "colour_modes": list(colour_modes(meta, columns.prior)),
        "has_results": _has_results(meta),
        "has_phases": has_phases(trace),
        "first": int(meta.get("kind") == "snapshot"),  # iteration; a snapshot was never empty
        "final_move": meta.get("policies", {}).get("final_move"),
        "scales": {
            mode: scale._asdict() for mode, scale in view_scales(columns, snapshot, visible).items()
        },
        "unvisited": UNVISITED,
    }
    if has_true_value(meta):
        message["colour_modes"].append(TRUE_VALUE)
        message["scales"][TRUE_VALUE] = true_value_scale(meta)._asdict()
    numbers: dict[str, npt.NDArray[Any]] = {
        **about,
        "x": view.layout.x,
        "depth": view.layout.depth,
        "order": view.layout.order,
        "level_start": view.layout.level_start,
        "born": columns.born[visible.node[: visible.n_nodes]].astype(np.int32),
        "n_children": visible.n_children,
        "final_visits": np.concatenate(
            [
                snapshot.visits[visible.node[: visible.n_nodes]],
                visible.hidden_visits.astype(np.int32),
            ]
        ),
        "hidden_children": np.concatenate(
            [np.zeros(visible.n_nodes, np.int32), visible.hidden_children]
        ),
    }
    return message, numbers


def _about_nodes(final: Final, visible: Visible) -> tuple[list[str], dict[str, npt.NDArray[Any]]]:
    """Texts of moves, and what never changes about the items: the same for tree and icicle."""
    columns, snapshot = final.trace.columns, final.snapshot
    nodes = visible.node[: visible.n_nodes]
    labels, label_code = _interned([snapshot.label(node) for node in nodes.tolist()])
    about: dict[str, npt.NDArray[Any]] = {
        "node": visible.node,
        "parent": visible.parent,
        "mover": movers_into(nodes, columns.parent, columns.to_move, final.trace.meta),
        "chance": (columns.to_move[nodes] == CHANCE).astype(np.int8),
        "outcome": columns.outcome[nodes],
        "prior": columns.prior[nodes],
        "label": label_code,
    }
    if has_solver(final.trace.meta):
        about |= vars(proofs(columns, snapshot, nodes))
    return labels, about


def _icicle_message(
    final: Final, found: Icicle
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    labels, about = _about_nodes(final, found.visible)
    window = _window_columns(found.window)
    del window["outcome"]  # of the iterations; here the name is the nodes'
    message = {
        "from": found.window.first,
        "to": found.window.last,
        "n_visible": found.visible.n_nodes,
        "labels": labels,
        "least": found.least,
    }
    return message, {
        **about,
        **window,
        "order": found.order,
        "level_start": found.level_start,
        "n_below": found.n_below,
    }


def _window_columns(window: Window) -> dict[str, npt.NDArray[Any]]:
    return {
        name: column
        for name, column in vars(window).items()
        if name not in ("first", "last") and column is not None
    }


def _has_results(meta: Mapping[str, Any]) -> bool:
    """Whether an iteration's outcome is the result of one game: not the mean of several, and not
    what an evaluator says."""
    simulation = meta.get("policies", {}).get("simulation") or {}
    return simulation.get("name") != "value" and simulation.get("rollouts", 1) == 1


def _window_message(
    replay: VisibleReplay, root_moves: RootMoves, first: int, last: int
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    columns = _window_columns(replay.window(first, last))
    columns["chosen"] = root_moves.leaders(first, last)
    return {"from": first, "to": last, "view": replay.visible.spec.to_query()}, columns


def _timeline_message(final: Final) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    timeline = final.root_moves.timeline()
    children = final.root_moves.children
    meta = {
        "n_iterations": final.snapshot.iteration,
        "value_range": final.trace.meta["value_range"],
        "view_text": timeline.view_text,
        "players": player_names(final.trace.meta),
        "moves": [
            {"node": node, "label": final.snapshot.label(node)} for node in children.tolist()
        ],
    }
    return meta, {
        "iteration": timeline.iteration,
        "root_value": timeline.root_value,
        "leader": timeline.leader,
    }


def _card(trace: Trace, node: int, t: int, board_svg: str | None) -> dict[str, Any]:
    """What the hover card shows; numbers that do not exist yet are null."""
    if not 0 <= t <= trace.n_iterations:
        raise PageError(f"t={t}: this trace has iterations 0 to {trace.n_iterations}")
    if not 0 <= node < trace.n_nodes:
        raise PageError(
            f"node {node}: no such node in this trace, whose nodes are 0 to {trace.n_nodes - 1}"
        )
    snapshot = trace.at(t)
    card: dict[str, Any] = {"node": node, "iteration": t, "exists": node < len(snapshot)}
    if not card["exists"]:
        return card
    here = np.array([node], np.int32)
    mover = int(movers_into(here, snapshot.parent, snapshot.to_move, trace.meta)[0])
    names = player_names(trace.meta)
    card |= {
        "label": snapshot.label(node),
        "path": snapshot.path(node),
        "player": names[mover] if mover in (0, 1) else None,
        "visits": int(snapshot.visits[node]),
        "value_sum": _finite(snapshot.value_sum[node]),
        "mean_value": _finite(snapshot.mean_value[node]),
        "value_term": _finite(snapshot.value_term[node]),
        "exploration_term": _finite(snapshot.exploration_term[node]),
        "uct": _finite(snapshot.uct[node]),
        "outcome": _finite(snapshot.outcome[node]),
        "state": snapshot.state(node),
        "blocks": as_json(position_blocks(trace.meta, snapshot.state(node))),
        "board_svg": board_svg,
    }
    return card


def _interned(texts: list[str]) -> tuple[list[str], npt.NDArray[np.int32]]:
    code: dict[str, int] = {}
    codes = [code.setdefault(text, len(code)) for text in texts]
    return list(code), np.array(codes, np.int32)


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _check_length(first: int, last: int) -> None:
    if last - first > MAX_WINDOW:
        raise PageError(f"from={first}&to={last}: ask for at most {MAX_WINDOW:,} iterations")


def _whole_number(name: str, default: int | None = None) -> int:
    text = request.args.get(name, "")
    if text == "" and default is not None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise PageError(f"{name}={text[:40]!r}: a whole number is expected")
    return int(text)


def _binary(meta: dict[str, Any], columns: dict[str, npt.NDArray[Any]]) -> Response:
    return Response(pack(meta, columns), mimetype=MIMETYPE, headers={"Cache-Control": "no-store"})


def _errors_as_json(route: Callable[..., Response]) -> Callable[..., Response]:
    """An error of ours becomes `{"error": message}`: 400 for a question that cannot be asked, 404 for a trace that
    is not there."""

    @wraps(route)
    def answer(*args: Any, **kwargs: Any) -> Response:
        try:
            return route(*args, **kwargs)
        except PageError as err:
            return _error(err, 400)
        except MctsVizError as err:
            return _error(err, 404)

    return answer


def _error(err: Exception, status: int) -> Response:
    response = jsonify({"error": str(err)})
    response.status_code = status
    return response
