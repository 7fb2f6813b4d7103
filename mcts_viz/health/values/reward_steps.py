"""Steps from a node to its child, with what each got and the rewards of the moves: what laws of rewards are about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.tree.shape import children_of
from mcts_viz.health.values.of_visits import steps_down
from mcts_viz.health.values.powers import steps_back
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Floats, Ints


class RewardSteps(NamedTuple):
    """Steps from a node to its child, S of them; values are those of one visit, or of all that a node got in an
    iteration, and its children together."""

    iteration: Ints
    node: Ints
    upper: Floats  # added to the node, view of who moved into it
    lower: Floats  # added to the child, view of who moved into the node
    # rewards times visits, of the moves into the node (nan at the root) and into the child, the same view
    own: Floats
    below: Floats
    of_chance: Bools  # chance decides at the node
    to_chance: Bools  # chance decides at the child, an afterstate
    back: Ints  # steps from the node to the leaf; 1 where that is not known
    depth: Ints  # of the node
    is_new: Bools  # the child has its first visit; False where that was not asked for
    childless: Bools  # the child never gets a child

    @property
    def n(self) -> int:
        """How many."""
        return len(self.node)

    def one(self, at: int) -> RewardSteps:
        """One of them."""
        return RewardSteps._make(column[at : at + 1] for column in self)


def steps_of(
    search: CheckedSearch, several_leaves: bool = False, first_visits: bool = False
) -> Iterator[RewardSteps]:
    """The steps with a known reward, range by range; nothing where rewards were not recorded. first_visits: whether
    `is_new` is asked for, which takes as long as all the rest."""
    told = search.trace.columns.nodes.reward
    if several_leaves:
        yield from sums_of_steps(search)
    elif told is not None:
        yield from steps_with(search, told.astype(np.float64), first_visits)


def steps_with(
    search: CheckedSearch, rewards: Floats, first_visits: bool = False
) -> Iterator[RewardSteps]:
    """The steps that added one visit, range by range, with rewards [N] of the moves into the nodes; nan: not known.
    first_visits: see `steps_of`."""
    valueless = search.trace.columns.without_value(search.T)
    depth, childless = search.topology.depth, search.childless()
    for part in search.ranges():
        steps, down = part.steps, steps_down(search, part)
        known = ~np.isnan(rewards[down.child]) & ~np.isin(down.node, valueless)
        at, upper, lower = down.at[known], down.node[known], down.child[known]
        turn = down.turn[known]
        is_new = np.zeros(len(at), np.bool_)
        if first_visits:
            is_new = part.before_steps().visits[at + 1] == 0
        yield RewardSteps(
                steps.iteration[at], upper, steps.value[at], turn * steps.value[at + 1],
                rewards[upper], turn * rewards[lower],
                search.to_move[upper] == CHANCE, search.to_move[lower] == CHANCE,
                steps_back(steps.iteration)[at], depth[upper].astype(np.int64),
                is_new, childless[lower],
        )  # fmt: skip


def sums_of_steps(search: CheckedSearch) -> Iterator[RewardSteps]:
    """The same where an iteration has several leaves: nodes all of whose visits came through children that were there
    before; nothing where rewards were not recorded, or where threads leave virtual losses that are not known."""
    columns = search.trace.columns
    in_flight = columns.worker is not None and columns.virtual is None
    if columns.nodes.reward is None or in_flight:
        return
    rewards = columns.nodes.reward.astype(np.float64)
    valueless = columns.without_value(search.T)
    above_chance = np.zeros(search.N, np.bool_)
    above_chance[search.parent[1:][search.to_move[1 : search.N] == CHANCE]] = True
    for part in search.ranges():
        updates = part.updates
        node, visits, value = updates.node, updates.visits, updates.value
        rewarded = visits * rewards[node]
        turn = np.ones(len(node))
        if not search.alone:
            above = np.maximum(search.parent[node], 0)
            turn[search.mover[node] != search.mover[above]] = -1.0
        new = (search.born[node] == updates.iteration).astype(np.int64)
        use = (children_of(search, part, visits).total == visits) & (visits > 0)
        use &= (children_of(search, part, new).total == 0) & ~np.isin(node, valueless)
        lower = children_of(search, part, turn * value).total
        below = children_of(search, part, turn * rewarded).total
        at = np.flatnonzero(use & ~np.isnan(below))
        yield RewardSteps(
                updates.iteration[at], node[at], value[at], lower[at], rewarded[at], below[at],
                search.to_move[node[at]] == CHANCE, above_chance[node[at]],
                np.ones(len(at), np.int64), search.topology.depth[node[at]].astype(np.int64),
                np.zeros(len(at), np.bool_), np.zeros(len(at), np.bool_),
        )  # fmt: skip
