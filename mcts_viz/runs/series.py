"""A series of games between two engines, which take the first move in turn; all their searches in one file.

Knows matches, and nothing of a page or a terminal.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import signal
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import joblib

from mcts_viz import games
from mcts_viz.errors import ExportError, SearchError
from mcts_viz.runs.elo import EloDifference, SequentialTest, elo_difference, wilson_interval
from mcts_viz.runs.jobs import check_jobs, deaf_to_interrupts, killed_in_words
from mcts_viz.runs.match import Match, MatchState, check, new_folder
from mcts_viz.runs.options import SearchOptions
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.trace.many_writer import ManyWriter
from mcts_viz.trace.trace import Trace, read_file
from mcts_viz.trace.words import plural
from mcts_viz.types import Document

DOCUMENT, SEARCHES = "series.json", "searches.many"
VERSION = 2  # of the document
MOST_GAMES = 100_000
MOST_KEPT = 3  # games, to look for what lost them
SAVED_EACH = 100  # games, of a long series, in which the document is long, too
IN_THIS_PROCESS = 200_000  # iterations in all, below which other processes start too slowly
POINTS = {-1: 0, 0: 1, 1: 2}  # in halves, by result


class PlayedGame(NamedTuple):
    """One that is over."""

    number: int  # from 1 up
    first: int  # engine that moved first, 0 or 1
    result: int  # view of engine 0: 1 a win, 0 a draw, −1 a loss
    moves: int
    search: int  # number of its first search in the file; there is one a move
    opening: tuple[str, ...]  # moves that were given, by name


class SeriesScore(NamedTuple):
    """Games of one engine."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def rate(self) -> float:
        """Share of games won; nan without games."""
        return self.wins / self.games if self.games else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """That has the true share of wins 95 times of 100 (Wilson's score interval)."""
        return wilson_interval(self.rate, self.games) if self.games else (0.0, 1.0)

    @property
    def points(self) -> float:
        """Share of what could be had, a draw counting half; nan without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else math.nan


class LostGame(NamedTuple):
    """A game that an engine lost, to look for its mistake."""

    game: PlayedGame
    standing: MatchState


class GameTask(NamedTuple):
    """A game to play, small enough to be sent to another process."""

    game: games.FlatGame
    sides: tuple[SearchOptions, SearchOptions]
    names: tuple[str, str]  # of the engines, by side
    number: int
    opening: tuple[int, ...]  # from the game's first position
    seed: int
    path: Path  # file of its searches


# told after each game
Told = Callable[["Series"], None]


class Series:
    """`engines` are two; engine 0 moves first in games 1, 3, 5, …, engine 1 in the others, each opening once on either
    side. The same seed and budgets of iterations give the same games, however many processes play them. The folder is
    made here: raises as `Match` does."""

    def __init__(
        self,
        game: games.FlatGame,
        engines: Sequence[SearchOptions],
        folder: Path,
        n: int,
        *,
        start: Sequence[str | int] = (),
        openings: Sequence[Sequence[str | int]] = (),
        seed: int = 0,
        jobs: int | None = None,
        test: SequentialTest | None = None,
    ) -> None:
        """openings: moves after `start`, taken in turn; jobs: processes, None for one a core where that pays; test:
        ends the series when it is decided."""
        if not 1 <= n <= MOST_GAMES:
            raise SearchError(f"{n} games: give a number from 1 to {MOST_GAMES:,}")
        check_jobs(jobs)
        self.game, self.engines, self.n = game, tuple(engines), n
        self.start, self.seed, self.test = start, seed, test
        self.openings = [
            check(game, engines, [*start, *opening], seed) for opening in openings or [()]
        ]
        self.folder = new_folder(folder)
        self.jobs = self._processes() if jobs is None else jobs
        self.played: list[PlayedGame] = []
        self.lost: list[LostGame] = []  # the first lost games

    @property
    def path(self) -> Path:
        """The file of all searches."""
        return self.folder / SEARCHES

    def play(self, told: Told, stop: Callable[[], bool]) -> None:
        """Play the remaining games, and report after each. When asked to stop, unfinished games do not
        count."""
        work = joblib.Parallel(n_jobs=self.jobs, return_as="generator", batch_size=1)
        alone = self.jobs == 1
        tasks = (
            joblib.delayed(_play)(self._task(number), stop if alone else None)
            for number in range(1, self.n + 1)
        )
        with deaf_to_interrupts(self.jobs):  # begins the processes
            results = work(tasks)
        try:
            with killed_in_words(self._kept), ManyWriter(self.path) as many:
                for number, standing in enumerate(results, start=1):
                    if standing is None:
                        break
                    self._take(self._task(number), standing, many)
                    told(self)
                    if stop() or self.is_decided is not None:
                        break
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib tells of games that do not count
                results.close()
            # of games that were begun and do not count
            for left in self.folder.glob("game-*.many"):
                left.unlink()
            self._save()

    def _kept(self) -> str:
        return f"{plural(len(self.played), 'game')} of {self.n:,} are kept in {self.folder}"

    def score(self, engine: int, moves_first: bool | None = None) -> SeriesScore:
        """Of all games played, or those in which the engine moved first or second."""
        results = [
            -game.result if engine else game.result
            for game in self.played
            if moves_first is None or (game.first == engine) == moves_first
        ]
        return SeriesScore(*(results.count(each) for each in (1, 0, -1)))

    @property
    def counts(self) -> list[int]:
        """Pairs of games by the points of engine 0 (0, ½, 1, 1½, 2); games lost, drawn, won while there is no pair."""
        results = [POINTS[game.result] for game in self.played]
        pairs = [sum(results[k : k + 2]) for k in range(0, len(results) - 1, 2)]
        if not pairs:
            return [results.count(points) for points in range(3)]
        return [pairs.count(points) for points in range(5)]

    @property
    def elo(self) -> EloDifference:
        """Of engine 0 over engine 1."""
        return elo_difference(self.counts)

    @property
    def is_decided(self) -> bool | None:
        """What the test says after whole pairs of games: engine 0 is better; None while it is open, and without one."""
        if self.test is None or len(self.played) < 2:
            return None
        return self.test.decided(self.counts)

    def match_of(self, lost: LostGame, folder: Path) -> Match:
        """The match of a game, at its start, in a folder of its own."""
        task = self._task(lost.game.number)
        return Match(task.game, task.sides, folder, start=task.opening, seed=task.seed)

    def _task(self, number: int) -> GameTask:
        first = (number - 1) % 2
        opening = self.openings[(number - 1) // 2 % len(self.openings)]
        path = self.folder / f"game-{number}.many"
        sides, names = (self.engines[first], self.engines[1 - first]), "AB" if first == 0 else "BA"
        seed = self.seed + number - 1
        return GameTask(self.game, sides, (names[0], names[1]), number, opening, seed, path)

    def _take(self, task: GameTask, standing: MatchState, many: ManyWriter) -> None:
        outcome, first = standing.outcome or 0.0, (task.number - 1) % 2
        result = (outcome > 0) - (outcome < 0)
        labels = self.game.action_labels
        game = PlayedGame(
            task.number, first, -result if first else result, len(standing.moves), len(many),
            tuple(labels[action] for action in task.opening),
        )  # fmt: skip
        found: ManyFile[Trace] = ManyFile(task.path)
        for trace in found:
            many.append(trace)
        task.path.unlink()
        self.played.append(game)
        if result and len(self.lost) < MOST_KEPT:
            self.lost.append(LostGame(game, standing))
        if len(self.played) <= SAVED_EACH or len(self.played) % SAVED_EACH == 0:
            self._save()

    def _processes(self) -> int:
        """One a core where all can be counted in iterations, and there are many."""
        iterations = [engine.iterations for engine in self.engines]
        if None in iterations or any(engine.seconds is not None for engine in self.engines):
            return 1  # they would take the time of each other
        work = self.n * self.game.max_moves // 2 * sum(each or 0 for each in iterations)
        return 1 if work <= IN_THIS_PROCESS else min(os.cpu_count() or 1, self.n)

    def document(self) -> Document:
        """What `series.json` says."""
        elo = {name: _finite(value) for name, value in self.elo._asdict().items()}
        return {
            "kind": "series",
            "format_version": VERSION,
            "game": {"name": self.game.name, "title": self.game.title},
            "seed": self.seed,
            "start": list(self.start),
            "engines": [self._engine(number) for number in (0, 1)],
            "elo": elo,
            "sprt": None if self.test is None else self._tested(self.test),
            "searches": SEARCHES,
            "games": [game._asdict() for game in self.played],
        }

    def _tested(self, test: SequentialTest) -> Document:
        decided = self.is_decided
        return {
            **test._asdict(),
            "bounds": test.bounds,
            "ratio": test.ratio(self.counts) if self.played else 0.0,
            "accepted": None if decided is None else "elo1" if decided else "elo0",
        }

    def _engine(self, number: int) -> Document:
        scores = {
            "all": self.score(number),
            "first": self.score(number, True),
            "second": self.score(number, False),
        }
        return {
            "title": self.engines[number].title,
            "scores": {
                name: {
                    **score._asdict(),
                    "win_rate": score.rate if score.games else None,
                    "interval": score.interval,
                }
                for name, score in scores.items()
            },
        }

    def _save(self) -> None:
        path = self.folder / DOCUMENT
        part = path.with_name(f"{DOCUMENT}.part")
        try:
            text = json.dumps(self.document(), ensure_ascii=False, indent=1, allow_nan=False)
            part.write_text(text + "\n", encoding="utf-8")
            part.replace(path)
        except OSError as err:
            raise ExportError(
                f"{path}: cannot be written: {err.strerror}; make room and write access there"
            ) from err


def _play(task: GameTask, stop: Callable[[], bool] | None) -> MatchState | None:
    """Play a game, and write its searches to a file; None where it was stopped."""
    if multiprocessing.parent_process() is not None:
        # processes that an earlier work began, or Windows: Ctrl+C is for the process that began the series
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "game"
        match = Match(task.game, task.sides, place, start=task.opening, seed=task.seed)
        while match.engine is not None:
            if stop is not None and stop():
                return None
            match.think(stop=stop or (lambda: False))
        standing = match.standing
        with ManyWriter(task.path) as many:
            for move in standing.moves:
                file, columns = read_file(place / str(move.trace))
                many.append(
                    Trace(file.meta, columns, None, True),
                    game_id=str(task.number), ply=move.number - 1, result=standing.outcome,
                    engine=task.names[move.player],
                )  # fmt: skip
    return standing


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
