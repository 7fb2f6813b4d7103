"""Whether boards of new nodes follow from those of the tree that was kept when a move was played, where no rules are
known: below the subtree of another move than the one that was played they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.fields import boards_of
from mcts_viz.types import Ints

MOST_NODES, MOST_LOOKED_AT = 2_000_000, 1_000  # of a tree; of each kind
LAST_KEPT = 1  # iteration: the tree that was kept comes with the first one, or before it
FEW_KEPT, FEW_NEW = 10, 50  # nodes below kept ones, and below new ones
NEARLY_ALL, MOST = 0.95, 0.7
MEASURED = re.compile(r"\d\.\d")  # numbers of a network or of physics, whose digits are no fields


class Changes(NamedTuple):
    """In how many fields the boards of some nodes differ from their parents'."""

    nodes: list[int]
    fields: Ints


def has_kept_states(search: CheckedSearch) -> bool:
    """Whether a tree was kept whose nodes have states, and no rules are known that say more."""
    states = search.trace.columns.nodes.state
    if states is None or search.rules is not None or search.meta.shared:
        return False
    if search.N > MOST_NODES or MEASURED.search(states[0] or ""):
        return False
    kept = int((search.born[1 : search.N] <= LAST_KEPT).sum())
    # as many as the root's children may all have been made in that iteration
    return kept > int(search.n_children(np.array([0]))[0])


def check_kept_boards(search: CheckedSearch) -> Iterator[Finding]:
    """An error where moves change some fields, and those that lead from a kept node to a new one more of them."""
    if not has_kept_states(search):
        return
    node = np.arange(1, search.N)
    new, above = search.born[node] > LAST_KEPT, search.born[search.parent[node]]
    below_kept = _changes(search, node[new & (above <= LAST_KEPT)])
    below_new = _changes(search, node[new & (above > LAST_KEPT)])
    if len(below_kept.nodes) < FEW_KEPT or len(below_new.nodes) < FEW_NEW:
        return
    usual = int(np.quantile(below_new.fields, NEARLY_ALL))
    several = below_kept.fields > usual
    if several.mean() < MOST:
        return
    first = below_kept.nodes[int(np.argmax(several))]
    times = int(below_kept.fields[int(np.argmax(several))])
    yield found(
        "reuse-start", int(search.born[first]), first,
        f"the board of node {first:,} differs from its parent's in {times} fields, where a move changes {usual}; so "
        f"it is with {int(several.sum()):,} of {len(several):,} nodes made below those of the tree that was kept, and "
        f"with {int((below_new.fields > usual).sum()):,} of {len(below_new.fields):,} others. The tree that was kept "
        "is not that of the move that was played, as where children are in the order in which they were made and are "
        "taken by the number of the move, children[move]; or the search goes on from another position than the kept "
        "root's",
        times=int(several.sum()), looked_at=len(several),
    )  # fmt: skip


def _changes(search: CheckedSearch, nodes: Ints) -> Changes:
    states = search.trace.columns.nodes.state
    assert states is not None
    some = sample(nodes, MOST_LOOKED_AT)
    boards = boards_of(states[0], (states[node] for node in some))
    known, fields = [], []
    for node in some:
        before, after = (boards.fields(states[at]) for at in (int(search.parent[node]), node))
        if before is not None and after is not None:
            known.append(node)
            fields.append(sum(a != b for a, b in zip(before, after)))
    return Changes(known, np.array(fields, np.int64))
