"""How a trace's recording stands – running, ended, broken off, made anew – in numbers and in words.

The file alone tells it, so that any server process gives the same answer.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.games.position import built_in
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document
from mcts_viz.web.library import Library
from mcts_viz.web.routes.api import TraceSource, api, at_this_moment
from mcts_viz.web.words import duration

QUIET = 5.0  # seconds without a new batch after which the page shows a warning


class RecordingState(NamedTuple):
    """How a recording stands."""

    state: str  # "recording", "complete", "broken off", "unknown" or "missing"
    words: str  # for the person; empty where there is nothing to say
    n_iterations: int = 0
    recording: str = ""  # another one: the file was made anew


def recording_state(trace: Trace) -> RecordingState:
    """How the recording of an open trace stands now."""
    n, name = trace.n_iterations, trace.recording
    path = trace.path
    if trace.complete or path is None:
        return RecordingState("complete", "", n, name)
    if trace.damage is not None:
        return RecordingState("broken off", f"This trace is {trace.status}.", n, name)
    held = is_held(path)
    # it may have ended between our reading and our asking: then the next look tells
    if held:
        return RecordingState("recording", _running(path, n), n, name)
    if held is None:
        return RecordingState("unknown", f"This trace is {trace.status}.", n, name)
    words = (
        f"This recording broke off: it is complete up to iteration {n:,}. The program that wrote it has ended without "
        "finishing it: it was stopped, killed, or crashed."
    )
    return RecordingState("broken off", words, n, name)


def _running(path: Path, n: int) -> str:
    said = "This search is being recorded: its iterations come in as they are made."
    try:
        quiet = time.time() - path.stat().st_mtime
    except OSError:
        return said
    if n == 0:
        return "This search is being recorded; it has no iteration yet."
    if quiet < QUIET:
        return said
    return f"This search is being recorded, but the last iteration came {duration(quiet)} ago; its program still runs."


def live_routes(library: Library) -> Blueprint:
    """The blueprint with the questions that a page asks again and again, while it follows a trace or waits for one."""
    routes = api("live")

    @routes.get("/<key>/live")
    def live(key: str) -> Response:
        return at_this_moment(look(library, key))

    @routes.get("/<key>/opening")
    def opening(key: str) -> Response:
        return at_this_moment({"share": library.share_opened(key)})

    @routes.get("/<key>/checking")
    def checking(key: str) -> Response:
        step = library.check_step(key)
        return at_this_moment({"words": step and step.words, "share": step and step.share})

    return routes


def expect_more(trace: Trace) -> None:
    """Of a trace that is being recorded: be ready for a search that is fast, as those of our own games are."""
    if built_in(trace.meta.game.name) is not None:
        trace.expect_more()


def look(library: TraceSource, key: str) -> Document:
    """How the recording of that key stands; a file that is not there or not readable (yet) is a state
    too."""
    try:
        trace = library.trace(key)
        standing = recording_state(trace)
        if standing.state == "recording":
            expect_more(trace)
        if standing.state == "broken off":  # unless the end came between the two looks
            standing = recording_state(library.trace(key))
    except PageError as err:
        standing = RecordingState("missing", f"{err}")
    except MctsVizError as err:
        waits = "It is shown as soon as it has a first iteration."
        standing = RecordingState("missing", f"This file cannot be read now: {err}. {waits}")
    return standing._asdict()
