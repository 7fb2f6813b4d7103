"""Whether nearly all new leaves get one and the same value, as where each rollout ends after its first step.

Where moves bring rewards, the value is told by how many moves bring as much. Where results alone count, by the leaves
that get another one: the game ends right below them. From others the end is not seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.constant import may_be_meant
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.values.of_visits import ENOUGH_STEPS, steps_down
from mcts_viz.types import Bools, Floats, Ints

MANY_LEAVES = 200
NEARLY_ALL = 0.9  # of the leaves
MOST_MOVES = 3  # from the move into the leaf on, whose rewards are all that it gets
USUAL = 0.5  # of the moves bring the same
FEW_OTHERS, NEXT_TO_ENDS = (
    6,
    0.8,
)  # leaves with another value, and share of them right above such an end
FEW_ENDS, MOSTLY = 6, 0.5  # nodes where games end, and share of them with another value


def check_short_rollouts(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A note where leaves at which the game goes on have one value, or nearly all of them."""
    going_on = leaves.where(~search.ended[leaves.node] & (leaves.node > 0))
    if len(going_on.node) < MANY_LEAVES or may_be_meant(search):
        return
    usual = _usual(going_on.value)
    others = np.abs(going_on.value - usual) > search.slack
    if not others.any() or others.mean() > 1 - NEARLY_ALL:
        return  # of one value there is `check_constant`
    if search.meta.step_rewards or search.has_rewards:
        yield from _of_rewards(search, going_on, others, usual)
    else:
        yield from _of_results(search, leaves, going_on.where(others), usual)


def _usual(values: Floats) -> float:
    kinds, times = np.unique(np.round(values, 6), return_counts=True)
    return float(kinds[np.argmax(times)])


def _of_rewards(
    search: CheckedSearch, going_on: NewLeaves, others: Bools, usual: float
) -> Iterator[Finding]:
    gamma = 1.0 if search.discount is None else search.discount
    reward = _usual_reward(search, gamma)
    if not search.alone or reward is None or abs(reward) <= search.slack:
        return
    returns = reward * np.cumsum(gamma ** np.arange(MOST_MOVES))
    same = np.flatnonzero(np.abs(returns - usual) <= search.slack)
    if not len(same):
        return
    moves = int(same[0]) + 1
    bring = f"the move into the leaf brings alone, {reward:.4g}"
    if moves > 1:
        bring = f"{moves} moves of {reward:.4g} bring, the first of them into the leaf"
    yield _finding(
        going_on, others, usual,
        f"That is what {bring}, so that simulations seem to look no further: what lies behind is seen from no leaf. "
        "Right where leaves are not simulated on purpose, or have all the same ahead; else a rollout is cut short, as "
        "by a `return` that stands inside its loop",
    )  # fmt: skip


def _usual_reward(search: CheckedSearch, gamma: float) -> float | None:
    """What most moves bring, by what a node gets beside its child."""
    some, n = [np.zeros(0)], 0
    for part in search.ranges():
        down = steps_down(search, part)
        value = part.steps.value
        some.append(value[down.at] - gamma * value[down.at + 1])
        n += len(down.at)
        if n >= ENOUGH_STEPS:
            break
    rewards = np.concatenate(some)
    if len(rewards) < MANY_LEAVES:
        return None
    usual = _usual(rewards)
    return usual if (np.abs(rewards - usual) <= search.slack).mean() >= USUAL else None


def _of_results(
    search: CheckedSearch, leaves: NewLeaves, others: NewLeaves, usual: float
) -> Iterator[Finding]:
    ends = leaves.where(search.ended[leaves.node])
    apart = np.abs(ends.value - usual) > search.slack
    if len(ends.node) < FEW_ENDS or apart.mean() < MOSTLY:
        return
    # of some nodes the end is not among the children that were made so far: where all moves are there, one was chosen
    children, visits = search.n_children(others.node), search.statistics_after(search.T).visits
    others = others.where((children > 0) & (visits[others.node] >= children + 2))
    next_to = _right_above(search, others, ends)
    if len(others.node) < FEW_OTHERS or next_to.mean() < NEXT_TO_ENDS:
        return
    going_on = leaves.where(~search.ended[leaves.node] & (leaves.node > 0))
    yield _finding(
        going_on, np.abs(going_on.value - usual) > search.slack, usual,
        f"Of these {len(others.node):,} have all their children, and at {int(next_to.sum()):,} the game ends right "
        "below, with that value: a simulation sees an end only where it is one move away. Right where leaves are "
        "valued so on purpose; else rollouts are cut short, as by a `return` that stands inside their loop",
    )  # fmt: skip


def _right_above(search: CheckedSearch, leaves: NewLeaves, ends: NewLeaves) -> Bools:
    """[L] whether a child of each is an end with its value, told for the same player."""
    above: Ints = search.parent[ends.node].astype(np.int64)
    same = search.alone | (search.mover[ends.node] == search.mover[above])
    value = np.where(same, ends.value, sum(search.value_range) - ends.value)
    known = set(zip(above.tolist(), np.round(value, 5).tolist()))
    wanted = zip(leaves.node.tolist(), np.round(leaves.value, 5).tolist())
    return np.array([each in known for each in wanted], np.bool_)


def _finding(going_on: NewLeaves, others: Bools, usual: float, words: str) -> Finding:
    n, at = len(others), int(np.argmin(others))
    kinds = np.unique(np.round(going_on.value[others], 6))
    shown = ", ".join(f"{kind:g}" for kind in kinds[:4]) + (", …" if len(kinds) > 4 else "")
    return found(
        "simulation-constant", int(going_on.iteration[at]), int(going_on.node[at]),
        f"{n - int(others.sum()):,} of {n:,} new leaves where the game goes on get the same value, {usual:.6g}, "
        f"and the other {int(others.sum()):,} get {shown}. {words}",
        value=usual, leaves=n, others=int(others.sum()),
    ).as_note()  # fmt: skip
