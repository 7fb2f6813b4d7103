"""Whether nodes with the same position have the same priors: noise belongs to the root alone.

Where the rules are not known, the recorded texts of positions tell which are the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import new_leaves
from mcts_viz.health.outcomes.replays import MOST_NODES, sample
from mcts_viz.types import Floats

FEW_PAIRS = 5
PRIORS_APART = 0.02  # of one move
FEW_VALUES = 5  # different ones, of an evaluation
NEARLY_ALL = 0.95  # pairs


class EqualPositions(NamedTuple):
    """Two nodes with the same position and the same moves."""

    node: int
    other: int
    apart: bool  # their priors


def check_equal_positions(search: CheckedSearch) -> Iterator[Finding]:
    """Priors below different nodes with the same position, but the root, where noise is usual."""
    prior = search.trace.columns.nodes.prior[: search.N].astype(np.float64)
    if search.meta.shared or np.isnan(prior[1:]).all():
        return
    pairs = [*_pairs(search, prior)]
    apart = [pair for pair in pairs if pair.apart]
    if len(apart) < FEW_PAIRS or len(apart) <= len(pairs) / 2:
        return
    first = apart[0]
    text = (
        f"nodes {first.node:,} and {first.other:,} are the same position, and their moves have other priors; so "
        f"it is with {len(apart):,} of {len(pairs):,} pairs looked at: noise seems to be added at every node, not at "
        "the root alone"
    )
    finding = found(
        "expansion-priors-vary", int(search.born[first.other]), first.other, text,
        pairs=len(apart), looked_at=len(pairs),
    )  # fmt: skip
    if _are_evaluated_alike(search, apart):
        more = ". The network says the same value of both, so that neither the history nor a reflection is the reason"
        finding = replace(finding, severity="warning", message=text + more)
    yield finding


def _pairs(search: CheckedSearch, prior: Floats) -> Iterator[EqualPositions]:
    """Each node with the first one with its position."""
    known: dict[Hashable, tuple[int, dict[int, float]]] = {}
    for node in sample(range(1, search.N), MOST_NODES):
        parents = np.array([node])
        children = search.families.oldest(parents, search.n_children(parents))
        own = dict(zip(search.action[children].tolist(), prior[children].tolist()))
        key = None if len(own) < 2 else _position(search, node, len(own))
        if key is None:
            continue
        try:
            before, other = known.setdefault(key, (node, own))
        except TypeError:  # a state of the author's own that cannot be a key
            continue
        if before != node and other.keys() == own.keys():
            apart = max(abs(own[move] - other[move]) for move in own) > PRIORS_APART
            yield EqualPositions(before, node, apart)


def _position(search: CheckedSearch, node: int, n_children: int) -> Hashable | None:
    """None where it is not known, or moves have no child."""
    if search.rules is not None:
        place = search.positions[node]
        if place.illegal is not None or n_children < len(place.legal):
            return None
        state: Hashable = tuple(place.state) if isinstance(place.state, list) else place.state
        return state
    states = search.trace.columns.nodes.state
    return None if states is None else states[node]


def _are_evaluated_alike(search: CheckedSearch, pairs: list[EqualPositions]) -> bool:
    """Whether the first visits of both nodes of each pair add the same, and those of other pairs something else."""
    leaves = new_leaves(search)
    value = dict(zip(leaves.node.tolist(), leaves.value.tolist()))
    both = [
        (value[pair.node], value[pair.other])
        for pair in pairs
        if pair.node in value and pair.other in value
    ]
    alike = [one for one, other in both if abs(one - other) <= 1e-6 * (1 + abs(one))]
    enough = len(alike) >= max(FEW_PAIRS, NEARLY_ALL * len(both))
    return enough and len(set(np.round(alike, 5))) >= FEW_VALUES
