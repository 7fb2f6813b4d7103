"""Matches played on the page: one thread each while an engine thinks, with progress and Stop.

Keeps the matches of this process, by a number that nobody guesses; the traces are files in the library.
"""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.views.board import Board
from mcts_viz.web.library import Library
from mcts_viz.web.services import Match, MatchRequest, Standing


class Scene(NamedTuple):
    """A match between two moves; a value, so that any thread may look at it."""

    version: int  # counts changes
    standing: Standing
    board: Board | None
    targets: Mapping[int, tuple[str, int | None]]  # action -> its name, its cell
    result: str | None


@dataclass
class Thinking:
    """An engine at work. Written by its own thread, read by the page."""

    began: float  # seconds, of the monotonic clock
    iterations: int = 0
    nodes: int = 1
    best: str = ""
    stop: threading.Event = field(default_factory=threading.Event)

    def watch(self, iterations: int, nodes: int, best: str) -> None:
        """Called by the search after each chunk."""
        self.iterations, self.nodes, self.best = iterations, nodes, best


class LiveMatch:
    """A match and the thread in which its engines think. What is asked of it twice is done once."""

    def __init__(self, number: str, match: Match) -> None:
        self.number = number
        self.match = match
        self.thinking: Thinking | None = None
        self.error: str | None = None  # why the last search broke
        self._versions = itertools.count(1)
        self._asked: set[str] = set()
        self._lock = threading.Lock()
        self.scene = self._look()

    @property
    def engine_moves(self) -> bool:
        """Whether it is an engine's turn."""
        player = self.scene.standing.to_move
        return player is not None and self.match.sides[player] is not None

    def do(self, ask: Mapping[str, Any]) -> None:
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
        """Let nobody think any longer: whoever does plays the best move so far."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self.thinking is not None:
            self.thinking.stop.set()

    def _play(self, ask: Mapping[str, Any]) -> None:
        if ask.get("moves") != len(self.scene.standing.moves):
            return
        action = ask.get("action")
        if not isinstance(action, int):
            raise PageError(f"{action!r} is no move; click a cell of the board")
        self.match.play(action)
        self.scene = self._look()
        self._go_on()

    def _go_on(self) -> None:
        self.error = None
        if self.thinking is None and self.engine_moves:
            self.thinking = Thinking(time.monotonic())
            threading.Thread(target=self._think, name=f"match {self.number}", daemon=True).start()

    def _think(self) -> None:
        """One move after another, as long as it is an engine's turn and nobody says stop."""
        while (thinking := self.thinking) is not None:
            error = None
            try:
                self.match.think(thinking.watch, thinking.stop.is_set)
            except MctsVizError as err:
                error = str(err)
            except Exception as err:  # noqa: BLE001 (nobody else would hear of it in this thread)
                error = f"an error of the program: {type(err).__name__}: {err}"
            with self._lock:
                self.error, self.scene = error, self._look()
                goes_on = error is None and self.engine_moves and not thinking.stop.is_set()
                self.thinking = Thinking(time.monotonic()) if goes_on else None

    def _look(self) -> Scene:
        match = self.match
        return Scene(
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
        services = self._library.services
        services.check_match(request)
        name = request.game.replace(":", "_").replace(",", "x")
        folder = self._library.new_folder(f"{name}_match_{time.strftime('%Y%m%d-%H%M%S')}")
        live = LiveMatch(self._library.sign(secrets.token_hex(8)), services.match(request, folder))
        self._matches[live.number] = live
        if instead_of in self._matches:
            self._matches[instead_of].stop()
        live.begin()
        return live.number

    def match(self, number: str) -> LiveMatch | None:
        """The match of that number, None for one of another process or an earlier run."""
        return self._matches.get(number)
