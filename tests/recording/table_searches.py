"""Searches that keep tables by state and action, as alpha-zero-general and many notebooks do; they know nothing of the
package."""

from __future__ import annotations

import math
import random

from tests.recording.searches import winner

DRAW = 1e-4  # what stands for a draw in Es, where 0 means that the game goes on


class CanonicalTicTacToe:
    """Boards as the player to move sees them: its own stones are x."""

    start = "." * 9

    @staticmethod
    def moves(board: str) -> list[bool]:
        return [cell == "." for cell in board]

    @staticmethod
    def next_board(board: str, move: int) -> str:
        played = f"{board[:move]}x{board[move + 1 :]}"
        return played.translate(str.maketrans("xo", "ox"))

    @staticmethod
    def ended(board: str) -> float:
        """View of the player to move: whoever has just moved may have won."""
        if winner(board) is not None:
            return -1.0
        return 0.0 if "." in board else DRAW


class TableSearch:
    """PUCT, or UCB1, over dicts: Qsa, Nsa, Ns, Ps, Es and Vs by canonical boards, negamax of values.

    A network is stood in for by a fixed draw for each board."""

    def __init__(self, c: float = 1.0, rule: str = "puct", fault: str = "") -> None:
        self.Qsa: dict[tuple[str, int], float] = {}
        self.Nsa: dict[tuple[str, int], int] = {}
        self.Ns: dict[str, int] = {}
        self.Ps: dict[str, list[float]] = {}
        self.Es: dict[str, float] = {}
        self.Vs: dict[str, list[bool]] = {}
        self.game, self.c, self.rule, self.fault = CanonicalTicTacToe(), c, rule, fault

    def step(self, board: str = CanonicalTicTacToe.start) -> None:
        self.search(board)

    def predict(self, board: str) -> tuple[list[float], float]:
        draw = random.Random(board)
        return [draw.random() + 0.1 for _ in board], draw.uniform(-1, 1)

    def search(self, board: str) -> float:
        if board not in self.Es:
            self.Es[board] = self.game.ended(board)
        if self.Es[board] != 0:
            return -self.Es[board]
        if board not in self.Ps:
            priors, value = self.predict(board)
            valid = self.game.moves(board)
            masked = [p * v for p, v in zip(priors, valid)]
            self.Ps[board] = [p / sum(masked) for p in masked]
            self.Vs[board], self.Ns[board] = valid, 0
            return -value
        best, action = -math.inf, -1
        for a, valid_move in enumerate(self.Vs[board]):
            if not valid_move:
                continue
            if self.rule == "ucb1":
                n = self.Nsa.get((board, a), 0)
                bonus = math.sqrt(math.log(self.Ns[board]) / n) if n else math.inf
                score = self.Qsa.get((board, a), 0.0) + self.c * bonus
            elif (board, a) in self.Qsa:
                bonus = math.sqrt(self.Ns[board]) / (1 + self.Nsa[board, a])
                mean = -self.Qsa[board, a] if self.fault == "opponent" else self.Qsa[board, a]
                score = mean + self.c * self.Ps[board][a] * bonus * (self.fault != "greedy")
            else:
                score = self.c * self.Ps[board][a] * math.sqrt(self.Ns[board] + 1e-8)
                score *= self.fault != "greedy"
            if score > best:
                best, action = score, a
        value = self.search(self.game.next_board(board, action))
        n = self.Nsa.get((board, action), 0)
        if n:
            kept = value if self.fault != "sign" else -value
            self.Qsa[board, action] = (n * self.Qsa[board, action] + kept) / (n + 1)
        else:
            self.Qsa[board, action] = value
        self.Nsa[board, action] = n + 1
        self.Ns[board] += 1
        return -value
