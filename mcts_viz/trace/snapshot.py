"""The tree at one iteration, as flat columns.

Immutable. Column i of every array is node i; ids are the order of creation, the root is 0 and
parents come before their children. What needs no search, game or page is answered here: children,
paths, scores, the move that would be played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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
    # [N] result proven by a solver, or of a finished game, view of player 0; nan: none. None: as
    # `outcome`
    proven: npt.NDArray[np.float32] | None = None
    square_sum: Floats | None = None  # [N] of each visit's value, where the selection needs it

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
        value, exploration = self.terms(slice(None))
        value[0] = exploration[0] = np.nan
        return value, exploration

    def terms(self, nodes: Any) -> tuple[Floats, Floats]:
        """[k] `value_term` and `exploration_term` of some nodes, given by an index of the columns:
        of a few, much sooner than those of all. The root must not be among them."""
        parent = self.parent[nodes]
        return selection_terms(
            self.meta,
            NodeStatistics(
                visits=self.visits[nodes],
                value_sum=self.value_sum[nodes],
                prior=self.prior[nodes],
                parent_visits=self.visits[parent],
                chooser=self.to_move[parent],
                proven=(self.outcome if self.proven is None else self.proven)[nodes],
                square_sum=None if self.square_sum is None else self.square_sum[nodes],
            ),
        )

    def scores(self, nodes: npt.NDArray[np.integer[Any]]) -> tuple[Floats, Floats, Floats]:
        """[k] `value_term`, `exploration_term` and `uct` of the nodes of these ids: of a few, much
        sooner than those of all."""
        value, exploration = np.full(len(nodes), np.nan), np.full(len(nodes), np.nan)
        inner = np.flatnonzero(nodes > 0)
        value[inner], exploration[inner] = self.terms(nodes[inner])
        return value, exploration, selection_score(value, exploration)

    @property
    def value_term(self) -> Floats:
        """[N] first term of the selection score that the next iteration would compare; nan for the
        root, for nodes without visits (unless they have a first-play urgency or are proven), and
        where the trace does not tell enough."""
        return self._terms[0]

    @property
    def exploration_term(self) -> Floats:
        """[N] second term of that score; inf for a node that is chosen before all others because it
        was never visited, otherwise nan where `value_term` is."""
        return self._terms[1]

    @cached_property
    def uct(self) -> Floats:
        """[N] the score: value_term + exploration_term, inf where exploration_term is, nan for the
        root."""
        return selection_score(*self._terms)

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
        recorded = None if self.recorded_labels is None else self.recorded_labels[node]
        if recorded is not None and recorded.strip():  # a blank name would name nothing
            return recorded
        return "root" if node == 0 else action_name(self.meta, int(self.action[node]))

    def labels(self) -> list[str]:
        """[N] `label` of every node."""
        names = self.meta.get("action_labels") or []
        actions = self.action.tolist()
        readable = [_readable(name, action) for action, name in enumerate(names)]
        labels = [readable[a] if 0 <= a < len(readable) else str(a) for a in actions]
        labels[0] = "root"
        if self.recorded_labels is not None:
            for node in range(self.n_nodes):
                recorded = self.recorded_labels[node]
                if recorded is not None and recorded.strip():
                    labels[node] = recorded
        return labels

    def state(self, node: int) -> str | None:
        """The position at the node as recorded text, None where there is none."""
        self._known(node)
        return None if self.recorded_states is None else self.recorded_states[node]

    def ranked_children(self, node: int = 0) -> list[int]:
        """Visited children, the one that the final-move rule would play first."""
        ids = self._children(self._known(node))
        ranked = ranking(
            final_move_rule(self.final_move),
            self.visits[ids],
            self.value_sum[ids],
            self.value_width,
            self.standing(ids),
        )
        return [int(ids[i]) for i in ranked]

    def standing(self, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
        """[k] what a solver has proven of nodes, view of the player who moved into each: 1 a win, −1
        a loss, 0 neither, or there is no solver."""
        if self.proven is None or not has_solver(self.meta):
            return np.zeros(len(nodes), np.int8)
        return standing(
            self.proven[nodes], self.to_move[self.parent[nodes]], self.meta["reward_range"]
        )

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
    """Readable name of an action id, the id itself where the trace has none or a blank one."""
    names = meta.get("action_labels") or []
    return _readable(names[action], action) if 0 <= action < len(names) else str(action)


def _readable(name: object, action: int) -> str:
    """A move's name, its id where the name is blank."""
    return str(name) if str(name).strip() else str(action)


class NodeStatistics(NamedTuple):
    """What the selection formulas need to know of k nodes."""

    visits: npt.NDArray[np.int32]
    value_sum: Floats  # view of the player who moved into the node
    prior: npt.NDArray[np.float32]
    parent_visits: npt.NDArray[np.int32]
    chooser: npt.NDArray[np.int8]  # player to move at the parent
    proven: npt.NDArray[np.float32]  # view of player 0; nan: not proven
    square_sum: Floats | None


def needs_squares(meta: Mapping[str, Any]) -> bool:
    """Whether the trace's selection formula needs the squares of values."""
    formula = SELECTION_FORMULAS.get(meta.get("policies", {}).get("selection", {}).get("name"))
    return formula is not None and formula.needs_squares


def keeps_squares(meta: Mapping[str, Any]) -> bool:
    """Whether those squares can be had from the trace: a tree that came as a whole, in a snapshot or
    from an earlier search, brings sums alone."""
    whole = meta.get("kind") in ("snapshot", "snapshots") or bool(meta.get("inherited"))
    return needs_squares(meta) and not whole


def knows_scores(meta: Mapping[str, Any]) -> bool:
    """Whether the trace tells enough for selection scores."""
    formula = SELECTION_FORMULAS.get(meta.get("policies", {}).get("selection", {}).get("name"))
    return formula is not None and (not formula.needs_squares or keeps_squares(meta))


def has_solver(meta: Mapping[str, Any]) -> bool:
    """Whether the search carried proven results up its tree."""
    return bool(meta.get("policies", {}).get("backpropagation", {}).get("solver"))


def standing(
    proven: npt.NDArray[np.float32], mover: npt.NDArray[np.int8], reward_range: Sequence[float]
) -> npt.NDArray[np.int8]:
    """[k] of proven results (view of player 0; nan: none): 1 where the mover wins as high as can be,
    −1 where the mover loses, else 0."""
    share = np.where(mover == 0, proven, -proven) / np.float32(reward_range[1])
    with np.errstate(invalid="ignore"):
        return (share >= 1.0).astype(np.int8) - (share < 0.0).astype(np.int8)


def selection_terms(meta: Mapping[str, Any], nodes: NodeStatistics) -> tuple[Floats, Floats]:
    """[k] value and exploration terms of nodes by the trace's own selection formula; nan and inf
    mark what is undefined, see `Snapshot.value_term`. Statistics of any other shape do, too, as long
    as their shapes go together."""
    selection = meta.get("policies", {}).get("selection", {})
    formula = SELECTION_FORMULAS.get(selection.get("name"))
    if formula is None or (formula.needs_squares and nodes.square_sum is None):
        return np.full(nodes.visits.shape, np.nan), np.full(nodes.visits.shape, np.nan)
    c = float(selection.get("c", 0.0))
    log_parent = log_visits(nodes.parent_visits)
    squares = 0.0 if nodes.square_sum is None else nodes.square_sum
    with np.errstate(divide="ignore", invalid="ignore"):
        value, exploration = formula(
            nodes.value_sum, nodes.visits, nodes.parent_visits, log_parent, nodes.prior, c, squares
        )
        first: tuple[Any, Any] = (np.nan, np.inf)  # an unvisited child comes before all others
        urgency = selection.get("unvisited")
        if isinstance(urgency, (int, float)):
            first = formula.unvisited(
                nodes.parent_visits, log_parent, nodes.prior, c, float(urgency)
            )
    visited = nodes.visits > 0
    value, exploration = (np.where(visited, v, u) for v, u in zip((value, exploration), first))
    if has_solver(meta):
        known = ~np.isnan(nodes.proven)
        value = np.where(known, proven_scores(meta, nodes.proven, nodes.chooser), value)
        exploration = np.where(known, 0.0, exploration)
    return value, exploration


def selection_score(value: Floats, exploration: Floats) -> Floats:
    """The sum of both terms; inf where the exploration term is, also beside an undefined value."""
    return np.where(np.isinf(exploration), np.inf, value + exploration)


def proven_scores(
    meta: Mapping[str, Any], proven: npt.NDArray[np.float32], player: npt.NDArray[np.int8]
) -> Floats:
    """[k] what proven results (view of player 0) are worth to a player, by the trace's scores; nan
    where nothing is proven."""
    scores = meta["policies"]["backpropagation"]
    share = proven.astype(np.float64) / float(np.float32(meta["reward_range"][1]))
    share = np.where(player == 0, share, -share)
    win, draw, loss = (float(scores[name]) for name in ("win", "draw", "loss"))
    between = np.where(share >= 0, draw + share * (win - draw), draw - share * (loss - draw))
    return np.where(share == 1.0, win, np.where(share == -1.0, loss, between))
