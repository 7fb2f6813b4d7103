"""Which of its children a search visits most: those that are better for the player who chooses, whatever its rule is.

Knows visits and means at the end, no rule of selection.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Floats, Ints

LEAST_VISITS = 20  # of a node, before its children differ by more than chance
MORE = 1.5  # times the visits of the others that the most visited child has
NEARLY_ALL = 0.85  # of the nodes; of 125 correct searches 0.25 is the most
SURE = 3.5  # standard deviations from half of the nodes
FEW, FEW_OF_ONE = 3, 6  # nodes of one player
# where one of the players is held against the other: visits of a node; correlation of its children's visits and means,
# on average (0.1 or more for either player in 90 correct searches), and share of nodes where it may be below 0
SOME_VISITS, CLEAR, SOME = 6, 0.3, 0.35
ENOUGH = 5_000  # nodes, the first
SURE_OF_ONE = 2.4  # standard deviations from half of the nodes


def check_preference(search: CheckedSearch) -> Iterator[Finding]:
    """Values in the wrong view, where it is not known what the search selects by."""
    if search.meta.step_rewards or not (search.alone or search.meta.mirrors):
        return
    if not search.alone:
        yield from _of_one_player(search)
    node, worse = _preferred(search)
    n, n_worse = len(node), int(worse.sum())
    if not n or n_worse < NEARLY_ALL * n or n_worse - n / 2 < SURE * np.sqrt(n) / 2:
        return
    if search.alone:
        yield _the_worst(search, node, worse)
        return
    parent = search.parent[node]
    for player in (0, 1):
        own = worse[search.mover[node] == player]
        if len(own) >= FEW and own.mean() < 2 / 3:
            return
    first = int(np.argmax(worse))
    yield found(
        "selection-wrong-view", None, int(parent[first]),
        f"whatever the search selects by, at {n_worse:,} of {n:,} nodes the child with the most visits is worse "
        "for the player who chooses than its siblings are: the values are in the other player's view "
        "(value_view=), or the search takes what is best for the opponent",
        nodes=n, worse=n_worse,
    ).as_warning()  # fmt: skip


def _the_worst(search: CheckedSearch, node: Ints, worse: Bools) -> Finding:
    """A note, as a recording may tell costs as they are."""
    n, n_worse = len(node), int(worse.sum())
    return found(
        "selection-wrong-view", None, int(search.parent[node[np.argmax(worse)]]),
        f"whatever the search selects by, at {n_worse:,} of {n:,} nodes the child with the most visits is worse than "
        "its siblings are: it prefers what is bad, as where the greatest cost is taken, or where successes and "
        "failures of a distribution are swapped. If what the recording tells as the value is a cost, then the search "
        "is right, and value= has to give minus the cost",
        nodes=n, worse=n_worse,
    ).as_note()  # fmt: skip


def _of_one_player(search: CheckedSearch) -> Iterator[Finding]:
    """Where one player's nodes have the more visits the worse they are for that player, and the other one's do not."""
    node, together = _visits_with_means(search)
    own = [together[search.to_move[node] == player] for player in (0, 1)]
    for player in (0, 1):
        mine, others = own[player], own[1 - player]
        if min(len(mine), len(others)) < FEW_OF_ONE:
            continue
        more = (mine < 0).sum() - len(mine) / 2
        turned = more >= SURE_OF_ONE * np.sqrt(len(mine)) / 2 and mine.mean() <= -CLEAR
        if not turned or (others < 0).mean() > SOME or others.mean() < CLEAR / 2:
            continue
        name, first = (
            player_name(search.meta, player),
            int(np.argmax(search.to_move[node] == player)),
        )
        yield found(
            "selection-wrong-view", None, int(node[first]),
            f"whatever the search selects by, where {name} chooses, the children with the most visits are the worst "
            f"for that player: visits and means go against each other at {int((mine < 0).sum()):,} of {len(mine):,} "
            f"nodes, and with each other at {int((others >= 0).sum()):,} of {len(others):,} of the other player's. So "
            f"at the nodes of {name} it takes what is best for the opponent, as where the sign is turned there, or "
            "the least is taken, though values are those of who chooses",
            nodes=len(mine), worse=int((mine < 0).sum()),
        ).as_warning()  # fmt: skip


def _visits_with_means(search: CheckedSearch) -> tuple[Ints, Floats]:
    """Nodes with three children or more that were visited, and the correlation of visits and means of these."""
    after = search.statistics_after(search.T)
    nodes, together = [], []
    for parent, first, children in search.families.parts(RANGE_ROWS):
        visits, value = after.visits[children].astype(np.float64), after.value_sum[children]
        begin = np.append(first, len(children))
        seen = np.add.reduceat((visits > 0).astype(np.int64), first)
        for at in np.flatnonzero((after.visits[parent] >= SOME_VISITS) & (seen >= FEW)).tolist():
            of = slice(begin[at], begin[at + 1])
            n, total = visits[of][visits[of] > 0], value[of][visits[of] > 0]
            mean = total / n
            if n.std() > 0 and mean.std() > search.slack:
                nodes.append(int(parent[at]))
                together.append(float(np.corrcoef(n, mean)[0, 1]))
        if len(nodes) >= ENOUGH:
            break
    return np.array(nodes, np.int64), np.array(together)


def _preferred(search: CheckedSearch) -> tuple[Ints, Bools]:
    """The child with clearly the most visits of each node that has it, and whether its mean is below that of its
    siblings; without those that are equal."""
    after = search.statistics_after(search.T)
    found, worse = [np.zeros(0, np.int64)], [np.zeros(0, np.bool_)]
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        many = (after.visits[parent] >= LEAST_VISITS) & (search.to_move[parent] != CHANCE)
        child = children[np.repeat(many, np.diff(begin, append=len(children)))]
        child = child[after.visits[child] > 0]
        if not len(child):
            continue
        visits, above = after.visits[child], search.parent[child].astype(np.int64)
        mean = after.value_sum[child] / visits
        order = np.lexsort((-visits, above))  # the most visited child of each node first
        child, visits, above, mean = child[order], visits[order], above[order], mean[order]
        first = np.flatnonzero(np.diff(above, prepend=-1))
        n_others = np.diff(first, append=len(child)) - 1
        of_others = np.maximum(n_others, 1)
        others = (np.add.reduceat(mean, first) - mean[first]) / of_others
        others_visits = (np.add.reduceat(visits, first) - visits[first]) / of_others
        apart = np.abs(mean[first] - others) > search.slack
        use = (n_others > 0) & apart & (visits[first] > MORE * others_visits)
        found.append(child[first[use]])
        worse.append((mean[first] < others)[use])
    return np.concatenate(found), np.concatenate(worse)
