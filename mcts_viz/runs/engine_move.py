"""One engine's search for one move, run into a trace, and the move that it decides.

Knows one position, and nothing of the match around it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.choice.decision import decision
from mcts_viz.engine.search import Chunk, Search, run
from mcts_viz.engine.tree import Tree
from mcts_viz.errors import SearchError
from mcts_viz.formulas.final_move import final_move_rule, ranking
from mcts_viz.runs.recorder import Recorder
from mcts_viz.runs.search import within
from mcts_viz.trace.snapshot import standing
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural


class MoveSearch(NamedTuple):
    """The result of an engine's search for a move."""

    action: int
    visits: int  # of the child that the move leads to
    mean_value: float  # view of the player who searched
    iterations: int
    nodes: int
    rule: str  # by which the move was chosen, in words
    stopped: bool  # before the budget was used up


# called after each chunk with iterations run, nodes there are, name of the best move so far ("" before there
# is one)
Watch = Callable[[int, int, str], None]


def unwatched(iterations: int, nodes: int, best: str) -> None:
    """Report to nobody."""


def search_move(
    plan: Search,
    path: Path,
    watch: Watch = unwatched,
    stop: Callable[[], bool] = lambda: False,
    reused: Tree | None = None,
    memory: int | None = None,
) -> tuple[MoveSearch, Tree]:
    """Run the search into a trace at `path`, from the tree `reused` if there is one; returns what
    it found and the tree. The move is the one that the trace's final-move rule plays. A search
    asked to stop goes on until there is such a move. memory: megabytes that there are for it.

    Raises SearchError for a budget that decides nothing, TraceError for a file that cannot be
    written.
    """
    best: list[int] = []  # action of the best move so far, once there is one
    stopped = False

    def consume(chunk: Chunk) -> None:
        recorder(chunk)
        best[:] = best_actions(plan, chunk.tree)[:1]
        name = plan.game.action_labels[best[0]] if best else ""
        watch(chunk.first + chunk.n, int(chunk.tree.size[0]), name)

    def asked_to_stop() -> bool:
        nonlocal stopped
        stopped = bool(best) and stop()
        return stopped

    with Recorder(plan, path, reused) as recorder:
        tree = run(
            within(plan, memory), consume, asked_to_stop, reused=reused, held=recorder.bytes_held
        )
    trace = recorder.trace(Trace)
    last = trace.at(trace.n_iterations)
    decided = decision(last)
    if decided is None:
        raise SearchError(
            f"{plural(trace.n_iterations, 'iteration')} of {plan.policies.preset} visit no move, so there is none to "
            "play; give the engine more"
        )
    found = MoveSearch(
        action=int(last.action[decided.chosen]),
        visits=decided.chosen_visits,
        mean_value=decided.chosen_mean,
        iterations=trace.n_iterations,
        nodes=trace.n_nodes,
        rule=decided.rule_words,
        stopped=stopped,
    )
    return found, tree


def best_actions(plan: Search, tree: Tree) -> list[int]:
    """The root's visited moves in a tree that still grows, best first by the search's final-move rule."""
    nodes = int(tree.size[0])
    children = np.flatnonzero(tree.parent[:nodes] == 0)
    least, greatest = plan.policies.value_range
    rule = final_move_rule(plan.policies.final_move)
    proven = None
    if plan.policies.solver:
        mover = np.full(len(children), tree.to_move[0])
        proven = standing(tree.proven[children], mover, plan.game.reward_range)
    order = ranking(rule, tree.visits[children], tree.value_sum[children], greatest - least, proven)
    return [int(tree.action[children[i]]) for i in order]
