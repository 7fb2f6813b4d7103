"""Routes that carry files: uploads, exports, pictures, whole traces."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from flask import Blueprint, Response, jsonify, request, send_file
from werkzeug.exceptions import HTTPException

from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.errors import PageError
from mcts_viz.export import events
from mcts_viz.export.formats import FORMATS, format_of, text_chunks
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.views.action_scatter import FEWEST, action_scatter, action_scatter_svg
from mcts_viz.views.tree_svg import tree_svg
from mcts_viz.views.view_spec import VIEWPOINTS, PageView
from mcts_viz.web.library import NUMBER, Library
from mcts_viz.web.one_file.document import MOST, one_file
from mcts_viz.web.routes.api import api, last_asked
from mcts_viz.web.searched import expected_line_svg, moves_svg
from mcts_viz.web.trace_files import says_trace
from mcts_viz.web.words import plural, size

PIECE = 1 << 20  # bytes
BROKEN_OFF = "the upload broke off; send the file again"


def file_routes(
    library: Library, follow: bool = False, midway: bool = False, number: int = 0
) -> Blueprint:
    """The blueprint with all of them under /api. follow: pages stay at the end of the first trace while it grows.
    midway: they begin in its middle. number: of the search that they begin with, in a file of many."""
    routes = api("files", "/api")

    @routes.get("/start")
    def start() -> Response:
        """The trace that a page without one in its address begins with: the first that can be opened; where
        none can, the first, which says why."""
        if named := request.args.get("trace"):  # a name that a person has written into the address
            return jsonify(key=library.entry(named).key)
        entries = library.entries()
        first = next((e.key for e in entries if library.can_open(e.key)), None)
        key = first or (entries[0].key if entries else None)
        if number and key is not None and library.searches_in(key):
            key = library.entry(f"{key.removesuffix(NUMBER)}:{number}").key
        return jsonify(key=key, follow=follow, midway=midway, where=library.where)

    @routes.post("/upload")
    def upload() -> Response:
        name = request.args.get("name", "")
        library.check_upload(name, request.content_length or 0)
        key = library.add(name, _pieces())
        return jsonify(key=key)

    @routes.get("/trace/<key>/export")
    def export(key: str) -> Response:
        trace = library.trace(key)
        suffix = f".{request.args.get('format', 'json')}"
        snapshot = trace.at(_iteration(request.args.get("at"), trace.n_iterations))
        name = f"{library.entry(key).of_its_own.stem}-at-{snapshot.iteration}{suffix}"
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
        """The size of each entry of the Export menu."""
        trace = library.trace(key)
        t = min(_iteration(request.args.get("at"), trace.n_iterations), trace.n_iterations)
        whole = plural(trace.at(t).n_nodes, "node")
        steps = min(MOST, trace.n_iterations)
        return jsonify(
            {suffix: whole for suffix, _ in formats()}
            | {
                "html": f"{steps:,} of {plural(trace.n_iterations, 'iteration')}",
                "trace": size(library.entry(key).path.stat().st_size)
                if not library.searches_in(key)
                else plural(trace.n_iterations, "iteration"),
            }
        )

    @routes.get("/trace/<key>/picture.svg")
    def picture(key: str) -> Response:
        trace = library.trace(key)
        snapshot = trace.at(_iteration(request.args.get("at"), trace.n_iterations))
        name = library.entry(key).of_its_own.stem
        view = PageView.from_query(request.args)
        final, theme = trace.at(trace.n_iterations), request.args.get("theme", "light")
        svg = tree_svg(snapshot, trace.columns, final, view, view.colour, theme, name)
        return _file(svg.encode(), "image/svg+xml", f"{name}-at-{snapshot.iteration}.svg")

    @routes.get("/trace/<key>/steps.html")
    def steps(key: str) -> Response:
        trace = library.trace(key)
        shown = _iteration(request.args.get("at"), trace.n_iterations)
        name = library.entry(key).of_its_own.stem
        page = one_file(library, key, name, shown, PageView.from_query(request.args))
        return _file(page, "text/html; charset=utf-8", f"{name}-steps.html")

    @routes.get("/trace/<key>/events")
    def as_events(key: str) -> Response:
        name = f"{library.entry(key).of_its_own.stem}{events.SUFFIX}"
        return Response(
            events.event_chunks(library.trace(key)),
            mimetype=events.MEDIA_TYPE,
            headers={"Content-Disposition": _as(name)},
        )

    @routes.get("/trace/<key>/file")
    def whole(key: str) -> Response:
        entry = library.entry(key)
        name = entry.of_its_own.name
        if not (entry.path.is_file() and says_trace(entry.path)):  # a pipe would be waited for
            raise PageError(f"{name}: no trace now; open a .mcts file, or a snapshot's .json")
        if entry.number is None:
            return send_file(entry.path, as_attachment=True, download_name=name)
        with tempfile.TemporaryDirectory() as folder:
            ManyFile(entry.path).extract(entry.number, Path(folder, name))
            return _file(Path(folder, name).read_bytes(), "application/octet-stream", name)

    @routes.get("/trace/<key>/searches")
    def searches(key: str) -> Response:
        """Which search of its file a trace is, and how many there are; 0: it has a file of its own."""
        return jsonify(number=library.entry(key).number, count=library.searches_in(key))

    @routes.get("/trace/<key>/board/<int:node>.svg")
    def board(key: str, node: int) -> Response:
        theme = "dark" if request.args.get("theme") == "dark" else "light"
        if "t" not in request.args:
            return _picture(library.board_svg(key, node, theme))
        trace = library.trace(key, last_asked())
        t = _iteration(request.args["t"], trace.n_iterations)
        view = VIEWPOINTS.get(request.args.get("viewpoint", ""), Viewpoint())
        return _picture(moves_svg(library, key, node, t, theme, "numbers" in request.args, view))

    @routes.get("/trace/<key>/actions/<int:node>.svg")
    def actions(key: str, node: int) -> Response:
        """Continuous actions by value."""
        trace = library.trace(key)
        snapshot = trace.at(_iteration(request.args.get("t"), trace.n_iterations))
        view = VIEWPOINTS.get(request.args.get("viewpoint", ""), Viewpoint())
        found = action_scatter(snapshot, node, view)
        if found is None:
            raise PageError(f"node {node}: fewer than {FEWEST} continuous actions were tried there")
        ranked = snapshot.ranked_children(node)
        theme = "dark" if request.args.get("theme") == "dark" else "light"
        return _picture(action_scatter_svg(found, ranked[0] if ranked else None, theme))

    @routes.get("/trace/<key>/line/<int:node>.svg")
    def line(key: str, node: int) -> Response:
        theme = "dark" if request.args.get("theme") == "dark" else "light"
        t = _iteration(request.args.get("t"), library.trace(key, last_asked()).n_iterations)
        return _picture(expected_line_svg(library, key, node, t, theme))

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
    n = 0
    try:
        while piece := request.stream.read(PIECE):
            n += len(piece)
            yield piece
    except (HTTPException, OSError) as err:
        raise PageError(BROKEN_OFF) from err
    if n < (request.content_length or 0):  # which not every server notices
        raise PageError(BROKEN_OFF)


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
