"""A policy whose illegal moves are masked in place, in an array that serves all positions: what is not legal once has
the prior 0 ever after."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Ints

FEW_NODES, FEW_MOVES = 4, 8  # with such a prior
MOST = 2_000  # nodes looked at


def check_masked_in_place(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where exactly those legal moves have the prior 0 that were not legal at a node expanded before."""
    legal_so_far: set[int] | None = None  # at each node expanded before
    nodes = moves = 0
    first = (0, 0, 0)  # iteration, node and move
    for node, children in _in_order(search):
        actions = {int(a) for a in search.action[children]}
        priors = search.trace.columns.nodes.prior[children]
        without = {int(a) for a in search.action[children[priors == 0]]}
        masked = set() if legal_so_far is None else actions - legal_so_far
        if masked == actions:
            break  # nothing is left of the policy
        if without != masked:
            return
        if masked:
            move = children[search.action[children] == min(masked)][0]
            first = first if nodes else (int(search.born[children[0]]), node, int(move))
            nodes, moves = nodes + 1, moves + len(masked)
        legal_so_far = actions if legal_so_far is None else legal_so_far & actions
    if nodes < FEW_NODES or moves < FEW_MOVES:
        return
    t, node, move = first
    yield found(
        "expansion-priors", t, node,
        f"the legal move {search.move_into(move)} of node {node:,} has the prior 0, and so have {moves:,} "
        f"moves of {nodes:,} nodes: exactly those that were not legal at a node expanded before. So it is where the "
        "policy is one array, and the mask of illegal moves is applied to it in place (p *= mask): take a copy for "
        "each node",
        nodes=nodes, moves=moves,
    ).as_warning()  # fmt: skip


def _in_order(search: CheckedSearch) -> Iterator[tuple[int, Ints]]:
    """Nodes all of whose children, with priors, were made together, and these, in the order in which they were."""
    prior = search.trace.columns.nodes.prior[: search.N]
    if search.same_as is not None:
        return
    if not any((prior[nodes] == 0).any() for nodes in search.blocks(1, search.N)):
        return
    made: list[tuple[int, int, Ints]] = []
    parents = itertools.islice(_families(search), MOST)
    for node, own in parents:
        born = search.born[own]
        by_chance = search.to_move[node] == CHANCE
        if by_chance or born.min() != born.max() or np.isnan(prior[own]).any():
            return
        made.append((int(born[0]), node, own))
    for _, node, own in sorted(made, key=lambda each: (each[0], int(each[2][0]))):
        yield node, own


def _families(search: CheckedSearch) -> Iterator[tuple[int, Ints]]:
    """Nodes with children, by id, and these."""
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        ends = np.append(begin[1:], len(children)).tolist()
        for node, first, end in zip(parent.tolist(), begin.tolist(), ends):
            yield node, children[first:end]
