"""Whether episodes of one player that end with the best result get less than was told of them, and less than leaves
where the search goes on, while those that end otherwise get what was told."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.batch_leaves import values_of_leaves
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.types import Bools, Floats, Ints

FEW_BEST, FEW_OTHERS = 3, 10  # episodes
NEARLY_ALL = 0.95  # of their visits
LOWER = 0.25  # share of the leaves where the search goes on that get as little
MOST = 500_000  # visits looked at, the first ones
SHOWN = 1e-5


def check_best_ends(search: CheckedSearch, several_leaves: bool = False) -> Iterator[Finding]:
    """A warning. That others get what was told of them says that outcomes and values are of one scale."""
    low, high = search.value_range
    rewarded = search.has_rewards or search.meta.step_rewards
    if rewarded or not search.alone or not search.ended.any():
        return
    iteration, node, value = _leaves(search, several_leaves)
    over, near = search.ended[node], search.slack + SHOWN
    due = low + (high - low) * (1 + search.share(search.known_outcome[node], 0)) / 2
    best, wrong = over & (due >= high - near), np.abs(value - due) > near
    others, goes_on = over & ~best, value[~over]
    if _n(node, best) < FEW_BEST or _n(node, others) < FEW_OTHERS or not len(goes_on):
        return
    if wrong[others].mean() > 1 - NEARLY_ALL or wrong[best].mean() < NEARLY_ALL:
        return
    most = float(value[best & wrong].max())
    if np.mean(goes_on <= most) > LOWER:
        return
    first = int(np.argmax(best & wrong))
    times, of = int((best & wrong).sum()), _n(node, best)
    finding = found(
        "simulation-terminal", int(iteration[first]), int(node[first]),
        f"what ends best counts less than what is not finished: node {int(node[first]):,} was told to be finished "
        f"with the best result there is, so that {due[first]:.4g} is due, and iteration {int(iteration[first]):,} adds "
        f"{value[first]:.4g}. So it is at {times:,} visits of all {of:,} such nodes, while leaves where the search "
        f"goes on get {np.median(goes_on):.4g} in the middle, and {_n(node, others):,} nodes that ended otherwise get "
        'what was told of them. Print what is read from the answer about such a node: "10/10" may be read as 1, or a '
        "success may not be scored as one. Right where outcome= tells what the search does not know",
        times=times, nodes=of,
    )  # fmt: skip
    yield finding.as_warning()


def _n(node: Ints, which: Bools) -> int:
    return len(np.unique(node[which]))


def _leaves(search: CheckedSearch, several_leaves: bool) -> tuple[Ints, Ints, Floats]:
    """Iteration, node and value of each visit of a leaf."""
    none = np.zeros(0, np.int64)
    parts = [(none, none, np.zeros(0))]
    n = 0
    for part in search.ranges():
        values = values_of_leaves(search, part) if several_leaves else values_of(search, part)
        values = values.where(values.is_leaf)
        parts.append((values.iteration, values.node, values.value))
        n += len(values.node)
        if n >= MOST:
            break
    iteration, node, value = (np.concatenate(column) for column in zip(*parts))
    return iteration, node, value
