"""Rows of a trace as a search in Python makes them: number by number.

Python lists, for appending one number to an array costs more than a whole iteration of a quick
search. Knows rows, not where they come from.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.format import Rows, StateChange

NONE = float("nan")  # a float that is not there
FLOAT32 = 3.4028235e38  # the greatest there is
WIDTH = 7  # numbers that an iteration takes


class RowLog:
    """The iterations since the last `take`. Its lists are there to be appended to; an iteration
    counts once `end_iteration` was called."""

    def __init__(self) -> None:
        self.rollouts = False  # whether they are recorded
        self.proofs = False  # the same of proven results
        self._clear()

    def _clear(self) -> None:
        self.nodes: list[int] = []  # parent, action, to_move; parent, action, to_move; …
        # of every node, or of none
        self.prior: list[float] = []
        self.outcome: list[float] = []
        self.state: list[str | None] = []
        self._label: list[str | None] = []  # up to the last node that has one
        self.updates: list[float] = []  # node, visits, value; node, visits, value; …
        self.proven: list[float] = []  # node, outcome; node, outcome; …
        self._changed_states: list[StateChange] = []
        self._rollout_action: list[int] = []
        # leaf, elapsed, result, and how long these lists were after it: nodes, updates, rollouts, proven
        self._iterations: list[float] = []

    def __len__(self) -> int:
        return len(self._iterations) // WIDTH

    def add_label(self, label: str | None) -> None:
        """Of the node appended last."""
        self._label += [None] * (len(self.nodes) // 3 - 1 - len(self._label))
        self._label.append(label)

    def change_state(self, node: int, state: str) -> None:
        """The position of a node was seen to be another one than before."""
        self._changed_states.append(StateChange(len(self), node, state))

    def end_iteration(
        self, leaf: int, elapsed: int, result: float = NONE, rollout: list[int] | None = None
    ) -> None:
        """What was appended since the last call is one iteration."""
        if rollout is not None:
            self._rollout_action.extend(rollout)
        self._iterations += (
            leaf, elapsed, result, len(self.nodes), len(self.updates), len(self._rollout_action),
            len(self.proven),
        )  # fmt: skip

    def forget_unfinished(self) -> None:
        """Drop what was appended since the last whole iteration."""
        ends = self._iterations[-4:] or (0, 0, 0, 0)
        nodes, updates, proofs = int(ends[0]), int(ends[1]), int(ends[3])
        for column in (self.prior, self.outcome, self.state, self._label):
            del column[nodes // 3 :]
        del self.nodes[nodes:]
        del self.updates[updates:]
        del self.proven[proofs:]
        self._changed_states = [each for each in self._changed_states if each.row < len(self)]

    def take(self) -> Rows:
        """The whole iterations as rows; the log is empty afterwards."""
        n_nodes = len(self.nodes) // 3
        leaf, elapsed, result, nodes, updates, moves, proofs = (
            self._iterations[i::WIDTH] for i in range(WIDTH)
        )
        rows = Rows(
            new_offset=_offsets(nodes, 3),
            parent=np.array(self.nodes[0::3], np.int32),
            action=np.array(self.nodes[1::3], np.int32),
            to_move=np.array(self.nodes[2::3], np.int8),
            prior=_numbers(self.prior, n_nodes),
            outcome=_numbers(self.outcome, n_nodes),
            leaf=np.array(leaf, np.int32),
            update_offset=_offsets(updates, 3),
            update_node=np.array(self.updates[0::3], np.int32),
            update_visits=np.array(self.updates[1::3], np.int32),
            update_value=np.array(self.updates[2::3], np.float64),
            result=np.array(result, np.float32),
            elapsed=np.array(elapsed, np.int64),
            rollout_offset=_offsets(moves, 1) if self.rollouts else None,
            rollout_action=np.array(self._rollout_action, np.int32) if self.rollouts else None,
            label=_texts(self._label, n_nodes),
            state=_texts(self.state, n_nodes),
            proven_offset=_offsets(proofs, 2) if self.proofs else None,
            proven_node=np.array(self.proven[0::2], np.int32) if self.proofs else None,
            proven_outcome=np.array(self.proven[1::2], np.float32) if self.proofs else None,
            changed_states=self._changed_states or None,
        )
        self._clear()
        return rows


def _offsets(ends: list[float], width: int) -> npt.NDArray[np.int32]:
    return np.array([0, *ends], np.int32) // np.int32(width)


def _numbers(numbers: list[float], n: int) -> npt.NDArray[np.float32]:
    return np.array(numbers, np.float32) if numbers else np.full(n, NONE, np.float32)


def _texts(texts: list[str | None], n: int) -> list[str | None] | None:
    if all(text is None for text in texts):
        return None
    return texts + [None] * (n - len(texts))
