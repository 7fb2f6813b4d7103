"""`mcts-viz extract FILE NUMBER -o OUT`: one search of a file of many, as a trace of its own."""

from __future__ import annotations

import argparse

from mcts_viz.cli.numbers import whole_from
from mcts_viz.cli.opening import add_memory
from mcts_viz.errors import TraceError
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", help="a file of many searches")
    parser.add_argument(
        "number", metavar="NUMBER", type=whole_from(0), help="number of the search, from 0"
    )
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="the new trace")
    add_memory(parser)


def run(options: argparse.Namespace) -> int:
    """Write it, and say what it is."""
    traces: ManyFile[Trace] = ManyFile(options.file, options.memory)
    try:
        traces.extract(options.number, options.output)
    except IndexError as err:
        raise TraceError(str(err)) from err
    iterations = traces.index["iterations"][options.number].as_py()
    print(
        f"{options.output}: search {options.number:,} of {len(traces):,}, {plural(iterations, 'iteration')}. "
        f"Look at it: {options.program} show {options.output}"
    )
    if traces.damage is not None:
        print(f"{options.file}: {traces.damage}")
    return 0
