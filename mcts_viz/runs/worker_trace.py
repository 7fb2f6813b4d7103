"""The search of one of several workers by itself: run again with the worker's seed, and held against what was recorded.

The trace of a root-parallel search adds the workers' trees up, so it does not have the statistics by which each of them
has chosen. These follow from the worker's seed, as a search does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcts_viz import games
from mcts_viz.errors import TraceError
from mcts_viz.games.position import StartPosition
from mcts_viz.health.checking import check_trace, check_workers
from mcts_viz.health.finding import Finding
from mcts_viz.health.steps import CheckProgress, KeptResults, Steps, kept_results
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.recorder import AnyTrace
from mcts_viz.runs.rerun import prepare_again
from mcts_viz.runs.search import record_search
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Ints, Numbers, is_whole

AT_ONCE = 1 << 16  # iterations


def of_worker(
    trace: Trace,
    worker: int,
    make: Callable[..., AnyTrace],
    game: games.Game | games.FlatGame | None = None,
) -> AnyTrace:
    """The trace, which `make` makes, of a worker's search. Raises TraceError where the trace has no such worker, or its
    iterations are not those that the search gives, SearchError where the game's rules are not known."""
    seeds = trace.meta.worker_seeds or ()
    if not is_whole(worker) or not 0 <= worker < len(seeds):
        there = (
            f"choose one from 0 to {len(seeds) - 1}"
            if seeds
            else "it was made by one search, so look at it itself"
        )
        raise TraceError(f"worker {worker!r} is not one of this trace's; {there}")
    when = iterations_of_worker(trace, worker)
    if not len(when):
        raise TraceError(f"worker {worker} has made no iteration of this trace; choose another one")
    recorded = trace.columns.rollout.recorded
    options = SearchOptions(iterations=len(when), seed=seeds[worker], workers=1, rollouts=recorded)
    planned = prepare_again(trace, options, None, game)
    note = f"Worker {worker} of {len(seeds)}, whose trace it was taken from; {len(when):,} iterations, run again."
    found = record_search(planned._replace(about={**planned.about, "notes": [note]}), make)
    if not _is_same(trace, found, when):
        raise TraceError(
            f"the iterations of worker {worker} are not those that its seed gives: another version of mcts_viz, or of "
            "the game, has recorded them; search again"
        )
    return found


def check_search(
    trace: Trace,
    rules: StartPosition | None = None,
    played: int | None = None,
    game: games.Game | games.FlatGame | None = None,
    told: CheckProgress | None = None,
) -> list[Finding]:
    """As `check_trace`, of a search by several workers, too: each is checked by itself. told: hears how far the check
    is. Of a long trace it goes on where an earlier one was stopped. Raises as `of_worker` for workers."""
    if not trace.meta.worker_seeds:
        # nobody knows whether rules that are not built in are still the same
        own = "no rules" if rules is None else "the game's rules"
        kept = KeptResults(None) if game is not None else kept_results(trace, own)
        return check_trace(trace, rules, played, Steps(told, kept))
    there = [
        worker
        for worker in range(len(trace.meta.worker_seeds))
        if len(iterations_of_worker(trace, worker))
    ]
    alone = ((worker, of_worker(trace, worker, Trace, game)) for worker in there)
    return check_workers(trace, alone, rules, played)


def iterations_of_worker(trace: Trace, worker: int) -> Ints:
    """The iterations that a worker has made, rising."""
    told = trace.columns.worker
    if told is None:
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.asarray(told[: trace.n_iterations]) == worker) + 1


def _is_same(trace: Trace, own: Trace, when: Ints) -> bool:
    """Whether the worker's own iterations made these moves and values."""
    if own.n_iterations != len(when):
        return False
    for begin in range(0, len(when), AT_ONCE):
        some = np.arange(begin, min(begin + AT_ONCE, len(when)))
        for mine, its in zip(_told(trace, when[some]), _told(own, some + 1)):
            if not np.array_equal(mine, its, equal_nan=True):
                return False
    return True


def _told(trace: Trace, when: Ints) -> tuple[Numbers, Numbers, Numbers]:
    """Outcomes, moves on the way to the nodes updated, and their values, of some iterations, rising."""
    columns = trace.columns
    offset = np.asarray(columns.updates.offset[int(when[0]) - 1 : int(when[-1]) + 1]).astype(
        np.int64
    )
    rows = slice(int(offset[0]), int(offset[-1]))
    mine = np.zeros(len(offset) - 1, np.bool_)
    mine[when - when[0]] = True
    here = np.repeat(mine, np.diff(offset))
    node, value = columns.updates.node[rows][here], columns.updates.value[rows][here]
    return columns.outcome[when - 1], columns.nodes.action[node], value
