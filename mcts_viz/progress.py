"""A progress bar for a search in the terminal: a consumer of chunks that shows what it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)

from mcts_viz.search.engine import Chunk, Search


@contextmanager
def progress_bar(search: Search, shown: bool) -> Iterator[Callable[[Chunk], None]]:
    """A function to call with every chunk. The bar counts iterations, or seconds where that is the
    only budget; it is not for files and pipes."""
    console = Console(stderr=True)
    if not (shown and (console.is_terminal or console.is_jupyter)):
        yield lambda chunk: None
        return
    by_time = search.budget.iterations is None
    total = search.budget.seconds if by_time else search.budget.iterations
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        begins = "compiling the search" if search.worth_compiling() else "searching"
        task = bar.add_task(begins, total=total)

        def advance(chunk: Chunk) -> None:
            done = chunk.first + chunk.n
            seconds = float(chunk.log.elapsed[chunk.n - 1]) / 1e9
            bar.update(
                task,
                completed=round(seconds, 1) if by_time else done,
                description=f"{done:,} iterations, {int(chunk.tree.size[0]):,} nodes",
            )

        yield advance
