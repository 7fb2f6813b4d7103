"""Records three searches that are no two-player games: planning alone, with rewards on the way and a
discount; a game of dice, with nodes of chance; and reasoning in words.

    python samples/beyond_two_players.py my_search.mcts

Written as one would write them anywhere: plain objects, and one call of `mcts_viz.record`.
"""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a checkout need not be installed

import mcts_viz as mv

PLANNING, DICE, WORDS = "planning.mcts", "pig.mcts", "game_of_24.mcts"


class Node:
    """What every search here has at its nodes."""

    def __init__(self, state: Any, action: Any = None, prior: float | None = None) -> None:
        self.state, self.action, self.prior = state, action, prior
        self.children: list[Node] = []
        self.visits, self.value = 0, 0.0


def ucb1(node: Node, c: float, draw: random.Random) -> Node:
    """The child with the highest score, one without visits first."""
    new = [child for child in node.children if not child.visits]
    if new:
        return draw.choice(new)
    log = math.log(node.visits)
    return max(
        node.children,
        key=lambda child: child.value / child.visits + c * math.sqrt(log / child.visits),
    )


# ---- planning: a robot on ice, alone ---------------------------------------------------------------------------------

ICE = ("S...", "..o.", ".o..", "...G")
WAYS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
REWARD = {".": -1.0, "S": -1.0, "o": -10.0, "G": 30.0}  # of the field that one comes to
DISCOUNT, HORIZON = 0.95, 14


def moved(place: tuple[int, int], way: str) -> tuple[int, int]:
    """One field further, or the same one at the edge."""
    row, column = (place[axis] + WAYS[way][axis] for axis in (0, 1))
    return (row, column) if 0 <= row < 4 and 0 <= column < 4 else place


def ice_with_robot(place: tuple[int, int]) -> str:
    """The grid, the robot as R."""
    rows = [list(row) for row in ICE]
    rows[place[0]][place[1]] = "R"
    return "\n".join(" ".join(row) for row in rows)


def plan(node: Node, depth: int, draw: random.Random) -> float:
    """One iteration from this node on; the discounted return."""
    field = ICE[node.state[0]][node.state[1]]
    gain = 0.0
    if depth < HORIZON and field not in "oG":
        if not node.children and (node.visits or depth == 0):
            node.children = [Node(moved(node.state, way), way) for way in WAYS]
        if node.children:
            gain = DISCOUNT * plan(ucb1(node, 12.0, draw), depth + 1, draw)
        else:
            gain = DISCOUNT * walk(node.state, depth + 1, draw)
    gain += REWARD[field] if depth else 0.0
    node.visits += 1
    node.value += gain
    return gain


def walk(place: tuple[int, int], depth: int, draw: random.Random) -> float:
    """The return of a random walk."""
    place = moved(place, draw.choice(list(WAYS)))
    field = ICE[place[0]][place[1]]
    done = field in "oG" or depth == HORIZON
    return REWARD[field] + (0.0 if done else DISCOUNT * walk(place, depth + 1, draw))


def record_planning(path: Path | None) -> mv.Trace:
    """600 iterations."""
    draw, root = random.Random(1), Node((0, 0))
    return recorded(
        path, root, lambda: plan(root, 0, draw), 600,
        game="planning on ice", players=("robot",), action="action",
        state=lambda node: ice_with_robot(node.state), value_range=(-25.0, 30.0),
        discount=DISCOUNT, step_rewards=True, selection="ucb1", c=12.0,
    )  # fmt: skip


# ---- Pig: roll or hold, a one loses the turn -------------------------------------------------------------------------

GOAL = 12


class Pig:
    """A position: points of both, of this turn, who moves; `rolling` where the die is in the air."""

    def __init__(self, points: tuple[int, int], turn: int, player: int, rolling: bool) -> None:
        self.points, self.turn, self.player, self.rolling = points, turn, player, rolling

    def __str__(self) -> str:
        what = "the die is rolling" if self.rolling else f"{'AB'[self.player]} to move"
        return f"A {self.points[0]} · B {self.points[1]} · this turn {self.turn}\n{what}"

    def winner(self) -> int | None:
        """Who has the points."""
        return next((p for p in (0, 1) if self.points[p] >= GOAL), None)

    def after(self, action: str | int) -> Pig:
        """A move, or a number of the die."""
        if action == "roll":
            return Pig(self.points, self.turn, self.player, True)
        points = list(self.points)
        if action == "hold":
            points[self.player] += self.turn
            return Pig((points[0], points[1]), 0, 1 - self.player, False)
        if action == 1:
            return Pig(self.points, 0, 1 - self.player, False)
        return Pig(self.points, self.turn + int(action), self.player, False)

    def actions(self) -> list[Any]:
        """What may happen next."""
        return [1, 2, 3, 4, 5, 6] if self.rolling else ["roll", "hold"] if self.turn else ["roll"]


def throw(root: Node, draw: random.Random) -> None:
    """One iteration."""
    path, movers = [root], [1 - root.state.player]
    while path[-1].state.winner() is None and (path[-1].visits or path[-1] is root):
        node = path[-1]
        if not node.children:
            share = 1 / 6 if node.state.rolling else None
            node.children = [Node(node.state.after(a), a, share) for a in node.state.actions()]
        movers.append(movers[-1] if node.state.rolling else node.state.player)
        path.append(draw.choice(node.children) if node.state.rolling else ucb1(node, 1.0, draw))
    state = path[-1].state
    while state.winner() is None:
        state = state.after(draw.choice(state.actions()))
    for node, mover in zip(path, movers):
        node.visits += 1
        node.value += float(state.winner() == mover)


def record_dice(path: Path | None) -> mv.Trace:
    """500 iterations."""
    draw, root = random.Random(2), Node(Pig((0, 0), 0, 0, False))
    return recorded(
        path, root, lambda: throw(root, draw), 500,
        game="pig", players=("A", "B"), action=lambda node: node.action,
        label=lambda node: str(node.action) if node.action in ("roll", "hold") else f"a {node.action}",
        state=lambda node: str(node.state), to_move=lambda node: node.state.player,
        chance=lambda node: node.state.rolling, prior="prior",
        outcome=lambda node: {None: None, 0: 1.0, 1: -1.0}[node.state.winner()],
        value_range=(0.0, 1.0), selection="ucb1", c=1.0,
    )  # fmt: skip


# ---- the game of 24, step by step in words ---------------------------------------------------------------------------

NUMBERS = (4, 9, 10, 13)
WIDEST = 12


def thoughts(numbers: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
    """What a model might propose: a step in words, and the numbers left."""
    found = {}
    for a, b in itertools.permutations(range(len(numbers)), 2):
        x, y = numbers[a], numbers[b]
        rest = [n for i, n in enumerate(numbers) if i not in (a, b)]
        for sign, result in (("+", x + y), ("-", x - y), ("*", x * y)):
            if result > 0 and (sign == "-" or x <= y):
                found[f"{x} {sign} {y} = {result}"] = tuple(sorted([*rest, result]))
    return list(found.items())


def promise(numbers: tuple[int, ...]) -> float:
    """How likely 24 is thought to come out, from 0 to 1."""
    if len(numbers) == 1:
        return float(numbers[0] == 24)
    return 1 / (1 + abs(sum(numbers) - 24) / 12)


def in_words(node: Node) -> str:
    """The thought at a node, as long as such texts are."""
    step, left = node.action or "the question", ", ".join(map(str, node.state))
    if node.action is None:
        return f"Use {left} and + - * to make 24. Each number is used once. Think step by step."
    judged = f"The numbers left are {left}. "
    if len(node.state) == 1:
        return f"{step}. {judged}" + (
            "That is 24, done." if node.state == (24,) else "That is not 24."
        )
    return (
        f"Let us try {step}. {judged}Their sum is {sum(node.state)}, {abs(sum(node.state) - 24)} away from 24, so "
        f"this looks {'promising' if promise(node.state) > 0.6 else 'unlikely, but not impossible'}. What else can be "
        "done with them? Take two of them, and go on in the same way with what comes out."
    )


def think(root: Node, draw: random.Random) -> None:
    """One iteration."""
    path = [root]
    while path[-1].children:
        path.append(ucb1(path[-1], 0.4, draw))
    leaf = path[-1]
    if len(leaf.state) > 1:
        steps = sorted(thoughts(leaf.state), key=lambda step: -promise(step[1]))[:WIDEST]
        total = sum(0.1 + promise(left) for _, left in steps)
        leaf.children = [Node(left, step, (0.1 + promise(left)) / total) for step, left in steps]
    for node in path:
        node.visits += 1
        node.value += promise(leaf.state)


def record_words(path: Path | None) -> mv.Trace:
    """150 iterations."""
    draw, root = random.Random(3), Node(NUMBERS)
    return recorded(
        path, root, lambda: think(root, draw), 150,
        game="game of 24", players=("language model",), action=lambda node: node.action,
        state=in_words, prior="prior", value_range=(0.0, 1.0), selection="ucb1", c=0.4,
        outcome=lambda node: promise(node.state) if len(node.state) == 1 else None,
    )  # fmt: skip


def recorded(
    path: Path | None, root: Node, step: Callable[[], object], iterations: int, **told: Any
) -> mv.Trace:
    """The trace of a search."""
    fields = {"children": "children", "visits": "visits", "value": "value"}
    with mv.record(path, root=root, **{**fields, **told}) as rec:
        for _ in rec.steps(step, iterations):
            pass
    return rec.trace


RECORDS = {PLANNING: record_planning, DICE: record_dice, WORDS: record_words}


def main(path: Path) -> None:
    """Record the first one into the file, and tell what the others say."""
    for name, record in RECORDS.items():
        trace = record(path if name == PLANNING else None)
        print(f"{name}: {trace.explain()}\n")
    print(f"{path}: open it with python app.py {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else PLANNING))
