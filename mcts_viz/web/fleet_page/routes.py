"""Routes of the page on a fleet: rows of the table, pictures of searches, and the way to one on the page of traces."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from mcts_viz.errors import PageError
from mcts_viz.games.position import board_after
from mcts_viz.views.board import board_svg
from mcts_viz.views.theme import THEMES
from mcts_viz.views.tree_svg import tree_thumbnail
from mcts_viz.web.cache import Cache
from mcts_viz.web.fleet_page.query import Asked
from mcts_viz.web.fleet_page.searches import key_of, moves_of
from mcts_viz.web.fleet_page.source import FleetSource, Row
from mcts_viz.web.library import Library
from mcts_viz.web.routes.api import api

PICTURES_KEPT = 300


def fleet_routes(source: FleetSource, library: Library) -> Blueprint:
    """The blueprint with all of them under /api/fleet."""
    routes = api("fleet", "/api/fleet")
    trees = Cache(PICTURES_KEPT)

    @routes.post("/rows")
    def rows() -> Response:
        """Rows of the table; how many there are, and in the whole fleet."""
        told = request.get_json(silent=True)
        if not isinstance(told, dict):
            raise PageError("rows: a JSON object with first, last and asked is expected")
        asked = Asked.read(told.get("asked"))
        first, last = (_whole(told, name) for name in ("first", "last"))
        found = source.rows(asked, first, last)
        return jsonify(rows=found, count=source.count(asked), all=source.count(Asked()))

    @routes.get("/open")
    def opened() -> AnyResponse:
        """To a search where it matters: at the finding of a check, at its worst one, or at its end; beside *Health*,
        which then makes all checks, where a question led to it."""
        return redirect("../../?" + _place(source, library, _search()), 303)

    @routes.get("/board.svg")
    def board() -> Response:
        row = source.search(_search())
        moves = moves_of(row)
        found = None if moves is None else board_after(str(row["game"]), moves)
        if found is None:
            raise PageError(
                f"{row['search_id']}: its game is not known here, so there is no picture of its position"
            )
        return _svg(
            board_svg(found, f"{row['game']} after {len(moves or ())} moves", theme=_theme())
        )

    @routes.get("/tree.svg")
    def tree() -> Response:
        row, theme = source.search(_search()), _theme()
        key = key_of(source, library, row)

        def made() -> str:
            trace = library.trace(key)
            return tree_thumbnail(trace.at(trace.n_iterations), theme)

        return _svg(trees.get((key, row["digest"], theme), made))

    return routes


def _place(source: FleetSource, library: Library, search_id: str) -> str:
    """The query of the page of traces."""
    row = source.search(search_id)
    found = source.worst_finding(search_id, request.args.get("check", "")) or {}
    iteration = found.get("iteration")
    parts: Row = {"trace": key_of(source, library, row)}
    parts["iteration"] = row["iterations"] if iteration is None else iteration
    if (node := found.get("node")) is not None:
        parts["node"] = node
    if found.get("severity") in ("error", "warning") or request.args.get("question"):
        parts["tab"] = "health"
    return urlencode(parts, safe=":")


def _search() -> str:
    return request.args.get("search", "")


def _theme() -> str:
    theme = request.args.get("theme", THEMES[0])
    if theme not in THEMES:
        raise PageError(f"theme={theme[:20]!r}: there are {', '.join(THEMES)}")
    return theme


def _svg(text: str) -> Response:
    return Response(
        text, mimetype="image/svg+xml", headers={"Cache-Control": "private, max-age=300"}
    )


def _whole(told: dict[str, object], name: str) -> int:
    value = told.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise PageError(f"{name}: a whole number is expected")
    return value
