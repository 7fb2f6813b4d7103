"""Well-known searches written small after what their code does: minigo, muzero-general for two, AlphaZero_Gomoku,
ISMCTS. They know nothing of the package."""

from __future__ import annotations

import math
import random

import numpy as np

from tests.recording.searches import play, winner

C = 1.5


def moves_of(board: str) -> list[int]:
    return [] if winner(board) else [at for at in range(9) if board[at] == "."]


def result_of(board: str) -> float | None:
    """View of X; None while the game goes on."""
    won = winner(board)
    if won is None:
        return None if "." in board else 0.0
    return 1.0 if won == "X" else -1.0


# ---- minigo: statistics in arrays of the parent, values in the view of Black (here X), batches with virtual losses


class MinigoNode:
    """Its N and W stand in the arrays of the node above; those of the root in one of its own."""

    def __init__(self, board: str, move: int, above: MinigoNode | None) -> None:
        self.board, self.move, self.above = board, move, above
        self.to_play = 1 if board.count("X") == board.count("O") else -1
        self.children: dict[int, MinigoNode] = {}
        self.child_n, self.child_w, self.prior = np.zeros(9), np.zeros(9), np.zeros(9)
        self.own = np.zeros(2)  # of the root
        self.losses_applied, self.is_expanded = 0, False

    @property
    def visits(self) -> int:
        return int(self.own[0] if self.above is None else self.above.child_n[self.move])

    @property
    def w(self) -> float:
        return float(self.own[1] if self.above is None else self.above.child_w[self.move])

    def add(self, visits: int, value: float) -> None:
        if self.above is None:
            self.own += (visits, value)
        else:
            self.above.child_n[self.move] += visits
            self.above.child_w[self.move] += value


class Minigo:
    """Up to four leaves a batch."""

    def __init__(self, seed: int = 4) -> None:
        self.root, self.random = MinigoNode("." * 9, -1, None), random.Random(seed)

    def batch(self) -> int:
        leaves: list[MinigoNode] = []
        done = 0
        for _ in range(8):
            if len(leaves) == 4:
                break
            leaf = self.select()
            ended = result_of(leaf.board)
            if ended is not None:
                self.back_up(leaf, ended)
                done += 1
                continue
            self.virtual_loss(leaf, 1)
            leaves.append(leaf)
        for leaf in leaves:
            self.virtual_loss(leaf, -1)
            if not leaf.is_expanded:  # else another leaf of the batch was the same
                self.expand(leaf)
                done += 1
        return done

    def select(self) -> MinigoNode:
        node = self.root
        while node.is_expanded and result_of(node.board) is None:
            u = C * math.sqrt(max(1, node.visits - 1)) * node.prior / (1 + node.child_n)
            score = node.child_w / (1 + node.child_n) * node.to_play + u
            legal = moves_of(node.board)
            move = max(legal, key=lambda at: float(score[at]))
            if move not in node.children:
                node.children[move] = MinigoNode(play(node.board, move), move, node)
            node = node.children[move]
        return node

    def virtual_loss(self, leaf: MinigoNode, sign: int) -> None:
        node: MinigoNode | None = leaf
        while node is not None:
            node.losses_applied += sign
            node.add(0, float(sign * node.to_play))
            node = node.above

    def expand(self, leaf: MinigoNode) -> None:
        legal = moves_of(leaf.board)
        leaf.is_expanded = True
        leaf.prior[legal] = 1 / len(legal)
        value = round(self.random.uniform(-0.5, 0.5), 3)
        leaf.child_w += value
        self.back_up(leaf, value)

    def back_up(self, leaf: MinigoNode, value: float) -> None:
        node: MinigoNode | None = leaf
        while node is not None:
            node.add(1, value)
            node = node.above


# ---- muzero-general for two players: values in the view of the player to move, Q scaled by the bounds of the tree


class MuZeroTwoNode:
    def __init__(self, prior: float) -> None:
        self.visit_count, self.to_play, self.prior, self.value_sum, self.reward = (
            0,
            -1,
            prior,
            0.0,
            0.0,
        )
        self.children: dict[int, MuZeroTwoNode] = {}
        self.board = ""

    def value(self) -> float:
        return self.value_sum / self.visit_count if self.visit_count else 0.0


class MuZeroTwo:
    """Tic-Tac-Toe; who wins gets the reward of the last move."""

    def __init__(self, seed: int = 5) -> None:
        self.random = random.Random(seed)
        self.low, self.high = math.inf, -math.inf
        self.root = MuZeroTwoNode(0)
        self.expand(self.root, 0, 0.0, "." * 9)

    def expand(self, node: MuZeroTwoNode, to_play: int, reward: float, board: str) -> None:
        node.to_play, node.reward, node.board = to_play, reward, board
        legal = moves_of(board)
        node.children = {move: MuZeroTwoNode(1 / len(legal)) for move in legal}

    def score(self, parent: MuZeroTwoNode, child: MuZeroTwoNode) -> float:
        pb_c = math.log((parent.visit_count + 19652 + 1) / 19652) + 1.25
        pb_c *= math.sqrt(parent.visit_count) / (child.visit_count + 1)
        value = 0.0
        if child.visit_count:
            value = child.reward - child.value()
            if self.high > self.low:
                value = (value - self.low) / (self.high - self.low)
        return pb_c * child.prior + value

    def step(self) -> None:
        node, path = self.root, [self.root]
        move, parent = -1, self.root
        while node.children:
            parent = node
            move, node = max(node.children.items(), key=lambda pair: self.score(parent, pair[1]))
            path.append(node)
        value = 0.0
        if len(path) > 1:
            board = node.board or play(parent.board, move)
            ended = result_of(board)
            reward = abs(ended) if ended else 0.0
            if not node.board:
                self.expand(node, 1 - parent.to_play, reward, board)
            value = 0.0 if ended is not None else round(self.random.uniform(-0.4, 0.4), 3)
        to_play = node.to_play
        for each in reversed(path):
            each.value_sum += value if each.to_play == to_play else -value
            each.visit_count += 1
            bound = each.reward - each.value()
            self.low, self.high = min(self.low, bound), max(self.high, bound)
            value = (-each.reward if each.to_play == to_play else each.reward) + value


# ---- AlphaZero_Gomoku: a running mean in the view of the player who moved there


class GomokuNode:
    def __init__(self, parent: GomokuNode | None, prior: float) -> None:
        self._parent, self._P = parent, prior
        self._children: dict[int, GomokuNode] = {}
        self._n_visits, self._Q = 0, 0.0

    def get_value(self, c_puct: float) -> float:
        assert self._parent is not None
        u = c_puct * self._P * math.sqrt(self._parent._n_visits) / (1 + self._n_visits)
        return self._Q + u

    def update_recursive(self, leaf_value: float) -> None:
        if self._parent is not None:
            self._parent.update_recursive(-leaf_value)
        self._n_visits += 1
        self._Q += (leaf_value - self._Q) / self._n_visits


class Gomoku:
    def __init__(self, seed: int = 6) -> None:
        self._root, self.random = GomokuNode(None, 1.0), random.Random(seed)

    def playout(self) -> None:
        node, board = self._root, "." * 9
        while node._children:
            move, node = max(node._children.items(), key=lambda pair: pair[1].get_value(5))
            board = play(board, move)
        ended = result_of(board)
        if ended is None:
            legal = moves_of(board)
            for move in legal:
                node._children[move] = GomokuNode(node, 1 / len(legal))
            leaf_value = round(self.random.uniform(-0.5, 0.5), 3)
        else:
            leaf_value = 0.0 if ended == 0 else -1.0  # view of the player to move, who has lost
        node.update_recursive(-leaf_value)


# ---- ISMCTS: one tree over what the searching player knows; each iteration deals the hidden cards anew


class IsmctsNode:
    def __init__(self, move: int | None, parent: IsmctsNode | None, mover: int | None) -> None:
        self.move, self.parent, self.player_just_moved = move, parent, mover
        self.children: list[IsmctsNode] = []
        self.wins, self.visits, self.avails = 0.0, 0, 1


class Ismcts:
    """Three hold three cards of twelve each; in three tricks the highest card takes one, and who took it leads.
    A result is the share of tricks."""

    players = 3

    def __init__(self, seed: int = 7) -> None:
        self.root, self.random = IsmctsNode(None, None, None), random.Random(seed)
        self.mine = (1, 6, 10)
        self.outcome = [0.0] * 3

    def step(self) -> None:
        others = [card for card in range(12) if card not in self.mine]
        self.random.shuffle(others)
        state = Tricks([set(self.mine), set(others[:3]), set(others[3:6])])
        node = self.root
        while not state.is_over and not self._untried(node, state):
            node = self._select(node, state)
            state.play(node.move or 0)
        if not state.is_over:
            move = self.random.choice(self._untried(node, state))
            child = IsmctsNode(move, node, state.player)
            state.play(move)
            node.children.append(child)
            node = child
        while not state.is_over:
            state.play(self.random.choice(sorted(state.hands[state.player])))
        self.outcome = [won / 3 for won in state.won]
        at: IsmctsNode | None = node
        while at is not None:
            at.visits += 1
            if at.player_just_moved is not None:
                at.wins += self.outcome[at.player_just_moved]
            at = at.parent

    @staticmethod
    def _untried(node: IsmctsNode, state: Tricks) -> list[int]:
        tried = {child.move for child in node.children}
        return sorted(state.hands[state.player] - tried)

    @staticmethod
    def _select(node: IsmctsNode, state: Tricks) -> IsmctsNode:
        legal = [child for child in node.children if child.move in state.hands[state.player]]
        best = max(
            legal, key=lambda c: c.wins / c.visits + 0.7 * math.sqrt(math.log(c.avails) / c.visits)
        )
        for child in legal:
            child.avails += 1
        return best


class Tricks:
    def __init__(self, hands: list[set[int]]) -> None:
        self.hands, self.player, self.trick, self.won = hands, 0, {}, [0, 0, 0]  # type: ignore[var-annotated]

    @property
    def is_over(self) -> bool:
        return not any(self.hands)

    def play(self, card: int) -> None:
        self.hands[self.player].discard(card)
        self.trick[self.player] = card
        self.player = (self.player + 1) % 3
        if len(self.trick) == 3:
            self.player = max(self.trick, key=self.trick.__getitem__)
            self.won[self.player] += 1
            self.trick = {}
