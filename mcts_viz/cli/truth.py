"""`mcts-viz truth FILE --at T --limit N`: whether the move chosen is right, solved exactly."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from mcts_viz import api
from mcts_viz.cli.explain import WIDTH


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("truth", help="solve the position: is the move chosen right?")
    parser.add_argument("file", metavar="FILE", help="a trace, or a snapshot's .json")
    parser.add_argument("--at", type=int, metavar="T", help="iteration (default: the last one)")
    parser.add_argument(
        "--node", type=int, default=0, metavar="V", help="whose moves (default: the root's)"
    )
    parser.add_argument(
        "--limit", type=int, metavar="N",
        help="positions to look at, at most (default: what takes some three seconds)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="all of it as data")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Solve, and print it."""
    told = api.open(options.file).truth(options.at, options.node, limit=options.limit)
    if options.json:
        print(json.dumps(told.as_json(), ensure_ascii=False, allow_nan=False, indent=2))
    else:
        print("\n\n".join(textwrap.fill(line, WIDTH) for line in str(told).split("\n")))
    return 0
