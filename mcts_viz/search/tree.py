"""The tree that a search grows: flat numpy columns indexed by node id.

Ids count up in order of creation; the root is 0 and every parent is older than its children. Knows
no game and no policy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

NO_NODE = -1


class Tree(NamedTuple):
    """Columns with room for more nodes than there are: the first `size[0]` rows count."""

    size: npt.NDArray[np.int64]  # [1] number of nodes
    parent: npt.NDArray[np.int32]  # [capacity] NO_NODE for the root
    action: npt.NDArray[np.int32]  # [capacity] move that leads into the node, -1 for the root
    to_move: npt.NDArray[np.int8]  # [capacity] player to move at the node
    outcome: npt.NDArray[np.float32]  # [capacity] view of player 0; nan where the game goes on
    prior: npt.NDArray[np.float32]  # [capacity] nan without priors
    visits: npt.NDArray[np.int32]  # [capacity]
    value_sum: npt.NDArray[np.float64]  # [capacity] view of the player who moved into the node
    first_child: npt.NDArray[np.int32]  # [capacity] NO_NODE while there is none
    next_sibling: npt.NDArray[
        np.int32
    ]  # [capacity] NO_NODE at the last one; siblings in order of creation
    n_untried: npt.NDArray[np.int16]  # [capacity] legal actions that have no child yet


def new_tree(to_move: int, outcome: float, n_legal: int, capacity: int = 1024) -> Tree:
    """A tree of the root alone."""
    tree = Tree(
        size=np.ones(1, np.int64),
        parent=np.full(capacity, NO_NODE, np.int32),
        action=np.full(capacity, -1, np.int32),
        to_move=np.zeros(capacity, np.int8),
        outcome=np.full(capacity, np.nan, np.float32),
        prior=np.full(capacity, np.nan, np.float32),
        visits=np.zeros(capacity, np.int32),
        value_sum=np.zeros(capacity, np.float64),
        first_child=np.full(capacity, NO_NODE, np.int32),
        next_sibling=np.full(capacity, NO_NODE, np.int32),
        n_untried=np.zeros(capacity, np.int16),
    )
    tree.to_move[0] = to_move
    tree.outcome[0] = outcome
    tree.n_untried[0] = n_legal
    return tree


def with_room(tree: Tree, n_more: int) -> Tree:
    """The same tree with room for `n_more` further nodes; columns are copied only when they have to
    grow."""
    needed = int(tree.size[0]) + n_more
    capacity = len(tree.parent)
    if needed <= capacity:
        return tree
    larger = max(needed, 2 * capacity)
    blank = new_tree(0, float("nan"), 0, larger)
    for name, old in tree._asdict().items():
        getattr(blank, name)[: len(old)] = old
    return blank
