"""Game-theoretic values of the moves at a node, beside the move that the search chose. A position that
the solver cannot finish within its budget is unknown, never guessed.

`prose` puts them into words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.game_value.data import (
    NOT_KNOWN,
    RIGHT,
    WRONG,
    GameValueData,
    JudgedCourse,
    MoveValue,
)
from mcts_viz.analysis.game_value.prose import paragraphs
from mcts_viz.analysis.history.lead import NO_NODE, Lead
from mcts_viz.analysis.history.siblings import Siblings
from mcts_viz.analysis.phrase import Paragraphs, as_html, as_text
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.errors import TraceError
from mcts_viz.solver.positions import SolvedPositions
from mcts_viz.solver.solver import Solution
from mcts_viz.trace.metadata_fields import GameDescription
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document, Ints

MOST_NODES = 1_000  # of a tree, those with the most visits
FIRST_EFFORT, MORE = (
    2_000,
    8,
)  # positions for a question at first, and how many times more each round
SHARES = {1: 1.0, 0: 0.5, -1: 0.0}  # what a result is worth in `regret`


class GameValues(GameValueData):
    """Game-theoretic values at a node after an iteration, beside the answer of the search; `str`
    gives them in words, `as_json` as data."""

    @property
    def prose(self) -> Paragraphs:
        """Paragraphs of phrases; a phrase with a number knows the iteration or node to see it at."""
        return paragraphs(self)

    @property
    def verdict_prose(self) -> Paragraphs:
        """The same without the solver's effort; where nothing is known, the reason."""
        said = self.prose
        return said[:-1] or said

    def as_json(self) -> Document:
        """All of it as plain data for `json.dumps`, the words as "text"; null: not known."""
        known = {name: value for name, value in vars(self).items() if name not in _ARRAYS}
        chosen = None if self.chosen is None else self.chosen.__dict__
        return {
            **known,
            "moves": [each.__dict__ for each in self.moves],
            "chosen": chosen,
            "regret": [None if np.isnan(each) else each for each in self.regret.tolist()],
            "nodes": {
                str(node): None if np.isnan(result) else int(result)
                for node, result in zip(self.nodes.tolist(), self.results.tolist())
            },
            "text": str(self),
        }

    def __str__(self) -> str:
        return as_text(self.prose)

    def _repr_html_(self) -> str:
        return as_html(self.prose)


_ARRAYS = ("course", "nodes", "results")


def unknown_rules(game: str) -> str:
    """Why nothing is known of a game that is not built in."""
    if game == GameDescription().name:
        return "the trace does not say which game it is"
    return f"the rules of {game} are not known here"


def game_values(
    trace: Trace,
    solver: SolvedPositions | None,
    t: int,
    node: int = 0,
    nodes: Sequence[int] | None = None,
    limit: int | None = None,
) -> GameValues:
    """The values of the moves at `node` after iteration t, and of some nodes of the tree: those given,
    or the MOST_NODES with the most visits. Without a solver nothing is known. Raises
    TraceError for what the trace does not have, and for a negative limit."""
    if limit is not None and limit < 0:
        raise TraceError(f"limit = {limit:,} positions is less than none; give 0 or more")
    snapshot = trace.at(t)
    path = snapshot.path(node)
    asked = _asked(snapshot, nodes)
    work = _Work(trace, solver, limit)
    moves = work.moves(snapshot, node)
    results = work.results(asked.tolist())
    told = _judged(moves)
    result, plies = _best(told)
    found = GameValues(
        iteration=t,
        n_iterations=trace.n_iterations,
        node=node,
        line_to=tuple(snapshot.short_label(v) for v in path[1:]),
        player=player_name(snapshot.meta, int(snapshot.to_move[node])),
        over=bool(snapshot.terminal[node]) or work.over,
        unknown=work.unknown(told),
        limit=work.limit,
        looked_at=work.looked_at,
        result=result,
        plies=plies,
        moves=tuple(told),
        chosen=None,
        mistake=None,
        right_since=None,
        course=_over_time(trace, node, t, told),
        nodes=asked,
        results=results,
    )
    return answered(found, snapshot)


def answered(told: GameValues, snapshot: Snapshot) -> GameValues:
    """The same values beside the search's answer at an earlier iteration; nothing is solved again."""
    t, n = snapshot.iteration, snapshot.n_nodes
    moves = tuple(
        replace(each, node=each.node if each.node is not None and each.node < n else None)
        for each in told.moves
    )
    ranked = snapshot.ranked_children(told.node)
    chosen = next((each for each in moves if ranked and each.node == ranked[0]), None)
    known = chosen is not None and chosen.verdict != NOT_KNOWN
    there = told.nodes < n
    shorter = replace(
        told,
        iteration=t,
        moves=moves,
        chosen=chosen,
        mistake=chosen.verdict == WRONG if chosen is not None and known else None,
        course=told.course.until(t),
        nodes=told.nodes[there],
        results=told.results[there],
    )
    return replace(shorter, right_since=_right_since(shorter))


def _asked(snapshot: Snapshot, nodes: Sequence[int] | None) -> Ints:
    if nodes is None:
        tree, n = snapshot.index, len(snapshot)
        ids = np.arange(n)
        if tree is not None and tree.counts_upwards:
            root = int(snapshot.visits[0])
            below = tree.much_visited(0, root, MOST_NODES, n, lambda nodes: snapshot.visits[nodes])
            ids = np.unique(np.concatenate([np.zeros(1, np.int64), *below]))
        most = np.argsort(-snapshot.visits[ids], kind="stable")[:MOST_NODES]
        return np.sort(ids[most])
    for node in nodes:
        snapshot.path(node)  # raises for one that is not there
    return np.unique(np.asarray(nodes, np.int64))


class _Work:
    """The questions to the solver within one budget, the cheap ones first."""

    def __init__(self, trace: Trace, solver: SolvedPositions | None, limit: int | None) -> None:
        self._trace, self._solver = trace, solver
        self.limit = 0 if solver is None else solver.limit if limit is None else limit
        self.looked_at = 0
        self.over = False  # whether the game is over at the node
        self._illegal = False  # whether the rules forbid the path to the node

    def moves(self, snapshot: Snapshot, node: int) -> list[MoveValue]:
        """The legal moves at the node with what is known of them; half of the budget is theirs."""
        way = self._way(node)
        legal = None if self._solver is None else self._solver.legal_actions(way)
        self.over = legal is not None and not legal
        self._illegal = legal is None
        if self._solver is None or not legal:
            return []
        exact = self._solve([[*way, action] for action in legal], self.limit // 2, distance=True)
        sign = 1 if self._solver.to_move(way) == 0 else -1
        children = {int(snapshot.action[v]): v for v in snapshot.children(node)}
        return [
            MoveValue(
                action=action,
                move=snapshot.short_label(children[action])
                if action in children
                else self._trace.action_name(action),
                node=children.get(action),
                result=None if found.result is None else sign * found.result,
                plies=None if found.plies is None else found.plies + 1,
                verdict=NOT_KNOWN,
            )
            for action, found in zip(legal, exact)
        ]

    def results(self, nodes: Sequence[int]) -> npt.NDArray[np.float32]:
        """[K] the nodes' results, view of player 0; nan: not known."""
        if self._solver is None:
            return np.full(len(nodes), np.nan, np.float32)
        ways = [self._way(node) for node in nodes]
        order = sorted(range(len(ways)), key=lambda i: -len(ways[i]))  # near the end: cheap
        left = self.limit - self.looked_at
        found = self._solve([ways[i] for i in order], left, distance=False)
        results = np.full(len(nodes), np.nan, np.float32)
        for i, exact in zip(order, found):
            if exact.result is not None:
                results[i] = exact.result
        return results

    def unknown(self, moves: Sequence[MoveValue]) -> str | None:
        """Why the values of some moves are unknown, in words."""
        game = self._trace.meta.game.name
        if self._solver is None:
            return unknown_rules(game)
        if self._illegal:
            return f"the rules of {game} do not allow the moves that lead here"
        unsolved = sum(each.result is None for each in moves)
        if unsolved:
            return f"{unsolved:,} of {len(moves):,} moves could not be solved within the budget"
        return None

    def _solve(self, ways: list[list[int]], limit: int, distance: bool) -> list[Solution]:
        """Solve each with a small limit, then the unsolved ones with larger ones, until the limit is used up."""
        assert self._solver is not None
        end = self.looked_at + limit
        found = [Solution(None, None, 0)] * len(ways)
        effort = FIRST_EFFORT
        waiting = list(range(len(ways)))
        while waiting and self.looked_at < end:
            for i in waiting:
                allowed = min(effort, end - self.looked_at)  # 0 is enough for a finished game
                found[i] = self._solver.solve(ways[i], allowed, distance)
                self.looked_at += found[i].looked_at
            waiting = [i for i in waiting if _unfinished(found[i], distance)]
            if effort > limit:
                break
            effort *= MORE
        return found

    def _way(self, node: int) -> list[int]:
        columns = self._trace.columns
        return [int(columns.nodes.action[v]) for v in self._trace.topology.path(node)[1:]]


def _unfinished(found: Solution, distance: bool) -> bool:
    return found.result is None or (distance and found.result != 0 and found.plies is None)


def _judged(moves: Sequence[MoveValue]) -> list[MoveValue]:
    """The moves with their verdicts, best first: quick wins before slow ones, quick losses last."""
    known = [each.result for each in moves if each.result is not None]
    best = max(known, default=None)
    surely = best == 1 or len(known) == len(moves)  # no unknown move can be better
    told = []
    for each in moves:
        verdict = NOT_KNOWN
        if each.result is not None and best is not None:
            if each.result < best:
                verdict = WRONG
            elif surely:
                verdict = RIGHT
        told.append(replace(each, verdict=verdict))
    return sorted(told, key=_merit)


def _merit(move: MoveValue) -> tuple[float, float]:
    if move.result is None:
        return 0.5, 0.0  # unknown: listed between draws and losses
    return -float(move.result), float(move.result * (move.plies or 0))


def _best(moves: Sequence[MoveValue]) -> tuple[int | None, int | None]:
    """Value of the position and plies to the end, from its sorted moves."""
    best = next((each for each in moves if each.verdict == RIGHT), None)
    if best is None:
        return None, None
    same = [each.plies for each in moves if each.result == best.result]
    if best.result == 0 or None in same:
        return best.result, None
    return best.result, best.plies


def _over_time(trace: Trace, node: int, t: int, moves: Sequence[MoveValue]) -> JudgedCourse:
    """The move that leads after each of the first t iterations, as these values judge it."""
    siblings = Siblings(trace, node, t)
    children = siblings.children
    judged = np.full(len(children) + 1, NOT_KNOWN, np.int8)  # the last: no leader
    loss = np.full(len(judged), np.nan)
    since, places = [np.zeros(1, np.int64)], [np.full(1, NO_NODE, np.int64)]
    if len(children) and moves:
        by_action = {each.action: each for each in moves}
        result, _ = _best(moves)
        for place, child in enumerate(children.tolist()):
            move = by_action.get(int(trace.columns.nodes.action[child]))
            if move is not None:
                judged[place] = move.verdict
                if move.result is not None and result is not None:
                    loss[place] = SHARES[result] - SHARES[move.result]
        lead = Lead(trace.columns, trace.meta, children, node, t)
        for block in siblings.blocks(settled=lead.settled):
            iteration, leader = lead.changes(block, int(places[-1][-1]))
            if len(iteration):
                since.append(iteration)
                places.append(leader.astype(np.int64))
    at, leaders = np.concatenate(since), np.concatenate(places)
    begins = np.searchsorted(at, np.unique(at), side="right") - 1  # of two at 0, the second
    at, leaders = at[begins], leaders[begins]
    return JudgedCourse(at, judged[leaders], loss[leaders])


def _right_since(told: GameValueData) -> int | None:
    first, _, verdict = told.stretches[-1]
    return first if verdict == RIGHT else None
