"""How far nodes are from the root, by their parents' ids: every parent is older than its children. Knows no trace."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.index.loops import read_only
from mcts_viz.trace.path_loops import LOOPS, count_depths


def depths(parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """[N] distance from the root."""
    root = np.zeros(1, np.int32)
    return np.concatenate([root, new_depths(parent[1:], root)])


def fill_depths(
    parent: npt.NDArray[np.int32], first: int, end: int, depth: npt.NDArray[np.int32]
) -> None:
    """Write the depths of the nodes from `first` to just before `end` behind those of the nodes before; compiled where
    that is ready."""
    if LOOPS.are_ready:
        LOOPS.run(count_depths, read_only(parent), first, end, depth)
    else:
        depth[first:end] = new_depths(parent[first:end], depth[:first])


def new_depths(
    parent: npt.NDArray[np.int32], known: npt.NDArray[np.integer]
) -> npt.NDArray[np.int32]:
    """[k] distance from the root of the nodes behind those whose depths are known, by pointer jumping: log₂(depth)
    passes over them; no recursion."""
    n_known = len(known)
    ancestor, depth = parent.copy(), np.ones(len(parent), np.int32)
    unfinished = np.flatnonzero(ancestor >= n_known)
    while unfinished.size:
        above = ancestor[unfinished] - n_known
        depth[unfinished] += depth[above]
        ancestor[unfinished] = ancestor[above]
        unfinished = unfinished[ancestor[unfinished] >= n_known]
    return np.asarray(depth + known[ancestor], np.int32)
