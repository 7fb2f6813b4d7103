"""Matches played on the page: one thread each while an engine thinks, with progress and Stop.

Keeps the matches of this process, by a number that cannot be guessed; the traces are files in the library.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.games.position import Target
from mcts_viz.games.rules import Board
from mcts_viz.runs.losing_move import LosingMove, mistake_of
from mcts_viz.runs.match import Match, MatchState, check
from mcts_viz.runs.options import SearchOptions
from mcts_viz.web.jobs.background import error_of
from mcts_viz.web.jobs.seats import SearchPlace, Seats
from mcts_viz.web.library import Library


class MatchRequest(NamedTuple):
    """What the form of a match asks for."""

    game: str
    sides: tuple[SearchOptions | None, SearchOptions | None]  # None: a person
    start: Sequence[str] = ()  # moves, as ids or names
    seed: int | None = None

    def check(self) -> None:
        """Raise MctsVizError for a match that cannot begin."""
        check(self.game, self.sides, self.start, self.seed)


class MatchScene(NamedTuple):
    """A match between two moves; a value, so that any thread may look at it."""

    version: int  # counts changes
    standing: MatchState
    board: Board | None
    targets: Mapping[int, Target]  # by action
    result: str | None
    mistake: LosingMove | None = None  # that lost the game, once it has been looked for


@dataclass
class Thinking:
    """An engine at work. Written by its own thread, read by the page."""

    began: float  # seconds, of the monotonic clock; of its search, once that has begun
    iterations: int = 0
    nodes: int = 1
    best: str = ""
    stop: threading.Event = field(default_factory=threading.Event)
    place: SearchPlace | None = None  # among the server's searches

    def watch(self, iterations: int, nodes: int, best: str) -> None:
        """Called by the search after each chunk."""
        self.iterations, self.nodes, self.best = iterations, nodes, best


class LiveMatch:
    """A match and the thread in which its engines think. What is asked of it twice is done once."""

    def __init__(self, number: str, match: Match, seats: Seats) -> None:
        self.number = number
        self._seats = seats
        self.match = match
        self.thinking: Thinking | None = None
        self.error: str | None = None  # why the last search broke
        self.explaining: SearchPlace | None = (
            None  # while the mistake is looked for that lost the game
        )
        self._versions = itertools.count(1)
        self._asked: set[str] = set()
        self._lock = threading.Lock()
        self.scene = self._look()

    @property
    def engine_moves(self) -> bool:
        """Whether it is an engine's turn."""
        player = self.scene.standing.to_move
        return player is not None and self.match.sides[player] is not None

    def do(self, ask: Mapping[str, object]) -> None:
        """What a person asks for: {"id", "do": "play" | "undo" | "stop" | "on"}, "play" with the
        "action" and the number of "moves" that were made when it was asked.

        Raises MctsVizError; an ask that the match has overtaken does nothing.
        """
        with self._lock:
            if str(ask.get("id")) in self._asked:
                return
            self._asked.add(str(ask.get("id")))
            kind = ask.get("do")
            if kind == "stop":
                self._stop()
            elif self.thinking is None and kind == "play":
                self._play(ask)
            elif self.thinking is None and kind == "undo":
                self.match.take_back()
                self.scene = self._look()
            elif kind == "on":
                self._go_on()

    def begin(self) -> None:
        """Let an engine that moves first do so."""
        with self._lock:
            self._go_on()

    def stop(self) -> None:
        """End the search that runs; its engine plays the best move so far."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self.thinking is not None:
            self.thinking.stop.set()
            if self.thinking.place is not None:
                self.thinking.place.end()

    def _play(self, ask: Mapping[str, object]) -> None:
        if ask.get("moves") != len(self.scene.standing.moves):
            return
        action = ask.get("action")
        if not isinstance(action, int):
            raise PageError(f"{action!r} is no move; click a cell of the board")
        self.match.play(action)
        self.scene = self._look()
        self._explain_loss()
        self._go_on()

    def _go_on(self) -> None:
        self.error = None
        if self.thinking is None and self.engine_moves:
            thinking = Thinking(time.monotonic())
            thinking.place = self._seats.take(
                lambda: f"the match {self.match.folder.name}",
                self._think,
                thinking.stop,
                self._cancelled,
            )
            self.thinking = thinking

    def _cancelled(self) -> None:
        """Another search never left a seat for the engine."""
        self.thinking = None

    def _think(self) -> None:
        """Move after move while it is an engine's turn, until *Stop*."""
        with self._lock:
            thinking = self.thinking  # once the one who asked for it has put it there
        while thinking is not None:
            thinking.began = time.monotonic()
            think = partial(self.match.think, thinking.watch, thinking.stop.is_set)
            error = error_of(partial(think, self._seats.memory))
            with self._lock:
                self.error, self.scene = error, self._look()
                self._explain_loss()
                goes_on = error is None and self.engine_moves and not thinking.stop.is_set()
                place, stop = thinking.place, thinking.stop
                thinking = Thinking(time.monotonic(), stop=stop, place=place) if goes_on else None
                self.thinking = thinking

    def _explain_loss(self) -> None:
        """Begin to look for an engine's mistake, where the game is over and one has lost."""
        outcome = self.scene.standing.outcome
        if not outcome or self.match.sides[1 if outcome > 0 else 0] is None:
            return
        with contextlib.suppress(PageError):  # too many searches wait: go on without it
            self.explaining = self._seats.take(
                lambda: f"the mistake that lost {self.match.folder.name}",
                self._find_mistake,
                threading.Event(),
                self._stay_unexplained,
            )

    def _find_mistake(self) -> None:
        standing, found = self.scene.standing, None
        with contextlib.suppress(MctsVizError):
            found = mistake_of(self.match, standing, self._seats.memory)
        with self._lock:
            self.explaining = None
            if found is not None and self.scene.standing is standing:  # nothing was taken back
                self.scene = self._look()._replace(mistake=found)

    def _stay_unexplained(self) -> None:
        """Another search never left a seat for it."""
        self.explaining = None

    def _look(self) -> MatchScene:
        match = self.match
        return MatchScene(
            next(self._versions), match.standing, match.board(), match.targets(), match.result
        )


class Matches:
    """The matches of this process, by number."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._matches: dict[str, LiveMatch] = {}

    def begin(self, request: MatchRequest, instead_of: str = "") -> str:
        """Begin a match; returns its number. The one that it takes the place of is stopped. Raises
        MctsVizError for a request that cannot be played."""
        request.check()
        name = request.game.replace(":", "_").replace(",", "x")
        folder = self._library.new_folder(f"{name}_match_{time.strftime('%Y%m%d-%H%M%S')}")
        match = Match(request.game, request.sides, folder, start=request.start, seed=request.seed)
        live = LiveMatch(secrets.token_hex(8), match, self._library.seats)
        self._matches[live.number] = live
        if instead_of in self._matches:
            self._matches[instead_of].stop()
        live.begin()
        return live.number

    def match(self, number: str) -> LiveMatch | None:
        """The match of that number, None for one of another process or an earlier run."""
        return self._matches.get(number)
