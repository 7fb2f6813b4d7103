"""Late facts about nodes made before: rare, so they stand beside the columns of a batch, not in them.

In a file each kind is a JSON document of its own in the batch's custom metadata, with a checksum; readers that do not
know one leave it alone.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar, cast

import numpy as np

from mcts_viz.trace.node_documents import (
    CONTENTS,
    IN_LIST,
    AnyRow,
    Contents,
    DocumentEntry,
    listed_documents,
    packed_contents,
)
from mcts_viz.trace.surrogates import plain_json

PREFIX = "mcts_viz."  # of the key of a document


class StateChange(NamedTuple):
    """A node's position, as text, that was seen to be another one than before."""

    row: int  # iteration, from 0 at the first of the rows
    node: int
    state: str


class LateValue(NamedTuple):
    """A value of a node that its search did not have yet when the node was made."""

    row: int  # iteration that brought it
    node: int
    column: str  # one of `LATE`
    value: float | str


class ValueGap(NamedTuple):
    """From here on a visited node has no value in the search; or it has one."""

    row: int
    node: int
    is_open: bool


class Miss(NamedTuple):
    """A choice that the author's own scores, the higher the sooner, do not explain."""

    row: int
    node: int  # at which the choice was made
    child: int  # that was taken
    best: int  # the child with the highest score
    score: float | None  # of the one taken; None: infinite
    best_score: float | None


class NodeNumber(NamedTuple):
    """A number of a node that is no statistic of the search: tokens, cost, seconds, a judge's score; "error" is 1 where
    the node failed."""

    row: int
    node: int
    name: str
    value: float


class PlayedMove(NamedTuple):
    """The move that was really played after the search, as it told."""

    row: int  # last iteration before it; −1: that before the first of the rows
    node: int  # at which it was played: the root
    action: int


PRIORS_CHANGE = (
    "prior= of a node changes as the search goes on; a trace holds the first one, and choices are compared with that. "
    "A rule with such priors is told by score=, a function of parent and child."
)
ROOT_PRIORS_CHANGE = (
    "prior= of the root's children changes again and again as the search goes on: noise is to be added to them once. A "
    "trace holds the first one, and choices are compared with that."
)
PRUNED = (
    "Children were taken out of the tree, as where its room is limited. They stay in the trace with their last "
    "numbers, and those that are made again are new ones there."
)
SEVERAL_PARENTS = (
    "Nodes have several parents, and each way to one was recorded as a node of its own: record with "
    "shared=True."
)


class Remark(NamedTuple):
    """A remark of the recorder at a node, for a person to read; one of the trace's notes."""

    row: int
    node: int  # at which it was seen first
    text: str


# columns of nodes that may get a value late, and the types of their values
LATE: Mapping[str, tuple[type, ...]] = {
    "to_move": (int,), "prior": (float, int), "outcome": (float, int), "reward": (float, int),
    "label": (str,), "state": (str,), "same_as": (int,),
}  # fmt: skip
LARGEST = float(np.finfo(np.float32).max)  # of a column of single precision
HUGE = float(np.finfo(np.float64).max)
MOST_ID = 2**31 - 1  # of an action: int32
AnyAside = TypeVar(
    "AnyAside",
    StateChange,
    LateValue,
    ValueGap,
    Miss,
    Remark,
    NodeNumber,
    DocumentEntry,
    PlayedMove,
)


class Asides(NamedTuple):
    """Each kind in the order of its rows."""

    changed_states: list[StateChange]
    late: list[LateValue]
    value_gaps: list[ValueGap]
    misses: list[Miss]
    remarks: list[Remark]
    numbers: list[NodeNumber]
    documents: list[DocumentEntry]
    played: list[PlayedMove]

    @classmethod
    def none(cls) -> Asides:
        """Nothing, to be added to."""
        return cls([], [], [], [], [], [], [], [])

    def between(self, first: int, last: int) -> Asides:
        """Those of the rows from `first` to just before `last`, which then count from 0."""
        moved = Asides.none()
        moved.add(self, -first, last - first)
        return moved

    def add(self, others: Asides, row: int, end: int | None = None) -> None:
        """Append those of rows that begin at `row`, up to just before `end`."""
        self.changed_states.extend(_moved(others.changed_states, row, end))
        self.late.extend(_moved(others.late, row, end))
        self.value_gaps.extend(_moved(others.value_gaps, row, end))
        self.misses.extend(_moved(others.misses, row, end))
        self.remarks.extend(_moved(others.remarks, row, end))
        self.numbers.extend(_moved(others.numbers, row, end))
        self.documents.extend(_moved(others.documents, row, end))
        self.played.extend(_moved(others.played, row, end))

    def custom_metadata(self) -> dict[str, bytes]:
        """As those of a batch hold them, by key."""
        lists = self.kinds() | {"documents": [each[:IN_LIST] for each in self.documents]}
        found = {PREFIX + name: _document(each) for name, each in lists.items() if each}
        if self.documents:
            found[PREFIX + CONTENTS] = packed_contents(self.documents)
        return found

    def kinds(self) -> dict[str, list[AnyRow]]:
        """All of them by name."""
        return {name: [*getattr(self, name)] for name in self._fields}

    @classmethod
    def read(cls, documents: Mapping[bytes, bytes], contents: Contents = bytes) -> Asides:
        """From a batch's custom metadata; raises ValueError or TypeError for malformed metadata. contents: reads
        the texts of its documents when they are needed."""
        found = [documents.get(f"{PREFIX}{name}".encode()) for name in cls._fields]
        asides = cls(
            [StateChange(*each) for each in _read(found[0])],
            [LateValue(*each) for each in _read(found[1])],
            [ValueGap(*each) for each in _read(found[2])],
            [Miss(*each) for each in _read(found[3])],
            [Remark(*each) for each in _read(found[4])],
            [NodeNumber(*each) for each in _read(found[5])],
            listed_documents(_read(found[6]), contents),
            [PlayedMove(*each) for each in _read(found[7])],
        )
        if not all(
            type(row) is type(node) is int
            for kind in asides.kinds().values()
            for row, node, *_ in kind
        ):
            raise ValueError("no row and node")
        if not (
            all(type(each.state) is str for each in asides.changed_states)
            and all(type(each.text) is str for each in asides.remarks)
            and all(
                type(each.value) in LATE.get(each.column, ()) and _fits(each.value)
                for each in asides.late
            )
            and all(
                type(each.name) is str and _is_number(each.value) and _fits(each.value, HUGE)
                for each in asides.numbers
            )
            and all(type(each.is_open) is bool for each in asides.value_gaps)
            and all(
                type(each.action) is int and 0 <= each.action <= MOST_ID for each in asides.played
            )
            and all(type(each.child) is type(each.best) is int for each in asides.misses)
            and all(_is_score(n) for each in asides.misses for n in each[-2:])
        ):
            raise ValueError("not what is told of a node")
        return asides


def _is_number(found: object) -> bool:
    return type(found) in (int, float)


def _is_score(found: object) -> bool:
    return found is None or (_is_number(found) and _fits(found, HUGE))


def _fits(found: object, most: float = LARGEST) -> bool:
    """Whether a column can hold it; a number that is infinite is as good as any."""
    return not isinstance(found, (int, float)) or not most < abs(found) < math.inf


def _moved(found: Iterable[AnyAside], by: int, end: int | None = None) -> list[AnyAside]:
    rows = [each._replace(row=each.row + by) for each in found]
    return [each for each in rows if each.row >= 0 and (end is None or each.row < end)]


def _document(found: Sequence[AnyRow]) -> bytes:
    document = json.dumps(found, ensure_ascii=True).encode()
    return b"%08x " % zlib.crc32(document) + document


def _read(found: bytes | None) -> list[AnyRow]:
    if found is None:
        return []
    crc, _, document = found.partition(b" ")
    if crc != b"%08x" % zlib.crc32(document):
        raise ValueError("its checksum does not match")
    return cast(list[AnyRow], plain_json(document))
