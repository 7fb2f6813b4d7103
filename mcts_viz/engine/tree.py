"""The tree that a search grows: flat numpy columns.

Nodes are numbered in order of creation; the root is 0 and every parent is older than its children.
A node whose first child is made is *opened*: it gets a *branch* for each legal action, side by side,
so that selection reads what it compares in one go. Knows no game and no policy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Floats, Ints, Numbers

NO_NODE = -1
# in `n_untried`, in place of a number
UNOPENED = -1  # the node's legal actions are not known yet
OVER = -2  # the game is over there


class Tree(NamedTuple):
    """Columns with room for more rows than there are; what lies beyond has no meaning."""

    size: Ints  # [2] number of nodes N, number of branches B
    # [N]
    parent: npt.NDArray[np.int32]  # NO_NODE for the root
    action: npt.NDArray[np.int32]  # move that leads into the node, -1 for the root
    to_move: npt.NDArray[np.int8]  # player to move at the node
    outcome: npt.NDArray[np.float32]  # view of player 0; nan where the game goes on
    prior: npt.NDArray[np.float32]  # nan without priors
    proven: npt.NDArray[np.float32]  # proven result, view of player 0; nan: not known
    visits: npt.NDArray[np.int32]
    value_sum: Floats  # view of the player who moved into the node
    # [B] branch 0 is the root's own; of a node's branches, those that have a child come first
    branch_action: npt.NDArray[np.int32]
    branch_child: npt.NDArray[np.uint32]  # in order of creation; 0: none yet (and the root's own)
    branch_value: Floats  # the selection formula's terms of the child
    branch_width: Floats
    branch_squares: Floats  # sum of the squares of the child's values, where kept
    # of the child too, and here for speed: selection goes from branch to branch, and need not wait
    # for the child's id before it can look on
    weight: Floats  # of exploration among its children: weight_at[visits]
    first_branch: npt.NDArray[np.uint32]  # where its own branches begin, once it is opened
    n_children: npt.NDArray[np.uint16]
    n_untried: npt.NDArray[np.int16]  # branches of its own without a child, or UNOPENED, or OVER
    next_branch: npt.NDArray[np.uint32]  # of its own, that selection takes next; 0: not worked out
    # [visits of the root + 1]
    weight_at: Floats  # the selection formula's weight in a node of that many visits


NODE_COLUMNS = Tree._fields[1:9]
BRANCH_COLUMNS = Tree._fields[9:19]
# column: its type, its value in row 0
ROOT: dict[str, tuple[type[np.number], float]] = {
    "parent": (np.int32, NO_NODE),
    "action": (np.int32, -1),
    "to_move": (np.int8, -1),
    "outcome": (np.float32, np.nan),
    "prior": (np.float32, np.nan),
    "proven": (np.float32, np.nan),
    "visits": (np.int32, 0),
    "value_sum": (np.float64, 0.0),
    "weight": (np.float64, 0.0),
    "first_branch": (np.uint32, 0),
    "n_children": (np.uint16, 0),
    "n_untried": (np.int16, UNOPENED),
    "next_branch": (np.uint32, 0),
    "branch_action": (np.int32, -1),
    "branch_child": (np.uint32, 0),
    "branch_value": (np.float64, 0.0),
    "branch_width": (np.float64, 0.0),
    "branch_squares": (np.float64, 0.0),
    "weight_at": (np.float64, 0.0),
}


def new_tree(to_move: int) -> Tree:
    """A tree of the root alone, where that player is to move."""
    columns = {name: np.full(1, value, dtype) for name, (dtype, value) in ROOT.items()}
    columns["to_move"][0] = to_move
    return Tree(size=np.ones(2, np.int64), **columns)


def rows_in_use(tree: Tree) -> dict[str, int]:
    """How many rows of each column have a meaning, by name; `size` left out."""
    nodes, branches = tree.size.tolist()
    return {
        **dict.fromkeys(NODE_COLUMNS, nodes),
        **dict.fromkeys(BRANCH_COLUMNS, branches),
        "weight_at": int(tree.visits[0]) + 1,
    }


def with_room(tree: Tree, n_iterations: int, n_actions: int, n_children: int = 1) -> Tree:
    """The same tree with room for that many more iterations, each of which makes `n_children` nodes
    and opens one at most; columns are copied only when they have to grow."""
    more = {
        **dict.fromkeys(NODE_COLUMNS, n_iterations * n_children),
        **dict.fromkeys(BRANCH_COLUMNS, n_iterations * n_actions),
        "weight_at": n_iterations,
    }
    return tree._replace(
        **{
            name: _longer(getattr(tree, name), used, more[name])
            for name, used in rows_in_use(tree).items()
        }
    )


def branch_of_node(tree: Tree) -> Ints:
    """[N] the branch that leads into each node."""
    nodes, branches = tree.size.tolist()
    child = tree.branch_child[:branches]
    found = np.zeros(nodes, np.int64)
    with_child = np.flatnonzero(child)
    found[child[with_child]] = with_child
    return found


def bytes_in_use(tree: Tree) -> int:
    """The bytes in use of all columns."""
    return sum(n * getattr(tree, name).itemsize for name, n in rows_in_use(tree).items())


def bytes_of(nodes: int, opened: int, n_actions: int, visits: int) -> int:
    """Bytes of a tree with that many nodes, of which `opened` have children."""
    rows = {
        **dict.fromkeys(NODE_COLUMNS, nodes),
        **dict.fromkeys(BRANCH_COLUMNS, opened * n_actions),
        "weight_at": visits,
    }
    return sum(n * np.dtype(ROOT[name][0]).itemsize for name, n in rows.items())


def _longer(column: Numbers, used: int, more: int) -> Numbers:
    if used + more <= len(column):
        return column
    longer = np.empty(max(used + more, 2 * len(column)), column.dtype)
    longer[:used] = column[:used]
    return longer
