"""`mcts-viz rerun FILE -o OUT`: what if: the same position searched again with something changed."""

from __future__ import annotations

import argparse

from mcts_viz import api
from mcts_viz.analysis.comparison.trees import compare_at, match
from mcts_viz.cli.interrupting import asked_to_stop
from mcts_viz.cli.opening import opened
from mcts_viz.cli.search_options import add_search_options, add_sync, search_options, tell_memory
from mcts_viz.engine.presets import PRESETS
from mcts_viz.runs.rerun import check_other_file, prepare_again
from mcts_viz.runs.search import record_search


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", help="a trace")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="the new trace")
    parser.add_argument("--preset", help=f"another preset, one of: {', '.join(PRESETS)}")
    parser.add_argument(
        "--resume",
        type=int,
        metavar="T",
        help="go on from the tree after iteration T instead of starting anew",
    )
    add_search_options(
        parser,
        "budget (default: as many as the trace has)",
        "another seed (default: the trace's own)",
    )
    add_sync(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no comparison")


def run(options: argparse.Namespace) -> int:
    """Search, then say how it differs."""
    before = opened(options.file)
    check_other_file(before.path, options.output)
    planned = prepare_again(before, search_options(options), options.resume)
    tell_memory(planned.search)
    with asked_to_stop() as stop:
        after = record_search(
            planned, api.Trace, options.output, not options.quiet, stop, sync=options.sync
        )
    if not options.quiet:
        print(compare_at(match(before, after)))
    return 0
