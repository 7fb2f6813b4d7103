"""A search as one HTML file that steps by itself, without a server or a network.

The file holds the page's own scripts, and what the page's own routes answer for one view and at most MOST
iterations, compressed. Its looks lie beside this module.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from flask import Flask
from flask.testing import FlaskClient

from mcts_viz.errors import PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.views.markup import xml_text
from mcts_viz.views.position_text import as_json, position_blocks
from mcts_viz.views.view_spec import USUAL_BUDGET, PageView
from mcts_viz.web.routes.api import TraceSource
from mcts_viz.web.routes.binary import unpack
from mcts_viz.web.routes.views import WINDOW, view_routes, window_number
from mcts_viz.web.scripts import DRAWING, script, settings, text_of

MOST = 2_000  # iterations in a file
LOOKS = Path(__file__).parent
OWN_SCRIPTS = ("answers.js", "side.js", "page.js")
MOST_NODES = 3_000  # in a file; each brings the picture of its position


class StepRange(NamedTuple):
    """What a file steps through."""

    first: int  # iteration
    last: int
    shown: int  # the one that it opens at


class OneTrace:
    """A library of one trace."""

    def __init__(self, trace: Trace, board_svg: Callable[[int], str | None]) -> None:
        self._trace = trace
        self._board_svg = board_svg

    def trace(self, key: str, until: int | None = None) -> Trace:
        """The trace."""
        return self._trace

    def board_svg(self, key: str, node: int) -> str | None:
        """Its position at a node."""
        return self._board_svg(node)


def steps_around(t: int, n_iterations: int) -> StepRange:
    """As many iterations as a file holds, with t in their middle where the trace's ends allow it. Raises PageError."""
    if not 0 <= t <= n_iterations:
        raise PageError(f"iteration {t}: this trace has iterations 0 to {n_iterations}")
    first = max(0, min(t - MOST // 2, n_iterations - MOST))
    return StepRange(first, min(n_iterations, first + MOST), t)


def one_file(
    source: TraceSource, key: str, name: str, t: int, view: PageView | None = None
) -> bytes:
    """The file, UTF-8. Raises MctsVizError for an iteration or a node of the view that is not there."""
    view = view or PageView()
    view = replace(view, budget=min(view.budget or USUAL_BUDGET, MOST_NODES))
    trace = source.trace(key)
    steps = steps_around(t, trace.n_iterations)
    data = gzip.compress(
        _container(_about(trace, name, steps, view), _answers(source, key, steps, view)),
        9,
    )
    page = (LOOKS / "page.html").read_text(encoding="utf-8")
    parts = {
        "title": xml_text(f"{name} – mcts_viz"),
        "styles": "\n".join(
            [text_of(("tree/tree.css", "timeline/timeline.css")), _read(LOOKS / "page.css")]
        ),
        "scripts": "\n".join(
            [settings(), script(DRAWING), *(_read(LOOKS / each) for each in OWN_SCRIPTS)]
        ),
        "data": base64.b64encode(data).decode(),
    }
    for part, text in parts.items():
        page = page.replace(f"<!--{part}-->", text)
    return page.encode()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _about(trace: Trace, name: str, steps: StepRange, view: PageView) -> dict[str, object]:
    return {
        "name": name,
        "game": trace.meta.game.readable,
        "first": steps.first,
        "last": steps.last,
        "shown": steps.shown,
        "n_iterations": trace.n_iterations,
        "status": "" if trace.complete else trace.status,
        "most": MOST,
        "view": {**view.to_document(), "show": "tree"},  # a file draws no icicle
    }


def _answers(source: TraceSource, key: str, steps: StepRange, view: PageView) -> dict[str, bytes]:
    """What the routes answer, by the names that answers.js knows: view, timeline, nodes, and the windows by number."""
    app = Flask("mcts_viz.one_file")
    app.register_blueprint(view_routes(source))
    client, base = app.test_client(), f"/api/trace/{key}"
    query = {**view.to_query(), "n_iterations": steps.last}
    answers = {
        "view": _get(client, f"{base}/view", query),
        "timeline": _get(client, f"{base}/timeline", {"n_iterations": steps.last}),
    }
    for number in range(window_number(steps.first), window_number(steps.last) + 1):
        begin = number * WINDOW
        limits = {"from": begin, "to": min(begin + WINDOW, steps.last)}
        answers[f"window {number}"] = _get(client, f"{base}/window", query | limits)
    about, columns = unpack(answers["view"])
    last = source.trace(key).at(steps.last)
    cards = {
        node: {
            "path": last.path(node),
            "board_svg": source.board_svg(key, node),
            "state": last.state(node),
            "blocks": as_json(position_blocks(last.meta, last.state(node))),
        }
        for node in columns["node"][: about["n_visible"]].tolist()
    }
    answers["nodes"] = json.dumps(cards, ensure_ascii=False).encode()
    return answers


def _get(client: FlaskClient, address: str, query: Mapping[str, object]) -> bytes:
    answer = client.get(address, query_string=query)
    if answer.status_code != 200:
        raise PageError(str((answer.get_json(silent=True) or {}).get("error", answer.status)))
    return bytes(answer.data)


def _container(about: Mapping[str, object], answers: Mapping[str, bytes]) -> bytes:
    """uint32 length of a JSON header, the header with each answer's place behind it, then the answers."""
    places, offset = {}, 0
    for name, answer in answers.items():
        places[name] = [offset, len(answer)]
        offset += len(answer)
    header = json.dumps({"about": about, "answers": places}, ensure_ascii=False).encode()
    return struct.pack("<I", len(header)) + header + b"".join(answers.values())
