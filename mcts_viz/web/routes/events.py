"""Routes for the marks on the timeline: events, a node's first visit, findings of a check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from flask import Blueprint, Response, jsonify, request

from mcts_viz.analysis.history.events import Events, events, first_visit, middle_value
from mcts_viz.analysis.history.root import RootHistory
from mcts_viz.errors import PageError
from mcts_viz.health.finding import Finding
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document
from mcts_viz.web.cache import Cache
from mcts_viz.web.library import Library
from mcts_viz.web.routes.api import api, iterations, last_asked, number
from mcts_viz.web.routes.pictures_first import PicturesFirst
from mcts_viz.web.routes.views import TRACES_KEPT

KEPT = 8
QUICKLY_CHECKED = 10_000  # iterations: longer searches are checked when *Health* is opened


def event_routes(library: Library, pictures: PicturesFirst) -> Blueprint:
    """The blueprint with all of them under /api/trace."""
    routes = api("events")
    known, courses = Cache(KEPT), Cache(TRACES_KEPT)

    @routes.get("/<key>/marks")
    def told(key: str) -> Response:
        trace = library.trace(key, last_asked())
        t, threshold = iterations(trace), _threshold(trace)
        question = (key, id(trace), t, threshold)

        def made() -> tuple[Trace, Events]:
            course = courses.get((key, id(trace)), lambda: RootHistory(trace, pictures.let_by))
            return trace, events(trace, threshold=threshold, t=t, course=course)

        found = known.get(question, made)[1]
        return jsonify({**events_document(found), "threshold": threshold})

    @routes.get("/<key>/first-visit")
    def visit(key: str) -> Response:
        trace = library.trace(key, last_asked())
        found = first_visit(trace, number("node"), iterations(trace))
        return jsonify(event=None if found is None else asdict(found))

    @routes.get("/<key>/findings")
    def findings(key: str) -> Response:
        """Null where checking takes long: the Health tab does it when it is asked."""
        trace = library.trace(key, until=0)
        quick = trace.complete and trace.n_iterations <= QUICKLY_CHECKED
        return jsonify(marks=finding_marks(library.findings(key, trace)) if quick else None)

    return routes


def events_document(found: Events) -> Document:
    """Events as the page takes them."""
    return {
        "events": [asdict(event) for event in found],
        "found": dict(found.found),
        "hidden": found.hidden,
    }


def finding_marks(findings: Sequence[Finding]) -> Document:
    """Findings with an iteration as events, and the number of the others."""
    placed = [finding for finding in findings if finding.iteration is not None]
    return {
        "events": [
            {
                "kind": "finding",
                "iteration": finding.iteration,
                "node": finding.node,
                "text": f"{finding.severity}: {finding.check}: {finding.message}{finding.all_right}",
            }
            for finding in placed
        ],
        "elsewhere": len(findings) - len(placed),
    }


def _threshold(trace: Trace) -> float:
    text = request.args.get("threshold", "")
    if not text:
        return middle_value(trace.meta)
    try:
        threshold = float(text)
    except ValueError:
        threshold = math.nan
    if not math.isfinite(threshold):
        raise PageError(f"threshold={text[:40]!r}: a number is expected")
    return threshold
