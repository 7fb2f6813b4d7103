"""Many searches as users see them: in one file, and as a fleet, whose tables are built from all files of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mcts_viz.api import Trace
from mcts_viz.arguments import names_wrong_arguments
from mcts_viz.fleets.fleet import SearchFleet
from mcts_viz.fleets.workers import HERE, Workers
from mcts_viz.games import FlatGame, Game, any_game
from mcts_viz.runs.elo import sequential_test
from mcts_viz.runs.many_searches import run_searches
from mcts_viz.runs.options import search_options
from mcts_viz.runs.progress import bar_of_searches
from mcts_viz.runs.series import Series
from mcts_viz.trace import many_file
from mcts_viz.types import ReadDocument


class ManyTraces(many_file.ManyFile[Trace]):
    """The searches in a file, by number: `traces[3]`, `len(traces)`, `for trace in traces`. Each is read when it is
    asked for. Raises TraceError naming file, place and remedy.

    damage: what is wrong with the file, and how much is lost; None: nothing. index: an Arrow table of what is known
    of each search without reading it: iterations, nodes, complete, and where it lies.
    """

    def __init__(self, path: str | Path, memory: int | None = None) -> None:
        """memory: megabytes that a search may unpack to; None: a quarter of the machine's."""
        super().__init__(path, memory, Trace)


@names_wrong_arguments
def search_many(
    searches: Iterable[ReadDocument], path: str | Path, *, jobs: int = 1
) -> Sequence[Trace]:
    """Run many searches and record them into one file, which costs a short one a fraction of a file of its own.

    searches: the keywords of `search` as a dict for each: {"game": "connect_four", "iterations": 50, "seed": 1}.
    path: the file, such as "runs/a.many"; with several jobs one a process: runs/a-1.many, runs/a-2.many, …
    The traces come back as a sequence in the order of the searches, each read when it is asked for; later
    `ManyTraces("runs/a.many")` opens the file again, and `open("runs/a.many", 3)` one search.

    Raises GameError, SearchError or TraceError naming what is wrong, and where.
    """
    return run_searches(searches, path, jobs, Trace)


@names_wrong_arguments
def play_series(
    game: str | FlatGame | Game,
    first: ReadDocument,
    second: ReadDocument,
    folder: str | Path,
    games: int = 200,
    *,
    start: Sequence[str | int] = (),
    openings: Sequence[Sequence[str | int]] = (),
    seed: int = 0,
    jobs: int | None = None,
    sprt: str | None = None,
    progress: bool = False,
) -> Series:
    """Play a series of games between two engines, who take the first move in turn, and keep all their searches.

    first, second: the engines, each the keywords of `search` as a dict: {"preset": "uct", "iterations": 100, "c": 0.5}.
    folder: a new one, for `searches.many` (`ManyTraces` opens it) and `series.json`. games: how many, at most. start:
    moves that all games begin with; openings: lists of moves after these, each played once on either side. The same
    seed and budgets of iterations give the same games. jobs: processes; None: one a core where that pays. sprt: end as
    soon as it is decided whether the first engine is better, "elo0=0 elo1=10 alpha=0.05 beta=0.05". progress: a bar in
    the terminal.

    The series has `.elo` (of the first over the second, with an interval of 95 %), `.score(0)` (wins, draws, losses),
    `.is_decided` (by the test; None: not), and `.played`, the games. Raises GameError, SearchError or ExportError.
    """
    engines = [search_options(**{"preset": "uct", **engine}) for engine in (first, second)]
    test = None if sprt is None else sequential_test([sprt])
    series = Series(
        any_game(game), engines, Path(folder), games,
        start=start, openings=openings, seed=seed, jobs=jobs, test=test,
    )  # fmt: skip
    with bar_of_searches(games, progress) as advance:
        series.play(lambda now: advance(len(now.played), games), lambda: False)
    return series


class Fleet(SearchFleet[Trace]):
    """All searches in a folder, as tables: `searches`, `moves`, `findings`, each an Arrow table that is read when it is
    asked for. `len(fleet)` searches; `open(search_id)` gives one as a trace. docs/fleet.md has the columns."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        workers: Workers = HERE,
        truth: int = 0,
        progress: bool = False,
        scanned: bool = True,
    ) -> None:
        """scanned: False takes the tables as they are; see `fleet`."""
        super().__init__(path, workers, truth, progress, Trace, scanned)


@names_wrong_arguments
def fleet(
    path: str | os.PathLike[str],
    jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    *,
    truth: int = 0,
    progress: bool = False,
) -> Fleet:
    """The fleet of all searches in a folder and below, in .mcts and .many files. Its tables are built, or brought up to
    date: only what is missing or has changed is scanned. They lie in `fleet-tables` there.

    path: a folder, or an address that fsspec knows, such as "s3://bucket/runs". jobs: processes; -1: one for each core.
    backend: "loky" (processes of this machine), "dask" or "ray"; scheduler: address of Dask's, without it the client
    that there is. truth: positions that the solver may look at for each root move of a search that is scanned, for
    `exact_value` and `regret`; 0: only what the searches have proven. progress: show a bar in the terminal.

    A file that is damaged is a row with its `error`. Interrupted, what is done is kept. Raises TraceError.
    """
    return Fleet(path, Workers(jobs, backend, scheduler), truth, progress)
