"""Routes that say where a number comes from: the iterations that made it, those through a node, totals of a range.

Answers are windows: some rows, the curve in a few hundred points, the timeline in a few hundred bins.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from flask import Blueprint, Response, jsonify, request

from mcts_viz.analysis.origin.branches import iterations_through
from mcts_viz.analysis.origin.origin import NUMBERS, OF_SCORE, Contribution, Origin, origin
from mcts_viz.analysis.origin.range_totals import range_totals
from mcts_viz.analysis.point_of_view import Viewpoint, player_name, view_of_player_0
from mcts_viz.errors import PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import signed
from mcts_viz.types import Document
from mcts_viz.views.view_spec import VIEWPOINTS
from mcts_viz.web.cache import Cache
from mcts_viz.web.library import Library
from mcts_viz.web.routes.api import api, last_asked, number
from mcts_viz.web.routes.binary import MIMETYPE, pack

KEPT = 8
ROWS = 100  # in one answer
POINTS = 400  # of the curve
BINS = 600  # of the timeline
CHILDREN = 12  # named; the others together


def origin_routes(library: Library) -> Blueprint:
    """The blueprint with all of them under /api/trace."""
    routes, known = api("origin"), Cache(KEPT)

    @routes.get("/<key>/origin")
    def told(key: str) -> Response:
        trace = library.trace(key, last_asked())
        name, node, t = request.args.get("number", "visits"), number("node"), number("t")
        asked = request.args.get("viewpoint", "")
        view = VIEWPOINTS.get(asked)
        made = known.get(
            (key, id(trace), node, name, t, asked),
            lambda: (trace, origin(trace, node, name, t, view)),
        )
        return jsonify(origin_document(made[1], number("near", 0), number("first", 0), view))

    @routes.get("/<key>/totals")
    def totals(key: str) -> Response:
        trace = library.trace(key, last_asked())
        found = range_totals(trace, number("first"), number("last"), number("node", 0))
        return jsonify({**asdict(found), "view": view_of_player_0(trace.meta) + other_range(trace)})

    @routes.get("/<key>/through")
    def through(key: str) -> Response:
        """A bit for each iteration from 0 on, the first in the lowest bit of the first byte."""
        trace = library.trace(key, last_asked())
        node, t = number("node"), number("n_iterations", trace.n_iterations)
        if not trace.meta.has_iterations:
            raise PageError("this file holds no single iterations to step through")
        found = iterations_through(trace, node, t)
        is_through = np.zeros(t + 1, np.bool_)
        is_through[found] = True
        meta = {"node": node, "move": _move(trace, node), "n": len(found)}
        packed = pack(meta, {"bits": np.packbits(is_through, bitorder="little")})
        return Response(packed, mimetype=MIMETYPE)

    return routes


def origin_document(
    found: Origin, near: int = 0, first: int = 0, view: Viewpoint | None = None
) -> Document:
    """A number and what made it, with the rows from number `first` on, or those from iteration `near` on."""
    if near:
        first = int(np.searchsorted(found.iteration, near)) // ROWS * ROWS
    first = max(0, min(first, len(found) - 1))
    when, after = found.curve(POINTS)
    tree = found.trace.at(found.t)
    edges = np.linspace(0, found.trace.n_iterations, BINS + 1)[1:]
    children = list(found.by_child.items())
    branching = int(tree.parent[found.node]) if found.number in OF_SCORE else found.node
    return {
        "node": found.node,
        "move": _move(found.trace, found.node),
        "number": found.number,
        "name": NUMBERS[found.number],
        "view": _view(found, view),
        "of_score": found.number in OF_SCORE,
        "t": found.t,
        "total": found.total,
        "infinite": found.total == np.inf,
        "kept": found.kept,
        "kept_visits": found.kept_visits,
        "single": found.trace.meta.has_iterations,
        "n": len(found),
        "bins": np.diff(np.searchsorted(found.iteration, edges, side="right"), prepend=0).tolist(),
        "curve": {"iteration": when.tolist(), "after": [_finite(each) for each in after.tolist()]},
        "children": [
            {"node": node, "move": _through(found.trace, node, branching), "n": n}
            for node, n in children[:CHILDREN]
        ],
        "more_children": sum(n for _, n in children[CHILDREN:]),
        "first": first,
        "rows": [_row(found.trace, each, branching) for each in found.rows(first, first + ROWS)],
    } | ({"total": None} if found.total == np.inf else {})


def _view(found: Origin, view: Viewpoint | None) -> str:
    """The player in whose view the values are; empty for a single player, or where it is not known."""
    tree = found.trace.at(found.t)
    asked = view if view is not None and tree.meta.mirrors else Viewpoint()
    player = asked.of(tree, found.node)
    player = player if found.seat is None else found.seat
    return player_name(tree.meta, player) if tree.meta.n_players > 1 and player >= 0 else ""


def _row(trace: Trace, each: Contribution, branching: int) -> Document:
    added = each.added
    return {
        "iteration": each.iteration,
        "through": _through(trace, branching if each.child is None else each.child, branching),
        "visits": each.visits,
        "value": each.value,
        "added": None if added is None else _finite(added),
        "after": None if each.after is None else _finite(each.after),
        "infinite": each.after == np.inf,
    }


def _through(trace: Trace, node: int, branching: int) -> str:
    if node in (branching, -1):
        return "ended there" if node == branching else "elsewhere"
    return _move(trace, node)


def _move(trace: Trace, node: int) -> str:
    return "the root" if node == 0 else trace.at(trace.n_iterations).short_label(node)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def other_range(trace: Trace) -> str:
    """From where to where outcomes go, in words, where that is not the range of the values beside them."""
    low, high = trace.meta.reward_range
    if (low, high) == tuple(trace.meta.value_range):
        return ""
    return f", from {signed(f'{low:g}')} to {signed(f'{high:g}')}"
