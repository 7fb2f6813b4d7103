"""One engine's thinking about one move: a search run into a trace, and the move that it decides.

The only place in which a match searches. Knows one position, and nothing of the match around it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from mcts_viz.analysis.decision import decision
from mcts_viz.api import Trace
from mcts_viz.errors import SearchError
from mcts_viz.formulas.final_move import final_move_rule, ranking
from mcts_viz.recorder import Recorder
from mcts_viz.search.engine import Chunk, Search, run
from mcts_viz.search.tree import Tree
from mcts_viz.trace.snapshot import standing


class Thought(NamedTuple):
    """What came of it."""

    action: int
    visits: int  # of the child that the move leads to
    mean_value: float  # view of the player who thought
    iterations: int
    nodes: int
    rule: str  # by which the move was chosen, in words
    stopped: bool  # before the budget was used up


class Watcher(Protocol):
    """Told while an engine thinks."""

    def __call__(self, iterations: int, nodes: int, best: str) -> None:
        """After each chunk: iterations run, nodes there are, name of the best move so far ("" before
        there is one)."""


def nobody(iterations: int, nodes: int, best: str) -> None:
    """Watches and does nothing."""


def think(
    plan: Search,
    path: Path,
    watch: Watcher = nobody,
    stop: Callable[[], bool] = lambda: False,
    kept: Tree | None = None,
) -> tuple[Thought, Tree]:
    """Run the search into a trace at `path`, on from the tree `kept` if there is one; returns what
    came of it and the tree. The move is the one that the trace's final-move rule plays. A search
    asked to stop goes on until there is such a move.

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

    with Recorder(plan, path, kept) as recorder:
        tree = run(plan, consume, asked_to_stop, kept=kept)
    trace = recorder.trace(Trace)
    last = trace.at(trace.n_iterations)
    decided = decision(last)
    if decided is None:
        raise SearchError(
            f"{trace.n_iterations:,} iterations of {plan.policies.preset} visit no move, so there is none to play; "
            "give the engine more"
        )
    thought = Thought(
        action=int(last.action[decided.chosen]),
        visits=decided.chosen_visits,
        mean_value=decided.chosen_mean,
        iterations=trace.n_iterations,
        nodes=trace.n_nodes,
        rule=decided.rule_words,
        stopped=stopped,
    )
    return thought, tree


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
