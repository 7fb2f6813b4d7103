"""Results of finished games that are backed up twice: where the end is met, and again after the loop. Where ends are
told, and where they are not, but nodes are come to again and again and never get a child."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding

FEW = 10  # iterations
FEW_ENDS, FEW_INNER = 5, 3  # nodes: come to again, and with children


class _Seen(NamedTuple):
    """What iterations of a kind add."""

    first: tuple[int, int]  # iteration and leaf of the first one
    visits: int  # to each node of the path
    times: int


def check_ends_again(search: CheckedSearch) -> Iterator[Finding]:
    """Iterations that add several visits where they end in a finished game, and one visit elsewhere."""
    columns = search.trace.columns
    if columns.leaves is not None or columns.virtual is not None or columns.worker is not None:
        return
    seen = _several_visits(search)
    if seen is None:
        return
    if search.ended.any():
        told = _told(search)
        if told:
            yield _finding(seen, told, "")
    elif _even_paths(search):
        again = _untold(search)
        if again:
            why = (
                f". Those nodes never get a child, and {again:,} of them are come to again and again, with the same "
                "result: games, or trajectories, seem to be over there"
            )
            yield _finding(seen, "iterations that end at nodes where nothing follows adds", why)


def _several_visits(search: CheckedSearch) -> _Seen | None:
    """The iterations that add several visits, where there are many of them, all add as many, and all others add one
    visit."""
    first, numbers, times = (0, 0), set[int](), 0
    for part in search.ranges():
        several = part.root_visits > 1
        numbers.update(np.unique(part.root_visits).tolist())
        if len(numbers) > 2:
            return None
        if several.any() and not times:
            row = int(np.argmax(several))
            first = part.first + row, int(part.leaf[row])
        times += int(several.sum())
    return _Seen(first, max(numbers), times) if times >= FEW and min(numbers) == 1 else None


def _told(search: CheckedSearch) -> str:
    """Which iterations these are, in words: all that end in a finished game, or those that make one; else nothing."""
    all_ends = new_ends = True
    for part in search.ranges():
        ends, several = search.ended[part.leaf], part.root_visits > 1
        all_ends &= np.array_equal(ends, several)
        new = search.born[part.leaf] == np.arange(part.n) + part.first
        new_ends &= np.array_equal(ends & new, several)
    if all_ends:
        return "iterations that end in a finished game adds"
    return "iterations that come to a finished game for the first time adds" if new_ends else ""


def _even_paths(search: CheckedSearch) -> bool:
    """Whether all nodes of a path get as many visits, and no others any."""
    return all(
        not len(part.updates_off_path())
        and np.array_equal(part.steps.visits, part.root_visits[part.steps.iteration - part.first])
        for part in search.ranges()
    )


def _untold(search: CheckedSearch) -> int:
    """How many nodes are come to again and again, where no node both ends iterations of one visit and of several; all
    nodes that ever get a child are of the first kind, and all that are come to again of the second, and get the same
    result each time; else 0. Several rollouts of a leaf, or descents that meet by chance, do not keep apart so, node
    by node, what goes on and what does not."""
    times, times_alone = np.zeros(search.N, np.int32), np.zeros(search.N, np.int32)
    highest, lowest = np.full(search.N, -np.inf), np.full(search.N, np.inf)
    for part in search.ranges():
        np.add.at(times, part.leaf, 1)
        np.add.at(times_alone, part.leaf[part.root_visits == 1], 1)
        value = part.steps.value[part.steps.is_leaf]
        np.maximum.at(highest, part.leaf, value)
        np.minimum.at(lowest, part.leaf, value)
    goes_on = search.has_more_children(than=0)
    again = (times > 1) & ~goes_on
    mixed = (goes_on & (times_alone < times)) | (again & (times_alone > 0))
    changes = again & (highest - lowest > search.slack)
    if mixed.any() or changes.any() or (goes_on & (times > 0)).sum() < FEW_INNER:
        return 0
    return int(again.sum()) if again.sum() >= FEW_ENDS else 0


def _finding(seen: _Seen, what: str, why: str) -> Finding:
    often = "twice" if seen.visits == 2 else f"{seen.visits} times"
    return found(
        "visits-double", *seen.first,
        f"each of {seen.times:,} {what} {seen.visits} visits to the nodes of its path, all others 1: the result of a "
        f"finished game is backed up again, so that it counts {often} on the whole path, as where that is done when "
        f"the end is met, and once more after the loop{why}",
        times=seen.times,
    ).as_warning()  # fmt: skip
