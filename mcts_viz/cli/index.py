"""`mcts-viz index FILE`: the index of a long trace, made before anybody opens it."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcts_viz.cli.opening import add_memory, index_with_bar
from mcts_viz.errors import TraceError
from mcts_viz.trace.index.opening import LONG
from mcts_viz.trace.index.plain import NotCoveredError
from mcts_viz.trace.memory import MEGABYTE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", help="a trace")
    add_memory(parser)


def run(options: argparse.Namespace) -> int:
    """Make it, and say where it is."""
    try:
        index = index_with_bar(Path(options.file), options.memory)
    except NotCoveredError as why:
        raise TraceError(
            f"{options.file}: cannot have an index, for {why}; it is opened without one, and takes more memory"
        ) from why
    size = index.stat().st_size
    told = f"{size / MEGABYTE:,.0f} MB" if size >= MEGABYTE else f"{size / 1_000:,.0f} kB"
    print(f"{index}: {told}; traces of {LONG:,} iterations or more open with their index")
    return 0
