"""What the routes share: where traces come from, errors as JSON, and numbers in a query."""

from __future__ import annotations

from typing import Protocol

from flask import Blueprint, Response, jsonify, request

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document
from mcts_viz.views.view_spec import whole_number


class TraceSource(Protocol):
    """Where traces come from."""

    def trace(self, key: str, until: int | None = None) -> Trace:
        """The open trace of that key; raises MctsVizError when there is none."""

    def board_svg(self, key: str, node: int) -> str | None:
        """The position at a node as an SVG document, or None where the game is not known."""


def api(name: str, prefix: str = "/api/trace", unreadable: int = 400) -> Blueprint:
    """A blueprint whose errors are `{"error": message}`: with status 400 for a question that makes no sense, and with
    `unreadable` where the trace is the reason."""
    routes = Blueprint(name, __name__, url_prefix=prefix)

    @routes.errorhandler(MctsVizError)
    def refused(error: MctsVizError) -> tuple[Response, int]:
        return jsonify(error=str(error)), 400 if isinstance(error, PageError) else unreadable

    return routes


def at_this_moment(document: Document) -> Response:
    """The document as JSON, of which a browser keeps no copy: a moment later it is another one."""
    answer = jsonify(document)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def number(name: str, default: int | None = None) -> int:
    """A whole number of the query; raises PageError where it is none, or is not there and has no default."""
    text = request.args.get(name, "")
    return default if text == "" and default is not None else whole_number(name, text)


def last_asked() -> int | None:
    """The last iteration that the query names; None where it names none."""
    names = [name for name in ("n_iterations", "t", "last", "to") if request.args.get(name)]
    return max(map(number, names)) if names else None


def iterations(trace: Trace) -> int:
    """As many iterations of a trace that is growing as the page knows of; raises PageError for more than there are."""
    n = number("n_iterations", trace.n_iterations)
    if n > trace.n_iterations:
        raise PageError(f"n_iterations={n}: this trace has {trace.n_iterations}")
    return n
