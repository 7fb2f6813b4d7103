"""One record of a log whose records name their parents, and the order in which a tree is made of them.

Knows no format of a log and no rows.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcts_viz.errors import ImportFormatError

MOST_NAMED = 10  # records of a circle that a message names


@dataclass(frozen=True)
class NodeRecord:
    """A node of a log. None: not given."""

    place: str  # in the log, for messages: "run.jsonl: line 7"
    id: str
    parent: str | None  # id of another record
    order: float | None = None  # the lower, the earlier
    score: float | None = None  # its own; the higher, the better
    visits: int | None = None  # of the whole search through it
    value_sum: float | None = None  # over these visits
    at: float | None = None  # seconds of any clock, when it was made
    label: str = ""
    error: str = ""  # what went wrong; empty: nothing
    ended: bool = False  # nothing can follow it
    numbers: Mapping[str, float] = field(default_factory=dict)  # tokens, cost, seconds, by name
    texts: Mapping[str, str] = field(default_factory=dict)  # prompts, code, answers, by name


class RecordTree(NamedTuple):
    """Records in the order in which their nodes are made, parents first."""

    records: Sequence[NodeRecord]
    parent: Sequence[
        int
    ]  # place of each one's parent; −1: the root, or a child of one that was added
    rooted: bool  # whether the first record is the root; False: several have no parent
    moved: int  # records that their log has before their parents


def record_tree(
    found: Sequence[NodeRecord], skip: Callable[[str, bool], None] | None = None
) -> RecordTree:
    """The tree of the records. skip: called with each that is left out, with the reason, and whether a missing record
    is the reason; None: raises ImportFormatError for it, naming place, field and remedy."""
    known: dict[str, NodeRecord] = {}
    for record in found:
        first = known.setdefault(record.id, record)
        if first is not record:
            _refuse(
                f"{record.place}: id: {record.id!r} is the id of {first.place}, too; give each record an id of its own",
                skip,
            )
    for record in _without_parent(known, skip is not None):
        words = f"{record.place}: parent: there is no record with the id {record.parent!r}"
        _refuse(
            f"{words}; correct it, write null where a record has no parent, or skip such records with "
            "`mcts-viz import --lenient`",
            skip,
            True,
        )
        del known[record.id]
    return _in_order(list(known.values()), skip)


def _refuse(
    words: str, skip: Callable[[str, bool], None] | None, because_of_another: bool = False
) -> None:
    if skip is None:
        raise ImportFormatError(words)
    skip(words, because_of_another)


def _without_parent(known: Mapping[str, NodeRecord], below: bool) -> list[NodeRecord]:
    """Records whose parent is not there; below: and those below them."""
    lost = [
        record
        for record in known.values()
        if record.parent is not None and record.parent not in known
    ]
    if lost and below:
        children: dict[str | None, list[NodeRecord]] = {}
        for record in known.values():
            children.setdefault(record.parent, []).append(record)
        for record in lost:  # which grows
            lost += children.get(record.id, ())
    return lost


def _in_order(found: Sequence[NodeRecord], skip: Callable[[str, bool], None] | None) -> RecordTree:
    by_order = all(record.order is not None for record in found)
    rank: list[tuple[float, int]] = [
        ((record.order or 0) if by_order else 0, place)  # any whole number
        for place, record in enumerate(found)
    ]
    place_of = {record.id: place for place, record in enumerate(found)}
    children: dict[int, list[int]] = {}
    roots = []
    for place, record in enumerate(found):
        if record.parent is None:
            roots.append(place)
        else:
            children.setdefault(place_of[record.parent], []).append(place)
    waiting = [(*rank[root], root) for root in roots]
    heapq.heapify(waiting)
    order: list[int] = []
    while waiting:
        *_, place = heapq.heappop(waiting)
        order.append(place)
        for child in children.get(place, ()):
            heapq.heappush(waiting, (*rank[child], child))
    if len(order) < len(found):
        _refuse_circle(found, place_of, set(order), skip)
    new = {place: number for number, place in enumerate(order)}
    parent = [
        -1 if (above := found[place].parent) is None else new[place_of[above]] for place in order
    ]
    moved = sum(
        rank[place] < rank[order[above]] for place, above in zip(order, parent) if above >= 0
    )
    return RecordTree([found[place] for place in order], parent, len(roots) == 1, moved)


def _refuse_circle(
    found: Sequence[NodeRecord],
    place_of: Mapping[str, int],
    reached: set[int],
    skip: Callable[[str, bool], None] | None,
) -> None:
    left = [place for place in range(len(found)) if place not in reached]
    at, seen = left[0], dict[int, None]()  # in the order in which they are come to
    while at not in seen:
        seen[at] = None
        at = place_of[str(found[at].parent)]
    way = list(seen)
    circle = [found[place].id for place in way[way.index(at) :]]
    if len(circle) > MOST_NAMED:
        circle[MOST_NAMED - 1 :] = ["…"]
    words = (
        f"{found[at].place}: parent: the record is its own ancestor ({' → '.join([*circle, circle[0]])}); "
        "correct one of these parents"
    )
    if skip is None:
        raise ImportFormatError(words)
    for place in left:
        skip(
            words
            if place == at
            else f"{found[place].place}: below a record that is its own ancestor",
            place != at,
        )
