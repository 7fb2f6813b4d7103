"""A chunk of iterations: the four phases in a row, and the log of what they did.

`iterate` is the loop that numba compiles; it knows no game and no policy by name, for `functions`
brings them. The log is flat columns with offsets, ready for a recorder to take over without copying
into Python objects.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.engine.finish import finished
from mcts_viz.engine.functions import Functions, Position, Settings
from mcts_viz.engine.phases import follow
from mcts_viz.engine.tree import Tree
from mcts_viz.types import Floats


class Log(NamedTuple):
    """What the iterations of one chunk did; `n` of the columns below is the chunk's size."""

    node_count: npt.NDArray[np.int32]  # [n + 1] nodes before the chunk, then after each iteration
    leaf: npt.NDArray[np.int32]  # [n] the node evaluated
    result: npt.NDArray[np.float32]  # [n] view of player 0
    elapsed: npt.NDArray[
        np.int64
    ]  # [n] nanoseconds since the search began, at the end of the iteration
    # [n + 1] how many updates there were, into the next two columns
    update_offset: npt.NDArray[np.int32]
    update_node: npt.NDArray[np.uint32]  # root first
    update_value: Floats  # view of the player who moved into the node
    # [n] where updates are left to be understood, and these two are not kept: what each node of the path got that
    # player 0, or 1, moved into
    path_value_0: Floats
    path_value_1: Floats
    rollout_offset: npt.NDArray[np.int32]  # [n + 1] into the next column
    rollout_action: npt.NDArray[np.int32]
    proven_offset: npt.NDArray[np.int32]  # [n + 1] into the next two columns
    proven_node: npt.NDArray[np.int32]  # deepest first
    proven_outcome: npt.NDArray[np.float32]  # view of player 0


def new_log(
    n: int, max_moves: int, n_rollouts: int = 1, solver: bool = False, along_path: bool = False
) -> Log:
    """Room for `n` iterations of a game of at most `max_moves` moves."""
    n_proven = n * (max_moves + 1) if solver else 1
    n_updates = (1 if along_path else n) * (max_moves + 1)
    n_values = n if along_path else 1
    return Log(
        node_count=np.empty(n + 1, np.int32),
        leaf=np.empty(n, np.int32),
        result=np.empty(n, np.float32),
        elapsed=np.empty(n, np.int64),
        update_offset=np.zeros(n + 1, np.int32),
        update_node=np.empty(n_updates, np.uint32),
        update_value=np.empty(n_updates, np.float64),
        path_value_0=np.empty(n_values, np.float64),
        path_value_1=np.empty(n_values, np.float64),
        rollout_offset=np.zeros(n + 1, np.int32),
        rollout_action=np.empty(n * (max_moves + 1) * n_rollouts, np.int32),
        proven_offset=np.zeros(n + 1, np.int32),
        proven_node=np.empty(n_proven, np.int32),
        proven_outcome=np.empty(n_proven, np.float32),
    )


def iterate(
    tree: Tree,
    log: Log,
    position: Position,
    rng: np.random.Generator,
    settings: Settings,
    n: int,
    done: int,
    clock: Callable[[], int],
    functions: Functions,
) -> int:
    """Run up to `n` iterations after the `done` ones on the tree, which must have room for as many
    nodes, and write the log; returns how many ran: fewer than `n` where the search has finished."""
    log.node_count[0] = tree.size[0]
    updates = 0
    moves = 0
    proofs = 0
    for i in range(n):
        position.value[0] = math.nan
        kept = 0 if settings.along_path else updates
        path = log.update_node[kept:]
        length = functions.select(tree, position, path, settings, functions)
        follow(tree, position, path, length, functions.play)
        length = functions.expand(tree, position, path, length, settings, rng, functions)
        result, n_moves = functions.simulate(
            tree, position, path[length - 1], log.rollout_action[moves:], settings, rng, functions
        )
        functions.backpropagate(
            tree, position, path, length, result, log.update_value[kept:], settings, functions
        )
        proofs += functions.prove(
            tree,
            position,
            path,
            length,
            settings,
            log.proven_node[proofs:],
            log.proven_outcome[proofs:],
        )
        functions.choose_ahead(tree, position, length, settings, functions)
        if settings.along_path:
            log.path_value_0[i] = position.scores[0]
            log.path_value_1[i] = position.scores[1]
        updates += length
        if settings.keep_rollouts:
            moves += n_moves
        log.node_count[i + 1] = tree.size[0]
        log.leaf[i] = path[length - 1]
        log.result[i] = result
        log.update_offset[i + 1] = updates
        log.rollout_offset[i + 1] = moves
        log.proven_offset[i + 1] = proofs
        log.elapsed[i] = clock()
        if finished(tree, settings, done + i + 1):
            return i + 1
    return n
