"""What updates add up to: no node may come to more than a trace's columns hold, where sums would wrap in silence.

Looks closely at great numbers only. Knows updates, no events and no lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.event_types import INT32
from mcts_viz.trace.format import Rows

# Up to these an update is small: all small ones together stay below the limits for a billion updates, whichever nodes
# they are of, so that counting them is enough. Most streams have no others.
SMALL_VISITS = 2
SMALL_VALUE = 1e290
MOST_VALUE = 1.797693e308  # the greatest float64, less what small values may come to


class UpdateSums:
    """The sums of a stream's updates, as far as they may come near the limits."""

    def __init__(self) -> None:
        self._small = 0  # visits at most, of all small updates together
        self._visits: dict[int, int] = {}  # of each node, by updates that are not small
        self._values: dict[int, float] = {}

    def add(self, nodes: Sequence[int], visits: Sequence[int], values: Sequence[float]) -> None:
        """Take in an event's updates, or of several events; raises ImportFormatError for one that goes beyond the
        limits, with nothing taken in."""
        small = self._small + SMALL_VISITS * len(nodes)
        if not nodes or (
            max(visits) <= SMALL_VISITS
            and min(visits) >= -SMALL_VISITS
            and max(values) <= SMALL_VALUE
            and min(values) >= -SMALL_VALUE
        ):
            self._small = small
            return
        new_visits: dict[int, int] = {}
        new_values: dict[int, float] = {}
        for place, (node, more, value) in enumerate(zip(nodes, visits, values)):
            if abs(more) > SMALL_VISITS:
                total = new_visits.get(node, self._visits.get(node, 0)) + more
                if abs(total) > INT32 - small:
                    raise _beyond(f"updates[{place}].visits", more, INT32)
                new_visits[node] = total
            if abs(value) > SMALL_VALUE:
                value_sum = new_values.get(node, self._values.get(node, 0.0)) + value
                if not abs(value_sum) <= MOST_VALUE:
                    raise _beyond(f"updates[{place}].value", value, MOST_VALUE)
                new_values[node] = value_sum
        self._small = small
        self._visits |= new_visits
        self._values |= new_values

    def add_rows(self, rows: Rows) -> bool:
        """Take in many events at once; False, with nothing taken in, where they have to be looked at one by one."""
        visits, values = rows.updates.visits, rows.updates.value
        seen = (np.abs(visits) > SMALL_VISITS) | (np.abs(values) > SMALL_VALUE)
        small = SMALL_VISITS * (len(seen) - int(seen.sum()))
        self._small += small  # first, so that it is no less strict than one by one
        try:
            self.add(rows.updates.node[seen].tolist(), visits[seen].tolist(), values[seen].tolist())
        except ImportFormatError:
            self._small -= small
            return False
        return True


def _beyond(field: str, added: float, most: float) -> ImportFormatError:
    return ImportFormatError(
        f"{field}: {added}, with which the sum for its node goes beyond what a trace can hold ({most}); write what was "
        "added in this iteration, not the sum so far"
    )
