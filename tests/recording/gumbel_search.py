"""A small Gumbel MuZero search on Tic-Tac-Toe, as people write it: its network is a table of made-up numbers."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from mcts_viz.formulas.among_siblings import halving_schedule

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(eq=False)
class Node:
    """A position; values in the view of the player to move, as networks give them."""

    board: str
    logit: float = 0.0
    prior: float = 0.0
    move: int | None = None
    children: list[Node] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0  # of values, view of the player to move here
    evaluation: float | None = None
    reward: float = 0.0  # of the move to here, for the player who moved
    gumbel: float | None = None

    @property
    def q(self) -> float:
        """For the player who moved here."""
        return self.reward - self.total / self.visits


def result(board: str) -> float | None:
    """For the player to move; None: the game goes on."""
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".":
            return -1.0
    return 0.0 if "." not in board else None


class GumbelSearch:
    """fault: a mistake of those that people make; with_rewards: the result of a game is the reward of its last move, as
    with mctx, and what comes after it is worth 0."""

    def __init__(
        self, simulations: int = 32, considered: int = 4, seed: int = 0, fault: str = "", with_rewards: bool = False
    ) -> None:  # fmt: skip
        self.simulations, self.fault, self.with_rewards = simulations, fault, with_rewards
        self.random = random.Random(seed)
        self.root = Node("." * 9)
        self.evaluate(self.root)
        noise = [-math.log(-math.log(self.random.random())) for _ in self.root.children]
        for child, g in zip(self.root.children, noise):
            child.gumbel = g
        self.considered = min(considered, len(self.root.children))
        self.schedule = halving_schedule(self.considered, simulations).tolist()
        if fault == "schedule":
            self.schedule = halving_schedule(self.considered, simulations // 2).tolist() * 2

    def evaluate(self, node: Node) -> float:
        """Make the children with their priors; the value."""
        done = result(node.board)
        if done is not None:
            node.evaluation = 0.0 if self.with_rewards else done
            return node.evaluation
        draw = random.Random(node.board)
        player = "XO"[(9 - node.board.count(".")) % 2]
        for move in (at for at in range(9) if node.board[at] == "."):
            board = node.board[:move] + player + node.board[move + 1 :]
            reward = -(result(board) or 0.0) if self.with_rewards else 0.0
            node.children.append(Node(board, draw.gauss(0, 1), move=move, reward=reward))
        top = math.log(sum(math.exp(child.logit) for child in node.children))
        for child in node.children:
            child.prior = math.exp(child.logit - top)
        node.evaluation = draw.uniform(-0.9, 0.9)
        return node.evaluation

    def scaled(self, node: Node) -> list[float]:
        """σ of the completed values of the children."""
        tried = [child for child in node.children if child.visits]
        total = sum(child.visits for child in tried)
        share = sum(child.prior for child in tried)
        assert node.evaluation is not None
        mixed = node.evaluation
        if tried and self.fault != "not mixed":
            mixed = (mixed + total * sum(c.prior * c.q for c in tried) / share) / (1 + total)
        values = [child.q if child.visits else mixed for child in node.children]
        if self.fault == "other view":
            values = [-c.q if c.visits else mixed for c in node.children]
        if self.fault == "no reward":
            values = [c.q - c.reward if c.visits else mixed for c in node.children]
        if self.fault == "other scale":
            return [3.0 * q for q in values]
        low, high = min(values), max(values)
        most = max(child.visits for child in node.children)
        return [(50 + most) * 0.1 * (q - low) / max(high - low, 1e-8) for q in values]

    def at_root(self) -> Node:
        """By sequential halving."""
        due = self.schedule[sum(child.visits for child in self.root.children)]
        times = {"twice": 2.0, "no noise": 0.0}.get(self.fault, 1.0)
        by_logits = self.fault != "no logits"
        by_all = self.fault != "values later" or due == 0
        scores = [
            (
                child.visits == due,
                by_all * (times * (child.gumbel or 0.0) + by_logits * math.log(child.prior)) + s,
            )
            for child, s in zip(self.root.children, self.scaled(self.root))
        ]
        return self.root.children[scores.index(max(scores))]

    def below(self, node: Node) -> Node:
        """By the improved policy."""
        if self.fault == "noise below":
            for child in node.children:
                child.gumbel = child.gumbel or self.random.random()
        is_taken_for_it = self.fault == "priors as logits"
        logits = [
            (child.prior if is_taken_for_it else child.logit) + s
            for child, s in zip(node.children, self.scaled(node))
        ]
        top = max(logits)
        weights = [math.exp(each - top) for each in logits]
        total = sum(child.visits for child in node.children)
        scores = [
            w / sum(weights) - child.visits / (1 + total)
            for child, w in zip(node.children, weights)
        ]
        if self.fault == "by action":
            scores += [0.0] * (9 - len(scores))
            return max(node.children, key=lambda child: scores[child.move or 0])
        return node.children[scores.index(max(scores))]

    def step(self) -> None:
        """One simulation."""
        path = [self.root, self.at_root()]
        while path[-1].visits and path[-1].children:
            path.append(self.below(path[-1]))
        leaf = path[-1]
        value = leaf.evaluation if leaf.visits else self.evaluate(leaf)
        assert value is not None
        for node in reversed(path):
            node.visits += 1
            node.total += value
            value = node.reward - value

    def best(self) -> int:
        """The move, of the most visited ones."""
        most = max(child.visits for child in self.root.children)
        scores = [
            (child.visits == most, (child.gumbel or 0.0) + math.log(child.prior) + s)
            for child, s in zip(self.root.children, self.scaled(self.root))
        ]
        return self.root.children[scores.index(max(scores))].move or 0
