"""Snapshots made by hand for the export tests: any shape, any text, without a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import CHANCE

META: dict[str, Any] = {
    "format_version": 1,
    "kind": "trace",
    "game": {"name": "three_in_a_row", "parameters": {}, "n_actions": 9},
    "start": [4],
    "root": {"to_move": 1, "label": "root", "state": None},
    "action_labels": ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"],
    "players": ["X", "O"],
    "reward_range": [-1, 1],
    "value_range": [0, 1],
    "policies": {
        "preset": "uct",
        "selection": {"name": "ucb1", "c": 2**0.5},
        "expansion": {"name": "one_child"},
        "simulation": {"name": "random"},
        "backpropagation": {"name": "scores", "win": 1, "draw": 0.5, "loss": 0},
        "final_move": {"name": "most_visits"},
    },
    "seed": 2**80,
    "budget": {"iterations": 1000},
    "software": {"mcts_viz": "0.1.0"},
    "recorded_by": "mcts_viz.search",
    "not_observed": ["rollout"],
    "note": 'kept as it is: </script> & "ünïcode"',
}


# fields that these have nothing for: a game without rules, outcomes, and squares
ABSENT = ("untried", "fully_expanded", "wins", "draws", "losses", "square_sum")


@dataclass
class HandMade:
    """A snapshot whose columns are whatever the test says; has what exports read of a `Snapshot`."""

    parent: npt.NDArray[np.int32]
    action: npt.NDArray[np.int32]
    to_move: npt.NDArray[np.int8]
    prior: npt.NDArray[np.float32]
    outcome: npt.NDArray[np.float32]
    visits: npt.NDArray[np.int32]
    value_sum: npt.NDArray[np.float64]
    born: npt.NDArray[np.int32]
    names: list[str]
    states: list[str | None] | None = None
    proven: npt.NDArray[np.float32] | None = None  # None: the outcomes, and some losses
    iteration: int = 250
    results: None = None
    square_sum: None = None
    reward: None = None
    same_as: None = None
    player_sums: None = None
    meta: TraceMeta = field(default_factory=lambda: TraceMeta(META))
    best_action: int | None = 4
    best_action_name: str | None = "b2"
    principal_variation: Sequence[int] = (4, 0)

    def __post_init__(self) -> None:
        n = len(self.parent)
        self.n_nodes = n
        if self.proven is None:
            self.proven = self.outcome.copy()
            self.proven[3::7][np.isnan(self.proven[3::7])] = -1
        self.depth = np.zeros(n, np.int32)
        for node in range(1, n):
            self.depth[node] = self.depth[self.parent[node]] + 1
        self.terminal = ~np.isnan(self.outcome)
        self.chance = self.to_move == CHANCE
        visited = self.visits > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            self.mean_value = np.where(visited, self.value_sum / self.visits, np.nan)
            exploration = np.sqrt(2 * np.log(self.visits[self.parent]) / self.visits)
        child = self.parent >= 0
        self.value_term = np.where(child, self.mean_value, np.nan)
        self.exploration_term = np.where(child, np.where(visited, exploration, np.inf), np.nan)
        self.uct = np.where(child & ~visited, np.inf, self.value_term + self.exploration_term)

    def labels(self) -> list[str]:
        """Readable move into each node."""
        return self.names

    @property
    def recorded_states(self) -> list[str | None] | None:
        return self.states

    def state(self, node: int) -> str | None:
        """Recorded text of the position."""
        return None if self.states is None else self.states[node]


def tree(parent: Sequence[int], seed: int = 0, **columns: Any) -> HandMade:
    """A snapshot of that shape with random statistics; every third node has no visits."""
    n = len(parent)
    random = np.random.default_rng(seed)
    action = random.integers(0, 9, n).astype(np.int32)
    action[0] = -1
    visits = np.where(np.arange(n) % 3 == 2, 0, random.integers(1, 2**31, n)).astype(np.int32)
    made: dict[str, Any] = {
        "parent": np.array(parent, np.int32),
        "action": action,
        "to_move": random.integers(-1, 2, n).astype(np.int8),
        "prior": np.where(random.random(n) < 0.5, np.nan, random.random(n)).astype(np.float32),
        "outcome": np.where(random.random(n) < 0.8, np.nan, 1).astype(np.float32),
        "visits": visits,
        "value_sum": visits * random.normal(0, 1, n),
        "born": np.minimum(np.arange(n), 250).astype(np.int32),
        "names": ["root", *(f"move {a}" for a in action[1:])],
    }
    return HandMade(**{**made, **columns})


def chain(n: int) -> HandMade:
    """One path, n nodes long."""
    return tree(range(-1, n - 1))


def bushy(n: int, seed: int = 0) -> HandMade:
    """Random recursive tree: each node hangs at any earlier one."""
    random = np.random.default_rng(seed)
    return tree([-1, *(random.integers(0, np.arange(1, n))).tolist()], seed)
