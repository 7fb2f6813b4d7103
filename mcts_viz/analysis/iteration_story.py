"""One iteration in words and rows: what was compared at each level, with the scores before the
choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.trace.iteration import Comparison
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
    ties: tuple[str, ...]  # others with the very same score


@dataclass(frozen=True)
class IterationStory:
    """Iteration t."""

    t: int
    levels: tuple[Level, ...]
    n_new: int
    rollout: tuple[str, ...] | None  # moves of the simulation; None where not recorded
    outcome: float | None  # view of player 0
    summary: str


def iteration_story(trace: Trace, t: int) -> IterationStory:
    """The story of iteration `t`, from 1; raises TraceError for one that the trace does not
    have."""
    told = trace.iteration(t)
    before = {comparison.chosen: comparison for comparison in told.comparisons}
    final = trace.at(t)
    levels = []
    for depth, node in enumerate(told.path[1:], start=1):
        comparison = before.get(node)
        move = final.label(node)
        if comparison is None:
            added = Level(depth, node, move, "added", None, None, None, None, None, None, ())
            levels.append(added)
        else:
            levels.append(_level(depth, move, comparison, final.label))
    rollout = None if told.rollout is None else tuple(trace.action_name(a) for a in told.rollout)
    return IterationStory(
        t=t,
        levels=tuple(levels),
        n_new=len(told.new_nodes),
        rollout=rollout,
        outcome=told.outcome,
        summary=_summary(trace, levels, len(told.new_nodes), rollout, told.outcome),
    )


def _level(depth: int, move: str, comparison: Comparison, label: object) -> Level:
    assert callable(label)
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
    )


def _summary(
    trace: Trace,
    levels: list[Level],
    n_new: int,
    rollout: tuple[str, ...] | None,
    outcome: float | None,
) -> str:
    line = ", ".join(level.move for level in levels) or "stayed at the root"
    nodes = "no node" if n_new == 0 else "1 node" if n_new == 1 else f"{n_new} nodes"
    played = "" if rollout is None else f" after {len(rollout)} random moves"
    if rollout is not None and not rollout:
        played = " (the game was over: no simulation)"
    return f"{line}; {nodes} added; {outcome_text(trace.meta, outcome)}{played}."


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
