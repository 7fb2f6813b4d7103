"""Whether simulations start at their leaf, or at the position before its move.

What a visit adds at a leaf is explained by what random play brings from the leaf and from its parent: in a correct
search by that of the leaf alone, however well rollouts play, and where the parent's state is simulated by that of the
parent alone. Each of the two is known from random games, with errors. So there are two independent sets of them, of
which one stands for the other (instrumental variables): errors in the regressors would else blur the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.playouts import Playouts
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.outcomes.signs import Signs
from mcts_viz.types import Floats, Ints

# leaves, games in each of two sets from each position, and how far from the leaf's weights (χ²) to go on: a look costs
# four times as much as the one before it. Of 12 searches from the parent's state in Tic-Tac-Toe none that the last look
# finds is lost on the way; of 24 right ones, in Connect Four too, 2 come to the second look, and none to the last
LOOKS = ((300, 12, 3.0), (800, 12, 9.0), (800, 48, 22.0))
QUICK_LOOKS = LOOKS[-1:]  # of a game that can be compiled
FEW_LEAVES = 150
SUSPICIOUS = 0.3  # part of the way from the leaf's expectation to the parent's
NEAR = 9.0  # χ² with two degrees of freedom: by chance once in ninety; 22 once in sixty thousand
NEARER = 12.0  # times as near to the parent's weights, where both are far
LEAST, MOST_OF_LEAF = 0.6, 0.4  # weights
OF_PARENT = 3  # times as many games, as its error is that of all its children
SEED = 5


class Explained(NamedTuple):
    """Weights of what random play brings from the parent and from the leaf."""

    parent: float
    leaf: float
    towards_parent: float  # of the way from the one to the other, where both weights make 1
    from_leaf: float  # χ² of weights 0 and 1
    from_parent: float  # χ² of weights 1 and 0


def check_origins(search: CheckedSearch, signs: Signs) -> Iterator[Finding]:
    """A finding where values of leaves are those of their parents; of a game of two whose rules are known."""
    if signs.evaluated:
        return  # an evaluation may vary little from a position to the next
    places = _first_visits(signs.visits_of_leaves)
    one = _suspicious(search, places)
    if one is None or one.from_parent > max(NEAR, one.from_leaf / NEARER):
        return
    if one.parent < LEAST or abs(one.leaf) > MOST_OF_LEAF:
        return  # values that have little to do with either
    iteration, node, _ = places
    yield found(
        "simulation-from-parent", int(iteration[0]), int(node[0]),
        "what leaves get is what random play brings from the position before their last move, and not from their own: "
        f"of both, the former has a weight of {one.parent:.2f}, and the latter one of {one.leaf:.2f}: "
        f"weights of 0 and 1 are {np.sqrt(one.from_leaf):.1f} standard deviations away. Simulations seem to start from "
        "the state of the parent",
        parent=one.parent, leaf=one.leaf,
    )  # fmt: skip


def _suspicious(search: CheckedSearch, places: tuple[Ints, Ints, Floats]) -> Explained | None:
    """The last look, where each one is far from the leaf's weights."""
    one = None
    for leaves, games, far in QUICK_LOOKS if Playouts(search, SEED).are_quick else LOOKS:
        one = _explained(search, places, leaves, games)
        if one is None or one.towards_parent < SUSPICIOUS or one.from_leaf < far:
            return None
    return one


def _first_visits(places: tuple[Ints, Ints, Floats]) -> tuple[Ints, Ints, Floats]:
    """That of each leaf: further ones are compared with the same games, whose errors do not average out."""
    iteration, node, value = places
    first = np.sort(np.unique(node, return_index=True)[1])
    return iteration[first], node[first], value[first]


def _explained(
    search: CheckedSearch, places: tuple[Ints, Ints, Floats], most: int, games: int
) -> Explained | None:
    """None where too few leaves say something."""
    _, node, value = places
    play = Playouts(search, SEED)
    known: dict[tuple[int, int], float | None] = {}

    def due(node: int, which: int, games: int) -> float | None:
        """Mean of random games from there; which of two sets."""
        if (node, which) not in known:
            known[node, which] = _mean(search, node, games, play)
        return known[node, which]

    rows: list[list[float]] = []
    for i in sample(np.arange(len(node)), most):
        leaf = int(node[i])
        parent = int(search.parent[leaf])
        four = [
            expected
            for which in (0, 1)
            for expected in (due(parent, which, OF_PARENT * games), due(leaf, which, games))
        ]
        if None in four:
            return None
        rows.append([float(each or 0.0) for each in four] + [float(value[i])])
    if len(rows) < FEW_LEAVES:
        return None
    table = np.array(rows)
    return _weights(table[:, :2], table[:, 2:4], table[:, 4])


def _mean(search: CheckedSearch, node: int, games: int, play: Playouts) -> float | None:
    """View of player 0; None where the rules do not know the position."""
    place = search.positions[node]
    if place.illegal is not None:
        return None
    if place.outcome is not None:
        return float(search.share(place.outcome, 0))
    ends = play.ends(place.state, games)
    return None if ends is None else float(ends.mean())


def _weights(one: Floats, other: Floats, value: Floats) -> Explained | None:
    """one, other: [L, 2] what is due from parent and leaf, by two sets of games."""
    moments = (one.T @ other + other.T @ one) / 2
    towards = ((one[:, 0] - one[:, 1]) * (other[:, 0] - other[:, 1])).sum()
    if towards <= 0 or np.linalg.cond(moments) > 1e6:
        return None
    middle = (one + other) / 2
    weights = np.linalg.solve(moments, middle.T @ value)
    rest = value - middle @ weights
    spread = (middle * rest[:, None]).T @ (middle * rest[:, None])

    def apart(due: tuple[float, float]) -> float:
        miss = moments @ (weights - np.array(due))
        return float(miss @ np.linalg.solve(spread, miss))

    if np.linalg.cond(spread) > 1e9:
        return None
    gain = ((one[:, 0] - one[:, 1]) * (value - other[:, 1])).sum()
    gain += ((other[:, 0] - other[:, 1]) * (value - one[:, 1])).sum()
    return Explained(
        float(weights[0]), float(weights[1]), float(gain / 2 / towards), apart((0.0, 1.0)),
        apart((1.0, 0.0)),
    )  # fmt: skip
