"""Moves that a search leaves out on purpose: of each node it keeps the best few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.positions import ReplayedPosition

FEW_NODES = 10
SLACK = 1e-4  # of a sum of priors
FEWEST = 2  # moves that are kept, and that are left out of the longest list
LIKELY = 0.5  # of the policy, which is kept at least
MOST_LACK = 0.5  # share of nodes that have been visited enough
MOST_MIXED = 0.7  # share of moves
FULL_NODES = 50
WINDOW = 50  # iterations before the last one that makes a node, and after it
HALF = 0.5
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


def drops_now_and_then(
    search: CheckedSearch, nodes: Sequence[int], reached: Mapping[int, ReplayedPosition]
) -> bool:
    """Whether most nodes lack moves, as many as it may be, and each move and each place in the list of legal ones is
    kept at some of these nodes and left out at others: so it is where a heuristic says what is worth a look. Moves that
    a mistake leaves out are the same ones, or stand at the same place."""
    visits = search.statistics_after(search.T).visits
    ripe = [
        node for node, place in reached.items()
        if len(place.legal) > 1 and visits[node] > 2 * len(place.legal) and place.outcome is None
    ]  # fmt: skip
    lacking = [node for node in nodes if visits[node] > 2 * len(reached[node].legal)]
    if len(lacking) < FEW_NODES or len(lacking) < MOST_LACK * len(ripe):
        return False
    by_move = dict[int, list[bool]]()
    first, last = list[bool](), list[bool]()
    for node in lacking:
        made = {int(search.action[each]) for each in search.topology.children(node, search.N)}
        kept = [int(move) in made for move in reached[node].legal]
        first.append(kept[0])
        last.append(kept[-1])
        for move, is_kept in zip(reached[node].legal, kept):
            by_move.setdefault(int(move), []).append(is_kept)
    told = [each for each in by_move.values() if len(each) >= FEW_NODES]
    mixed = [each for each in told if _is_mixed(each)]
    return (
        bool(told) and len(mixed) >= MOST_MIXED * len(told) and _is_mixed(first) and _is_mixed(last)
    )


def _is_mixed(kept: Sequence[bool]) -> bool:
    return 1 - SAME_PLACES <= sum(kept) / len(kept) <= SAME_PLACES


def is_full(search: CheckedSearch) -> bool:
    """Whether the tree grew until one iteration, and never after it: where its size is limited. A tree that is hindered
    in another way grows less and less."""
    born = search.born[1 : search.N]
    if len(born) < FULL_NODES:
        return False
    last = int(born.max())
    before = np.unique(born[born > last - WINDOW])
    since = search.T - last
    return bool(last >= WINDOW and len(before) >= HALF * WINDOW and since >= WINDOW)
