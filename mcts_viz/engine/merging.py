"""The trees of several searches of one position merged into one: a node for each sequence of moves that any of them
has made, and their iterations in turn, each with the nodes of the merged tree.

numba compiles this very source. Knows no game and no policy.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.engine.tree import ROOT
from mcts_viz.types import Floats, Ints, Numbers

Int32s = npt.NDArray[np.int32]
MERGED_COLUMNS = ("parent", "action", "to_move", "outcome", "prior")  # of the merged tree
FREE = 0  # in a table: the root is the child of none, and memory that was never written to is 0
MOST_DIRECT = 16  # moves of a game, for each of which a node has a place
SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)  # Knuth's multiplicative hashing


def key_of(parent: int, action: int) -> int:
    """The key of the node that a move leads to."""
    return int(parent) << 32 | int(action)


def slot(table: Ints, parent: int, action: int) -> int:
    """The row in which a table, [a power of two, 2] of keys and nodes, has the node that a move leads to, or would."""
    key = key_of(parent, action)
    at = ((key * SPREAD) >> 32) & (len(table) - 1)  # bits that depend on all of the parent
    while table[at, 1] != FREE and table[at, 0] != key:
        at = (at + 1) & (len(table) - 1)
    return at


def find(table: Ints, parent: int, action: int) -> int:
    """The node that a move leads to, FREE where the table has none. Of a game of many moves."""
    return int(table[slot(table, parent, action), 1])


def put(table: Ints, parent: int, action: int, node: int) -> None:
    """Let it have one, where it had none. Of a game of many moves."""
    at = slot(table, parent, action)
    table[at, 0] = key_of(parent, action)
    table[at, 1] = node


def find_directly(table: Int32s, parent: int, action: int) -> int:
    """The same of a game of few moves, whose table is [nodes, moves]."""
    return int(table[parent, action])


def put_directly(table: Int32s, parent: int, action: int, node: int) -> None:
    """The same of a game of few moves."""
    table[parent, action] = node


def fill(table: Numbers, parent: Int32s, action: Int32s, n: int) -> None:
    """Put the first n nodes of a tree into an empty table."""
    for node in range(1, n):
        put(table, parent[node], action[node], node)


def merge_nodes(
    ran: Ints, node_count: Int32s,
    new_parent: Int32s, new_action: Int32s, new_to_move: Numbers, new_outcome: Numbers, new_prior: Numbers,
    place: Int32s, table: Numbers, size: Ints, is_proven: Numbers,
    parent: Int32s, action: Int32s, to_move: Numbers, outcome: Numbers, prior: Numbers,
    to_node_count: Int32s, turn: Int32s,
) -> int:  # fmt: skip
    """Part of `merge`: the nodes, and in turn[w, i] which of the merged iterations is a search's i-th one; how many
    there are."""
    done, n_nodes = 0, size[0]
    to_node_count[0] = n_nodes
    for i in range(turn.shape[1]):
        for w in range(len(ran)):
            if i >= ran[w]:
                continue
            first = node_count[w, 0]
            for local in range(node_count[w, i], node_count[w, i + 1]):
                k = local - first
                above = place[w, new_parent[w, k]]
                node = int(find(table, above, new_action[w, k]))
                if node == FREE:
                    node = n_nodes
                    n_nodes += 1
                    put(table, above, new_action[w, k], node)
                    parent[node] = above
                    action[node] = new_action[w, k]
                    to_move[node] = new_to_move[w, k]
                    outcome[node] = new_outcome[w, k]
                    prior[node] = new_prior[w, k]
                    is_proven[node] = 0
                place[w, local] = node
            turn[w, i] = done
            done += 1
            to_node_count[done] = n_nodes
    size[0] = n_nodes
    return done


def merge_offsets(ran: Ints, turn: Int32s, offset: Int32s, to_offset: Int32s) -> None:
    """Part of `merge`: where the rows of each of the merged iterations begin, and the last ones end."""
    done = 0
    for w in range(len(ran)):
        done += ran[w]
        for i in range(ran[w]):
            to_offset[turn[w, i] + 1] = offset[w, i + 1] - offset[w, i]
    to_offset[0] = 0
    for i in range(done):
        to_offset[i + 1] += to_offset[i]


def merge_proofs(
    ran: Ints, turn: Int32s, proven_offset: Int32s, proven_node: Int32s, proven_outcome: Numbers,
    place: Int32s, is_proven: Numbers,
    to_proven_offset: Int32s, to_proven_node: Int32s, to_proven_outcome: Numbers,
) -> None:  # fmt: skip
    """Part of `merge`: of the proofs of a node, the first."""
    done, proofs = 0, 0
    to_proven_offset[0] = 0
    for i in range(turn.shape[1]):
        for w in range(len(ran)):
            if i >= ran[w]:
                continue
            for row in range(proven_offset[w, i], proven_offset[w, i + 1]):
                node = place[w, proven_node[w, row]]
                if not is_proven[node]:
                    is_proven[node] = 1
                    to_proven_node[proofs] = node
                    to_proven_outcome[proofs] = proven_outcome[w, row]
                    proofs += 1
            done += 1
            to_proven_offset[done] = proofs


def merge(
    # of W searches in a round, [W, n …] as in `Log`
    ran: Ints, node_count: Int32s, leaf: Int32s, result: Numbers, update_offset: Int32s, update_node: Numbers,
    update_value: Floats, path_value_0: Floats, path_value_1: Floats,
    rollout_offset: Int32s, rollout_action: Int32s, proven_offset: Int32s,
    proven_node: Int32s, proven_outcome: Numbers,
    # [W, m] the nodes that they made, and [W, N] where each of their nodes is in the merged tree
    new_parent: Int32s, new_action: Int32s, new_to_move: Numbers, new_outcome: Numbers, new_prior: Numbers,
    place: Int32s,
    table: Numbers, size: Ints, is_proven: Numbers,
    parent: Int32s, action: Int32s, to_move: Numbers, outcome: Numbers, prior: Numbers,
    # the merged iterations, as in `Log`, and who made each
    to_node_count: Int32s, to_leaf: Int32s, to_result: Numbers, to_update_offset: Int32s, to_update_node: Numbers,
    to_update_value: Floats, to_path_value_0: Floats, to_path_value_1: Floats,
    to_rollout_offset: Int32s, to_rollout_action: Int32s, to_proven_offset: Int32s,
    to_proven_node: Int32s, to_proven_outcome: Numbers, to_worker: Int32s,
    turn: Int32s,
    along_path: bool,
) -> int:  # fmt: skip
    """Take the searches' iterations in turn, and give how many there are. turn: [W, n] is overwritten. along_path: they
    leave their updates to be understood.

    One column after the other: a loop that does everything for an iteration takes half as long again.
    """
    done = merge_nodes(
        ran, node_count, new_parent, new_action, new_to_move, new_outcome, new_prior, place, table, size, is_proven,
        parent, action, to_move, outcome, prior, to_node_count, turn,
    )  # fmt: skip
    merge_offsets(ran, turn, update_offset, to_update_offset)
    merge_offsets(ran, turn, rollout_offset, to_rollout_offset)
    for w in range(len(ran)):
        for i in range(ran[w]):
            to_leaf[turn[w, i]] = place[w, leaf[w, i]]
            to_worker[turn[w, i]] = w
        for i in range(ran[w]):
            to_result[turn[w, i]] = result[w, i]
        if along_path:
            for i in range(ran[w]):
                to_path_value_0[turn[w, i]] = path_value_0[w, i]
                to_path_value_1[turn[w, i]] = path_value_1[w, i]
        else:
            for i in range(ran[w]):
                to = to_update_offset[turn[w, i]]
                for row in range(update_offset[w, i], update_offset[w, i + 1]):
                    to_update_node[to] = place[w, update_node[w, row]]
                    to_update_value[to] = update_value[w, row]
                    to += 1
        for i in range(ran[w]):
            to = to_rollout_offset[turn[w, i]]
            for row in range(rollout_offset[w, i], rollout_offset[w, i + 1]):
                to_rollout_action[to] = rollout_action[w, row]
                to += 1
    merge_proofs(
        ran, turn, proven_offset, proven_node, proven_outcome, place, is_proven,
        to_proven_offset, to_proven_node, to_proven_outcome,
    )  # fmt: skip
    return done


class MergedTree:
    """The columns of the merged tree, which grow, and the table in which its nodes are found."""

    def __init__(self, n_workers: int, to_move: int, expected: int, n_actions: int) -> None:
        """expected: nodes, as far as that is known; filling a table again costs as much as finding its nodes.
        n_actions: moves of the game."""
        self.size = np.ones(1, np.int64)
        # room that is never used is never given memory
        self.columns = {name: np.empty(expected + 1, ROOT[name][0]) for name in MERGED_COLUMNS}
        for name, column in self.columns.items():
            column[0] = ROOT[name][1]
        self.columns["to_move"][0] = to_move
        self.is_proven = np.zeros(expected + 1, np.uint8)
        self.place = np.zeros((n_workers, expected // n_workers + 2), np.int32)
        self.n_direct = n_actions if n_actions <= MOST_DIRECT else None
        self.table = self._table(expected)

    def make_room(self, nodes: int, places: int) -> bool:
        """Make room for that many nodes, in all and of each search; returns whether the table has to be refilled."""
        if nodes > len(self.is_proven):
            room = max(nodes, 2 * len(self.is_proven))
            for name, column in self.columns.items():
                self.columns[name] = _longer(column, room)
            self.is_proven = _longer(self.is_proven, room)
        if places > self.place.shape[1]:
            longer = np.empty((len(self.place), max(places, 2 * self.place.shape[1])), np.int32)
            longer[:, : self.place.shape[1]] = self.place
            self.place = longer
        if nodes * (1 if self.n_direct else 2) <= len(self.table):
            return False
        self.table = self._table(2 * nodes)
        return True

    def _table(self, nodes: int) -> Numbers:
        if self.n_direct:
            return np.zeros((nodes, self.n_direct), np.int32)
        return np.zeros((1 << (2 * nodes - 1).bit_length(), 2), np.int64)


def _longer(column: Numbers, n: int) -> Numbers:
    longer = np.empty(n, column.dtype)
    longer[: len(column)] = column
    return longer
