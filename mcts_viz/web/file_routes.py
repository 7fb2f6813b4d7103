"""Routes that carry files: uploads, exports, whole traces and board pictures."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from flask import Blueprint, Response, jsonify, request, send_file

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.export.formats import FORMATS, format_of, text_chunks
from mcts_viz.web.library import Library

PIECE = 1 << 20  # bytes


def file_routes(library: Library) -> Blueprint:
    """The blueprint with all of them under /api."""
    routes = Blueprint("files", __name__, url_prefix="/api")

    @routes.errorhandler(MctsVizError)
    def refused(error: MctsVizError) -> tuple[Response, int]:
        return jsonify(error=str(error)), 400

    @routes.get("/start")
    def start() -> Response:
        """The trace that a page without one in its address begins with."""
        entries = library.entries()
        return jsonify(key=entries[0].key if entries else None)

    @routes.post("/upload")
    def upload() -> Response:
        key = library.add(request.args.get("name", ""), _pieces())
        return jsonify(key=key)

    @routes.get("/trace/<key>/export")
    def export(key: str) -> Response:
        trace = library.trace(key)
        suffix = f".{request.args.get('format', 'json')}"
        snapshot = trace.at(_iteration(request.args.get("at"), trace.n_iterations))
        name = f"{library.entry(key).name}-at-{snapshot.iteration}{suffix}"
        chunks = text_chunks(snapshot, suffix)
        return Response(
            chunks,
            mimetype=format_of(suffix).media_type,
            headers={"Content-Disposition": _as(name)},
        )

    @routes.get("/trace/<key>/file")
    def whole(key: str) -> Response:
        path = library.entry(key).path
        return send_file(path, as_attachment=True, download_name=path.name)

    @routes.get("/trace/<key>/board/<int:node>.svg")
    def board(key: str, node: int) -> Response:
        theme = "dark" if request.args.get("theme") == "dark" else "light"
        svg = library.board_svg(key, node, theme)
        if svg is None:
            raise PageError("this trace's game is not known here: there is no board to draw")
        return Response(svg, mimetype="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    return routes


def formats() -> list[tuple[str, str]]:
    """(suffix without its dot, title) of every snapshot format, for the Export menu."""
    return [(suffix.removeprefix("."), format.title) for suffix, format in FORMATS.items()]


def _pieces() -> Iterator[bytes]:
    while piece := request.stream.read(PIECE):
        yield piece


def _iteration(text: str | None, last: int) -> int:
    if text is None:
        return last
    if not (text.isdecimal() and len(text) < 12):
        raise PageError(f"at={text[:40]}: not an iteration; choose one from 0 to {last}")
    return int(text)


def _as(name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(name)}"
