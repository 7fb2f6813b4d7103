"""The move played, the visits of the root's moves, and a reused tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.formulas.final_move import final_move_rule
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.words import plural
from mcts_viz.types import Ints

STARVED = 0.1  # of an even share of the visits
MANY_MOVES = 50  # at the root
NEARLY_ALL = 0.98  # of the iterations
FEW_AGED, SOME_AGED = 5, 0.05  # nodes of a tree that was kept, and share of them
LATE = 20  # visits of the root for each of its children


def check_choice(search: CheckedSearch, played: int | None = None) -> Iterator[Finding]:
    """Findings about the root's children, a reused tree, and the action played, if it is given."""
    yield from _reuse(search)
    yield from _root_moves(search)
    yield from _never_again(search)
    if played is not None:
        yield from _played(search, played)


def _reuse(search: CheckedSearch) -> Iterator[Finding]:
    """A node's own evaluations, its visits less those of its children, are one or two. More of them in a
    reused tree are visits of nodes that were lost."""
    begun = search.base == 1 and not search.meta.is_snapshot
    if not begun and search.meta.inherited is None:
        return
    if search.statistics_after(search.T).visits.max(initial=0) <= 1:
        return  # no node is counted again, as in beams: there is no back-up of visits
    n = int(search.trace.columns.node_count[search.base])
    visits = search.earned_visits(search.base)
    doubled, lost, lost_more = [0, -1, 0], [0, -1, 0], False  # how many, the first, its children's
    if search.meta.inherited is None and _begin_alike(search, visits[:n]):
        return
    aged = _aged(search, n)
    if aged is not None:
        yield aged
        return
    for parent, of_children, n_children in _of_children(search, visits, n):
        own = visits[parent] - of_children
        # a state that is shared may have been come to from outside this tree; visits that are halved are rounded
        few = (own < -n_children) if not search.meta.shared else np.zeros(len(own), np.bool_)
        many = own > 2 + 0.02 * visits[parent] + n_children
        for told, mask in ((doubled, few), (lost, many)):
            if mask.any() and not told[0]:
                told[1:] = int(parent[np.argmax(mask)]), int(of_children[np.argmax(mask)])
            told[0] += int(mask.sum())
        lost_more |= bool((own[many] > 5).any())
    for check, (nodes, node, below), due, only in (
        ("reuse-doubled", doubled, True, ""),
        ("reuse-lost", lost, lost_more, "only "),
    ):
        if nodes and due:
            yield found(
                check, search.base, node,
                f"node {node:,} of the reused tree has {plural(int(visits[node]), 'visit')}, its children together "
                f"{only}{below:,}; {nodes:,} such nodes in all",
                nodes=nodes,
            )  # fmt: skip


def _aged(search: CheckedSearch, n: int) -> Finding | None:
    """Where nodes of a tree that was kept begin with means that no visits can have."""
    if search.meta.shared:
        return None
    begun = search.statistics_after(search.base)
    visits, value_sum = begun.visits[:n], begun.value_sum[:n]
    low, high = search.value_range
    lost = (visits > 0) & (
        (value_sum < low * visits - search.slack) | (value_sum > high * visits + search.slack)
    )
    nodes = np.flatnonzero(lost)
    if len(nodes) < FEW_AGED or len(nodes) < SOME_AGED * (visits > 0).sum():
        return None
    node = int(nodes[np.argmax(visits[nodes])])
    return found(
        "reuse-aged", search.base, node,
        f"node {node:,} of the tree that was kept has {int(visits[node]):,} visits and a value sum of "
        f"{value_sum[node]:.6g}: a mean of {value_sum[node] / visits[node]:.4g}, where visits are worth {low:g} to "
        f"{high:g}. So have {len(nodes):,} of its {int((visits > 0).sum()):,} nodes with visits: as where their visits "
        "are halved, or aged in another way, when a move has been played, and their value sums are not",
        nodes=len(nodes),
    )  # fmt: skip


def _begin_alike(search: CheckedSearch, visits: Ints) -> bool:
    """Whether the root of a tree that had begun has nothing but children with equally many visits each, which they then
    began with, or where each node begins with visits of its own."""
    parent = search.parent[1 : len(visits)]
    several = len(parent) > 1 and not parent.any()
    if several and search.given is not None and search.given.own:
        return True
    return several and visits[1] > 0 and bool((visits[1:] == visits[1]).all())


def _of_children(
    search: CheckedSearch, visits: Ints, n_nodes: int
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """(parents, visits of their children together, how many these are) among the first nodes, part by part; the root is
    there even without children."""
    if n_nodes == 1:
        yield np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    for parent, first, children in search.families.parts(RANGE_ROWS):
        there = children < n_nodes
        n_children = np.add.reduceat(there.astype(np.int64), first)
        inherited = n_children > 0
        total = np.add.reduceat(np.where(there, visits[children], 0), first)
        yield parent[inherited], total[inherited], n_children[inherited]


def _root_moves(search: CheckedSearch) -> Iterator[Finding]:
    if search.meta.policies.selection.halves:
        return  # it drops moves
    visits = search.statistics_after(search.T).visits
    children = np.flatnonzero(search.parent == 0)
    k = len(children)
    if k < 2 or visits[0] < LATE * k:
        return
    never = children[visits[children] == 0]
    starved = children[(visits[children] < STARVED * visits[0] / k) & (visits[children] > 0)]
    share = f"less than {STARVED:.0%} of an even share of visits"
    for check, nodes, one, several in (
        ("choice-never-visited", never, "was never visited", "were never visited"),
        ("choice-starved", starved, f"has {share}", f"have {share}"),
    ):
        if len(nodes):
            yield found(
                check, None, int(nodes[0]),
                f"after {int(visits[0]):,} visits {len(nodes)} of {k} moves at the root "
                f"{one if len(nodes) == 1 else several}",
                nodes=nodes.tolist(),
            )  # fmt: skip


def _never_again(search: CheckedSearch) -> Iterator[Finding]:
    """Children of the root that are made in each iteration, and visited once."""
    moves = np.flatnonzero(search.parent == 0)
    k = len(moves)
    if k < MANY_MOVES or search.base or search.rules is not None:
        return
    visits = search.statistics_after(search.T).visits
    if int(visits[moves].max()) == 1 and k >= NEARLY_ALL * search.T:
        deeper = "" if k + 1 < search.N else ", and nothing stands below the moves"
        yield found(
            "choice-never-again", None, 0,
            f"each iteration makes a new move at the root, {k:,} in all, and none is visited again: nothing is ever "
            f"selected{deeper}. So it is where progressive widening has no limit, or one that grows as fast as the "
            "visits. Right where a search samples answers alone, or has more moves than iterations",
            moves=k,
        )  # fmt: skip


def _as_good(last: Snapshot, one: int, other: int) -> bool:
    nodes = np.array([one, other])
    if last.meta.policies.selection.halves:
        return one == other
    rule = final_move_rule(last.final_move)
    score = rule(last.visits[nodes], last.value_sum[nodes], last.value_width)
    return bool(
        score[0] >= score[1] and (last.standing(nodes)[:1] >= last.standing(nodes)[1:]).all()
    )


def _played(search: CheckedSearch, played: int) -> Iterator[Finding]:
    last = search.trace.at(search.T)
    best, ranked = last.best_action, last.ranked_children(0)
    same = [node for node in ranked if last.action[node] == played]
    if same and _as_good(last, same[0], ranked[0]):
        return  # whichever the search takes of equal ones
    if best is not None and played != best:
        name, selection = search.trace.action_name, last.meta.policies.selection
        rule = str(selection.name) if selection.halves else last.final_move
        yield found(
            "choice-final-move", search.T, None,
            f"{name(played)} was played, and the rule {rule} gives {name(best)}",
            played=played, rule=rule, due=best,
        )  # fmt: skip
