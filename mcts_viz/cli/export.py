"""`mcts-viz export FILE --at T -o OUT`: a snapshot for other programs or as a picture, the whole trace as events, or
the search as one HTML file that steps by itself."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcts_viz.cli.opening import add_memory, opened
from mcts_viz.errors import ExportError
from mcts_viz.export import events
from mcts_viz.export.destination import write_chunks
from mcts_viz.export.formats import FORMATS, write
from mcts_viz.trace.words import plural

STEPS = (".html", ".htm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", help="a trace, or a snapshot's .json")
    parser.add_argument("--at", type=int, metavar="T", help="iteration (default: the last one)")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help=f"the suffix chooses the format: {', '.join(FORMATS)} for the snapshot, {events.SUFFIX} for the "
        "whole trace, .html for a page that steps through the search",
    )
    add_memory(parser)


def run(options: argparse.Namespace) -> int:
    """Export, and say what."""
    suffix = Path(options.output).suffix.lower()
    if suffix not in (*FORMATS, events.SUFFIX, *STEPS):
        problem = f"{suffix} is not known" if suffix else "it has none"
        raise ExportError(
            f"-o {options.output}: the suffix chooses the format, and {problem}; use one of: "
            f"{', '.join(FORMATS)} (a snapshot), {events.SUFFIX} (the whole trace), .html (a page that steps)"
        )
    trace = opened(options.file, options.memory)
    if suffix in STEPS:
        trace.to_html(options.output, options.at)
        size = Path(options.output).stat().st_size
        print(f"{options.output}: steps by itself in any browser, {size / 1e6:.1f} MB")
        return 0
    if suffix == events.SUFFIX:
        last = trace.n_iterations if options.at is None else options.at
        path = write_chunks(options.output, events.event_chunks(trace, last))
        print(f"{path}: {plural(last, 'iteration')}")
        return 0
    snapshot = trace.at(trace.n_iterations if options.at is None else options.at)
    path = write(snapshot, options.output)
    print(f"{path}: {plural(snapshot.n_nodes, 'node')} at iteration {snapshot.iteration:,}")
    return 0
