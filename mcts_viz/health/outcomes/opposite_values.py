"""Whether one position is evaluated now with a number and now with its opposite: so it is where a cache of evaluations
holds what the back-up turns round in place.

Where the rules are not known, the recorded texts of positions tell which are the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Floats, Ints

FEW_PAIRS = 5  # that are opposite
NEARLY_ALL = 0.98  # pairs, that are equal or opposite
KINDS = 5  # different values, of those that are opposite
OWN = 0.5  # different values of one depth for a position: results of games, and discounted ones, are fewer
MOST_NODES, MOST_REPLAYED = 100_000, 3_000  # the latter where the rules are asked


def check_opposite_values(
    search: CheckedSearch, leaves: NewLeaves | None = None
) -> Iterator[Finding]:
    """A finding where evaluations that were told, or else the values of new leaves, are opposite at equal positions
    with the same player to move. leaves: None where these are not known."""
    if search.alone or search.meta.shared or search.has_rewards or search.meta.step_rewards:
        return
    if search.rules is None and search.trace.columns.nodes.state is None:
        return
    node, value = _evaluations(search, leaves)
    values = _Values(search)
    for each, own in zip(node.tolist(), value.tolist()):
        values.add(each, own)
    pairs, opposite = values.equal + values.other + len(values.opposite), len(values.opposite)
    if opposite < FEW_PAIRS or values.equal + opposite < NEARLY_ALL * pairs:
        return
    if len(values.kinds) < KINDS or len(values.of_depths) < OWN * values.positions:
        return
    before, at, own = values.opposite[0]
    finding = found(
        "simulation-values-vary", int(search.born[at]), at,
        f"nodes {before:,} and {at:,} are the same position with the same player to move, and are evaluated with "
        f"opposite numbers, the second with {own:.4g}; so it is with {opposite:,} of {pairs:,} pairs of equal "
        f"positions, and {values.equal:,} have equal evaluations. So it is where a cache keeps the array, or the "
        "object, in which the back-up turns the value round (value *= -1): later hits get it as it was left. Back up a "
        "copy",
        opposite=opposite, equal=values.equal, pairs=pairs,
    )  # fmt: skip
    yield finding if values.equal else finding.as_note()


def _evaluations(search: CheckedSearch, leaves: NewLeaves | None) -> tuple[Ints, Floats]:
    """Nodes where the game goes on, and what each was evaluated with, as far from the middle of the range of values."""
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    if told is not None:
        node, value, middle = np.flatnonzero(~np.isnan(told)), told[~np.isnan(told)], 0.0
    elif leaves is not None:
        node, value, middle = leaves.node, leaves.value, sum(search.value_range) / 2
    else:
        return np.zeros(0, np.int64), np.zeros(0)
    value = value - middle
    use = ~search.ended[node] & (np.abs(value) > 2 * search.slack)
    most = MOST_NODES if search.rules is None else MOST_REPLAYED
    return node[use][:most], value[use][:most]


class _Values:
    """What positions were evaluated with, each against the first time."""

    def __init__(self, search: CheckedSearch) -> None:
        self._search = search
        self._first: dict[Hashable, tuple[int, float]] = {}
        self.equal, self.other = 0, 0  # pairs
        self.opposite: list[tuple[int, int, float]] = []  # first node, other one, its value
        self.kinds: set[float] = set()  # of those
        self.of_depths: set[tuple[int, float]] = set()  # of all

    @property
    def positions(self) -> int:
        return len(self._first)

    def add(self, node: int, value: float) -> None:
        search = self._search
        position = _position(search, node)
        if position is None:
            return
        key = (position, int(search.to_move[node]), int(search.mover[node]))
        size = round(abs(value), 5)
        try:
            first, before = self._first.setdefault(key, (node, value))
        except TypeError:  # a state of the author's own that cannot be a key
            return
        near = search.slack + 1e-5 * abs(value)
        if first == node:
            self.of_depths.add((int(search.topology.depth[node]), size))
        elif abs(value - before) <= near:
            self.equal += 1
        elif abs(value + before) <= near:
            self.opposite.append((first, node, value))
            self.kinds.add(size)
        else:
            self.other += 1


def _position(search: CheckedSearch, node: int) -> Hashable | None:
    if search.rules is None:
        states = search.trace.columns.nodes.state
        return None if states is None else states[node]
    place = search.positions[node]
    if place.illegal is not None:
        return None
    state: Hashable = tuple(place.state) if isinstance(place.state, list) else place.state
    return state
