"""Routes for the marks on the timeline: events, a node's first visit, findings of a check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, jsonify, request

from mcts_viz.analysis.events import Events, events, first_visit, middle_value
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.root_course import RootCourse
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.web.library import Library
from mcts_viz.web.view_routes import TRACES_KEPT, Cache

KEPT = 8
QUICKLY_CHECKED = 10_000  # iterations: a check of so many takes seconds, and nobody need ask for it


def event_routes(library: Library) -> Blueprint:
    """The blueprint with all of them under /api/trace."""
    routes = Blueprint("events", __name__, url_prefix="/api/trace")
    known, courses = Cache(KEPT), Cache(TRACES_KEPT)

    @routes.errorhandler(MctsVizError)
    def refused(error: MctsVizError) -> tuple[Response, int]:
        return jsonify(error=str(error)), 400

    @routes.get("/<key>/marks")
    def told(key: str) -> Response:
        trace = library.trace(key)
        t, threshold = _iterations(trace), _threshold(trace)
        question = (key, id(trace), t, threshold)

        def made() -> tuple[Trace, Events]:
            course = courses.get((key, id(trace)), lambda: RootCourse(trace))
            return trace, events(trace, threshold=threshold, t=t, course=course)

        found = known.get(question, made)[1]
        return jsonify({**events_document(found), "threshold": threshold})

    @routes.get("/<key>/first-visit")
    def visit(key: str) -> Response:
        trace = library.trace(key)
        found = first_visit(trace, _number("node"), _iterations(trace))
        return jsonify(event=None if found is None else asdict(found))

    @routes.get("/<key>/findings")
    def findings(key: str) -> Response:
        """Null where checking takes long: the Health tab does it when it is asked."""
        trace = library.trace(key)
        quick = trace.complete and trace.n_iterations <= QUICKLY_CHECKED
        return jsonify(marks=finding_marks(library.checkups.of(key, trace)) if quick else None)

    return routes


def events_document(found: Events) -> dict[str, Any]:
    """Events as the page takes them."""
    return {
        "events": [asdict(event) for event in found],
        "found": dict(found.found),
        "hidden": found.hidden,
    }


def finding_marks(findings: Sequence[Finding]) -> dict[str, Any]:
    """Findings that belong to an iteration, as events, and how many do not."""
    placed = [finding for finding in findings if finding.iteration is not None]
    return {
        "events": [
            {
                "kind": "finding",
                "iteration": finding.iteration,
                "node": finding.node,
                "text": f"{finding.severity}: {finding.check}: {finding.message}",
            }
            for finding in placed
        ],
        "elsewhere": len(findings) - len(placed),
    }


def _iterations(trace: Trace) -> int:
    """Of a trace that is growing, as many as the page knows of."""
    t = _number("n_iterations", trace.n_iterations)
    if t > trace.n_iterations:
        raise PageError(f"n_iterations={t}: this trace has {trace.n_iterations}")
    return t


def _number(name: str, default: int | None = None) -> int:
    text = request.args.get(name, "")
    if text == "" and default is not None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise PageError(f"{name}={text[:40]!r}: a whole number is expected")
    return int(text)


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
