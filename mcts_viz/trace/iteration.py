"""One iteration in full: what was selected and against what, what was added, the outcome, what
was updated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Floats


class Update(NamedTuple):
    """What backpropagation really added to one node."""

    node: int
    visits: int
    value: float  # view of the player who moved into the node


class Comparison(NamedTuple):
    """The siblings that selection compared at one level, with their statistics *before* this
    iteration; k of them."""

    node: int  # the parent
    children: list[int]  # [k] ids, in order of creation
    visits: npt.NDArray[np.int32]  # [k]
    value_terms: Floats  # [k] nan without visits
    exploration_terms: Floats  # [k] inf without visits
    scores: Floats  # [k] value + exploration
    chosen: int  # the child taken

    @property
    def ties(self) -> list[int]:
        """Children whose score equals that of the chosen one, itself left out."""
        best = self.scores[self.children.index(self.chosen)]
        return [v for v, s in zip(self.children, self.scores) if s == best and v != self.chosen]

    @property
    def margin(self) -> float | None:
        """Score of the chosen child minus the best other one; None without another; inf where
        only the chosen one was never visited; nan where scores are unknown."""
        others = [s for v, s in zip(self.children, self.scores) if v != self.chosen]
        if not others:
            return None
        score, best = float(self.scores[self.children.index(self.chosen)]), float(max(others))
        return 0.0 if score == best else score - best  # also where both are infinite


def split_rollouts(actions: list[int]) -> list[list[int]]:
    """The actions of each simulation of a leaf; −1 stands between two."""
    found: list[list[int]] = [[]]
    for action in actions:
        if action < 0:
            found.append([])
        else:
            found[-1].append(action)
    return found


class Iteration(NamedTuple):
    """Iteration t, from 1."""

    t: int
    path: list[int]  # node ids from the root to the leaf
    new_nodes: list[int]
    leaf: int  # the node evaluated
    rollout: list[int] | None  # action ids, -1 between two simulations; None: not recorded
    outcome: float | None  # view of player 0
    elapsed: int  # nanoseconds since the search began
    updates: list[Update]  # root first
    comparisons: list[
        Comparison
    ]  # one for each level at which existing siblings were compared, root first
    # a path for each visit that ended at a node, root first: one, or in batches and threads several. A leaf that was
    # evaluated twice has two
    paths: list[list[int]]
    worker: int | None = None  # that made it; None: not recorded

    @property
    def rollouts(self) -> list[list[int]] | None:
        """Action ids of each simulation from the leaf; None where they were not recorded."""
        return None if self.rollout is None else split_rollouts(self.rollout)


class History(NamedTuple):
    """One node over time: what `trace.at(t)` says for each t from 0 to T, or for some of them; P moments."""

    node: int
    visits: npt.NDArray[np.int32]  # [P] 0 before the node was made
    value_sum: Floats  # [P] view of the player who moved into the node
    mean_value: Floats  # [P] nan before the first visit
    iteration: npt.NDArray[np.int32] | None = None  # [P] rising; None: all, P = T + 1
