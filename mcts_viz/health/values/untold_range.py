"""A range of values that was not told: −1 to 1 is meant where nobody says another one, and many searches count from 0
to 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.finding import Finding
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Floats, Ints

TOLD, MEANT = [-1.0, 1.0], [0.0, 1.0]
ROWS = 50_000  # updates that are looked at
FEW = 50  # pairs of values
SOME = 0.2  # share of them that has to add up to 1: a draw may be worth anything
TINY = 1e-6
FEW_LEAVES = 20
NEARLY_ALL = 0.95  # values
LITTLE_MORE = 1.5  # times what new leaves get
MANY_BEYOND = 0.05  # share of new leaves
RESULTS = 3  # kinds of values of new leaves: of a win, a draw and a loss
KINDS = 6  # different values of theirs
FAR = 20.0  # times the median of those beyond 1: one number that is farther is a mistake


def meant_range(trace: Trace) -> TraceMeta | None:
    """The metadata with the ranges that seem to be meant; None where those told may be right."""
    values, outcomes = _meant_values(trace), _meant_outcomes(trace)
    if outcomes is None:
        return values
    return TraceMeta({**(values or trace.meta), "reward_range": outcomes})


def _meant_outcomes(trace: Trace) -> list[float] | None:
    """From 0 to 1, where values are told to be, none of the outcomes told of a game of two is below 0, and what is told
    as 0 brings values at an end of their range: it is a loss, and no draw."""
    meta, columns = trace.meta, trace.columns
    if meta.is_ours or not meta.mirrors or list(meta.reward_range) != TOLD:
        return None
    if list(meta.value_range) != MEANT:
        return None
    updates = columns.updates
    rows = slice(0, int(np.searchsorted(updates.offset, ROWS)))
    told, of_leaf = np.asarray(columns.outcome[rows]), columns.nodes.outcome[columns.leaf[rows]]
    told = np.where(np.isnan(told), of_leaf, told)
    known = told[~np.isnan(told)]
    if len(known) < FEW or known.min() < 0 or known.max() > 1 or (known == 0).sum() < FEW_LEAVES:
        return None
    begin, end = int(updates.offset[0]), int(updates.offset[len(told)])
    outcome = np.repeat(told, np.diff(updates.offset[: len(told) + 1]))
    once = np.asarray(updates.visits[begin:end]) == 1
    value = np.asarray(updates.value[begin:end])[once & (outcome == 0)]
    at_ends = (np.abs(value) <= TINY) | (np.abs(value - 1) <= TINY)
    return MEANT if len(value) and at_ends.mean() >= NEARLY_ALL else None


def _meant_values(trace: Trace) -> TraceMeta | None:
    """The metadata with values from 0 to 1, if no value is below 0 and those of the two players often add up to 1;
    None where the range told may be right."""
    meta = trace.meta
    if meta.is_ours or list(meta.value_range) != TOLD:
        return None
    wider = _wider(trace)
    if wider is not None or meta.n_players != 2:
        return wider
    once = np.asarray(trace.columns.updates.visits[:ROWS]) == 1
    given = np.asarray(trace.columns.updates.value[:ROWS])[once]
    if not len(given) or given.min() < -TINY or given.max() > 1 + TINY:
        return None
    _, first, second = values_of_both(trace)
    if len(first) < FEW or np.ptp(first) < 0.5:
        return None
    if np.mean(np.abs(first + second - 1) <= TINY) < SOME:
        return None
    return TraceMeta({**meta, "value_range": MEANT})


class ValuesOfBoth(NamedTuple):
    """What single visits have added to K nodes below the root and to the children that were taken there, where another
    player moved into these; view of who moved there."""

    row: Ints  # [K] of the node's update
    node: Floats  # [K]
    child: Floats  # [K]


def values_of_both(trace: Trace) -> ValuesOfBoth:
    """Those of the first iterations."""
    updates, nodes = trace.columns.updates, trace.columns.nodes
    node = np.asarray(updates.node[:ROWS]).astype(np.int64)
    value = np.asarray(updates.value[:ROWS])
    single = np.asarray(updates.visits[:ROWS]) == 1
    parent, to_move = nodes.parent, nodes.to_move
    above, below = node[:-1], node[1:]
    pair = single[:-1] & single[1:] & (above > 0) & (parent[below] == above)
    chosen_by, then_by = to_move[parent[above]], to_move[above]
    pair &= (chosen_by < 0) | (then_by < 0) | (chosen_by != then_by)
    return ValuesOfBoth(np.flatnonzero(pair), value[:-1][pair], value[1:][pair])


def _wider(trace: Trace) -> TraceMeta | None:
    """The metadata with the range of what new leaves get, where many of them get more than 1, and different values: a
    score of the game. What only some get, or what only grows on the way up, is a mistake."""
    meta, updates = trace.meta, trace.columns.updates
    node = np.asarray(updates.node[:ROWS]).astype(np.int64)
    value = np.asarray(updates.value[:ROWS])
    once = np.asarray(updates.visits[:ROWS]) == 1
    again = node[1:] == node[:-1]  # a number that no float adds up to is logged in two
    once[1:] &= ~again
    once[:-1] &= ~again
    first = np.unique(node, return_index=True)[1]
    of_leaves = value[first][once[first] & (node[first] > 0)]
    if len(of_leaves) < FEW_LEAVES or not np.isfinite(of_leaves).all():
        return None
    least, most = float(of_leaves.min()), float(of_leaves.max())
    beyond = np.abs(of_leaves)[np.abs(of_leaves) > 1 + TINY]
    are_results = len(np.unique(np.round(of_leaves, 9))) <= RESULTS
    if len(beyond) < MANY_BEYOND * len(of_leaves):
        return None
    if len(np.unique(np.round(beyond, 9))) < KINDS and not are_results:
        return None
    far = max(-least, most)
    if far > FAR * float(np.median(beyond)):
        return None
    single = value[once]
    every = float(np.abs(single).max())
    if every <= LITTLE_MORE * far:  # the other end of the range may come at nodes above alone
        least, most, far = min(least, float(single.min())), max(most, float(single.max())), every
    if abs(least) <= TINY * far:
        least = 0.0
    alike = meta.n_players > 1 and least < 0  # of two players, what one can win the other can
    return TraceMeta({**meta, "value_range": [-far, far] if alike else [min(least, 0.0), most]})


def check_range(trace: Trace, meant: TraceMeta | None) -> Iterator[Finding]:
    """Whether the values, or the outcomes, are in another range than was told."""
    yield from _outcomes_beyond(trace)
    if meant is not None and list(meant.reward_range) != list(trace.meta.reward_range):
        yield found(
            "value-range", None, None,
            "the outcomes told are not below 0, and what is told as 0 brings one player all and the other one nothing: "
            "they go from 0, a loss of player 0, to 1. Outcomes are taken to go from −1 to 1, where 0 is a draw, and "
            "are counted as that on the page; the checks take them as 0 to 1. Tell reward_range=(0, 1)",
            meant=MEANT,
        )  # fmt: skip
    if meant is None or list(meant.value_range) == list(trace.meta.value_range):
        return
    if list(meant.value_range) != MEANT:
        low, high = meant.value_range
        yield found(
            "value-range", None, None,
            f"new leaves get values from {low:.6g} to {high:.6g}. The range told (or left as it is) is −1 to 1; the "
            "other checks take this one. Right for scores of a game; tell value_range=",
            meant=[low, high],
        )  # fmt: skip
    else:
        yield found(
            "value-range", None, None,
            "the values that the two players get add up to 1, and none is below 0: they go from 0 to 1. The range told "
            "(or left as it is) is −1 to 1. The other checks take them as 0 to 1; tell value_range=(0, 1)",
            meant=MEANT,
        )  # fmt: skip


def _outcomes_beyond(trace: Trace) -> Iterator[Finding]:
    columns, (low, high) = trace.columns, trace.meta.reward_range
    told = np.append(columns.outcome[:ROWS], columns.nodes.outcome[:ROWS]).astype(np.float64)
    told = told[np.isfinite(told)]
    least, most = told.min(initial=low), told.max(initial=high)
    if trace.meta.is_ours or (least >= low - TINY and most <= high + TINY):
        return
    yield found(
        "value-range", None, None,
        f"outcomes told go from {told.min():.6g} to {told.max():.6g}, and results are taken to go from {low:g} to "
        f"{high:g}: tell reward_range=(least, greatest), or what they are worth is read wrongly",
        meant=[float(least), float(most)],
    )  # fmt: skip
