"""Built-in games that are recognised by the boards, or the moves, of a search whose author names no game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.games.rules import Board
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.told.game import ToldGame, told_boards, told_game
from tests.health.unusual import Node, Rules, Search

START = {
    "tic_tac_toe": [4, 0],
    "connect_four:4,5": [2, 2],
    "mnk:4,4,3": [5, 9, 6],
    "connect_four": [],
}
Text = Callable[[Board], Any]


class Blind(Search):
    """Plays a built-in game; nothing is known of it but what is told."""

    rules: Rules

    def board(self, node: Node) -> Board:
        moves: list[int] = []
        while node.parent is not None:
            moves.append(node.move)
            node = node.parent
        assert self.rules.game.board is not None
        return self.rules.game.board([*self.rules.start, *reversed(moves)])


class Turned(Blind):
    """Results have the wrong sign."""

    def worth(self, node: Node, outcome: float) -> float:
        return -super().worth(node, outcome)


class TurnedAtEvenDepths(Blind):
    """Results of rollouts from leaves of even depth have the wrong sign."""

    def evaluate(self, leaf: Node) -> float:
        depth, node = 0, leaf
        while node.parent is not None:
            depth, node = depth + 1, node.parent
        return super().evaluate(leaf) * (1 if depth % 2 else -1)


class WithoutLast(Blind):
    """The last legal move is never tried."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)
            node.untried = node.untried[:-1] if len(node.untried) > 1 else node.untried
        return self.add(node, node.untried.pop()) if node.untried else None


def recorded(search: Blind, iterations: int = 600, **told: Any) -> mv.Trace:
    fields = {"children": "children", "visits": "N", "value": "W", "action": "move", **told}
    with mv.record(root=search.root, **fields) as rec:
        for _ in rec.steps(search.step, iterations):
            pass
    return rec.trace


def by_boards(search: Blind, text: Text, iterations: int = 600, **told: Any) -> mv.Trace:
    return recorded(search, iterations, state=lambda node: text(search.board(node)), **told)


def rows_of(board: Board, empty: str = ".") -> list[list[str]]:
    symbols = [symbol or empty for symbol in board.symbols]
    return [symbols[i : i + board.columns] for i in range(0, len(symbols), board.columns)]


def number(board: Board) -> list[list[int]]:
    return [[{"X": 1, "O": -1, ".": 0}[cell] for cell in row] for row in rows_of(board)]


def in_view_of_mover(board: Board) -> list[list[int]]:
    rows = number(board)
    turn = 1 if sum(map(sum, rows)) == 0 else -1
    return [[turn * cell for cell in row] for row in rows]


def framed(board: Board) -> str:
    return "\n".join(
        line for row in rows_of(board, " ") for line in ("|".join(row), "+".join("-" * len(row)))
    )


def with_turn(board: Board) -> str:
    text = "\n".join(" ".join(row) for row in rows_of(board, "_"))
    return f"{text}\n{'X' if sum(map(bool, board.symbols)) % 2 == 0 else 'O'} to move"


TEXTS: dict[str, Text] = {
    "rows": rows_of,
    "numbers": number,
    "in the mover's view": in_view_of_mover,
    "one line": lambda board: "".join(symbol or "-" for symbol in board.symbols),
    "a tuple": lambda board: str(tuple(symbol or "-" for symbol in board.symbols)),
    "a frame": framed,
    "with the turn": with_turn,
    "upside down": lambda board: rows_of(board)[::-1],
    "by columns": lambda board: [list(column) for column in zip(*rows_of(board))],
}


def game_of(trace: mv.Trace) -> ToldGame | None:
    boards = told_boards(trace, trace.meta)
    return None if boards is None else told_game(trace, trace.meta, boards)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four:4,5", "mnk:4,4,3"])
@pytest.mark.parametrize("how", TEXTS)
def test_a_game_is_recognised_by_its_boards(name: str, how: str) -> None:
    rules = Rules(name, START[name])
    trace = by_boards(Blind(rules, 1), TEXTS[how], 3_000, outcome=ended(rules), to_move="player")
    told = game_of(trace)
    assert told is not None
    assert (told.is_certain, told.lost) == (True, None)
    assert told.rules.game.name == name
    assert told.rules.to_move(told.rules.state()) == max(int(trace.columns.nodes.to_move[0]), 0)
    if how not in ("upside down", "by columns"):
        assert sorted(told.rules.actions) == sorted(START[name])
        assert told.action[1:].tolist() == trace.columns.nodes.action[1 : trace.n_nodes].tolist()


@pytest.mark.parametrize(
    ("name", "start"),
    [("tic_tac_toe", [4, 0]), ("connect_four:4,5", [2, 2, 2, 2, 1, 1, 1, 3])],
)
def test_boards_without_outcomes_tell_the_game_where_lines_end_it_and_win(
    name: str, start: list[int]
) -> None:
    search = Blind(Rules(name, start), 1)
    told = game_of(by_boards(search, rows_of, 3_000))
    assert told is not None
    assert (told.is_certain, told.lost) == (True, None)


@pytest.mark.parametrize("cell", ["4", "(1, 1)", "row 2, column 2"])
def test_moves_alone_tell_the_game(cell: str) -> None:
    names: dict[str, Callable[[Node], Any]] = {
        "4": lambda node: node.move,
        "(1, 1)": lambda node: None if node.parent is None else divmod(node.move, 3),
        "row 2, column 2": lambda node: (
            None if node.parent is None else f"row {node.move // 3 + 1}, column {node.move % 3 + 1}"
        ),
    }
    rules = Rules("tic_tac_toe", [])
    told = game_of(recorded(Blind(rules, 1), 1_500, action=names[cell], outcome=ended(rules)))
    assert told is not None
    assert told.rules.game.name == "tic_tac_toe"


def test_columns_alone_tell_the_game() -> None:
    rules = Rules("connect_four:4,4", [])
    trace = recorded(Blind(rules, 1), 3_000, outcome=ended(rules))
    told = game_of(trace)
    assert told is not None
    assert told.rules.game.name == "connect_four:4,4"


class LosesByLine(Rules):
    """Three in a row lose."""

    def outcome(self, state: Any) -> float | None:
        outcome = super().outcome(state)
        return None if outcome is None else -outcome


class EndsWhenFull(Rules):
    """Lines end nothing: who has more corners of the full board wins."""

    def __init__(self, name: str, start: list[int]) -> None:
        super().__init__(name, start)
        self.first: str = "." * 9
        for move in start:
            self.first = self.play(self.first, move)

    def moves(self, state: str) -> list[int]:
        return [cell for cell in range(9) if state[cell] == "."]

    def play(self, state: str, move: int) -> str:
        return state[:move] + "XO"[self.player(state)] + state[move + 1 :]

    def player(self, state: str) -> int:
        return (9 - state.count(".")) % 2

    def outcome(self, state: str) -> float | None:
        corners = state[0] + state[2] + state[6] + state[8]
        ahead = corners.count("X") - corners.count("O")
        return None if "." in state else float((ahead > 0) - (ahead < 0))


@pytest.mark.parametrize("kind", [LosesByLine, EndsWhenFull])
def test_another_game_on_the_same_board_is_not_taken_for_it(kind: type[Rules]) -> None:
    rules = kind("tic_tac_toe", [4, 0])
    trace = by_boards(Blind(rules, 1), rows_of, 1_500, outcome=ended(rules))
    assert game_of(trace) is None
    assert [one for one in trace.check() if one.severity != "note"] == []


@pytest.mark.thorough
def test_lines_that_lose_are_a_warning_where_no_outcome_is_told() -> None:
    trace = by_boards(Turned(Rules("tic_tac_toe", [4, 0]), 1), rows_of, 2_000)
    (one,) = (one for one in trace.check() if one.severity != "note")
    assert (one.check, one.severity) == ("value-wrong-view", "warning")
    assert "whoever completes a line gets -1, the value of a loss" in one.message
    assert "Right where a line loses" in one.message
    right = by_boards(Blind(Rules("tic_tac_toe", [4, 0]), 1), rows_of, 2_000)
    assert [one for one in right.check() if one.severity != "note"] == []


def test_a_sign_that_goes_by_the_depth_is_found_by_the_rules_of_the_boards() -> None:
    trace = by_boards(TurnedAtEvenDepths(Rules("tic_tac_toe", []), 1), rows_of, 1_500)
    wrong = {one.check: one for one in trace.check()}["simulation-flipped"]
    assert "at leaves where player 0 is to move, and not at others" in wrong.message
    assert "By the rules of Tic-Tac-Toe" in wrong.message


@pytest.mark.thorough
def test_what_the_rules_say_is_a_warning_where_the_board_alone_tells_the_game() -> None:
    """From the opening of Connect Four, no game ends in a small tree."""
    told = game_of(by_boards(Blind(Rules("connect_four", []), 1), rows_of, 300))
    assert told is not None
    assert not told.is_certain
    trace = by_boards(WithoutLast(Rules("connect_four", []), 1), rows_of, 1_000)
    missing = {one.check: one for one in trace.check()}["expansion-missing"]
    assert missing.severity == "warning"
    assert "whose boards these look like; right where others hold" in missing.message


class NearStones(Blind):
    """Gomoku programs look at empty points next to a stone alone."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            symbols = self.board(node).symbols
            node.untried = [
                move for move in self.rules.moves(node.state)
                if any(
                    stone and abs(move // 6 - i // 6) <= 1 and abs(move % 6 - i % 6) <= 1
                    for i, stone in enumerate(symbols)
                )
            ]  # fmt: skip
        return self.add(node, node.untried.pop()) if node.untried else None


@pytest.mark.thorough
def test_moves_that_are_left_out_on_a_large_board_are_a_note() -> None:
    rules = Rules("mnk:6,6,4", [14, 0, 15, 5])
    trace = by_boards(NearStones(rules, 1), rows_of, 1_000, outcome=ended(rules))
    said = trace.check()
    assert [str(one) for one in said if one.severity != "note"] == []
    (missing,) = (one for one in said if one.check == "expansion-missing")
    assert "right where moves are left out on purpose" in missing.message


@pytest.mark.thorough
def test_names_of_moves_are_the_authors() -> None:
    rules = Rules("connect_four:4,5", [2, 2])
    search = Blind(rules, 1)
    trace = by_boards(
        search, rows_of, 3_000, outcome=ended(rules),
        action=lambda node: None if node.parent is None else f"drop {'abcde'[node.move]}",
    )  # fmt: skip
    checked = CheckedSearch(trace)
    assert checked.told_game is not None
    assert {checked.move_into(node) for node in range(1, 6)} <= {f"drop {c}" for c in "abcde"}


def ended(rules: Rules) -> Callable[[Node], float | None]:
    return lambda node: rules.outcome(node.state)
