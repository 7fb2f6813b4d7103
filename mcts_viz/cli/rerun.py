"""`mcts-viz rerun FILE -o OUT`: what if: the same position searched again with something changed."""

from __future__ import annotations

import argparse
from typing import Any

from mcts_viz import api
from mcts_viz.analysis.comparison import compare_at, match
from mcts_viz.cli import policy_options
from mcts_viz.cli.interrupting import asked_to_stop
from mcts_viz.cli.moves import moves
from mcts_viz.search.presets import PRESETS


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("rerun", help="search a trace's position again, something changed")
    parser.add_argument("file", metavar="FILE", help="a trace")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="the new trace")
    parser.add_argument("--preset", help=f"another one of: {', '.join(PRESETS)}")
    parser.add_argument(
        "--iterations", type=int, metavar="N", help="budget (as many as the trace has)"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="budget")
    parser.add_argument("--seed", type=int, metavar="K", help="another one (the trace's own)")
    parser.add_argument("--force", metavar="MOVE", help="the only move to search at the root")
    parser.add_argument(
        "--forbid", metavar="MOVES", help="moves never to search at the root, with commas"
    )
    parser.add_argument(
        "--resume", type=int, metavar="T", help="go on from iteration T instead of anew"
    )
    parser.add_argument("--nodes", type=int, metavar="N", help="budget, nodes of the tree")
    parser.add_argument("--memory", type=int, metavar="MB", help="budget, megabytes")
    parser.add_argument(
        "--decided",
        action="store_true",
        help="stop when the runner-up can no longer overtake the leading move",
    )
    policy_options.register(parser)
    parser.add_argument(
        "--no-rollouts", action="store_true", help="leave the simulations' moves out"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no comparison")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search, then say how it differs."""
    before = api.open(options.file)
    with asked_to_stop() as stop:
        after = before.rerun(
            preset=options.preset,
            iterations=options.iterations,
            seconds=options.seconds,
            nodes=options.nodes,
            memory=options.memory,
            decided=options.decided,
            seed=options.seed,
            force=options.force,
            forbid=None if options.forbid is None else moves(options.forbid),
            resume=options.resume,
            path=options.output,
            progress=not options.quiet,
            rollouts=not options.no_rollouts,
            stop=stop,
            **policy_options.overrides(options),
        )
    if not options.quiet:
        print(compare_at(match(before, after)))
    return 0
