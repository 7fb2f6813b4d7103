"""`mcts-viz sensitivity FILE`: how sure a choice is, over a grid of constants and seeds."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mcts_viz.cli.interrupting import asked_to_stop
from mcts_viz.cli.numbers import whole_from
from mcts_viz.cli.opening import add_memory, opened
from mcts_viz.cli.search_options import moves
from mcts_viz.errors import SearchError
from mcts_viz.games import GAMES
from mcts_viz.runs.grid import SEEDS, sensitivity


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("what", metavar="FILE|GAME", help="a trace, or a game's name")
    parser.add_argument("--preset", help="policies (default: the trace's own; uct for a game)")
    parser.add_argument(
        "--c", metavar="X,X", help="values of c (default: a quarter to four times the search's own)"
    )
    parser.add_argument(
        "--seeds", type=whole_from(1), default=SEEDS, metavar="S", help="number of seeds: 1 to S"
    )
    parser.add_argument("--iterations", type=int, metavar="N", help="iterations of each search")
    parser.add_argument(
        "--start",
        default="",
        metavar="MOVES",
        help="moves played before the search of a game, separated by commas; a trace has its own",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="processes (default: one a core, where that is faster)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_memory(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: argparse.Namespace) -> int:
    """Search, and print what came out."""
    is_game = options.what.partition(":")[0] in GAMES and not Path(options.what).exists()
    with asked_to_stop() as stop:
        found = sensitivity(
            options.what if is_game else opened(options.what, options.memory),
            options.preset,
            c=None if options.c is None else [constant(text) for text in moves(options.c)],
            seeds=options.seeds,
            iterations=options.iterations,
            start=moves(options.start),
            jobs=options.jobs,
            progress=not options.quiet,
            stop=stop,
        )
    if options.json:
        print(json.dumps(found.as_json(), ensure_ascii=False, allow_nan=False, indent=2))
    else:
        print(found)
    return 0


def constant(text: str) -> float:
    """A constant as written."""
    try:
        return float(text)
    except ValueError as err:
        raise SearchError(f"--c {text}: give a number, or several with commas between") from err
