"""One node at one iteration, and its children or siblings as the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts_viz.analysis.point_of_view import mover_into, player_name, proven_text
from mcts_viz.trace.players import CHANCE, n_players
from mcts_viz.trace.snapshot import Snapshot, has_solver, knows_scores, needs_squares


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
    comes_first: bool = False  # never visited, and so before all that were: its score is infinite
    proven: str | None = None  # result that a solver has proven, or of a finished game, in words


@dataclass(frozen=True)
class NodeFacts:
    """What there is to say about one node."""

    node: int
    iteration: int
    move: str
    line: tuple[str, ...]  # moves from the root to the node
    depth: int
    born: int  # iteration that made it
    to_move: str  # player to move there
    mover: str  # player who moved into it: whose view the values are
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
    result_competes: bool  # that result, or the game's, is its whole score
    n_children: int
    state: str | None  # recorded text of the position
    alone: bool  # one player, so that no value needs a view
    chance: bool  # chance decides here, nobody chooses
    by_chance: bool  # an event of chance led here, no move


def node_facts(snapshot: Snapshot, node: int) -> NodeFacts:
    """Facts about `node`; raises TraceError when it is not in the tree at this iteration."""
    path = snapshot.path(node)
    outcome = float(snapshot.outcome[node])
    value, exploration, score = (float(each[0]) for each in snapshot.scores(np.array([node])))
    return NodeFacts(
        node=node,
        iteration=snapshot.iteration,
        move=snapshot.label(node),
        line=tuple(snapshot.label(v) for v in path[1:]),
        depth=len(path) - 1,
        born=int(snapshot.born[node]),
        to_move=player_name(snapshot.meta, int(snapshot.to_move[node])),
        mover=player_name(snapshot.meta, mover_into(snapshot, node)),
        outcome=None if np.isnan(outcome) else outcome,
        visits=int(snapshot.visits[node]),
        value_sum=float(snapshot.value_sum[node]),
        mean_value=_number(snapshot.mean_value[node]),
        value_term=_number(value),
        exploration_term=_number(exploration),
        score=_number(score),
        comes_first=score == np.inf,
        why_no_score=None if knows_scores(snapshot.meta) else _why_no_score(snapshot),
        proven=_proven(snapshot, node) if np.isnan(outcome) else None,
        result_competes=_proven(snapshot, node) is not None,
        n_children=len(snapshot.children(node)),
        state=snapshot.state(node),
        alone=n_players(snapshot.meta) == 1,
        chance=bool(snapshot.to_move[node] == CHANCE),
        by_chance=bool(node and snapshot.to_move[snapshot.parent[node]] == CHANCE),
    )


def child_rows(snapshot: Snapshot, node: int, n_legal: int | None = None) -> list[NodeRow]:
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
    unknown = untried or np.isnan(score).any() or snapshot.to_move[node] == CHANCE
    best = -1 if unknown else int(ids[by_age[np.argmax(score[by_age])]])
    ranked = snapshot.ranked_children(0) if node == 0 else []
    parent_visits = int(snapshot.visits[node])
    return [
        NodeRow(
            node=int(v),
            move=snapshot.label(int(v)),
            visits=int(snapshot.visits[v]),
            share=int(snapshot.visits[v]) / parent_visits if parent_visits else None,
            mean_value=_number(snapshot.mean_value[v]),
            value_term=_number(value[row]),
            exploration_term=_number(exploration[row]),
            score=_number(score[row]),
            prior=_number(snapshot.prior[v]),
            next_selected=int(v) == best,
            chosen=bool(ranked) and int(v) == ranked[0],
            comes_first=bool(np.isposinf(score[row])),
            proven=_proven(snapshot, int(v)),
        )
        for row, v in enumerate(ids)
    ]


def _proven(snapshot: Snapshot, node: int) -> str | None:
    """None without a solver: only its search takes account of such a result."""
    if snapshot.proven is None or not has_solver(snapshot.meta):
        return None
    return proven_text(snapshot.meta, float(snapshot.proven[node]))


def _why_no_score(snapshot: Snapshot) -> str:
    if needs_squares(snapshot.meta):
        return (
            "This tree came as a whole, without the squares of its values, which the selection "
            "formula needs: no UCT score."
        )
    return "This trace names no selection formula: no UCT score."


def _number(value: float) -> float | None:
    """None for nan and infinity: what cannot be said is not shown as a number."""
    return float(value) if np.isfinite(value) else None
