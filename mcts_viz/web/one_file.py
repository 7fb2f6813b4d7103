"""A search as one HTML file that steps by itself, without a server or a network.

The file holds the page's own scripts, and what the page's own routes answer for one view and at most MOST
iterations, compressed. Its looks are in `one_file_page`.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from flask import Flask
from flask.testing import FlaskClient

from mcts_viz.errors import PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.views.markup import xml_text
from mcts_viz.views.position_text import as_json, position_blocks
from mcts_viz.views.visible import ViewSpec
from mcts_viz.web.binary import unpack
from mcts_viz.web.view_routes import view_routes

MOST = 2_000  # iterations in a file
WINDOW = 1_024  # iterations in an answer, as assets/replay.js asks for them
ASSETS = Path(__file__).with_name("assets")
LOOKS = Path(__file__).with_name("one_file_page")
# of the page's scripts those that draw and step; none of them knows Dash
SCRIPTS = (
    "binary.js",
    "colours.js",
    "formulas.js",
    "geometry.js",
    "legend.js",
    "hover.js",
    "clipboard.js",
    "filter.js",
    "phases.js",
    "reach.js",
    "phase_marks.js",
    "cursor.js",
    "keys.js",
    "player.js",
    "replay.js",
    "truth.js",
    "timeline.js",
    "tree_canvas.js",
    "pane.js",
    "app.js",
)
OWN_SCRIPTS = ("answers.js", "side.js", "page.js")
# of the page's view only these; a file has no other views to go to
VIEW = tuple(ViewSpec().to_query())
MOST_NODES = 3_000  # asked of a view; each brings the picture of its position


class Source(Protocol):
    """Where the trace and its boards come from: a library."""

    def trace(self, key: str) -> Trace: ...
    def board_svg(self, key: str, node: int) -> str | None: ...


class Steps(NamedTuple):
    """What a file steps through."""

    first: int  # iteration
    last: int
    shown: int  # the one that it opens at


class OneTrace:
    """A library of one trace."""

    def __init__(self, trace: Trace, board_svg: Any) -> None:
        self._trace = trace
        self._board_svg = board_svg

    def trace(self, key: str) -> Trace:
        """The trace."""
        return self._trace

    def board_svg(self, key: str, node: int) -> str | None:
        """Its position at a node."""
        found: str | None = self._board_svg(node)
        return found


def steps_around(t: int, n_iterations: int) -> Steps:
    """As many iterations as a file holds, with t in their middle where the trace's ends allow it. Raises PageError."""
    if not 0 <= t <= n_iterations:
        raise PageError(f"iteration {t}: this trace has iterations 0 to {n_iterations}")
    first = max(0, min(t - MOST // 2, n_iterations - MOST))
    return Steps(first, min(n_iterations, first + MOST), t)


def one_file(
    source: Source, key: str, name: str, t: int, view: Mapping[str, Any] | None = None
) -> bytes:
    """The file, UTF-8. `view` is the view part of the page's cursor, with its defaults where it says nothing. Raises
    MctsVizError for an iteration or a view that is not there."""
    trace = source.trace(key)
    steps = steps_around(t, trace.n_iterations)
    data = gzip.compress(
        _container(
            _about(trace, name, steps, view or {}), _answers(source, key, steps, view or {})
        ),
        9,
    )
    page = (LOOKS / "page.html").read_text(encoding="utf-8")
    parts = {
        "title": xml_text(f"{name} – mcts_viz"),
        "styles": "\n".join([_read(ASSETS / "tree.css"), _read(LOOKS / "page.css")]),
        "scripts": "\n".join(
            [
                *(_read(ASSETS / each) for each in SCRIPTS),
                *(_read(LOOKS / each) for each in OWN_SCRIPTS),
            ]
        ),
        "data": base64.b64encode(data).decode(),
    }
    for part, text in parts.items():
        page = page.replace(f"<!--{part}-->", text)
    return page.encode()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _about(trace: Trace, name: str, steps: Steps, view: Mapping[str, Any]) -> dict[str, Any]:
    game = trace.meta.get("game") or {}
    return {
        "name": name,
        "game": str(game.get("title") or game.get("name") or "a game"),
        "first": steps.first,
        "last": steps.last,
        "shown": steps.shown,
        "n_iterations": trace.n_iterations,
        "most": MOST,
        "view": dict(view),
    }


def _answers(source: Source, key: str, steps: Steps, view: Mapping[str, Any]) -> dict[str, bytes]:
    """What the routes answer, by the names that answers.js knows: view, timeline, nodes, and the windows by number."""
    app = Flask("mcts_viz.one_file")
    app.register_blueprint(view_routes(source))
    client, base = app.test_client(), f"/api/trace/{key}"
    query = {name: view[name] for name in VIEW if name in view} | {"n_iterations": steps.last}
    if "budget" in query:
        query["budget"] = min(query["budget"], MOST_NODES)
    answers = {
        "view": _get(client, f"{base}/view", query),
        "timeline": _get(client, f"{base}/timeline", {"n_iterations": steps.last}),
    }
    for number in range(_window_of(steps.first), _window_of(steps.last) + 1):
        begin = number * WINDOW
        limits = {"from": begin, "to": min(begin + WINDOW, steps.last)}
        answers[f"window {number}"] = _get(client, f"{base}/window", query | limits)
    meta, columns = unpack(answers["view"])
    last = source.trace(key).at(steps.last)
    cards = {
        node: {
            "path": last.path(node),
            "board_svg": source.board_svg(key, node),
            "state": last.state(node),
            "blocks": as_json(position_blocks(last.meta, last.state(node))),
        }
        for node in columns["node"][: meta["n_visible"]].tolist()
    }
    answers["nodes"] = json.dumps(cards, ensure_ascii=False).encode()
    return answers


def _window_of(t: int) -> int:
    """As in replay.js."""
    return 0 if t == 0 else (t - 1) // WINDOW


def _get(client: FlaskClient, address: str, query: Mapping[str, Any]) -> bytes:
    texts = {
        name: ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        for name, value in query.items()
    }
    answer = client.get(address, query_string=texts)
    if answer.status_code != 200:
        raise PageError(str((answer.get_json(silent=True) or {}).get("error", answer.status)))
    return bytes(answer.data)


def _container(about: Mapping[str, Any], answers: Mapping[str, bytes]) -> bytes:
    """uint32 length of a JSON header, the header with each answer's place behind it, then the answers."""
    places, offset = {}, 0
    for name, answer in answers.items():
        places[name] = [offset, len(answer)]
        offset += len(answer)
    header = json.dumps({"about": about, "answers": places}, ensure_ascii=False).encode()
    return struct.pack("<I", len(header)) + header + b"".join(answers.values())
