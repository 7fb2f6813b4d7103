"""Routes that carry files: uploads, exports, pictures, whole traces."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from flask import Blueprint, Response, jsonify, request, send_file

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.export import events
from mcts_viz.export.formats import FORMATS, format_of, text_chunks
from mcts_viz.views.tree_svg import tree_svg
from mcts_viz.views.visible import ViewSpec
from mcts_viz.web.library import Library
from mcts_viz.web.one_file import MOST, one_file
from mcts_viz.web.words import plural, size

PIECE = 1 << 20  # bytes


def file_routes(library: Library, follow: bool = False) -> Blueprint:
    """The blueprint with all of them under /api. follow: pages begin at the end of the first trace."""
    routes = Blueprint("files", __name__, url_prefix="/api")

    @routes.errorhandler(MctsVizError)
    def refused(error: MctsVizError) -> tuple[Response, int]:
        return jsonify(error=str(error)), 400

    @routes.get("/start")
    def start() -> Response:
        """The trace that a page without one in its address begins with."""
        entries = library.entries()
        return jsonify(key=entries[0].key if entries else None, follow=follow)

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
        if format_of(suffix).is_picture:  # which may fail, so before the answer begins
            return _file(b"".join(chunks), format_of(suffix).media_type, name)
        return Response(
            chunks,
            mimetype=format_of(suffix).media_type,
            headers={"Content-Disposition": _as(name)},
        )

    @routes.get("/trace/<key>/sizes")
    def sizes(key: str) -> Response:
        """What each entry of the Export menu gives, so that nobody is surprised by its size."""
        trace = library.trace(key)
        t = min(_iteration(request.args.get("at"), trace.n_iterations), trace.n_iterations)
        whole = plural(trace.at(t).n_nodes, "node")
        steps = min(MOST, trace.n_iterations)
        return jsonify(
            {suffix: whole for suffix, _ in formats()}
            | {
                "html": f"{steps:,} of {plural(trace.n_iterations, 'iteration')}",
                "trace": size(library.entry(key).path.stat().st_size),
            }
        )

    @routes.get("/trace/<key>/picture.svg")
    def picture(key: str) -> Response:
        trace = library.trace(key)
        snapshot = trace.at(_iteration(request.args.get("at"), trace.n_iterations))
        name = library.entry(key).name
        svg = tree_svg(
            snapshot,
            trace.columns,
            trace.at(trace.n_iterations),
            ViewSpec.from_query(request.args),
            request.args.get("colour", "mean_value"),
            request.args.get("theme", "light"),
            name,
        )
        return _file(svg.encode(), "image/svg+xml", f"{name}-at-{snapshot.iteration}.svg")

    @routes.get("/trace/<key>/steps.html")
    def steps(key: str) -> Response:
        trace = library.trace(key)
        shown = _iteration(request.args.get("at"), trace.n_iterations)
        name = library.entry(key).name
        spec = ViewSpec.from_query(request.args)  # refuses what is no view
        view = {
            "budget": spec.budget,
            "opened": sorted(spec.opened),
            "closed": sorted(spec.closed),
            "whole": sorted(spec.whole),
            "focus": spec.focus,
            "least": spec.least,
            "top": spec.top,
            "levels": spec.levels,
            "pv": int(spec.pv),
        }
        view |= {name: request.args[name] for name in ("colour", "size") if name in request.args}
        page = one_file(library, key, name, shown, view)
        return _file(page, "text/html; charset=utf-8", f"{name}-steps.html")

    @routes.get("/trace/<key>/events")
    def as_events(key: str) -> Response:
        name = f"{library.entry(key).name}{events.SUFFIX}"
        return Response(
            events.event_chunks(library.trace(key)),
            mimetype=events.MEDIA_TYPE,
            headers={"Content-Disposition": _as(name)},
        )

    @routes.get("/trace/<key>/file")
    def whole(key: str) -> Response:
        path = library.entry(key).path
        return send_file(path, as_attachment=True, download_name=path.name)

    @routes.get("/trace/<key>/board/<int:node>.svg")
    def board(key: str, node: int) -> Response:
        theme = "dark" if request.args.get("theme") == "dark" else "light"
        return _picture(library.board_svg(key, node, theme))

    @routes.get("/trace/<key>/rollout/<int:t>/<int:number>/<int:n_moves>.svg")
    def rollout(key: str, t: int, number: int, n_moves: int) -> Response:
        theme = "dark" if request.args.get("theme") == "dark" else "light"
        return _picture(library.rollout_svg(key, t, number, n_moves, theme))

    return routes


def _picture(svg: str | None) -> Response:
    if svg is None:
        raise PageError("this trace's game is not known here: there is no board to draw")
    return Response(svg, mimetype="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


def formats() -> list[tuple[str, str]]:
    """(suffix without its dot, title) of every snapshot format but pictures, for the Export menu."""
    return [
        (suffix.removeprefix("."), format.title)
        for suffix, format in FORMATS.items()
        if not format.is_picture
    ]


def _pieces() -> Iterator[bytes]:
    while piece := request.stream.read(PIECE):
        yield piece


def _iteration(text: str | None, last: int) -> int:
    if text is None:
        return last
    if not (text.isdecimal() and len(text) < 12):
        raise PageError(f"at={text[:40]}: not an iteration; choose one from 0 to {last}")
    return int(text)


def _file(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, mimetype=media_type, headers={"Content-Disposition": _as(name)})


def _as(name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(name)}"
