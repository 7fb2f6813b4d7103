"""Ends of episodes that are worth something by themselves, though back-up adds the reward of the move into them: it, or
those of the whole way, count twice. What comes after an end is worth nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.types import Bools, Floats, Ints

FEW = 20  # visits of ends
FEW_ENDS = 3
FEW_KINDS = 2  # of rewards at ends, of which fewer ends are enough
NEARLY_ALL = 0.98  # of the visits
FEW_PAID = 36  # visits of ends that bring what no other move brings
HALF = 0.5  # of the leaves where an episode goes on, which may be worth their own reward by chance
ROUNDING = 1e-4  # of the magnitudes: searches count in float32, too
SAME_REWARD = 6  # digits


class LeafVisits(NamedTuple):
    """Visits that added one to a leaf, V of them."""

    iteration: Ints
    node: Ints
    value: Floats
    again: Bools  # whether it had visits before

    def where(self, use: Bools) -> LeafVisits:
        """Some of them: mask [V]."""
        return LeafVisits(self.iteration[use], self.node[use], self.value[use], self.again[use])


def check_ends(search: CheckedSearch, gamma: float, own: bool | None) -> Iterator[Finding]:
    """Findings about ends, where back-up adds rewards as it should. own: whether a node's value has the reward of the
    move into it; None: not known."""
    columns = search.trace.columns
    if columns.nodes.reward is None or search.same_as is not None:
        return
    reward = np.nan_to_num(columns.nodes.reward[: search.N].astype(np.float64))
    visits = _visits_of_leaves(search)
    ends = visits.where(visits.again & search.childless()[visits.node])
    whole = list(_of_whole_episodes(search, ends, reward, gamma))
    yield from whole
    if not whole and own is not None:
        yield from _of_the_last_move(search, visits, ends, reward, gamma, own)


def _visits_of_leaves(search: CheckedSearch) -> LeafVisits:
    parts = []
    for part in search.ranges():
        steps = part.steps
        use = steps.is_leaf & (steps.visits == 1) & (steps.node > 0)
        again = part.before_steps().visits > 0
        parts.append(
            LeafVisits(steps.iteration[use], steps.node[use], steps.value[use], again[use])
        )
    return LeafVisits(*(np.concatenate(column) for column in zip(*parts)))


def _of_whole_episodes(
    search: CheckedSearch, ends: LeafVisits, reward: Floats, gamma: float
) -> Iterator[Finding]:
    """Ends that get the rewards of the way to them."""
    depth = search.topology.depth[: search.N].astype(np.int64)
    past = np.zeros(search.N)
    for level in range(1, int(depth.max()) + 1):
        nodes = np.flatnonzero(depth == level)
        past[nodes] = past[search.parent[nodes]] + gamma ** (level - 1) * reward[nodes]
    _, node, value, _ = ends
    near = ROUNDING * (np.abs(value) + np.abs(past[node])) + 1e-9
    fits = np.abs(value - past[node]) <= near
    # a node's value may have its own reward
    tells = fits & (np.abs(value) > near) & (np.abs(past[node] - reward[node]) > near)
    n, same = len(node), int(fits.sum())
    if n < FEW or same < NEARLY_ALL * n or len(np.unique(node[tells])) < FEW_ENDS:
        return
    at = int(np.argmax(tells))
    t, end, worth = int(ends.iteration[at]), int(node[at]), float(value[at])
    yield found(
        "value-reward", t, end,
        f"the rewards on the way to a node count twice: node {end:,}, where an episode ends, gets {worth:.6g} in "
        f"iteration {t:,}, which is all that the moves down to it bring, and back-up adds these rewards again. So it "
        f"is at {same:,} of {n:,} visits of ends; what comes after an end is worth 0. Back up the return from the leaf "
        "on, or that of the whole episode without adding rewards",
        times=same, of=n, discount=gamma,
    )  # fmt: skip


def _of_the_last_move(
    search: CheckedSearch, visits: LeafVisits, ends: LeafVisits, reward: Floats, gamma: float,
    own: bool,
) -> Iterator[Finding]:  # fmt: skip
    """Ends whose evaluation is the reward of the move into them. Told by rewards that no move brings where an episode
    goes on: else rollouts may bring the same again."""
    childless = search.childless()
    is_paid = _Paid(reward, gamma, own)
    of_inner = np.unique(np.round(reward[1:][~childless[1:]], SAME_REWARD))
    special = np.round(reward[ends.node], SAME_REWARD)
    ends = ends.where(~np.isin(special, of_inner) & (special != 0.0))
    going_on = visits.where(~visits.again & ~childless[visits.node] & (reward[visits.node] != 0.0))
    if len(going_on.node) and is_paid(going_on).mean() > HALF:
        return
    depth = search.topology.depth
    limit = int(depth[: search.N].max())  # where an episode may be cut off, and has not ended
    for some in (ends, ends.where(depth[ends.node] < limit)):
        paid = is_paid(some)
        n, same, several = len(paid), int(paid.sum()), len(np.unique(some.node[paid]))
        kinds = len(np.unique(np.round(reward[some.node[paid]], SAME_REWARD)))
        enough = several >= FEW_ENDS or kinds >= FEW_KINDS
        if n < FEW_PAID or same < NEARLY_ALL * n or not enough:
            continue
        at = int(np.argmax(paid))
        t, end = int(some.iteration[at]), int(some.node[at])
        gets = f"the end gets {float(some.value[at]):.6g} in iteration {t:,}"
        yield found(
            "value-reward", t, end,
            f"the last reward of an episode counts twice: the move to node {end:,}, where an episode ends, brings "
            f"{reward[end]:.6g}, which back-up adds, and the end is evaluated as the same {reward[end]:.6g} again; "
            f"{gets}. So it is at {same:,} of {n:,} visits of {several:,} ends. What comes after an end is worth "
            "0: return 0 as the evaluation of a finished episode",
            times=same, of=n, ends=several, discount=gamma,
        )  # fmt: skip
        return


class _Paid:
    """Whether the evaluation of a leaf is the reward of the move into it."""

    def __init__(self, reward: Floats, gamma: float, own: bool) -> None:
        self.reward, self.gamma, self.own = reward, gamma, own

    def __call__(self, visits: LeafVisits) -> Bools:
        reward, value = self.reward[visits.node], visits.value
        # the first evaluation may be discounted, or not, before the reward is added
        due = ((1.0 + self.gamma) * reward, 2.0 * reward) if self.own else (reward,)
        near = ROUNDING * (np.abs(value) + np.abs(reward)) + 1e-9
        return np.asarray(np.any([np.abs(value - each) <= near for each in due], axis=0))
