"""Moves that are left out on purpose, and those that a mistake leaves out."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Node, Rules, Search, of
from tests.variants import few


class SomeMoves(Search):
    """Some of each node's moves are made."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.kept(self.rules.moves(node.state), node)
        return super().grow(node)

    def kept(self, moves: list[int], node: Node) -> list[int]:
        raise NotImplementedError


class BestFour(SomeMoves):
    def kept(self, moves: list[int], node: Node) -> list[int]:
        board = sum((i + 1) * int(x) for i, x in enumerate(node.state[:42]))
        return sorted(moves, key=lambda move: math.sin(7.0 * move + board))[-4:]


class FirstFour(SomeMoves):
    def kept(self, moves: list[int], node: Node) -> list[int]:
        return moves[:4]


class LastFour(SomeMoves):
    def kept(self, moves: list[int], node: Node) -> list[int]:
        return moves[-4:]


class OneLost(SomeMoves):
    def kept(self, moves: list[int], node: Node) -> list[int]:
        lost = self.random.choice(moves) if len(moves) > 1 else None
        return [move for move in moves if move != lost]


def missing(kind: type[Search], name: str) -> mv.Finding:
    trace: Any = of(kind)(Rules(name, START[name]), 1)
    (finding,) = (one for one in trace.check() if one.check == "expansion-missing")
    return finding


@pytest.mark.parametrize("name", few(START))
def test_the_best_few_moves_alone_are_a_note(name: str) -> None:
    finding = missing(BestFour, name)
    assert finding.severity == "note"
    assert "keeps the 4 best" in finding.message


@pytest.mark.parametrize("kind", [FirstFour, LastFour, OneLost])
def test_the_same_few_moves_or_one_lost_are_a_warning(kind: type[Search]) -> None:
    assert missing(kind, "connect_four").severity == "warning"


class OneShort(Search):
    """A node counts as full once all of its moves but one have a child."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)
            self.random.shuffle(node.untried)
        return None if len(node.untried) <= 1 else super().grow(node)


def test_nodes_that_all_stop_one_short_are_named() -> None:
    finding = missing(OneShort, "tic_tac_toe")
    assert finding.severity == "warning"
    assert "no node gets all of its children" in finding.message
    assert "len(children) >= len(legal) - 1" in finding.message
