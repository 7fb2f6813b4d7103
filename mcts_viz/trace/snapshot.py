"""The tree at one iteration, as flat columns.

Immutable. Column i of every array is node i; ids are the order of creation, the root is 0 and
parents come before their children. What needs no search, game or page is answered here: children,
paths, scores, the move that would be played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.formulas.final_move import final_move_rule, ranking
from mcts_viz.formulas.selection import log_visits
from mcts_viz.trace.deferred import DeferredColumn
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import EVERYBODY, movers_into
from mcts_viz.trace.sibling_terms import sibling_numbers, sibling_terms
from mcts_viz.trace.sums import GameResults
from mcts_viz.trace.topology import Topology
from mcts_viz.trace.words import in_a_sentence, plural
from mcts_viz.types import Bools, Floats, Ints, Numbers, Wholes, is_whole

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.index.shape import IndexedTree


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The tree after `iteration` iterations; N nodes."""

    iteration: int
    meta: TraceMeta  # the trace's metadata document
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
    shows_proofs: bool = False  # see `Trace.shows_proofs`
    square_sum: Floats | None = None  # [N] of each visit's value, where the selection needs it
    # of these nodes, see `results`
    count_results: Callable[[npt.NDArray[np.int64]], GameResults | None] | None = None
    # ids of visited nodes that the search keeps no value for; their sums are 0
    without_value: npt.NDArray[np.int32] | None = None
    tell_numbers: Callable[[], Mapping[str, Floats]] = dict  # see `numbers`
    # [N] of a further way to a node: that node, below which its children are; −1: none. None: no node is shared
    same_as: npt.NDArray[np.int32] | None = None
    tell_player_sums: Callable[[], Floats | None] | None = None  # see `player_sums`
    tell_played: Callable[[], int | None] | None = None  # see `played`
    reward: npt.NDArray[np.float32] | None = (
        None  # [N] of the move into the node, view of its mover
    )

    @property
    def n_nodes(self) -> int:
        """N."""
        return len(self.parent)

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        size = f"{plural(self.iteration, 'iteration')}, {plural(self.n_nodes, 'node')}"
        return f"<Snapshot of {self.meta.game.name}: {size}>"

    @property
    def index(self) -> IndexedTree | None:
        """The tree of a long trace by its index."""
        return self.topology.tree

    @property
    def depth(self) -> npt.NDArray[np.int32]:
        """[N] moves from the root."""
        return self.topology.first_depths(self.n_nodes)

    @property
    def terminal(self) -> Bools:
        """[N] whether the game is over at the node."""
        if not isinstance(self.outcome, DeferredColumn):
            return ~np.isnan(self.outcome)

        def over(nodes: Numbers | slice) -> Bools:
            return ~np.isnan(self.outcome[nodes])

        spans = DeferredColumn(len(self), np.bool_, over, lambda a, b: over(slice(a, b)))
        return spans.as_array

    @cached_property
    def mean_value(self) -> Floats:
        """[N] value_sum / visits, in the view of value_sum; nan where the node was not visited, and where
        the search keeps no value for it or collects visits alone there."""
        if isinstance(self.visits, DeferredColumn):
            spans = DeferredColumn(
                len(self), np.float64, self.mean_values, lambda a, b: self.mean_values(slice(a, b))
            )
            return spans.as_array
        return self.mean_values(slice(None))

    def mean_values(self, nodes: Wholes | Sequence[int] | slice) -> Floats:
        """[k] `mean_value` of the nodes of these ids, without that of all."""
        visits, value_sum = self.visits[nodes], self.value_sum[nodes]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits == 0, np.nan, value_sum / visits)
        if not self.meta.policies.backpropagation.all_collect:
            mean[visits_alone(self.meta, self.parent, self.to_move, self._ids(nodes))] = np.nan
        if self.without_value is not None and len(self.without_value):
            mean[np.isin(self._ids(nodes), self.without_value) & (value_sum == 0)] = np.nan
        return mean

    def _ids(self, nodes: Wholes | Sequence[int] | slice) -> Wholes:
        if isinstance(nodes, slice):
            return np.arange(*nodes.indices(len(self)))
        return np.asarray(nodes)

    @cached_property
    def numbers(self) -> Mapping[str, Floats]:
        """[N] by name, the recorded numbers of nodes beside their statistics: tokens, cost, seconds, scores of judges;
        nan where there is none. "error" is 1 where the node failed."""
        return self.tell_numbers()

    @cached_property
    def player_sums(self) -> Floats | None:
        """[N, P] the sum of each node's values for each player, in that player's own view; None where nodes have one
        value alone, `value_sum`."""
        return None if self.tell_player_sums is None else self.tell_player_sums()

    def subtree_sum(self, name: str) -> Floats:
        """[N] the sum of one of `numbers` over each node and all below it, 0 where nothing is told. Raises TraceError
        for a name that is not among them."""
        if not isinstance(name, str) or name not in self.numbers:
            known = ", ".join(self.numbers) or "there are none"
            raise TraceError(f"no node has a number named {name!r}; choose one of: {known}")
        total = np.nan_to_num(self.numbers[name])
        for node in range(self.n_nodes - 1, 0, -1):  # children come after their parents
            total[self.parent[node]] += total[node]
        return total

    @cached_property
    def results(self) -> GameResults | None:
        """[N] wins, draws and losses of the simulated games through each node, in the view of
        value_sum, from the recorded outcomes; None where outcomes are no results of games. An
        inherited tree, and visits of several leaves at once, are not among them."""
        return self.results_of(np.arange(self.n_nodes))

    def results_of(self, nodes: Wholes | Sequence[int]) -> GameResults | None:
        """[k] `results` of the nodes of these ids: of a few, much sooner than those of all. Raises TraceError for ids
        that are not in the tree."""
        ids = self._checked_ids(nodes)
        return None if self.count_results is None else self.count_results(ids)

    @cached_property
    def _terms(self) -> tuple[Floats, Floats]:
        value, exploration = self._terms_of(slice(None))
        value[0] = exploration[0] = np.nan
        return value, exploration

    def _terms_of(self, nodes: Any) -> tuple[Floats, Floats]:
        """[k] `value_term` and `exploration_term` of some nodes, given by an index of the columns. The root must not be
        among them."""
        if self.meta.policies.selection.needs_siblings:
            value, exploration = self._sibling_terms
            return value[nodes], exploration[nodes]
        parent, rows = self.parent[nodes], compared_rows(self.meta, self.same_as, nodes)
        return selection_terms(
            self.meta,
            NodeStatistics(
                visits=self.visits[rows],
                value_sum=self.value_sum[rows],
                prior=self.prior[nodes],
                parent_visits=self._compared_visits[parent],
                chooser=self.to_move[parent],
                proven=(self.outcome if self.proven is None else self.proven)[nodes],
                square_sum=None if self.square_sum is None else self.square_sum[rows],
                parent_value=self._seen_by_chooser(parent),
            ),
        )

    def _seen_by_chooser(self, nodes: Wholes) -> Floats | None:
        """[k] see `seen_by_chooser`."""
        chooser = self.to_move[nodes]
        if (
            not self.meta.policies.selection.takes_parent
            or self.player_sums is None
            or (chooser < 0).any()
        ):
            return seen_by_chooser(
                self.meta,
                self.visits[nodes],
                self.value_sum[nodes],
                nodes,
                self.parent,
                self.to_move,
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.player_sums[nodes, chooser] / self.visits[nodes])

    @property
    def _compared_visits(self) -> npt.NDArray[np.int32]:
        """[N] of each node as a parent: N of the selection formula."""
        return self._visits_below if self.meta.policies.selection.counts_children else self.visits

    @cached_property
    def _visits_below(self) -> npt.NDArray[np.int32]:
        """[N] of all children of each node together."""
        visits, parent = np.asarray(self.visits), np.asarray(self.parent)
        rows = compared_rows(self.meta, self.same_as, np.arange(1, len(visits)))
        total = np.bincount(parent[1:], visits[rows], minlength=len(visits))
        return total.astype(np.int32)

    @cached_property
    def _sibling_terms(self) -> tuple[Floats, Floats]:
        """[N] terms of a rule that knows a child's score only together with its siblings'; such trees are small."""
        value, exploration = np.full(self.n_nodes, np.nan), np.full(self.n_nodes, np.nan)
        for parent in np.unique(self.parent[1:]).tolist():
            ids = self._children(parent)
            of = sibling_numbers(
                self.meta, self.numbers, self.reward, parent, ids, self.prior[ids],
                self.visits[ids][:, None], self.value_sum[ids][:, None],
            )  # fmt: skip
            terms = sibling_terms(self.meta, of)
            value[ids], exploration[ids] = (term[:, 0] for term in terms)
        return value, exploration

    def scores(self, nodes: Wholes | Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """[k] `value_term`, `exploration_term` and `uct` of the nodes of these ids: of a few, much
        sooner than those of all. Raises TraceError for ids that are not in the tree."""
        ids = self._checked_ids(nodes)
        value, exploration = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
        inner = np.flatnonzero(ids > 0)
        value[inner], exploration[inner] = self._terms_of(ids[inner])
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

    def ways(self, node: int) -> list[int]:
        """Ids of the rows that are ways to the same node as `node`, the first one first: their parents are
        its parents."""
        node = self._known(node)
        if self.same_as is None:
            return [node]
        first = int(self.same_as[node]) if self.same_as[node] >= 0 else node
        return [first, *np.flatnonzero(self.same_as == first).tolist()]

    @cached_property
    def way_visits(self) -> npt.NDArray[np.int32]:
        """[N] visits through each way to a node, from its own parent; in a tree, just the visits."""
        return self._over_ways("nodes", -1)

    @cached_property
    def node_visits(self) -> npt.NDArray[np.int32]:
        """[N] visits of each node by all ways to it together, told at each of its ways: of a tree, just visits."""
        total = self._over_ways("edges", 1)
        if self.same_as is None:
            return total
        return total[np.where(self.same_as >= 0, self.same_as, np.arange(self.n_nodes))]

    def _over_ways(self, numbers: str, sign: int) -> npt.NDArray[np.int32]:
        """Visits, with those of further ways added to the first one's, or taken from them, where the trace has those
        numbers."""
        if self.same_as is None or self.meta.shared != numbers:
            return self.visits
        total = self.visits.copy()
        further = np.flatnonzero(self.same_as >= 0)
        np.add.at(total, self.same_as[further], sign * self.visits[further])
        return total

    def parents(self, node: int) -> list[int]:
        """Ids of the nodes from which a move leads to `node`, its first parent first; more than one where nodes are
        shared, none for a root that nothing leads to. `way_visits` of `ways` are the visits from each."""
        return [int(self.parent[way]) for way in self.ways(node) if way]

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
        return "root" if node == 0 else self.meta.action_name(int(self.action[node]))

    def short_label(self, node: int) -> str:
        """The same for use in a sentence: on one line, not too long."""
        return in_a_sentence(self.label(node))

    def labels(self) -> list[str]:
        """[N] `label` of every node."""
        actions = self.action.tolist()
        readable = [self.meta.action_name(action) for action in range(len(self.meta.action_labels))]
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
        if node == 0 and self.meta.policies.selection.halves:
            # of the most visited ones the best by the score of sequential halving: Danihelka et al. 2022
            ids = ids[self.visits[ids] > 0]
            score = self.uct[ids]
            return [int(v) for v in ids[np.lexsort((-score, -self.visits[ids]))]]
        ranked = ranking(
            final_move_rule(self.final_move),
            self.visits[ids],
            self.value_sum[ids],
            self.value_width,
            self.standing(ids),
        )
        return [int(ids[i]) for i in ranked]

    def standing(self, nodes: Wholes | Sequence[int]) -> npt.NDArray[np.int8]:
        """[k] what a solver has proven of the nodes of these ids, view of the player who moved into each: 1 a win, −1
        a loss, 0 neither, or there is no solver. Raises TraceError for ids that are not in the tree."""
        ids = self._checked_ids(nodes)
        if self.proven is None or not self.meta.has_solver:
            return np.zeros(len(ids), np.int8)
        return standing(self.proven[ids], self.to_move[self.parent[ids]], self.meta.reward_range)

    def _checked_ids(self, nodes: Wholes | Sequence[int]) -> Ints:
        return checked_ids(nodes, self.n_nodes, self._place)

    @property
    def final_move(self) -> str:
        """Name of the final-move rule; "most_visits" where the trace has none that is known."""
        return self.meta.policies.final_move.rule

    @property
    def played(self) -> int | None:
        """Action id of the move that was really played after this iteration, where the search told it."""
        return None if self.tell_played is None else self.tell_played()

    @property
    def value_width(self) -> float:
        """Greatest minus least value of one visit."""
        return self.meta.value_width

    @property
    def best_action(self) -> int | None:
        """Action id of the move that the final-move rule would play now; None while no child was
        visited."""
        ranked = self.ranked_children(0)
        return int(self.action[ranked[0]]) if ranked else None

    @property
    def best_action_name(self) -> str | None:
        """The readable name of the best action."""
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
        return checked_id(node, self.n_nodes, self._place)

    @property
    def _place(self) -> str:
        return f"the tree after {plural(self.iteration, 'iteration')}"


def compared_rows(
    meta: TraceMeta, same_as: npt.NDArray[np.int32] | None, nodes: Numbers
) -> Numbers:
    """The rows whose numbers a search compares for some nodes: their own, or where shared
    nodes have numbers of their own, the first way's."""
    if same_as is None or meta.shared != "nodes":
        return nodes
    return np.where(same_as >= 0, same_as, np.arange(len(same_as)))[nodes]


def checked_id(node: object, n_nodes: int, where: str) -> int:
    """The node id as an int; raises TraceError when it is not one of the nodes there are."""
    if not is_whole(node) or not 0 <= node < n_nodes:
        raise TraceError(f"node {node!r} is not in {where}; choose one from 0 to {n_nodes - 1:,}")
    return int(node)


def checked_ids(nodes: Wholes | Sequence[int], n_nodes: int, where: str) -> Ints:
    """[k] node ids; raises TraceError where they are not a list of nodes there are."""
    ids = np.asarray(nodes)
    if ids.ndim != 1 or (len(ids) and not np.issubdtype(ids.dtype, np.integer)):
        raise TraceError(f"nodes={nodes!r:.60} is no list of node ids; give one, such as [1, 2]")
    if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < n_nodes:
        checked_id(int(ids[(ids < 0) | (ids >= n_nodes)][0]), n_nodes, where)
    return np.asarray(ids, np.int64)


class NodeStatistics(NamedTuple):
    """What the selection formulas need to know of k nodes."""

    visits: npt.NDArray[np.int32]
    value_sum: Floats  # view of the player who moved into the node
    prior: npt.NDArray[np.float32]
    parent_visits: npt.NDArray[np.int32]  # of the siblings together, where the formula has it so
    chooser: npt.NDArray[np.int8]  # player to move at the parent
    proven: npt.NDArray[np.float32]  # view of player 0; nan: not proven
    square_sum: Floats | None
    parent_value: Floats | None = (
        None  # mean of the parent, view of the chooser; where it counts for unvisited ones
    )


def collects_values(snapshot: Snapshot, nodes: Wholes | int) -> Bools:
    """[k] whether the moves made at nodes collect values, and not visits alone."""
    if snapshot.meta.policies.backpropagation.all_collect:
        return np.ones(np.shape(nodes), np.bool_)
    return np.asarray(snapshot.to_move[nodes] == snapshot.to_move[0])


def visits_alone(
    meta: TraceMeta, parent: npt.NDArray[np.int32], to_move: npt.NDArray[np.int8], nodes: Wholes
) -> Bools:
    """[k] whether nodes collect visits alone, and have no mean: those into which the searcher's opponent moved, and the
    root, as if that one had moved there. parent, to_move: [N] columns."""
    if meta.policies.backpropagation.all_collect:
        return np.zeros(np.shape(nodes), np.bool_)
    return np.asarray((nodes == 0) | (to_move[parent[nodes]] != to_move[0]))


def seen_by_chooser(
    meta: TraceMeta,
    visits: Wholes,
    value_sum: Floats,
    nodes: Wholes,
    parent: npt.NDArray[np.int32],
    to_move: npt.NDArray[np.int8],
) -> Floats | None:
    """[k] means of nodes as the player to move there sees them, from [k] visits and sums in the view of who moved
    there; None where the selection formula does not look at them. nan: not visited, who moves is not known, or the
    values of one player do not tell the other's. parent, to_move: [N] columns."""
    if not meta.policies.selection.takes_parent:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: Floats = np.asarray(value_sum / visits, np.float64)
    if meta.n_players == 1:
        return mean
    mover = movers_into(nodes.astype(np.int32), parent, to_move, meta.n_players)
    chooser = to_move[nodes]
    low, high = meta.value_range
    other = low + high - mean if meta.mirrors else np.nan
    seen = np.where(mover == chooser, mean, other)
    return np.where((mover >= 0) & (chooser >= 0), seen, np.nan)


def seen_by_chooser_after(
    meta: TraceMeta, columns: Columns, node: int, after: Wholes, visits: Wholes, value_sum: Floats
) -> Floats | None:
    """[k] the same of one node after k iterations; by the chooser's own value, where there is one for each player."""
    nodes = columns.nodes
    chooser = int(nodes.to_move[node])
    if not meta.policies.selection.takes_parent or not columns.player_sums.recorded or chooser < 0:
        parents = np.full(len(visits), node)
        return seen_by_chooser(meta, visits, value_sum, parents, nodes.parent, nodes.to_move)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(columns.sum_for_player(node, chooser, after) / visits)


def standing(
    proven: npt.NDArray[np.float32], mover: npt.NDArray[np.int8], reward_range: Sequence[float]
) -> npt.NDArray[np.int8]:
    """[k] of proven results (view of player 0; nan: none): 1 where the mover wins as high as can be,
    −1 where the mover loses, else 0."""
    share = np.where(mover == 0, proven, -proven) / np.float32(reward_range[1])
    with np.errstate(invalid="ignore"):
        return (share >= 1.0).astype(np.int8) - (share < 0.0).astype(np.int8)


def selection_terms(meta: TraceMeta, nodes: NodeStatistics) -> tuple[Floats, Floats]:
    """[k] value and exploration terms of nodes by the trace's own selection formula; nan and inf
    mark what is undefined, see `Snapshot.value_term`. Statistics of any other shape do, too, as long
    as their shapes go together."""
    formula = meta.formula
    if formula is None or (formula.needs_squares and nodes.square_sum is None):
        return np.full(nodes.visits.shape, np.nan), np.full(nodes.visits.shape, np.nan)
    c = meta.policies.selection.c or 0.0
    log_parent = log_visits(nodes.parent_visits)
    squares = 0.0 if nodes.square_sum is None else nodes.square_sum
    with np.errstate(divide="ignore", invalid="ignore"):
        value, exploration = formula(
            nodes.value_sum, nodes.visits, nodes.parent_visits, log_parent, nodes.prior, c, squares
        )
        first: tuple[float, float] = (np.nan, np.inf)  # an unvisited child comes before all others
        urgency: Floats | float | None = meta.first_play_urgency
        if meta.policies.selection.takes_parent:
            urgency = np.nan if nodes.parent_value is None else nodes.parent_value
        if urgency is not None:
            first = formula.unvisited(nodes.parent_visits, log_parent, nodes.prior, c, urgency)
    visited = nodes.visits > 0
    value, exploration = (np.where(visited, v, u) for v, u in zip((value, exploration), first))
    together = nodes.chooser == EVERYBODY  # joint moves are not compared
    if np.any(together):
        value, exploration = (np.where(together, np.nan, term) for term in (value, exploration))
    if meta.has_solver:
        known = ~np.isnan(nodes.proven)
        value = np.where(known, proven_scores(meta, nodes.proven, nodes.chooser), value)
        exploration = np.where(known, 0.0, exploration)
    return value, exploration


def selection_score(value: Floats, exploration: Floats) -> Floats:
    """The sum of both terms; inf or −inf where the exploration term is, also beside an undefined value."""
    return np.where(np.isinf(exploration), exploration, value + exploration)


def proven_scores(
    meta: TraceMeta, proven: npt.NDArray[np.float32], player: npt.NDArray[np.int8]
) -> Floats:
    """[k] what proven results (view of player 0) are worth to a player, by the trace's scores; nan
    where nothing is proven."""
    loss, draw, win = meta.scores
    share = proven.astype(np.float64) / float(np.float32(meta.reward_range[1]))
    share = np.where(player == 0, share, -share)
    between = np.where(share >= 0, draw + share * (win - draw), draw - share * (loss - draw))
    return np.where(share == 1.0, win, np.where(share == -1.0, loss, between))
