"""Moves of rollouts, as they were told, of games whose rules are not known: whether all rollouts are beginnings of one
sequence, and whether from some iteration on none has a move any more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import NEXT_ROLLOUT
from mcts_viz.types import Ints

FEW_ROLLOUTS, FEW_LEAVES = 30, 10
FEW_LENGTHS, FEW_MOVES = 2, 3  # different ones
FEW_OF_LENGTH = 5
FEW_EMPTY = 100
BEGINNING = 0.5  # of the iterations, in which rollouts that end at once begin
MOST_MOVES = 1 << 22  # looked at


def check_told_moves(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about the moves of rollouts alone."""
    moves = search.trace.columns.rollout
    last = min(search.T, int(np.searchsorted(moves.offset, MOST_MOVES, side="right")) - 1)
    first = search.base
    offset = moves.offset[first : last + 1].astype(np.int64)
    played = moves.action[int(offset[0]) : int(offset[-1])]
    if last <= first or not len(played) or (played == NEXT_ROLLOUT).any():
        return
    length = np.diff(offset)
    yield from _one_sequence(search, played, length)
    yield from _none_any_more(search, length)


def _one_sequence(
    search: CheckedSearch, played: npt.NDArray[np.int32], length: Ints
) -> Iterator[Finding]:
    """A warning where rollouts of different lengths, from different leaves, all begin alike, however many moves they
    have: a plan that is followed to its end would make their ends alike."""
    there = np.flatnonzero(length > 0)
    times = np.unique(length[there], return_counts=True)[1]
    leaves = np.unique(search.leaf[search.base + there])
    if (
        len(there) < FEW_ROLLOUTS
        or len(leaves) < FEW_LEAVES
        or (times >= FEW_OF_LENGTH).sum() < FEW_LENGTHS
    ):
        return
    begin = np.cumsum(length) - length
    longest = int(np.argmax(length))
    sequence = played[begin[longest] : begin[longest] + length[longest]]
    place = np.arange(len(played)) - np.repeat(begin, length)
    if len(np.unique(sequence)) < FEW_MOVES or (played != sequence[place]).any():
        return
    names = ", ".join(search.trace.action_name(move) for move in sequence[:5].tolist())
    t = search.base + int(there[0]) + 1
    yield found(
        "simulation-repeats", t, int(search.leaf[t - 1]),
        f"all {len(there):,} rollouts that have a move, from {len(leaves):,} leaves, are beginnings of one sequence, "
        f"{names}{', …' if len(sequence) > 5 else ''}, however many moves they have: they are not random. So it is "
        "where a generator is seeded anew for each rollout, `random.Random(seed)` in the rollout itself",
        times=len(there), leaves=len(leaves),
    )  # fmt: skip


def _none_any_more(search: CheckedSearch, length: Ints) -> Iterator[Finding]:
    """A note where rollouts had moves once and have none any more, from leaves at which the search went on later."""
    there = np.flatnonzero(length > 0)
    if not len(there) or there[-1] + 1 > BEGINNING * len(length):
        return
    after = np.arange(int(there[-1]) + 1, len(length))
    leaf = search.leaf[search.base + after].astype(np.int64)
    going_on = search.n_children(leaf) > 0
    depth = search.topology.depth
    deepest = int((depth[search.leaf[search.base + there]] + length[there]).max())
    like = going_on & (depth[leaf] < deepest)  # where lines with their rollouts went on
    if going_on.sum() < FEW_EMPTY or not like.any():
        return
    t = search.base + int(after[np.argmax(like)]) + 1
    yield found(
        "simulation-unfinished", t, int(search.leaf[t - 1]),
        f"rollouts have moves up to iteration {search.base + int(there[-1]) + 1:,}, {int(length.max())} at most, and "
        f"none in the {len(after):,} after it, though the game goes on at {int(going_on.sum()):,} of their leaves, "
        "which got children later. So it is where a rollout counts its steps in something that is not set back to 0, "
        "`self.depth`, and its limit is reached once for all. Right where the search stops simulating on purpose, or "
        "the first moves alone were recorded",
        times=int(going_on.sum()), last=search.base + int(there[-1]) + 1,
    ).as_note()  # fmt: skip
