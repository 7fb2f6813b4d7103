"""The searches of the presets a second time: small trees of plain objects over rules of their own.

Written from what each preset promises, to be compared with what the package does; nothing here comes
from the package but the rules of Sudo Tic-Tac-Toe.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from mcts_viz.games import game

LEAST_INT32 = -(2**31)

# starts of Tic-Tac-Toe
#  XO.   player 1 to move, and loses at once unless it answers the threat at c1
#  .X.
#  ...
THREATENED = (0, 1, 4)
#  X.O   player 0 to move: the only move that does not lose, a1, wins
#  .O.
#  ..X
TURNING_POINT = (0, 4, 8, 2)


class Position(NamedTuple):
    """A board as text, cells in rows from the top: X moves first."""

    board: str
    mover: str
    result: int | None  # 1 when X has won, -1 when O has, 0 a draw; None: the game goes on
    legal: tuple[tuple[int, str], ...]  # (action, the board after it), ascending


Look = Callable[[str], Position]  # the rules of a game: what there is to know of a board


def other(player: str) -> str:
    return "O" if player == "X" else "X"


def line_position(
    board: str, lines: Sequence[Sequence[int]], cells: Sequence[tuple[int, int]]
) -> Position:
    """Of a game in which a full line wins; `cells` are (action, the cell that it fills)."""
    mover = "X" if board.count("X") == board.count("O") else "O"
    last = other(mover)
    if any(all(board[cell] == last for cell in line) for line in lines):
        return Position(board, mover, 1 if last == "X" else -1, ())
    if "." not in board:
        return Position(board, mover, 0, ())
    legal = tuple((action, board[:cell] + mover + board[cell + 1 :]) for action, cell in cells)
    return Position(board, mover, None, legal)


THREES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@cache
def tic_tac_toe(board: str) -> Position:
    return line_position(board, THREES, [(i, i) for i in range(9) if board[i] == "."])


FOURS = [
    tuple((row + i * down) * 7 + column + i * right for i in range(4))
    for row in range(6)
    for column in range(7)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    if row + 3 * down < 6 and 0 <= column + 3 * right < 7
]


@cache
def connect_four(board: str) -> Position:
    deepest = [
        (column, max(cell for cell in range(column, 42, 7) if board[cell] == "."))
        for column in range(7)
        if board[column] == "."
    ]
    return line_position(board, FOURS, deepest)


GAMES: dict[str, tuple[Look, int]] = {
    "tic_tac_toe": (tic_tac_toe, 9),
    "connect_four": (connect_four, 42),
}


def after(name: str, actions: Sequence[int]) -> Position:
    """The position of that game after those actions."""
    look, n_cells = GAMES[name]
    position = look("." * n_cells)
    for action in actions:
        position = look(dict(position.legal)[action])
    return position


@cache
def starts(n: int, n_moves: Sequence[int]) -> list[tuple[int, ...]]:
    """`n` random starts of Tic-Tac-Toe with so many moves played, in turn; none is a finished game."""
    choose = random.Random(1)
    found: list[tuple[int, ...]] = []
    while len(found) < n:
        moves = choose.sample(range(9), n_moves[len(found) % len(n_moves)])
        position = after("tic_tac_toe", ())
        for move in moves:
            position = tic_tac_toe(dict(position.legal).get(move, position.board))
        if position.result is None:
            found.append(tuple(moves))
    return found


@cache
def minimax(board: str) -> int:
    """The result of Tic-Tac-Toe under best play, as `Position.result`."""
    position = tic_tac_toe(board)
    if position.result is not None:
        return position.result
    best = max if position.mover == "X" else min
    return best(minimax(following) for _, following in position.legal)


class Node:
    """`score` is in the view of `came`, the player who moved into the node."""

    def __init__(self, position: Position, action: int = -1, prior: float = math.nan) -> None:
        self.position, self.action, self.prior = position, action, prior
        self.came = other(position.mover)
        self.children: list[Node] = []
        self.untried = list(position.legal)
        self.visits = 0
        self.score = 0.0

    @property
    def mean(self) -> float:
        return self.score / self.visits

    def view(self, result: int) -> int:
        """The result for the player who moved into the node."""
        return result if self.came == "X" else -result

    def make_child(self, look: Look, place: int) -> Node:
        """A child for the untried action at that place of the list, in which the first takes its
        place."""
        self.untried[0], self.untried[place] = self.untried[place], self.untried[0]
        action, board = self.untried.pop(0)
        self.children.append(Node(look(board), action))
        return self.children[-1]

    def make_all_children(self, look: Look) -> None:
        self.children = [Node(look(board), action) for action, board in self.untried]
        self.untried = []

    def ucb1(self, child: Node, c: float) -> float:
        if child.visits == 0:
            return math.inf
        return child.mean + c * math.sqrt(math.log(self.visits) / child.visits)

    def ucb1_double_log(self, child: Node, c: float) -> float:
        return child.mean + c * math.sqrt(2 * math.log(self.visits) / child.visits)


Draw = Callable[[int], int]  # (n) -> one of 0 to n - 1, each equally likely
Reference = Callable[[Look, Position, int, Draw], Node]  # (…, start, iterations, …) -> root


def by_visits(root: Node) -> int:
    """The action with the most visits, the first of the list."""
    return max(root.children, key=lambda child: child.visits).action


def by_mean(root: Node) -> int:
    visited = [child for child in root.children if child.visits]
    return max(visited, key=lambda child: child.mean).action


def tree_size(node: Node) -> int:
    return 1 + sum(map(tree_size, node.children))


def playout(look: Look, position: Position, draw: Draw) -> int:
    """The result of uniformly random moves."""
    while position.result is None:
        position = look(position.legal[draw(len(position.legal))][1])
    return position.result


def path_to_leaf(root: Node, c: float) -> list[Node]:
    """UCB1 down to a node without children, the first of equal ones."""
    path = [root]
    while path[-1].children:
        above = path[-1]
        path.append(max(above.children, key=lambda child: above.ucb1(child, c)))
    return path


def tech_io(look: Look, start: Position, iterations: int, draw: Draw) -> Node:
    root = Node(start)
    for _ in range(iterations):
        path = [root]
        while path[-1].children:
            above = path[-1]
            above.children.sort(key=lambda child: -above.ucb1(child, 2.0))  # stably and for good
            path.append(above.children[0])
        leaf = path[-1]
        if leaf.position.result is None and (leaf is root or leaf.visits > 0):
            leaf.make_all_children(look)
            path.append(leaf.children[0])
        result = playout(look, path[-1].position, draw)
        for node in path:
            node.visits += 1
            node.score += {1: 1.0, 0: 0.5, -1: 0.0}[node.view(result)]
    return root


def rhu2001(look: Look, start: Position, iterations: int, draw: Draw) -> Node:
    root = Node(start)
    for _ in range(iterations):
        path = path_to_leaf(root, math.sqrt(2))
        if path[-1].position.result is None:
            path[-1].make_all_children(look)
            path.append(path[-1].children[draw(len(path[-1].children))])
        result = playout(look, path[-1].position, draw)
        for node in path:
            node.visits += 1
            if node.came == start.mover:
                node.score += {1: 1.0, 0: 0.5, -1: -1.0}[node.view(result)]
    return root


def baeldung(look: Look, start: Position, iterations: int, draw: Draw) -> Node:
    root = Node(start)
    opponents_win = -1 if start.mover == "X" else 1
    for _ in range(iterations):
        path = path_to_leaf(root, 1.41)
        if path[-1].position.result is None:
            path[-1].make_all_children(look)
            path.append(path[-1].children[draw(len(path[-1].children))])
        if path[-1].position.result == opponents_win:
            path[-2].score = LEAST_INT32
        result = playout(look, path[-1].position, draw)
        for node in path:
            node.visits += 1
            if node.view(result) == 1 and node.score != LEAST_INT32:
                node.score += 10.0
    return root


def uct(look: Look, start: Position, iterations: int, draw: Draw) -> Node:
    root = Node(start)
    for _ in range(iterations):
        path = [root]
        while path[-1].children and not path[-1].untried:
            above = path[-1]
            path.append(max(above.children, key=lambda child: above.ucb1(child, math.sqrt(2))))
        leaf = path[-1]
        if leaf.untried:
            path.append(leaf.make_child(look, draw(len(leaf.untried))))
        result = playout(look, path[-1].position, draw)
        for node in path:
            node.visits += 1
            node.score += {1: 1.0, 0: 0.5, -1: 0.0}[node.view(result)]
    return root


def popping(c: float) -> Reference:
    """The search of mctspy and of Sudo Tic-Tac-Toe: untried actions are popped from a list, values
    are wins less losses."""

    def search(look: Look, start: Position, iterations: int, draw: Draw) -> Node:
        root = Node(start)
        for _ in range(iterations):
            path = [root]
            while path[-1].children and not path[-1].untried:
                above = path[-1]
                path.append(max(above.children, key=lambda child: above.ucb1_double_log(child, c)))
            if path[-1].untried:
                action, board = path[-1].untried.pop()
                path[-1].children.append(Node(look(board), action))
                path.append(path[-1].children[-1])
            result = playout(look, path[-1].position, draw)
            for node in path:
                node.visits += 1
                node.score += node.view(result)
        return root

    return search


class Original(NamedTuple):
    """A system that a preset is named after."""

    search: Reference
    choice: Callable[[Node], int]  # action that it plays


ORIGINALS = {
    "baeldung": Original(baeldung, by_visits),
    "mctspy": Original(popping(1.4), by_mean),
    "rhu2001": Original(rhu2001, by_mean),
    "sudo_tic_tac_toe": Original(popping(0.1), by_mean),
    "tech_io": Original(tech_io, by_visits),
    "uct": Original(uct, by_visits),
}


def sudo(board: str) -> Position:
    """Sudo Tic-Tac-Toe by the package's own rules; `board` is a state and the action played in it."""
    played = game("sudo_tic_tac_toe")
    before, _, action = board.partition("|")
    state = [int(number) for number in before.split()] or list(played.first_state)
    if action:
        played.rules.play(state, int(action))
    legal = played.legal(state)
    text = " ".join(map(str, state))
    return Position(
        board,
        "XO"[played.rules.to_move(state)],
        None if legal else int(played.rules.outcome(state)),
        tuple((action, f"{text}|{action}") for action in legal),
    )


# (position) -> (a prior for each legal action, value in the view of the player to move)
Opinion = Callable[[Position], tuple[Sequence[float], float]]
# what a tree says of the node after each sequence of actions: (visits, sum of values)
Statistics = dict[tuple[int, ...], tuple[int, float]]


def alphazero(
    look: Look,
    start: Position,
    iterations: int,
    opinion: Opinion,
    c: float = 1.25,
    urgency: float = 0.0,
    visits_less: int = 0,
) -> Statistics:
    """The last three are there to be wrong about."""
    root = Node(start)
    for _ in range(iterations):
        path = [root]
        while path[-1].children:
            above = path[-1]
            weight = c * math.sqrt(above.visits - visits_less)
            scores = [
                (child.score / child.visits if child.visits else urgency)
                + weight * (child.prior / (1 + child.visits))
                for child in above.children
            ]
            path.append(above.children[scores.index(max(scores))])
        leaf = path[-1]
        if leaf.position.result is None:
            priors, value = opinion(leaf.position)
            leaf.make_all_children(look)
            for child, prior in zip(leaf.children, priors):
                child.prior = float(np.float32(prior))  # as exact as a trace is
        else:
            value = -leaf.view(leaf.position.result)  # for the player to move
        for node in path:
            node.visits += 1
            node.score += value if node.came != leaf.came else -value
    return _statistics(root, ())


def _statistics(node: Node, actions: tuple[int, ...]) -> Statistics:
    found = {actions: (node.visits, node.score)}
    for child in node.children:
        found.update(_statistics(child, (*actions, child.action)))
    return found


def even(position: Position) -> tuple[Sequence[float], float]:
    """Every move as probable as the others, every position even."""
    n = len(position.legal)
    return [1 / n] * n, 0.0


def whimsical(position: Position) -> tuple[Sequence[float], float]:
    """Anything, the same for the same board."""
    choose = random.Random(position.board)
    weights = [choose.random() for _ in position.legal]
    return [weight / sum(weights) for weight in weights], choose.uniform(-1, 1)


def centred(position: Position) -> tuple[Sequence[float], float]:
    """Connect Four's columns 1 : 2 : 3 : 4 : 3 : 2 : 1; lines that are still open to one side are
    worth a point for each of its discs, and six more with three."""
    weights = [4 - abs(action - 3) for action, _ in position.legal]
    points = {"X": 0, "O": 0}
    for line in FOURS:
        discs = [position.board[cell] for cell in line]
        for player in "XO":
            n = discs.count(player)
            if n + discs.count(".") == 4:
                points[player] += n + 6 * (n == 3)
    lead = points[position.mover] - points[other(position.mover)]
    return [weight / sum(weights) for weight in weights], lead / (20 + abs(lead))
