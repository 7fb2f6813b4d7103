"""Searches written small after the shapes of public ones, which fill in their nodes late. They know nothing of the
package."""

from __future__ import annotations

import math
import random
from typing import Any

from tests.recording.searches import play, winner


class MuZeroNode:
    """As in muzero-general: all children at once, `to_play` and `reward` when a node is expanded."""

    def __init__(self, prior: float):
        self.visit_count, self.to_play, self.prior, self.value_sum = 0, -1, prior, 0.0
        self.children: dict[int, MuZeroNode] = {}
        self.hidden_state: str | None = None
        self.reward = 0.0

    def value(self) -> float:
        return self.value_sum / self.visit_count if self.visit_count else 0.0

    def expand(self, to_play: int, reward: float, state: str) -> None:
        self.to_play, self.reward, self.hidden_state = to_play, reward, state
        for action in range(3):
            self.children[action] = MuZeroNode((action + 1) / 6)


class MuZero:
    """One player, rewards on the way; `wrong` changes what is carried up."""

    discount = 0.9

    def __init__(self, wrong: str = "", seed: int = 1):
        self.random, self.wrong, self.low, self.high = random.Random(seed), wrong, 0.0, 1.0

    def run(self, simulations: int) -> MuZeroNode:
        root = MuZeroNode(0)
        root.expand(0, 0.0, "s")
        for _ in range(simulations):
            node, path = root, [root]
            state = "s"
            while node.children:
                action, node = self.select(node)
                state += str(action)
                path.append(node)
            node.expand(0, self.random.choice([0.0, 0.25, 0.5]), state)
            self.backpropagate(path, self.random.random())
        return root

    def select(self, node: MuZeroNode) -> tuple[int, MuZeroNode]:
        best = max(self.score(node, child) for child in node.children.values())
        return next(pair for pair in node.children.items() if self.score(node, pair[1]) == best)

    def score(self, parent: MuZeroNode, child: MuZeroNode) -> float:
        explore = child.prior * math.sqrt(parent.visit_count) / (1 + child.visit_count)
        return child.reward + self.discount * child.value() + 1.25 * explore

    def backpropagate(self, search_path: list[MuZeroNode], value: float) -> None:
        for node in reversed(search_path):
            node.value_sum += value
            node.visit_count += 1
            reward = node.reward * (self.discount if self.wrong == "discounted twice" else 1.0)
            if self.wrong == "left out":
                reward = 0.0
            value = reward + self.discount * value


class AlphaZeroNode:
    """As JoshVarty's: children by move, state and priors when a node is first reached."""

    def __init__(self, prior: float, to_play: int):
        self.visit_count, self.to_play, self.prior, self.value_sum = 0, to_play, prior, 0.0
        self.children: dict[int, AlphaZeroNode] = {}
        self.state: str | None = None
        self.result: float | None = None  # view of X

    def value(self) -> float:
        return self.value_sum / self.visit_count if self.visit_count else 0.0


def ucb_score(parent: AlphaZeroNode, child: AlphaZeroNode) -> float:
    explore = child.prior * math.sqrt(parent.visit_count) / (child.visit_count + 1)
    return explore + (-child.value() if child.visit_count else 0.0)


class AlphaZero:
    """Tic-Tac-Toe; values in the view of the player to move."""

    def __init__(self, epsilon: float = 0.0, seed: int = 3):
        self.random, self.epsilon = random.Random(seed), epsilon

    def expand(self, node: AlphaZeroNode, state: str) -> None:
        node.state = state
        for move in (at for at in range(9) if state[at] == "."):
            node.children[move] = AlphaZeroNode(1 / state.count("."), -node.to_play)

    def run(self, simulations: int, state: str = "." * 9) -> AlphaZeroNode:
        root = AlphaZeroNode(0, 1)
        self.expand(root, state)
        for _ in range(simulations):
            node, path = root, [root]
            while node.children:
                parent = node
                action, node = max(
                    node.children.items(), key=lambda pair: ucb_score(parent, pair[1])
                )
                if self.random.random() < self.epsilon:
                    action, node = self.random.choice([*parent.children.items()])
                path.append(node)
            assert path[-2].state is not None
            board = node.state or play(path[-2].state, action)
            won = winner(board)
            node.state = board
            if won or "." not in board:
                node.result = 0.0 if won is None else 1.0 if won == "X" else -1.0
                value = node.result * node.to_play
            else:
                self.expand(node, board)
                value = self.random.uniform(-0.3, 0.3)
            self.backpropagate(path, value, node.to_play)
        return root

    def backpropagate(self, search_path: list[AlphaZeroNode], value: float, to_play: int) -> None:
        for node in reversed(search_path):
            node.value_sum += value if node.to_play == to_play else -value
            node.visit_count += 1


class ReasonersNode:
    """As in llm-reasoners: the state is made when a node is visited, and its action has several lines."""

    def __init__(self, action: str | None, parent: ReasonersNode | None = None):
        self.action, self.parent = action, parent
        self.state: str | None = None
        self.children: list[ReasonersNode] | None = None
        self.cum_rewards: list[float] = []

    @property
    def Q(self) -> float | None:  # noqa: N802 (the name there)
        return sum(self.cum_rewards) / len(self.cum_rewards) if self.cum_rewards else None


class Reasoners:
    def __init__(self, seed: int = 1):
        self.random = random.Random(seed)
        self.root: ReasonersNode | None = None

    def iterate(self, root: ReasonersNode) -> None:
        node, path = root, [root]
        while node.children:
            node = max(
                node.children, key=lambda child: (not child.cum_rewards, self.random.random())
            )
            path.append(node)
        node.state = f"after {node.action}"
        if len(path) < 5:
            text = "think about it\nstep by step:\n" + "and then\n" * 20
            node.children = [ReasonersNode(f"{text}{n}", node) for n in range(2)]
        self.back_propagate(path)

    def back_propagate(self, path: list[ReasonersNode]) -> list[float]:
        rewards: list[float] = []
        for node in reversed(path):
            rewards.append(self.random.random())
            node.cum_rewards.append(sum(rewards))
        return rewards

    def __call__(self, iterations: int) -> Any:
        self.root = ReasonersNode(None)
        for _ in range(iterations):
            self.iterate(self.root)
        return self.root


class Leaves:
    """A node of a plain search, which is told each result by itself; the root lives in `uct` alone."""

    def __init__(self, parent: Leaves | None = None) -> None:
        self.parent = parent
        self.children: list[Leaves] = []
        self.visits, self.wins = 0, 0.0

    def update(self, result: float) -> None:
        self.visits += 1
        self.wins += result


def uct(draw: random.Random, iterations: int) -> Leaves:
    root = Leaves()
    for _ in range(iterations):
        node: Leaves | None = root
        while node is not None and len(node.children) == 3:
            log = math.log(node.visits)
            node = max(node.children, key=lambda c: c.wins / c.visits + math.sqrt(log / c.visits))
        assert node is not None
        node.children.append(Leaves(node))
        node = node.children[-1]
        result = float(draw.random() < 0.5)
        while node is not None:
            node.update(result)
            node, result = node.parent, 1 - result
    return root
