"""A plain UCT, and what people get wrong in one: each mistake is a switch.

The searches know nothing of the package but the rules of its games; `recorded` watches them.
"""

import math
import random
from collections.abc import Sequence
from typing import Any

import mcts_viz as mv
from mcts_viz.games import FlatGame, game

# each mistake with the check that names it
ZOO = {
    # visits
    "root not counted": "visits-root",
    "leaf not counted": "visits-leaf",
    "leaf counted twice": "visits-double",
    "every second node not counted": "visits-missing",
    "siblings counted too": "visits-off-path",
    "visits decay": "visits-shrink",
    # value
    "sum overwritten": "value-overwritten",
    "mean in place of the sum": "value-mean",
    "sign does not alternate": "value-same-view",
    "value of the other player": "value-wrong-view",
    "only wins of the searcher": "value-one-side",
    "draws like wins": "value-draw-as-win",
    "score out of range": "value-out-of-range",
    "undeclared discount": "value-discount",
    "leaf gets no value": "value-leaf",
    "another simulation for each node": "value-uneven",
    "noise on the value": "value-not-the-result",
    "values decay": "value-off-path",
    # selection
    "argmin": "selection-argmin",
    "best for the opponent": "selection-wrong-view",
    "both choose for the first player": "selection-one-view",
    "log of the root's visits": "selection-root-log",
    "log of the child's visits": "selection-child-log",
    "no square root": "selection-no-root",
    "no logarithm": "selection-no-log",
    "integer mean": "selection-integer-mean",
    "sum in place of the mean": "selection-sum",
    "last child ignored": "selection-ignored-child",
    "first child ignored": "selection-ignored-child",
    "random choice": "selection-random",
    "no exploration": "selection-greedy",
    "other c than declared": "selection-not-declared",
    "chooses before all are tried": "selection-untried",
    "children without visits worth nothing": "selection-unvisited",
    # expansion
    "finished games taken for draws": "expansion-outcome",
    "move tried twice": "expansion-duplicate",
    "last move never tried": "expansion-missing",
    "illegal move": "expansion-illegal",
    "goes on after the end": "expansion-below-end",
    "player not turned": "expansion-player",
    "state shared by children": "expansion-equal-states",
    "rollouts on the node's own board": "expansion-state-changes",
    "rollouts on the leaf's own board": "expansion-state-changes",
    "one board for all nodes": "expansion-state-changes",
    # simulation
    "outcome of a finished game": "simulation-terminal",
    "rollout with the wrong player": "simulation-outcome",
    "rollout goes on after the end": "simulation-illegal",
    "rollout cut short": "simulation-unfinished",
    "last legal move never in rollouts": "simulation-ignored-move",
    "same random numbers again": "simulation-repeats",
    "first legal move in rollouts": "simulation-repeats",
    "best of four rollouts for the first player": "simulation-not-random",
    # reuse
    "subtree counted twice": "reuse-doubled",
    "children lost with the old root": "reuse-lost",
}

# the same where only visits and values are recorded
UNTOLD = {
    "draws like wins": "value-draw-as-win",
    "draws like losses": "value-draw-as-loss",
    "draws won by the first player": "value-draw-as-win",
    "wins of the first player alone": "value-one-side",
    "whoever wins is taken for the player of the leaf": "simulation-flipped",
}

# in Connect Four both sides threaten to win, and a column is nearly full: so a small search meets the
# end of the game and moves that have become illegal
STARTS: dict[str, tuple[int, ...]] = {
    "tic_tac_toe": (0, 4, 1),
    "connect_four": (3, 3, 2, 2, 0, 0, 0, 0, 0),
}


class Node:
    """A node of plain UCT; `value` is the sum in the view of the player who moved into it."""

    def __init__(self, state: list[int], parent: "Node | None", move: int, player: int):
        self.state, self.parent, self.move, self.player = state, parent, move, player
        self.children: list[Node] = []
        self.untried: list[int] = []
        self.visits = 0
        self.value = 0.0
        self.total = 0.0  # for a mean that is kept
        self.text = ""
        self.board = state  # as a recording reads it


class Search:
    """UCB1 with c = 1.4; win 1, draw ½, loss 0; one child at a time; random rollouts."""

    c = 1.4

    def __init__(
        self, played: FlatGame, mistake: str | None = None, seed: int = 1, start: Sequence[int] = ()
    ):
        self.game, self.mistake = played, mistake
        self.random = random.Random(seed)
        self.seed = seed
        state, _ = played.position(start)
        self.root = Node(state, None, -1, played.rules.to_move(state))
        self.root.untried = self.moves(state)
        self.board = list(state)  # where it would work if it had but one
        self.outcome = 0.0
        self.rollout: list[int] = []
        self.leaf = self.root
        self.n = 0

    # rules

    def moves(self, state: list[int]) -> list[int]:
        legal = self.game.legal(state)
        if self.mistake == "last move never tried" and len(legal) > 1:
            legal = legal[:-1]
        if self.mistake == "move tried twice" and legal:
            legal = [*legal, legal[0]]
        if self.mistake == "goes on after the end" and not legal:
            buffer = [0] * self.game.n_actions
            legal = buffer[: self.game.rules.legal_actions(state, buffer)]
        return legal

    def after(self, state: list[int], move: int) -> list[int]:
        state = list(state)
        self.game.rules.play(state, move)
        return state

    # the four phases

    def step(self) -> None:
        self.n += 1
        node = self.select()
        node = self.expand(node)
        self.leaf = node
        self.outcome, self.rollout = self.simulate(node)
        self.backpropagate(node)

    def select(self) -> Node:
        node = self.root
        while node.children and (not node.untried or self.early()):
            node = self.best(node)
        return node

    def early(self) -> bool:
        return self.mistake == "chooses before all are tried" and self.random.random() < 0.3

    def best(self, node: Node) -> Node:
        children = node.children
        if self.mistake == "random choice":
            return self.random.choice(children)
        if self.mistake == "last child ignored" and len(children) > 1:
            children = children[:-1]
        if self.mistake == "first child ignored" and len(children) > 1:
            children = children[1:]
        if self.mistake == "argmin":
            return min(children, key=lambda child: self.score(node, child))
        return max(children, key=lambda child: self.score(node, child))

    def score(self, node: Node, child: Node) -> float:
        if child.visits <= 0:
            return 0.0 if self.mistake == "children without visits worth nothing" else math.inf
        n, N, q = child.visits, max(node.visits, 1), child.value / child.visits
        c = {"no exploration": 0.0, "other c than declared": 0.7}.get(self.mistake or "", self.c)
        if self.mistake == "log of the root's visits":
            N = max(self.root.visits, 1)
        if self.mistake == "log of the child's visits":
            N = n
        if self.mistake == "integer mean":
            q = child.value // child.visits
        if self.mistake == "sum in place of the mean":
            q = child.value
        if self.mistake == "best for the opponent":
            q = 1 - q
        if self.mistake == "both choose for the first player" and node.player == 1:
            q = 1 - q
        if self.mistake == "no square root":
            return q + c * math.log(N) / n
        if self.mistake == "no logarithm":
            return q + c * math.sqrt(N / n)
        return q + c * math.sqrt(math.log(N) / n)

    def expand(self, node: Node) -> Node:
        if not node.untried:
            return node
        if self.mistake == "rollouts on the leaf's own board" and node.parent and not node.visits:
            return node  # children are made at its second visit
        if self.mistake in (
            "children without visits worth nothing", "rollouts on the leaf's own board",
        ):  # fmt: skip
            while len(node.untried) > 1:
                self.add_child(node)
        return self.add_child(node)

    def add_child(self, node: Node) -> Node:
        move = node.untried.pop(self.random.randrange(len(node.untried)))
        state = self.after(node.state, move)
        child = Node(state, node, move, self.game.rules.to_move(state))
        shared = node.children and self.mistake == "state shared by children"
        child.text = node.children[0].text if shared else str(state)
        if self.mistake == "one board for all nodes":
            child.board = self.board
        if self.mistake == "player not turned":
            child.player = node.player
        child.untried = self.moves(child.state)
        if self.mistake == "illegal move" and child.untried:
            child.untried = self.moves(node.state)
        node.children.append(child)
        return child

    def simulate(self, node: Node) -> tuple[float, list[int]]:
        if self.mistake == "best of four rollouts for the first player":
            return max((self.play_on(node) for _ in range(4)), key=lambda played: played[0])
        return self.play_on(node)

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        rules = self.game.rules
        state, moves = list(node.state), []
        if self.mistake in ("rollouts on the node's own board", "rollouts on the leaf's own board"):
            state = node.state
        draw = self.random
        if self.mistake == "same random numbers again":
            draw = random.Random(self.seed)
        over = not math.isnan(rules.outcome(state))
        while legal := self.game.legal(state):
            move = draw.choice(legal)
            if self.mistake == "last legal move never in rollouts":
                move = draw.choice(legal[:-1] or legal)
            if self.mistake == "first legal move in rollouts":
                move = legal[0]
            rules.play(state, move)
            moves.append(move)
            self.board[:] = state
            if self.mistake == "rollout cut short" and len(moves) == 3 and self.game.legal(state):
                return 0.0, moves
        outcome = rules.outcome(state)
        if self.mistake == "outcome of a finished game" and over:
            outcome = self.random.choice([-1.0, 0.0, 1.0])
        if self.mistake == "finished games taken for draws" and over:
            outcome = 0.0
        if self.mistake == "rollout with the wrong player" and moves:
            outcome = -outcome
        if self.mistake == "rollout goes on after the end" and moves:
            moves.append(moves[-1])
        return (0.0 if math.isnan(outcome) else outcome), moves

    def worth(self, node: Node, outcome: float) -> float:
        """To the player who moved into the node."""
        mover = 1 - self.root.player if node.parent is None else node.parent.player
        if self.mistake == "sign does not alternate":
            mover = 0
        if self.mistake == "value of the other player":
            mover = 1 - mover
        result = outcome if mover == 0 else -outcome
        if self.mistake == "only wins of the searcher" and mover != self.root.player:
            return 0.0
        if self.mistake == "draws like wins":
            return 1.0 if result >= 0 else 0.0
        if self.mistake == "draws like losses":
            return 1.0 if result > 0 else 0.0
        if self.mistake == "draws won by the first player" and result == 0:
            return 1.0 if mover == 0 else 0.0
        if self.mistake == "wins of the first player alone" and result > 0 and mover == 1:
            return 0.0
        if self.mistake == "whoever wins is taken for the player of the leaf" and result:
            return 1.0 if self.leaf.player != mover else 0.0
        if self.mistake == "score out of range" and result < 0 and self.n % 7 == 0:
            return -1000.0
        return {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}[result]

    def backpropagate(self, leaf: Node) -> None:
        mistake = self.mistake
        node: Node | None = leaf
        if mistake == "leaf not counted" and leaf.parent is not None:
            node = leaf.parent
        distance = 0
        while node is not None:
            if mistake == "root not counted" and node.parent is None:
                break
            outcome = self.outcome
            if mistake == "another simulation for each node":
                outcome, _ = self.simulate(node)
            value = self.worth(node, outcome)
            if mistake == "undeclared discount":
                value *= 0.9**distance
            if mistake == "noise on the value":
                value = 0.9 * value + (0.1 if self.n % 5 == 0 else 0.0)
            if mistake == "leaf gets no value" and distance == 0:
                value = 0.0
            if not (mistake == "every second node not counted" and distance % 2 == 1):
                node.visits += 1
                node.total += value
                node.value += value
            if mistake == "leaf counted twice" and distance == 0 and node.parent is not None:
                node.visits += 1
                node.value += value
            if mistake == "sum overwritten":
                node.value = value
            if mistake == "mean in place of the sum":
                node.value = node.total / node.visits
            distance += 1
            node = node.parent
        self.meddle(leaf)

    def meddle(self, leaf: Node) -> None:
        """Mistakes beside the path."""
        parent = leaf.parent
        if parent is None:
            return
        others = [child for child in parent.children if child is not leaf]
        if self.mistake == "siblings counted too":
            for other in others:
                other.visits += 1
        if self.mistake == "visits decay" and self.n % 50 == 0:
            for child in self.root.children:
                child.visits //= 2
        if self.mistake == "values decay" and self.n % 20 == 0:
            for child in self.root.children:
                child.value *= 0.9

    # the next move of the game

    def advance(self) -> None:
        """Go on with the most visited child as the root."""
        child = max(self.root.children, key=lambda child: child.visits)
        child.parent = None
        if self.mistake == "subtree counted twice":
            for node in child.children:
                node.visits *= 2
                node.value *= 2
        if self.mistake == "children lost with the old root":
            child.children = child.children[: len(child.children) // 2]
        self.root = child


# they change nodes that the iteration did not visit: only a look at the whole tree sees that
OFF_THE_PATH = ("every second node not counted", "values decay")


def recorded(
    name: str, mistake: str | None = None, seed: int = 1, iterations: int = 500
) -> mv.Trace:
    """The search watched; after 1,000 iterations of a move before where the tree is kept."""
    start = list(STARTS[name])
    search = Search(game(name), mistake, seed, start)
    if mistake is not None and ZOO[mistake].startswith("reuse"):
        for _ in range(1_000):
            search.step()
        search.advance()
        start.append(search.root.move)
    options: dict[str, Any] = {}
    if mistake == "other c than declared":
        options = {"selection": "ucb1", "c": 1.4}
    if mistake == "state shared by children":
        options = {"state": "text"}
    if ZOO.get(mistake or "") == "expansion-state-changes":
        options = {"state": lambda node: str(node.board)}
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        to_move="player", outcome=lambda node: ended(search, node), game=name, start=start,
        value_range=(0.0, 1.0), thorough=mistake in OFF_THE_PATH, **options,
    ) as rec:  # fmt: skip
        for _ in range(iterations):
            search.step()
            rec.iteration(outcome=search.outcome, rollout=search.rollout)
    return rec.trace


def watched(search: Search, name: str, iterations: int = 400, **told: Any) -> mv.Trace:
    """The search watched with visits and values alone, and what else is told."""
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        start=STARTS[name], **{"value_range": (0.0, 1.0), **told},
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, iterations):
            pass
    return rec.trace


def ended(search: Search, node: Node) -> float | None:
    outcome = search.game.rules.outcome(node.state)
    if search.mistake == "finished games taken for draws" and not math.isnan(outcome):
        return 0.0
    return None if math.isnan(outcome) else outcome
