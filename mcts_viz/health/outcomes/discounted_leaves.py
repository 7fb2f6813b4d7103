"""Leaves whose first value is discounted by their depth, though back-up discounts it at each step up: it counts twice.

The same state is worth the same, however deep it stands. Where values are made of a few rewards, those of one state
come again at other depths as they are; here they do so only when each is divided by γ^depth. No limit of steps does
that: what it cuts off leaves the others as they are, and what it ends early differs, but not by powers of γ.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.values.of_visits import first_steps
from mcts_viz.health.values.reward_laws import fits
from mcts_viz.health.values.reward_steps import RewardSteps, steps_with
from mcts_viz.health.values.rewards import discount_of, includes_own_reward
from mcts_viz.types import Bools, Floats, Ints

FEW = 50  # leaves whose state is a leaf at another depth, too
FEW_STATES, FEW_DEPTHS = 3, 3
FEW_KINDS = 5  # different values, at the same depth for all states
NEARLY_ALL = 0.98  # of the steps of back-up
# of these leaves, whose value comes again at another depth: divided by γ^depth, and as it is
MOSTLY, HARDLY = 0.5, 0.1
DIGITS = 6  # of the largest value
LEAST, MOST = 0.3, 0.999  # discounts, beyond which powers are too small or too near each other
DEEPEST = 1e-4  # γ^depth, below which a value has no digits left


class Again(NamedTuple):
    """Leaves whose value comes again at another depth of their state."""

    share: float
    which: Bools  # [L]


def check_discounted_leaves(search: CheckedSearch, leaves: NewLeaves) -> list[Finding]:
    """A finding about leaves of one who searches alone, whose states are told and who discounts."""
    states = search.trace.columns.nodes.state
    if states is None or not search.alone or search.same_as is not None:
        return []
    gamma = discount_of(search)
    own = includes_own_reward(search) if search.has_rewards else _ends_alone(search, gamma)
    if own is None or not LEAST < gamma < MOST:
        return []
    depth = search.topology.depth[leaves.node].astype(np.int64)
    names = [states[int(node)] for node in leaves.node]
    use = np.array([name is not None for name in names], np.bool_) & (gamma**depth > DEEPEST)
    # whether the reward of the move into the leaf is discounted with the rest, or beside it
    values = [leaves.value, leaves.value - search.rewards[leaves.node]][: 1 + own]
    as_is = max(_again(names, depth, each, use).share for each in values)
    if as_is > HARDLY:
        return []
    for value in values:
        again = _again(names, depth, value / gamma**depth, use)
        if again.share >= MOSTLY and _is_told(names, depth, value, again.which):
            return [_finding(search, leaves, names, depth, value, gamma, again)]
    return []


def _ends_alone(search: CheckedSearch, gamma: float) -> bool | None:
    """False, as no node has a reward of its own, where back-up does nothing but discount; None where it does more."""
    steps = first_steps(RewardSteps, steps_with(search, np.zeros(search.N)))
    if steps is None or steps.n < FEW:
        return None
    return False if fits(gamma * steps.lower, steps).mean() >= NEARLY_ALL else None


def _again(names: Sequence[Hashable], depth: Ints, value: Floats, use: Bools) -> Again:
    """Of leaves whose value is not 0, and whose state is a leaf at several depths."""
    use = use & (np.abs(value) > 1e-9)
    scale = float(np.abs(value[use]).max(initial=0.0)) or 1.0
    number = np.round(value / scale, DIGITS)
    of_state: dict[Hashable, set[int]] = {}
    of_value: dict[tuple[Hashable, float], set[int]] = {}
    for at in np.flatnonzero(use).tolist():
        of_state.setdefault(names[at], set()).add(int(depth[at]))
        of_value.setdefault((names[at], float(number[at])), set()).add(int(depth[at]))
    which, n = np.zeros(len(value), np.bool_), 0
    for at in np.flatnonzero(use).tolist():
        n += len(of_state[names[at]]) > 1
        which[at] = len(of_value[names[at], float(number[at])]) > 1
    return Again(float(which.sum()) / n if n >= FEW else 0.0, which)


def _is_told(names: Sequence[Hashable], depth: Ints, value: Floats, which: Bools) -> bool:
    """Whether states, depths and values are of several kinds."""
    at = np.flatnonzero(which)
    if len(at) < FEW:
        return False
    usual = at[depth[at] == np.bincount(depth[at]).argmax()]
    return (
        len({names[each] for each in at.tolist()}) >= FEW_STATES
        and len(np.unique(depth[at])) >= FEW_DEPTHS
        and len(np.unique(np.round(value[usual], DIGITS))) >= FEW_KINDS
    )


def _finding(
    search: CheckedSearch, leaves: NewLeaves, names: Sequence[Hashable], depth: Ints, value: Floats,
    gamma: float, again: Again,
) -> Finding:  # fmt: skip
    one, other = _pair(names, depth, value / gamma**depth, again.which)
    node, deeper = int(leaves.node[one]), int(leaves.node[other])
    return found(
        "simulation-discounted", int(leaves.iteration[other]), deeper,
        f"the discount is applied twice: what a new leaf is worth is multiplied by γ^depth (γ = {gamma:.4g}) when it "
        "comes from the simulation or the evaluation, and back-up discounts it at each step up again. The same state "
        "is worth less the deeper it stands: divided by γ^depth, "
        f"{again.share:.0%} of first values come again at another depth of their state, and hardly any as they are. "
        f"Nodes {node:,} and {deeper:,} are one state, at depths {depth[one]} and {depth[other]}: {value[one]:.4g} and "
        f"{value[other]:.4g}",
        share=again.share, of=int(again.which.sum()), discount=gamma,
    )  # fmt: skip


def _pair(names: Sequence[Hashable], depth: Ints, number: Floats, which: Bools) -> tuple[int, int]:
    """Two of one state and one number at different depths, the shallower first."""
    scale = float(np.abs(number[which]).max())
    seen: dict[tuple[Hashable, float], int] = {}
    for at in np.flatnonzero(which).tolist():
        key = (names[at], float(np.round(number[at] / scale, DIGITS)))
        first = seen.setdefault(key, at)
        if depth[first] != depth[at]:
            low, high = sorted((first, at), key=lambda each: int(depth[each]))
            return low, high
    at = int(np.argmax(which))
    return at, at
