"""Rollouts that are played on a node's own board before a recorder sees the node, and stop before the end of the game,
or of which the text shows empty fields as blanks: the node's position has what both players have set in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.health.tree.fields import boards_of
from tests.health.test_boards import CHECK, Fields, OnOwnBoard, Setting, Turning
from tests.health.unusual import Node, Search, watched

SIZE = 5


class Wide(Fields):
    """Five by five fields, three in a row win; the player to move behind them."""

    first = "." * SIZE * SIZE + "0"

    def empty(self, state: str) -> list[int]:
        return [i for i in range(SIZE * SIZE) if state[i] == "."]

    def play(self, state: str, move: int) -> str:
        player = self.player(state)
        return state[:move] + "XO"[player] + state[move + 1 : -1] + str(1 - player)

    def player(self, state: str) -> int:
        return int(state[-1])

    def outcome(self, state: str) -> float | None:
        for i in range(SIZE * SIZE):
            for right, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                row, column = divmod(i, SIZE)
                if row + 2 * down < SIZE and 0 <= column + 2 * right < SIZE:
                    three = {state[i + k * (right + down * SIZE)] for k in range(3)}
                    if len(three) == 1 and three != {"."}:
                        return 1.0 if state[i] == "X" else -1.0
        return None if self.empty(state) else 0.0


class WithReplies(Wide):
    """After a move, a piece of the other player comes to the first empty field: two at once, whoever moves."""

    def play(self, state: str, move: int) -> str:
        after = super().play(state, move)
        if self.outcome(after) is not None:
            return after
        return super().play(after, self.empty(after)[0])[:-1] + after[-1]


class Rolling(Wide):
    """All rows move on by one with each move, the last one to the top."""

    first = "XOXO." + "." * 20 + "0"

    def play(self, state: str, move: int) -> str:
        after = super().play(state, move)
        return after[-1 - SIZE : -1] + after[: -1 - SIZE] + after[-1]


class Signs(Wide):
    """A piece is written with four signs, two of either kind, on one of ten fields."""

    first = "." * 40 + "0"

    def moves(self, state: str) -> list[int]:
        return [i for i in range(0, 40, 4) if state[i] == "."]

    def play(self, state: str, move: int) -> str:
        piece = ("XOXO", "OXXO")[self.player(state)]
        return state[:move] + piece + state[move + 4 : -1] + str(1 - self.player(state))

    def outcome(self, state: str) -> float | None:
        filled = 10 - len(self.moves(state))
        return None if filled < 8 else 1.0 if state[0] == "X" else -1.0


class Short(Search):
    """Rollouts of some moves, then an evaluation."""

    length = 4

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.untried = self.rules.moves(state)
        return made

    def evaluate(self, leaf: Node) -> float:
        state = self.played_on(leaf.state)
        outcome = self.rules.outcome(state)
        return (state.count("X") % 3 - 1) / 4 if outcome is None else float(outcome)

    def played_on(self, state: Any) -> Any:
        for _ in range(self.length):
            if self.rules.outcome(state) is None:
                state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        return state


class ShortOnOwnBoard(Short):
    """The moves of a node are those of the position that its rollout has left."""

    def evaluate(self, leaf: Node) -> float:
        leaf.state = self.played_on(leaf.state)
        leaf.untried = self.rules.moves(leaf.state)
        self.length, length = 0, self.length
        value = super().evaluate(leaf)
        self.length = length
        return value


def text(node: Node) -> str:
    return str(node.state)[:-1]


def blanks(node: Node) -> list[list[str]]:
    """A grid whose empty fields are blank."""
    cells = text(node).replace(".", " ")
    width = SIZE if len(cells) == SIZE * SIZE else 3
    return [list(cells[i : i + width]) for i in range(0, len(cells), width)]


def one_line(node: Node) -> str:
    return "|".join("".join(row) for row in blanks(node))


def findings(
    kind: type[Search], rules: Fields, state: Callable[[Node], object] = text
) -> list[mv.Finding]:
    """What is said of positions, where nothing is told of the game."""
    told: dict[str, Any] = {"players": None, "value_range": None, "to_move": "player"}
    trace = watched(kind(rules, 1), 300, state=state, **told)
    return [one for one in trace.check() if one.check == CHECK]


@pytest.mark.parametrize("state", [text, blanks, one_line])
@pytest.mark.parametrize(
    ("kind", "rules"), [(ShortOnOwnBoard, Wide), (OnOwnBoard, Wide), (OnOwnBoard, Fields)]
)
def test_positions_with_moves_of_both_players_since_their_parents_are_named(
    kind: type[Search], rules: type[Fields], state: Callable[[Node], object]
) -> None:
    (one,) = findings(kind, rules(), state)
    assert "on the node's own board and not on a copy" in one.message
    assert "of “X” and" in one.message
    assert one.severity == "warning"
    assert (one.iteration, one.node) == (1, 1)


@pytest.mark.parametrize("state", [text, blanks, one_line])
@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        (Short, Wide), (Search, Wide), (Search, Fields), (Search, Turning), (Search, Setting),
        (Search, WithReplies), (Search, Signs), (Search, Rolling),
    ],
)  # fmt: skip
def test_positions_of_correct_searches_are_not(
    kind: type[Search], rules: type[Fields], state: Callable[[Node], object]
) -> None:
    assert findings(kind, rules(), state) == []


@pytest.mark.parametrize(
    ("texts", "fields"),
    [
        (["X.O ..", ".X. O."], ["X", ".", "O", ".", "."]),
        (["[0, -1, 12]", "[10, 0, 1]"], ["0", "-1", "12"]),
        (["x\t\to", "\t\tx"], ["x", "", "o"]),
        (["X O|", " X |"], ["X", " ", "O", "|"]),
    ],
)
def test_fields_are_read_as_the_texts_have_them(texts: list[str], fields: list[str]) -> None:
    boards = boards_of(texts[0], texts)
    assert boards.root == fields
    assert boards.fields(texts[1]) is not None
    assert boards.fields("X") is None
    assert boards.fields(None) is None
