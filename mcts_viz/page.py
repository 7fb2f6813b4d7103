"""Serves the page: ties the web layer to games and searches, opens a browser."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mcts_viz import games
from mcts_viz.analysis.health.checking import check_trace
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.api import open as open_trace
from mcts_viz.api import prepare
from mcts_viz.errors import GameError, PageError
from mcts_viz.games.evaluators import EVALUATORS
from mcts_viz.match import Engine, Match
from mcts_viz.match import check as check_sides
from mcts_viz.recorder import Recorder
from mcts_viz.referee import referee_of
from mcts_viz.search.engine import Chunk, Search, run
from mcts_viz.search.parameters import PARAMETERS, Parameter
from mcts_viz.search.presets import PRESETS, Policies
from mcts_viz.trace.trace import Trace as TraceColumns
from mcts_viz.web.app import create_app
from mcts_viz.web.server import HOST, answer, listen, port_of
from mcts_viz.web.services import (
    EngineRequest,
    GameChoice,
    Line,
    MatchRequest,
    ParameterChoice,
    PresetChoice,
    Progress,
    SearchProgress,
    SearchRequest,
    Services,
)

if TYPE_CHECKING:
    from dash import Dash

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
        check_match=check_match,
        match=match,
        line=line,
        check_health=check_health,
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


def plan(wanted: SearchRequest) -> Search:
    """The search that a form asks for, checked."""
    return prepare(
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


def check(wanted: SearchRequest) -> None:
    """Raise MctsVizError for a form that asks for what cannot be run."""
    plan(wanted)


def record(wanted: SearchRequest, path: Path, progress: Progress, stop: Callable[[], bool]) -> None:
    """Run a search for the page and write its trace to `path`."""
    search = plan(wanted)
    with Recorder(search, path) as recorder:

        def consume(chunk: Chunk) -> None:
            recorder(chunk)
            progress(progress_of(search, chunk))

        run(search, consume, stop)


def progress_of(search: Search, chunk: Chunk) -> SearchProgress:
    """How far the search has come with this chunk."""
    done, nodes = chunk.first + chunk.n, int(chunk.tree.size[0])
    seconds = float(chunk.log.elapsed[chunk.n - 1]) / 1e9
    share = search.budget.share(done, seconds, nodes)
    return SearchProgress(done, nodes, seconds, share, search.budget.iterations)


def check_health(trace: TraceColumns) -> Sequence[Finding]:
    """Findings about a trace's search."""
    return check_trace(trace, referee_of(trace.meta))


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
    overrides = {} if side.c is None else {"c": side.c}
    return Engine(side.preset, side.iterations, side.seconds, overrides=overrides)


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


def store_folder() -> Path:
    """Where searches recorded on the page, and uploads, are kept: a folder of the user's own."""
    return Path.home() / ".mcts_viz" / "traces"


def make_app(sources: Sequence[str | Path] = (), store: Path | None = None) -> Dash:
    """The page over some trace files and folders. Raises PageError for one that does not exist."""
    paths = [Path(source) for source in sources]
    for path in paths:
        if not path.exists():
            raise PageError(f"{path}: there is no such file or folder")
        if path.is_file():
            open_trace(path)  # says what is wrong with it before a browser opens
    _warm_up()
    folder = next((path for path in paths if path.is_dir()), None)
    return create_app(services(), paths, store or folder or _writable(store_folder()))


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


def show(trace: Any) -> None:
    """Show a trace, or a file or folder of traces, in a browser until interrupted (Ctrl+C)."""
    if isinstance(trace, (str, Path)):
        serve(make_app([trace]))
        return
    if trace.path is None:
        raise PageError(
            "this trace is only in memory: record it with path='my.mcts', or save it, then show that file"
        )
    serve(make_app([trace.path]))


def _open_browser(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):  # no browser: the address was printed
        if type(webbrowser.get()) is not webbrowser.GenericBrowser:  # one that fills the terminal
            webbrowser.open(address)
