"""`mcts-viz play GAME`: play against a search, or let two searches play, in the terminal."""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from mcts_viz import games
from mcts_viz.cli.search_options import add_begins, add_policies, moves, overrides
from mcts_viz.cli.series import (
    add_series_options,
    mistake_line,
    play_series,
    refuse_series_options,
)
from mcts_viz.engine.budget import Budget
from mcts_viz.engine.parameters import LEVEL
from mcts_viz.engine.presets import LEVELLED, PRESETS
from mcts_viz.errors import GameError, MctsVizError, SearchError
from mcts_viz.games.first_player import begun_by
from mcts_viz.runs.losing_move import mistake_of
from mcts_viz.runs.match import Match, Move
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.progress import progress_words
from mcts_viz.trace.words import plural

NOBODY = "none"
AGAINST = "against-"  # what the options of the second engine begin with


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("game", metavar="GAME", help=f"one of: {', '.join(games.names())}")
    parser.add_argument("--preset", default="uct", help=f"the engine, one of: {', '.join(PRESETS)}")
    parser.add_argument(
        "--against",
        metavar="PRESET",
        help="a second engine, which plays the other side in your place",
    )
    parser.add_argument(
        "--you",
        metavar="SIDE",
        help=f"the side you play, such as X (the first, default) or O; {NOBODY}: engines play",
    )
    parser.add_argument(
        "--iterations",
        type=int,
        metavar="N",
        help="budget of a move (default: the preset's)",
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="budget of a move; the first one reached ends it"
    )
    parser.add_argument(
        "--against-iterations",
        type=int,
        metavar="N",
        help="budget of the second engine, if it differs",
    )
    parser.add_argument(
        "--against-seconds",
        type=float,
        metavar="S",
        help="budget of the second engine, if it differs",
    )
    parser.add_argument("--seed", type=int, metavar="K", help="the same seed gives the same engine")
    parser.add_argument(
        "--start", default="", metavar="MOVES", help="moves played first, separated by commas"
    )
    add_begins(parser)
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", help="a new folder for the game and its traces"
    )
    add_series_options(parser)
    add_policies(parser, words="each overrides the preset, for both engines")
    add_policies(
        parser,
        AGAINST,
        "policies of the second engine",
        "for the second engine alone; they override those above",
    )


def run(options: argparse.Namespace) -> int:
    """Play until the game is over, or the person has had enough."""
    original = games.game(options.game)
    game = begun_by(original, options.begins, options.seed)
    sides = sides_of(options, game.players, original.players[0])
    folder = Path(
        options.output or _unused(Path(f"{_name(game)}_{time.strftime('%Y%m%d-%H%M%S')}"))
    )
    if options.games is not None:
        engines = [side for side in sides if side is not None]
        return play_series(options, game, engines, folder, moves(options.start))
    refuse_series_options(options)
    match = Match(game, sides, folder, start=moves(options.start), seed=options.seed)
    terminal = TerminalMatch(match, options.program)
    try:
        terminal.play()
    finally:
        terminal.close()  # also when interrupted: what was played is there
    return 0


def sides_of(
    options: argparse.Namespace, players: Sequence[str], usual: str
) -> list[SearchOptions | None]:
    """Who plays player 0 and player 1; raises MctsVizError for an unknown side. usual: a person's."""
    series = options.games is not None
    you = options.you or (NOBODY if options.against or series else usual)
    if series and you.lower() != NOBODY:
        raise SearchError(
            f"--games is for engines alone, and --you {you} plays; leave one of them out"
        )
    if you.lower() == NOBODY:
        return [_first(options), _second(options)]
    if options.against:
        raise SearchError(
            f"--against {options.against} names a second engine, but --you {you} takes its side; leave one out"
        )
    if _of_second(options):
        raise SearchError(
            f"--{AGAINST}{_of_second(options)[0].replace('_', '-')} is for a second engine, and you take its "
            f"side; leave it out, or let engines play each other with --you {NOBODY}"
        )
    symbols = [player.lower() for player in players]
    if you.lower() not in symbols:
        raise GameError(
            f"--you {you}: no such side here; choose one of: {', '.join(players)}, {NOBODY}"
        )
    engine = _first(options)
    return [None, engine] if you.lower() == symbols[0] else [engine, None]


def _first(options: argparse.Namespace) -> SearchOptions:
    given = overrides(options)
    return SearchOptions(options.preset, options.iterations, options.seconds, overrides=given)


def _second(options: argparse.Namespace) -> SearchOptions:
    """The second engine: the first one's options, and those given for the second alone."""
    preset = options.against or options.preset
    iterations, seconds = options.against_iterations, options.against_seconds
    own = overrides(options, AGAINST)
    of_both = overrides(options)
    if preset != LEVELLED or (iterations, seconds) != (None, None):
        of_both.pop(LEVEL.name, None)  # a level is a budget, and not for every preset
    given = {**of_both, **own}
    if iterations is None and seconds is None and own.get(LEVEL.name) is None:
        iterations, seconds = options.iterations, options.seconds
    return SearchOptions(preset, iterations, seconds, overrides=given)


def _of_second(options: argparse.Namespace) -> list[str]:
    """What was said of the second engine, by name."""
    limits = {
        "iterations": options.against_iterations,
        "seconds": options.against_seconds,
    }
    given = [name for name, limit in limits.items() if limit is not None]
    return [*given, *overrides(options, AGAINST)]


class TerminalMatch:
    """A match in the terminal; `new` puts another one in its place."""

    def __init__(self, match: Match, program: str) -> None:
        self.match = match
        self._folder = match.folder  # later matches get its name with a number
        self._program = program
        self._screen = Console(stderr=True)  # for what a file or a pipe need not have

    def play(self) -> None:
        """Turn by turn: engines think, persons type."""
        if None in self.match.sides and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(
                errors="replace"
            )  # a stray byte is no move, and no reason to stop
        self._begin()
        while True:
            if self.match.engine is not None:
                self._think()
            elif None not in self.match.sides or not self._ask():
                return

    def close(self) -> None:
        """Say where the game is."""
        match = self.match
        n = len(list(match.folder.glob("*.mcts")))
        how = match.result or "not finished"
        print(
            f"The game ({how}) is in {match.folder}: game.json and {n} {'trace' if n == 1 else 'traces'}."
        )
        if n:
            print(f"Look at it: {self._program} show {match.folder}")
        with self._screen.status("looking for the mistake that lost the game …"):
            mistake = mistake_of(match)
        if mistake is not None:
            print(mistake_line(match.folder, mistake, self._program))

    def _begin(self) -> None:
        match = self.match
        who = [
            f"{player}: {'you' if side is None else side.title}"
            for side, player in zip(match.sides, match.players)
        ]
        print(f"{match.game.title}. {', '.join(who)}.")
        if None in match.sides:
            labels = match.legal_names
            print(
                f"Type a move, its name ({labels[0]}) or its number ({match.standing.legal[0]}), or: "
                "moves, undo, new, new MOVES, quit"
            )
        self._show()

    def _show(self) -> None:
        print(f"\n{self.match.text()}\n", flush=True)
        if self.match.result is not None:
            print(f"{self.match.result[0].upper()}{self.match.result[1:]}.", flush=True)

    def _think(self) -> None:
        player = self.match.players[self.match.standing.to_move or 0]
        begins = f"{player} is thinking …"
        budget, began = self.match.plan().budget, time.monotonic()
        with self._screen.status(begins) as shown:

            def watch(iterations: int, nodes: int, best: str) -> None:
                seconds = time.monotonic() - began
                shown.update(f"{begins} {thinking_words(budget, seconds, iterations, nodes, best)}")

            move = self.match.think(watch if self._screen.is_terminal else _silent)
        print(engine_line(move, player, self.match.folder))
        self._show()

    def _ask(self) -> bool:
        """Do what the person types; False when that was the last of it."""
        match = self.match
        player = match.standing.to_move
        try:
            typed = input("undo, new or quit> " if player is None else f"{match.players[player]}> ")
        except EOFError:
            print()
            return False
        if typed.strip().lower() in ("quit", "exit", "q"):
            return False
        try:
            self._do(typed.strip())
        except MctsVizError as err:
            print(err)
        return True

    def _do(self, typed: str) -> None:
        word, _, rest = typed.lower().partition(" ")
        if not typed:
            return
        if typed.lower() == "moves":
            print(", ".join(self.match.legal_names) or "none: the game is over")
        elif typed.lower() == "undo":
            print(f"taken back: {', '.join(move.name for move in self.match.take_back())}")
            self._show()
        elif word == "new":
            start = moves(rest) if rest.strip() else None
            # the position is checked before a message about the game that ends here
            new = self.match.again(_unused(self._folder), start)
            self.close()
            self.match = new
            self._begin()
        else:
            self.match.play(typed)
            self._show()


def thinking_words(budget: Budget, seconds: float, iterations: int, nodes: int, best: str) -> str:
    """What an engine has done so far, and in what time it will be done, at this speed."""
    told = f"{progress_words(budget, iterations, nodes)}; best: {best or 'none yet'}"
    share = budget.share(iterations, seconds, nodes)
    if not 0 < share < 1:
        return told
    return f"{told}; about {seconds * (1 - share) / share:,.1f} s left"


def engine_line(move: Move, player: str, folder: Path) -> str:
    """What an engine played, and why, and where that can be seen."""
    found = move.search
    assert found is not None
    return (
        f"{player} plays {move.name}: {found.visits:,} of {plural(found.iterations, 'visit')}, "
        f"mean {found.mean_value:.4f}, {found.rule}; {folder / (move.trace or '')}"
    )


def _silent(iterations: int, nodes: int, best: str) -> None:
    """The listener for a file or a pipe, which prints nothing."""


def _name(game: games.FlatGame) -> str:
    return game.name.replace(":", "_").replace(",", "x")


def _unused(folder: Path) -> Path:
    """The folder, or one of its name with a number that is not there yet."""
    free, number = folder, 2
    while free.exists():
        free, number = folder.with_name(f"{folder.name}-{number}"), number + 1
    return free
