"""Whether what a new leaf gets leaves out what was collected on the way to it.

Needs the texts of positions, no rules. Where the results of finished games are a number of their position, as points
that were banked, and this number never falls from a node to its child, then no game from a leaf ends with less than
what is there already. A rollout whose sum begins with 0 does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.constant import may_be_meant
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.types import Floats, Ints

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
WORD = re.compile(r"([^\W\d]+)\W*$")  # the last one before a number
MOST_TEXTS = 2_000  # of leaves, and as many of finished games
MOST_NUMBERS = 60  # in one text: more is a board
FEW_ENDS, FEW_KINDS = 10, 4  # finished games, and different numbers at them
NEARLY_ALL = (
    0.9  # of these, whose result is so many times the number: it may be cut off at a greatest one
)
FEW_RISES = 30  # moves that the number rises by, beside none that it falls by
FEW, SOME = 10, 0.1  # leaves that get less than they have, and share of those that have something


class Score(NamedTuple):
    """A number of positions that results are made of: outcome = weight · number + offset."""

    place: int  # among the numbers of a text
    weight: float
    offset: float
    least: float  # what results are cut off at, or the range of values
    greatest: float


def check_forgotten_score(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A warning of games of one player; a note where leaves are evaluated."""
    rewarded = search.has_rewards or search.meta.step_rewards or search.discount != 1.0
    if not search.alone or rewarded or search.trace.columns.nodes.state is None:
        return
    ends = np.flatnonzero(search.ended)
    use = np.flatnonzero(~search.ended[leaves.node] & (leaves.node > 0))
    if len(ends) < FEW_ENDS or len(use) < FEW:
        return
    ends = np.array(sample(ends, MOST_TEXTS), np.int64)
    first = leaves.where(np.array(sample(use, MOST_TEXTS), np.int64))
    texts = _Texts(search)
    at_ends = texts.numbers(ends)
    own = texts.numbers(first.node)
    above = texts.numbers(search.parent[first.node].astype(np.int64))
    results = search.known_outcome[ends]
    for score in _scores(search, at_ends, results):
        rises = own[:, score.place] - above[:, score.place]
        if (rises < 0).any() or (rises > 0).sum() < FEW_RISES:
            continue
        start = texts.of_root[score.place]
        finding = _finding(search, first, own[:, score.place], start, score)
        if finding is not None:
            yield finding.as_note() if may_be_meant(search) else finding.as_warning()
            return


class _Texts:
    """The numbers of positions that have as many as the root's."""

    def __init__(self, search: CheckedSearch) -> None:
        self._states = search.trace.columns.nodes.state
        self.of_root = self._read(0) or []

    def _read(self, node: int) -> list[float] | None:
        text = None if self._states is None else self._states[node]
        return None if text is None else [float(each) for each in NUMBER.findall(text)]

    def numbers(self, nodes: Ints) -> Floats:
        """[k, n] nan where a text has not as many."""
        n = len(self.of_root) if len(self.of_root) <= MOST_NUMBERS else 0
        found = np.full((len(nodes), n), np.nan)
        for row, node in enumerate(nodes.tolist()):
            own = self._read(node)
            if own is not None and len(own) == n:
                found[row] = own
        return found


def _scores(search: CheckedSearch, numbers: Floats, results: Floats) -> Iterator[Score]:
    """[E, n] of finished games, and their [E] results."""
    for place in range(numbers.shape[1]):
        number = numbers[:, place]
        there = ~np.isnan(number)
        kinds, at = np.unique(number[there], return_index=True)
        if there.sum() < FEW_ENDS or len(kinds) < FEW_KINDS:
            continue
        result = results[there][at]  # kept in float32
        weight = float(np.median(np.diff(result) / np.diff(kinds)))
        offset = float(np.median(result - weight * kinds))
        right = np.abs(weight * number + offset - results)[there] <= _slack(weight, kinds)
        if weight and right.mean() >= NEARLY_ALL:
            ends = search.value_range if right.all() else (results.min(), results.max())
            yield Score(place, weight, offset, float(ends[0]), float(ends[1]))


def _slack(weight: float, numbers: Floats) -> float:
    return 1e-4 * abs(weight) * max(1.0, float(np.abs(numbers).max()))


def _finding(
    search: CheckedSearch, first: NewLeaves, number: Floats, start: float, score: Score
) -> Finding | None:
    """start: what the root has."""
    has = ~np.isnan(number) & (number > start)
    due = np.clip(score.weight * number + score.offset, score.least, score.greatest)
    slack = search.slack + _slack(score.weight, number[has]) if has.any() else search.slack
    # of costs, which count against a result, what is spent cannot be less in the end
    beyond = (due - first.value) * np.sign(score.weight) > slack
    bad = np.flatnonzero(has & beyond)
    if len(bad) < max(FEW, SOME * has.sum()):
        return None
    at = int(bad[np.argmax(np.abs(due - first.value)[bad])])
    node, what = int(first.node[at]), _name(search, score.place)
    return found(
        "simulation-outcome", int(first.iteration[at]), node,
        "what new leaves get leaves out what was collected before them: results of finished games are "
        f"{score.weight:.4g} times {what} of their position{_plus(score.offset)}, and it never falls from a node to "
        f"its child. Node {node:,} has {number[at]:g}, so that no game from there ends with {_less(score)} than "
        f"{due[at]:.4g}, and its first visit adds {first.value[at]:.4g}; so it is at {len(bad):,} of "
        f"{int(has.sum()):,} new leaves with something collected. So it is where the sum of a rollout begins with 0, "
        "and not with what the leaf has, while finished games in the tree count all of it",
        times=len(bad), looked_at=int(has.sum()),
    )  # fmt: skip


def _less(score: Score) -> str:
    return "less" if score.weight > 0 else "more"


def _plus(offset: float) -> str:
    return "" if abs(offset) < 1e-5 else f", {'plus' if offset > 0 else 'less'} {abs(offset):.4g}"


def _name(search: CheckedSearch, place: int) -> str:
    """What stands before the number, where that is a word."""
    states = search.trace.columns.nodes.state
    text = (states[0] if states is not None else None) or ""
    number = list(NUMBER.finditer(text))[place]
    word = WORD.search(text[: number.start()])
    return f"the number after “{word.group(1)}”" if word else f"number {place + 1}"
