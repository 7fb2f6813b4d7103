"""A range of values that was not told: −1 to 1 is meant where nobody says another one, and many searches count from 0
to 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.finding import Finding
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.trace import Trace

TOLD, MEANT = [-1.0, 1.0], [0.0, 1.0]
ROWS = 50_000  # updates that are looked at
FEW = 50  # pairs of values
SOME = 0.2  # share of them that has to add up to 1: a draw may be worth anything
TINY = 1e-6
FEW_LEAVES = 20
LITTLE_MORE = 1.5  # times what new leaves get
MANY_BEYOND = 0.05  # share of new leaves
KINDS = 6  # different values of theirs
FAR = 20.0  # times the median of those beyond 1: one number that is farther is a mistake


def meant_range(trace: Trace) -> TraceMeta | None:
    """The metadata with values from 0 to 1, if no value is below 0 and those of the two players often add up to 1;
    None where the range told may be right."""
    meta = trace.meta
    if meta.is_ours or list(meta.value_range) != TOLD:
        return None
    wider = _wider(trace)
    if wider is not None or meta.n_players != 2:
        return wider
    updates, nodes = trace.columns.updates, trace.columns.nodes
    node = np.asarray(updates.node[:ROWS]).astype(np.int64)
    value = np.asarray(updates.value[:ROWS])
    single = np.asarray(updates.visits[:ROWS]) == 1
    given = value[single]
    if not len(given) or given.min() < -TINY or given.max() > 1 + TINY:
        return None
    parent, to_move = nodes.parent, nodes.to_move
    above, below = node[:-1], node[1:]
    pair = single[:-1] & single[1:] & (above > 0) & (parent[below] == above)
    chosen_by, then_by = to_move[parent[above]], to_move[above]
    pair &= (chosen_by < 0) | (then_by < 0) | (chosen_by != then_by)
    first, second = value[:-1][pair], value[1:][pair]
    if len(first) < FEW or np.ptp(first) < 0.5:
        return None
    if np.mean(np.abs(first + second - 1) <= TINY) < SOME:
        return None
    return TraceMeta({**meta, "value_range": MEANT})


def _wider(trace: Trace) -> TraceMeta | None:
    """The metadata with the range of what new leaves get, where many of them get more than 1, and different values: a
    score of the game. What only some get, or what only grows on the way up, is a mistake."""
    meta, updates = trace.meta, trace.columns.updates
    node = np.asarray(updates.node[:ROWS]).astype(np.int64)
    value = np.asarray(updates.value[:ROWS])
    once = np.asarray(updates.visits[:ROWS]) == 1
    again = node[1:] == node[:-1]  # a number that no float adds up to is logged in two
    once[1:] &= ~again
    once[:-1] &= ~again
    first = np.unique(node, return_index=True)[1]
    of_leaves = value[first][once[first] & (node[first] > 0)]
    if len(of_leaves) < FEW_LEAVES or not np.isfinite(of_leaves).all():
        return None
    least, most = float(of_leaves.min()), float(of_leaves.max())
    beyond = np.abs(of_leaves)[np.abs(of_leaves) > 1 + TINY]
    if len(beyond) < MANY_BEYOND * len(of_leaves) or len(np.unique(np.round(beyond, 9))) < KINDS:
        return None
    far = max(-least, most)
    if far > FAR * float(np.median(beyond)):
        return None
    single = value[once]
    every = float(np.abs(single).max())
    if every <= LITTLE_MORE * far:  # the other end of the range may come at nodes above alone
        least, most, far = min(least, float(single.min())), max(most, float(single.max())), every
    if abs(least) <= TINY * far:
        least = 0.0
    alike = meta.n_players > 1 and least < 0  # of two players, what one can win the other can
    return TraceMeta({**meta, "value_range": [-far, far] if alike else [min(least, 0.0), most]})


def check_range(meant: TraceMeta | None) -> Iterator[Finding]:
    """Whether the values are in another range than was told."""
    if meant is not None and list(meant.value_range) != MEANT:
        low, high = meant.value_range
        yield found(
            "value-range", None, None,
            f"new leaves get values from {low:.6g} to {high:.6g}. The range told (or left as it is) is −1 to 1; the "
            "other checks take this one. Right for scores of a game; tell value_range=",
            meant=[low, high],
        )  # fmt: skip
    elif meant is not None:
        yield found(
            "value-range", None, None,
            "the values that the two players get add up to 1, and none is below 0: they go from 0 to 1. The range told "
            "(or left as it is) is −1 to 1. The other checks take them as 0 to 1; tell value_range=(0, 1)",
            meant=MEANT,
        )  # fmt: skip
