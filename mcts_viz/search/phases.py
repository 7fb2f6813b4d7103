"""The four phases of an iteration: select, expand, simulate, backpropagate.

Plain functions over the columns of a tree; numba compiles this very source, so they keep to loops,
indexing and arithmetic. Everything that differs from game to game or from policy to policy comes in
as an argument. `state` is the position, changed in place on the way down and during the simulation.

The selection formula is never called while children are compared: a child's terms change only when
the child is visited and a parent's weight only when the parent is, so backpropagation computes both,
once for each node on the path.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.search.tree import OVER, UNOPENED, Tree

Path = npt.NDArray[np.int32]  # node ids, root first
Branches = Any  # [length of the path] the branch that leads into each node


def best_branch(tree: Tree, node: int) -> int:
    """The branch to the child of `node` with the highest score; the first made of the best on ties.
    Every branch must have a child, and every child a visit."""
    weight = tree.weight[node]
    first = tree.first_branch[node]
    best = first
    best_score = -math.inf
    for branch in range(first, first + tree.n_children[node]):
        score = tree.branch_value[branch] + weight * tree.branch_width[branch]
        best = branch if score > best_score else best  # no jump to mispredict
        best_score = max(best_score, score)
    return int(best)


def select(
    tree: Tree, state: Any, path: Path, branches: Branches, play: Callable[[Any, int], None]
) -> int:
    """Walk down while every legal action has a child; writes the path and returns its length."""
    node = 0
    length = 1
    path[0] = 0
    branches[0] = 0
    while tree.n_untried[node] == 0:
        branch = best_branch(tree, node)
        # a Python int: bit boards need more than the column's 32 bits
        play(state, int(tree.branch_action[branch]))
        node = tree.branch_child[branch]
        path[length] = node
        branches[length] = branch
        length += 1
    return length


# the order in which the untried actions of a node get their children
RANDOM_ORDER, FIRST_LEGAL_FIRST, LAST_LEGAL_FIRST = 0, 1, 2


def open_node(
    tree: Tree,
    node: int,
    state: Any,
    order: int,
    legal_actions: Callable[[Any, Any], int],
) -> None:
    """Give the node a branch for every legal action."""
    first = int(tree.size[1])
    n_legal = legal_actions(state, tree.branch_action[first:])
    tree.size[1] = first + n_legal
    if order == LAST_LEGAL_FIRST:
        for k in range(n_legal // 2):
            left = first + k
            right = first + n_legal - 1 - k
            action = tree.branch_action[left]
            tree.branch_action[left] = tree.branch_action[right]
            tree.branch_action[right] = action
    tree.first_branch[node] = first
    tree.n_untried[node] = n_legal


def take_untried(tree: Tree, node: int, order: int, rng: Any) -> int:
    """A branch of the node for one of its untried actions, behind those that have a child: the next
    of the order, each equally likely when that is random."""
    branch = tree.first_branch[node] + tree.n_children[node]
    if order == RANDOM_ORDER:
        chosen = branch + int(rng.random() * tree.n_untried[node])
        action = tree.branch_action[chosen]
        tree.branch_action[chosen] = tree.branch_action[branch]
        tree.branch_action[branch] = action
    tree.n_children[node] += 1
    tree.n_untried[node] -= 1
    return int(branch)


def add_node(tree: Tree, parent: int, branch: int, to_move: int, outcome: float) -> int:
    """Append a node at the end of that branch; returns its id."""
    node = int(tree.size[0])
    tree.size[0] = node + 1
    tree.parent[node] = parent
    tree.action[node] = tree.branch_action[branch]
    tree.to_move[node] = to_move
    tree.outcome[node] = outcome
    tree.prior[node] = math.nan
    tree.visits[node] = 0
    tree.value_sum[node] = 0.0
    tree.first_branch[node] = 0
    tree.n_children[node] = 0
    tree.n_untried[node] = UNOPENED if math.isnan(outcome) else OVER
    tree.branch_child[branch] = node
    return node


def expand(
    tree: Tree,
    state: Any,
    path: Path,
    branches: Branches,
    length: int,
    order: int,
    rng: Any,
    play: Callable[[Any, int], None],
    legal_actions: Callable[[Any, Any], int],
    outcome: Callable[[Any], float],
    to_move: Callable[[Any], int],
) -> int:
    """Add one child for an untried action of the path's last node and move into it; returns the
    path's new length, the old one where the game is over."""
    node = path[length - 1]
    if tree.n_untried[node] == OVER:
        return length
    if tree.n_untried[node] == UNOPENED:
        open_node(tree, node, state, order, legal_actions)
    branch = take_untried(tree, node, order, rng)
    play(state, int(tree.branch_action[branch]))
    path[length] = add_node(tree, node, branch, to_move(state), outcome(state))
    branches[length] = branch
    return length + 1


def simulate(
    state: Any,
    legal: Any,
    moves: Any,
    rng: Any,
    play: Callable[[Any, int], None],
    legal_actions: Callable[[Any, Any], int],
    outcome: Callable[[Any], float],
) -> tuple[float, int]:
    """Play uniformly random moves to the end; returns the outcome (view of player 0) and how many
    moves it wrote."""
    length = 0
    result = outcome(state)
    while math.isnan(result):
        n_legal = legal_actions(state, legal)
        action = legal[int(rng.random() * n_legal)]
        play(state, action)
        moves[length] = action
        length += 1
        result = outcome(state)
    return result, length


def backpropagate(
    tree: Tree,
    path: Path,
    branches: Branches,
    length: int,
    result: float,
    values: Any,
    win: float,
    draw: float,
    loss: float,
    c: float,
    child_terms: Callable[[Any, Any, Any], tuple[Any, Any]],
    parent_weight: Callable[[Any, Any, float], Any],
) -> None:
    """One visit and the mover's score to every node on the path, and what the selection formula says
    of them from then on; writes what each node got into `values`."""
    score_0 = win if result > 0 else (loss if result < 0 else draw)
    score_1 = win if result < 0 else (loss if result > 0 else draw)
    most_visits = int(tree.visits[0]) + 1  # no node has more than the root
    tree.weight_at[most_visits] = parent_weight(most_visits, math.log(most_visits), c)
    mover = 1 - tree.to_move[0]
    for i in range(length):
        node = path[i]
        value = score_0 if mover == 0 else score_1
        visits = tree.visits[node] + 1
        value_sum = tree.value_sum[node] + value
        values[i] = value
        tree.visits[node] = visits
        tree.value_sum[node] = value_sum
        tree.weight[node] = tree.weight_at[visits]
        value_term, width = child_terms(value_sum, visits, tree.prior[node])
        tree.branch_value[branches[i]] = value_term
        tree.branch_width[branches[i]] = width
        mover = tree.to_move[node]
