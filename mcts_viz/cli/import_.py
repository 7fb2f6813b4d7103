"""`mcts-viz import IN -o FILE`: what another program has written about its search, as a trace."""

from __future__ import annotations

import argparse
import sys

from mcts_viz.cli.interrupting import INTERRUPTED
from mcts_viz.cli.search_options import add_sync
from mcts_viz.errors import ImportFormatError, UnknownFormatError
from mcts_viz.importing.formats import IMPORTERS, import_trace
from mcts_viz.importing.import_report import ImportReport
from mcts_viz.importing.record_fields import MEANINGS
from mcts_viz.trace.words import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "sources", nargs="+", metavar="IN", help="a file, or - for the standard input"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the trace to write, such as run.mcts"
    )
    known = "; ".join(f"{name}: {importer.title}" for name, importer in IMPORTERS.items())
    parser.add_argument(
        "--format",
        choices=list(IMPORTERS),
        help=f"format of the input (default: recognised from its beginning): {known}",
    )
    parser.add_argument(
        "--lenient", action="store_true", help="skip bad lines, count them, and say which"
    )
    parser.add_argument(
        "--fields",
        metavar="MEANING=NAME,…",
        help=f"the names of the fields in a log whose records name their parents, such as "
        f"id=uid,parent=mother,value=-loss; meanings: {', '.join(MEANINGS)}",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="strike out secrets (keys, tokens, passwords) in the texts of a log of records",
    )
    add_sync(parser)


def run(options: argparse.Namespace) -> int:
    """Import, and say what came of it."""
    try:
        report = import_trace(
            options.sources,
            options.output,
            format=options.format,
            lenient=options.lenient,
            sync=options.sync,
            fields=_fields(options.fields),
            redact=options.redact,
        )
    except UnknownFormatError as err:
        raise UnknownFormatError(
            f"{err}; choose one with --format, or name the fields of a log of records with --fields"
        ) from err
    except KeyboardInterrupt:
        print(
            f"mcts-viz: stopped; {options.output} holds what had been read by then", file=sys.stderr
        )
        return INTERRUPTED
    if options.redact:
        print(f"mcts-viz: {plural(report.n_redacted, 'secret')} struck out", file=sys.stderr)
    for line in skipped(report):
        print(f"mcts-viz: {line}", file=sys.stderr)
    print(
        f"{options.output}: {plural(report.n_iterations, 'iteration')}, {plural(report.n_nodes, 'node')}"
        f"{'' if report.n_iterations else ' (the input holds no event, only what comes before the first)'}. "
        f"Look at it: {options.program} show {options.output}"
    )
    return 0


def _fields(given: str | None) -> dict[str, str] | None:
    """The names of fields, as they were typed."""
    if not given:
        return None
    pairs = [each.partition("=") for each in given.split(",")]
    for meaning, equals, name in pairs:
        if not (equals and name.strip()):
            raise ImportFormatError(
                f"--fields: {meaning!r} has no name; write meaning=name, such as parent=parent_id"
            )
    return {meaning.strip(): name.strip() for meaning, _, name in pairs}


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
