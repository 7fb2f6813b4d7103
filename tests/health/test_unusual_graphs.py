"""Correct searches over graphs: tables that are kept from move to move, and values that are worked out anew from
children whose values came by other ways, too."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv
from tests.recording.table_searches import CanonicalTicTacToe, TableSearch
from tests.variants import few


def serious(trace: mv.Trace) -> list[str]:
    return [str(one) for one in trace.check() if one.severity != "note"]


@pytest.mark.parametrize("seed", few(range(4)))
def test_tables_that_are_kept_from_move_to_move(seed: int) -> None:
    """States below the root were visited by moves that are not below it, in searches before."""
    search, draw = TableSearch(), random.Random(seed)
    board = CanonicalTicTacToe.start
    for _ in range(5):
        with mv.record_tables(
            Nsa=search.Nsa, Qsa=search.Qsa, Ns=search.Ns, Ps=search.Ps, root=board, next=search.game.next_board,
            to_move=0, thorough=seed == 3,
        ) as rec:  # fmt: skip
            for _ in rec.steps(lambda start=board: search.step(start), 120):
                pass
        assert serious(rec.trace) == []
        board = search.game.next_board(
            board, draw.choice([a for a, free in enumerate(search.game.moves(board)) if free])
        )
        if search.game.ended(board):
            break


class State:
    """A state of Tic-Tac-Toe; its value is its own and its children's, by the visits of the moves to them."""

    def __init__(self, board: str) -> None:
        draw = random.Random(board)
        self.board, self.end = board, CanonicalTicTacToe.ended(board)
        self.own = self.end or draw.uniform(-1, 1)
        moves = [a for a, free in enumerate(CanonicalTicTacToe.moves(board)) if free]
        self.priors = {} if self.end else {a: 1 / len(moves) for a in moves}
        self.children, self.by_move = dict[int, State](), dict[int, int]()
        self.N, self.Q = 0, 0.0

    def best(self) -> int:
        def score(move: int) -> float:
            n = self.by_move.get(move, 0)
            q = -self.children[move].Q if n else 0.0
            return q + 1.5 * self.priors[move] * math.sqrt(self.N) / (1 + n)

        return max(self.priors, key=score)

    def update(self) -> None:
        self.N = 1 + sum(self.by_move.values())
        below = sum(n * self.children[move].Q for move, n in self.by_move.items())
        self.Q = (self.own - below) / self.N


def test_values_that_are_worked_out_anew_from_shared_children() -> None:
    """Monte Carlo graph search; which moves there are is not in the nodes before they are made."""
    known = {board: State(board) for board in (CanonicalTicTacToe.start,)}
    root = known[CanonicalTicTacToe.start]
    with mv.record(
        root=root, children="children", visits="N", value="Q", value_kind="mean", value_view="to_move",
        to_move=lambda state: state.board.count(".") % 2, shared=True,
    ) as rec:  # fmt: skip
        for _ in range(400):
            path, moves = [root], list[int]()
            while path[-1].N and path[-1].priors:
                state, move = path[-1], path[-1].best()
                board = CanonicalTicTacToe.next_board(state.board, move)
                state.children[move] = known.setdefault(board, State(board))
                path.append(state.children[move])
                moves.append(move)
            leaf = path.pop()
            leaf.N, leaf.Q = leaf.N + 1, leaf.own
            for state, move in zip(reversed(path), reversed(moves)):
                state.by_move[move] = state.by_move.get(move, 0) + 1
                state.update()
            rec.iteration()
    assert serious(rec.trace) == []


@pytest.mark.parametrize("seed", few(range(4)))
def test_values_of_a_back_up_with_a_name_may_go_anywhere_by_the_ways_to_a_node(seed: int) -> None:
    """A way has what came by it, which of a value that is worked out anew may be more than a visit can bring."""
    draw = random.Random(seed)
    known: dict[str, State] = {}
    root = known.setdefault(CanonicalTicTacToe.start, State(CanonicalTicTacToe.start))

    def visit(state: State) -> None:
        if not state.N:
            for move in state.priors:
                board = CanonicalTicTacToe.next_board(state.board, move)
                state.children[move] = known.setdefault(board, State(board))
        elif state.priors:
            move = state.best() if draw.random() < 0.9 else draw.choice([*state.priors])
            visit(state.children[move])
            state.by_move[move] = state.by_move.get(move, 0) + 1
        below = sum(n * state.children[move].Q for move, n in state.by_move.items())
        state.N += 1
        state.Q = (state.own - below) / (1 + sum(state.by_move.values()))

    with mv.record(
        root=root, children="children", visits="N", value="Q", value_kind="mean", value_view="to_move",
        to_move=lambda state: state.board.count(".") % 2, shared=True, selection="by itself",
        policies={"backpropagation": {"name": "mcgs"}},
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: visit(root), 700):
            pass
    assert serious(rec.trace) == []
