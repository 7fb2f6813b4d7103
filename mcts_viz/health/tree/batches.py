"""Several leaves an iteration: visits that are lost, virtual losses that stay, and leaves that are evaluated twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.tree.left_losses import only_of_ends, only_to_ends
from mcts_viz.health.tree.shape import Shape, children_of, own_visits
from mcts_viz.health.tree.uneven_losses import check_uneven_losses
from mcts_viz.trace.words import plural
from mcts_viz.types import Bools

FEW = 10  # iterations that say too little
MANY = 50  # times that several descents come to a node
LIGHT = 4  # visits of a node for each descent of the batch
NEVER, SOMETIMES = 0.02, 0.2  # share of them in which the descents part
LARGE = 10  # times as many visits of the root as a batch has leaves
TOGETHER = (
    0.5  # share of evaluations that are of the same leaf again; correct searches have up to 0.1
)
GROWS = 1.2  # times as many virtual losses as before
GROWS_UNDER_WAY = (
    1.6  # likewise, where something may always be under way, on longer and longer paths
)


def check_batches(
    search: CheckedSearch, shape: Shape, on_leaves: list[Finding]
) -> Iterator[Finding]:
    """Findings about batches and threads, where the recording knows of them. on_leaves: see `check_left_on_leaves`."""
    losses = [*(on_leaves or _told_leaves(search)), *_virtual_losses(search)]
    yield from losses
    if shape.several_leaves:
        if not losses:
            yield from check_uneven_losses(search)
        # several rollouts of one leaf look like descents that never part
        rollouts = search.trace.columns.virtual is None and _one_leaf_each(search)
        if not rollouts:
            yield from _never_apart(search)
        yield from _same_leaves(search, rollouts)


def _one_leaf_each(search: CheckedSearch) -> bool:
    """Whether each iteration evaluates one leaf alone, however many visits it brings."""
    for part in search.ranges():
        ends = part.updates.iteration[own_visits(search, part) > 0]
        if len(ends) != len(np.unique(ends)):
            return False
    return True


def _never_apart(search: CheckedSearch) -> Iterator[Finding]:
    """Descents of one batch that come to a node together, and never part there: a virtual loss would have made another
    child the better one. Of correct searches four in ten part, or more, where the node has few visits."""
    players = [0] if search.alone else [0, 1]
    names = search.meta.player_names
    met, parted = np.zeros(2, np.int64), np.zeros(2, np.int64)
    first = [(0, 0), (0, 0)]
    for part in search.ranges():
        updates = part.updates
        chosen = children_of(search, part, (updates.visits > 0).astype(np.int64)).total
        # of nodes that had all their children before: a move that is tried first parts descents, too
        before = search.families.count(updates.node, part.node_count(updates.iteration))
        several = (before > 1) & (before == search.n_children(updates.node))
        several &= (updates.visits > 1) & (own_visits(search, part) == 0)
        # a loss is nothing beside many visits
        visits = part.before(updates.node, updates.iteration).visits
        several &= visits <= LIGHT * updates.visits
        several &= ~_of_one_parent(search, part)[updates.iteration - part.first]
        for player in players:
            here = several & (search.alone | (search.to_move[updates.node] == player))
            if here.any() and not met[player]:
                row = int(np.argmax(here))
                first[player] = int(updates.iteration[row]), int(updates.node[row])
            met[player] += int(here.sum())
            parted[player] += int((here & (chosen > 1)).sum())
    stuck = [
        player
        for player in players
        if met[player] >= MANY and parted[player] <= NEVER * met[player]
    ]
    others = [player for player in players if parted[player] >= SOMETIMES * met[player] > 0]
    told = search.trace.columns.leaves is not None or search.trace.columns.virtual is not None
    if len(stuck) == 1 and len(others) == 1:
        player = stuck[0]
        yield found(
            "virtual-loss-sign", *first[player],
            f"where {names[player]} is to move, descents of one batch part in {parted[player]:,} of {met[player]:,} "
            f"cases, where {names[1 - player]} is in {parted[others[0]]:,} of {met[others[0]]:,}: the virtual loss has "
            f"the wrong sign for {names[player]}, a win, or does not count there. It is a loss of who chooses",
            times=int(met[player]), parted=int(parted[player]),
        )  # fmt: skip
    elif stuck and len(stuck) == len(players) and told:
        yield found(
            "virtual-loss-sign", *first[stuck[0]],
            f"descents of one batch part in {int(parted.sum()):,} of {int(met.sum()):,} cases: there is no virtual "
            "loss, or it has the wrong sign, a virtual win, so that all of a batch take the same way",
            times=int(met.sum()), parted=int(parted.sum()),
        ).as_warning()  # fmt: skip


def _of_one_parent(search: CheckedSearch, part: IterationRange) -> Bools:
    """[n] iterations whose leaves are all new children of one node: one descent, and the children it made."""
    updates = part.updates
    ends = own_visits(search, part) > 0
    at, node = updates.iteration[ends] - part.first, updates.node[ends]
    parent = search.parent[node].astype(np.int64)
    least, most = np.full(part.n, search.N, np.int64), np.full(part.n, -1, np.int64)
    np.minimum.at(least, at, parent)
    np.maximum.at(most, at, parent)
    old = np.zeros(part.n, np.bool_)
    old[at[search.born[node] < updates.iteration[ends]]] = True
    return np.asarray((least == most) & ~old)


def _same_leaves(search: CheckedSearch, rollouts: bool) -> Iterator[Finding]:
    """Evaluations of a leaf again, in the same batch. Once the tree is large, a virtual loss leaves few of them."""
    leaves = again = first = late = late_again = 0
    visits, childless = search.statistics_after(search.T).visits, search.childless()
    for part in search.ranges():
        own, node = own_visits(search, part), part.updates.node
        several = part.root_visits[part.updates.iteration - part.first] > 1
        # without children after visits in several iterations: an end of the game that nobody tells
        over = search.ended[node] | (childless[node] & (visits[node] > own))
        at = several & (own > 0) & (node > 0) & ~over
        twice = at & (own > 1)
        leaves, again = leaves + int(own[at].sum()), again + int((own[twice] - 1).sum())
        iteration = part.updates.iteration
        size = part.root_visits[iteration - part.first]
        large = part.before(np.zeros_like(iteration), iteration).visits >= LARGE * size
        late += int(own[at & large].sum())
        late_again += int((own[twice & large] - 1).sum())
        if twice.any() and not first:
            row = int(np.argmax(twice))
            first, leaf = int(part.updates.iteration[row]), int(node[row])
    if again < FEW:
        return
    text = f"{again:,} of {leaves:,} evaluations were of a leaf that the same iteration evaluated before"
    told = search.trace.columns.leaves is not None or search.trace.columns.virtual is not None
    # of several trees, whose roots are added up, the moves are all that is seen
    flat = int(search.topology.depth[: search.N].max()) <= 1
    together = told and not flat and late_again >= max(MANY, TOGETHER * late)
    if rollouts:
        text += (
            ": each iteration evaluates one leaf, several times. Right for several rollouts of a leaf; in a batch, no "
            "virtual loss keeps its descents apart"
        )
    elif together:
        text += (
            ", and so it stays when the tree is large: no virtual loss keeps descents of a batch apart. It is not "
            "counted where children are compared, or has the wrong sign, a virtual win"
        )
    one = found("batch-same-leaf", first, leaf, text, times=again, leaves=leaves)
    yield one.as_warning() if together and not rollouts else one


def _told_leaves(search: CheckedSearch) -> Iterator[Finding]:
    """As many visits of the root are due as leaves were told. Of threads only the sums are compared: what one has added
    may be seen when another one's descent is recorded."""
    column = search.trace.columns.leaves
    if column is None:
        return
    workers = search.trace.columns.worker
    threads = 0 if workers is None else len(np.unique(workers[: search.T]))
    lost = double = first_lost = first_double = due = got = batches = twice = counted = 0
    for part in search.ranges():
        told = column[part.first - 1 : part.last]
        root = part.root_visits
        due, got = due + int(told[told >= 0].sum()), got + int(root[told >= 0].sum())
        known = (told >= 0) & (root > 0)  # an iteration that counts nothing only expands
        less, more = known & (root < told), known & (root > told)
        lost += int((told - root)[less].sum())
        double += int((root - told)[more].sum())
        first_lost = first_lost or (part.first + int(np.argmax(less)) if less.any() else 0)
        first_double = first_double or (part.first + int(np.argmax(more)) if more.any() else 0)
        batches += int((known & (told > 1)).sum())
        twice += int((known & (root == 2 * told)).sum())
        counted += int(known.sum())
    if threads > 1:
        under_way = 0 if search.trace.complete else threads
        lost, double = max(due - got - under_way, 0), max(got - due - under_way, 0)
    if lost:
        at = (
            f"{due:,} leaves were evaluated in all, and the root got {got:,} visits"
            if threads > 1
            else f"iteration {first_lost:,} is the first in which the root gets fewer visits than leaves were evaluated"
        )
        yield found(
            "visits-lost", None if threads > 1 else first_lost, 0,
            f"{plural(lost, 'visit')} {'is' if lost == 1 else 'are'} lost: {at}",
            times=lost,
        )  # fmt: skip
    if not double:
        return
    beyond = plural(double, "visit")
    text = f"the root gets {beyond} more than leaves were evaluated, first in iteration {first_double:,}"
    may_stay = batches > counted / 2 and search.trace.columns.virtual is None
    at_ends = only_of_ends(search) if may_stay and threads <= 1 else ""
    left = bool(at_ends) or (may_stay and twice < counted / 2)
    if at_ends:
        text += f": virtual losses are not taken back{at_ends}"
    elif left:
        text += (
            ": virtual losses seem to stay, as where they are not taken back, or not for each path. Where they were "
            "still under way, give virtual_loss= to the recording"
        )
    check = "virtual-loss-left" if left else "visits-double"
    yield found(check, first_double, 0, text, times=double)


def _virtual_losses(search: CheckedSearch) -> Iterator[Finding]:
    column = search.trace.columns.virtual
    if column is None or search.T < FEW:
        return
    # after a declared batch nothing is in flight; without batches, and in threads, something always may be
    whole = search.trace.columns.leaves is not None and search.trace.columns.worker is None
    if whole and column.min() < 0:
        t = int(np.argmax(column < 0)) + 1
        yield found(
            "virtual-loss-left", t, None,
            f"virtual losses are taken off more often than they were added: after iteration {t:,} nodes of its paths "
            f"carry {int(column[t - 1]):,} of them together; so it is after {int((column < 0).sum()):,} iterations",
            left=int(column.min()),
        )  # fmt: skip
        return
    half, quarter = column[search.T // 2 :], column[search.T // 4 : search.T // 2]
    threads = search.trace.columns.worker is not None
    factor = GROWS if threads else GROWS_UNDER_WAY
    grows = half.mean() >= factor * quarter.mean() and half.mean() > _most_under_way(search)
    if half.min() <= 0 or not (whole or grows):
        return
    first = int(np.argmax(column > 0)) + 1
    yield found(
        "virtual-loss-left", first, None,
        f"virtual losses are not taken back: nodes of every iteration since {search.T // 2:,} carry some after it, "
        f"those of the last one {int(column[-1]):,} visits{only_to_ends(search)}",
        left=int(column[-1]),
    )  # fmt: skip


def _most_under_way(search: CheckedSearch) -> int:
    """Visits that all threads carry at most, each for a path as long as any; 0 where threads are not told."""
    workers = search.trace.columns.worker
    if workers is None:
        return 0
    longest = int(search.topology.depth[search.leaf[: search.T]].max()) + 1
    return len(np.unique(workers[: search.T])) * longest
