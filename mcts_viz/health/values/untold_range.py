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


def meant_range(trace: Trace) -> TraceMeta | None:
    """The metadata with values from 0 to 1, if no value is below 0 and those of the two players often add up to 1;
    None where the range told may be right."""
    meta = trace.meta
    if meta.is_ours or meta.n_players != 2 or list(meta.value_range) != TOLD:
        return None
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


def check_range(meant: TraceMeta | None) -> Iterator[Finding]:
    """Whether the values are in another range than was told."""
    if meant is not None:
        yield found(
            "value-range", None, None,
            "the values that the two players get add up to 1, and none is below 0: they go from 0 to 1. The range told "
            "(or left as it is) is −1 to 1. The other checks take them as 0 to 1; tell value_range=(0, 1)",
            meant=MEANT,
        )  # fmt: skip
