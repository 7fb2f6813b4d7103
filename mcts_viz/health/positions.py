"""What the rules say of the nodes of a tree. Rules are asked in Python, one position at a time, so each
position is worked out once, from that of its parent."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.games.position import StartPosition
from mcts_viz.trace.players import UNKNOWN

MOST_KEPT = 20_000  # positions in memory


class ReplayedPosition(NamedTuple):
    """What the rules say of a node."""

    node: int
    illegal: int | None  # node of the first illegal move on the way; the rest then says nothing
    legal: list[int]
    to_move: int
    outcome: float | None  # view of player 0; None while the game goes on
    state: Any  # for reading: copy it before a move is played


class Positions:
    """The positions of a tree's nodes, by node.

    parent, action: [N] columns of the tree. root_actions: moves that the search was allowed at the
    root; None: all.
    """

    def __init__(
        self,
        rules: StartPosition,
        parent: npt.NDArray[np.int32],
        action: npt.NDArray[np.int32],
        root_actions: Container[int] | None,
    ) -> None:
        self.rules = rules
        self._parent, self._action, self._root_actions = parent, action, root_actions
        self._known: dict[int, ReplayedPosition] = {}

    def __getitem__(self, node: int) -> ReplayedPosition:
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        path = [node]
        while path[-1] > 0 and path[-1] not in self._known:
            path.append(int(self._parent[path[-1]]))
        at = self._known.get(path.pop()) or self._root()
        for below in reversed(path):
            at = self._child(at, below)
        return at

    def _root(self) -> ReplayedPosition:
        state = self.rules.state()
        legal = list(self.rules.legal_actions(state))
        if self._root_actions is not None:
            legal = [each for each in legal if each in self._root_actions]
        return self._kept(0, legal, state)

    def _child(self, above: ReplayedPosition, node: int) -> ReplayedPosition:
        action = int(self._action[node])
        if above.illegal is not None or action not in above.legal:
            first = node if above.illegal is None else above.illegal
            return ReplayedPosition(node, first, [], UNKNOWN, None, None)
        state = self.rules.play(self.rules.copy(above.state), action)
        return self._kept(node, list(self.rules.legal_actions(state)), state)

    def _kept(self, node: int, legal: list[int], state: Any) -> ReplayedPosition:
        rules = self.rules
        made = ReplayedPosition(
            node, None, legal, rules.to_move(state), rules.outcome(state), state
        )
        self._known[node] = made
        return made
