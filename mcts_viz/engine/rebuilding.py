"""A search's tree made again from what was recorded of its nodes, so that a search can go on with it.

The columns that a recording leaves out follow from the others: what selection compares from the
statistics and the formula, the branches of a node from the game's rules. Knows no trace.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.engine.phases import LAST_LEGAL_FIRST, proven_score
from mcts_viz.engine.search import Search
from mcts_viz.engine.tree import BRANCH_COLUMNS, OVER, UNOPENED, Tree, new_tree
from mcts_viz.types import Floats, Ints, Numbers


class RecordedNodes(NamedTuple):
    """N nodes as a recording has them, in order of creation."""

    parent: npt.NDArray[np.int32]  # [N] −1 for the root
    action: npt.NDArray[np.int32]  # [N]
    to_move: npt.NDArray[np.int8]  # [N]
    outcome: npt.NDArray[np.float32]  # [N] view of player 0; nan where the game goes on
    prior: npt.NDArray[np.float32]  # [N]
    proven: npt.NDArray[np.float32]  # [N] view of player 0, finished games included; nan: not known
    visits: npt.NDArray[np.int32]  # [N]
    value_sum: Floats  # [N] view of the player who moved into the node
    squares: Floats  # [N] sum of the squares of its values
    last_visit: Ints  # [N] what grows with each visit; -1 where there was none


class _Branches(NamedTuple):
    """B branches, node by node in the order in which the nodes were opened."""

    first: npt.NDArray[np.uint32]  # [N] where a node's own begin; 0 for one that is not opened
    n_children: npt.NDArray[np.uint16]  # [N]
    n_untried: npt.NDArray[np.int16]  # [N]
    action: npt.NDArray[np.int32]  # [B]
    child: npt.NDArray[np.uint32]  # [B] 0: none yet, and the root's own branch


def rebuilt_tree(search: Search, nodes: RecordedNodes) -> Tree:
    """The tree that the search had, or would have had with its present formula and constant, after
    the iterations that gave these statistics.

    Bit for bit the live one, except for the order of untried moves where that is random: they
    stand as the rules list them, and each is as likely as ever. Costs a move of the game for each
    opened node.
    """
    branches = _branches(search, nodes)
    formula, settings = search.formula, search.settings
    weight_at = np.zeros(int(nodes.visits[0]) + 1)
    for visits in range(1, len(weight_at)):
        weight_at[visits] = formula.parent_weight(visits, math.log(visits), settings.c)
    value, width = _terms(search, nodes)
    squares = nodes.squares if settings.keep_squares else np.zeros(len(nodes.parent))
    leads_to_node = branches.child > 0
    leads_to_node[0] = True  # to the root
    of_nodes: dict[str, Numbers] = {
        "branch_value": value,
        "branch_width": width,
        "branch_squares": squares,
        "weight": weight_at[nodes.visits],
        "first_branch": branches.first,
        "n_children": branches.n_children,
        "n_untried": branches.n_untried,
    }
    columns: dict[str, Numbers] = {}
    for name, column in of_nodes.items():  # a branch has what the node has that it leads to
        columns[name] = np.where(leads_to_node, column[branches.child], column.dtype.type(0))
    columns["next_branch"] = np.zeros(len(branches.action), np.uint32)
    assert set(BRANCH_COLUMNS) == {*columns, "branch_action", "branch_child"}
    return Tree(
        size=np.array([len(nodes.parent), len(branches.action)], np.int64),
        parent=nodes.parent.copy(),
        action=nodes.action.copy(),
        to_move=nodes.to_move.copy(),
        outcome=nodes.outcome.copy(),
        prior=nodes.prior.copy(),
        proven=nodes.proven.copy(),
        visits=nodes.visits.copy(),
        value_sum=nodes.value_sum.copy(),
        branch_action=branches.action,
        branch_child=branches.child,
        weight_at=weight_at,
        **columns,
    )


def _branches(search: Search, nodes: RecordedNodes) -> _Branches:
    n_nodes = len(nodes.parent)
    by_parent = np.argsort(nodes.parent, kind="stable").astype(np.int32)
    ends = np.searchsorted(nodes.parent[by_parent], np.arange(n_nodes + 1))
    first = np.zeros(n_nodes, np.uint32)
    n_children = np.diff(ends).astype(np.uint16)
    n_untried = np.where(np.isnan(nodes.outcome), UNOPENED, OVER).astype(np.int16)
    root = new_tree(0)
    actions, children = [int(root.branch_action[0])], [int(root.branch_child[0])]
    opened = np.flatnonzero(n_children > 0)
    states = _States(search, nodes)
    # a node is opened when its first child is made
    for node in opened[np.argsort(by_parent[ends[opened]])].tolist():
        own = by_parent[ends[node] : ends[node + 1]]
        if search.latest_first:
            own = own[np.argsort(-nodes.last_visit[own], kind="stable")]
        made = nodes.action[own].tolist()
        untried = [a for a in states.legal(node) if a not in made] if states.needed else []
        first[node] = len(actions)
        n_untried[node] = len(untried)
        actions += made + untried
        children += own.tolist() + [0] * len(untried)
    return _Branches(
        first, n_children, n_untried, np.array(actions, np.int32), np.array(children, np.uint32)
    )


class _States:
    """Positions of opened nodes, each asked for after its parent."""

    def __init__(self, search: Search, nodes: RecordedNodes) -> None:
        # where all children are made at once, no move is left untried
        self.needed = search.policies.expansion == "one_child"
        self._game, self._nodes = search.game, nodes
        self._allowed = search.root_actions
        self._last_first = search.settings.order == LAST_LEGAL_FIRST
        self._states = {0: search.game.position(search.start)[0]}

    def legal(self, node: int) -> list[int]:
        """Actions of the node in the order in which they get their children, where that is not drawn
        at random."""
        if node not in self._states:
            state = list(self._states[int(self._nodes.parent[node])])
            self._game.rules.play(state, int(self._nodes.action[node]))
            self._states[node] = state
        legal = list(self._game.legal(self._states[node]))
        if node == 0 and self._allowed is not None:
            legal = [action for action in legal if action in self._allowed]
        return legal[::-1] if self._last_first else legal


def _terms(search: Search, nodes: RecordedNodes) -> tuple[Floats, Floats]:
    """[N] what selection compares of each node as a child."""
    formula, settings = search.formula, search.settings
    visited = nodes.visits > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        value, width = (
            np.broadcast_to(np.asarray(term, np.float64), visited.shape)
            for term in formula.child_terms(nodes.value_sum, nodes.visits, nodes.prior)
        )
    first_value, first_width = math.inf, np.zeros(len(visited))
    if not math.isnan(settings.urgency):
        first_value = settings.urgency
        first_width = first_width + formula.unvisited_width(nodes.prior)
    value = np.where(visited, value, first_value)
    width = np.where(visited, width, first_width)
    if not visited[0]:  # the root of a tree without iterations
        value[0] = width[0] = 0.0
    if settings.solver:
        for node in np.flatnonzero(~np.isnan(nodes.proven)).tolist():
            if node:
                chooser = int(nodes.to_move[nodes.parent[node]])
                value[node] = proven_score(float(nodes.proven[node]), chooser, settings)
                width[node] = 0.0
    return value, width
