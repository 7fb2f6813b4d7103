"""Whether nodes with the same position have the same priors: noise belongs to the root alone.

Where the rules are not known, the recorded texts of positions tell which are the same. Where there are none, it is the
same moves in another order, and the same evaluation bit for bit: the network saw the same position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import new_leaves
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Floats, Ints

FEW_PAIRS = 5
PRIORS_APART = 0.02  # of one move
FEW_VALUES = 5  # different ones, of an evaluation
NEARLY_ALL = 0.95  # pairs
MOST_NODES = 3_000  # with several children, the first ones: they lie close together
# share of nodes of one depth that have the same evaluation though their moves differ
BY_CHANCE = 0.01
DIGITS = 3  # an evaluation with no more of them is a result, or a judge's score


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
    nodes = _with_choice(search)[:MOST_NODES].tolist()
    if search.rules is not None or search.trace.columns.nodes.state is not None:
        yield from _of_known_positions(search, prior, nodes)
    else:
        yield from _of_moves_in_another_order(search, prior, nodes)


def _of_known_positions(
    search: CheckedSearch, prior: Floats, nodes: list[int]
) -> Iterator[Finding]:
    pairs = [*_pairs(search, prior, {node: _position(search, node) for node in nodes})]
    apart = [pair for pair in pairs if pair.apart]
    if len(apart) < FEW_PAIRS or len(apart) <= len(pairs) / 2:
        return
    first = apart[0]
    text = (
        f"nodes {first.node:,} and {first.other:,} are the same position, and their moves have other priors; so "
        f"it is with {len(apart):,} of {len(pairs):,} pairs looked at: noise seems to be added at every node, not at "
        f"the root alone, or the policy is drawn itself{_or_mixed_up(search)}"
    )
    finding = found(
        "expansion-priors-vary", int(search.born[first.other]), first.other, text,
        pairs=len(apart), looked_at=len(pairs),
    )  # fmt: skip
    if _are_evaluated_alike(search, apart):
        more = ". The network says the same value of both, so that neither the history nor a reflection is the reason"
        finding = replace(finding, message=text + more)
    yield finding


def _or_mixed_up(search: CheckedSearch) -> str:
    """More words, where positions are evaluated together."""
    leaves = search.trace.columns.leaves
    if leaves is None or not (leaves > 1).any():
        return ""
    return (
        "; or nodes get the evaluations of others, as where rows of a batch are read by another count than that by "
        "which they were put in (finished games have none)"
    )


def _of_moves_in_another_order(
    search: CheckedSearch, prior: Floats, nodes: list[int]
) -> Iterator[Finding]:
    """Of games of which nothing but the moves is told."""
    value = {
        node: each
        for node, each in _first_values(search).items()
        if abs(each - round(each, DIGITS)) > 1e-9
    }
    moves = {node: (value[node], _moves_to(search, node)) for node in nodes if node in value}
    if _same_by_chance(search, moves) > BY_CHANCE:
        return
    pairs = [*_pairs(search, prior, moves)]
    apart = [pair for pair in pairs if pair.apart]
    kinds = len({value[pair.node] for pair in apart})
    if len(apart) < max(FEW_PAIRS, NEARLY_ALL * len(pairs)) or kinds < FEW_VALUES:
        return
    first = apart[0]
    yield found(
        "expansion-priors-vary", int(search.born[first.other]), first.other,
        f"nodes {first.node:,} and {first.other:,} are come to by the same moves in another order, and both are "
        f"evaluated with {value[first.node]:.6g}, bit for bit, so that they seem to be the same position; yet their "
        f"moves have other priors. So it is with {len(apart):,} of {len(pairs):,} such pairs: noise seems to be added "
        "at every node, not at the root alone, or the policy is drawn itself",
        pairs=len(apart), looked_at=len(pairs),
    )  # fmt: skip


def _with_choice(search: CheckedSearch) -> Ints:
    """The nodes below the root with two children or more."""
    several: list[Ints] = []
    for parent, first, children in search.families.parts(MOST_NODES):
        size = np.diff(first, append=len(children))
        several.append(parent[(size > 1) & (parent > 0) & (search.to_move[parent] != CHANCE)])
    return np.concatenate(several) if several else np.zeros(0, np.int64)


def _pairs(
    search: CheckedSearch, prior: Floats, positions: Mapping[int, Hashable | None]
) -> Iterator[EqualPositions]:
    """Each node with the first one with its position."""
    known: dict[Hashable, tuple[int, dict[int, float]]] = {}
    for node, position in positions.items():
        if position is None:
            continue
        own = _priors_below(search, prior, node)
        try:
            before, other = known.setdefault(position, (node, own))
        except TypeError:  # a state of the author's own that cannot be a key
            continue
        if before != node and other.keys() == own.keys():
            apart = max(abs(own[move] - other[move]) for move in own) > PRIORS_APART
            yield EqualPositions(before, node, apart)


def _priors_below(search: CheckedSearch, prior: Floats, node: int) -> dict[int, float]:
    """By move."""
    children = search.children(np.array([node]))
    return dict(zip(search.action[children].tolist(), prior[children].tolist()))


def _position(search: CheckedSearch, node: int) -> Hashable | None:
    """None where it is not known, or moves have no child."""
    if search.rules is not None:
        place = search.positions[node]
        if place.illegal is not None or len(search.children(np.array([node]))) < len(place.legal):
            return None
        state: Hashable = tuple(place.state) if isinstance(place.state, list) else place.state
        return state
    states = search.trace.columns.nodes.state
    return None if states is None else states[node]


def _moves_to(search: CheckedSearch, node: int) -> tuple[tuple[int, int], ...]:
    """The moves that lead to a node, each with its player, in any order."""
    path = search.topology.path(node)[1:]
    return tuple(sorted((int(search.mover[each]), int(search.action[each])) for each in path))


def _same_by_chance(search: CheckedSearch, moves: Mapping[int, tuple[float, Hashable]]) -> float:
    """How often two nodes of one depth that are come to by other moves have the same evaluation."""
    depth = search.topology.depth
    nodes = Counter(int(depth[node]) for node in moves)
    values = Counter((int(depth[node]), value) for node, (value, _) in moves.items())
    both = Counter((int(depth[node]), *key) for node, key in moves.items())

    n, equal, same = (_n_pairs(counts.values()) for counts in (nodes, values, both))
    return (equal - same) / max(n, 1)


def _n_pairs(sizes: Iterable[int]) -> int:
    """Within groups of these sizes."""
    return sum(size * (size - 1) // 2 for size in sizes)


def _first_values(search: CheckedSearch) -> dict[int, float]:
    """What each node got at its first visit, view of the player who moved there."""
    leaves = new_leaves(search)
    return dict(zip(leaves.node.tolist(), leaves.value.tolist()))


def _are_evaluated_alike(search: CheckedSearch, pairs: list[EqualPositions]) -> bool:
    """Whether the first visits of both nodes of each pair add the same, and those of other pairs something else."""
    value = _first_values(search)
    both = [
        (value[pair.node], value[pair.other])
        for pair in pairs
        if pair.node in value and pair.other in value
    ]
    alike = [one for one, other in both if abs(one - other) <= 1e-6 * (1 + abs(one))]
    enough = len(alike) >= max(FEW_PAIRS, NEARLY_ALL * len(both))
    return enough and len(set(np.round(alike, 5))) >= FEW_VALUES
