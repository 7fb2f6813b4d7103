"""Three players, one number at each node: whose result it is, where nobody tells results."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

import mcts_viz as mv

PLAYERS = 3
Place = Callable[[int], int]


class Node:
    def __init__(self, sticks: int, to_move: int, parent: Node | None, move: int) -> None:
        self.sticks, self.to_move, self.parent, self.move = sticks, to_move, parent, move
        self.children: list[Node] = []
        self.visits, self.total = 0, 0.0


class Sticks:
    """Players in turn take one to three sticks. UCT, all children at once; each node has the result of the player
    that `whose` gives for the one to move there; and `odd` moves before the last one comes the player who pays."""

    def __init__(self, seed: int, whose: Place, odd: int = 0) -> None:
        self.random, self.whose, self.odd = random.Random(seed), whose, odd
        self.root = Node(11, 0, None, -1)

    def results(self, last: int) -> list[float]:
        return [-2.0 if player == (last - self.odd) % PLAYERS else 1.0 for player in range(PLAYERS)]

    def step(self) -> None:
        path = [self.root]
        while path[-1].visits and path[-1].sticks:
            node = path[-1]
            node.children = node.children or [
                Node(node.sticks - n, (node.to_move + 1) % PLAYERS, node, n)
                for n in range(1, min(3, node.sticks) + 1)
            ]
            path.append(max(node.children, key=self.score))
        sticks, player = path[-1].sticks, path[-1].to_move
        while sticks:
            sticks, player = sticks - self.random.randint(1, min(3, sticks)), (player + 1) % PLAYERS
        results = self.results((player - 1) % PLAYERS)
        for node in path:
            node.visits += 1
            node.total += results[self.whose(node.to_move)]

    def score(self, child: Node) -> float:
        if not child.visits or child.parent is None:
            return math.inf
        explored = math.sqrt(math.log(child.parent.visits) / child.visits)
        return child.total / child.visits + 2 * explored


def of_mover(to_move: int) -> int:
    return (to_move - 1) % PLAYERS


def of_next(to_move: int) -> int:
    return to_move


def of_last_but_one(to_move: int) -> int:
    return (to_move - 2) % PLAYERS


def wrong_players(search: Sticks) -> list[mv.Finding]:
    with mv.record(
        root=search.root, children="children", visits="visits", value="total", action="move",
        to_move="to_move", players=("red", "green", "blue"), value_range=(-2, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 1_000):
            pass
    return [one for one in rec.trace.check() if one.check == "value-wrong-player"]


def test_games_that_never_go_by_the_last_move_are_worth_a_note() -> None:
    (one,) = wrong_players(Sticks(1, of_next))
    assert one.severity == "note"
    assert "the player before the one who made the last move (-2)" in one.message
    assert "the result of the player to move there" in one.message


def test_a_player_who_loses_as_he_cannot_move_is_the_right_reason_for_another_one() -> None:
    for search in (Sticks(1, of_last_but_one), Sticks(1, of_mover, odd=-1)):
        (one,) = wrong_players(search)
        assert "the player who would be next (-2)" in one.message
        assert "Right where a player loses who cannot move" in one.message


@pytest.mark.parametrize("seed", [1, 2])
def test_games_that_the_last_move_decides_are_not(seed: int) -> None:
    assert wrong_players(Sticks(seed, of_mover)) == []


def test_nor_are_games_that_all_players_end_alike_or_in_turns() -> None:
    class Alike(Sticks):
        def results(self, last: int) -> list[float]:
            return [1.0, 1.0, 1.0]

    class ForRed(Sticks):
        def results(self, last: int) -> list[float]:
            return [-2.0, 1.0, 1.0]

    for kind in (Alike, ForRed):
        assert wrong_players(kind(1, of_mover)) == []
