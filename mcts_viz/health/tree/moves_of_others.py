"""Moves that a node has from another one, where no rules are known: the untried ones of its parent, or those of the
position that the game object stands at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.fields import TOKEN

FEW = 50  # nodes whose move was made by a younger sibling of their parent as well
MOST_NODES = 2_000_000
MOST_TEXTS = 1_000
FEW_OVER = 10  # moves to a field that is not empty
MOSTLY = 0.5  # of the moves, to an empty one


def moves_of_others(search: CheckedSearch) -> Iterator[Finding]:
    """A note where moves that were tried at a node are never made below it, or are made to fields that are taken."""
    if search.rules is not None or search.meta.shared or not 1 < search.N <= MOST_NODES:
        return
    yield from _handed_down(search)
    yield from _overwritten(search)


def _handed_down(search: CheckedSearch) -> Iterator[Finding]:
    """Nodes made at the same time are neither older nor younger: lists of moves are handed down one by one."""
    node = np.arange(1, search.N)
    move, parent = search.action[node].astype(np.int64), search.parent[node].astype(np.int64)
    width = int(move.max()) + 1
    if move.min() < 0:
        return
    own = parent * width + move
    order = np.argsort(own, kind="stable")
    deep = node[parent > 0]
    wanted = search.parent[parent[deep - 1]].astype(np.int64) * width + move[deep - 1]
    at = np.minimum(np.searchsorted(own[order], wanted), len(own) - 1)
    there = own[order][at] == wanted
    above, beside = parent[deep - 1][there], node[order][at[there]]
    older = search.born[beside] < search.born[above]
    younger = int((search.born[beside] > search.born[above]).sum())
    if older.any() or younger < FEW:
        return
    first = int(deep[there][np.argmax(search.born[beside] > search.born[above])])
    yield found(
        "expansion-missing", int(search.born[first]), first,
        f"of the moves below a node none was made beside it before the node was, and {younger:,} were made there "
        "later: so it is where a child gets the moves that its parent has not tried yet, and no list of its own, so "
        "that the last child has none. Right where the order of moves does not matter, and each set of them is "
        "looked at once",
        nodes=younger,
    ).as_note()  # fmt: skip


def _overwritten(search: CheckedSearch) -> Iterator[Finding]:
    """Boards on which each move changes one field, an empty one in most cases."""
    states = search.trace.columns.nodes.state
    if states is None:
        return
    root = TOKEN.findall(states[0] or "")
    empty = Counter(root).most_common(1)[0][0] if root else ""
    filled = 0
    over: list[int] = []
    for node in sample(range(1, search.N), MOST_TEXTS):
        before, after = (TOKEN.findall(states[at] or "") for at in (search.parent[node], node))
        changed = [a for a, b in zip(before, after) if a != b]
        if len(before) != len(root) or len(after) != len(root) or len(changed) > 1:
            return  # pieces that move or are taken, counts, a player to move
        filled += changed == [empty]
        if changed and changed != [empty]:  # none: a pass, or the same piece again
            over.append(node)
    n = filled + len(over)
    if len(over) < FEW_OVER or filled < MOSTLY * n:
        return
    yield found(
        "expansion-illegal", int(search.born[over[0]]), over[0],
        f"the move to node {over[0]:,} is made to a field that is not empty, as are {len(over):,} of {n:,} moves "
        "looked at; all others fill an empty one: so it is where a node gets the moves of another position, as of the "
        "game object, which stands at the root. Right where pieces may be replaced",
        nodes=len(over), looked_at=n,
    ).as_note()  # fmt: skip
