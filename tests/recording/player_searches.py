"""Searches of games that more than two play, or in which all choose at once, as their authors write them."""

from __future__ import annotations

import math
import random
from typing import Any

PLAYERS = ("red", "green", "blue")
HANDS = ("rock", "paper", "scissors")


class StickNode:
    """Three take one to three sticks in turn; who takes the last one loses 2, the others win 1."""

    def __init__(
        self, sticks: int, player: int, parent: StickNode | None = None, move: int | None = None
    ) -> None:
        self.sticks, self.player, self.parent, self.move = sticks, player, parent, move
        self.children: list[StickNode] = []
        self.visits = 0
        self.values = [0.0] * 3
        self.value = 0.0  # for who moved here; the root's: who is to move


class MaxN:
    """UCT with a value for each player. mistake: which entries of the result are added to those of a node: those of
    "first" or of the one who moved into the leaf ("mover") to all, "shifted" by one, or "rolled" the wrong way round
    with each level above the leaf; or by which entry it selects:
    that of the "first chooses" for all, of the "next chooses"."""

    def __init__(self, mistake: str = "", sticks: int = 9, seed: int = 1) -> None:
        self.root = StickNode(sticks, 0)
        self.outcome = [0.0] * 3
        self._mistake, self._random = mistake, random.Random(seed)

    def step(self) -> None:
        node = self.root
        while node.sticks and len(node.children) == min(3, node.sticks):
            node = max(node.children, key=self._score)
        if node.sticks:
            move = len(node.children) + 1
            child = StickNode(node.sticks - move, (node.player + 1) % 3, node, move)
            node.children.append(child)
            node = child
        self._back_up(node, self._play(node.sticks, node.player))

    def _score(self, child: StickNode) -> float:
        assert child.parent is not None
        explored = math.sqrt(math.log(child.parent.visits) / child.visits)
        player = {"first chooses": 0, "next chooses": child.player}.get(
            self._mistake, child.parent.player
        )
        return child.values[player] / child.visits + 1.4 * explored

    def _play(self, sticks: int, player: int) -> list[float]:
        while sticks:
            sticks -= self._random.randint(1, min(3, sticks))
            player = (player + 1) % 3
        self.outcome = [1.0] * 3
        self.outcome[(player - 1) % 3] = -2.0
        return self.outcome

    def _back_up(self, leaf: StickNode, result: list[float]) -> None:
        last = (leaf.player - 1) % 3
        added = {
            "first": [result[0]] * 3,
            "mover": [result[last]] * 3,
            "shifted": result[1:] + result[:1],
        }.get(self._mistake, result)
        node: StickNode | None = leaf
        while node is not None:
            node.visits += 1
            node.values = [total + more for total, more in zip(node.values, added)]
            node.value += added[node.player if node.parent is None else node.parent.player]
            node = node.parent
            if self._mistake == "rolled":
                added = added[2:] + added[:2]


class MaxNFromParents(MaxN):
    """The same by PUCT; a child without visits counts as its parent, for the player who chooses."""

    def step(self) -> None:
        node = self.root
        while node.visits and node.sticks:
            if not node.children:
                player = (node.player + 1) % 3
                moves = range(1, min(3, node.sticks) + 1)
                node.children = [
                    StickNode(node.sticks - move, player, node, move) for move in moves
                ]
            node = max(node.children, key=self._score)
        self._back_up(node, self._play(node.sticks, node.player))

    def _score(self, child: StickNode) -> float:
        parent = child.parent
        assert parent is not None
        counts = child if child.visits else parent
        explored = 1.4 * self.prior(child) * math.sqrt(parent.visits) / (1 + child.visits)
        return counts.values[parent.player] / counts.visits + explored

    @staticmethod
    def prior(node: StickNode) -> float:
        """Equal for all moves."""
        return 1 / len(node.parent.children) if node.parent else 1.0


class JointNode:
    """Two games of rock, paper, scissors; the second counts twice."""

    def __init__(self, depth: int, total: int = 0, hands: tuple[str, str] | None = None) -> None:
        self.depth, self.total, self.hands = depth, total, hands
        self.children: dict[tuple[int, int], JointNode] = {}
        self.visits = 0
        self.values = [0.0, 0.0]
        self.own = [[[0, 0.0] for _ in HANDS] for _ in (0, 1)]  # visits and value by player, move


class DecoupledUCT:
    """Both choose at once, each by UCB1 over its own moves. same: both get what the first one wins."""

    def __init__(self, seed: int = 0, same: bool = False) -> None:
        self.root, self._sign = JointNode(0), 1 if same else -1
        self.outcome = (0.0, 0.0)
        self._random = random.Random(seed)

    def step(self) -> None:
        node, path = self.root, [self.root]
        taken: list[tuple[int, int]] = []
        is_new = False
        while node.depth < 2 and not is_new:
            joint = (self._choice(node, 0), self._choice(node, 1))
            is_new = joint not in node.children
            if is_new:
                hands = (HANDS[joint[0]], HANDS[joint[1]])
                node.children[joint] = JointNode(
                    node.depth + 1, node.total + _won(*joint) * (1 + node.depth), hands
                )
            node = node.children[joint]
            taken.append(joint)
            path.append(node)
        total = float(node.total)
        for depth in range(node.depth, 2):
            total += _won(self._random.randrange(3), self._random.randrange(3)) * (1 + depth)
        self.outcome = (total, -total)
        for above, joint in zip(path, taken):
            for player, won in enumerate((total, self._sign * total)):
                above.own[player][joint[player]][0] += 1
                above.own[player][joint[player]][1] += won
        for each in path:
            each.visits += 1
            each.values = [each.values[0] + total, each.values[1] + self._sign * total]

    def _choice(self, node: JointNode, player: int) -> int:
        own = node.own[player]
        untried = [move for move in range(3) if not own[move][0]]
        if untried:
            return self._random.choice(untried)
        log = math.log(node.visits)
        return max(range(3), key=lambda m: own[m][1] / own[m][0] + 1.5 * math.sqrt(log / own[m][0]))


def _won(one: int, other: int) -> int:
    return 0 if one == other else 1 if (one - other) % 3 == 1 else -1


FIELDS: dict[str, Any] = {
    "children": "children", "visits": "visits", "value": "values", "action": "move", "to_move": "player",
    "players": PLAYERS, "value_range": (-2, 1),
}  # fmt: skip
JOINT_FIELDS: dict[str, Any] = {
    "children": "children", "visits": "visits", "value": "values", "action": "hands", "simultaneous": True,
    "players": ("row", "column"), "value_range": (-3, 3),
}  # fmt: skip
