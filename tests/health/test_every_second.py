"""Loops that remove moves from the list which they go over, where no rules are known."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.test_boards import Fields
from tests.health.unusual import AllChildren, Node, watched

CHECK = "expansion-missing"


class SkipsEverySecond(AllChildren):
    is_shuffled = False

    def grow(self, node: Node) -> Node | None:
        if node.untried is not None:
            return None
        node.untried = self.rules.moves(node.state)
        if self.is_shuffled:
            self.random.shuffle(node.untried)
        for move in node.untried:
            self.add(node, move)
            node.untried.remove(move)
        return node.children[0]


class SkipsOfShuffled(SkipsEverySecond):
    is_shuffled = True


class KeepsInnerHalf(AllChildren):
    """On purpose: fields near the middle are worth more."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is not None:
            return None
        moves = sorted(self.rules.moves(node.state), key=lambda move: abs(move - 4))
        node.untried = []
        for move in moves[: (len(moves) + 1) // 2]:
            self.add(node, move)
        return node.children[0]


def findings(kind: type[AllChildren], **told: Any) -> list[mv.Finding]:
    """What is said of missing moves, where nothing is told of the game."""
    known: dict[str, Any] = {"players": None, "value_range": None, "to_move": "player", **told}
    trace = watched(kind(Fields(), 1), 600, **known)
    return [one for one in trace.check() if one.check == CHECK]


def board(node: Node) -> str:
    return str(node.state)[:9]


@pytest.mark.parametrize("told", [{"state": board}, {}])
@pytest.mark.parametrize(
    ("kind", "which"), [(SkipsEverySecond, "every second one"), (SkipsOfShuffled, "now these")]
)
def test_loops_that_skip_every_second_move_are_named(
    kind: type[AllChildren], which: str, told: dict[str, Any]
) -> None:
    (one,) = findings(kind, **told)
    assert one.severity == "warning"
    assert which in one.message
    assert "moves.remove(move)" in one.message


@pytest.mark.parametrize("told", [{"state": board}, {}])
@pytest.mark.parametrize("kind", [AllChildren, KeepsInnerHalf])
def test_all_moves_and_those_that_are_kept_on_purpose_are_not(
    kind: type[AllChildren], told: dict[str, Any]
) -> None:
    """By boards of Tic-Tac-Toe it is known that moves are missing, which may be on purpose."""
    said = findings(kind, **told)
    assert not [one for one in said if "moves.remove(move)" in one.message]
    assert kind is KeepsInnerHalf or not said
