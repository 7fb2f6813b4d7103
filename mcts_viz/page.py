"""Serves the page: ties the web layer to games and searches, opens a browser."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mcts_viz import games
from mcts_viz.adapters.recording import Recording
from mcts_viz.analysis.health.checking import check_trace
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.sensitivity import Sensitivity
from mcts_viz.analysis.truth import Truth, truth
from mcts_viz.api import Again, prepare, prepare_again
from mcts_viz.api import open as open_trace
from mcts_viz.errors import GameError, PageError
from mcts_viz.games.evaluators import EVALUATORS
from mcts_viz.grid import grid, run_grid
from mcts_viz.match import Engine, Match
from mcts_viz.match import check as check_sides
from mcts_viz.notebook import is_notebook, show_file, show_served
from mcts_viz.oracle import oracle_of
from mcts_viz.recorder import Recorder
from mcts_viz.referee import referee_of
from mcts_viz.rerun import game_of, recorded_policies
from mcts_viz.search.engine import Chunk, Search, run
from mcts_viz.search.parameters import PARAMETERS, Parameter
from mcts_viz.search.presets import PRESETS, Policies, policies
from mcts_viz.trace.trace import Trace as TraceColumns
from mcts_viz.views.board import board_svg
from mcts_viz.web.app import create_app
from mcts_viz.web.one_file import OneTrace, one_file
from mcts_viz.web.server import HOST, answer, listen, port_of
from mcts_viz.web.services import (
    EngineRequest,
    GameChoice,
    GridRequest,
    Line,
    MatchRequest,
    ParameterChoice,
    PresetChoice,
    Progress,
    RerunRequest,
    RootMoves,
    SearchProgress,
    SearchRequest,
    Services,
)
from mcts_viz.web.workers import Workers

if TYPE_CHECKING:
    from dash import Dash
    from flask import Flask

PORT = 8050


def services() -> Services:
    """The page's way to our games and searches."""
    return Services(
        open_trace=open_trace,
        board=board,
        n_legal=n_legal,
        games=[GameChoice(name, games.game(name).title) for name in games.LISTED],
        sizes=[f"{family}:{parameters}" for family, parameters in games.PARAMETERS.items()],
        presets=[preset_choice(chosen) for chosen in PRESETS.values()],
        parameters=[parameter_choice(parameter) for parameter in PARAMETERS.values()],
        default_game="connect_four",
        default_preset="uct",
        check=check,
        search=record,
        root_moves=root_moves,
        recorded=recorded,
        grid_size=grid_size,
        sensitivity=sensitivity_of,
        check_match=check_match,
        match=match,
        line=line,
        check_health=check_health,
        truth=true_results,
    )


def parameter_choice(parameter: Parameter) -> ParameterChoice:
    """The parameter, as the form shows it."""
    of_evaluators = parameter.kind == "evaluator"
    names = {name: name.replace("_", " ") for name in EVALUATORS} if of_evaluators else {}
    return ParameterChoice(
        parameter.name,
        parameter.phase,
        parameter.title,
        parameter.words,
        "choice" if of_evaluators else parameter.kind,
        parameter.choices or names,
        parameter.optional,
    )


def preset_choice(preset: Policies) -> PresetChoice:
    """The preset, as the form shows it."""
    words = {name: value_words(each, getattr(preset, name)) for name, each in PARAMETERS.items()}
    if preset.evaluator is None:
        words["evaluator"] = "the game's own, if needed"
    return PresetChoice(preset.preset, words, preset.iterations, preset.seconds)


def value_words(parameter: Parameter, value: Any) -> str:
    """A parameter's value as a person reads it."""
    if value is None:
        return "none"
    if parameter.choices is not None:
        return parameter.choices[value]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:.5g}"
    return str(value)


def plan(wanted: SearchRequest | RerunRequest) -> Again:
    """The search that a form asks for, checked."""
    if isinstance(wanted, RerunRequest):
        return prepare_again(wanted.trace, **wanted.changes)
    search = prepare(
        wanted.game,
        wanted.preset,
        iterations=wanted.iterations,
        seconds=wanted.seconds,
        nodes=wanted.nodes,
        memory=wanted.memory,
        decided=wanted.decided,
        seed=wanted.seed,
        start=wanted.start,
        rollouts=wanted.rollouts,
        **wanted.parameters,
    )
    return Again(search, None, {})


def check(wanted: SearchRequest | RerunRequest) -> None:
    """Raise MctsVizError for a form that asks for what cannot be run."""
    plan(wanted)


def record(
    wanted: SearchRequest | RerunRequest, path: Path, progress: Progress, stop: Callable[[], bool]
) -> None:
    """Run a search for the page and write its trace to `path`."""
    search, kept, about = plan(wanted)
    with Recorder(search, path, kept, about) as recorder:

        def consume(chunk: Chunk) -> None:
            recorder(chunk)
            progress(progress_of(search, chunk))

        run(search, consume, stop, kept=kept)


def root_moves(meta: Mapping[str, Any]) -> RootMoves:
    """What can be forced or forbidden at the root of a trace; raises SearchError where its game is
    not known here."""
    played = games.game(game_of(meta, None))
    legal = played.legal(played.position([int(action) for action in meta.get("start") or []])[0])
    return RootMoves(legal, [played.action_labels[action] for action in legal])


def recorded(trace: TraceColumns) -> PresetChoice:
    """What a trace's search is run again with where nothing is changed; raises SearchError where its
    metadata do not tell."""
    chosen = policies(*recorded_policies(trace.meta))
    return preset_choice(replace(chosen, iterations=max(1, trace.n_iterations), seconds=None))


def grid_size(wanted: GridRequest) -> int:
    """Iterations of all the searches together."""
    found = grid(wanted.trace, c=wanted.c, seeds=wanted.seeds, iterations=wanted.iterations)
    return found.n_searches * found.iterations


def sensitivity_of(
    wanted: GridRequest, told: Callable[[int, int], None], stop: Callable[[], bool]
) -> Sensitivity:
    """Run the searches of a grid."""
    found = grid(wanted.trace, c=wanted.c, seeds=wanted.seeds, iterations=wanted.iterations)
    return run_grid(found, told=told, stop=stop)


def progress_of(search: Search, chunk: Chunk) -> SearchProgress:
    """How far the search has come with this chunk."""
    done, nodes = chunk.first + chunk.n, int(chunk.tree.size[0])
    seconds = float(chunk.log.elapsed[chunk.n - 1]) / 1e9
    share = search.budget.share(done, seconds, nodes)
    return SearchProgress(done, nodes, seconds, share, search.budget.iterations)


def check_health(trace: TraceColumns) -> Sequence[Finding]:
    """Findings about a trace's search."""
    return check_trace(trace, referee_of(trace.meta))


def true_results(trace: TraceColumns, node: int = 0) -> Truth:
    """Exact results of the moves at a node; with those at the root, of the most visited nodes."""
    nodes = None if node == 0 else ()
    return truth(trace, oracle_of(trace.meta), trace.n_iterations, node, nodes)


def check_match(wanted: MatchRequest) -> None:
    """Raise MctsVizError for a match that cannot begin."""
    check_sides(wanted.game, engines(wanted), wanted.start, wanted.seed)


def match(wanted: MatchRequest, folder: Path) -> Match:
    """The match that a form asks for, begun in a folder."""
    return Match(wanted.game, engines(wanted), folder, start=wanted.start, seed=wanted.seed)


def engines(wanted: MatchRequest) -> list[Engine | None]:
    """Its two sides."""
    return [None if side is None else _engine(side) for side in wanted.sides]


def _engine(side: EngineRequest) -> Engine:
    return Engine(side.preset, side.iterations, side.seconds, overrides=side.parameters)


def line(meta: Mapping[str, Any], actions: Sequence[int]) -> Line | None:
    """The game and the moves to a position, None for a game that is not ours or moves that it does not
    know."""
    played = _game(meta)
    if played is None or board(meta, actions) is None:
        return None
    moves = tuple(played.action_labels[action] for action in actions)
    return Line(GameChoice(played.name, played.title), moves)


def board(meta: Mapping[str, Any], actions: Sequence[int]) -> games.Board | None:
    """The position after these actions, None for a game that is not ours or moves that it does not know."""
    played = _game(meta)
    if played is None or played.board is None:
        return None
    try:
        played.position(actions)
    except GameError:
        return None
    return played.board(actions)


def n_legal(meta: Mapping[str, Any], actions: Sequence[int]) -> int | None:
    """Number of legal moves after these actions, None as for `board`."""
    played = _game(meta)
    if played is None:
        return None
    try:
        state, _ = played.position(actions)
    except GameError:
        return None
    return len(played.legal(state))


def _game(meta: Mapping[str, Any]) -> games.FlatGame | None:
    try:
        return games.game(str((meta.get("game") or {}).get("name", "")))
    except GameError:
        return None


def steps_html(trace: TraceColumns, name: str, t: int) -> bytes:
    """One HTML file that steps through the trace around iteration t without a server. Raises
    MctsVizError."""

    def position(node: int) -> str | None:
        path = trace.topology.path(node)
        actions = [*trace.meta.get("start", []), *(int(trace.columns.action[v]) for v in path[1:])]
        seen = board(trace.meta, actions)
        return None if seen is None else board_svg(seen, title=f"position of node {node}")

    return one_file(OneTrace(trace, position), "trace", name, t)


def store_folder() -> Path:
    """Where searches recorded on the page, and uploads, are kept: a folder of the user's own."""
    return Path.home() / ".mcts_viz" / "traces"


def make_app(
    sources: Sequence[str | Path] = (),
    store: Path | None = None,
    follow: bool = False,
    several: bool = False,
) -> Dash:
    """The page over some trace files and folders. Raises PageError for one that does not exist.

    follow: it begins at the end of the first one and stays there while that one grows.
    several: it is one of several processes that serve them.
    """
    paths = [Path(source) for source in sources]
    for path in paths:
        if not path.exists():
            raise PageError(f"{path}: there is no such file or folder")
        if path.is_file():
            open_trace(path)  # says what is wrong with it before a browser opens
    _warm_up()
    folder = next((path for path in paths if path.is_dir()), None)
    stored = store or folder or _writable(store_folder())
    return create_app(services(), paths, stored, follow, Workers(stored) if several else None)


def server(*sources: str | Path, store: str | Path | None = None) -> Flask:
    """The page as a WSGI app, for servers with any number of worker processes on one machine:
    `gunicorn "mcts_viz.page:server('my_traces')"`. docs/serving.md says more. Raises PageError."""
    app: Flask = make_app(sources, None if store is None else Path(store), several=True).server
    app.test_client().get("/")  # Dash gives scripts only to those that it has made a page with
    return app


def _warm_up() -> None:
    """Let pyarrow import pandas, if it is there, before two requests meet a half-imported one."""
    pa.array([0]).to_numpy(zero_copy_only=False)


def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="mcts_viz-"))
    return folder


# at once also into a file or a pipe, where a line would else wait until the server stops
say_at_once = partial(print, flush=True)


def serve(
    app: Dash,
    port: int | None = None,
    browser: bool = True,
    say: Callable[[str], None] = say_at_once,
) -> None:
    """Serve until interrupted, on this machine only. Opens the page in a browser where there is one."""
    wanted = PORT if port is None else port
    listener = listen(wanted)
    chosen = port_of(listener)
    if chosen != wanted != 0:
        say(f"Port {wanted} is taken, so this page is on port {chosen}.")
    address = f"http://{HOST}:{chosen}/"
    say(f"mcts_viz is at {address}   (Ctrl+C stops it)")
    if browser:
        threading.Thread(target=_open_browser, args=[address], daemon=True).start()
    answer(app.server, listener)


def show(trace: Any) -> str | None:
    """Show a trace, or a file or folder of traces, in a browser until interrupted (Ctrl+C).

    A recording that is not over yet is shown beside it: the page follows it as it grows, and this
    returns its address at once. It is served as long as the process runs.
    In a notebook the page stands under the cell; a trace that is only in memory is shown there as
    the file that `Trace.to_html` writes. Raises PageError.
    """
    path = Path(trace) if isinstance(trace, (str, Path)) else trace.path
    if is_notebook() and path is None:
        show_file(steps_html(trace, "search", trace.n_iterations))
        return None
    if path is None:
        raise PageError(
            "this trace is only in memory: record it with path='my.mcts' and show that file, or write a page "
            "of its own with to_html()"
        )
    grows = isinstance(trace, Recording)
    if is_notebook():
        show_served(lambda: make_app([path], follow=grows), path)
        return None
    if grows:
        return _serve_beside(make_app([path], follow=True))
    serve(make_app([path]))
    return None


def _serve_beside(app: Dash) -> str:
    """Serve from a thread of its own; returns the address."""
    listener = listen(PORT)
    address = f"http://{HOST}:{port_of(listener)}/"
    threading.Thread(target=answer, args=[app.server, listener], daemon=True).start()
    say_at_once(f"mcts_viz is at {address}   (it follows the search while this program runs)")
    threading.Thread(target=_open_browser, args=[address], daemon=True).start()
    return address


def _open_browser(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):  # no browser: the address was printed
        if type(webbrowser.get()) is not webbrowser.GenericBrowser:  # one that fills the terminal
            webbrowser.open(address)
