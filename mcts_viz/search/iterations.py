"""A chunk of iterations: the four phases in a row, and the log of what they did.

`iterate` is the loop that numba compiles; it knows no game and no policy by name, for `functions`
brings them. The log is flat columns with offsets, ready for a recorder to take over without copying
into Python objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.search.phases import backpropagate, expand, select, simulate
from mcts_viz.search.tree import Tree


class Functions(NamedTuple):
    """What one search is made of: the game's rules, the formula, the phases; plain or compiled, all
    of one kind."""

    play: Callable[[Any, int], None]
    legal_actions: Callable[[Any, Any], int]
    outcome: Callable[[Any], float]
    to_move: Callable[[Any], int]
    child_terms: Callable[[Any, Any, Any], tuple[Any, Any]]  # of the selection formula
    parent_weight: Callable[[Any, Any, float], Any]
    select: Callable[..., int] = select
    expand: Callable[..., int] = expand
    simulate: Callable[..., tuple[float, int]] = simulate
    backpropagate: Callable[..., None] = backpropagate


class Settings(NamedTuple):
    """The numbers of the policies."""

    c: float
    win: float
    draw: float
    loss: float
    order: int  # of expansion, see `phases`
    keep_rollouts: bool


class Log(NamedTuple):
    """What the iterations of one chunk did; `n` of the columns below is the chunk's size."""

    node_count: npt.NDArray[np.int32]  # [n + 1] nodes before the chunk, then after each iteration
    leaf: npt.NDArray[np.int32]  # [n] the node evaluated
    result: npt.NDArray[np.float32]  # [n] view of player 0
    elapsed: npt.NDArray[
        np.int64
    ]  # [n] nanoseconds since the search began, at the end of the iteration
    update_offset: npt.NDArray[np.int32]  # [n + 1] into the next two columns
    update_node: npt.NDArray[np.int32]  # root first
    update_value: npt.NDArray[np.float64]  # view of the player who moved into the node
    rollout_offset: npt.NDArray[np.int32]  # [n + 1] into the next column
    rollout_action: npt.NDArray[np.int32]


class Position(NamedTuple):
    """The start position and the buffers that an iteration works in."""

    start: Any  # [state_size] never changed
    state: Any  # [state_size]
    legal: Any  # [n_actions] legal actions of the position at hand
    branches: Any  # [max_moves + 1] the branch into each node of the path at hand


def new_log(n: int, max_moves: int) -> Log:
    """Room for `n` iterations of a game of at most `max_moves` moves."""
    return Log(
        node_count=np.empty(n + 1, np.int32),
        leaf=np.empty(n, np.int32),
        result=np.empty(n, np.float32),
        elapsed=np.empty(n, np.int64),
        update_offset=np.zeros(n + 1, np.int32),
        update_node=np.empty(n * (max_moves + 1), np.int32),
        update_value=np.empty(n * (max_moves + 1), np.float64),
        rollout_offset=np.zeros(n + 1, np.int32),
        rollout_action=np.empty(n * max_moves, np.int32),
    )


def iterate(
    tree: Tree,
    log: Log,
    position: Position,
    rng: Any,
    settings: Settings,
    n: int,
    clock: Callable[[], int],
    functions: Functions,
) -> None:
    """Run `n` iterations on the tree, which must have room for as many nodes, and write the log."""
    log.node_count[0] = tree.size[0]
    updates = 0
    moves = 0
    for i in range(n):
        for k in range(len(position.start)):
            position.state[k] = position.start[k]
        path = log.update_node[updates:]
        length = functions.select(tree, position.state, path, position.branches, functions.play)
        length = functions.expand(
            tree,
            position.state,
            path,
            position.branches,
            length,
            settings.order,
            rng,
            functions.play,
            functions.legal_actions,
            functions.outcome,
            functions.to_move,
        )
        result, n_moves = functions.simulate(
            position.state,
            position.legal,
            log.rollout_action[moves:],
            rng,
            functions.play,
            functions.legal_actions,
            functions.outcome,
        )
        functions.backpropagate(
            tree,
            path,
            position.branches,
            length,
            result,
            log.update_value[updates:],
            settings.win,
            settings.draw,
            settings.loss,
            settings.c,
            functions.child_terms,
            functions.parent_weight,
        )
        updates += length
        if settings.keep_rollouts:
            moves += n_moves
        log.node_count[i + 1] = tree.size[0]
        log.leaf[i] = path[length - 1]
        log.result[i] = result
        log.update_offset[i + 1] = updates
        log.rollout_offset[i + 1] = moves
        log.elapsed[i] = clock()
