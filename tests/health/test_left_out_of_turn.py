"""Three players, of whom one may be out before the game ends: whose entry a search compares."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import mcts_viz as mv

PLAYERS = ("Ann", "Ben", "Cid")


@dataclass
class Node:
    lives: tuple[int, ...] = (2, 2, 3)
    player: int = 0
    victim: int | None = None
    kids: list[Node] = field(default_factory=list)
    n: int = 0
    w: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])

    def over(self) -> bool:
        return sum(life > 0 for life in self.lives) == 1

    def victims(self) -> list[int]:
        return [one for one in range(3) if one != self.player and self.lives[one]]

    def hit(self, victim: int) -> Node:
        lives = tuple(life - (one == victim) for one, life in enumerate(self.lives))
        player = (self.player + 1) % 3
        while not lives[player]:
            player = (player + 1) % 3
        return Node(lives, player, victim)


def found(seat: Callable[[Node, Node], int]) -> list[mv.Finding]:
    """seat: whose entry is compared, of a node and its child."""
    draw, root = random.Random(1), Node()

    def score(node: Node, child: Node) -> float:
        return child.w[seat(node, child)] / child.n + math.sqrt(math.log(node.n) / child.n)

    def step() -> None:
        path = [root]
        while not path[-1].over():
            node = path[-1]
            new = [one for one in node.victims() if one not in {kid.victim for kid in node.kids}]
            if new:
                node.kids.append(node.hit(draw.choice(new)))
                path.append(node.kids[-1])
                break
            path.append(max(node.kids, key=lambda kid: score(node, kid)))
        end = path[-1]
        while not end.over():
            end = end.hit(draw.choice(end.victims()))
        for node in path:
            node.n += 1
            for one in range(3):
                node.w[one] += end.lives[one] > 0

    with mv.record(
        root=root, children="kids", visits="n", value="w", to_move="player", action="victim", players=PLAYERS,
        value_range=(0, 1), selection="ucb1", c=1.0, unvisited="first",
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 600):
            pass
    return [one for one in rec.trace.check() if one.severity != "note"]


def test_the_player_before_the_one_at_the_child_is_not_always_who_chooses() -> None:
    (one,) = found(lambda node, child: (child.player - 1) % 3)
    assert one.check == "selection-wrong-view"
    assert "where a player is left out of the turn" in one.message


def test_the_child_s_own_player_is_not_who_chooses() -> None:
    (one,) = found(lambda node, child: child.player)
    assert one.check == "selection-wrong-view"
    assert "as by child.values[child.player]" in one.message


def test_who_chooses_compares_an_entry_of_their_own() -> None:
    assert found(lambda node, child: node.player) == []
