"""`mcts-viz recover IN -o OUT`: what can be saved of a damaged trace, as a file of its own."""

from __future__ import annotations

import argparse

from mcts_viz.cli.opening import add_memory
from mcts_viz.trace.recovery import recover
from mcts_viz.trace.words import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="IN", help="a damaged or unfinished trace")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="the new trace")
    add_memory(parser)


def run(options: argparse.Namespace) -> int:
    """Save what can be, and say how much that is."""
    saved = recover(options.file, options.output, options.memory)
    share = saved.lost / (saved.kept + saved.lost)
    lost = f"{saved.lost:,} of {saved.kept + saved.lost:,} bytes ({share:.1%}) were lost"
    print(
        f"{options.output}: saved {plural(saved.n_iterations, 'iteration')} and {plural(saved.n_nodes, 'node')}; "
        f"{lost if saved.lost else 'nothing was lost'}. "
        f"{'It is complete' if saved.complete else 'The end of the search is missing'}. "
        f"Look at it: {options.program} show {options.output}"
    )
    if saved.damage is not None:
        print(f"{options.file}: {saved.damage}")
    return 0
