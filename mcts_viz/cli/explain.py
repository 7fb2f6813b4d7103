"""`mcts-viz explain FILE --at T --node V --why-not MOVE`: why a move, in words or as JSON."""

from __future__ import annotations

import argparse
import json
import textwrap

from mcts_viz.analysis.game_value.values import unknown_rules
from mcts_viz.cli.opening import add_memory, opened
from mcts_viz.errors import TraceError
from mcts_viz.games.position import start_position
from mcts_viz.health.verdict import verdict

WIDTH = 100  # characters of a line
NOT_SOLVED = "--truth solves the position"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", help="a trace, or a snapshot's .json")
    parser.add_argument("--at", type=int, metavar="T", help="iteration (default: the last one)")
    parser.add_argument(
        "--node",
        type=int,
        default=0,
        metavar="V",
        help="node whose move is explained (default: the root)",
    )
    parser.add_argument("--why-not", metavar="MOVE", help="a move that was not chosen")
    parser.add_argument(
        "--truth", action="store_true", help="also solve the position: is the choice a mistake?"
    )
    add_memory(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: argparse.Namespace) -> int:
    """Explain, and print it."""
    trace = opened(options.file, options.memory)
    try:
        told = trace.explain(options.at, options.node, options.why_not, truth=options.truth)
    except TraceError as err:
        raise TraceError(str(err).replace("why_not = ", "--why-not ", 1)) from err
    words, data = str(told).split("\n"), told.as_json()
    if options.node == 0:
        now = trace.at(told.iteration)
        game = trace.meta.game.name
        unsolved = unknown_rules(game) if start_position(game, ()) is None else NOT_SOLVED
        judged = verdict(
            now, trace.n_iterations, told.truth or unsolved, lambda: trace.check(progress=True)
        )
        words, data = [str(judged), *words], {**data, "verdict": judged.as_json()}
    if options.json:
        print(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2))
    else:
        print("\n\n".join(textwrap.fill(line, WIDTH) for line in words))
    return 0
