"""`mcts-viz import IN -o FILE`: what another program has written about its search, as a trace."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from mcts_viz.adapters.import_report import ImportReport
from mcts_viz.importing import IMPORTERS, import_trace

INTERRUPTED = 130


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "import", help="write a trace from another program's events or logs"
    )
    parser.add_argument(
        "sources", nargs="+", metavar="IN", help="a file, or - for what comes through a pipe"
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the trace, run.mcts")
    known = "; ".join(f"{name}: {importer.title}" for name, importer in IMPORTERS.items())
    parser.add_argument(
        "--format", choices=list(IMPORTERS), help=f"told by how the input begins, else: {known}"
    )
    parser.add_argument(
        "--lenient", action="store_true", help="skip bad lines, count them, and say which"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Import, and say what came of it."""
    try:
        report = import_trace(
            options.sources, options.output, format=options.format, lenient=options.lenient
        )
    except KeyboardInterrupt:
        print(f"mcts-viz: stopped; {options.output} holds what had come by then", file=sys.stderr)
        return INTERRUPTED
    for line in skipped(report):
        print(f"mcts-viz: {line}", file=sys.stderr)
    print(
        f"{options.output}: {report.n_iterations:,} iterations, {report.n_nodes:,} nodes. "
        f"Look at it: {options.program} show {options.output}"
    )
    return 0


def skipped(report: ImportReport) -> list[str]:
    """What was left out, for the person."""
    if not report.n_skipped:
        return []
    told = list(report.skipped)
    if report.n_skipped > len(told):
        told.append(f"… and {report.n_skipped - len(told):,} more")
    total = f"skipped {report.n_skipped:,} of {report.n_lines:,} lines"
    if report.n_dependent:
        total += f", {report.n_dependent:,} of them because they name nodes that are not certain any more"
    told.append(total)
    if report.given_up:
        told.append(report.given_up)
    return told
