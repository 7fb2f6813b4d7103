"""`mcts-viz export FILE --at T -o OUT`: a snapshot for other programs or as a picture, the whole trace as events, or
the search as one HTML file that steps by itself."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from mcts_viz import api
from mcts_viz.export import events
from mcts_viz.export.destination import write_chunks
from mcts_viz.export.formats import FORMATS, write

STEPS = (".html", ".htm")


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help=f"write a snapshot as {', '.join(FORMATS)}, the whole trace as {events.SUFFIX}, "
        "or its search as .html",
    )
    parser.add_argument("file", metavar="FILE", help="a trace, or a snapshot's .json")
    parser.add_argument("--at", type=int, metavar="T", help="iteration (default: the last one)")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="the suffix is the format"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export, and say what."""
    trace = api.open(options.file)
    if Path(options.output).suffix.lower() in STEPS:
        trace.to_html(options.output, options.at)
        size = Path(options.output).stat().st_size
        print(f"{options.output}: steps by itself in any browser, {size / 1e6:.1f} MB")
        return 0
    if Path(options.output).suffix.lower() == events.SUFFIX:
        last = trace.n_iterations if options.at is None else options.at
        path = write_chunks(options.output, events.event_chunks(trace, last))
        print(f"{path}: {last:,} iterations")
        return 0
    snapshot = trace.at(trace.n_iterations if options.at is None else options.at)
    path = write(snapshot, options.output)
    print(f"{path}: {snapshot.n_nodes:,} nodes at iteration {snapshot.iteration:,}")
    return 0
