"""Priors that are the same at all nodes, as if the policy had been asked once, or for all moves of a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Floats, Ints

FEW = 10  # nodes
FEW_KINDS = 5  # different priors, of nodes with as many moves
ALWAYS = 0.95  # share of them
MOST = 2_000  # nodes looked at
SAME = 1e-4  # relative


class PriorsOfChildren(NamedTuple):
    """Of a node whose children were made together, each with a prior."""

    node: int
    action: Ints
    log_prior: Floats

    @property
    def are_equal(self) -> bool:
        """Whether all moves have the same prior."""
        return float(np.ptp(self.log_prior)) <= SAME


def check_same_priors(search: CheckedSearch) -> Iterator[Finding]:
    """A note on nodes that all have the root's priors, or equal ones where the root's differ."""
    families = list(_families(search))
    if len(families) <= FEW:
        return
    root = families[0] if not families[0].node else None
    others = families[1:] if root is not None else families
    known = max(others, key=lambda each: len(each.action))
    differ = [each for each in others if not each.are_equal]
    if not differ:
        if root is not None and not root.are_equal and len(others) >= FEW:
            yield found(
                "expansion-same-priors", None, others[0].node,
                f"the root's moves have different priors, and those of all {len(others):,} other nodes looked at "
                "equal ones: so it is where the policy is asked at the root alone. Right where noise is added to equal "
                "ones",
                nodes=len(others),
            )  # fmt: skip
        else:
            yield from _one_for_all_moves(families)
        return
    if known.are_equal or len(differ) < FEW:
        return
    same = sum(_has_priors_of(known, each) for each in differ)
    if same < ALWAYS * len(differ):
        return
    of_root = root is not None and _has_priors_of(known, root)
    whose = "the root's" if of_root else f"those of node {known.node:,}"
    yield found(
        "expansion-same-priors", None, known.node,
        f"priors are the same at all nodes, whatever the position: {same:,} of {len(differ):,} nodes looked at have "
        f"{whose} for the same moves, or these in proportion. So it is where the policy is asked once, or for the "
        "wrong position. Right where each move has one number for the whole game",
        nodes=same, looked_at=len(differ),
    )  # fmt: skip


def _one_for_all_moves(families: list[PriorsOfChildren]) -> Iterator[Finding]:
    """A note where the moves of each node have one and the same prior, which is no even share of 1, and another one at
    each node, also where these have as many moves."""
    log_share = {len(each.action): -np.log(len(each.action)) for each in families}
    odd = [each for each in families if abs(each.log_prior[0] - log_share[len(each.action)]) > SAME]
    kinds = {(len(each.action), round(float(each.log_prior[0]), 4)) for each in odd}
    most = max((sum(n == each for each, _ in kinds) for n in log_share), default=0)
    if len(odd) < ALWAYS * len(families) or most < FEW_KINDS:
        return
    first = odd[0]
    p, n = float(np.exp(first.log_prior[0])), len(first.action)
    yield found(
        "expansion-priors", None, first.node,
        f"all {n} moves of node {first.node:,} have the prior {p:.4g}, {n * p:.4g} in all; so it is with {len(odd):,} "
        f"of {len(families):,} nodes: one prior for all moves of a node, another one at each node, and not 1 in all. "
        "So it is where the prior of one move, as the last one of a loop (prior=score / total), is given to all, or a "
        "number of the node itself stands there: then priors tell no move from another",
        nodes=len(odd), looked_at=len(families), total=n * p,
    ).as_note()  # fmt: skip


def _families(search: CheckedSearch) -> Iterator[PriorsOfChildren]:
    """Of nodes with two children or more, the root first."""
    prior = search.trace.columns.nodes.prior[: search.N]
    if not any((prior[nodes] > 0).any() for nodes in search.blocks(0, search.N)):
        return  # a long trace has millions of families
    seen = 0
    for parent, first, children in search.families.parts(RANGE_ROWS):
        for node, own in zip(parent.tolist(), np.split(children, first[1:])):
            p, born = prior[own].astype(np.float64), search.born[own]
            if search.to_move[node] == CHANCE:
                continue  # these are the probabilities of what it decides
            if len(own) < 2 or not (p > 0).all() or born.min() != born.max():
                continue
            yield PriorsOfChildren(node, search.action[own].astype(np.int64), np.log(p))
            seen += 1
            if seen == MOST:
                return


def _has_priors_of(one: PriorsOfChildren, other: PriorsOfChildren) -> bool:
    """Whether the moves of the other node have the priors that they have at this one, times one number, as far as both
    have these moves."""
    _, own, its = np.intersect1d(one.action, other.action, return_indices=True)
    return len(own) > 1 and float(np.ptp(other.log_prior[its] - one.log_prior[own])) <= SAME
