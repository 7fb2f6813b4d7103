"""Rollouts that are played on a node's own board before a recorder sees it, where no rules are known."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Search, watched

CHECK = "expansion-state-changes"
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Fields:
    """Tic-Tac-Toe on a text, the player to move behind it."""

    first = ".........0"
    marks = 1  # letters behind the board

    def moves(self, state: str) -> list[int]:
        return [] if self.outcome(state) is not None else self.empty(state)

    def empty(self, state: str) -> list[int]:
        return [i for i in range(9) if state[i] == "."]

    def play(self, state: str, move: int) -> str:
        player = self.player(state)
        return state[:move] + "XO"[player] + state[move + 1 : 9] + str(1 - player)

    def player(self, state: str) -> int:
        return int(state[9])

    def outcome(self, state: str) -> float | None:
        for line in LINES:
            stones = "".join(state[i] for i in line)
            if stones in ("XXX", "OOO"):
                return 1.0 if stones[0] == "X" else -1.0
        return None if self.empty(state) else 0.0


class Turning(Fields):
    """Neighbours of a stone become its colour."""

    def play(self, state: str, move: int) -> str:
        beside = {move - 1, move + 1, move - 3, move + 3}
        stone = "XO"[self.player(state)]
        turned = [stone if i in beside and x != "." else x for i, x in enumerate(state[:9])]
        return super().play("".join(turned) + state[9], move)


class Setting(Fields):
    """Three fields are filled at once, until none is empty."""

    def play(self, state: str, move: int) -> str:
        player = self.player(state)
        filled = {move, *self.empty(state)[:2]}
        fields = ["XO"[player] if i in filled else x for i, x in enumerate(state[:9])]
        return "".join(fields) + str(1 - player)


class Runs(Fields):
    """One player takes runs of equal fields off a row, which closes up; what is left over counts against him."""

    first = "aabbccabbaaccbbc"
    marks = 0

    def moves(self, state: str) -> list[int]:
        starts = range(1, len(state))
        return [i for i in starts if state[i] == state[i - 1] != "."]

    def play(self, state: str, move: int) -> str:
        field = state[move]
        if field == ".":
            return state
        begin = end = move
        while begin and state[begin - 1] == field:
            begin -= 1
        while end < len(state) and state[end] == field:
            end += 1
        return (state[:begin] + state[end:]).ljust(len(state), ".")

    def player(self, state: str) -> int:
        return 0

    def outcome(self, state: str) -> float | None:
        return None if self.moves(state) else state.count(".") / len(state)


class Tiles(Fields):
    """One player lays nine tiles, each of a kind of its own."""

    first = "." * 9
    marks = 0

    def moves(self, state: str) -> list[int]:
        return self.empty(state)

    def play(self, state: str, move: int) -> str:
        return state[:move] + "ABCDEFGHII"[9 - state.count(".")] + state[move + 1 :]

    def player(self, state: str) -> int:
        return 0

    def outcome(self, state: str) -> float | None:
        in_order = sum(a < b for a, b in itertools.pairwise(state))
        return None if "." in state else in_order / 8


class OnOwnBoard(Search):
    """The moves of a node are worked out when it is made."""

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.untried = self.rules.moves(state)
        return made

    def evaluate(self, leaf: Node) -> float:
        while (outcome := self.rules.outcome(leaf.state)) is None:
            move = self.random.choice(self.rules.moves(leaf.state))
            leaf.state = self.rules.play(leaf.state, move)
        return outcome


class ShownAfterwards(Search):
    """The positions are what they are; their boards are those at the ends of rollouts."""

    def evaluate(self, leaf: Node) -> float:
        state = leaf.state
        while (outcome := self.rules.outcome(state)) is None:
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        leaf.board = state  # type: ignore[attr-defined]
        return outcome


def findings(kind: type[Search], rules: Fields) -> list[mv.Finding]:
    """What is said of positions, where nothing is told of the game."""

    def board(node: Node) -> str:
        return str(getattr(node, "board", node.state))[: len(rules.first) - rules.marks]

    told: dict[str, Any] = {"players": None, "value_range": None, "to_move": "player"}
    if isinstance(rules, (Runs, Tiles)):
        told |= {"players": ("solo",), "to_move": None}
    trace = watched(kind(rules, 1), 300, state=board, **told)
    return [one for one in trace.check() if one.check == CHECK]


@pytest.mark.parametrize("kind", [OnOwnBoard, ShownAfterwards])
def test_boards_that_fill_at_the_first_move_and_not_below_are_named(kind: type[Search]) -> None:
    (one,) = findings(kind, Fields())
    assert "the node's own board" in one.message
    assert one.severity == "warning"


@pytest.mark.parametrize("kind", [OnOwnBoard, ShownAfterwards])
def test_boards_that_one_player_empties_at_the_first_move_are_named(kind: type[Search]) -> None:
    (one,) = findings(kind, Runs())
    assert "the node's own board" in one.message
    # boards at the ends of other rollouts may have more pieces than the one above
    assert ("more “.”" if kind is OnOwnBoard else "fewer “") in one.message
    assert one.severity == ("warning" if kind is OnOwnBoard else "note")


def test_so_are_those_with_a_tile_of_its_own_on_each_field() -> None:
    (one,) = findings(OnOwnBoard, Tiles())
    assert "changes 9 of its 9 fields at once (fewer “.”)" in one.message


@pytest.mark.parametrize("rules", [Fields, Turning, Setting, Runs, Tiles])
def test_boards_that_fill_move_by_move_are_not(rules: type[Fields]) -> None:
    assert findings(Search, rules()) == []
