"""Whether rollouts leave out the reward of their last move, that into the end of the episode; of one player, whose
rewards are told.

Needs no rules. From a leaf right above an end a random rollout takes the move into it with a chance of one in as many
moves as there are, and then is worth the reward of that move, and nothing else. Where it breaks off before it adds that
reward, it is worth exactly 0. Leaves right above an end are those with such a child, and those at the same position, by
its text."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.constant import may_be_meant
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.health.values.rewards import discount_of, includes_own_reward
from mcts_viz.types import Bools, Floats

AGAIN = 3  # visits of a node that is taken for an end, each of which brings the reward of the move into it alone
FEW = 2  # leaves right above an end with exactly 0
# chance that these stand right above ends by accident, for a note and for a warning: where each move costs, hardly any
# correct search has leaves with exactly 0, wherever they are
UNLIKELY, VERY_UNLIKELY = math.log(0.005), math.log(1e-4)
# the same of no rollout that takes the move into an end, for a note where many leaves have exactly 0
NOT_TAKEN = -9.0
SAME_REWARD = 6  # digits
MOST_SURE = 0.95  # chance of a move that seems to be the only one; others may be unknown


def check_last_reward(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A warning where leaves right above ends have exactly 0 and others have not; a note where these are few, or where
    others have, too."""
    if not search.alone or not search.has_rewards or may_be_meant(search) or search.meta.shared:
        return
    own = includes_own_reward(search)
    if own is None:
        return
    over = _over(search, own)
    best = _best_next(search, over)
    at = leaves.where(~_may_be_over(search, over)[leaves.node] & (leaves.node > 0))
    rest = at.value - search.rewards[at.node] if own else at.value
    gamma = discount_of(search) if own else 1.0
    near, nothing = np.isfinite(best[at.node]), np.abs(rest) <= search.slack
    took = near & (np.abs(rest - gamma * best[at.node]) <= search.slack)
    broken, elsewhere = near & nothing, nothing[~near & _shows_ends(search, at)]
    n, times, other = int(near.sum()), int(broken.sum()), int(elsewhere.sum())
    if times < FEW or took.any():
        return
    chance = _chance(n, times, len(elsewhere), other)
    most = int(search.n_children(np.arange(search.N)).max())
    if chance > UNLIKELY and n * np.log1p(-min(1 / most, MOST_SURE)) > NOT_TAKEN:
        return
    first = int(np.argmax(broken))
    node = int(at.node[first])
    finding = found(
        "simulation-unfinished", int(at.iteration[first]), node,
        f"rollouts seem to leave out the reward of their last move, that into the end of the episode: from node "
        f"{node:,} such a move brings {float(best[node]):.4g}, and its first visit adds exactly 0 beside the reward of "
        f"the move into it. So it is at {times:,} of {n:,} new leaves right above an end, and at "
        f"{other:,} of {len(elsewhere):,} others; none gets what the move into the end brings, which "
        "the tree counts. So it is where the loop of a rollout breaks when the episode is done, before it adds the "
        "reward of that step",
        broken=times, near=n,
    )  # fmt: skip
    if chance <= VERY_UNLIKELY:
        yield finding.as_warning()
    else:
        yield finding.as_note(
            f"{finding.message}. Right where leaves are not simulated, and the rewards in the tree alone count"
        )


def _chance(n: int, times: int, others: int, times_other: int) -> float:
    """Logarithm of a bound of the chance that so many of all leaves with exactly 0 are among the n."""
    ways = (
        math.lgamma(times + times_other + 1) - math.lgamma(times + 1) - math.lgamma(times_other + 1)
    )
    return ways + times * math.log(n / (n + others))


def _over(search: CheckedSearch, own: bool) -> Bools:
    """[N] where episodes seem to end: nodes without children whose visits bring nothing beside the reward of the move
    into them, each time; and those told to."""
    over = search.childless() & (search.statistics_after(search.T).visits >= AGAIN)
    for part in search.ranges():
        values = values_of(search, part)
        rest = values.value - (search.rewards[values.node] if own else 0.0)
        over[values.node[values.is_leaf & (np.abs(rest) > search.slack)]] = False
    over[0] = False
    return np.asarray(over | search.ended, np.bool_)


def _shows_ends(search: CheckedSearch, leaves: NewLeaves) -> Bools:
    """[L] whether a leaf right above an end is known as such: by the text of its position, or as all its children were
    made, so that one of them was chosen."""
    if search.trace.columns.nodes.state is not None:
        return np.ones(len(leaves.node), np.bool_)
    children, visits = search.n_children(leaves.node), search.statistics_after(search.T).visits
    return np.asarray((children > 0) & (visits[leaves.node] >= children + 2), np.bool_)


def _may_be_over(search: CheckedSearch, over: Bools) -> Bools:
    """[N] these, and others without children whose moves bring as much as one into an end."""
    paid = np.unique(np.round(search.rewards[over], SAME_REWARD))
    return over | (
        search.childless() & np.isin(np.round(search.rewards, SAME_REWARD), paid[paid != 0])
    )


def _best_next(search: CheckedSearch, over: Bools) -> Floats:
    """[N] what the best move into an end brings from each node, or from one at the same position; −inf: there is
    none."""
    best = np.full(search.N, -np.inf)
    ends = np.flatnonzero(over)
    ends = ends[np.abs(search.rewards[ends]) > search.slack]
    np.maximum.at(best, search.parent[ends], search.rewards[ends])
    states = search.trace.columns.nodes.state
    if states is None or not len(ends):
        return best
    at_position: dict[str, float] = {}
    for node in np.flatnonzero(np.isfinite(best)).tolist():
        text = states[node]
        if text is not None:
            at_position[text] = max(at_position.get(text, -np.inf), float(best[node]))
    for node in range(search.N):
        best[node] = max(best[node], at_position.get(states[node] or "", -np.inf))
    return best
