"""From a search's own value of a node to the trace's: a sum, in the view of the player who moved
into the node.

Numbers in, numbers out: knows no node and no trace.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mcts_viz.errors import TraceError

VIEWS = {
    "mover": "the player who moved into the node",
    "to_move": "the player to move at the node",
    "player0": "player 0",
    "root": "the player to move at the root",
}
KINDS = {"sum": "sum over the node's visits", "mean": "mean over the node's visits"}


class Values(NamedTuple):
    """What a search's values mean."""

    view: str  # key of VIEWS
    kind: str  # key of KINDS
    low: float  # least and greatest value of one visit
    high: float

    @classmethod
    def checked(cls, view: str, kind: str, value_range: tuple[float, float]) -> Values:
        """Raises TraceError naming the argument that means nothing."""
        if view not in VIEWS:
            choices = ", ".join(f"{name!r} ({words})" for name, words in VIEWS.items())
            raise TraceError(f"value_view={view!r} is not known; choose one of: {choices}")
        if kind not in KINDS:
            choices = ", ".join(f"{name!r} ({words})" for name, words in KINDS.items())
            raise TraceError(f"value_kind={kind!r} is not known; choose one of: {choices}")
        return cls(view, kind, *checked_range("value_range", value_range))

    @property
    def needs_players(self) -> bool:
        """Whether one has to know who moves where to turn a value into the mover's view."""
        return self.view in ("player0", "root")

    def opposite(self, mover: int, root_player: int) -> bool:
        """Whether the value of a node that `mover` moved into is in the view of the other player,
        where it is in that of one player everywhere."""
        return self.needs_players and mover != (0 if self.view == "player0" else root_player)

    def value_sum(self, value: float, visits: int, opposite: bool) -> float:
        """The sum over the visits, view of the mover. A mean comes back from it as it was, where a
        float64 exists that does so."""
        if self.kind == "mean":
            mean = self.low + self.high - value if opposite else value
            return sum_of_mean(mean, visits)
        return self.turned(value, visits) if opposite else value

    def turned(self, value_sum: float, visits: int) -> float:
        """The sum in the view of the other player."""
        return (self.low + self.high) * visits - value_sum


def checked_range(name: str, found: tuple[float, float]) -> tuple[float, float]:
    """The range as two floats; raises TraceError when it is none."""
    try:
        low, high = (float(bound) for bound in found)
    except (TypeError, ValueError) as err:
        raise TraceError(
            f"{name}={found!r} is not a pair of numbers; write the least and the greatest: {name}=(-1, 1)"
        ) from err
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise TraceError(
            f"{name}={found!r} is not a range; write the least, then the greatest: {name}=(-1, 1)"
        )
    return low, high


def sum_of_mean(mean: float, visits: int) -> float:
    """mean × visits, or a neighbour of it that gives the mean back exactly when divided; 0 without
    visits, for a mean over nothing says nothing."""
    if visits == 0:
        return 0.0
    product = mean * visits
    if product / visits == mean:
        return product
    for near in (math.nextafter(product, -math.inf), math.nextafter(product, math.inf)):
        if near / visits == mean:
            return near
    return product


def increments(old: float, new: float) -> tuple[float, ...]:
    """What to add to `old`, one after the other, so that float64 gives `new` and nothing near it:
    one number, or two where no single one does."""
    added = new - old
    for near in (added, math.nextafter(added, -math.inf), math.nextafter(added, math.inf)):
        if old + near == new:
            return (near,)
    return (-old, new)
