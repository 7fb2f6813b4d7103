"""A solver that proves a loss while moves are untried, seen by nodes of the same position."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import mcts_viz as mv

Heaps = tuple[int, ...]
Move = tuple[int, int]  # heap, and how many are left of it


@dataclass
class Node:
    heaps: Heaps
    player: int
    move: Move | None = None
    children: list[Node] = field(default_factory=list)
    n: int = 0
    w: float = 0.0  # sum of results of who moved here
    winner: int | None = None

    def __post_init__(self) -> None:
        self.untried = [(k, left) for k, heap in enumerate(self.heaps) for left in range(heap)]
        if not self.untried:  # who took the last one has lost
            self.winner = self.player

    @property
    def outcome(self) -> int | None:
        return None if any(self.heaps) else 1 - 2 * self.player


def played(heaps: Heaps, move: Move) -> Heaps:
    return tuple(move[1] if k == move[0] else heap for k, heap in enumerate(heaps))


def checked(is_early: bool, state: bool = True) -> list[mv.Finding]:
    draw, root = random.Random(1), Node((3, 2, 1, 1), 0)

    def prove(node: Node) -> None:
        known = [child.winner for child in node.children]
        if node.player in known:
            node.winner = node.player
        elif all(one == 1 - node.player for one in known) and (is_early or not node.untried):
            node.winner = 1 - node.player

    def step() -> None:
        path = [root]
        while not path[-1].untried and path[-1].winner is None:
            log = math.log(path[-1].n)
            open_ = [child for child in path[-1].children if child.winner is None]
            path.append(max(open_, key=lambda one: one.w / one.n + math.sqrt(log / one.n)))
        node = path[-1]
        if node.winner is None:
            move = node.untried.pop(draw.randrange(len(node.untried)))
            node.children.append(Node(played(node.heaps, move), 1 - node.player, move))
            path.append(node.children[-1])
        heaps, player = path[-1].heaps, path[-1].player
        while any(heaps):
            moves = [(k, left) for k, heap in enumerate(heaps) for left in range(heap)]
            heaps, player = played(heaps, draw.choice(moves)), 1 - player
        winner = player if path[-1].winner is None else path[-1].winner
        for node in reversed(path):
            node.n += 1
            node.w += 1 if winner != node.player else -1
            if node.children and node.winner is None:
                prove(node)

    def proven(node: Node) -> int | None:
        return None if node.winner is None else 1 - 2 * node.winner

    told = {"state": lambda node: f"heaps of {node.heaps}"} if state else {}
    with mv.record(
        root=root, children="children", visits="n", value="w", action="move", to_move="player", outcome="outcome",
        proven=proven, **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 700):
            if root.winner is not None:
                break
    return rec.trace.check()


def test_a_loss_proven_before_all_moves_are_tried() -> None:
    found = [one for one in checked(is_early=True) if one.severity != "note"]
    assert [one.check for one in found] == ["proof-wrong"]
    assert "A loss is proven too early, before all moves are tried" in found[0].message


def test_a_loss_proven_by_all_moves_is_right() -> None:
    assert [str(one) for one in checked(is_early=False) if one.severity != "note"] == []


def test_without_texts_of_positions_nothing_is_said() -> None:
    assert [str(one) for one in checked(is_early=True, state=False) if one.severity != "note"] == []
