"""Whether leaves that are evaluated several times always get the same result: then rollouts from one leaf are one game,
again and again. No rules are needed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.levels import greatest_below
from mcts_viz.health.outcomes.new_leaves import NewLeaves, joined
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Floats, Ints

FEW_LEAVES = 15  # that are evaluated several times
FEW_ROLLOUTS, FEW_MEANS = 4, 40  # simulations of a leaf; leaves
SOME = 0.1  # of the leaves, that are won, and that are lost
RESULTS = 5  # different values; more are evaluations, which are the same each time
# logarithm of the chance that results which do not depend on the leaf are so alike
UNLIKELY = -30.0


def check_again(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding where leaves at which the game goes on have several visits, and each of them one result; or where the
    means of several simulations are results of one."""
    yield from _unanimous(search, leaves)
    results = np.unique(np.round(leaves.value, 6))
    if not 1 < len(results) <= RESULTS or search.has_rewards or search.meta.step_rewards:
        return
    iteration, node, value = _later_inner(search)
    if not len(node):
        return
    order = np.argsort(node, kind="stable")
    iteration, node, value = iteration[order], node[order], value[order]
    first = np.flatnonzero(np.diff(node, prepend=-1))
    size = np.diff(np.append(first, len(node)))
    alike = np.maximum.reduceat(value, first) - np.minimum.reduceat(value, first) <= 1e-6
    several = size > 1
    if several.sum() < FEW_LEAVES or not alike[several].all():
        return
    share = np.unique(np.round(value[first], 6), return_counts=True)[1] / len(first)
    if (size[several] - 1).sum() * np.log((share**2).sum()) > UNLIKELY:
        return
    at = int(first[np.argmax(several)])
    again = int(size[np.argmax(several)])
    same = _are_one_game(search, iteration, first, size)
    how = "the same moves each time" if same else "the same result each time"
    by_chance = int(_above_chance(search)[node[first[several]]].sum())
    drawn = by_chance >= FEW_LEAVES and _are_results(search, results)
    right = (
        f"Below {by_chance:,} of them the tree has several events of chance, which simulations have to draw as well, "
        "so that their results would vary"
        if drawn
        else "Right where the position alone decides how a simulation ends"
    )
    finding = found(
        "simulation-repeats", int(iteration[at]), int(node[at]),
        f"node {int(node[at]):,} was simulated from {again:,} times before it had children, with {how}; so it is with "
        f"all {int(several.sum()):,} nodes looked at that were simulated from several times, and other nodes have "
        f"other results. So it is where a generator is seeded anew for each rollout. {right}",
        nodes=int(several.sum()), simulations=int(size[several].sum()),
    )  # fmt: skip
    yield finding if same or drawn else finding.as_note()


def _above_chance(search: CheckedSearch) -> Bools:
    """[N] nodes at or below which there is a node of chance with several events."""
    several = search.has_more_children(than=1)
    above = ((search.to_move == CHANCE) & several).astype(np.int32)
    greatest_below(above, search.parent, search.topology.depth[: search.N])
    found: Bools = above > 0
    return found


def _are_results(search: CheckedSearch, values: Floats) -> bool:
    """Whether these are a win, a draw and a loss, not evaluations, which are the same each time; and nobody said that
    they are evaluations."""
    low, high = search.value_range
    results = np.isin(np.round(values, 6), np.round((low, (low + high) / 2, high), 6))
    return bool(results.all()) and not search.meta.policies.simulation.by_evaluator


def _unanimous(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A warning where each leaf is told to get the mean of several simulations, and gets a win or a loss."""
    rollouts = search.meta.policies.simulation.rollouts or 1
    iteration, node, value = leaves.where(search.n_children(leaves.node) > 0)
    if rollouts < FEW_ROLLOUTS or len(node) < FEW_MEANS:
        return
    low, high = search.value_range
    lost, won = np.abs(value - low) <= search.slack, np.abs(value - high) <= search.slack
    if not (lost | won).all() or min(lost.mean(), won.mean()) < SOME:
        return
    yield found(
        "simulation-repeats", int(iteration[0]), int(node[0]),
        f"a leaf is told to get the mean of {rollouts} simulations, and {int(won.sum()):,} of {len(node):,} leaves "
        f"looked at where the search went on got {high:g}, all others {low:g}: the simulations of one leaf all end "
        "alike, as where a generator is seeded anew for each of them, or one result is taken for all",
        leaves=len(node), rollouts=rollouts,
    )  # fmt: skip


def _later_inner(search: CheckedSearch) -> NewLeaves:
    """Visits of leaves below which the search went on later: no game was over there."""

    def by_range() -> Iterator[NewLeaves]:
        for part in search.ranges():
            values = values_of(search, part)
            here = values.where(
                values.is_leaf & ~search.ended[values.node] & (search.n_children(values.node) > 0)
            )
            yield NewLeaves(here.iteration, here.node, here.value)

    return joined(by_range())


def _are_one_game(search: CheckedSearch, iteration: Ints, first: Ints, size: Ints) -> bool:
    """Whether the rollouts from each leaf were told, and are the same."""
    rollout = search.trace.columns.rollout
    if not rollout.recorded:
        return False
    for begin, n in zip(first[size > 1].tolist(), size[size > 1].tolist()):
        games = {
            tuple(rollout.action[slice(*rollout.offset[t - 1 : t + 1].tolist())].tolist())
            for t in iteration[begin : begin + n].tolist()
        }
        if len(games) > 1 or games == {()}:
            return False
    return True
