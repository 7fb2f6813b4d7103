"""`mcts-viz explain FILE --at T --node V --why-not MOVE`: why a move, in words or as JSON."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from mcts_viz import api

WIDTH = 100  # characters of a line


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("explain", help="say why a move was chosen, or another one not")
    parser.add_argument("file", metavar="FILE", help="a trace, or a snapshot's .json")
    parser.add_argument("--at", type=int, metavar="T", help="iteration (default: the last one)")
    parser.add_argument(
        "--node", type=int, default=0, metavar="V", help="whose move (default: the root's)"
    )
    parser.add_argument("--why-not", metavar="MOVE", help="a move that was not chosen")
    parser.add_argument(
        "--truth", action="store_true", help="solve the position, too: is the choice a mistake?"
    )
    parser.add_argument("--json", action="store_true", help="all of it as data")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain, and print it."""
    told = api.open(options.file).explain(
        options.at, options.node, options.why_not, truth=options.truth
    )
    if options.json:
        print(json.dumps(told.as_json(), ensure_ascii=False, allow_nan=False, indent=2))
    else:
        print("\n\n".join(textwrap.fill(line, WIDTH) for line in str(told).split("\n")))
    return 0
