"""What the page needs from the rest of the program: opening files, boards, and running a search.

Injected by whoever makes the app, for this layer may not know games or searches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mcts_viz.trace.trace import Trace
from mcts_viz.views.board import Board


class GameChoice(NamedTuple):
    """A game that a new search can be run on."""

    name: str
    title: str


class SearchRequest(NamedTuple):
    """What the New search form asks for; checked by whoever runs it."""

    game: str
    preset: str
    iterations: int | None
    seconds: float | None
    c: float | None  # None: the preset's
    seed: int | None
    start: tuple[str, ...]  # moves, as ids or names
    rollouts: bool = True
    selection: str | None = None  # name of the formula; None: the preset's
    final_move: str | None = None  # name of the rule; None: the preset's
    order: str | None = None  # of the untried moves; None: the preset's


class Progress(Protocol):
    """Told about a running search."""

    def __call__(self, iterations: int, nodes: int) -> None:
        """After each chunk: how many iterations have run, how many nodes there are."""


@dataclass(frozen=True)
class Services:
    """The functions; all raise MctsVizError with a message for the user."""

    open_trace: Callable[[Path], Trace]
    # (trace metadata, actions from the first position of the game) -> what it looks like, None for a foreign game
    board: Callable[[Mapping[str, Any], Sequence[int]], Board | None]
    # the same arguments -> number of legal moves, None for a foreign game
    n_legal: Callable[[Mapping[str, Any], Sequence[int]], int | None]
    games: Sequence[GameChoice]
    presets: Sequence[str]
    default_game: str
    default_preset: str
    check: Callable[[SearchRequest], None]  # raises MctsVizError for a request that cannot be run
    # (request, file to write, progress, asked to stop?) -> runs the search to its end
    search: Callable[[SearchRequest, Path, Progress, Callable[[], bool]], None]
