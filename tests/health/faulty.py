"""Mistakes in searches that are not textbook UCT, and more of those in UCT, recorded as their authors
would record them. Each case names the checks of which one must find it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import mcts_viz as mv
from tests.health.unusual import (
    INFINITY,
    PRIORS,
    START,
    AllChildren,
    Alone,
    Batch,
    EveryChildEvaluated,
    Judge,
    Minigo,
    ModestUrgency,
    Node,
    Puct,
    Rules,
    Search,
    Shared,
    Walk,
    of,
)


class Case(NamedTuple):
    checks: tuple[str, ...]  # one of them must be among the findings, as an error or warning
    record: Callable[[Any, int], mv.Trace]
    games: tuple[str, ...] = tuple(START)


# UCT: the score


class FromRoot(Search):
    """The moves of the nodes on the way down are not played."""

    def add(self, node: Node, move: int) -> Node:
        child = self.node(self.rules.play(self.rules.first, move), node, move)
        node.children.append(child)
        return child


class SumByParent(Search):
    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        return child.W / node.N + self.c * math.sqrt(math.log(node.N) / child.N)


class EveryChildSum(EveryChildEvaluated):
    """Sums in place of means, where an iteration evaluates all children of what it selects."""

    def score(self, node: Node, child: Node) -> float:
        return child.W + self.c * math.sqrt(math.log(node.N) / child.N)


class EveryChildAnywhere(EveryChildEvaluated):
    """The best of all leaves of the tree is selected, not of the children of each node."""

    def choose(self, node: Node) -> Node:
        if node is self.root:
            leaves = [self.root]
            self.way = list[Node]()
            found: list[tuple[float, int, Node]] = []
            while leaves:
                above = leaves.pop()
                for child in above.children:
                    leaves.append(child)
                    if not child.children and child.N:
                        found.append((self.score(above, child), len(found), child))
            best: Node | None = max(found)[2]
            while best is not None and best.parent is not None:
                self.way.append(best)
                best = best.parent
        return self.way.pop()


class RootOfLog(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(node.N)) / child.N if child.N else INFINITY


class IntegerLog(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(node.N) // child.N) if child.N else INFINITY


class IntegerDoubleLog(Search):
    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        return child.Q + math.sqrt(2 * math.log(node.N) // child.N)


class WholeLog(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(int(math.log(node.N)) / child.N)


class RootOverVisits(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(node.N) / child.N


class OwnLogAndOne(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(child.N + 1) / child.N)


class Minus(Search):
    """A lower bound in place of the upper one."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q - math.sqrt(math.log(node.N) / child.N) if child.N else INFINITY


class SecondMinimises(Search):
    """The second player takes the least score, though values are its own."""

    def score(self, node: Node, child: Node) -> float:
        score = super().score(node, child)
        return -score if node.player == 1 and child.N else score


class SecondExploresNothing(Search):
    """Of values of the first player the second one takes the least, exploration and all."""

    def score(self, node: Node, child: Node) -> float:
        explored = self.c * math.sqrt(math.log(node.N) / child.N) if child.N else INFINITY
        if not child.N or node.player == 0:
            return child.Q + explored
        return -(-child.Q + explored)


class NoValue(Search):
    def score(self, node: Node, child: Node) -> float:
        return self.c * math.sqrt(math.log(node.N) / child.N) if child.N else INFINITY


class StaleLog(Search):
    """ln N is computed when the last child is made."""

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        return child.Q + self.c * math.sqrt(math.log(len(node.children)) / child.N)


class FirstLog(Search):
    """ln N is computed when a child is first compared."""

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        child.available = child.available or node.N
        return child.Q + self.c * math.sqrt(math.log(child.available) / child.N)


class LogWhenMade(Search):
    """ln N is computed when a child is made."""

    def add(self, node: Node, move: int) -> Node:
        child = super().add(node, move)
        child.available = max(node.N, 1)
        return child

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(child.available) / child.N)


class Swapped(Search):
    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return INFINITY
        return child.Q + self.c * math.sqrt(math.log(child.N + 1) / node.N)


class Product(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q * self.c * math.sqrt(math.log(node.N) / child.N) if child.N else INFINITY


class NoSign(Search):
    def score(self, node: Node, child: Node) -> float:
        return abs(child.Q) + self.c * math.sqrt(math.log(node.N) / child.N)


class AlwaysFirst(Search):
    """`max` without its key, of children that compare equal."""

    def choose(self, node: Node) -> Node:
        return node.children[0]


class MostVisited(Search):
    """The rule of the final move inside the tree."""

    def choose(self, node: Node) -> Node:
        return max(node.children, key=lambda child: (child.N, self.random.random()))


class Log10(Search):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log10(node.N) / child.N)


class KeptScores(Search):
    """A score is computed anew when its child was visited, and kept until then."""

    def score(self, node: Node, child: Node) -> float:
        if getattr(child, "kept", (-1, 0.0))[0] != child.N:
            child.kept = (child.N, super().score(node, child))  # type: ignore[attr-defined]
        return float(child.kept[1])  # type: ignore[attr-defined]


class CachedBest(Search):
    """The best child is computed every eighth visit."""

    def choose(self, node: Node) -> Node:
        if node.N % 8 == 0 or not hasattr(node, "best"):
            node.best = super().choose(node)  # type: ignore[attr-defined]
        return node.best  # type: ignore[attr-defined,no-any-return]


class AlwaysCached(Search):
    """The best child is computed once."""

    def choose(self, node: Node) -> Node:
        if not hasattr(node, "best"):
            node.best = super().choose(node)  # type: ignore[attr-defined]
        return node.best  # type: ignore[attr-defined,no-any-return]


class ListNotEmptied(Search):
    """One of the best is drawn from a list that keeps those that were the best for a while."""

    def choose(self, node: Node) -> Node:
        best, kept = -INFINITY, []
        for child in node.children:
            score = self.score(node, child)
            if score >= best:
                best = score
                kept.append(child)
        return self.random.choice(kept)


class EpsilonGreedy(Search):
    def choose(self, node: Node) -> Node:
        return (
            self.random.choice(node.children)
            if self.random.random() < 0.1
            else super().choose(node)
        )


class AtRandom(Search):
    def choose(self, node: Node) -> Node:
        return self.random.choice(node.children)


class Temperature(Search):
    """Sampled in proportion to visits, within the tree."""

    def choose(self, node: Node) -> Node:
        return self.random.choices(node.children, [child.N for child in node.children])[0]


class SoftScores(Search):
    """Sampled by the softmax of the scores."""

    def choose(self, node: Node) -> Node:
        weights = [math.exp(self.score(node, child)) for child in node.children]
        return self.random.choices(node.children, weights)[0]


class ScaledSums(Search):
    def score(self, node: Node, child: Node) -> float:
        low, high = min(one.W for one in node.children), max(one.W for one in node.children)
        scaled = (child.W - low) / (high - low) if high > low else 0.0
        return scaled + self.c * math.sqrt(math.log(node.N) / child.N)


class PathBefore(Search):
    """N is that of the node one step up."""

    def score(self, node: Node, child: Node) -> float:
        above = node.parent or node
        return child.Q + self.c * math.sqrt(math.log(above.N) / child.N)


# PUCT


class PuctWrongView(Puct):
    def score(self, node: Node, child: Node) -> float:
        return -child.Q + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class PuctOneView(Puct):
    def score(self, node: Node, child: Node) -> float:
        q = child.Q if node.player == 0 else -child.Q
        return q + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class PuctWrongUrgency(Puct):
    def first(self, node: Node) -> float:
        return node.Q


class PuctArgmin(Puct):
    def choose(self, node: Node) -> Node:
        return min(node.children, key=lambda child: self.score(node, child))


class PuctRootVisits(Puct):
    def visits_of(self, node: Node) -> float:
        return self.root.N


class PuctOwnVisits(Puct):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * child.P * math.sqrt(child.N) / (1 + child.N)


class MinigoOneView(Minigo):
    """The values of player 0 are compared at every node."""

    def score(self, node: Node, child: Node) -> float:
        kept, child.W = child.W, child.W if node.player == 0 else -child.W
        score = super().score(node, child)
        child.W = kept
        return score


class HighestPriorAgain(Puct):
    """P·√N without 1 + n, and a c that outweighs all values."""

    c = 8.0

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * child.P * math.sqrt(node.N)


class OwnUrgencyOneView(Puct):
    """Each child without visits counts as its own estimate, and both players choose for player 0."""

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else math.sin(child.move) / 3
        explored = self.c * child.P * math.sqrt(node.N) / (1 + child.N)
        return (q if node.player == 0 else -q) + explored


class PuctNextPrior(Puct):
    """Priors in a list that begins one place later than the children."""

    def score(self, node: Node, child: Node) -> float:
        after = node.children[(node.children.index(child) + 1) % len(node.children)]
        explored = self.c * after.P * math.sqrt(node.N) / (1 + child.N)
        return (child.Q if child.N else self.first(node)) + explored


class PuctPriorAdded(Puct):
    """q + P + c·√N / (1 + n)."""

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else self.first(node)
        return q + child.P + self.c * math.sqrt(node.N) / (1 + child.N)


class PuctPriorTimes(Puct):
    """The prior outside of the bracket."""

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else self.first(node)
        return child.P * (q + self.c * math.sqrt(node.N) / (1 + child.N))


class PuctNoSign(Puct):
    def score(self, node: Node, child: Node) -> float:
        return super().score(node, child) + (abs(child.Q) - child.Q)


class PuctNoRoot(Puct):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * child.P * node.N / (1 + child.N)


class HalfUcb1(Puct):
    """√(ln N) in place of √N."""

    def term(self, node: Node, child: Node) -> float:
        return math.sqrt(math.log(max(node.N, 1))) / (1 + child.N)

    def score(self, node: Node, child: Node) -> float:
        return (child.Q if child.N else 0.0) + self.c * child.P * self.term(node, child)


class HalfUcb1OfNext(HalfUcb1):
    def term(self, node: Node, child: Node) -> float:
        return math.sqrt(math.log(node.N + 1)) / (1 + child.N)


class HalfUcb1UnderOneRoot(HalfUcb1):
    def term(self, node: Node, child: Node) -> float:
        return math.sqrt(math.log(max(node.N, 1)) / (1 + child.N))


class OnceMore(AllChildren):
    """Where one child has one visit ln N is 0, and so is the score of those without any."""

    def score(self, node: Node, child: Node) -> float:
        n = sum(each.N for each in node.children)
        if not child.N:
            return 0.0 if n <= 1 else INFINITY
        return child.Q + self.c * math.sqrt(math.log(n) / child.N)


class PuctUnvisitedNever(Puct):
    def choose(self, node: Node) -> Node:
        seen = [child for child in node.children if child.N] or node.children[:1]
        return max(seen, key=lambda child: self.score(node, child))


class PuctNoPrior(Puct):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(node.N) / (1 + child.N)


class PuctDrawn(Puct):
    def choose(self, node: Node) -> Node:
        return self.random.choices(node.children, [child.N + 1 for child in node.children])[0]


class WrongJudge(Judge):
    """The network's value is the mover's, and taken for that of the player to move; ends are right."""

    def evaluate(self, leaf: Node) -> float:
        value = super().evaluate(leaf)
        return value if leaf.outcome is not None else -value


class JudgeOfOne(Judge):
    """The network's value is player 0's, and taken for that of the player to move."""

    def evaluate(self, leaf: Node) -> float:
        value = super().evaluate(leaf)
        return value if leaf.outcome is not None or leaf.player == 0 else -value


class JudgeFromZero(Judge):
    """The network's value lies between 0 and 1, results between −1 and 1."""

    def evaluate(self, leaf: Node) -> float:
        value = super().evaluate(leaf)
        if leaf.outcome is not None:
            return value
        return (value + 1) / 2 if leaf.player == 0 else (value - 1) / 2


class PuctByParentsVisits(Puct):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * child.P * math.sqrt(node.N) / (1 + node.N)


class PuctNoBrackets(Puct):
    """c·P·√N / 1 + n."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * child.P * math.sqrt(self.visits_of(node)) / 1 + child.N


class PuctOfChildrenNoBrackets(PuctNoBrackets):
    """The first child is taken again and again: without visits of any all scores are equal."""

    def visits_of(self, node: Node) -> float:
        return sum(child.N for child in node.children)


class NoBrackets(Search):
    """√(ln N / 1 + n)."""

    c = 0.3

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(node.N) / 1 + child.N)


class PuctPriorOfNewAlone(Puct):
    def score(self, node: Node, child: Node) -> float:
        prior = 1.0 if child.N else child.P
        return child.Q + self.c * prior * math.sqrt(node.N) / (1 + child.N)


class PuctOwnVisitsOfOld(Puct):
    def score(self, node: Node, child: Node) -> float:
        above = child.N or node.N
        return child.Q + self.c * child.P * math.sqrt(above) / (1 + child.N)


class PuctNoVisits(Puct):
    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * child.P * math.sqrt(node.N)


class PuctSum(Puct):
    def score(self, node: Node, child: Node) -> float:
        return child.W + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class PuctByParent(Puct):
    def score(self, node: Node, child: Node) -> float:
        return child.W / max(node.N, 1) + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class PuctNoValue(Puct):
    def score(self, node: Node, child: Node) -> float:
        return self.c * child.P * math.sqrt(node.N) / (1 + child.N)


class PuctNoTurn(Puct):
    """Every node gets the leaf's value as it is."""

    def worth(self, node: Node, outcome: float) -> float:
        return outcome


class PuctWrongLeaf(Puct):
    """The network's value is in the view of the player to move, and taken for the mover's; ends are
    right."""

    def evaluate(self, leaf: Node) -> float:
        value = super().evaluate(leaf)
        return value if leaf.outcome is not None else -value


class PuctLate(Puct):
    """What the iteration before has found is backed up."""

    before = 0.0

    def evaluate(self, leaf: Node) -> float:
        value, self.before = self.before, super().evaluate(leaf)
        return value


class PuctEndsFlipped(Puct):
    def evaluate(self, leaf: Node) -> float:
        return -leaf.outcome if leaf.outcome is not None else super().evaluate(leaf)


class PuctEndsIgnored(Puct):
    """The network is asked at finished games too."""

    def evaluate(self, leaf: Node) -> float:
        kept, leaf.outcome = leaf.outcome, None
        value = super().evaluate(leaf)
        leaf.outcome = kept
        return value


class PuctUnmasked(Puct):
    """Illegal moves have children with priors, too, which are passed over."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        legal = {child.move for child in leaf.children}
        for child in leaf.children:
            child.P *= 0.8
        illegal = [move for move in range(self.rules.game.n_actions) if move not in legal]
        for move in illegal:
            child = Node(leaf.state, leaf, move, leaf.player)
            child.P = 0.2 / len(illegal)
            leaf.children.append(child)

    def choose(self, node: Node) -> Node:
        legal = [child for child in node.children if child.player != node.player]
        return max(legal, key=lambda child: self.score(node, child))


class PuctRootOfAll(Puct):
    """√(N / (1 + n)): the parenthesis closes too late."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * child.P * math.sqrt(node.N / (1 + child.N))


class PuctEqualPriors(Puct):
    """1 / k in place of the network's priors, which the nodes have."""

    def score(self, node: Node, child: Node) -> float:
        prior = 1 / len(node.children)
        return child.Q + self.c * prior * math.sqrt(node.N) / (1 + child.N)


class PuctIllegalPriors(Puct):
    """Priors are normalised over all moves, legal or not."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        share = len(leaf.children) / self.rules.game.n_actions
        for child in leaf.children:
            child.P *= share


# back-up and simulation


class EndsFlipped(Search):
    def evaluate(self, leaf: Node) -> float:
        return -leaf.outcome if leaf.outcome is not None else super().evaluate(leaf)


class EndsIgnored(Search):
    """A finished game is a draw."""

    def evaluate(self, leaf: Node) -> float:
        return 0.0 if leaf.outcome is not None else super().evaluate(leaf)


class WinsOfOne(Search):
    """`max(0, result)` for the first player: wins of the other one count as draws."""

    def evaluate(self, leaf: Node) -> float:
        return max(0.0, super().evaluate(leaf))


class Halfway(Search):
    """The mean is moved halfway to each result."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            worth = self.worth(node, outcome)
            node.W = node.N * (worth if node.N == 1 else (node.reward + worth) / 2)
            node.reward = node.W / node.N


class ByOldVisits(Halfway):
    """q = (n·q + v) / n, with the visits before the new one."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            n = node.N - 1
            node.reward = (n * node.reward + self.worth(node, outcome)) / max(n, 1)
            node.W = node.N * node.reward


class HalfwayFromZero(Halfway):
    """The mean is moved halfway to each result, to the first one, too."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.reward = (node.reward + self.worth(node, outcome)) / 2
            node.W = node.N * node.reward


class VisitCountedBefore(Halfway):
    """q += (v − q) / (n + 1), where n counts the visit already."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.reward += (self.worth(node, outcome) - node.reward) / (node.N + 1)
            node.W = node.N * node.reward


class ExponentialSum(Search):
    """An exponential average in place of the sum, which is divided by the visits once more."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.W += 0.1 * (self.worth(node, outcome) - node.W)


class ScoreOfBackup(Search):
    """Back-up writes the score of each node that it passes, and selection reads it."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for parent, child in pairwise(path):
            child.Q0 = super().score(parent, child)  # type: ignore[attr-defined]

    def score(self, node: Node, child: Node) -> float:
        return float(child.Q0)  # type: ignore[attr-defined]


class ScoreOfEarlyBackup(ScoreOfBackup):
    """The same, from the leaf on: a parent's visit is not counted yet."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            Search.backpropagate(self, [node], outcome)
            if node.parent is not None:
                log = math.log(max(node.parent.N, 1))
                node.Q0 = node.Q + self.c * math.sqrt(log / node.N)  # type: ignore[attr-defined]


class ParentOfLeafSkipped(Search):
    def backpropagate(self, path: list[Node], outcome: float) -> None:
        inner = path[1:-2] if len(path) > 2 else []
        super().backpropagate([path[0], *inner, *path[-1:]] if len(path) > 1 else path, outcome)


class RootItsChildAndLeaf(Search):
    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path[:2] + path[2:][-1:], outcome)


class UndoneTwice(Batch):
    """Virtual losses are visits, and are taken off twice below the root's children."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in path[1:] if len(path) > 2 else ():
            node.N -= 1


class LossesStay(Batch):
    """The visit of the virtual loss stays, with the value of a loss, and back-up adds its own."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in path:
            node.N, node.W = node.N + 1, node.W - 1


class LossStaysInValue(Batch):
    """The virtual loss is taken off the value of each node, and its visit alone is taken back."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in path:
            node.W -= 1


class EveryVisitTwice(Search):
    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in path:
            node.N += 1


class CountedOnTheWay(Search):
    """Visits are counted when a child is chosen, and again in the back-up."""

    def choose(self, node: Node) -> Node:
        node.N += 1
        return super().choose(node)


class MeanByVisits(Search):
    """The node keeps its mean, and the score divides it again."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q / child.N + self.c * math.sqrt(math.log(node.N) / child.N)


class NoiseOnIllegal(Puct):
    """Noise for every action there is, at the root."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        if leaf is self.root:
            for child in leaf.children:
                child.P = 0.75 * child.P + 0.25 / 20


class LastMean(Search):
    """`mean = value` in place of `mean += (value - mean) / n`."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.W = node.N * self.worth(node, outcome)


class VirtualWin(Batch):
    """A virtual win, for one of the players or for both."""

    of_players: tuple[int, ...] = (0, 1)

    def score(self, node: Node, child: Node) -> float:
        kept = child.W
        if node.player in self.of_players:
            child.W += 8 * child.virtual
        score = super().score(node, child)
        child.W = kept
        return score


class VirtualWinOfOne(VirtualWin):
    of_players = (1,)


class DrawsWon(Search):
    """A draw is a win of whoever moved."""

    def worth(self, node: Node, outcome: float) -> float:
        return super().worth(node, outcome) or 1.0


class OtherBegins(Search):
    """The player who has just moved makes the first move of the rollout, too."""

    def rollout(self, state: Any) -> float:
        outcome = self.rules.outcome(state)
        if outcome is not None:
            return outcome
        return -super().rollout([state[1], state[0], *state[2:]])  # each with the other's stones


class RolloutFlipped(Search):
    def rollout(self, state: Any) -> float:
        over = self.rules.outcome(state) is not None
        outcome = super().rollout(state)
        return outcome if over else -outcome


class RolloutParity(Search):
    """The rollout's outcome is in the view of the player to move at the leaf, taken for player 0's."""

    def rollout(self, state: Any) -> float:
        outcome = super().rollout(state)
        return outcome if self.rules.player(state) == 0 else -outcome


class FromParent(Search):
    """The rollout starts from the state of the node that was selected, not of its new child."""

    def evaluate(self, leaf: Node) -> float:
        return self.rollout((leaf.parent or leaf).state)


class ResultLost(Search):
    """The rollout is played, and its result is not returned."""

    def evaluate(self, leaf: Node) -> float:
        super().evaluate(leaf)
        return leaf.outcome or 0.0


class FixedSeed(Search):
    def rollout(self, state: Any) -> float:
        kept, self.random = self.random, random.Random(1)
        outcome = super().rollout(state)
        self.random = kept
        return outcome


class NoTurn(Search):
    def worth(self, node: Node, outcome: float) -> float:
        return outcome


class WrongView(Search):
    def worth(self, node: Node, outcome: float) -> float:
        return -super().worth(node, outcome)


class FromTheLeafOn(Search):
    """The sign changes from the leaf on, from the result of player 0."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N, node.W, outcome = node.N + 1, node.W + outcome, -outcome


class EveryWayUp(Shared):
    """Back-up goes up through every parent, and counts a node once for every way to it."""

    def add(self, node: Node, move: int) -> Node:
        child = super().add(node, move)
        self.above.setdefault(id(child), []).append(node)
        return child

    def __init__(self, rules: Any, seed: int) -> None:
        self.above: dict[int, list[Node]] = {}
        super().__init__(rules, seed)

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        waiting = [path[-1]]
        while waiting:
            node = waiting.pop()
            super().backpropagate([node], outcome)
            waiting += self.above.get(id(node), [])


class RootTwice(Search):
    """`node.visits += 1 + (node.parent is None)`."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        path[0].N += 1


class ConstantOutcome(Search):
    """A simulation that is cut short counts as a win of player 0, and all are."""

    def rollout(self, state: Any) -> float:
        outcome = self.rules.outcome(state)
        return 1.0 if outcome is None else outcome


class PathNotEmptied(Search):
    """`def descent(self, path=[])`: the list has the nodes of all iterations before, too."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        self.before: list[Node] = [*getattr(self, "before", []), *path]
        super().backpropagate(self.before, outcome)


class BestKept(Search):
    """Each player's nodes keep the best result ever found below them."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.best_value = max(node.best_value, self.worth(node, outcome))
            node.W = node.best_value * node.N


class OldTree(Search):
    """The tree of an earlier problem: the root is not the position that was told."""

    def __init__(self, rules: Any, seed: int) -> None:
        super().__init__(rules, seed)
        earlier = Rules(rules.name, [])
        self.rules = earlier
        self.root = self.node(earlier.first, None, -1)
        self.rules.start, self.rules.name = rules.start, rules.name


class NeverGrows(Search):
    """Nodes below depth 2 are never added, though rollouts go on."""

    def grow(self, node: Node) -> Node | None:
        deep = node.parent is not None and node.parent.parent is not None
        if deep and node.untried is None:
            node.untried = []
        return None if deep else super().grow(node)


UCB1 = {"selection": "ucb1", "c": 1.4}
PUCT = {"selection": "puct", "c": 1.5, **PRIORS}
RANDOM = ("selection-random", "selection-unexplained", "selection-not-declared")
# `make test` makes the first mistake of each check: of those, one that is found soon stands first.
FAULTY: dict[str, Case] = {
    "sum by the parent's visits": Case(("selection-parent-mean",), of(SumByParent)),
    "sums where every child is evaluated": Case(("selection-sum",), of(EveryChildSum)),
    "the best leaf anywhere": Case(
        ("selection-whole-tree",),
        of(EveryChildAnywhere, selection="ucb1", c=1.4),
        ("tic_tac_toe",),  # no exploration explains as much in the other
    ),
    "children of the root's position": Case(
        ("expansion-from-root",),
        of(FromRoot, game=None, start=None),
    ),
    "√(int(ln N) / n)": Case(("selection-integer-log",), of(WholeLog)),
    "√N / n": Case(("selection-no-log",), of(RootOverVisits)),
    "ln(n + 1) / n": Case(("selection-child-log",), of(OwnLogAndOne)),
    "PUCT, highest prior again": Case(("selection-no-visits",), of(HighestPriorAgain, **PRIORS)),
    "PUCT by the parent's visits": Case(
        ("selection-no-visits",), of(PuctByParentsVisits, **PRIORS)
    ),
    "PUCT without brackets around 1 + n": Case(
        ("selection-no-visits",), of(PuctNoBrackets, **PRIORS)
    ),
    "PUCT without brackets around 1 + n, declared": Case(
        ("selection-no-visits",), of(PuctNoBrackets, **PUCT)
    ),
    "PUCT of the children's visits without brackets around 1 + n": Case(
        ("selection-unvisited",), of(PuctOfChildrenNoBrackets, **PRIORS)
    ),
    "√(ln N / 1 + n)": Case(
        ("selection-no-visits",), of(NoBrackets, selection="ucb1", c=NoBrackets.c)
    ),
    "PUCT, priors of new children alone": Case(
        ("selection-other-prior",), of(PuctPriorOfNewAlone, **PRIORS)
    ),
    "PUCT, own visits of old children": Case(
        ("selection-child-log",), of(PuctOwnVisitsOfOld, **PRIORS)
    ),
    "√(ln N) / n": Case(("selection-root-of-log",), of(RootOfLog)),
    "2 ln N // n": Case(("selection-integer-log",), of(IntegerDoubleLog)),
    "exploration taken off": Case(("selection-minus",), of(Minus)),
    "unvisited worth 0, declared first": Case(
        ("selection-unvisited",), of(ModestUrgency, selection="ucb1", c=1.4, unvisited="first")
    ),
    "unvisited worth 0 beside one visit": Case(
        ("selection-unvisited",), of(OnceMore, selection="ucb1", c=1.4, unvisited="first")
    ),
    "PUCT with √(ln N / (1 + n)), declared": Case(
        ("selection-puct-log",), of(HalfUcb1UnderOneRoot, **PUCT)
    ),
    "PUCT with √(ln N), declared": Case(("selection-puct-log",), of(HalfUcb1, **PUCT)),
    "the second player takes the least score": Case(("selection-argmin",), of(SecondMinimises)),
    "PUCT, argmin": Case(("selection-argmin",), of(PuctArgmin, **PRIORS)),
    "PUCT, visits of the root": Case(("selection-root-log",), of(PuctRootVisits, **PRIORS)),
    "PUCT, own visits, declared": Case(("selection-child-log",), of(PuctOwnVisits, **PUCT)),
    "PUCT, one view": Case(("selection-one-view",), of(PuctOneView, **PRIORS)),
    "PUCT, one view and own urgencies": Case(
        ("selection-one-view",), of(OwnUrgencyOneView, **PRIORS)
    ),
    "Minigo, one view": Case(
        ("selection-one-view",),
        of(MinigoOneView, children=lambda node: node.by_move, action=None, **PRIORS),
    ),
    "PUCT, the value of the leaf before": Case(("simulation-late",), of(PuctLate, **PRIORS)),
    "priors over illegal moves": Case(("expansion-priors",), of(PuctIllegalPriors, **PRIORS)),
    "priors of illegal moves": Case(("expansion-priors",), of(PuctUnmasked, **PRIORS)),
    "wins of one player as draws": Case(("value-one-side",), of(WinsOfOne), ("tic_tac_toe",)),
    "the last result as the mean": Case(
        ("value-overwritten",), of(LastMean, value="Q", value_kind="mean")
    ),
    "virtual win": Case(("virtual-loss-sign",), of(VirtualWin, virtual_loss="virtual", leaves=8)),
    "virtual win of one player": Case(("virtual-loss-sign",), of(VirtualWinOfOne)),
    "a mean moved halfway": Case(("value-mean",), of(Halfway)),
    "a mean by the visits before": Case(("value-mean",), of(ByOldVisits)),
    "an exponential average for a sum": Case(("value-mean",), of(ExponentialSum)),
    "a mean moved halfway from 0 on": Case(("value-mean",), of(HalfwayFromZero)),
    "a mean whose visit is counted before": Case(("value-mean",), of(VisitCountedBefore)),
    "scores that back-up writes": Case(("selection-stale-log",), of(ScoreOfBackup)),
    "scores that back-up writes too early": Case(("selection-stale-log",), of(ScoreOfEarlyBackup)),
    "the leaf's parent not counted": Case(("visits-missing",), of(ParentOfLeafSkipped)),
    "root, its child and leaf counted": Case(("visits-missing",), of(RootItsChildAndLeaf)),
    "virtual losses undone twice": Case(("visits-missing",), of(UndoneTwice)),
    "virtual losses that stay": Case(("virtual-loss-left",), of(LossesStay, leaves=8)),
    "virtual losses that stay in the value": Case(("virtual-loss-left",), of(LossStaysInValue)),
    "the path not emptied": Case(("visits-double",), of(PathNotEmptied)),
    "every visit twice": Case(("visits-double",), of(EveryVisitTwice)),
    "visits counted on the way down, too": Case(("visits-double",), of(CountedOnTheWay)),
    "the mean by the visits again": Case(("selection-divided-twice",), of(MeanByVisits)),
    "noise on illegal moves": Case(("expansion-priors",), of(NoiseOnIllegal, **PRIORS)),
    "ln N of when a child is made": Case(("selection-stale-log",), of(LogWhenMade)),
    "N and n swapped": Case(("selection-swapped",), of(Swapped)),
    "value times exploration": Case(("selection-product",), of(Product, **UCB1)),
    "|q|": Case(("selection-sign-lost",), of(NoSign)),
    "|q| in PUCT": Case(("selection-sign-lost",), of(PuctNoSign, **PRIORS)),
    "the next child's prior": Case(("selection-other-prior",), of(PuctNextPrior, **PRIORS)),
    "the prior added to the value": Case(("selection-prior-in-value",), of(PuctPriorAdded, **PUCT)),
    "the prior times the value": Case(("selection-prior-in-value",), of(PuctPriorTimes, **PUCT)),
    "the next child's prior, declared": Case(("selection-other-prior",), of(PuctNextPrior, **PUCT)),
    "always the first child": Case(("selection-fixed",), of(AlwaysFirst)),
    "the most visited child": Case(("selection-fixed",), of(MostVisited)),
    "log10, declared UCB1": Case(("selection-not-declared",), of(Log10, **UCB1)),
    "ln N // n": Case(("selection-integer-log",), of(IntegerLog)),
    "no value": Case(("selection-no-value",), of(NoValue)),
    "stale ln N": Case(("selection-stale-log",), of(StaleLog)),
    "ln N of the first choice": Case(("selection-stale-log",), of(FirstLog)),
    "scores that are kept": Case(("selection-stale-log",), of(KeptScores)),
    "best child of some visits before": Case(("selection-cached",), of(CachedBest, **UCB1)),
    "best child of the first time": Case(("selection-cached",), of(AlwaysCached, **UCB1)),
    "a list of the best that is not emptied": Case(("selection-random",), of(ListNotEmptied)),
    "ε-greedy, declared UCB1": Case(RANDOM, of(EpsilonGreedy, **UCB1)),
    "random, declared UCB1": Case(RANDOM, of(AtRandom, **UCB1)),
    "temperature, declared UCB1": Case(RANDOM, of(Temperature, **UCB1)),
    "softmax of scores, declared UCB1": Case(RANDOM, of(SoftScores, **UCB1)),
    "scaled sums": Case(("selection-sum",), of(ScaledSums)),
    "N of the step before": Case(("selection-parent-log",), of(PathBefore)),
    "PUCT, wrong view": Case(("selection-wrong-view",), of(PuctWrongView, **PRIORS)),
    "PUCT, recorded in the wrong view": Case(
        ("selection-wrong-view", "value-wrong-view"), of(Puct, value_view="to_move", **PRIORS)
    ),
    "PUCT, urgency in the wrong view": Case(
        ("selection-unvisited",), of(PuctWrongUrgency, **PRIORS)
    ),
    "PUCT without root": Case(("selection-no-root",), of(PuctNoRoot, **PRIORS)),
    "PUCT without visits": Case(("selection-no-visits",), of(PuctNoVisits, **PRIORS)),
    "PUCT, unvisited never": Case(("selection-unvisited",), of(PuctUnvisitedNever, **PRIORS)),
    "PUCT, priors forgotten, declared": Case(("selection-not-declared",), of(PuctNoPrior, **PUCT)),
    "PUCT, drawn by the visits": Case(("selection-random",), of(PuctDrawn, **PRIORS)),
    "PUCT, network in the wrong view": Case(("simulation-flipped",), of(WrongJudge, **PRIORS)),
    "PUCT, network of one player in the wrong view": Case(
        ("simulation-flipped",), of(JudgeOfOne, **PRIORS)
    ),
    "PUCT, network from 0 to 1": Case(("simulation-not-random",), of(JudgeFromZero, **PRIORS)),
    "PUCT of sums": Case(("selection-sum",), of(PuctSum, **PRIORS)),
    "PUCT of sums by the parent's visits": Case(
        ("selection-parent-mean",), of(PuctByParent, **PRIORS)
    ),
    "PUCT without value": Case(("selection-no-value",), of(PuctNoValue, **PRIORS)),
    "PUCT, value not turned": Case(("value-same-view",), of(PuctNoTurn, **PRIORS)),
    "PUCT, ends flipped": Case(
        ("simulation-terminal", "value-wrong-view"), of(PuctEndsFlipped, **PRIORS)
    ),
    "PUCT, ends ignored": Case(("simulation-terminal",), of(PuctEndsIgnored, **PRIORS)),
    "ends flipped": Case(("simulation-terminal", "value-wrong-view"), of(EndsFlipped)),
    "ends ignored": Case(("simulation-terminal",), of(EndsIgnored)),
    "draws won": Case(("value-draw-as-win",), of(DrawsWon), ("tic_tac_toe",)),
    "the other player begins rollouts": Case(
        ("simulation-first-move",), of(OtherBegins, iterations=1_000), ("tic_tac_toe",)
    ),
    "the other player begins rollouts, outcomes told": Case(
        ("simulation-first-move",),
        of(OtherBegins, iterations=1_000, outcomes=True),
        ("tic_tac_toe",),
    ),
    "rollout flipped": Case(("simulation-flipped",), of(RolloutFlipped)),
    "rollout in the view of the leaf": Case(
        ("simulation-flipped", "simulation-terminal", "value-wrong-view"), of(RolloutParity)
    ),
    "rollouts with a fixed seed": Case(("simulation-repeats",), of(FixedSeed, iterations=1_000)),
    "rollouts from the parent's state": Case(
        ("simulation-from-parent",), of(FromParent, iterations=1_000), ("tic_tac_toe",)
    ),
    "results of rollouts lost": Case(("simulation-constant",), of(ResultLost)),
    "value not turned": Case(("value-same-view",), of(NoTurn)),
    "the sign changes from the leaf on": Case(
        ("value-wrong-view", "simulation-flipped"), of(FromTheLeafOn, outcomes=True)
    ),
    "value in the wrong view": Case(("value-wrong-view", "selection-wrong-view"), of(WrongView)),
    "a mean, declared minimax": Case(("value-not-best",), of(Search, backup="minimax")),
    "tree of an earlier problem": Case(("reuse-start",), of(OldTree, thorough=True)),
    "best result kept by both": Case(("value-backup",), of(BestKept)),
    "every way up": Case(
        ("visits-double",),
        of(EveryWayUp, children=lambda node: node.by_move, action=None, thorough=True),
    ),
    "root counted twice": Case(("visits-double",), of(RootTwice)),
    "outcome of nothing": Case(
        ("simulation-not-random",), of(ConstantOutcome, outcomes=True), ("connect_four",)
    ),
    "PUCT, √(N / (1 + n))": Case(("selection-no-root",), of(PuctRootOfAll, **PRIORS)),
    "PUCT, equal priors, declared": Case(("selection-other-prior",), of(PuctEqualPriors, **PUCT)),
    "PUCT, equal priors": Case(("selection-other-prior",), of(PuctEqualPriors, **PRIORS)),
    "tree that stops growing": Case(("expansion-stops",), of(NeverGrows)),
    "the second player takes exploration off": Case(
        ("selection-minus",), of(SecondExploresNothing)
    ),
}


def alone(kind: type[Search], **told: Any) -> Callable[[Any, int], mv.Trace]:
    """The same mistake of who plays alone."""
    return of(type(kind.__name__, (kind, Alone), {}), **told)


class HalvedOnTheWay(Alone):
    """What a node gets is halved from each node to its parent."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N += 1
            node.W += outcome
            outcome /= 2


class SignTurns(Alone):
    """As where two play."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N, node.W, outcome = node.N + 1, node.W + outcome, -outcome


FAULTY_ALONE: dict[str, Case] = {
    "the sign turns": Case(("value-uneven",), of(SignTurns, value_range=(-1.0, 1.0))),
    "sum by the parent's visits": Case(("selection-parent-mean",), alone(SumByParent)),
    "√(ln N) / n": Case(("selection-root-of-log",), alone(RootOfLog)),
    "no value": Case(("selection-no-value",), alone(NoValue)),
    "ln N of the first choice": Case(("selection-stale-log",), alone(FirstLog)),
    "random, declared UCB1": Case(RANDOM, alone(AtRandom, **UCB1)),
    "scaled sums": Case(("selection-sum",), alone(ScaledSums)),
    "N of the step before": Case(("selection-parent-log",), alone(PathBefore)),
    "value in the wrong view": Case(
        ("selection-wrong-view", "value-out-of-range"), alone(WrongView)
    ),
    "halved on the way": Case(("value-discount",), of(HalvedOnTheWay)),
}


def cases() -> Iterator[tuple[str, tuple[str, ...], Callable[[int], mv.Trace]]]:
    """(name, checks of which one must find it, recording by seed) of all."""
    for name, start in START.items():
        for title, (checks, case, games) in FAULTY.items():
            if name not in games:
                continue
            yield (
                f"{title} ({name})", checks,
                lambda seed, c=case, n=name, s=start: c(Rules(n, s), seed),
            )  # fmt: skip
    for title, (checks, case, _) in FAULTY_ALONE.items():
        yield f"{title} (walk)", checks, lambda seed, c=case: c(Walk(), seed)
