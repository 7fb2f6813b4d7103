"""`mcts-viz export FILE --at T -o OUT`: a snapshot as a file for other programs."""

from __future__ import annotations

import argparse
from typing import Any

from mcts_viz import api
from mcts_viz.export.formats import FORMATS, write


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("export", help="write a snapshot as " + ", ".join(FORMATS))
    parser.add_argument("file", metavar="FILE", help="a trace, or a snapshot's .json")
    parser.add_argument("--at", type=int, metavar="T", help="iteration (default: the last one)")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="the suffix is the format"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export, and say what."""
    trace = api.open(options.file)
    snapshot = trace.at(trace.n_iterations if options.at is None else options.at)
    path = write(snapshot, options.output)
    print(f"{path}: {snapshot.n_nodes:,} nodes at iteration {snapshot.iteration:,}")
    return 0
