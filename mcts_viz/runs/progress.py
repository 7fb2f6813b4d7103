"""A progress bar for a search in the terminal: a consumer of chunks that shows how far the search has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from mcts_viz.engine.budget import Budget
from mcts_viz.engine.search import Chunk, Search
from mcts_viz.health.steps import CheckProgress
from mcts_viz.trace.words import plural

BETWEEN_LINES = 20.0  # seconds between two lines of a check that no terminal shows
Told = Callable[[int, int], None]  # searches done, and of how many


class SearchProgress(NamedTuple):
    """How far a running search has come."""

    iterations: int  # done
    nodes: int
    seconds: float  # since it began
    share: float  # of its budget, in [0, 1], by the limit that is nearest
    n_iterations: int | None  # that it may run; None: no limit


def progress_of(search: Search, chunk: Chunk) -> SearchProgress:
    """How far the search has come with this chunk."""
    done, nodes = chunk.first + chunk.n, int(chunk.tree.size[0])
    seconds = float(chunk.log.elapsed[chunk.n - 1]) / 1e9
    share = search.budget.share(done, seconds, nodes)
    return SearchProgress(done, nodes, seconds, share, search.budget.iterations)


@contextmanager
def progress_bar(search: Search, shown: bool) -> Iterator[Callable[[Chunk], None]]:
    """A function to call with every chunk. The bar is as long as the part of the budget that is used
    up, by the limit that is nearest, and says in what time the rest will be, at the speed so far; it
    is not for files and pipes."""
    console = Console(stderr=True)
    if not (shown and (console.is_terminal or console.is_jupyter)):
        yield lambda chunk: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        begins = "compiling the search" if search.worth_compiling() else "searching"
        task = bar.add_task(begins, total=1.0)

        def advance(chunk: Chunk) -> None:
            now = progress_of(search, chunk)
            words = progress_words(search.budget, now.iterations, now.nodes)
            bar.update(task, completed=now.share, description=words)

        yield advance


def progress_words(budget: Budget, done: int, nodes: int) -> str:
    """What has been done, and of how much."""
    most = budget.iterations
    told = plural(done, "iteration") if most is None else f"{done:,} of {plural(most, 'iteration')}"
    return f"{told}, {plural(nodes, 'node')}"


@contextmanager
def bar_of_check(shown: bool) -> Iterator[CheckProgress]:
    """A bar for each step of a check; in files and pipes a line now and then, once it takes long."""
    console = Console(stderr=True)
    if not shown:
        yield lambda words, share: None
        return
    if not (console.is_terminal or console.is_jupyter):
        yield lines_of_check(console.print)
        return
    columns = (TextColumn("checking: {task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda words, share: bar.update(task, completed=share, description=words)


def lines_of_check(
    tell: Callable[[str], object], clock: Callable[[], float] = time.monotonic
) -> CheckProgress:
    """What tells what a check looks at, at most once in `BETWEEN_LINES` seconds."""
    told = clock()

    def line(words: str, share: float) -> None:
        nonlocal told
        if clock() - told >= BETWEEN_LINES:
            told = clock()
            tell(f"checking: {words}, {share:.0%}")

    return line


@contextmanager
def bar_of_searches(n: int, shown: bool) -> Iterator[Told]:
    """A progress bar, where there is a terminal to show it."""
    console = Console(stderr=True)
    if not (shown and (console.is_terminal or console.is_jupyter)):
        yield lambda done, total: None
        return
    columns = (TextColumn("searches"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("searches", total=n)
        yield lambda done, total: bar.update(task, completed=done)
