"""The route that carries a match: its folder as one file."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import IO

from flask import Blueprint, Response, jsonify, send_file

from mcts_viz.web.jobs.matches import Matches
from mcts_viz.web.trace_files import is_within

PACKED = (".json",)  # traces are compressed already


def match_routes(matches: Matches) -> Blueprint:
    """The blueprint under /api/match."""
    routes = Blueprint("match", __name__, url_prefix="/api/match")

    @routes.get("/<number>/zip")
    def folder(number: str) -> Response | tuple[Response, int]:
        live = matches.match(number)
        if live is None:
            return jsonify(error="this game is not on the server any more"), 404
        name = f"{live.match.folder.name}.zip"
        file = zipped(live.match.folder)
        return send_file(file, "application/zip", as_attachment=True, download_name=name)

    return routes


def zipped(folder: Path) -> IO[bytes]:
    """A match's document and traces in a folder of its name, without unfinished traces."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it has been sent)
    with zipfile.ZipFile(file, "w") as packed:
        for path in sorted(folder.iterdir()):
            if path.suffix in (".mcts", ".json") and is_within(path, folder):
                how = zipfile.ZIP_DEFLATED if path.suffix in PACKED else zipfile.ZIP_STORED
                packed.write(path, f"{folder.name}/{path.name}", how)
    file.seek(0)
    return file
