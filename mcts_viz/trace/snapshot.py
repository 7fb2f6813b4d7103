"""The tree at one iteration, as flat columns.

Immutable. Column i of every array is node i; ids are the order of creation, the root is 0 and
parents come before their children. What needs no search, game or page is answered here: children,
paths, scores, the move that would be played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.formulas.final_move import final_move_rule, ranking
from mcts_viz.formulas.selection import SELECTION_FORMULAS, log_visits
from mcts_viz.trace.topology import Topology

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The tree after `iteration` iterations; N nodes."""

    iteration: int
    meta: Mapping[str, Any]  # the trace's metadata document
    parent: npt.NDArray[np.int32]  # [N] −1 for the root
    action: npt.NDArray[np.int32]  # [N] move into the node, −1 for the root
    to_move: npt.NDArray[np.int8]  # [N] player to move at the node, −1 where unknown
    prior: npt.NDArray[np.float32]  # [N] nan: none
    outcome: npt.NDArray[np.float32]  # [N] view of player 0; nan: not terminal
    born: npt.NDArray[np.int32]  # [N] iteration that made the node, 0 for the root
    visits: npt.NDArray[np.int32]  # [N]
    value_sum: Floats  # [N] view of the player who moved into the node; root: of the player not to move there
    topology: Topology
    recorded_labels: Sequence[str | None] | None = None  # [≥ N] None: no node has one
    recorded_states: Sequence[str | None] | None = None  # [≥ N]

    @property
    def n_nodes(self) -> int:
        """N."""
        return len(self.parent)

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def depth(self) -> npt.NDArray[np.int32]:
        """[N] moves from the root."""
        return self.topology.depth[: self.n_nodes]

    @property
    def terminal(self) -> npt.NDArray[np.bool_]:
        """[N] whether the game is over at the node."""
        return ~np.isnan(self.outcome)

    @cached_property
    def mean_value(self) -> Floats:
        """[N] value_sum / visits, in the view of value_sum; nan where the node was not visited."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.visits == 0, np.nan, self.value_sum / self.visits)

    @cached_property
    def _terms(self) -> tuple[Floats, Floats]:
        return selection_terms(
            self.meta,
            self.visits,
            self.value_sum,
            self.prior,
            self.visits[self.parent],
            self.parent >= 0,
        )

    @property
    def value_term(self) -> Floats:
        """[N] first term of the selection score that the next iteration would compare; nan for the
        root, for nodes without visits, and where the trace names no formula that we know."""
        return self._terms[0]

    @property
    def exploration_term(self) -> Floats:
        """[N] second term of that score; inf for a node without visits, otherwise nan where
        `value_term` is."""
        return self._terms[1]

    @cached_property
    def uct(self) -> Floats:
        """[N] the score: value_term + exploration_term, inf for a node without visits, nan for the
        root."""
        score = self.value_term + self.exploration_term
        return np.where(np.isinf(self.exploration_term), np.inf, score)

    def children(self, node: int = 0) -> list[int]:
        """Ids of the node's children, in order of creation; raises TraceError for a node that is
        not there."""
        return [int(v) for v in self._children(self._known(node))]

    def path(self, node: int) -> list[int]:
        """Ids from the root to the node; raises TraceError for a node that is not there."""
        return self.topology.path(self._known(node))

    def label(self, node: int) -> str:
        """Readable name of the move into the node; "root" for the root where nothing else was
        recorded."""
        self._known(node)
        if self.recorded_labels is not None and self.recorded_labels[node] is not None:
            return str(self.recorded_labels[node])
        return "root" if node == 0 else action_name(self.meta, int(self.action[node]))

    def labels(self) -> list[str]:
        """[N] `label` of every node."""
        names = self.meta.get("action_labels") or []
        actions = self.action.tolist()
        labels = [names[a] if 0 <= a < len(names) else str(a) for a in actions]
        labels[0] = "root"
        if self.recorded_labels is not None:
            for node in range(self.n_nodes):
                if self.recorded_labels[node] is not None:
                    labels[node] = str(self.recorded_labels[node])
        return labels

    def state(self, node: int) -> str | None:
        """The position at the node as recorded text, None where there is none."""
        self._known(node)
        return None if self.recorded_states is None else self.recorded_states[node]

    def ranked_children(self, node: int = 0) -> list[int]:
        """Visited children, the one that the final-move rule would play first."""
        ids = self._children(self._known(node))
        rule = final_move_rule(self.final_move)
        ranked = ranking(rule, self.visits[ids], self.value_sum[ids], self.value_width)
        return [int(ids[i]) for i in ranked]

    @property
    def final_move(self) -> str:
        """Name of the final-move rule; "most_visits" where the trace does not say."""
        return str(self.meta.get("policies", {}).get("final_move", {}).get("name", "most_visits"))

    @property
    def value_width(self) -> float:
        """Greatest minus least value of one visit."""
        low, high = self.meta["value_range"]
        return float(high) - float(low)

    @property
    def best_action(self) -> int | None:
        """Action id of the move that the final-move rule would play now; None while no child was
        visited."""
        ranked = self.ranked_children(0)
        return int(self.action[ranked[0]]) if ranked else None

    @property
    def best_action_name(self) -> str | None:
        """Its readable name."""
        ranked = self.ranked_children(0)
        return self.label(ranked[0]) if ranked else None

    @property
    def principal_path(self) -> list[int]:
        """Node ids from the root along the final-move rule's choice at every node."""
        path = [0]
        while ranked := self.ranked_children(path[-1]):
            path.append(ranked[0])
        return path

    @property
    def principal_variation(self) -> list[int]:
        """Action ids of the line of play expected by both sides; the first is `best_action`."""
        return [int(self.action[node]) for node in self.principal_path[1:]]

    def _children(self, node: int) -> npt.NDArray[np.int32]:
        return self.topology.children(node, self.n_nodes)

    def _known(self, node: int) -> int:
        return checked_id(node, self.n_nodes, f"the tree after {self.iteration:,} iterations")


def checked_id(node: Any, n_nodes: int, where: str) -> int:
    """The node id as an int; raises TraceError when it is not one of the nodes there are."""
    whole = isinstance(node, (int, np.integer)) and not isinstance(node, bool)
    if not whole or not 0 <= node < n_nodes:
        raise TraceError(f"node {node!r} is not in {where}; choose one from 0 to {n_nodes - 1:,}")
    return int(node)


def action_name(meta: Mapping[str, Any], action: int) -> str:
    """Readable name of an action id, the id itself where the trace has no names."""
    names = meta.get("action_labels") or []
    return str(names[action]) if 0 <= action < len(names) else str(action)


def selection_terms(
    meta: Mapping[str, Any],
    visits: npt.NDArray[np.int32],
    value_sum: Floats,
    prior: npt.NDArray[np.float32],
    parent_visits: npt.NDArray[np.int32],
    has_parent: npt.NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """Value and exploration terms of nodes by the trace's own selection formula; all arguments are
    [k].

    nan and inf mark what is undefined, see `Snapshot.value_term`.
    """
    selection = meta.get("policies", {}).get("selection", {})
    formula = SELECTION_FORMULAS.get(selection.get("name"))
    if formula is None:
        return np.full(len(visits), np.nan), np.full(len(visits), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, exploration = formula(
            value_sum,
            visits,
            parent_visits,
            log_visits(parent_visits),
            prior,
            float(selection.get("c", 0.0)),
        )
    visited = visits > 0
    value = np.where(visited & has_parent, value, np.nan)
    return value, np.where(has_parent, np.where(visited, exploration, np.inf), np.nan)
