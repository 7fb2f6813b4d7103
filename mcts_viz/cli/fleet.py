"""`mcts-viz fleet …`: tables of all searches in a folder; built, asked, kept in order."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa

from mcts_viz.cli.check import EXIT_ERRORS, as_json, counted, told
from mcts_viz.cli.numbers import whole_from
from mcts_viz.errors import TraceError
from mcts_viz.export.destination import write_chunks
from mcts_viz.fleets.answer import lines
from mcts_viz.fleets.difference import DETAILS
from mcts_viz.fleets.query import fetched
from mcts_viz.fleets.questions.registry import QUESTIONS
from mcts_viz.fleets.workers import BACKENDS
from mcts_viz.many import Fleet, fleet
from mcts_viz.trace.words import plural


class Action(NamedTuple):
    """One of the commands."""

    words: str
    add: Callable[[argparse.ArgumentParser], None] | None  # what it takes beside the folder
    run: Callable[[argparse.Namespace], int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the commands take."""
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")
    for name, (words, add, _) in ACTIONS.items():
        action = actions.add_parser(name, help=words)
        action.add_argument(
            "folder",
            metavar="FOLDER",
            help="a folder of traces, or an address such as s3://bucket/runs",
        )
        if add is not None:
            add(action)


def run(options: argparse.Namespace) -> int:
    """Do it."""
    return ACTIONS[options.action].run(options)


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs", type=int, default=-1, metavar="N", help="processes (default: one a core)"
    )
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default="loky",
        help="what runs the processes (default: %(default)s)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of Dask's scheduler, such as tcp://10.0.0.1:8786",
    )
    parser.add_argument(
        "--truth",
        type=whole_from(0),
        default=0,
        metavar="N",
        help="solve the moves, looking at N positions for each",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def _build(options: argparse.Namespace) -> int:
    built = fleet(
        options.folder, options.jobs, options.backend, options.scheduler,
        truth=options.truth, progress=not options.quiet,
    )  # fmt: skip
    table = built.searches
    failed = table.num_rows - table["error"].null_count
    words = [plural(table.num_rows, "search", "searches"), f"{failed:,} with an error in the file"]
    print(f"{options.folder}: {', '.join(words if failed else words[:1])}")
    return 0


def _compact(options: argparse.Namespace) -> int:
    before, after = Fleet(options.folder, scanned=False).compact()
    print(f"{options.folder}: {plural(before, 'part')} became {after:,}")
    return 0


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="RUN", help="a run of the fleet: a folder in it")


def _add_delete(parser: argparse.ArgumentParser) -> None:
    _add_run(parser)
    parser.add_argument("--yes", action="store_true", help="really delete its traces and rows")


def _delete(options: argparse.Namespace) -> int:
    kept = Fleet(options.folder, scanned=False)
    files = kept.files_of(options.name)
    told = f"run {options.name!r}: {plural(len(files), 'trace file')} and their rows"
    if not options.yes:
        raise TraceError(f"{told} would be deleted; add --yes to do so")
    kept.delete_run(options.name)
    print(f"{told} are deleted")
    return 0


def _add_tag(parser: argparse.ArgumentParser) -> None:
    _add_run(parser)
    parser.add_argument(
        "tags", metavar="TAG", nargs="*", help="the run's new tags; none given: remove all"
    )


def _tag(options: argparse.Namespace) -> int:
    kept = Fleet(options.folder, scanned=False)
    kept.tag_run(options.name, options.tags)
    for run, tags in {options.name: [], **kept.tags}.items():
        print(f"{run}: {', '.join(tags) or 'no tags'}")
    return 0


def _fresh(options: argparse.Namespace) -> Fleet:
    """The fleet, brought up to date."""
    return fleet(options.folder, -1, progress=True)


def _add_sql(parser: argparse.ArgumentParser) -> None:
    words = "SQL over the tables searches, moves, findings and runs"
    parser.add_argument("query", metavar="QUERY", help=words)
    _add_csv(parser)


def _add_csv(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--csv", action="store_true", help="print all rows, as CSV")


def _sql(options: argparse.Namespace) -> int:
    asked = _fresh(options)  # has to live as long as what it is asked
    table = fetched(asked.sql(options.query))
    print(_csv(table) if options.csv else "\n".join(lines(table)))
    return 0


def _csv(table: pa.Table) -> str:
    sink = io.StringIO()
    rows = csv.writer(sink, lineterminator="\n")
    rows.writerow(table.column_names)
    rows.writerows(zip(*(column.to_pylist() for column in table.columns)))
    return sink.getvalue().rstrip("\n")


def _add_ask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the question (default: list all questions)"
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="also write the picture, as HTML")
    _add_csv(parser)


def _ask(options: argparse.Namespace) -> int:
    if options.name is None:
        print("\n".join(f"{each.name}: {each.sentence}" for each in QUESTIONS.values()))
        return 0
    if options.output is not None and not options.output.lower().endswith((".html", ".htm")):
        raise TraceError(
            f"-o {options.output}: the picture is an HTML file; name one such as votes.html"
        )
    answer = _fresh(options).ask(options.name)
    print(_csv(answer.table) if options.csv else answer)
    if options.output is not None:
        page = answer.figure().to_html(include_plotlyjs=True)
        write_chunks(options.output, [page.encode()])
    return 0


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def _check(options: argparse.Namespace) -> int:
    found = _fresh(options).check()
    if options.json:
        print(json.dumps([as_json(each) for each in found], ensure_ascii=False, indent=2))
    else:
        for each in found:
            print("\n    ".join(told(each)))
        print(f"{options.folder}: {counted(found)}")
    return EXIT_ERRORS if any(each.severity == "error" for each in found) else 0


def _add_diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("other", metavar="OTHER", help="the other fleet")
    parser.add_argument(
        "--top",
        type=whole_from(0),
        default=DETAILS,
        metavar="N",
        help="pairs of searches to look into (default: %(default)s)",
    )
    parser.add_argument(
        "--markdown", action="store_true", help="print Markdown, as for a pull request"
    )
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 where they differ")


def _diff(options: argparse.Namespace) -> int:
    a, b = (fleet(folder, -1, progress=True) for folder in (options.folder, options.other))
    found = a.diff(b, options.top)
    print(found.markdown() if options.markdown else found)
    return 1 if options.exit_code and found.table.num_rows else 0


ACTIONS = {
    "build": Action("build the tables, or bring them up to date", _add_build, _build),
    "sql": Action("ask the tables in SQL", _add_sql, _sql),
    "ask": Action(
        "ask a stored question: its rows, its picture, and what they show to be wrong",
        _add_ask,
        _ask,
    ),
    "check": Action(
        "name what is wrong across searches; exit code 1 for an error", _add_check, _check
    ),
    "diff": Action("compare the searches of two fleets: A is FOLDER, B is OTHER", _add_diff, _diff),
    "compact": Action("merge the many small files of the tables into a few", None, _compact),
    "tag": Action("give a run its tags, which the table `runs` shows", _add_tag, _tag),
    "delete": Action("delete the traces and the rows of a run", _add_delete, _delete),
}
