"""The four phases of one iteration as rows: what selection compared, what expansion added, how the
simulation went, what backpropagation changed. Scores and statistics are those before the iteration,
except for the result of backpropagation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts_viz.analysis.iteration.story import IterationStory, Level, iteration_story
from mcts_viz.analysis.point_of_view import Viewpoint, outcome_text, player_name, proven_text
from mcts_viz.trace.iteration import Comparison, Iteration
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace

PHASES = ("select", "expand", "simulate", "backpropagate")
BY_MOVER = Viewpoint()


@dataclass(frozen=True)
class Candidate:
    """A child that selection compared. Numbers before the iteration; values in the view of the player
    who chose. What does not exist is None."""

    node: int
    move: str
    visits: int
    mean_value: float | None
    value_term: float | None
    exploration_term: float | None
    score: float | None  # None also where it is infinite
    comes_first: (
        bool  # never visited, so it comes before all visited children: its score is infinite
    )
    has_urgency: bool  # never visited, and compared by its first-play urgency (FPU)
    is_chosen: bool
    is_tied: bool  # has the same score as the chosen one, or is the chosen one of several
    proven: str | None  # its proven value, in words
    result_competes: bool  # the proven value replaces the score


@dataclass(frozen=True)
class Choice:
    """One level of the selected path at which existing children were compared."""

    level: Level
    parent: int
    position: str  # move into the parent, "the root"
    chooser: str  # player to move at the parent
    candidates: tuple[Candidate, ...]  # best first, the chosen one before those it is tied with


@dataclass(frozen=True)
class Added:
    """A node that expansion made."""

    node: int
    move: str
    parent: int
    position: str  # move into the parent, "the root"
    prior: float | None
    outcome: str | None  # where the game is over, in words
    on_path: bool  # the iteration went on from it


@dataclass(frozen=True)
class Change:
    """A node before and after backpropagation."""

    node: int
    depth: int
    move: str
    view_of: str  # player, whose view its values are
    visits: tuple[int, int]  # before, after
    value_sum: tuple[float, float]
    mean_value: tuple[float | None, float | None]
    added: float | None  # to the value sum; None: no update in the trace
    on_path: bool
    proven: str | None  # result proven in this iteration, in words


@dataclass(frozen=True)
class PhaseStory:
    """The phases of iteration t."""

    t: int
    story: IterationStory
    path: tuple[int, ...]  # node ids from the root to the leaf
    leaf: str  # move into the leaf, "the root"
    knows_scores: bool  # the trace has the scores that selection compared
    choices: tuple[Choice, ...]  # root first
    added: tuple[Added, ...]
    is_leaf_over: str | None  # result of the game where it is over at the leaf, in words
    changes: tuple[Change, ...]  # root first; then nodes off the path


def has_phases(trace: Trace) -> bool:
    """Whether the trace has single iterations: snapshots have none."""
    return trace.meta.has_iterations


def phase_story(trace: Trace, t: int, viewpoint: Viewpoint = BY_MOVER) -> PhaseStory:
    """The phases of iteration `t`, from 1; raises TraceError for one that the trace does not have.
    viewpoint: of what backpropagation changed."""
    told, story = trace.iteration(t), iteration_story(trace, t)
    before, after = trace.at(t - 1), trace.at(t)
    levels = {level.node: level for level in story.levels}
    over = float(after.outcome[told.leaf])
    return PhaseStory(
        t=t,
        story=story,
        path=tuple(told.path),
        leaf=_position(after, told.leaf),
        knows_scores=trace.meta.knows_scores,
        choices=tuple(_choice(before, each, levels[each.chosen]) for each in told.comparisons),
        added=tuple(_added(after, node, told) for node in told.new_nodes),
        is_leaf_over=None if np.isnan(over) else outcome_text(trace.meta, over),
        changes=_changes(trace, told, before, after, viewpoint),
    )


def _choice(before: Snapshot, compared: Comparison, level: Level) -> Choice:
    if level.by_chance:
        nothing = np.full(len(compared.children), np.nan)
        compared = compared._replace(value_terms=nothing, exploration_terms=nothing, scores=nothing)
    ties = compared.ties
    candidates = [
        _candidate(before, compared, place, node, ties)
        for place, node in enumerate(compared.children)
    ]
    rank = np.where(np.isnan(compared.scores), -np.inf, compared.scores)
    order = sorted(
        range(len(candidates)),
        key=lambda i: (-rank[i], not candidates[i].is_chosen, -candidates[i].visits, i),
    )
    return Choice(
        level=level,
        parent=compared.node,
        position=_position(before, compared.node),
        chooser=player_name(before.meta, int(before.to_move[compared.node])),
        candidates=tuple(candidates[i] for i in order),
    )


def _candidate(
    before: Snapshot, compared: Comparison, place: int, node: int, ties: list[int]
) -> Candidate:
    visits, score = int(compared.visits[place]), float(compared.scores[place])
    proven = before.proven if before.shows_proofs else None
    return Candidate(
        node=node,
        move=before.short_label(node),
        visits=visits,
        mean_value=_mean(before, node, BY_MOVER),
        value_term=_finite(compared.value_terms[place]),
        exploration_term=_finite(compared.exploration_terms[place]),
        score=_finite(score),
        comes_first=bool(np.isposinf(score)),
        has_urgency=visits == 0 and bool(np.isfinite(score)),
        is_chosen=node == compared.chosen,
        is_tied=node in ties or (node == compared.chosen and bool(ties)),
        proven=None if proven is None else proven_text(before.meta, float(proven[node])),
        result_competes=proven is not None
        and before.meta.has_solver
        and not np.isnan(proven[node]),
    )


def _added(after: Snapshot, node: int, told: Iteration) -> Added:
    parent, prior = int(after.parent[node]), float(after.prior[node])
    outcome = float(after.outcome[node])
    return Added(
        node=node,
        move=after.short_label(node),
        parent=parent,
        position=_position(after, parent),
        prior=_finite(prior),
        outcome=None if np.isnan(outcome) else outcome_text(after.meta, outcome),
        on_path=node in told.path,
    )


def _changes(
    trace: Trace, told: Iteration, before: Snapshot, after: Snapshot, viewpoint: Viewpoint
) -> tuple[Change, ...]:
    added: dict[int, float] = {}
    for update in told.updates:
        added[update.node] = added.get(update.node, 0.0) + update.value
    for node in added:
        if viewpoint.mirrors(after, node):
            added[node] = viewpoint.value_sum(after, node) - _value_sum(before, node, viewpoint)
    columns, path = trace.columns, set(told.path)
    first, last = np.searchsorted(columns.proven.at, [told.t, told.t + 1])
    proofs = dict(
        zip(columns.proven.node[first:last].tolist(), columns.proven.outcome[first:last].tolist())
    )
    nodes = [*told.path, *(node for node in {**added, **proofs} if node not in path)]
    return tuple(
        Change(
            node=node,
            depth=int(after.depth[node]),
            move=_position(after, node),
            view_of=player_name(after.meta, viewpoint.of(after, node)),
            visits=(_visits(before, node), _visits(after, node)),
            value_sum=(_value_sum(before, node, viewpoint), _value_sum(after, node, viewpoint)),
            mean_value=(_mean(before, node, viewpoint), _mean(after, node, viewpoint)),
            added=added.get(node),
            on_path=node in path,
            proven=proven_text(after.meta, float(proofs.get(node, np.nan))),
        )
        for node in nodes
    )


def _position(tree: Snapshot, node: int) -> str:
    return "the root" if node == 0 else tree.short_label(node)


def _visits(tree: Snapshot, node: int) -> int:
    """0 before the node was made."""
    return int(tree.visits[node]) if node < tree.n_nodes else 0


def _value_sum(tree: Snapshot, node: int, viewpoint: Viewpoint) -> float:
    return viewpoint.value_sum(tree, node) if node < tree.n_nodes else 0.0


def _mean(tree: Snapshot, node: int, viewpoint: Viewpoint) -> float | None:
    return _finite(viewpoint.mean(tree, node)) if node < tree.n_nodes else None


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
