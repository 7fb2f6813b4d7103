"""A tree that is used again after a move, whose numbers are in the view of the root's player."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Node, Rules, Search
from tests.variants import few


class RootView(Search):
    """Values of the player to move at the root; they are turned round when another one comes to be."""

    turns = True

    def worth(self, node: Node, outcome: float) -> float:
        return outcome if self.root.player == 0 else -outcome

    def score(self, node: Node, child: Node) -> float:
        sign = 1 if node.player == self.root.player else -1
        return super().score(node, child) if sign > 0 else self.exploration(node, child) - child.Q

    def exploration(self, node: Node, child: Node) -> float:
        return super().score(node, child) - child.Q

    def advance(self) -> None:
        self.root = max(self.root.children, key=lambda child: child.N)
        self.root.parent = None
        below = [self.root]
        while self.turns and below:
            node = below.pop()
            node.W = -node.W
            below += node.children


class NotTurned(RootView):
    turns = False


class OldRoot(Search):
    """Values of the mover; results go on to be counted as they were for the root before."""

    turn = 1

    def worth(self, node: Node, outcome: float) -> float:
        return self.turn * super().worth(node, outcome)

    def advance(self) -> None:
        self.root = max(self.root.children, key=lambda child: child.N)
        self.root.parent = None
        self.turn = -1


class NextRoot(OldRoot):
    def advance(self) -> None:
        super().advance()
        self.turn = 1


def recorded(search: Any, **told: Any) -> mv.Trace:
    fields: dict[str, Any] = {"children": "children", "visits": "N", "value": "W", "action": "move"}
    with mv.record(root=lambda: search.root, **fields, **told) as rec:
        for _ in rec.steps(search.step, 500):
            pass
        search.advance()
        for _ in rec.steps(search.step, 500):
            pass
    return rec.trace


@pytest.mark.parametrize("name", few(START))
@pytest.mark.parametrize("kind", [RootView, NotTurned])
def test_numbers_that_were_not_turned_round_are_named(name: str, kind: type[RootView]) -> None:
    trace = recorded(kind(Rules(name, START[name]), 1), value_view="root", to_move="player")
    severity = {one.check: one.severity for one in trace.check()}
    assert severity.get("reuse-view") == (None if kind.turns else "error")
    assert trace.meta.watched.values_unturned is not kind.turns


def test_a_player_who_is_to_move_again_need_not_turn_them() -> None:
    class Twice(NotTurned):
        """The other player always passes: the root's player stays."""

        def node(self, state: Any, parent: Node | None, move: int) -> Node:
            made = super().node(state, parent, move)
            made.player = 0
            return made

    trace = recorded(
        Twice(Rules("connect_four", START["connect_four"]), 1), value_view="root", to_move="player"
    )
    assert not trace.meta.watched.values_unturned


def test_results_for_the_root_before_are_named_by_finished_games() -> None:
    wrong = recorded(OldRoot(Rules("tic_tac_toe", START["tic_tac_toe"]), 1))
    right = recorded(NextRoot(Rules("tic_tac_toe", START["tic_tac_toe"]), 1))
    found = [one for one in wrong.check() if one.check == "reuse-view"]
    assert [one.severity for one in found] == ["error"]
    assert "such nodes" in found[0].message
    assert not [one for one in right.check() if one.check == "reuse-view"]


class Turned(NextRoot):
    """What was kept is turned round, though values are those of the mover."""

    def advance(self) -> None:
        super().advance()
        below = [self.root]
        while below:
            node = below.pop()
            node.W = -node.W
            below += node.children


@pytest.mark.parametrize(
    ("kind", "words"),
    few(
        [
            (OldRoot, "the numbers that were kept have the right sign, and what is added since has the wrong one"),
            (Turned, "what is added has the right sign, and the numbers that were kept have the wrong one"),
            (NextRoot, ""),
        ],
        3,
    ),
)  # fmt: skip
def test_which_numbers_have_the_wrong_sign_is_told_by_results(
    kind: type[OldRoot], words: str
) -> None:
    search = kind(Rules("connect_four", START["connect_four"]), 1)
    told = {"to_move": "player", "outcome": "outcome", "players": ("X", "O")}
    serious = [one for one in recorded(search, **told).check() if one.severity != "note"]
    assert [one.check for one in serious] == (["reuse-view"] if words else [])
    assert all(words in one.message for one in serious)
