"""What the page needs from the rest of the program: opening files, boards, searches and matches.

Injected by whoever makes the app, for this layer may not know games or searches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias

from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.sensitivity import Sensitivity
from mcts_viz.analysis.truth import Truth
from mcts_viz.trace.trace import Trace
from mcts_viz.views.board import Board


class GameChoice(NamedTuple):
    """A game that a new search can be run on."""

    name: str
    title: str


class ParameterChoice(NamedTuple):
    """A parameter of a search, as the form shows it."""

    name: str
    phase: str  # select, expand, simulate, backpropagate or play
    title: str
    words: str  # what it says, in half a sentence
    kind: str  # "choice" of a name, "number", "count" (a whole number from 1) or "switch"
    names: Mapping[str, str]  # of a choice, each with its words
    optional: bool  # None is allowed and means that there is none


class PresetChoice(NamedTuple):
    """A preset: what each parameter is there, in words, and its budget."""

    name: str
    words: Mapping[str, str]  # by parameter
    iterations: int | None
    seconds: float | None


class SearchRequest(NamedTuple):
    """What the New search form asks for; checked by whoever runs it. Of the budget, None is no limit;
    with neither iterations nor seconds it is the preset's."""

    game: str
    preset: str
    iterations: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    memory: int | None = None  # megabytes
    decided: bool = False  # stop when the runner-up can no longer overtake
    seed: int | None = None  # None: a new one
    start: tuple[str, ...] = ()  # moves, as ids or names
    rollouts: bool = True
    parameters: Mapping[str, Any] = MappingProxyType({})  # those that differ from the preset


class RerunRequest(NamedTuple):
    """What the What if form asks for: a trace's position searched again, or its search gone on with;
    checked by whoever runs it."""

    trace: Trace
    game: str  # the trace's, and the preset of the new search: for the new file's name
    preset: str
    changes: Mapping[str, Any]  # what differs from the trace's search, as `Trace.rerun` takes it


class GridRequest(NamedTuple):
    """How sure is this choice? A trace's position searched with many constants and seeds."""

    trace: Trace
    c: tuple[float, ...] | None  # None: some around the search's own
    seeds: int
    iterations: int | None  # of each; None: as many as the trace has


class RootMoves(NamedTuple):
    """What a search of a trace's position may be told about its root."""

    actions: Sequence[int]
    names: Sequence[str]


class EngineRequest(NamedTuple):
    """A side of a match that a search plays; budgets are those of one move."""

    preset: str
    iterations: int | None
    seconds: float | None
    parameters: Mapping[str, Any] = MappingProxyType({})  # those that differ from the preset


class MatchRequest(NamedTuple):
    """What the Play form asks for; checked by whoever begins the match."""

    game: str
    sides: tuple[EngineRequest | None, EngineRequest | None]  # None: a person
    start: tuple[str, ...] = ()  # moves, as ids or names
    seed: int | None = None


class Thought(Protocol):
    """What came of an engine's search for a move."""

    @property
    def visits(self) -> int: ...
    @property
    def mean_value(self) -> float: ...  # view of the player who thought
    @property
    def iterations(self) -> int: ...


class Move(Protocol):
    """A move of a match."""

    @property
    def number(self) -> int: ...  # from the game's first position
    @property
    def player(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def thought(self) -> Thought | None: ...  # None for a person's
    @property
    def trace(self) -> str | None: ...  # file in the match's folder


class Standing(Protocol):
    """Where a match stands; a value that nobody changes."""

    @property
    def moves(self) -> Sequence[Move]: ...
    @property
    def taken_back(self) -> Sequence[Move]: ...
    @property
    def to_move(self) -> int | None: ...  # None when the game is over


class Engine(Protocol):
    """A side that a search plays."""

    @property
    def title(self) -> str: ...
    @property
    def iterations(self) -> int | None: ...
    @property
    def seconds(self) -> float | None: ...


class Watcher(Protocol):
    """Told while an engine thinks."""

    def __call__(self, iterations: int, nodes: int, best: str) -> None:
        """After each chunk: iterations run, nodes there are, name of the best move so far."""


class Match(Protocol):
    """A game between two sides, in a folder of its own. One thread at a time may change it."""

    @property
    def title(self) -> str: ...  # of the game
    @property
    def players(self) -> tuple[str, str]: ...  # their symbols
    @property
    def sides(self) -> Sequence[Engine | None]: ...
    @property
    def folder(self) -> Path: ...
    @property
    def standing(self) -> Standing: ...
    @property
    def result(self) -> str | None: ...  # in words; None while the game goes on
    def board(self) -> Board | None: ...  # None for a game that has no picture
    def targets(self) -> Mapping[int, tuple[str, int | None]]: ...  # action -> its name, its cell
    def play(self, move: int) -> Move: ...
    def think(self, watch: Watcher, stop: Callable[[], bool]) -> Move: ...
    def take_back(self) -> Sequence[Move]: ...


class Line(NamedTuple):
    """A position of a game of ours, as the Play form names it."""

    game: GameChoice
    moves: tuple[str, ...]


class SearchProgress(NamedTuple):
    """How far a running search has come."""

    iterations: int  # done
    nodes: int
    seconds: float  # since it began
    share: float  # of its budget, in [0, 1]
    n_iterations: int | None  # that it may run; None: no limit


Progress: TypeAlias = Callable[[SearchProgress], None]  # told after each chunk


@dataclass(frozen=True)
class Services:
    """The functions; all raise MctsVizError with a message for the user."""

    open_trace: Callable[[Path], Trace]
    # (trace metadata, actions from the first position of the game) -> what it looks like, None for a foreign game
    board: Callable[[Mapping[str, Any], Sequence[int]], Board | None]
    # the same arguments -> number of legal moves, None for a foreign game
    n_legal: Callable[[Mapping[str, Any], Sequence[int]], int | None]
    games: Sequence[GameChoice]
    sizes: Sequence[str]  # how a game of another size is written: "mnk:M,N,K"
    presets: Sequence[PresetChoice]
    parameters: Sequence[ParameterChoice]
    default_game: str
    default_preset: str
    # raises MctsVizError for a request that cannot be run
    check: Callable[[SearchRequest | RerunRequest], None]
    # (request, file to write, progress, asked to stop?) -> runs the search to its end
    search: Callable[[SearchRequest | RerunRequest, Path, Progress, Callable[[], bool]], None]
    # trace metadata -> moves at its root; raises MctsVizError saying why it cannot be searched again
    root_moves: Callable[[Mapping[str, Any]], RootMoves]
    # trace -> what holds where nothing is changed when it is searched again
    recorded: Callable[[Trace], PresetChoice]
    # iterations of all its searches together; raises MctsVizError
    grid_size: Callable[[GridRequest], int]
    # (request, told after each search (done, of how many), asked to stop?)
    sensitivity: Callable[
        [GridRequest, Callable[[int, int], None], Callable[[], bool]], Sensitivity
    ]
    check_match: Callable[[MatchRequest], None]  # raises MctsVizError for one that cannot begin
    # (request, a new folder for its traces)
    match: Callable[[MatchRequest, Path], Match]
    # (trace metadata, actions from the first position) -> the position, None for a foreign game
    line: Callable[[Mapping[str, Any], Sequence[int]], Line | None]
    # what is wrong with a search; knows the rules of our games
    check_health: Callable[[Trace], Sequence[Finding]]
    # exact results at the root and of the most visited nodes; at another node of its moves alone;
    # takes some seconds
    truth: Callable[[Trace, int], Truth]
