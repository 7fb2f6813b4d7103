"""`mcts-viz compare A B --at T [T]`: two searches, or two iterations of one, in words or as JSON."""

from __future__ import annotations

import argparse
import json

from mcts_viz.analysis.comparison.trees import compare
from mcts_viz.cli.opening import add_memory, opened
from mcts_viz.errors import SearchError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("a", metavar="A", help="a trace")
    parser.add_argument(
        "b", metavar="B", help="another trace; A again to compare two of its iterations"
    )
    parser.add_argument(
        "--at", type=int, nargs="+", metavar="T",
        help="iteration of both, or first that of A, then that of B (default: the last ones)",
    )  # fmt: skip
    add_memory(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: argparse.Namespace) -> int:
    """Compare, and print it."""
    at = options.at or [None]
    if len(at) > 2:
        raise SearchError(
            f"--at {' '.join(map(str, at))}: give one iteration, or one of A and one of B"
        )
    a = opened(options.a, options.memory)
    b = a if options.a == options.b else opened(options.b, options.memory)
    told = compare(a, b, at[0], at[-1])
    if options.json:
        print(json.dumps(told.as_json(), ensure_ascii=False, allow_nan=False, indent=2))
    else:
        print(told)
    return 0
