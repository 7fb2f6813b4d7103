"""How far nodes are from the root, by their parents' ids: every parent is older than its children. Knows no trace."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def depths(
    parent: npt.NDArray[np.int32], known: npt.NDArray[np.int32] | None = None
) -> npt.NDArray[np.int32]:
    """[N] distance from the root; `known`: those of the first nodes."""
    if known is None:
        known = np.zeros(1, np.int32)
    return np.concatenate([known, new_depths(parent[len(known) :], known)])


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
