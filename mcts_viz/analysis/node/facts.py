"""One node at one iteration, and its children or siblings as the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.node.positions import untried_moves
from mcts_viz.analysis.point_of_view import Viewpoint, mover_into, player_name, proven_text
from mcts_viz.trace.players import CHANCE, EVERYBODY
from mcts_viz.trace.snapshot import Snapshot


@dataclass(frozen=True)
class NodeRow:
    """A node among its siblings. Numbers that do not exist are None: no visits, no mean."""

    node: int
    move: str
    visits: int
    share: float | None  # of the parent's visits, in [0, 1]
    mean_value: float | None  # view of the player who moved into the node, as are the next three
    value_term: float | None
    exploration_term: float | None  # None for a node that comes first
    score: float | None
    prior: float | None
    next_selected: bool  # the next iteration through the parent would take it
    chosen: bool  # the final-move rule would play it (root's children only)
    comes_first: bool = (
        False  # never visited, so it comes before all visited children: its score is infinite
    )
    proven: str | None = None  # result that a solver has proven, or of a finished game, in words
    # simulated games through the node that its mover won, drew, lost; None where not known
    wins: int | None = None
    draws: int | None = None
    losses: int | None = None


class WayFacts(NamedTuple):
    """One of several ways to a node that is shared."""

    node: int  # its row
    line: tuple[str, ...]  # moves from the root over it
    visits: int  # that came this way


@dataclass(frozen=True)
class NodeFacts:
    """Facts about one node."""

    node: int
    iteration: int
    move: str
    line: tuple[str, ...]  # moves from the root to the node
    depth: int
    born: int  # iteration that made it
    to_move: str  # player to move there
    mover: str  # player who moved into it
    view: str  # player in whose view value sum and mean are
    outcome: float | None  # view of player 0; None while the game goes on
    visits: int
    value_sum: float
    mean_value: float | None
    value_term: float | None
    exploration_term: float | None
    score: float | None
    comes_first: bool  # never visited, and so before all siblings that were: its score is infinite
    why_no_score: str | None  # in words; None where there is one, or it is infinite
    proven: str | None  # result that a solver has proven, in words; None at a finished game
    result_competes: bool  # the proven value, or that of the finished game, is its selection score
    n_children: int
    untried: int | None  # legal moves without a child; None where the rules are not known
    state: str | None  # recorded text of the position
    alone: bool  # one player: values need no point of view
    chance: bool  # chance decides here, no player
    by_chance: bool  # chance led here, no player's move
    together: bool  # all players choose here at once
    all_moved: bool  # they did, above
    ways: tuple[
        WayFacts, ...
    ] = ()  # to a node that is shared, the one that its children are below first
    all_visits: int = 0  # by all of them together


def node_facts(snapshot: Snapshot, node: int, viewpoint: Viewpoint | None = None) -> NodeFacts:
    """Facts about `node`; raises TraceError when it is not in the tree at this iteration. viewpoint: of value sum and
    mean; None: as recorded. The terms of the score are always in the view of the player who chooses."""
    path, ways = snapshot.path(node), snapshot.ways(node)
    untried = untried_moves(snapshot, ways[0])
    outcome, mover = float(snapshot.outcome[node]), mover_into(snapshot, node)
    value, exploration, score = (float(each[0]) for each in snapshot.scores(np.array([node])))
    return NodeFacts(
        node=node,
        iteration=snapshot.iteration,
        move=snapshot.label(node),
        line=tuple(snapshot.short_label(v) for v in path[1:]),
        depth=len(path) - 1,
        born=int(snapshot.born[node]),
        to_move=player_name(snapshot.meta, int(snapshot.to_move[node])),
        mover=player_name(snapshot.meta, mover),
        view=player_name(
            snapshot.meta, mover if viewpoint is None else viewpoint.of(snapshot, node)
        ),
        outcome=None if np.isnan(outcome) else outcome,
        visits=int(snapshot.visits[node]),
        value_sum=(
            float(snapshot.value_sum[node])
            if viewpoint is None
            else viewpoint.value_sum(snapshot, node)
        ),
        mean_value=_number(
            snapshot.mean_values([node])[0] if viewpoint is None else viewpoint.mean(snapshot, node)
        ),
        value_term=_number(value),
        exploration_term=_number(exploration),
        score=_number(score),
        comes_first=score == np.inf,
        why_no_score=None if snapshot.meta.knows_scores else _why_no_score(snapshot),
        proven=_proven(snapshot, node) if np.isnan(outcome) else None,
        result_competes=snapshot.meta.has_solver and _proven(snapshot, node) is not None,
        n_children=len(snapshot.children(ways[0])),
        untried=None if untried is None else len(untried),
        state=snapshot.state(node),
        alone=snapshot.meta.n_players == 1,
        chance=bool(snapshot.to_move[node] == CHANCE),
        by_chance=bool(node and snapshot.to_move[snapshot.parent[node]] == CHANCE),
        together=bool(snapshot.to_move[node] == EVERYBODY),
        all_moved=bool(node and snapshot.to_move[snapshot.parent[node]] == EVERYBODY),
        ways=_ways(snapshot, ways),
        all_visits=int(snapshot.node_visits[ways[0]]),
    )


def _ways(snapshot: Snapshot, ways: list[int]) -> tuple[WayFacts, ...]:
    """None where there is one alone."""
    if len(ways) == 1:
        return ()
    return tuple(
        WayFacts(
            way,
            tuple(snapshot.short_label(v) for v in snapshot.path(way)[1:]),
            int(snapshot.way_visits[way]),
        )
        for way in ways
    )


def child_rows(
    snapshot: Snapshot,
    node: int,
    n_legal: int | None = None,
    viewpoint: Viewpoint = Viewpoint(),  # noqa: B008  # of the mean values
) -> list[NodeRow]:
    """The node's children, most visits first.

    With `n_legal`, the number of legal moves there, no child is marked as the next one to be
    selected while a move is still untried: the search would try that one first.
    """
    ids = np.array(snapshot.children(node), np.int64)
    if ids.size == 0:
        return []
    ids = ids[np.lexsort((ids, -snapshot.visits[ids]))]
    # first of the best in order of creation, as the search takes it; none where scores are unknown
    # or chance decides
    value, exploration, score = snapshot.scores(ids)
    by_age = np.argsort(ids)
    untried = n_legal is not None and ids.size < n_legal
    unknown = untried or np.isnan(score).any() or snapshot.to_move[node] in (CHANCE, EVERYBODY)
    if snapshot.meta.policies.selection.ties == "latest" and not np.isposinf(score).any():
        unknown |= np.count_nonzero(score == score.max()) > 1  # a tree does not say which was last
    best = -1 if unknown else int(ids[by_age[np.argmax(score[by_age])]])
    ranked = snapshot.ranked_children(0) if node == 0 else []
    parent_visits = int(snapshot.node_visits[node])
    results = snapshot.results_of(ids)
    return [
        NodeRow(
            node=int(v),
            move=snapshot.label(int(v)),
            visits=int(snapshot.visits[v]),
            share=int(snapshot.way_visits[v]) / parent_visits if parent_visits else None,
            mean_value=_number(viewpoint.mean(snapshot, int(v))),
            value_term=_number(value[row]),
            exploration_term=_number(exploration[row]),
            score=_number(score[row]),
            prior=_number(snapshot.prior[v]),
            next_selected=int(v) == best,
            chosen=bool(ranked) and int(v) == ranked[0],
            comes_first=bool(np.isposinf(score[row])),
            proven=_proven(snapshot, int(v)),
            **{
                name: int(counts[row])
                for name, counts in ({} if results is None else results._asdict()).items()
            },
        )
        for row, v in enumerate(ids)
    ]


def _proven(snapshot: Snapshot, node: int) -> str | None:
    """The proven value in words; None where the trace tells no proofs."""
    if snapshot.proven is None or not snapshot.shows_proofs:
        return None
    return proven_text(snapshot.meta, float(snapshot.proven[node]))


def _why_no_score(snapshot: Snapshot) -> str:
    if snapshot.meta.needs_squares:
        return (
            "This tree came as a whole, without the squares of its values, which the selection "
            "formula needs: no selection score."
        )
    return "This trace names no selection formula: no selection score."


def _number(value: float) -> float | None:
    """None for nan and infinity."""
    return float(value) if np.isfinite(value) else None
