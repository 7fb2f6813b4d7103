"""Whether rewards are those of the moves, or of the moves before: then all children of a node have the same one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Floats, Ints

FEW_FAMILIES = 10  # with a reward
FEW_KINDS = 4  # different rewards
NEARLY_ALL = 0.98  # families
FEW_STATES = 5  # that two nodes share, whose families have different rewards
SOME = 0.2  # share of such states
SAME = 1e-6  # relative


class SiblingRewards(NamedTuple):
    """The rewards of two siblings or more, F families of them."""

    node: Ints  # [F] their parent
    reward: Floats  # [F] the greatest
    alike: Bools  # [F] whether they have the same one
    paid: Bools  # [F] whether it is another one than 0, of some


def check_late_rewards(search: CheckedSearch) -> Iterator[Finding]:
    """A note where siblings have the same reward everywhere, and others have another one; a warning where nodes with
    the same position differ in it, which no reward for a position can."""
    if search.trace.columns.nodes.reward is None or not search.has_rewards or search.meta.shared:
        return
    families = _families(search)
    paid = int(families.paid.sum())
    if paid < FEW_FAMILIES or families.alike[families.paid].mean() < NEARLY_ALL:
        return
    kinds = np.unique(np.round(families.reward[families.alike], 6))
    if len(kinds) < FEW_KINDS or not _differ_at_one_depth(search, families):
        return
    alike = families.paid & families.alike
    first = int(np.argmax(alike))
    node, reward = int(families.node[first]), float(families.reward[first])
    text = (
        f"all children of node {node:,} have the reward {reward:.6g}; in {int(alike.sum()):,} of {paid:,} families "
        "with a reward siblings have the same one, which differs from family to family. So it is where a move's reward "
        "stands at the children of the node that it leads to, one step too late: `Node(prior, reward)` of new children "
        "takes what the model said of the move into their parent"
    )
    finding = found(
        "expansion-late-rewards",
        int(search.born[node]),
        node,
        text,
        families=paid,
        kinds=len(kinds),
    )
    states, differ = _different_at_equal_states(search, families)
    if differ >= max(FEW_STATES, SOME * states):
        more = (
            f". It is no reward for the position that is left, either: of {states:,} positions that several nodes "
            f"have, {differ:,} have different ones below them"
        )
        yield replace(finding, message=text + more)
        return
    yield finding.as_note(f"{text}. Right where a reward is for the position that is left")


def _families(search: CheckedSearch) -> SiblingRewards:
    told = search.trace.columns.nodes.reward
    assert told is not None
    reward = told[: search.N].astype(np.float64)
    parts: list[SiblingRewards] = []
    for _, _, children in search.families.parts(RANGE_ROWS):
        known = ~np.isnan(reward[children]) & (search.to_move[search.parent[children]] != CHANCE)
        own = children[known]
        if not len(own):
            continue
        above = search.parent[own].astype(np.int64)
        first = np.flatnonzero(np.diff(above, prepend=-1))
        several = np.diff(first, append=len(own)) > 1
        least = np.minimum.reduceat(reward[own], first)[several]
        most = np.maximum.reduceat(reward[own], first)[several]
        alike = most - least <= SAME * (1 + np.abs(most))
        parts.append(SiblingRewards(above[first][several], most, alike, (most > 0) | (least < 0)))
    return SiblingRewards(
        np.concatenate([np.zeros(0, np.int64), *(part.node for part in parts)]),
        np.concatenate([np.zeros(0), *(part.reward for part in parts)]),
        np.concatenate([np.zeros(0, np.bool_), *(part.alike for part in parts)]),
        np.concatenate([np.zeros(0, np.bool_), *(part.paid for part in parts)]),
    )


def _differ_at_one_depth(search: CheckedSearch, families: SiblingRewards) -> bool:
    """Whether something else than the number of moves decides about rewards."""
    depth = search.topology.depth[families.node]
    rewards = families.reward[families.alike]
    at = depth[families.alike]
    spread = [float(np.ptp(rewards[at == each])) for each in np.unique(at)]
    return sum(each > SAME for each in spread) > 1


def _different_at_equal_states(search: CheckedSearch, families: SiblingRewards) -> tuple[int, int]:
    """How many told positions several of the nodes have, and in how many of these the rewards differ."""
    states = search.trace.columns.nodes.state
    if states is None:
        return 0, 0
    by_state: dict[str, list[float]] = {}
    for node, reward in zip(
        families.node[families.alike].tolist(), families.reward[families.alike].tolist()
    ):
        text = states[node]
        if text is not None:
            by_state.setdefault(text, []).append(reward)
    several = [rewards for rewards in by_state.values() if len(rewards) > 1]
    differ = [max(each) - min(each) > SAME * (1 + abs(max(each))) for each in several]
    return len(several), sum(differ)
