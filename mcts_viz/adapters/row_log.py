"""Rows of a trace as a search in Python makes them: number by number.

Python lists, for appending one number to an array costs more than a whole iteration of a quick
search. Knows rows, not where they come from.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.format import Rows

NONE = float("nan")  # a float that is not there


class RowLog:
    """The iterations since the last `take`. Its lists are there to be appended to; an iteration
    counts once `end_iteration` was called."""

    def __init__(self) -> None:
        self.rollouts = False  # whether they are recorded
        self._clear()

    def _clear(self) -> None:
        self.parent: list[int] = []
        self.action: list[int] = []
        self.to_move: list[int] = []
        # of every node, or of none
        self.prior: list[float] = []
        self.outcome: list[float] = []
        self.state: list[str | None] = []
        self._label: list[str | None] = []  # up to the last node that has one
        self.updates: list[float] = []  # node, visits, value; node, visits, value; …
        self._leaf: list[int] = []
        self._result: list[float] = []
        self._elapsed: list[int] = []
        self._rollout_action: list[int] = []
        self._new_offset = [0]
        self._update_offset = [0]
        self._rollout_offset = [0]

    def __len__(self) -> int:
        return len(self._leaf)

    def add_label(self, label: str | None) -> None:
        """Of the node appended last."""
        self._label += [None] * (len(self.parent) - 1 - len(self._label))
        self._label.append(label)

    def end_iteration(
        self, leaf: int, elapsed: int, result: float = NONE, rollout: list[int] | None = None
    ) -> None:
        """What was appended since the last call is one iteration."""
        self._leaf.append(leaf)
        self._elapsed.append(elapsed)
        self._result.append(result)
        self._new_offset.append(len(self.parent))
        self._update_offset.append(len(self.updates) // 3)
        if rollout is not None:
            self._rollout_action.extend(rollout)
        self._rollout_offset.append(len(self._rollout_action))

    def forget_unfinished(self) -> None:
        """Drop what was appended since the last whole iteration."""
        for column in (self.parent, self.action, self.to_move, self.prior, self.outcome):
            del column[self._new_offset[-1] :]
        for texts in (self._label, self.state):
            del texts[self._new_offset[-1] :]
        del self.updates[3 * self._update_offset[-1] :]

    def take(self) -> Rows:
        """The whole iterations as rows; the log is empty afterwards."""
        n_nodes = len(self.parent)
        rows = Rows(
            new_offset=np.array(self._new_offset, np.int32),
            parent=np.array(self.parent, np.int32),
            action=np.array(self.action, np.int32),
            to_move=np.array(self.to_move, np.int8),
            prior=_numbers(self.prior, n_nodes),
            outcome=_numbers(self.outcome, n_nodes),
            leaf=np.array(self._leaf, np.int32),
            update_offset=np.array(self._update_offset, np.int32),
            update_node=np.array(self.updates[0::3], np.int32),
            update_visits=np.array(self.updates[1::3], np.int32),
            update_value=np.array(self.updates[2::3], np.float64),
            result=np.array(self._result, np.float32),
            elapsed=np.array(self._elapsed, np.int64),
            rollout_offset=np.array(self._rollout_offset, np.int32) if self.rollouts else None,
            rollout_action=np.array(self._rollout_action, np.int32) if self.rollouts else None,
            label=_texts(self._label, n_nodes),
            state=_texts(self.state, n_nodes),
        )
        self._clear()
        return rows


def _numbers(numbers: list[float], n: int) -> npt.NDArray[np.float32]:
    return np.array(numbers, np.float32) if numbers else np.full(n, NONE, np.float32)


def _texts(texts: list[str | None], n: int) -> list[str | None] | None:
    if all(text is None for text in texts):
        return None
    return texts + [None] * (n - len(texts))
