"""The route by which the page hears of exact results: at once, whether they are there or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flask import Blueprint, Response, jsonify

from mcts_viz.analysis.game_value.values import GameValues
from mcts_viz.types import Document
from mcts_viz.web.routes.api import api

if TYPE_CHECKING:
    from mcts_viz.web.library import Library

MOST_STRETCHES = 2_000  # more than the strip has pixels


def truth_routes(library: Library) -> Blueprint:
    """The blueprint with the route under /api/trace."""
    routes = api("truth", unreadable=404)

    @routes.get("/<key>/truth")
    def truth(key: str) -> Response:
        trace = library.trace(key)
        told = library.truths.ask(key, trace)
        # the verdict needs both, and the page asks once for both
        checked = not trace.complete or library.known_findings(key, trace) is not None
        if told is None or not checked:
            return jsonify({"state": "solving"})
        if isinstance(told, str):
            return jsonify({"state": "unknown", "why": told})
        return jsonify(truth_message(told))

    return routes


def truth_message(told: GameValues) -> Document:
    """What the canvas and the strip need: the results of nodes, and the verdicts over time."""
    known = np.flatnonzero(~np.isnan(told.results))
    return {
        "state": "solved",
        "n_iterations": told.n_iterations,
        "nodes": told.nodes[known].tolist(),
        "results": told.results[known].astype(int).tolist(),  # view of player 0
        "stretches": shown_stretches(told),
        "why": told.unknown,
    }


def shown_stretches(told: GameValues) -> list[tuple[int, int, int]]:
    """Stretches of one verdict; of very many, the longest, and those as the strip shows them."""
    found = told.stretches
    if len(found) <= MOST_STRETCHES:
        return found
    longest = sorted(found, key=lambda stretch: stretch[0] - stretch[1])[:MOST_STRETCHES]
    return sorted(longest)
