"""Made-up traces with the columns of real ones: a small UCT on a random game tree, and trees of any size at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import NodeRows, Rows, UpdateRows
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.sums import Sums


def synthetic_columns(
    parent: npt.NDArray[np.int32],
    action: npt.NDArray[np.int32],
    to_move: npt.NDArray[np.int8],
    prior: npt.NDArray[np.float32],
    outcome: npt.NDArray[np.float32],
    node_count: npt.NDArray[np.int32],
    leaf: npt.NDArray[np.int32],
    result: npt.NDArray[np.float32],
    update_offset: npt.NDArray[np.int64],
    update_node: npt.NDArray[np.int32],
    update_visits: npt.NDArray[np.int32],
    update_value: npt.NDArray[np.float64],
) -> Columns:
    """Columns of a trace; those of nodes begin with the root."""
    columns = Columns(int(to_move[0]), float(outcome[0]))
    columns.append(
        Rows(
            nodes=NodeRows(
                node_count - 1, parent=parent[1:], action=action[1:], to_move=to_move[1:],
                prior=prior[1:], outcome=outcome[1:],
            ),
            leaf=leaf,
            updates=UpdateRows(
                update_offset.astype(np.int32), node=update_node, visits=update_visits,
                value=update_value,
            ),
            outcome=result,
            elapsed=np.zeros(len(leaf), np.int64),
        )
    )  # fmt: skip
    return columns


@dataclass
class SyntheticSnapshot:
    columns: Columns
    meta: TraceMeta
    iteration: int
    visits: npt.NDArray[np.int32] = field(init=False)
    value_sum: npt.NDArray[np.float64] = field(init=False)
    square_sum: None = None
    index: None = None
    recorded_labels: None = None
    numbers: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    same_as: npt.NDArray[np.int32] | None = None
    shows_proofs: bool = False
    player_sums: None = None

    def __post_init__(self) -> None:
        c = self.columns
        n = int(c.node_count[self.iteration])
        end = int(c.updates.offset[self.iteration])
        self.visits = np.zeros(n, np.int32)
        self.value_sum = np.zeros(n, np.float64)
        np.add.at(self.visits, c.updates.node[:end], c.updates.visits[:end])
        np.add.at(self.value_sum, c.updates.node[:end], c.updates.value[:end])
        self.parent, self.action = c.nodes.parent[:n], c.nodes.action[:n]
        self.prior = c.nodes.prior[:n]
        self.to_move, self.outcome = c.nodes.to_move[:n], c.nodes.outcome[:n]
        with np.errstate(invalid="ignore", divide="ignore"):
            self.mean_value = self.value_sum / self.visits
            above = self.visits[self.parent]
            self.value_term = self.mean_value
            self.exploration_term = math.sqrt(2) * np.sqrt(np.log(above) / self.visits)
        self.exploration_term[self.visits == 0] = np.inf
        self.uct = np.where(self.visits == 0, np.inf, self.value_term + self.exploration_term)
        self.uct[0] = np.nan

    def __len__(self) -> int:
        return len(self.parent)

    def scores(self, nodes: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.float64], ...]:
        return self.value_term[nodes], self.exploration_term[nodes], self.uct[nodes]

    def mean_values(self, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        return np.asarray(self.mean_value[nodes])

    def label(self, node: int) -> str:
        return "root" if node == 0 else "abcdefghijklmnopqrstuvwxyz"[self.action[node] % 26]

    def path(self, node: int) -> list[int]:
        path = [node]
        while path[-1]:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    def state(self, node: int) -> str | None:
        return f"<b>state of {node}</b>"


@dataclass
class SyntheticTrace:
    """Stands in for a trace wherever columns, meta and snapshots are all that is needed."""

    columns: Columns
    meta: TraceMeta
    complete: bool = True
    recording: str = ""

    @property
    def n_iterations(self) -> int:
        return len(self.columns.leaf)

    @property
    def n_nodes(self) -> int:
        return len(self.columns.nodes.parent)

    def at(self, t: int) -> Any:
        return SyntheticSnapshot(self.columns, self.meta, t)

    def sums_of(self, t: int, nodes: npt.NDArray[np.int64]) -> Sums:
        tree = self.at(t)
        return Sums(tree.visits[nodes], tree.value_sum[nodes])


META = TraceMeta({
    "format_version": 1,
    "players": ["X", "O"],
    "reward_range": [-1, 1],
    "value_range": [0, 1],
    "policies": {
        "selection": {"name": "ucb1", "c": math.sqrt(2)},
        "final_move": {"name": "most_visits"},
    },
})  # fmt: skip


def uct_trace(
    n_iterations: int = 1_000, branching: int = 7, max_depth: int = 20, seed: int = 1
) -> SyntheticTrace:
    """UCT on a game tree with random chances, one child at a time."""
    rng = np.random.default_rng(seed)
    c = math.sqrt(2)
    parent, action, depth, children, chance = [-1], [-1], [0], [[]], [0.5]  # type: ignore[var-annotated]
    visits, value = [0], [0.0]
    node_count, leaf, result, offsets, nodes, values = [1], [], [], [0], [], []
    for _ in range(n_iterations):
        path = [0]
        while depth[path[-1]] < max_depth:
            at = path[-1]
            if len(children[at]) < branching:
                child = len(parent)
                parent.append(at)
                action.append(len(children[at]))
                depth.append(depth[at] + 1)
                children.append([])
                drift = rng.normal(0, 0.12)
                chance.append(min(max(chance[at] + drift, 0.02), 0.98))
                visits.append(0)
                value.append(0.0)
                children[at].append(child)
                path.append(child)
                break
            log = math.log(visits[at])
            path.append(
                max(
                    children[at],
                    key=lambda v: value[v] / visits[v] + c * math.sqrt(log / visits[v]),
                )
            )
        won = rng.random() < chance[path[-1]]  # by player 0
        for v in path:
            mover = (depth[v] + 1) % 2
            gain = float(won if mover == 0 else not won)
            visits[v] += 1
            value[v] += gain
            nodes.append(v)
            values.append(gain)
        offsets.append(len(nodes))
        leaf.append(path[-1])
        result.append(1.0 if won else -1.0)
        node_count.append(len(parent))
    depths = np.array(depth)
    outcome = np.where(depths == max_depth, np.where(np.array(chance) > 0.5, 1.0, -1.0), np.nan)
    return SyntheticTrace(
        synthetic_columns(
            parent=np.array(parent, np.int32),
            action=np.array(action, np.int32),
            to_move=(depths % 2).astype(np.int8),
            prior=np.full(len(parent), np.nan, np.float32),
            outcome=outcome.astype(np.float32),
            node_count=np.array(node_count, np.int32),
            leaf=np.array(leaf, np.int32),
            result=np.array(result, np.float32),
            update_offset=np.array(offsets, np.int64),
            update_node=np.array(nodes, np.int32),
            update_visits=np.ones(len(nodes), np.int32),
            update_value=np.array(values, np.float64),
        ),
        META,
    )


def trace_of_parents(parent: npt.NDArray[np.int32], seed: int = 1) -> SyntheticTrace:
    """One iteration for each node after the root, which makes the node and updates its whole path.

    Cost grows with the sum of the depths; `values` are random, so sums are not whole numbers.
    """
    n = len(parent)
    depth = np.zeros(n, np.int64)
    for node in range(1, n):
        depth[node] = depth[parent[node]] + 1
    offset = np.concatenate([[0], np.cumsum(depth[1:] + 1)])
    update_node = np.zeros(offset[-1], np.int32)
    at = np.arange(1, n)
    place = offset[1:] - 1
    while len(at):
        update_node[place] = at
        going = at > 0
        at, place = parent[at[going]].astype(np.int64), place[going] - 1
    rng = np.random.default_rng(seed)
    action = np.zeros(n, np.int32)
    seen: dict[int, int] = {}
    for node in range(1, n):
        above = int(parent[node])
        action[node] = seen[above] = seen.get(above, -1) + 1
    return SyntheticTrace(
        synthetic_columns(
            parent=parent.astype(np.int32),
            action=action,
            to_move=(depth % 2).astype(np.int8),
            prior=np.full(n, np.nan, np.float32),
            outcome=np.full(n, np.nan, np.float32),
            node_count=np.arange(1, n + 1, dtype=np.int32),
            leaf=np.arange(1, n, dtype=np.int32),
            result=np.zeros(n - 1, np.float32),
            update_offset=offset,
            update_node=update_node,
            update_visits=np.ones(len(update_node), np.int32),
            update_value=rng.random(len(update_node)),
        ),
        META,
    )
