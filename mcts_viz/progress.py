"""A progress bar for a search in the terminal: a consumer of chunks that shows what it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from mcts_viz.search.budget import Budget
from mcts_viz.search.engine import Chunk, Search


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
            done, nodes = chunk.first + chunk.n, int(chunk.tree.size[0])
            seconds = float(chunk.log.elapsed[chunk.n - 1]) / 1e9
            bar.update(
                task,
                completed=search.budget.share(done, seconds, nodes),
                description=progress_words(search.budget, done, nodes),
            )

        yield advance


def progress_words(budget: Budget, done: int, nodes: int) -> str:
    """What has been done, and of how much."""
    total = "" if budget.iterations is None else f" of {budget.iterations:,}"
    return f"{done:,}{total} iterations, {nodes:,} nodes"
