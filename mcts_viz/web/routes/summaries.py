"""Routes behind the list of traces: what each trace is in a few words, its small picture, and its findings."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from mcts_viz.errors import PageError
from mcts_viz.views.theme import THEMES
from mcts_viz.web.library import Library
from mcts_viz.web.routes.api import api
from mcts_viz.web.summaries import Summaries, TraceSummary


def summary_routes(library: Library) -> Blueprint:
    """The blueprint with all of them under /api/trace."""
    routes, summaries = api("summaries"), Summaries()

    def summary_of(key: str) -> TraceSummary:
        try:
            return summaries.of(library.entry(key).path)
        except OSError as error:
            raise PageError(f"{library.entry(key).path.name}: cannot be read") from error

    @routes.get("/<key>/summary")
    def told(key: str) -> Response:
        found = summary_of(key)
        return jsonify({**found._asdict(), "pictures": list(found.pictures)})

    @routes.get("/<key>/thumbnail.svg")
    def picture(key: str) -> Response:
        found, theme = summary_of(key).pictures, request.args.get("theme", THEMES[0])
        if theme not in found:
            raise PageError("this trace has no picture")
        return Response(found[theme], mimetype="image/svg+xml")

    @routes.get("/<key>/finding-count")
    def findings(key: str) -> Response:
        """The number of findings in words, empty where checking takes long; requested for one trace after the other."""
        return jsonify(words=summaries.findings(library.entry(key).path))

    return routes
