"""Routes for the notes on a trace. They keep nothing: what they know is in the file, for any number of workers.

A change must come as JSON, which a page of another site may not send.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, request

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.web.library import Library
from mcts_viz.web.notes import (
    Note,
    document_of,
    markdown,
    note_of,
    notes_file,
    read,
    remove,
    save,
)

LARGEST = 4 << 20  # bytes of a request


def note_routes(library: Library) -> Blueprint:
    """The blueprint with all of them under /api/trace."""
    routes = Blueprint("notes", __name__, url_prefix="/api/trace")

    def file_of(key: str) -> Path:
        return notes_file(library.entry(key).path)

    @routes.errorhandler(MctsVizError)
    def refused(error: MctsVizError) -> tuple[Response, int]:
        return jsonify(error=str(error)), 400

    @routes.get("/<key>/notes")
    def notes(key: str) -> Response:
        file, trace = file_of(key), library.trace(key)
        told = [told_note(trace, note) for note in read(file)]
        answer = jsonify(file=file.name, notes=told)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @routes.put("/<key>/notes/<id_>")
    def keep(key: str, id_: str) -> Response:
        trace = library.trace(key)
        note = note_of({**_body(), "id": id_})
        _check_place(trace, note)
        now, spare = datetime.now(timezone.utc), secrets.token_hex(8)
        return jsonify(told_note(trace, save(file_of(key), note, now, spare)))

    @routes.delete("/<key>/notes/<id_>")
    def delete(key: str, id_: str) -> Response:
        revision = note_of({**_body(), "id": id_}).revision
        remove(file_of(key), id_, revision)
        return jsonify(deleted=id_)

    @routes.post("/<key>/notes/export")
    def export(key: str) -> Response:
        """The notes that the page sends, saved or not, as a document."""
        listed = _body().get("notes")
        notes = [note_of(each) for each in (listed if isinstance(listed, list) else [])]
        if request.args.get("format") == "md":
            trace, name = library.trace(key), library.entry(key).path.name
            text = markdown(name, [(note, place_words(trace, note.node)) for note in notes])
            return Response(text, mimetype="text/markdown; charset=utf-8")
        text = json.dumps(document_of(notes), ensure_ascii=False, indent=1)
        return Response(text + "\n", mimetype="application/json")

    return routes


def told_note(trace: Trace, note: Note) -> dict[str, Any]:
    """A note with the words for its place."""
    return {**asdict(note), "where": place_words(trace, note.node)}


def place_words(trace: Trace, node: int) -> str:
    """The moves to a node; for one that the trace does not have, because it was recorded anew, that."""
    if node >= trace.n_nodes:
        return f"node {node:,}, which is not in this trace"
    final = trace.at(trace.n_iterations)
    return " · ".join(final.label(each) for each in final.path(node)[1:]) or "the root"


def _check_place(trace: Trace, note: Note) -> None:
    if note.revision:
        return  # an old note: its trace may have been recorded anew
    if note.iteration > trace.n_iterations or note.node >= trace.n_nodes:
        raise PageError(
            f"iteration {note.iteration:,}, node {note.node:,}: this trace has {trace.n_iterations:,} iterations "
            f"and nodes 0 to {trace.n_nodes - 1:,}"
        )


def _body() -> dict[str, Any]:
    if (request.content_length or 0) > LARGEST:
        raise PageError(f"too large: at most {LARGEST >> 20} MB of notes at once")
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise PageError("a JSON object is expected, sent as application/json")
    return body
