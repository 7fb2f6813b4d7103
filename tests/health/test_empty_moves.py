"""Moves that leave the position as it is and hand over the turn, where no rules are known."""

from __future__ import annotations

import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.test_boards import Fields
from tests.health.unusual import PRIORS, AllChildren, Node, Puct, Search, watched

PASS = 99


def turned(state: str) -> str:
    return state[:9] + str(1 - int(state[9]))


class Forgiving(Fields):
    """A move that is not legal changes nothing but the turn."""

    def play(self, state: str, move: int) -> str:
        if move not in self.moves(state):
            return turned(state)
        return super().play(state, move)


class Begun(Forgiving):
    first = "X...O....0"


class MaskOfRoot(Puct):
    """The moves that are legal at the root, at every node."""

    def expand(self, leaf: Node) -> None:
        moves = self.rules.moves(self.root.state)
        for move in moves:
            self.add(leaf, move).P = 1 / len(moves) + 0.01 * (move % 3 - 1)

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return random.Random(str(leaf.state)).uniform(-0.5, 0.5)


class WithPass(Forgiving):
    """Nobody has to move."""

    def moves(self, state: str) -> list[int]:
        moves = super().moves(state)
        return [*moves, PASS] if moves else []

    def play(self, state: str, move: int) -> str:
        return turned(state) if move == PASS else super().play(state, move)


def board(node: Node) -> str:
    return str(node.state[:9])


def findings(search: Search, **told: Any) -> list[mv.Finding]:
    known = {"state": board, "value_range": (-1, 1), "players": None, "to_move": "player"}
    found = watched(search, 800, **{**known, **told}).check()
    return [one for one in found if one.check == "expansion-illegal"]


@pytest.mark.parametrize(("rules", "n"), [(Forgiving, 9), (Begun, 7)])
def test_a_mask_of_legal_moves_of_the_root_is_a_note(rules: type[Fields], n: int) -> None:
    (one,) = findings(MaskOfRoot(rules(), 1), **PRIORS)
    assert one.severity == "note"
    assert "leaves the position as it is and hands over the turn" in one.message
    assert f"nearly all nodes have the {n} moves of the root" in one.message


@pytest.mark.parametrize("rules", [Forgiving, WithPass])
@pytest.mark.parametrize("told", [{}, {"action": None}], ids=["named", "places"])
def test_legal_moves_and_a_pass_are_not(rules: type[Fields], told: dict[str, Any]) -> None:
    assert not findings(AllChildren(rules(), 1), **told)


def test_of_a_state_that_leaves_out_what_one_player_does_nothing_is_said() -> None:
    search = MaskOfRoot(Forgiving(), 1)
    assert not findings(search, **PRIORS, state=lambda node: node.state[:9].replace("O", "."))


def test_of_moves_that_are_shown_later_whoever_makes_them_nothing_is_said() -> None:
    def shown(node: Node) -> str:
        hidden = node.parent is not None and node.state.count(".") % 3 == 2
        return board(node.parent if hidden and node.parent is not None else node)

    assert not findings(AllChildren(Fields(), 1), state=shown)


class Holding(Forgiving):
    """The second player may move to a stone of its own, which stays as it is."""

    def moves(self, state: str) -> list[int]:
        own = [i for i in range(9) if state[i] == "O" and state[9] == "1"]
        return [*super().moves(state), *own] if super().moves(state) else []

    def play(self, state: str, move: int) -> str:
        return super().play(state, move) if state[move] == "." else turned(state)


def test_of_moves_that_change_nothing_for_one_player_alone_nothing_is_said() -> None:
    assert not findings(AllChildren(Holding(), 1))
