"""The four phases of an iteration: select, expand, simulate, backpropagate.

Plain functions over the columns of a tree; numba compiles this very source, so they keep to loops,
indexing and arithmetic. Everything that differs from game to game or from policy to policy comes in
as an argument. `state` is the position, changed in place on the way down and during the simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.formulas.selection import SelectionFormula
from mcts_viz.search.tree import NO_NODE, Tree

Path = npt.NDArray[np.int32]  # node ids, root first


def best_child(tree: Tree, node: int, formula: SelectionFormula, c: float) -> int:
    """The child of `node` with the highest score; the first made of the best on ties. All must have
    been visited."""
    parent_visits = tree.visits[node]
    log_parent_visits = math.log(parent_visits)
    best = NO_NODE
    best_score = -math.inf
    child = tree.first_child[node]
    while child != NO_NODE:
        value, exploration = formula(
            tree.value_sum[child],
            tree.visits[child],
            parent_visits,
            log_parent_visits,
            tree.prior[child],
            c,
        )
        score = value + exploration
        if score > best_score:
            best = child
            best_score = score
        child = tree.next_sibling[child]
    return best


def select(
    tree: Tree,
    state: Any,
    path: Path,
    play: Callable[[Any, int], None],
    formula: SelectionFormula,
    c: float,
) -> int:
    """Walk down while every legal action has a child; writes the path and returns its length."""
    node = 0
    length = 1
    path[0] = 0
    while tree.n_untried[node] == 0 and tree.first_child[node] != NO_NODE:
        node = best_child(tree, node, formula, c)
        play(
            state, int(tree.action[node])
        )  # a Python int: bit boards need more than the column's 32 bits
        path[length] = node
        length += 1
    return length


def untried_action(tree: Tree, node: int, legal: Any, n_legal: int, tried: Any, rng: Any) -> int:
    """One of the node's legal actions without a child, each equally likely. `tried` [n_actions] is
    all false, and so it is left."""
    child = tree.first_child[node]
    while child != NO_NODE:
        tried[tree.action[child]] = True
        child = tree.next_sibling[child]
    k = int(rng.random() * tree.n_untried[node])
    chosen = -1
    for i in range(n_legal):
        if not tried[legal[i]]:
            if k == 0:
                chosen = legal[i]
            k -= 1
    child = tree.first_child[node]
    while child != NO_NODE:
        tried[tree.action[child]] = False
        child = tree.next_sibling[child]
    return chosen


def add_child(
    tree: Tree, parent: int, action: int, to_move: int, outcome: float, n_legal: int
) -> int:
    """Append a node as the last child of `parent`; returns its id."""
    node = int(tree.size[0])
    tree.size[0] = node + 1
    tree.parent[node] = parent
    tree.action[node] = action
    tree.to_move[node] = to_move
    tree.outcome[node] = outcome
    tree.n_untried[node] = n_legal
    tree.n_untried[parent] -= 1
    sibling = tree.first_child[parent]
    if sibling == NO_NODE:
        tree.first_child[parent] = node
        return node
    while tree.next_sibling[sibling] != NO_NODE:
        sibling = tree.next_sibling[sibling]
    tree.next_sibling[sibling] = node
    return node


def expand(
    tree: Tree,
    node: int,
    state: Any,
    legal: Any,
    tried: Any,
    rng: Any,
    play: Callable[[Any, int], None],
    legal_actions: Callable[[Any, Any], int],
    outcome: Callable[[Any], float],
    to_move: Callable[[Any], int],
) -> int:
    """Add one child for a random untried action and move into it; returns it, or NO_NODE where the
    game is over."""
    if tree.n_untried[node] == 0:
        return NO_NODE
    n_legal = legal_actions(state, legal)
    action = untried_action(tree, node, legal, n_legal, tried, rng)
    play(state, action)
    result = outcome(state)
    n_untried = legal_actions(state, legal) if math.isnan(result) else 0
    return add_child(tree, node, action, to_move(state), result, n_untried)


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
    length: int,
    result: float,
    values: Any,
    win: float,
    draw: float,
    loss: float,
) -> None:
    """One visit and the mover's score to every node on the path; writes what each node got into
    `values`."""
    for i in range(length):
        node = path[i]
        mover = 1 - tree.to_move[0] if i == 0 else tree.to_move[path[i - 1]]
        mover_result = result if mover == 0 else -result
        value = win if mover_result > 0 else (loss if mover_result < 0 else draw)
        tree.visits[node] += 1
        tree.value_sum[node] += value
        values[i] = value
