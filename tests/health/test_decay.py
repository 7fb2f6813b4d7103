"""One board for all nodes, on which moves are not taken back completely, where no rules are known."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Search, watched

SIZE = 4
START = "oooooooo....xxxxxxxx"  # a row has four fields; o moves down, x up


class Breakthrough:
    """One step forward, straight to an empty field or slantwise; who comes to the other side has won."""

    first = f"{START}0"

    def player(self, state: str) -> int:
        return int(state[-1])

    def moves(self, state: str) -> list[int]:
        """100 times the field that is left, and the field that is come to."""
        own, step = "ox"[self.player(state)], (1, -1)[self.player(state)]
        found = []
        for at in range(len(START)):
            row, column = divmod(at, SIZE)
            if state[at] != own or not 0 <= row + step < len(START) // SIZE:
                continue
            for aside in (-1, 0, 1):
                to = (row + step) * SIZE + column + aside
                if 0 <= column + aside < SIZE and (
                    state[to] == "." or (aside and state[to] != own)
                ):
                    found.append(100 * at + to)
        return found

    def play(self, state: str, move: int) -> str:
        fields = list(state[:-1])
        fields[move % 100], fields[move // 100] = fields[move // 100], "."
        return "".join(fields) + str(1 - self.player(state))

    def outcome(self, state: str) -> float | None:
        if "o" in state[-SIZE - 1 : -1] or "x" not in state:
            return 1.0
        if "x" in state[:SIZE] or "o" not in state:
            return -1.0
        return None if self.moves(state) else (1.0 if self.player(state) else -1.0)


class OneBoard(Search):
    """Each node keeps its moves and the text of its position; the board is one, and moves on it are taken back."""

    puts_back = True

    def __init__(self, rules: Any, seed: int) -> None:
        self.board = rules.first
        super().__init__(rules, seed)

    def step(self) -> None:
        self.iterations += 1
        node, path, taken = self.root, [self.root], list[tuple[int, str]]()
        while True:
            if node.untried is None:
                node.untried = [] if node.outcome is not None else self.rules.moves(node.state)
                self.random.shuffle(node.untried)
            if node.untried:
                move = node.untried.pop()
                self.make(move, taken)
                child = self.node(self.board, node, move)
                node.children.append(child)
                path.append(child)
                break
            if not node.children:
                break
            node = self.choose(node)
            self.make(node.move, taken)
            path.append(node)
        while (outcome := self.rules.outcome(self.board)) is None:
            self.make(self.random.choice(self.rules.moves(self.board)), taken)
        self.backpropagate(path, outcome)
        while taken:
            self.undo(*taken.pop())

    def make(self, move: int, taken: list[tuple[int, str]]) -> None:
        taken.append((move, self.board[move % 100]))
        self.board = self.rules.play(self.board, move)

    def undo(self, move: int, captured: str) -> None:
        fields, player = list(self.board[:-1]), str(1 - int(self.board[-1]))
        fields[move // 100] = fields[move % 100]
        fields[move % 100] = captured if self.puts_back else "."
        self.board = "".join(fields) + player


class Decaying(OneBoard):
    """A captured piece is not put back."""

    puts_back = False


class InOrder(Search):
    """Captures are tried first."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            empty = node.state.count(".")
            node.untried = sorted(
                self.rules.moves(node.state),
                key=lambda move: self.rules.play(node.state, move).count(".") > empty,
            )
        return super().grow(node)


def board(node: Node) -> str:
    return str(node.state[:-1])


def in_fog(node: Node) -> str:
    """Half of the pieces are seen."""
    draw = random.Random(str(node.state))
    return "".join(draw.choice((field, ".")) for field in board(node))


def findings(search: Search, state: Callable[[Node], str] = board) -> dict[str, mv.Finding]:
    told: dict[str, Any] = {"players": None, "to_move": "player", "value_range": (-1, 1)}
    trace = watched(search, 600, state=state, **told)
    return {one.check: one for one in trace.check() if one.check.startswith("expansion-")}


def test_a_board_that_decays_leads_to_the_undo() -> None:
    one = findings(Decaying(Breakthrough(), 1))["expansion-state-changes"]
    assert one.severity == "warning"
    assert "the fewer pieces its position has" in one.message
    assert "undo() does not put back the piece" in one.message


@pytest.mark.parametrize("kind", [OneBoard, Search, InOrder])
def test_a_board_on_which_all_is_taken_back_is_not_named(kind: type[Search]) -> None:
    assert "expansion-state-changes" not in findings(kind(Breakthrough(), 1))


def test_positions_of_which_a_part_is_shown_do_not_decay() -> None:
    assert "expansion-state-changes" not in findings(Search(Breakthrough(), 1), in_fog)
