"""Ends of episodes whose last reward counts wrongly, where back-up adds rewards as it should elsewhere. They are worth
something by themselves, though back-up adds the reward of the move into them: it, or those of the whole way, count
twice. Or each node adds its own reward, and the leaf has none. What comes after an end is worth nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.types import Bools, Floats, Ints

FEW = 20  # visits of ends
FEW_ENDS = 3
FEW_KINDS = 2  # of rewards at ends, of which fewer ends are enough
MANY_KINDS = 3  # of rewards that other moves bring, too: not all of them by chance
NEARLY_ALL = 0.98  # of the visits
FEW_PAID = 36  # visits of ends that bring what no other move brings
HALF = 0.5  # of the leaves where an episode goes on, which may be worth their own reward by chance
ROUNDING = 1e-4  # of the magnitudes: searches count in float32, too
SAME_REWARD = 6  # digits


class LeafVisits(NamedTuple):
    """Visits of a range of iterations that added one to a leaf, V of them."""

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
    looks: list[_WholeEpisodes | _LastMove | _OwnLost] = [_WholeEpisodes(search, reward, gamma)]
    if own:
        looks.append(_OwnLost(search, reward, gamma))
    if own is not None:
        looks.append(_LastMove(search, reward, _Paid(reward, gamma, own), gamma))
    for part in search.ranges():
        visits = _visits_of_leaves(part)
        for each in looks:
            each.look(visits)
    for each in looks:
        findings = list(each.findings())
        if findings:
            yield from findings
            return


def _visits_of_leaves(part: IterationRange) -> LeafVisits:
    steps = part.steps
    use = steps.is_leaf & (steps.visits == 1) & (steps.node > 0)
    again = part.before_steps().visits > 0
    return LeafVisits(steps.iteration[use], steps.node[use], steps.value[use], again[use])


class _EndVisits:
    """Visits of ends, and those that show a mistake: how many, where first, and at which nodes."""

    def __init__(self, search: CheckedSearch) -> None:
        self.n = self.same = 0
        self.at = np.zeros(search.N, np.bool_)
        self.first: tuple[int, int, float] | None = None  # iteration, node, value

    def add(self, visits: LeafVisits, same: Bools, tells: Bools | None = None) -> None:
        """same: those that fit the mistake, mask [V]; tells: of these, those that would not fit by chance."""
        shown = same if tells is None else tells
        self.n += len(same)
        self.same += int(same.sum())
        self.at[visits.node[shown]] = True
        if self.first is None and shown.any():
            at = int(np.argmax(shown))
            self.first = int(visits.iteration[at]), int(visits.node[at]), float(visits.value[at])


class _WholeEpisodes:
    """Ends that get the rewards of the way to them."""

    def __init__(self, search: CheckedSearch, reward: Floats, gamma: float) -> None:
        self.childless, self.reward, self.gamma = search.childless(), reward, gamma
        self.ends = _EndVisits(search)
        depth = search.topology.depth[: search.N].astype(np.int64)
        self.past = np.zeros(search.N)
        for level in range(1, int(depth.max()) + 1):
            nodes = np.flatnonzero(depth == level)
            above = self.past[search.parent[nodes]]
            self.past[nodes] = above + gamma ** (level - 1) * reward[nodes]

    def look(self, visits: LeafVisits) -> None:
        ends = visits.where(visits.again & self.childless[visits.node])
        past, last, value = self.past[ends.node], self.reward[ends.node], ends.value
        near = ROUNDING * (np.abs(value) + np.abs(past)) + 1e-9
        fits = np.abs(value - past) <= near
        # a node's value may have its own reward
        self.ends.add(ends, fits, fits & (np.abs(value) > near) & (np.abs(past - last) > near))

    def findings(self) -> Iterator[Finding]:
        n, same, first = self.ends.n, self.ends.same, self.ends.first
        if n < FEW or same < NEARLY_ALL * n or self.ends.at.sum() < FEW_ENDS or first is None:
            return
        t, end, worth = first
        yield found(
            "value-reward", t, end,
            f"the rewards on the way to a node count twice: node {end:,}, where an episode ends, gets {worth:.6g} in "
            f"iteration {t:,}, which is all that the moves down to it bring, and back-up adds these rewards again. So "
            f"it is at {same:,} of {n:,} visits of ends; what comes after an end is worth 0. Back up the return from "
            "the leaf on, or that of the whole episode without adding rewards",
            times=same, of=n, discount=self.gamma,
        )  # fmt: skip


class _OwnLost:
    """Ends that are worth nothing, where the value of every other node has the reward of the move into it."""

    def __init__(self, search: CheckedSearch, reward: Floats, gamma: float) -> None:
        self.childless, self.reward, self.gamma = search.childless(), reward, gamma
        self.ends = _EndVisits(search)

    def look(self, visits: LeafVisits) -> None:
        paid = self.childless[visits.node] & (self.reward[visits.node] != 0.0)
        ends = visits.where(visits.again & paid)
        self.ends.add(ends, np.abs(ends.value) <= ROUNDING * np.abs(self.reward[ends.node]))

    def findings(self) -> Iterator[Finding]:
        n, same, first = self.ends.n, self.ends.same, self.ends.first
        if n < FEW or same < n or self.ends.at.sum() < FEW_ENDS or first is None:
            return
        t, end, _ = first
        yield found(
            "value-reward", t, end,
            f"the reward of the leaf is lost: node {end:,}, where an episode ends, gets 0 in iteration {t:,}, and the "
            f"move into it brings {self.reward[end]:.6g}; so it is at all {n:,} visits of {int(self.ends.at.sum()):,} "
            "such ends. At all other steps a node gets its own reward and γ times what its child gets. So each node "
            "adds the reward of the move into itself where that of the move to its child belongs, as in a loop that "
            "goes on to the parent before it adds the reward: add the child's reward, or the leaf's own, too",
            times=same, ends=int(self.ends.at.sum()), discount=self.gamma,
        )  # fmt: skip


class _LastMove:
    """Ends whose evaluation is the reward of the move into them. Told by rewards that no move brings where an episode
    goes on, or by several kinds of them: else rollouts may bring the same again."""

    def __init__(self, search: CheckedSearch, reward: Floats, is_paid: _Paid, gamma: float) -> None:
        self.childless, self.reward = search.childless(), reward
        self.is_paid, self.gamma = is_paid, gamma
        of_inner = np.unique(np.round(reward[1:][~self.childless[1:]], SAME_REWARD))
        rounded = np.round(reward, SAME_REWARD)
        self.special = ~np.isin(rounded, of_inner) & (rounded != 0.0)
        depth = search.topology.depth[: search.N]
        self.before_limit = depth < depth.max()  # below it an episode may be cut off
        self.ends, self.ends_before_limit, self.all_ends, self.going_on = (
            _EndVisits(search) for _ in range(4)
        )

    def look(self, visits: LeafVisits) -> None:
        node, childless = visits.node, self.childless[visits.node]
        is_paid = self.reward[node] != 0.0
        all_ends = visits.where(visits.again & childless & is_paid)
        ends = all_ends.where(self.special[all_ends.node])
        early = ends.where(self.before_limit[ends.node])
        going_on = visits.where(~visits.again & ~childless & is_paid)
        for some, seen in (
            (ends, self.ends),
            (early, self.ends_before_limit),
            (all_ends, self.all_ends),
            (going_on, self.going_on),
        ):
            seen.add(some, self.is_paid(some))

    def findings(self) -> Iterator[Finding]:
        if self.going_on.same > HALF * self.going_on.n:
            return
        for some in (self.ends, self.ends_before_limit, self.all_ends):
            n, same, several, first = some.n, some.same, int(some.at.sum()), some.first
            kinds = len(np.unique(np.round(self.reward[some.at], SAME_REWARD)))
            enough = several >= FEW_ENDS or kinds >= FEW_KINDS
            if some is self.all_ends:
                enough = kinds >= MANY_KINDS
            if n < FEW_PAID or same < NEARLY_ALL * n or not enough or first is None:
                continue
            t, end, worth = first
            yield found(
                "value-reward", t, end,
                f"the last reward of an episode counts twice: the move to node {end:,}, where an episode ends, brings "
                f"{self.reward[end]:.6g}, which back-up adds, and the end is evaluated as the same "
                f"{self.reward[end]:.6g} again; the end gets {worth:.6g} in iteration {t:,}. So it is at {same:,} of "
                f"{n:,} visits of {several:,} ends. What comes after an end is worth 0: return 0 as the evaluation of "
                "a finished episode",
                times=same, of=n, ends=several, discount=self.gamma,
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
