"""Routes for the notes on a trace. They keep nothing: what they know is in the file, for any number of workers.

A change must come as JSON, which a page of another site may not send.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path

from flask import Blueprint, Response, jsonify, request, send_file

from mcts_viz.errors import PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document
from mcts_viz.web.library import Library
from mcts_viz.web.routes.api import api, at_this_moment
from mcts_viz.web.routes.notes_file import (
    Note,
    markdown,
    note_of,
    notes_file,
    read,
    remove,
    save,
    text_of,
)

LARGEST = 1 << 20  # bytes of a request


def note_routes(library: Library) -> Blueprint:
    """The blueprint with all of them under /api/trace."""
    routes = api("notes")

    def file_of(key: str) -> Path:
        return notes_file(library.entry(key).of_its_own)

    @routes.get("/<key>/notes")
    def notes(key: str) -> Response:
        file, trace = file_of(key), library.trace(key)
        told = [told_note(trace, note) for note in read(file)]
        return at_this_moment({"file": file.name, "notes": told})

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

    @routes.get("/<key>/notes/export")
    def export(key: str) -> Response:
        """All notes as a document to keep."""
        file, trace = file_of(key), library.trace(key)
        noted = [(note, place_words(trace, note.node)) for note in read(file)]
        if request.args.get("format") == "md":
            text, suffix = markdown(library.entry(key).path.name, noted), ".md"
        else:
            text, suffix = text_of([note for note, _ in noted]), ".json"
        answer = send_file(
            BytesIO(text.encode()), as_attachment=True, download_name=f"{file.stem}{suffix}"
        )
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return routes


def told_note(trace: Trace, note: Note) -> Document:
    """A note with the words for its place."""
    return {**asdict(note), "where": place_words(trace, note.node)}


def place_words(trace: Trace, node: int) -> str:
    """The moves to a node; for one that the trace does not have, because it was recorded anew, that."""
    if node >= trace.n_nodes:
        return f"node {node:,}, which is not in this trace"
    final = trace.at(trace.n_iterations)
    return " · ".join(final.short_label(each) for each in final.path(node)[1:]) or "the root"


def _check_place(trace: Trace, note: Note) -> None:
    if note.revision:
        return  # an old note: its trace may have been recorded anew
    if note.iteration > trace.n_iterations or note.node >= trace.n_nodes:
        raise PageError(
            f"iteration {note.iteration:,}, node {note.node:,}: this trace has {trace.n_iterations:,} iterations "
            f"and nodes 0 to {trace.n_nodes - 1:,}"
        )


def _body() -> Document:
    if (request.content_length or 0) > LARGEST:
        raise PageError(f"too large: a note has at most {LARGEST >> 20} MB")
    try:
        body = request.get_json(silent=True)
    except RecursionError:  # nested more deeply than any note
        body = None
    if not isinstance(body, dict):
        raise PageError("a JSON object is expected, sent as application/json")
    return body
