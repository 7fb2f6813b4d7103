"""`mcts-viz record GAME`: run a search and write its trace."""

from __future__ import annotations

import argparse
from typing import Any

from mcts_viz import api
from mcts_viz.analysis.decision import decision
from mcts_viz.analysis.ending import ending
from mcts_viz.cli import policy_options
from mcts_viz.cli.interrupting import asked_to_stop
from mcts_viz.cli.moves import moves
from mcts_viz.games import names
from mcts_viz.search.presets import PRESETS


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("record", help="run a search and record every iteration")
    parser.add_argument("game", metavar="GAME", help=f"one of: {', '.join(names())}")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the trace, run.mcts")
    parser.add_argument("--preset", default="uct", help=f"one of: {', '.join(PRESETS)}")
    parser.add_argument(
        "--iterations", type=int, metavar="N", help="budget (the preset's if none is given)"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="budget; the first one reached ends it"
    )
    parser.add_argument("--seed", type=int, metavar="K", help="the same seed gives the same tree")
    parser.add_argument(
        "--start", default="", metavar="MOVES", help="moves played first, with commas"
    )
    parser.add_argument("--force", metavar="MOVE", help="the only move to search at the root")
    parser.add_argument(
        "--forbid", metavar="MOVES", help="moves never to search at the root, with commas"
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
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no closing line")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Record, then say what was found."""
    with asked_to_stop() as stop:
        trace = api.search(
            options.game,
            options.preset,
            iterations=options.iterations,
            seconds=options.seconds,
            nodes=options.nodes,
            memory=options.memory,
            decided=options.decided,
            seed=options.seed,
            start=moves(options.start),
            force=options.force,
            forbid=None if options.forbid is None else moves(options.forbid),
            path=options.output,
            progress=not options.quiet,
            rollouts=not options.no_rollouts,
            stop=stop,
            **policy_options.overrides(options),
        )
    if not options.quiet:
        end = ending(trace)
        print(
            f"{options.output}: {trace.n_iterations:,} iterations, {trace.n_nodes:,} nodes; "
            f"{_played(trace)}. "
            f"{'' if end is None else f'The search {end}. '}"
            f"Look at it: {options.program} show {options.output}"
        )
    return 0


def _played(trace: api.Trace) -> str:
    """What would be played, and why."""
    found = decision(trace.at(trace.n_iterations))
    if found is None:
        return "no move was visited, so there is none to play"
    return (
        f"would play {found.chosen_label} ({found.chosen_visits:,} visits), "
        f"chosen by {found.rule_words}"
    )
