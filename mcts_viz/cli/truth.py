"""`mcts-viz truth FILE --at T --limit N`: whether the move chosen is right, solved exactly."""

from __future__ import annotations

import argparse
import json
import textwrap

from mcts_viz.cli.explain import WIDTH
from mcts_viz.cli.numbers import whole_from
from mcts_viz.cli.opening import add_memory, opened


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", help="a trace, or a snapshot's .json")
    parser.add_argument("--at", type=int, metavar="T", help="iteration (default: the last one)")
    parser.add_argument(
        "--node",
        type=int,
        default=0,
        metavar="V",
        help="node whose moves are valued (default: the root)",
    )
    parser.add_argument(
        "--limit", type=whole_from(1), metavar="N",
        help="most positions to look at (default: what takes about three seconds)",
    )  # fmt: skip
    add_memory(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: argparse.Namespace) -> int:
    """Solve, and print it."""
    trace = opened(options.file, options.memory)
    told = trace.truth(options.at, options.node, limit=options.limit)
    if options.json:
        print(json.dumps(told.as_json(), ensure_ascii=False, allow_nan=False, indent=2))
    else:
        print("\n\n".join(textwrap.fill(line, WIDTH) for line in str(told).split("\n")))
    return 0
