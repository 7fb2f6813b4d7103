"""The choices of a search whose rule scores a child by its siblings, compared with that rule one by one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.formulas.among_siblings import SiblingNumbers
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.sibling_terms import sibling_numbers
from mcts_viz.trace.snapshot import selection_score
from mcts_viz.types import Floats

TOLERANCE = 1e-3  # mctx counts in float32, and scales values by what may be a small range
Terms = Callable[[SiblingNumbers], tuple[Floats, Floats]]


class SiblingChoice(NamedTuple):
    """The choice of one iteration at one node, among the k children that it had and the new one."""

    iteration: int
    node: int
    children: list[int]
    taken: int  # place among the children
    of: SiblingNumbers  # before the iteration, P = 1


class ScoredChoice(NamedTuple):
    """A choice beside a rule."""

    choice: SiblingChoice
    scores: Floats  # [k]

    @property
    def best(self) -> int:
        """Place of the child with the highest score."""
        return int(np.argmax(self.scores))

    @property
    def is_explained(self) -> bool:
        """Whether the child taken has the highest score, apart from rounding."""
        taken, best = (float(self.scores[at]) for at in (self.choice.taken, self.best))
        return taken == best or best - taken <= TOLERANCE * max(1.0, abs(best))


def sibling_choices(
    meta: TraceMeta, columns: Columns, most: int = 1 << 30, with_rewards: bool = True
) -> Iterator[SiblingChoice]:
    """The choices of the first `most` iterations. A move that was never tried is not among the children: its prior is
    not recorded. with_rewards: whether Q has the rewards that were recorded."""
    nodes, updates = columns.nodes, columns.updates
    n = min(columns.n_iterations, most)
    told = columns.numbers(columns.n_iterations)
    born, parent = nodes.born, nodes.parent
    families: dict[int, list[int]] = {}
    for child in range(1, columns.n_nodes):
        families.setdefault(int(parent[child]), []).append(child)
    visits = np.zeros(columns.n_nodes, np.int64)
    value_sum = np.zeros(columns.n_nodes)

    def add(t: int) -> None:
        rows = slice(int(updates.offset[t - 1]) if t else 0, int(updates.offset[t]))
        np.add.at(visits, updates.node[rows], updates.visits[rows])
        np.add.at(value_sum, updates.node[rows], updates.value[rows])

    add(0)
    for t in range(1, n + 1):
        for node, taken in itertools.pairwise(columns.paths.path(t, int(columns.leaf[t - 1]))):
            there = [child for child in families[node] if born[child] < t or child == taken]
            if len(there) > 1:
                ids = np.array(there)
                of = sibling_numbers(
                    meta, told, nodes.reward if with_rewards else None, node, ids, nodes.prior[ids],
                    visits[ids][:, None], value_sum[ids][:, None],
                )  # fmt: skip
                yield SiblingChoice(t, node, there, there.index(taken), of)
        add(t)


def compared(choice: SiblingChoice, terms: Terms) -> ScoredChoice:
    """The choice, compared with the scores of a rule."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value, exploration = terms(choice.of)
    return ScoredChoice(choice, selection_score(value, exploration)[:, 0])
