"""`mcts-viz bench SUITE`: is a search still what it was, how strong is it, and is it healthy?"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path

from mcts_viz.api import Trace
from mcts_viz.bench.baseline import (
    BenchDifference,
    check_baseline,
    differences,
    opened_baseline,
    save_results,
)
from mcts_viz.bench.report import difference_lines, report
from mcts_viz.bench.running import BenchResult, run_suite
from mcts_viz.bench.suite import Suite, read_suite
from mcts_viz.errors import SearchError
from mcts_viz.runs.progress import bar_of_searches
from mcts_viz.trace.format import MANY_SUFFIX
from mcts_viz.trace.words import plural

EXIT_BAD = 1  # a difference, or an error that a check has found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("suite", metavar="SUITE", help="a suite (.toml or .json): docs/bench.md")
    parser.add_argument(
        "--against",
        metavar="REF|FILE",
        help="compare with a commit of the suite's repository, or a file of -o: exit code 1 where a search differs",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write all searches into a file of many, such as before.many",
    )
    parser.add_argument(
        "--html", metavar="DIR", help="a page for each search that differs or has an error"
    )


def run(options: argparse.Namespace) -> int:
    """Run the suite, and say what is wrong with its searches."""
    suite = read_suite(options.suite)
    check_options(options, suite)
    n = len(list(suite.tasks))
    with bar_of_searches(n, True) as advance:
        results = run_suite(suite, Trace, lambda done: advance(done, n))
    print("\n".join(report(suite, results)))
    difference = None
    kept = options.output is not None and not _is_same(options.output, options.against)
    if kept:  # whatever becomes of the comparison
        save_results(results, options.output)
    if options.against is not None:
        with opened_baseline(options.against, suite) as baseline:
            difference = differences(results, baseline)
        print("\n".join(difference_lines(difference, options.against)))
    if options.output is not None:
        if not kept:
            save_results(results, options.output)
        print(f"{plural(n, 'search', 'searches')} in {options.output}")
    if options.html is not None:
        for path in write_pages(results, difference, Path(options.html)):
            print(path)
    differs = difference is not None and bool(difference.differ)
    return EXIT_BAD if differs or any(result.errors for result in results) else 0


def check_options(options: argparse.Namespace, suite: Suite) -> None:
    """Raise SearchError or TraceError for what would fail once the suite has run, which may take hours."""
    if options.output is not None:
        if not options.output.lower().endswith(MANY_SUFFIX):
            raise SearchError(
                f"-o {options.output}: a file of many searches; name one such as before.many"
            )
        folder = Path(options.output).parent
        if not (folder.is_dir() and os.access(folder, os.W_OK)) or Path(options.output).is_dir():
            raise SearchError(
                f"-o {options.output}: no file can be written there; name one in a folder that there is"
            )
    if options.html is not None and Path(options.html).is_file():
        raise SearchError(f"--html {options.html}: is a file; name a folder")
    if options.against is not None:
        check_baseline(options.against, suite)


def _is_same(path: str, other: str | None) -> bool:
    return (
        other is not None and Path(other).exists() and Path(path).resolve() == Path(other).resolve()
    )


def write_pages(
    results: Sequence[BenchResult], difference: BenchDifference | None, folder: Path
) -> list[Path]:
    """One HTML file for each search that differs or has an error, around that iteration."""
    folder.mkdir(parents=True, exist_ok=True)
    differ = [] if difference is None else difference.differ
    written = []
    for number, (task, trace, *_) in enumerate(results, start=1):
        errors = results[number - 1].errors
        if not isinstance(trace, Trace) or not (errors or task.name in differ):
            continue
        at = errors[0]["iteration"] if errors else None
        if difference is not None and difference.first is not None and task.name == differ[0]:
            at = difference.first.iteration
        plain = re.sub(r"\W+", "-", task.name).strip("-")[:80]
        path = folder / f"{number:03}-{plain}.html"
        trace.to_html(path, trace.n_iterations if at is None else min(int(at), trace.n_iterations))
        written.append(path)
    return written
