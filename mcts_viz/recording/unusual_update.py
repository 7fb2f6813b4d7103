"""Updates of a watched node that one plain difference cannot tell, or that no trace can hold."""

from __future__ import annotations

import math

from mcts_viz.errors import TraceError
from mcts_viz.recording.careful_reader import CarefulReader
from mcts_viz.recording.values import increments
from mcts_viz.recording.watched_node import WatchedNode
from mcts_viz.trace.asides import MOST_ID
from mcts_viz.trace.rows import RowLog


def log_unusual(
    log: RowLog, careful: CarefulReader, watched: WatchedNode, visits: int, value_sum: float
) -> None:
    """Log an update that is no single difference of visits and value."""
    shown = careful.shown
    if not -MOST_ID <= visits <= MOST_ID:
        n = f"{visits:,}" if abs(visits) < 10**18 else "more than 10^18"
        raise TraceError(
            f"visits={shown('visits')} gives {n} at {watched}; a trace holds up to {MOST_ID:,}: give a function "
            "that counts in greater steps, such as visits=lambda node: node.visits // 1000"
        )
    if not math.isfinite(value_sum):
        raise TraceError(
            f"value={shown('value')} and visits={shown('visits')} give a sum of {value_sum!r} over {visits:,} "
            f"visits at {watched}; a trace holds finite numbers: give functions that bound them, such as "
            "value=lambda node: max(-1e9, min(1e9, node.value))"
        )
    more_visits = visits - watched.visits
    if abs(more_visits) > MOST_ID:  # from far below zero to far above, say
        most = MOST_ID if more_visits > 0 else -MOST_ID
        log.updates += (watched.id, most, 0.0)
        more_visits -= most
    for more_value in increments(watched.value_sum, value_sum):
        log.updates += (watched.id, more_visits, more_value)
        more_visits = 0
