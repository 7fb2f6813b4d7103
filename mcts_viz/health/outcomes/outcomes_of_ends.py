"""At which of its visits a finished game gets another outcome than its own: at the first one alone, or now and then.

Needs told outcomes, no rules. It says why, and not whether something is wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Floats, Ints

FEW = 3  # finished games that tell why
RARELY = 0.001  # that all later visits are right by chance
MOSTLY = 0.5  # share of wrong outcomes that are results of games, where simulations are
MOST = 500_000  # visits looked at, the first ones
SLACK = 1e-6
EVALUATED = "New nodes are evaluated before anybody asks whether the game is over there"
ANOTHER_STATE = (
    "A new node is simulated from another position, such as its parent's, where the expansion does not play its move "
    "on the working state; or the rollout makes a move before it asks whether the game is over"
)


class OutcomesOfEnds:
    """Of finished games that at least one visit gives another outcome."""

    def __init__(self) -> None:
        self._node: list[Ints] = []
        self._outcome: list[Floats] = []
        self._wrong: list[Bools] = []
        self._n = 0

    def look(self, leaf: Ints, outcome: Floats, is_wrong: Bools, is_over: Bools) -> None:
        """[n] of iterations in order."""
        if self._n >= MOST:
            return
        self._node.append(leaf[is_over])
        self._outcome.append(outcome[is_over])
        self._wrong.append(is_wrong[is_over])
        self._n += int(is_over.sum())

    def why(self) -> str:
        """In words that follow the finding; empty where each game always gets the same, as by a wrong sign."""
        node, outcome = np.concatenate(self._node), np.concatenate(self._outcome)
        wrong = np.concatenate(self._wrong)
        order = np.argsort(node, kind="stable")
        node, outcome, wrong = node[order], outcome[order], wrong[order]
        begin = np.flatnonzero(np.diff(node, prepend=-1))
        games = Games(
            node[begin],
            np.diff(begin, append=len(node)),
            np.add.reduceat(wrong.astype(np.int64), begin),
            wrong[begin],
            np.maximum.reduceat(outcome, begin) - np.minimum.reduceat(outcome, begin) > SLACK,
        )
        own = np.append(outcome[~wrong], (-1.0, 0.0, 1.0))
        is_result = np.isin(np.round(outcome[wrong], 6), np.round(own, 6)).mean() >= MOSTLY
        return _at_first(games, bool(is_result)) or _now_and_then(games)


class Games(NamedTuple):
    """[G] finished games and their visits."""

    node: Ints
    visits: Ints
    wrong: Ints  # visits
    wrong_at_first: Bools
    varied: Bools  # whether the outcomes of its visits differ


def _at_first(games: Games, is_result: bool) -> str:
    """Where no visit is wrong but the first one of a game, and a game that was wrong at first is right later."""
    first, later = int(games.wrong_at_first.sum()), int((games.visits - 1).sum())
    if first < FEW or (games.wrong > games.wrong_at_first).any() or not games.varied.any():
        return ""
    right_at_first = 1 - first / len(games.node)
    if right_at_first**later > RARELY:
        return ""
    return (
        f", always at the first visit of a node: all {later:,} later visits of finished games are right. "
        f"{ANOTHER_STATE if is_result else EVALUATED}"
    )


def _now_and_then(games: Games) -> str:
    """Where a game has its own outcome at some visits, and others at others."""
    varied = np.flatnonzero(games.varied & (games.wrong > 0))
    if len(varied) < FEW:
        return ""
    most = varied[np.argmax(games.visits[varied])]
    visits = int(games.visits[most])
    return (
        f". The outcome of a finished game varies from visit to visit, at {plural(len(varied), 'node')}: node "
        f"{int(games.node[most]):,} gets its own at {visits - int(games.wrong[most]):,} of {plural(visits, 'visit')}. "
        "Its rollout goes on: it makes a move before it asks whether the game is over, or it starts from another "
        "position, such as the parent's"
    )
