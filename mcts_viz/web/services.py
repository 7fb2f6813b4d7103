"""What the page needs from the rest of the program: opening files, boards, and running a search.

Injected by whoever makes the app, for this layer may not know games or searches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

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
    check: Callable[[SearchRequest], None]  # raises MctsVizError for a request that cannot be run
    # (request, file to write, progress, asked to stop?) -> runs the search to its end
    search: Callable[[SearchRequest, Path, Progress, Callable[[], bool]], None]
