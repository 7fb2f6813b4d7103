"""Many short searches into one file, or into one a worker: `mcts_viz.search_many`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import joblib

from mcts_viz.errors import SearchError
from mcts_viz.runs.jobs import deaf_to_interrupts, killed_in_words
from mcts_viz.runs.options import search_options
from mcts_viz.runs.search import PlannedSearch, prepare, record_search
from mcts_viz.trace.many_file import ManyFile, PartedTraces
from mcts_viz.trace.many_writer import ManyWriter
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document, ReadDocument

AnyTrace = TypeVar("AnyTrace", bound=Trace)


def run_searches(
    searches: Iterable[ReadDocument],
    path: str | Path,
    jobs: int,
    make: Callable[..., AnyTrace],
) -> Sequence[AnyTrace]:
    """Run them and write them to `path`, in the order given; with several jobs to PATH-1.many, PATH-2.many, …, one
    for each, in the same order. Raises SearchError for what cannot be run, before any is."""
    wanted = [_checked(place, each) for place, each in enumerate(searches)]
    path = Path(path)
    if not isinstance(jobs, int) or jobs < 1:
        raise SearchError(f"jobs={jobs!r} is no number of processes; write 1 or more")
    jobs = min(jobs, len(wanted)) or 1
    if jobs == 1:
        _run(wanted, path)
        return ManyFile(path, None, make)
    size = -(-len(wanted) // jobs)
    parts = [wanted[first : first + size] for first in range(0, len(wanted), size)]
    paths = [path.with_name(f"{path.stem}-{n}{path.suffix}") for n in range(1, len(parts) + 1)]
    work = joblib.Parallel(n_jobs=len(parts), return_as="generator", batch_size=1)
    with deaf_to_interrupts(len(parts)):  # begins the processes
        parts_done = work(joblib.delayed(_run)(*each) for each in zip(parts, paths))
    with killed_in_words(
        lambda: f"the searches that were over are kept in {paths[0]} and the files beside it"
    ):
        list(parts_done)
    return PartedTraces([ManyFile(each, None, make) for each in paths])


def _run(searches: Sequence[ReadDocument], path: Path) -> None:
    with ManyWriter(path) as many:
        for each in searches:
            many.append(record_search(_planned(each), Trace))


def _planned(search: ReadDocument) -> PlannedSearch:
    given: Document = dict(search)
    game = given.pop("game")
    return PlannedSearch(prepare(game, search_options(given.pop("preset", "uct"), **given)))


def _checked(place: int, search: object) -> ReadDocument:
    if not isinstance(search, Mapping) or "game" not in search:
        raise SearchError(
            f"searches[{place}] is {str(search)[:60]!r}; write the keywords of mv.search as a dict: "
            '{"game": "tic_tac_toe", "iterations": 50, "seed": 1}'
        )
    try:
        _planned(search)
    except TypeError as err:
        raise SearchError(f"searches[{place}]: {err}") from err
    return search
