"""How commands open a trace: in how much memory, and with a word on one that is not whole."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TimeRemainingColumn

from mcts_viz import api
from mcts_viz.cli.numbers import whole_from
from mcts_viz.errors import MctsVizError
from mcts_viz.trace.index.opening import lacks_index, make_index
from mcts_viz.trace.index.plain import NotCoveredError
from mcts_viz.trace.memory import MEGABYTE
from mcts_viz.trace.reader import TraceFile


def add_memory(parser: argparse.ArgumentParser) -> None:
    """The option for files that unpack to more than the default."""
    parser.add_argument(
        "--memory",
        type=whole_from(1),
        metavar="MB",
        help="what a trace may unpack to, in megabytes (default: a quarter of the machine's memory)",
    )


def opened(file: str, memory: int | None = None) -> api.Trace:
    """The trace; how far a recording that broke off or is damaged can be read goes to stderr, so that it does
    not mix with the command's own output."""
    index_if_long(Path(file), memory)
    trace = api.open(file, memory=memory)
    if not trace.complete:
        print(f"mcts-viz: {file}: {trace.status}", file=sys.stderr)
    return trace


def index_if_long(file: Path, memory: int | None = None) -> None:
    """Make the index of a long trace that has none. Errors are left to the code that opens the
    trace."""
    with contextlib.suppress(MctsVizError, NotCoveredError, OSError):
        if file.is_file() and lacks_index(TraceFile(file, _bytes(memory))):
            index_with_bar(file, memory)


def index_with_bar(file: Path, memory: int | None = None) -> Path:
    """Make the index of a trace, with a progress bar where there is a terminal, and give its place."""
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:-1], TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(f"index of {file.name}", total=1.0)
        return make_index(file, lambda share: bar.update(task, completed=share), _bytes(memory))


def _bytes(memory: int | None) -> int | None:
    return None if memory is None else memory * MEGABYTE
