"""The route by which the page hears of exact results: at once, whether they are there or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from flask import Blueprint, Response, jsonify

from mcts_viz.analysis.truth import Truth
from mcts_viz.errors import MctsVizError

if TYPE_CHECKING:
    from mcts_viz.web.library import Library

MOST_STRETCHES = 2_000  # more than the strip has pixels


def truth_routes(library: Library) -> Blueprint:
    """The blueprint with the route under /api/trace."""
    routes = Blueprint("truth", __name__, url_prefix="/api/trace")

    @routes.get("/<key>/truth")
    def truth(key: str) -> Response:
        try:
            told = library.truths.ask(key, library.trace(key))
        except MctsVizError as err:
            response = jsonify({"error": str(err)})
            response.status_code = 404
            return response
        if told is None:
            return jsonify({"state": "solving"})
        if isinstance(told, str):
            return jsonify({"state": "unknown", "why": told})
        return jsonify(truth_message(told))

    return routes


def truth_message(told: Truth) -> dict[str, Any]:
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


def shown_stretches(told: Truth) -> list[tuple[int, int, int]]:
    """Stretches of one verdict; of very many, the longest, and those as the strip shows them."""
    found = told.stretches
    if len(found) <= MOST_STRETCHES:
        return found
    longest = sorted(found, key=lambda stretch: stretch[0] - stretch[1])[:MOST_STRETCHES]
    return sorted(longest)
