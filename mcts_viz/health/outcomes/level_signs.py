"""Whether what leaves get turns round from level to level: then it has the right sign at every other one alone.

No rules are needed. A position is worth about what the one before it was, for the same player. So over all new leaves
below a new leaf, the first values of both go together; and those of a leaf and of the one two moves above it do, too.
Where the sign is lost at every other level, the first go against each other, and the second still go together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.values.of_visits import values_turn
from mcts_viz.types import Floats, Ints

FEW_PAIRS = 20
RESULTS = 5  # different values; more are evaluations, whose extremes are results of games
# standard errors: of a leaf with the one above it, at most; and by how much it is below that with the one two above
AGAINST, WITH, APART = -3.0, 2.0, 6.0
AGAINST_OF_RESULTS, APART_OF_RESULTS = -5.0, 7.0


def check_level_signs(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding of games of two, where what one gains the other loses."""
    if search.alone or not search.meta.mirrors or search.meta.step_rewards or search.has_rewards:
        return
    usual = leaves.where(~search.ended[leaves.node] & (leaves.node > 0))
    middle = sum(search.value_range) / 2
    if not len(usual.node):
        return
    value = usual.value - middle
    of_results = len(np.unique(np.round(value, 4))) <= RESULTS
    if not of_results:
        inside = np.abs(value) < np.abs(value).max() * (1 - 1e-6)
        usual, value = usual.where(inside), value[inside]
    number = _centred(search, usual.node, value)
    parent = np.maximum(search.parent[usual.node], 0)
    of_parent = _of_nodes(usual.node, number, parent)
    of_grandparent = _of_nodes(usual.node, number, np.maximum(search.parent[parent], 0))
    one_up, n_one, pairs = _together(number, of_parent)
    two_up, n_two, _ = _together(number, of_grandparent)
    against, apart = (AGAINST_OF_RESULTS, APART_OF_RESULTS) if of_results else (AGAINST, APART)
    if pairs < FEW_PAIRS or one_up > against or two_up < WITH or two_up - one_up < apart:
        return
    if not values_turn(search):
        return  # a value is the same for all, or backed up in another way
    first = int(np.argmax(of_parent * number < 0))
    finding = found(
        "simulation-flipped", int(usual.iteration[first]), int(usual.node[first]),
        f"what a new leaf gets goes against what its parent got when it was new, over {pairs:,} pairs (correlation "
        f"{n_one:.2f}, in the view of one player), and with what its grandparent got ({n_two:.2f}): so the sign is "
        "right at every other level only. So it is where the evaluation is in the view of one player, whoever is "
        "to move, and is taken for that of the player to move at the leaf, or the other way round; or where the "
        "sign goes by the length of the path, as where it is gone through from the wrong end",
        pairs=pairs, parent=one_up, grandparent=two_up,
    )  # fmt: skip
    # a network that was not trained may say much the same of each board, whoever is to move
    untrained = f"{finding.message}. Right for a network that knows nothing yet"
    yield finding.as_warning() if of_results else finding.as_note(untrained)


def _centred(search: CheckedSearch, node: Ints, value: Floats) -> Floats:
    """[L] the first value of each node, view of the first player, less the mean of those with the same player to
    move."""
    first = search.mover[node] == 0
    number = np.zeros(len(node))
    for own, sign in ((first, 1.0), (~first, -1.0)):
        if own.any():
            number[own] = sign * (value[own] - value[own].mean())
    return np.where(np.abs(number) <= search.slack, 0.0, number)  # of one value, but for rounding


def _of_nodes(node: Ints, number: Floats, asked: Ints) -> Floats:
    """[K] the numbers of the nodes asked for; 0 of one without. node, number: [L]."""
    order = np.argsort(node)
    place = order[np.minimum(np.searchsorted(node[order], asked), len(node) - 1)]
    return np.where(node[place] == asked, number[place], 0.0)


def _together(number: Floats, above: Floats) -> tuple[float, float, int]:
    """How many standard errors the sum of products of a node's number and of the one above it is from 0, their
    correlation, and how many pairs there are."""
    there = np.flatnonzero((number != 0) & (above != 0))
    own, other = number[there], above[there]
    product = own * other
    total = product.sum()
    error = np.sqrt((product**2).sum())
    size = np.sqrt((own**2).sum() * (other**2).sum())
    if not len(there) or error == 0:
        return 0.0, 0.0, len(there)
    return float(total / error), float(total / size), len(there)
