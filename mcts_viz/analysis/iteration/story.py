"""One iteration in words and rows: the children compared at each level, with their scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts_viz.analysis.point_of_view import outcome_text, player_name
from mcts_viz.trace.iteration import Comparison
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace


@dataclass(frozen=True)
class Level:
    """One step of the selected path."""

    depth: int
    node: int  # the child taken
    move: str
    kind: str  # "selected" among existing children, or "added" by this iteration
    value_term: float | None  # before the iteration, view of the player who chose
    exploration_term: float | None
    score: float | None
    runner_up: str | None  # the best of the others
    runner_up_score: float | None
    margin: float | None
    ties: tuple[str, ...]  # others with the same score
    comes_first: bool = False  # never visited, so it comes before all visited children
    by_chance: bool = False  # chance decided: nothing was compared
    tie_words: str = ""  # why this one of several best children; "" without ties, or not known


@dataclass(frozen=True)
class IterationStory:
    """Iteration t."""

    t: int
    levels: tuple[Level, ...]
    n_new: int
    # moves of each simulation, empty where the game was over; None where not recorded or where there
    # was none
    rollouts: tuple[tuple[str, ...], ...] | None
    outcome: float | None  # view of player 0
    is_over: bool  # the leaf ends the game: nothing to simulate
    by_evaluator: bool  # an evaluator gives the leaf's value, in place of a simulation
    outcome_words: str  # the outcome alone, in words
    result: str  # how the iteration ended, in words
    summary: str
    n_players: int = 2


def iteration_story(trace: Trace, t: int) -> IterationStory:
    """The story of iteration `t`, from 1; raises TraceError for one that the trace does not
    have."""
    told = trace.iteration(t)
    before = {comparison.chosen: comparison for comparison in told.comparisons}
    final = trace.at(t)
    levels = []
    for depth, node in enumerate(told.path[1:], start=1):
        comparison = before.get(node)
        move = final.short_label(node)
        if comparison is not None and final.to_move[comparison.node] == CHANCE:
            levels.append(_unscored(depth, node, move, "selected", by_chance=True))
        elif comparison is None:
            levels.append(_unscored(depth, node, move, "added"))
        else:
            levels.append(_level(depth, move, comparison, final))
    rollouts = None
    if told.rollouts is not None and not trace.meta.policies.simulation.by_evaluator:
        rollouts = tuple(tuple(trace.action_name(a) for a in each) for each in told.rollouts)
    is_over = not np.isnan(trace.columns.nodes.outcome[told.leaf]) or rollouts == ((),)
    result = _result(trace, rollouts, told.outcome, is_over)
    return IterationStory(
        t=t,
        levels=tuple(levels),
        n_new=len(told.new_nodes),
        rollouts=rollouts,
        outcome=told.outcome,
        is_over=is_over,
        by_evaluator=trace.meta.policies.simulation.by_evaluator,
        outcome_words=outcome_text(trace.meta, told.outcome),
        result=result,
        summary=_summary(levels, len(told.new_nodes), result),
        n_players=trace.meta.n_players,
    )


def _unscored(depth: int, node: int, move: str, kind: str, by_chance: bool = False) -> Level:
    """A step for which nothing was compared."""
    return Level(
        depth, node, move, kind, None, None, None, None, None, None, ties=(), by_chance=by_chance
    )


def _level(depth: int, move: str, comparison: Comparison, final: Snapshot) -> Level:
    label = final.label
    at = comparison.children.index(comparison.chosen)
    others = [i for i in range(len(comparison.children)) if i != at]
    known = not np.isnan(comparison.scores).any()
    second = max(others, key=lambda i: comparison.scores[i]) if others and known else None
    margin = comparison.margin
    return Level(
        depth=depth,
        node=comparison.chosen,
        move=move,
        kind="selected",
        value_term=_finite(comparison.value_terms[at]),
        exploration_term=_finite(comparison.exploration_terms[at]),
        score=_finite(comparison.scores[at]),
        runner_up=None if second is None else label(comparison.children[second]),
        runner_up_score=None if second is None else _finite(comparison.scores[second]),
        margin=None if margin is None else _finite(margin),
        ties=tuple(label(v) for v in comparison.ties),
        comes_first=bool(np.isposinf(comparison.scores[at])),
        tie_words=_tie_words(final, comparison),
    )


def _tie_words(final: Snapshot, comparison: Comparison) -> str:
    if not comparison.ties:
        return ""
    if final.meta.policies.selection.ties == "latest":
        return "last visited wins"
    return "first made wins" if comparison.chosen < min(comparison.ties) else ""


def _summary(levels: list[Level], n_new: int, result: str) -> str:
    line = ", ".join(level.move for level in levels) or "stayed at the root"
    nodes = "no node" if n_new == 0 else "1 node" if n_new == 1 else f"{n_new} nodes"
    return f"{line}; {nodes} added; {result}."


def _result(
    trace: Trace,
    rollouts: tuple[tuple[str, ...], ...] | None,
    outcome: float | None,
    is_over: bool,
) -> str:
    """How the iteration ended."""
    if is_over:
        return f"{outcome_text(trace.meta, outcome)} (the game was over: no simulation)"
    if outcome is not None and trace.meta.policies.simulation.by_evaluator:
        return f"valued {outcome + 0.0:+.3f} for {player_name(trace.meta, 0)} by the evaluator"
    if rollouts is None:
        return "outcome not recorded" if outcome is None else outcome_text(trace.meta, outcome)
    n_moves = sum(len(each) for each in rollouts)
    kind = "random " if is_random(trace) else ""
    if len(rollouts) > 1 and outcome is not None:
        first = player_name(trace.meta, 0)
        return (
            f"mean {outcome:+.3f} for {first} of {len(rollouts)} simulations, {n_moves} {kind}moves"
        )
    return f"{outcome_text(trace.meta, outcome)} after {n_moves} {kind}moves"


def is_random(trace: Trace) -> bool:
    """Whether the trace says that its simulations play random moves."""
    return trace.meta.policies.simulation.name == "random"


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
