"""Whether running out of steps counts as success: every line that goes on to a limit gets the most there is, whatever
the answer. Lines end in the tree, or in rollouts whose moves were recorded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.outcomes.replays import NEXT_ROLLOUT
from mcts_viz.types import Bools

FEW_ENDS = 5  # nodes at the greatest depth
FEW_ROLLOUTS = 10  # of the greatest length
FEW_LEAVES = 10  # others
MOST_BEST = 0.7  # share of these that get as much
BY_CHANCE = 0.01  # that all get it, if they were as the others
DEEP = 3  # moves: a limit
RIGHT = "Right where to hold out is the aim, or only solutions get so far"


def check_limit(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A note of a search for one, whose longest lines all get the best value, and others do not."""
    if not search.alone or search.meta.step_rewards or search.has_rewards or not len(leaves.node):
        return
    in_tree = list(_in_tree(search, leaves))
    yield from in_tree or _in_rollouts(search, leaves)


def _in_tree(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    depth = search.topology.depth[leaves.node]
    deepest = int(search.topology.depth[: search.N].max())
    at = depth == deepest
    if deepest < DEEP or not search.ended[leaves.node[at]].all():
        return
    if at.sum() < FEW_ENDS or not _gets_all(search, leaves, at):
        return
    first, best = int(np.flatnonzero(at)[0]), float(leaves.value.max())
    yield found(
        "simulation-limit", int(leaves.iteration[first]), int(leaves.node[first]),
        f"every one of the {int(at.sum()):,} nodes at depth {deepest}, the greatest, where lines were told to end, "
        f"gets {best:.6g}, the most there is; of {int((~at).sum()):,} leaves above it {_less(search, leaves, ~at):,} "
        f"get less. So it is where running out of steps counts as success. {RIGHT}",
        ends=int(at.sum()), depth=deepest, value=best,
    )  # fmt: skip


def _in_rollouts(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    moves = search.trace.columns.rollout
    if not moves.recorded or (moves.action[: int(moves.offset[search.T])] == NEXT_ROLLOUT).any():
        return
    length = (moves.offset[leaves.iteration] - moves.offset[leaves.iteration - 1]).astype(np.int64)
    depth = search.topology.depth[leaves.node].astype(np.int64)
    for steps, words in ((length, "rollouts"), (length + depth, "lines, with their rollouts,")):
        most = int(steps.max())
        at = steps == most
        if most < DEEP or at.sum() < FEW_ROLLOUTS or not _gets_all(search, leaves, at):
            continue
        first, best = int(np.flatnonzero(at)[0]), float(leaves.value.max())
        yield found(
            "simulation-limit", int(leaves.iteration[first]), int(leaves.node[first]),
            f"every one of the {int(at.sum()):,} {words} of {most} moves, the most there are, brings {best:.6g}, the "
            f"best value; of {int((~at).sum()):,} shorter ones {_less(search, leaves, ~at):,} bring less. So it is "
            f"where a rollout that is cut off counts as success. {RIGHT}",
            ends=int(at.sum()), moves=most, value=best,
        )  # fmt: skip
        return


def _gets_all(search: CheckedSearch, leaves: NewLeaves, at: Bools) -> bool:
    """Whether all of those get the best value, and at most some of the others."""
    others = int((~at).sum())
    if others < FEW_LEAVES or _less(search, leaves, at):
        return False
    as_good = 1 - _less(search, leaves, ~at) / others
    return as_good <= MOST_BEST and as_good ** int(at.sum()) <= BY_CHANCE


def _less(search: CheckedSearch, leaves: NewLeaves, of: Bools) -> int:
    """How many of those get less than the best value."""
    return int((leaves.value[of] < leaves.value.max() - search.slack).sum())
