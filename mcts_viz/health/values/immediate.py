"""Action nodes, to which chance answers, that get the immediate reward alone: what a node gets does not depend on what
the node below it gets at the same visit, though the node above them gets that. No reward need be told.

Of a right back-up it is always the other way round: what comes from below reaches the node above through the node
between, also as a λ-return, as a maximum or as a sum that is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.values.of_visits import first_steps
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Floats, Ints

FEW = 200  # visits
FEW_NODES = 10  # action nodes
FEW_KINDS = 10  # different values of what is below, after which results of games are no matter
# standard errors: one in 10⁹ by chance, of visits that are as good as independent
SURE = 6.0
REACHES = 0.3  # of what the lower node gets, at least, in what the upper one gets; a discount below that is seldom
PASSES = 0.2  # of that, at most, in what the node between gets
LARGEST = 0.1  # of the squares, which one visit may bring


class Triples(NamedTuple):
    """Nodes one below the other on a path, each with one visit more, R of them; the one between is an action node."""

    iteration: Ints
    node: Ints  # the one between
    child: Ints
    upper: Floats  # what each gets
    value: Floats
    lower: Floats


class Slope(NamedTuple):
    """How much of what the lower node gets is in what another one gets, and its standard error."""

    share: float
    error: float


def check_immediate(search: CheckedSearch) -> Iterator[Finding]:
    """A finding about action nodes of one who searches alone, where rewards are known to come on the way."""
    if not (search.alone and search.has_chance and search.same_as is None):
        return
    rows = first_steps(Triples, _triples(search))
    if rows is None or len(rows.node) < FEW or len(np.unique(rows.node)) < FEW_NODES:
        return
    # nodes that keep no value may have been told with 0
    if len(np.unique(rows.lower)) < FEW_KINDS or not np.ptp(rows.value):
        return
    lower = _centred(rows, rows.lower)
    squares = lower**2
    if squares.max() > LARGEST * squares.sum():
        return
    between, above = (_slope(lower, _centred(rows, each)) for each in (rows.value, rows.upper))
    least = above.share - SURE * above.error
    if least < REACHES or abs(between.share) + SURE * between.error > PASSES * least:
        return
    node, n = _clearest(rows)
    first = int(np.argmax(rows.node == node))
    own, low, high = rows.value[rows.node == node], *_ends(rows.lower[rows.node == node])
    gets = f"{own[0]:.4g} each time" if not np.ptp(own) else f"{own.min():.4g} to {own.max():.4g}"
    yield found(
        "value-immediate", int(rows.iteration[first]), node,
        "an action node gets the immediate reward alone, and the returns from below it never count: "
        "V += (r − V) / N in place of (R − V) / N, with R = r + γ·R′. Over "
        f"{len(rows.node):,} visits of {len(np.unique(rows.node)):,} action nodes, {_percent(between)} of what the "
        f"node below gets is in what the action node gets, and {_percent(above)} of it in what the node above gets. At "
        f"node {node:,}, in {n:,} visits, it gets {gets}, while the node below gets {low:.4g} to {high:.4g}",
        share=between.share, error=between.error, above=above.share, of=len(rows.node),
    )  # fmt: skip


def _triples(search: CheckedSearch) -> Iterator[Triples]:
    valueless = search.trace.columns.without_value(search.T)
    for part in search.ranges():
        steps = part.steps
        upper, node, child = steps.node[:-2], steps.node[1:-1], steps.node[2:]
        use = steps.iteration[:-2] == steps.iteration[2:]
        use &= (search.parent[node] == upper) & (search.parent[child] == node)
        use &= (search.to_move[node] == CHANCE) & (search.to_move[child] != CHANCE)
        one = steps.visits == 1
        one &= ~np.isin(steps.node, valueless)
        at = np.flatnonzero(use & one[:-2] & one[1:-1] & one[2:])
        value = steps.value
        yield Triples(
            steps.iteration[at], node[at], child[at], value[at], value[at + 1], value[at + 2]
        )


def _centred(rows: Triples, numbers: Floats) -> Floats:
    """[R] less their mean at each way down, which has rewards that are always the same there."""
    n = np.maximum(np.bincount(rows.child), 1)
    return np.asarray(numbers - (np.bincount(rows.child, numbers) / n)[rows.child])


def _slope(lower: Floats, other: Floats) -> Slope:
    """By least squares; errors need not be alike at all visits."""
    squares = float((lower**2).sum())
    share = float((lower * other).sum()) / squares
    left = lower * (other - share * lower)
    return Slope(share, float(np.sqrt((left**2).sum())) / squares)


def _clearest(rows: Triples) -> tuple[int, int]:
    """The action node of most visits, of those that get the same each time where there are any, and its visits."""
    n = np.bincount(rows.node)
    low, high = np.full(len(n), np.inf), np.full(len(n), -np.inf)
    np.minimum.at(low, rows.node, rows.value)
    np.maximum.at(high, rows.node, rows.value)
    same = np.where(low == high, n, 0)
    at = int(np.argmax(same if same.max() >= FEW_KINDS else n))
    return at, int(n[at])


def _ends(numbers: Floats) -> tuple[float, float]:
    return float(numbers.min()), float(numbers.max())


def _percent(one: Slope) -> str:
    return f"{one.share:.0%} ± {one.error:.1%}".replace("-0%", "0%")
