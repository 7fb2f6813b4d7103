"""Moves that a search leaves out on purpose: of each node it keeps the best few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.positions import ReplayedPosition

FEW_NODES = 10
SLACK = 1e-4  # of a sum of priors
FEWEST = 2  # moves that are kept, and that are left out of the longest list
LIKELY = 0.5  # of the policy, which is kept at least
SAME_PLACES = 0.9  # share of nodes that keep the moves of the same places: a mistake in a loop does


def keeps_best(
    search: CheckedSearch, nodes: Sequence[int], reached: Mapping[int, ReplayedPosition]
) -> bool:
    """Whether all these nodes, whose moves have not all a child, keep one number of them, and now these, now others;
    reached: positions by node. A loop that ends too early, or passes over a move, leaves out the same ones."""
    if len(nodes) < FEW_NODES:
        return False
    kept, places = _kept(search, nodes, reached)
    most = max(len(reached[node].legal) for node in nodes)
    few = min(kept)
    return len(kept) == 1 and FEWEST <= few <= most - FEWEST and _varies(places)


def keeps_likely(
    search: CheckedSearch, nodes: Sequence[int], reached: Mapping[int, ReplayedPosition]
) -> bool:
    """Whether the moves that have a child there have most of the policy, and others than these have the rest: now
    these, now others."""
    prior = search.trace.columns.nodes.prior
    shares = [float(prior[search.topology.children(node, search.N)].sum()) for node in nodes]
    likely = all(LIKELY <= share < 1.0 - SLACK for share in shares)
    return len(nodes) >= FEW_NODES and likely and _varies(_kept(search, nodes, reached)[1])


def _kept(
    search: CheckedSearch, nodes: Sequence[int], reached: Mapping[int, ReplayedPosition]
) -> tuple[set[int], Counter[tuple[int, tuple[int, ...]]]]:
    """How many moves are kept, and how often which: the number of the legal ones, and the places among them."""
    places = Counter[tuple[int, tuple[int, ...]]]()
    kept = set[int]()
    for node in nodes:
        legal = [int(move) for move in reached[node].legal]
        made = {int(search.action[each]) for each in search.topology.children(node, search.N)}
        kept.add(len(made))
        places[len(legal), tuple(i for i, move in enumerate(legal) if move in made)] += 1
    return kept, places


def _varies(places: Counter[tuple[int, tuple[int, ...]]]) -> bool:
    """Whether the places that are kept, counted by the number of legal moves and by what they are, are not nearly
    always the same, from the first move on or from the last one."""
    from_first = Counter[tuple[int, ...]]()
    from_last = Counter[tuple[int, ...]]()
    for (n, where), times in places.items():
        from_first[where] += times
        from_last[tuple(i - n for i in where)] += times
    return all(max(each.values()) < SAME_PLACES * each.total() for each in (from_first, from_last))
