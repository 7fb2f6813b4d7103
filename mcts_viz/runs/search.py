"""One search: checked before it runs, then run into a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mcts_viz import games
from mcts_viz.analysis.choice.decision import BY_VISITS
from mcts_viz.engine.budget import budget
from mcts_viz.engine.evaluator import evaluator_name
from mcts_viz.engine.presets import policies
from mcts_viz.engine.search import Chunk, Search, restricted, run, search_moves
from mcts_viz.engine.tree import Tree
from mcts_viz.engine.workers import run_workers
from mcts_viz.errors import SearchError
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.progress import SearchProgress, progress_bar, progress_of
from mcts_viz.runs.recorder import AnyTrace, Recorder
from mcts_viz.trace.memory import MEGABYTE, available_memory
from mcts_viz.trace.words import plural
from mcts_viz.trace.writer import checked_sync
from mcts_viz.types import ReadDocument, is_whole

MOST_WORKERS = 256
GIGABYTE = 1024 * MEGABYTE  # as budgets of memory count


class PlannedSearch(NamedTuple):
    """A search to run, and what it goes on with."""

    search: Search
    reused: Tree | None = None  # None: nothing but its start position
    about: ReadDocument = MappingProxyType({})  # more for the new trace's metadata


def prepare(game: games.AnyGame, options: SearchOptions) -> Search:
    """Check everything about a search before it runs; raises MctsVizError naming what is wrong."""
    seed = _checked_seed(options.seed)
    played = games.any_game(game)
    chosen = policies(options.preset or "uct", dict(options.overrides))
    chosen = replace(
        chosen, evaluator=evaluator_name(chosen.evaluator, chosen.needs_evaluator, played)
    )
    if options.decided is True and chosen.final_move not in BY_VISITS:
        raise SearchError(
            f"decided = True is for moves chosen by visits, and final_move is {chosen.final_move}; "
            "give final_move='most_visits' with it, or leave it out"
        )
    if chosen.level is not None and (options.iterations, options.seconds) != (None, None):
        raise SearchError(
            f"level = {chosen.level} says how long to think; leave it out, or iterations and seconds"
        )
    moves = search_moves(played, options.start)
    return Search(
        game=played,
        policies=chosen,
        budget=budget(
            options.iterations,
            options.seconds,
            (chosen.iterations, chosen.seconds),
            options.nodes,
            options.memory,
            options.decided,
        ),
        seed=seed,
        start=moves,
        root_actions=restricted(played, moves, options.force, options.forbid),
        keep_rollouts=options.rollouts,
        compile=options.compile,
        workers=_checked_workers(options),
    )


def _checked_workers(options: SearchOptions) -> int:
    """How many search side by side."""
    n = 1 if options.workers is None else options.workers
    if not is_whole(n) or not 1 <= n <= MOST_WORKERS:
        raise SearchError(
            f"workers = {n!r} is not a whole number from 1 to {MOST_WORKERS}; give as many as there are processors, or "
            "leave it out"
        )
    if n > 1 and options.decided is True:
        raise SearchError(
            "decided = True asks one tree whether its move can still change, and each of several workers has its own; "
            "leave one of decided and workers out"
        )
    if (
        n > 1
        and options.iterations is not None
        and is_whole(options.iterations)
        and options.iterations < n
    ):
        raise SearchError(
            f"{options.iterations} iterations are too few for {n} workers; give at least one for each"
        )
    return int(n)


def _checked_seed(seed: int | None) -> int:
    """The seed as an int; one that is drawn where none is given."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if not is_whole(seed) or seed < 0:
        raise SearchError(
            f"seed = {seed!r} is not a whole number from 0 up; give one, or None to have one drawn"
        )
    return int(seed)


def record_search(
    planned: PlannedSearch,
    trace: Callable[..., AnyTrace],
    path: str | Path | None = None,
    progress: bool = False,
    stop: Callable[[], bool] = lambda: False,
    watch: Callable[[SearchProgress], None] = lambda now: None,
    memory: int | None = None,
    sync: float | None = None,
) -> AnyTrace:
    """Run a search; its trace, which `trace`, a class of traces, makes, and with `path` is in a file
    as well. progress: a bar in the terminal; watch: told after each chunk; memory: megabytes that
    there are for it, whatever its own budget is; sync: seconds between two times that the file is put
    on the disk."""
    search, reused, about = planned
    with (
        Recorder(search, path, reused, about, checked_sync(sync)) as recorder,
        progress_bar(search, shown=progress) as bar,
    ):

        def consume(chunk: Chunk) -> None:
            recorder(chunk)
            bar(chunk)
            watch(progress_of(search, chunk))

        wanted = within(search, memory)
        if search.workers > 1 and reused is None:
            run_workers(wanted, consume, stop, held=recorder.bytes_held)
        else:
            run(wanted, consume, stop, reused=reused, held=recorder.bytes_held)
    return recorder.trace(trace)


def memory_note(search: Search) -> str | None:
    """What to say before a search whose tree may not fit into the memory that there is for it; None where it does."""
    need, limit = search.most_bytes, min(search.budget.memory_bytes, available_memory())
    if need <= limit:
        return None
    iterations = plural(search.budget.iterations or 0, "iteration")
    small = limit < GIGABYTE
    there = f"{limit / MEGABYTE:,.0f} MB" if small else f"{limit / GIGABYTE:,.1f} GB"
    return (
        f"{iterations} of {search.game.name} may need some {max(1, round(need / GIGABYTE)):,} GB for the tree, and "
        f"there are {there} for it: the search ends there, whole as far as it came. Limit the tree by nodes=, or "
        "the memory by memory= (megabytes)"
    )


def within(search: Search, memory: int | None) -> Search:
    """The search, ended when it takes that many megabytes, if not before by its budget."""
    own = search.budget.memory
    if memory is None or (own is not None and own <= memory):
        return search
    return replace(search, budget=search.budget._replace(memory=memory))
