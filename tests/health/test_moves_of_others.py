"""Moves that a node has from its parent, or from the position at the root, where no rules are known."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, watched

BLIND: dict[str, Any] = {"game": None, "start": None, "value_range": (-1.0, 1.0)}


def notes(search: Search, check: str, **told: Any) -> list[mv.Finding]:
    return [one for one in watched(search, 800, **BLIND, **told).check() if one.check == check]


class HandedDown(Search):
    """A child gets the moves that its parent has not tried yet."""

    def add(self, node: Node, move: int) -> Node:
        child = super().add(node, move)
        legal = self.rules.moves(child.state)
        child.untried = [each for each in node.untried or [] if each in legal]
        return child


@pytest.mark.parametrize("kind", [HandedDown, Search])
def test_untried_moves_that_are_handed_down_are_a_note(kind: type[Search]) -> None:
    found = notes(kind(Rules("tic_tac_toe", []), 1), "expansion-missing")
    assert [one.severity for one in found] == (["note"] if kind is HandedDown else [])
    assert kind is Search or "the moves that its parent has not tried yet" in found[0].message


class Cells:
    """Three in a row of nine, in which whoever moves to a field has it, empty or not; nine moves."""

    name, start, first = "cells", [], "." * 9

    def __init__(self, everywhere: bool) -> None:
        self.everywhere = everywhere

    def moves(self, state: str) -> list[int]:
        return [i for i in range(9) if self.everywhere or state[i] == "."]

    def play(self, state: str, move: int) -> str:
        return state[:move] + "xo"[self.player(state)] + state[move + 1 :]

    def player(self, state: str) -> int:
        return state.count("x") > state.count("o")

    def outcome(self, state: str) -> float | None:
        for mark, worth in (("x", 1.0), ("o", -1.0)):
            if mark * 3 in state:
                return worth
        return None if "." in state else 0.0


@pytest.mark.parametrize("everywhere", [True, False])
def test_moves_to_fields_that_are_taken_are_a_note(everywhere: bool) -> None:
    told = {"players": None, "to_move": None, "state": "state"}
    found = notes(Search(Cells(everywhere), 1), "expansion-illegal", **told)
    assert [one.severity for one in found] == (["note"] if everywhere else [])
    assert not everywhere or "a field that is not empty" in found[0].message


def test_of_a_root_alone_nothing_is_said() -> None:
    root = Node(None, None, -1, 0)
    with mv.record(root=root, children="children", visits="N", value="W") as rec:
        for _ in range(40):
            root.N += 1
            rec.iteration()
    assert "expansion-missing" not in {one.check for one in rec.trace.check()}
