"""Correct searches that are not textbook UCT, recorded as their authors would record them.

Each case is a function of a seed that gives the trace. None of them may get an error or a warning.
The searches know nothing of the package but the rules of its games.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import mcts_viz as mv
from mcts_viz.games import game

INFINITY = float("inf")
START = {"tic_tac_toe": [0, 4], "connect_four": [3, 3, 2, 2, 0, 0, 0, 0, 0]}


class Rules:
    """A two-player game of the package, asked by methods."""

    def __init__(self, name: str, start: list[int]) -> None:
        self.name, self.start = name, start
        self.game = game(name)
        self.first = self.game.position(start)[0]

    def moves(self, state: Any) -> list[int]:
        return list(self.game.legal(state))

    def play(self, state: Any, move: int) -> Any:
        state = list(state)
        self.game.rules.play(state, move)
        return state

    def player(self, state: Any) -> int:
        return int(self.game.rules.to_move(state))

    def outcome(self, state: Any) -> float | None:
        """View of player 0; None while the game goes on."""
        outcome = float(self.game.rules.outcome(state))
        return None if math.isnan(outcome) else outcome


class Node:
    """A node; what a variant does not need stays as it is."""

    def __init__(self, state: Any, parent: Node | None, move: int, player: int) -> None:
        self.state, self.parent, self.move, self.player = state, parent, move, player
        self.children: list[Node] = []
        self.by_move: dict[int, Node] = {}
        self.untried: list[int] | None = None
        self.N, self.W, self.P, self.virtual = 0, 0.0, 1.0, 0
        self.reward, self.outcome, self.proven = 0.0, None, None
        self.available = 0
        self.best_value = -INFINITY
        self.results: list[float] = []

    @property
    def Q(self) -> float:  # noqa: N802 (the name that such code gives it)
        return self.W / self.N if self.N else 0.0


class Search:
    """UCT, one child at a time, value sums in the view of the player who moved into a node, in [−1, 1]."""

    c = 1.4

    def __init__(self, rules: Any, seed: int) -> None:
        self.rules, self.random = rules, random.Random(seed)
        self.root = self.node(rules.first, None, -1)
        self.iterations = 0
        self.outcome = 0.0  # of the last iteration, view of player 0

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = Node(state, parent, move, self.rules.player(state))
        made.outcome = self.rules.outcome(state)
        return made

    def step(self) -> None:
        self.iterations += 1
        path = [self.root]
        while True:
            node = path[-1]
            if node.outcome is not None:
                break
            child = self.grow(node)
            if child is not None:
                path.append(child)
                break
            if not node.children:
                break
            path.append(self.choose(node))
        self.outcome = self.evaluate(path[-1])
        self.backpropagate(path, self.outcome)

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)
            self.random.shuffle(node.untried)
        if not node.untried:
            return None
        return self.add(node, node.untried.pop())

    def add(self, node: Node, move: int) -> Node:
        child = self.node(self.rules.play(node.state, move), node, move)
        node.children.append(child)
        return child

    def choose(self, node: Node) -> Node:
        return max(node.children, key=lambda child: self.score(node, child))

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        return child.Q + self.c * math.sqrt(math.log(node.N) / child.N)

    def evaluate(self, leaf: Node) -> float:
        """View of player 0."""
        return self.rollout(leaf.state)

    def rollout(self, state: Any) -> float:
        while (outcome := self.rules.outcome(state)) is None:
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        return outcome

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.W += self.worth(node, outcome)

    def worth(self, node: Node, outcome: float) -> float:
        mover = 1 - self.root.player if node.parent is None else node.parent.player
        return outcome if mover == 0 else -outcome


# selection


class LogOfNext(Search):
    """ln(N + 1)."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(node.N + 1) / child.N) if child.N else INFINITY


class RoundedScore(Search):
    """Scores are rounded to four digits, so that the first of nearly equal ones is taken."""

    def score(self, node: Node, child: Node) -> float:
        return round(super().score(node, child), 4)


class LogOfChildren(Search):
    """N is the sum over the children, as where the root or a node's own visit is not counted."""

    def score(self, node: Node, child: Node) -> float:
        total = sum(each.N for each in node.children)
        return child.Q + self.c * math.sqrt(math.log(total) / child.N) if child.N else INFINITY


class OneMoreBelow(Search):
    """√(ln N / (n + 1)), as where a division by zero is to be avoided; unvisited children first."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(node.N + 1) / (child.N + 1))


class TwiceTheLog(Search):
    """2 c √(2 ln N / n), the book of Browne et al. 2012."""

    c = 0.7

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        return child.Q + 2 * self.c * math.sqrt(2 * math.log(node.N) / child.N)


class AllChildren(Search):
    """All children are made at once; those without visits come first, in order."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = []
            for move in self.rules.moves(node.state):
                self.add(node, move)
            return node.children[0]
        return None


class Urgency(AllChildren):
    """First-play urgency: a child without visits counts 1.1 (Gelly and Wang 2006)."""

    urgency = 1.1

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return self.urgency
        return child.Q + self.c * math.sqrt(math.log(max(node.N, 1)) / child.N)


class ModestUrgency(Urgency):
    urgency = 0.4


class Puct(AllChildren):
    """AlphaZero: priors and a value instead of a rollout; the leaf is evaluated, then has children."""

    c = 1.5
    noise = 0.0

    def step(self) -> None:
        self.iterations += 1
        path = [self.root]
        while path[-1].children:
            path.append(self.choose(path[-1]))
        leaf = path[-1]
        if leaf.outcome is None:
            self.expand(leaf)
        self.backpropagate(path, self.evaluate(leaf))

    def expand(self, leaf: Node) -> None:
        moves = self.rules.moves(leaf.state)
        weights = [math.exp(2 * math.sin(7.0 * move + len(str(leaf.state)))) for move in moves]
        if leaf is self.root and self.noise:
            total = sum(weights)
            gamma = [self.random.gammavariate(0.5, 1) for _ in moves]
            weights = [
                (1 - self.noise) * weight / total + self.noise * one / sum(gamma)
                for weight, one in zip(weights, gamma)
            ]
        for move, weight in zip(moves, weights):
            self.add(leaf, move).P = weight / sum(weights)

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return math.tanh(math.sin(sum((i + 1) * int(x) for i, x in enumerate(leaf.state))))

    def visits_of(self, node: Node) -> float:
        return node.N

    def first(self, node: Node) -> float:
        return 0.0

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else self.first(node)
        return q + self.weight(node) * child.P * math.sqrt(self.visits_of(node)) / (1 + child.N)

    def weight(self, node: Node) -> float:
        return self.c


class PuctOfChildren(Puct):
    c = 5.0

    def visits_of(self, node: Node) -> float:
        return node.N - 1


class PuctOfChildrenPlusOne(Puct):
    def visits_of(self, node: Node) -> float:
        return sum(child.N for child in node.children) + 1


class PuctWithEpsilon(Puct):
    """√(ΣN + ε), as alpha-zero-general."""

    c = 1.0

    def visits_of(self, node: Node) -> float:
        return node.N - 1 + 1e-8


class LossUrgency(Puct):
    def first(self, node: Node) -> float:
        return -1.0


class WinUrgency(Puct):
    def first(self, node: Node) -> float:
        return 1.0


class ParentUrgency(Puct):
    """The parent's value, in the view of the player who chooses."""

    def first(self, node: Node) -> float:
        return -node.Q


class ReducedUrgency(Puct):
    """The parent's value less 0.25 √(visited prior), Leela Chess Zero."""

    def first(self, node: Node) -> float:
        visited = sum(child.P for child in node.children if child.N)
        return -node.Q - 0.25 * math.sqrt(visited)


class OwnUrgency(Puct):
    """Each child without visits counts as an estimate of its own (`fast_reward` of llm-reasoners)."""

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else math.sin(child.move + len(str(node.state))) / 3
        return q + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class SiblingsUrgency(Puct):
    """What the visited children have together, as in tables, which keep no value of the parent."""

    def first(self, node: Node) -> float:
        visits = sum(child.N for child in node.children)
        return sum(child.W for child in node.children) / visits if visits else 0.0


class GrowingC(Puct):
    """c(N) of AlphaZero's published pseudocode, with a small base so that it grows."""

    base = 50

    def weight(self, node: Node) -> float:
        return 1.25 + math.log((node.N + self.base + 1) / self.base)


class PublishedC(GrowingC):
    base = 19_652


class Lc0(Puct):
    """c grows at a pace of its own; children without visits count as their parent less a reduction, but at the root."""

    def weight(self, node: Node) -> float:
        return 1.745 + 3.894 * math.log((node.N + 500) / 500)

    def visits_of(self, node: Node) -> float:
        return max(node.N - 1, 1)

    def first(self, node: Node) -> float:
        if node is self.root:
            return 1.0
        return -node.Q - 0.33 * math.sqrt(sum(child.P for child in node.children if child.N))


class WinAlone(Search):
    """Of a node with a move that wins at once, no other one is made."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)
            self.random.shuffle(node.untried)
            for move in node.untried:
                if self.rules.outcome(self.rules.play(node.state, move)) == 1 - 2 * node.player:
                    node.untried = [move]
                    break
        return super().grow(node)


class RootNoise(Puct):
    noise = 0.25


class MinMaxPuct(Puct):
    """Q scaled to [0, 1] by the least and greatest mean in the tree so far (MuZero)."""

    def __init__(self, rules: Any, seed: int) -> None:
        super().__init__(rules, seed)
        self.low, self.high = INFINITY, -INFINITY

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in path[1:]:
            self.low, self.high = min(self.low, node.Q), max(self.high, node.Q)

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        if child.N and self.high > self.low:
            q = (child.Q - self.low) / (self.high - self.low)
        return q + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class MinMaxOfAll(MinMaxPuct):
    """The root's mean is among them, as in MuZero's pseudocode."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        self.low, self.high = min(self.low, self.root.Q), max(self.high, self.root.Q)


class Minigo(Puct):
    """Q = W / (1 + N), a c that grows twice as fast, and children that are made when they are chosen."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        leaf.by_move = {}

    def choose(self, node: Node) -> Node:
        child = super().choose(node)
        node.by_move[child.move] = child
        return child

    def score(self, node: Node, child: Node) -> float:
        c = 2 * (math.log((1 + node.N + 19652) / 19652) + 1.25)
        return child.W / (1 + child.N) + c * child.P * math.sqrt(node.N) / (1 + child.N)


class Judge(Puct):
    """An evaluation that knows something: the mean of some random games, always the same ones."""

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        kept, self.random = self.random, random.Random(str(leaf.state))
        value = sum(self.rollout(leaf.state) for _ in range(12)) / 13
        self.random = kept
        return value


class Exponential(Search):
    """The mean is moved by a tenth of the way to each result."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.W = node.N * self.moved(node, self.worth(node, outcome))
            node.reward = node.Q

    def moved(self, node: Node, worth: float) -> float:
        return worth if node.N == 1 else node.reward + 0.1 * (worth - node.reward)


class ExponentialLater(Exponential):
    """By 1 / n at first: a plain mean of ten visits."""

    def moved(self, node: Node, worth: float) -> float:
        return node.reward + max(0.1, 1 / node.N) * (worth - node.reward)


class OneVisitGiven(AllChildren):
    """A node begins with one visit and a draw."""

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.N, made.W = 1, 0.0
        return made


class OneVisitGivenToOne(Search):
    """The same, the root's too, where one child is made an iteration."""

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.N = 1
        return made


class Indifferent(Puct):
    """The network knows nothing: every value is 0."""

    def evaluate(self, leaf: Node) -> float:
        return 0.0


class ByPosition(Search):
    """A position decides how its rollout goes on."""

    def rollout(self, state: Any) -> float:
        kept, self.random = self.random, random.Random(str(state))
        outcome = super().rollout(state)
        self.random = kept
        return outcome


class Flat(Search):
    """A bandit of the root's moves, without a tree."""

    def grow(self, node: Node) -> Node | None:
        return super().grow(node) if node is self.root else None

    def step(self) -> None:
        child = self.grow(self.root) or self.choose(self.root)
        self.backpropagate([self.root, child], self.evaluate(child))


class NotToTheEndAgain(AllChildren):
    """What has been searched to the end is never gone back to."""

    def is_done(self, node: Node) -> bool:
        if node.outcome is not None:
            return node.N > 0
        return bool(node.children) and all(map(self.is_done, node.children))

    def choose(self, node: Node) -> Node:
        left = [child for child in node.children if not self.is_done(child)]
        return max(left, key=lambda child: self.score(node, child))

    def step(self) -> None:
        if not self.is_done(self.root):
            super().step()


class Rave(Search):
    """Another rule, which nobody told: UCB1 blended with the mean of the move wherever it was played."""

    def __init__(self, rules: Any, seed: int) -> None:
        super().__init__(rules, seed)
        self.amaf: dict[int, list[float]] = {}

    def score(self, node: Node, child: Node) -> float:
        n, w = self.amaf.get(child.move, [1, 0.0])
        beta = math.sqrt(30 / (3 * node.N + 30))
        mixed = (1 - beta) * child.Q + beta * w / n
        return mixed + 0.4 * math.sqrt(math.log(node.N) / child.N)

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in path[1:]:
            seen = self.amaf.setdefault(node.move, [0, 0.0])
            seen[0] += 1
            seen[1] += self.worth(node, outcome)


class Thompson(Search):
    """Samples from a beta distribution of each child's wins."""

    def choose(self, node: Node) -> Node:
        def drawn(child: Node) -> float:
            wins = (child.W + child.N) / 2
            return self.random.betavariate(1 + wins, 1 + child.N - wins)

        return max(node.children, key=drawn)


class Greedier(Search):
    """ε-greedy, which nobody told to be otherwise."""

    def choose(self, node: Node) -> Node:
        if self.random.random() < 0.2:
            return self.random.choice(node.children)
        return max(node.children, key=lambda child: child.Q)


# evaluation and expansion


class FourRollouts(Search):
    """The mean of four rollouts is one visit."""

    def evaluate(self, leaf: Node) -> float:
        return sum(self.rollout(leaf.state) for _ in range(4)) / 4


class FourVisits(Search):
    """Four rollouts are four visits."""

    def step(self) -> None:
        self.four = True
        super().step()

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for each in [outcome] + [self.evaluate(path[-1]) for _ in range(3)]:
            super().backpropagate(path, each)


class EveryChildEvaluated(AllChildren):
    """All children of the leaf get a rollout of their own in the iteration that makes them."""

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            path.append(self.choose(path[-1]))
        leaf = path[-1]
        if leaf.outcome is None:
            self.grow(leaf)
        if not leaf.children:
            self.backpropagate(path, self.evaluate(leaf))
        for child in leaf.children:
            self.backpropagate([*path, child], self.evaluate(child))


class Decisive(Search):
    """A win at once is always played, in the rollouts too (Teytaud and Teytaud 2010)."""

    def rollout(self, state: Any) -> float:
        while (outcome := self.rules.outcome(state)) is None:
            states = [self.rules.play(state, move) for move in self.rules.moves(state)]
            won = [each for each in states if self.rules.outcome(each) not in (None, 0.0)]
            state = won[0] if won else self.random.choice(states)
        return outcome

    def choose(self, node: Node) -> Node:
        won = [child for child in node.children if child.outcome not in (None, 0.0)]
        return won[0] if won else super().choose(node)


class Heuristic(Search):
    """A rollout stops after four moves, and what stands there is guessed."""

    def rollout(self, state: Any) -> float:
        for _ in range(4):
            if (outcome := self.rules.outcome(state)) is not None:
                return outcome
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        outcome = self.rules.outcome(state)
        return math.tanh(math.sin(sum(map(int, state)))) if outcome is None else outcome


class ExpandsFirst(AllChildren):
    """The first call only makes the root's children, and evaluates nothing."""

    def step(self) -> None:
        if not self.root.children:
            self.grow(self.root)
            return
        super().step()


class SecondVisit(AllChildren):
    """Children are made at the second visit of a leaf."""

    def grow(self, node: Node) -> Node | None:
        if node.N < 1 and node.parent is not None:
            return None
        return super().grow(node)


class Widening(Search):
    """A node has at most 2 N^½ children (progressive widening)."""

    def grow(self, node: Node) -> Node | None:
        if len(node.children) >= 1 + math.floor(2 * math.sqrt(node.N)) - 1 and node.children:
            return None
        return super().grow(node)


class Solver(Search):
    """MCTS-Solver (Winands et al. 2008): proven wins are taken, proven losses left alone."""

    def choose(self, node: Node) -> Node:
        open_ = [child for child in node.children if child.proven is None]
        sign = 1 if node.player == 0 else -1
        won = [child for child in node.children if child.proven == sign]
        if won:
            return won[0]
        return max(open_ or node.children, key=lambda child: self.score(node, child))

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        if path[-1].outcome is not None:
            path[-1].proven = path[-1].outcome
        for node in reversed(path[:-1]):
            sign = 1 if node.player == 0 else -1
            known = [child.proven for child in node.children]
            if sign in known:
                node.proven = float(sign)
            elif not node.untried and None not in known and node.children:
                node.proven = max(known, key=lambda value: sign * value)  # type: ignore[operator]
            else:
                break
        super().backpropagate(path, outcome)


class Minimax(Search):
    """A node's value is that of its best child (declared)."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        leaf = path[-1]
        for node in path:
            node.N += 1
        leaf.W = self.worth(leaf, outcome) * leaf.N
        for node in reversed(path[:-1]):
            best = max(child.Q for child in node.children if child.N)
            node.W = -best * node.N


class MinimaxWhenFull(Search):
    """A node has the mean of its visits, until all its moves are tried; then the value of the best child."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N += 1
            if node.children and not node.untried:
                node.W = -max(child.Q for child in node.children if child.N) * node.N
            else:
                node.W = (node.W / (node.N - 1) if node.N > 1 else 0.0) * (node.N - 1)
                node.W += self.worth(node, outcome)


# several leaves, virtual loss, shared nodes


class MinigoBatch(Minigo):
    """Several leaves an iteration, of a search that makes children when it chooses them."""

    def step(self) -> None:
        for _ in range(4):
            super().step()


class Batch(Search):
    """Eight leaves an iteration; a virtual loss keeps their paths apart and is taken back."""

    def score(self, node: Node, child: Node) -> float:
        n, N = child.N + child.virtual, node.N + node.virtual
        if not n:
            return INFINITY
        return (child.W - child.virtual) / n + self.c * math.sqrt(math.log(max(N, 1)) / n)

    def step(self) -> None:
        paths = []
        for _ in range(8):
            path = [self.root]
            while path[-1].outcome is None:
                child = self.grow(path[-1])
                if child is not None:
                    path.append(child)
                    break
                path.append(self.choose(path[-1]))
            for node in path:
                node.virtual += 1
            paths.append(path)
        for path in paths:
            for node in path:
                node.virtual -= 1
            self.backpropagate(path, self.evaluate(path[-1]))


class Shared(Search):
    """One node for a position, however it is reached."""

    def __init__(self, rules: Any, seed: int) -> None:
        self.known: dict[tuple[int, ...], Node] = {}
        super().__init__(rules, seed)

    def add(self, node: Node, move: int) -> Node:
        state = self.rules.play(node.state, move)
        child = self.known.get(tuple(state))
        if child is None:
            child = self.known[tuple(state)] = self.node(state, node, move)
        node.children.append(child)
        node.by_move[move] = child
        return child

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        return child.Q + self.c * math.sqrt(math.log(max(node.N, 1)) / child.N)


# one player


class Walk:
    """One player: ten steps to the left or right, or up; what counts is where one ends."""

    name, start = "walk", list[int]()
    first: Any = (0, 0)

    def moves(self, state: Any) -> list[int]:
        return [0, 1, 2] if state[0] < 10 else []

    def play(self, state: Any, move: int) -> Any:
        return (state[0] + 1, 3 * state[1] + move if state[0] < 3 else state[1] + (move == 1))

    def player(self, state: Any) -> int:
        return 0

    def outcome(self, state: Any) -> float | None:
        return None if state[0] < 10 else ((state[1] * 37) % 19) / 18


class Alone(Search):
    def worth(self, node: Node, outcome: float) -> float:
        return outcome


class AloneHidden(Alone):
    """Which of the moves there are is found out anew in each iteration (open loop)."""

    def step(self) -> None:
        self.there = set(self.random.sample(range(3), 2))
        super().step()

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)
        new = [move for move in node.untried if move in self.there]
        if not new:
            return None
        node.untried.remove(new[0])
        return self.add(node, new[0])

    def choose(self, node: Node) -> Node:
        there = [child for child in node.children if child.move in self.there]
        return max(there, key=lambda child: self.score(node, child))


class PowerMean(Alone):
    """The value of a node is a power mean of its children's (Dam et al. 2019)."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        leaf = path[-1]
        leaf.N, leaf.W = leaf.N + 1, leaf.W + outcome
        for node in reversed(path[:-1]):
            node.N += 1
            n = sum(child.N for child in node.children)
            powers = sum(child.N * max(child.Q, 0.0) ** 2.2 for child in node.children)
            node.W = node.N * (powers / n) ** (1 / 2.2)


class AloneMixed(Alone):
    """0.7 times the mean of all results and 0.3 times the best one."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.results.append(outcome)
            node.W = 0.7 * sum(node.results) + 0.3 * node.N * max(node.results)


class AloneMax(Alone):
    """Keeps the best result that was ever found below (Schadd et al. 2008, single player)."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.best_value = max(node.best_value, outcome)
            node.W = node.best_value * node.N


class AloneEveryChildMax(Alone):
    """All children of a leaf are evaluated at once, and each node keeps the best below it (an agent)."""

    def step(self) -> None:
        node, path = self.root, [self.root]
        while node.children:
            node = self.choose(node)
            path.append(node)
        moves = self.rules.moves(node.state)
        for move in moves:
            self.backpropagate([*path, self.add(node, move)], self.random.random())
        if not moves:
            self.backpropagate(path, self.evaluate(node))

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.best_value = max(node.best_value, outcome)
            node.W = node.best_value * node.N


class Rewarded(Alone):
    """Rewards on the way, and a discount: a node keeps the return from its own move on."""

    gamma = 0.9

    def add(self, node: Node, move: int) -> Node:
        child = super().add(node, move)
        child.reward = 0.1 * move
        return child

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        value = outcome
        for node in reversed(path):
            value = node.reward + self.gamma * value
            node.N += 1
            node.W += value


class RewardedMax(Rewarded):
    """The best child's return in place of the mean, as rewards and a discount are."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        value = outcome
        for node in reversed(path):
            node.N += 1
            if node.children:
                value = max(child.Q for child in node.children if child.N)
            value = node.reward + self.gamma * value
            node.W = value * node.N


class DiscountedMax(RewardedMax):
    """The same without rewards on the way."""

    def add(self, node: Node, move: int) -> Node:
        return Alone.add(self, node, move)


# recording


def steps(search: Any, n: int) -> Iterator[None]:
    for _ in range(n):
        search.step()
        yield


def watched(
    search: Search, iterations: int = 400, outcomes: bool = False, leaves: int = 0, **told: Any
) -> mv.Trace:
    """Recorded as its author would: sums of the mover, rules known where the game is built in."""
    rules = search.rules
    known: dict[str, Any] = {
        "children": "children", "visits": "N", "value": "W", "action": "move",
    }  # fmt: skip
    if isinstance(rules, Rules):
        known |= {"game": rules.name, "start": rules.start, "to_move": "player"}
    else:
        known |= {"players": ("walker",), "value_range": (0.0, 1.0)}
    known |= told
    known = {name: field for name, field in known.items() if field is not None}
    with mv.record(root=search.root, **known) as rec:
        for _ in steps(search, iterations):
            more: dict[str, Any] = {"outcome": search.outcome} if outcomes else {}
            rec.iteration(**more, **({"leaves": leaves} if leaves else {}))
    return rec.trace


def of(kind: type[Search], **told: Any) -> Callable[[Any, int], mv.Trace]:
    return lambda rules, seed: watched(kind(rules, seed), **told)


def blind(kind: type[Search], **told: Any) -> Callable[[Any, int], mv.Trace]:
    """Nothing is known of the game and its players."""
    return of(kind, game=None, start=None, to_move=None, **told)


PRIORS = {"prior": "P"}
# on each of the two games
TWO_PLAYERS: dict[str, Callable[[Any, int], mv.Trace]] = {
    "ln(N + 1)": of(LogOfNext),
    "scores rounded to four digits": of(RoundedScore, iterations=1_500, selection="ucb1", c=1.4),
    "ln of the children's visits": of(LogOfChildren),
    "n + 1 below": of(OneMoreBelow),
    "2 c √(2 ln N / n)": of(TwiceTheLog),
    "all children, unvisited first": of(AllChildren),
    "urgency 1.1": of(Urgency),
    "urgency 0.4": of(ModestUrgency),
    "PUCT": of(Puct, **PRIORS),
    "PUCT, declared": of(Puct, selection="puct", c=1.5, **PRIORS),
    "PUCT, nothing told": blind(Puct, **PRIORS),
    "PUCT of the children's visits": of(PuctOfChildren, **PRIORS),
    "PUCT of the children's visits, declared": of(
        PuctOfChildren, selection="puct", c=5.0, **PRIORS
    ),
    "PUCT of the children's visits and one": of(PuctOfChildrenPlusOne, **PRIORS),
    "PUCT with ε": of(PuctWithEpsilon, **PRIORS),
    "PUCT, unvisited as lost": of(LossUrgency, **PRIORS),
    "PUCT, unvisited as won": of(WinUrgency, **PRIORS),
    "PUCT, unvisited as the parent": of(ParentUrgency, **PRIORS),
    "PUCT, unvisited as the parent, reduced": of(ReducedUrgency, **PRIORS),
    "PUCT, unvisited as the visited ones together": of(SiblingsUrgency, **PRIORS),
    "PUCT, urgencies of their own": of(OwnUrgency, **PRIORS),
    "PUCT, urgencies of their own, declared": of(OwnUrgency, selection="puct", c=1.5, **PRIORS),
    "c(N), small base": of(GrowingC, **PRIORS),
    "c(N), published": of(PublishedC, **PRIORS),
    "c(N) at a pace of its own, unvisited reduced": of(Lc0, **PRIORS),
    "of moves, the one that wins alone": of(WinAlone),
    "only the root says who moves": of(
        Search, game=None, start=None, to_move=lambda node: None if node.parent else node.player
    ),
    "noise at the root": of(RootNoise, **PRIORS),
    "MuZero's scaled Q": of(MinMaxPuct, **PRIORS),
    "MuZero's scaled Q, of the root, too": of(MinMaxOfAll, **PRIORS),
    "Minigo": of(Minigo, children=lambda node: node.by_move, action=None, **PRIORS),
    "Minigo, several leaves": of(
        MinigoBatch, children=lambda node: node.by_move, action=None, iterations=100, **PRIORS
    ),
    "an evaluation that knows something": of(Judge, **PRIORS),
    "flat UCB": of(Flat, selection="ucb1", c=1.4),
    "one visit given": of(OneVisitGiven),
    "one visit given, one child at a time": of(OneVisitGivenToOne),
    "every value 0": of(Indifferent, **PRIORS),
    "rollouts decided by the position": of(ByPosition, iterations=1_000),
    "nothing twice to the end, declared": of(
        NotToTheEndAgain, selection="ucb1", c=1.4, iterations=250
    ),
    "priors not recorded": of(Puct),
    "RAVE, not told": of(Rave),
    "Thompson sampling": of(Thompson),
    "ε-greedy": of(Greedier),
    "mean of four rollouts": of(FourRollouts),
    "four visits an iteration": of(FourVisits),
    "every child evaluated": of(EveryChildEvaluated),
    "decisive moves": of(Decisive),
    "heuristic after four moves": of(Heuristic),
    "first call only expands": of(ExpandsFirst),
    "expanded at the second visit": of(SecondVisit),
    "progressive widening": of(Widening),
    "solver": of(Solver),
    "solver, proofs told": of(Solver, proven="proven"),
    "minimax back-up": of(Minimax),
    "minimax back-up, declared": of(Minimax, backup="minimax"),
    "minimax back-up of full nodes": of(MinimaxWhenFull),
    "minimax back-up of full nodes, declared": of(MinimaxWhenFull, backup="minimax"),
    "batches with virtual loss": of(Batch),
    "batches with virtual loss, told": of(Batch, virtual_loss="virtual", leaves=8),
    "batches, the visits with the virtual ones": of(
        Batch, visits=lambda node: node.N + node.virtual
    ),
    "shared nodes": of(Shared, children=lambda node: node.by_move, action=None, thorough=True),
    "shared nodes, outcomes told": of(
        Shared, children=lambda node: node.by_move, action=None, thorough=True, outcomes=True
    ),
    "means": of(Search, value="Q", value_kind="mean"),
    "exponential averages": of(Exponential),
    "exponential averages, as means": of(Exponential, value="Q", value_kind="mean"),
    "exponential averages, nothing told": blind(Exponential),
    "exponential averages of the later visits": of(ExponentialLater),
    "values of player 0": of(
        Search,
        value=lambda node: node.W if node.parent is None or node.parent.player == 0 else -node.W,
        value_view="player0",
    ),
    "values of the player to move": of(Search, value=lambda node: -node.W, value_view="to_move"),
    "nothing told": blind(Search),
}
ONE_PLAYER: dict[str, Callable[[Any, int], mv.Trace]] = {
    "alone": of(Alone),
    "alone, power mean": of(PowerMean),
    "alone, mean and best result mixed": of(AloneMixed),
    "alone, best result kept": of(AloneMax),
    "alone, every child evaluated, best kept": of(AloneEveryChildMax),
    "alone, moves found out": of(AloneHidden),
    "alone, nothing told": of(Alone, players=None),
    "rewards and a discount": of(
        Rewarded, step_rewards=True, discount=0.9, value_range=(-1.0, 3.0)
    ),
    "rewards, not told, and a discount that is": of(
        Rewarded, discount=0.9, value_range=(-1.0, 3.0)
    ),
    "rewards and a discount, best kept": of(
        RewardedMax, step_rewards=True, discount=0.9, value_range=(-1.0, 3.0), reward="reward"
    ),
    "a discount, best kept": of(DiscountedMax, discount=0.9),
    "a discount, best kept, declared": of(DiscountedMax, discount=0.9, backup="max"),
    "rewards and a discount, not told": of(Rewarded, value_range=(-1.0, 3.0)),
}


def cases() -> Iterator[tuple[str, Callable[[int], mv.Trace]]]:
    """(name, recording by seed) of all."""
    for name, start in START.items():
        for title, case in TWO_PLAYERS.items():
            yield f"{title} ({name})", lambda seed, c=case, n=name, s=start: c(Rules(n, s), seed)
    for title, case in ONE_PLAYER.items():
        yield f"{title} (walk)", lambda seed, c=case: c(Walk(), seed)
