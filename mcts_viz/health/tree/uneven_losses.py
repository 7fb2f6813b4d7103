"""Whether virtual losses are taken off with another size than they were put on with: what is left of one is the same at
all nodes of its descent, whichever player's they are, and another descent leaves more or less.

One size for all descents is what `shape.py` finds. Of one player it cannot be seen: all nodes of a path are off by the
same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.tree.shape import children_of
from mcts_viz.types import Bools, Floats, Ints

NEARLY_ALL = 0.98  # pairs of a node and its child
FEW_PAIRS = 20
SIZES = 1.05  # times as much at the most as at the least
SAME_VIEW = 0.5  # share of nodes that get what their children get, of the other player
ENOUGH = 20_000  # nodes that are looked at


def check_uneven_losses(search: CheckedSearch) -> Iterator[Finding]:
    """An error where virtual losses were told, or there are no more sizes than leaves in a batch."""
    columns = search.trace.columns
    if search.alone or not search.meta.mirrors or not search.players_known:
        return
    if search.meta.step_rewards or (columns.virtual is None and columns.leaves is None):
        return
    looked_at = pairs = alike = same_view = 0
    rests, of_one = [np.zeros(0)], [np.zeros(0)]  # all, and those of a single descent
    first = (0, 0)
    for part in search.ranges():
        rest, whole, straight = _left_a_visit(search, part)
        off = whole & (np.abs(rest) > search.slack)
        looked_at, same_view = looked_at + int(whole.sum()), same_view + int((off & straight).sum())
        rests.append(rest[off])
        of_one.append(rest[off & (part.updates.visits == 1)])
        row = _parents_of_one(search, part, off, whole)
        below = np.flatnonzero(row >= 0)
        pairs += len(below)
        alike += int((np.abs(rest[row[below]] - rest[below]) <= 2 * search.slack).sum())
        if off.any() and not first[0]:
            at = int(np.argmax(off))
            first = int(part.updates.iteration[at]), int(part.updates.node[at])
        if looked_at >= ENOUGH:
            break
    left = np.concatenate(rests)
    if pairs < FEW_PAIRS or alike < NEARLY_ALL * pairs or same_view > SAME_VIEW * len(left):
        return
    least, most = float(np.abs(left).min()), float(np.abs(left).max())
    if (left > 0).any() == (left < 0).any() or most < SIZES * least:
        return
    sizes = len(np.unique(np.round(np.concatenate(of_one), 4)))
    if columns.virtual is None and sizes > _leaves(search):
        return
    does = "adds" if left[0] > 0 else "takes off"
    yield found(
        "virtual-loss-left", *first,
        f"each visit {does} {least:.4g} to {most:.4g}, as much at all nodes of its descent, whichever player's they "
        f"are, at {len(left):,} of {looked_at:,} nodes with children: virtual losses are taken "
        f"{'back with more' if left[0] > 0 else 'back with less'} than they were put on with. So it is where their "
        "size changes within a batch, or from one to the next, and the size of now is taken back: keep with each path "
        "what was put on it",
        times=len(left), sizes=sizes,
    )  # fmt: skip


def _left_a_visit(search: CheckedSearch, part: IterationRange) -> tuple[Floats, Bools, Bools]:
    """[U] half of what a node gets more than its children say, a visit; whether all its visits came through them, none
    of which is new; and whether it gets what they get, as if they were the same player's."""
    updates = part.updates
    low, high = search.value_range
    mover, own = search.mover[updates.node], updates.value
    same = mover == search.mover[np.maximum(search.parent[updates.node], 0)]
    turned = np.where(same, own, updates.visits * (low + high) - own)
    visits = children_of(search, part, updates.visits).total
    value, others = (
        children_of(search, part, each).total for each in (turned, (~same).astype(np.int64))
    )
    new = (search.born[updates.node] == updates.iteration).astype(np.int64)
    whole = (visits == updates.visits) & (visits > 0) & (updates.node > 0) & (others > 0)
    whole &= children_of(search, part, new).total == 0
    straight = np.abs(children_of(search, part, own).total - own) <= 2 * search.slack
    rest = (own - value) / np.maximum(updates.visits, 1) / 2
    return rest, whole, straight


def _parents_of_one(search: CheckedSearch, part: IterationRange, off: Bools, whole: Bools) -> Ints:
    """[U] row of the parent of each row's node, where both are looked at, one of them is off, and all visits of the
    parent came through the node; else −1."""
    updates = part.updates
    key = part.key(updates.iteration, search.parent[updates.node].astype(np.int64))
    row = np.minimum(np.searchsorted(part.keys, key), len(part.keys) - 1)
    use = (part.keys[row] == key) & (updates.visits[row] == updates.visits)
    use &= whole & whole[row] & (off | off[row])
    return np.where(use, row, -1)


def _leaves(search: CheckedSearch) -> int:
    """Of a batch, as they were told."""
    told = search.trace.columns.leaves
    return 0 if told is None else int(np.median(told[: search.T]))
