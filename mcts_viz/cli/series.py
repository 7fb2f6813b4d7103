"""`mcts-viz play GAME --games N`: a series of games between two engines, one line of progress and a table."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from mcts_viz.cli.interrupting import INTERRUPTED, asked_to_stop
from mcts_viz.cli.search_options import moves
from mcts_viz.errors import SearchError
from mcts_viz.games import FlatGame
from mcts_viz.runs.elo import sequential_test
from mcts_viz.runs.losing_move import LosingMove, mistake_of
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.series import LostGame, Series, SeriesScore
from mcts_viz.trace.words import plural

HEAD = ("engine", "moves", "games", "wins", "draws", "losses", "win rate (95 % interval)", "points")


def add_series_options(parser: argparse.ArgumentParser) -> None:
    """What a series takes beside what a game does."""
    add = parser.add_argument_group("a series of games").add_argument
    add(
        "--games",
        type=int,
        metavar="N",
        help="play N games between two engines, which take turns to move first",
    )
    add(
        "--jobs",
        type=int,
        metavar="N",
        help="processes (default: one a core, where that is faster)",
    )
    add(
        "--openings",
        metavar="FILE",
        help="a text file of openings: one a line, moves separated by commas; each engine plays both sides of it",
    )
    add(
        "--sprt",
        nargs="+",
        metavar="X=Y",
        help="stop once it is clear whether the first engine is better (SPRT): elo0=0 elo1=10 alpha=0.05 beta=0.05",
    )


def refuse_series_options(options: argparse.Namespace) -> None:
    """Raises SearchError for options of a series where a game is played."""
    for name in ("jobs", "openings", "sprt"):
        if getattr(options, name) is not None:
            raise SearchError(f"--{name} is for a series; add --games N, the most games to play")


def openings_of(file: str) -> list[list[str]]:
    """The openings in a file: moves with commas, a line each; what follows a # is a remark. Raises SearchError."""
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError as err:
        raise SearchError(
            f"--openings {file}: cannot be read: {err.strerror or err}; check the name"
        ) from err
    except UnicodeDecodeError as err:
        raise SearchError(
            f"--openings {file}: is not a text; give a text file of openings"
        ) from err
    found = [moves(line.partition("#")[0]) for line in lines]
    if not any(found):
        raise SearchError(f"--openings {file}: has no moves; write a line for each: b2, a1")
    return [opening for opening in found if opening]


def play_series(
    options: argparse.Namespace,
    game: FlatGame,
    engines: list[SearchOptions],
    folder: Path,
    start: list[str],
) -> int:
    """Play all games, or those until Ctrl+C; then the table, and where the traces are. The exit code."""
    seed = 0 if options.seed is None else options.seed
    series = Series(
        game, engines, folder, options.games, start=start, seed=seed, jobs=options.jobs,
        openings=[] if options.openings is None else openings_of(options.openings),
        test=None if options.sprt is None else sequential_test(options.sprt),
    )  # fmt: skip
    who = [f"{name}: {_title(engine)}" for name, engine in zip("AB", engines)]
    print(f"{game.title}. {'; '.join(who)}.", flush=True)
    console, began = Console(stderr=True), time.monotonic()
    with asked_to_stop() as stop, console.status("the first game …") as shown:
        series.play(lambda now: shown.update(progress_line(now, time.monotonic() - began)), stop)
    if not sys.stderr.isatty():
        print(progress_line(series, time.monotonic() - began), flush=True)
    print("\n".join([*table(series), *strength(series)]))
    n = sum(played.moves for played in series.played)
    print(f"{plural(n, 'search', 'searches')} in {series.path}, results in {folder}/series.json.")
    if n:
        print(f"Ask about them: {options.program} fleet build {folder}")
    hint = _hint(series, options.program)
    if hint:
        print(hint)
    is_whole = len(series.played) == series.n or series.is_decided is not None
    return INTERRUPTED if stop() and not is_whole else 0


def _title(engine: SearchOptions) -> str:
    limits = [] if engine.iterations is None else [plural(engine.iterations, "iteration")]
    limits += [] if engine.seconds is None else [f"{engine.seconds:g} s"]
    return ", ".join([engine.title, *limits])


def progress_line(series: Series, seconds: float) -> str:
    """How far it is, how it stands, and in what time it will be over."""
    done = len(series.played)
    a = series.score(0)
    told = f"{done:,} of {plural(series.n, 'game')}: A won {a.wins:,}, {a.draws:,} drawn, B won {a.losses:,}"
    if not 0 < done < series.n:
        return f"{told}; {seconds:,.1f} s"
    return f"{told}; about {seconds * (series.n - done) / done:,.0f} s left"


def table(series: Series) -> list[str]:
    """Lines: each engine, all games, and those in which it moved first or second."""
    rows: list[tuple[str, ...]] = [HEAD]
    for engine, name in enumerate("AB"):
        for moves_first, words in ((None, "all"), (True, "first"), (False, "second")):
            score = series.score(engine, moves_first)
            if score.games:
                rows.append((name, words, *_cells(score)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    ]


def strength(series: Series) -> list[str]:
    """Lines: the difference in Elo, and what the test says."""
    if not series.played:
        return []
    elo = series.elo
    best, least, most = map(_signed, elo)
    told = [f"Elo of A over B: {best} (95 % interval {least} to {most})"]
    if series.test is not None:
        test, ratio = series.test, series.test.ratio(series.counts)
        low, high = test.bounds
        decided = series.is_decided
        verdict = "not decided"
        if decided is not None:
            verdict = f"A is {'' if decided else 'not '}better: elo{int(decided)} is accepted"
        told.append(
            f"SPRT ({test.model}) of elo0={test.elo0:g}, elo1={test.elo1:g}: {verdict}; log-likelihood ratio "
            f"{ratio:.2f} of {low:.2f} to {high:.2f}"
        )
    return told


def _signed(number: float) -> str:
    """With its sign; 0 has none."""
    text = f"{number:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def _cells(score: SeriesScore) -> tuple[str, ...]:
    low, high = score.interval
    counts = (score.games, score.wins, score.draws, score.losses)
    rate = f"{score.rate:.1%} ({low:.1%} to {high:.1%})"
    return (*(f"{n:,}" for n in counts), rate, f"{score.points:.1%}")


def _hint(series: Series, program: str) -> str | None:
    """The mistake that lost a game: the first of which a longer search finds a better move, else the first; below, the
    commands that say why."""
    found: list[tuple[int, LosingMove]] = []
    for game, standing in series.lost:
        with tempfile.TemporaryDirectory() as folder:
            match = series.match_of(LostGame(game, standing), Path(folder) / "game")
            mistake = mistake_of(match, standing)
        if mistake is not None:
            found.append((game.search + standing.moves.index(mistake.move), mistake))
    if not found:
        return None
    number, mistake = min(found, key=lambda pair: pair[1].more is None)
    return (
        f"{mistake}. See why:\n  {program} extract {series.path} {number} -o lost.mcts\n"
        f"  {program} explain lost.mcts"
    )


def mistake_line(folder: Path, mistake: LosingMove, program: str) -> str:
    """The words, and the command that shows the search."""
    path = folder / (mistake.move.trace or "")
    return f"{mistake}. See why: {program} explain {path}"
