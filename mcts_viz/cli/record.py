"""`mcts-viz record GAME`: run a search and write its trace."""

from __future__ import annotations

import argparse

from mcts_viz.analysis.choice.decision import decision
from mcts_viz.analysis.history.ending import ending
from mcts_viz.cli.interrupting import asked_to_stop
from mcts_viz.cli.search_options import (
    add_begins,
    add_search_options,
    add_sync,
    search_options,
    tell_memory,
)
from mcts_viz.engine.presets import PRESETS
from mcts_viz.games import any_game, names
from mcts_viz.games.first_player import begun_by
from mcts_viz.runs.search import PlannedSearch, prepare, record_search
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("game", metavar="GAME", help=f"one of: {', '.join(names())}")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the trace to write, such as run.mcts"
    )
    parser.add_argument("--preset", default="uct", help=f"one of: {', '.join(PRESETS)}")
    parser.add_argument(
        "--start", default="", metavar="MOVES", help="moves played first, separated by commas"
    )
    add_begins(parser)
    add_search_options(
        parser, "budget (default: the preset's)", "the same seed gives the same tree"
    )
    add_sync(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")


def run(options: argparse.Namespace) -> int:
    """Record, then say what was found."""
    game = begun_by(any_game(options.game), options.begins, options.seed)
    planned = PlannedSearch(prepare(game, search_options(options)))
    tell_memory(planned.search)
    with asked_to_stop() as stop:
        trace = record_search(
            planned, Trace, options.output, not options.quiet, stop, sync=options.sync
        )
    if not options.quiet:
        end = ending(trace, stop())
        print(
            f"{options.output}: {plural(trace.n_iterations, 'iteration')}, {plural(trace.n_nodes, 'node')}; "
            f"{_played(trace)}. "
            f"{'' if end is None else f'The search {end}. '}"
            f"Look at it: {options.program} show {options.output}"
        )
    return 0


def _played(trace: Trace) -> str:
    """What would be played, and why."""
    found = decision(trace.at(trace.n_iterations))
    if found is None:
        return "no move was visited, so there is none to play"
    return (
        f"would play {found.chosen_label} ({plural(found.chosen_visits, 'visit')}), "
        f"chosen by {found.rule_words}"
    )
