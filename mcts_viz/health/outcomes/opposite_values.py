"""Whether one position is evaluated now with a number and now with its opposite: so it is where a cache of evaluations
holds what the back-up turns round in place.

Two things tell it from chance. Evaluations have many values, and equal positions these alone or their opposites. Or the
signs go by turns: with an odd number of turns on the way to the root an entry is left with the other sign each time it
is fetched, with an even one as it was. Results of games have one size, but their signs do not go by turns.

Where the rules are not known, the recorded texts of positions tell which are the same."""

from __future__ import annotations

from collections import Counter
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
# signs that go by turns, and more for each that does not: by chance once in 10⁹ searches, as two draws of one position
# differ in half of all cases at most
FEW_TURNS, FOR_OTHER, MOST_BY_TURNS = 30, 4, 0.9
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
    by_turns = values.by_turns()
    if not by_turns:
        if opposite < FEW_PAIRS or values.equal + opposite < NEARLY_ALL * pairs:
            return
        if len(values.kinds) < KINDS or len(values.of_depths) < OWN * values.positions:
            return
    before, at, own = values.opposite[0]
    turns = (
        f". Signs go by turns: {by_turns:,} times such a position has the other sign than the time before, as an entry "
        "that is left turned round each time it is fetched"
        if by_turns
        else ""
    )
    finding = found(
        "simulation-values-vary", int(search.born[at]), at,
        f"nodes {before:,} and {at:,} are the same position with the same player to move, and are evaluated with "
        f"opposite numbers, the second with {own:.4g}; so it is with {opposite:,} of {pairs:,} pairs of equal "
        f"positions, and {values.equal:,} have equal evaluations{turns}. So it is where a cache keeps the array, or "
        "the object, in which the back-up turns the value round (value *= -1): later hits get it as it was left. Back "
        "up a copy",
        opposite=opposite, equal=values.equal, pairs=pairs, by_turns=by_turns,
    )  # fmt: skip
    yield finding if values.equal or by_turns else finding.as_note()


def _evaluations(search: CheckedSearch, leaves: NewLeaves | None) -> tuple[Ints, Floats]:
    """Nodes where the game goes on, and what each was evaluated with, as far from the middle of the range of values."""
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    if told is not None:
        node = _as_visited(np.flatnonzero(~np.isnan(told)), leaves)
        value, middle = told[node], 0.0
    elif leaves is not None:
        node, value, middle = leaves.node, leaves.value, sum(search.value_range) / 2
    else:
        return np.zeros(0, np.int64), np.zeros(0)
    value = value - middle
    use = ~search.ended[node] & (np.abs(value) > 2 * search.slack)
    most = MOST_NODES if search.rules is None else MOST_REPLAYED
    return node[use][:most], value[use][:most]


def _as_visited(node: Ints, leaves: NewLeaves | None) -> Ints:
    """In the order of their first visits, as far as it is known."""
    if leaves is None:
        return node
    first = np.full(
        1 + max(node.max(initial=0), leaves.node.max(initial=0)), np.iinfo(np.int64).max
    )
    np.minimum.at(first, leaves.node, leaves.iteration)
    return node[np.argsort(first[node], kind="stable")]


class _Values:
    """What positions were evaluated with, each against the first time."""

    def __init__(self, search: CheckedSearch) -> None:
        self._search = search
        self._first: dict[Hashable, tuple[int, float]] = {}
        self.equal, self.other = 0, 0  # pairs
        self.opposite: list[tuple[int, int, float]] = []  # first node, other one, its value
        self.kinds: set[float] = set()  # of those
        self.of_depths: set[tuple[int, float]] = set()  # of all
        self._last: dict[Hashable, float] = {}
        # pairs of times that follow each other, and those that are opposite and equal, by what the turns on the way to
        # the root may go by: the depth, or the player to move
        self._steps: Counter[tuple[int, int]] = Counter()
        self._turned: Counter[tuple[int, int]] = Counter()
        self._kept: Counter[tuple[int, int]] = Counter()

    @property
    def positions(self) -> int:
        return len(self._first)

    def by_turns(self) -> int:
        """How often a position has the other sign than the time before, where that goes by the number of turns on the
        way to the root: nearly always, or never; 0 where it does not."""
        turned = others = 0
        for turns, n in self._steps.items():
            if self._turned[turns] >= MOST_BY_TURNS * n:
                turned += self._turned[turns]
                others += n - self._turned[turns]
            elif self._kept[turns] < MOST_BY_TURNS * n:
                return 0
        return turned if turned >= FEW_TURNS + FOR_OTHER * others else 0

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
        last = self._last.get(key)
        self._last[key] = value
        if last is not None:
            turns = int(search.topology.depth[node]) % 2, int(search.to_move[node])
            self._steps[turns] += 1
            self._turned[turns] += abs(value + last) <= near
            self._kept[turns] += abs(value - last) <= near
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
