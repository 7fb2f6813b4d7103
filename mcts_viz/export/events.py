"""A whole trace as events: newline-delimited JSON, metadata first, then one object an iteration.

`mcts-viz import` makes the same trace of it again, every column equal.
"""

from __future__ import annotations

import base64
import itertools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from mcts_viz.errors import ExportError
from mcts_viz.trace.format import OF_ITERATIONS, document_of
from mcts_viz.trace.groups import Column, Group
from mcts_viz.trace.node_documents import DocumentEntry, NodeDocument
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document, Numbers

SUFFIX = ".ndjson"
MEDIA_TYPE = "application/x-ndjson"
TITLE = "Whole trace as events (.ndjson)"
ITERATIONS = 2_048  # in one piece of the text


def event_chunks(trace: Trace, last: int | None = None) -> Iterator[bytes]:
    """The trace up to iteration `last` (None: all of it) in UTF-8 pieces; raises ExportError for an
    iteration that it does not have."""
    n = trace.n_iterations if last is None else last
    if not 0 <= n <= trace.n_iterations:
        raise ExportError(
            f"iteration {n:,} is not in this trace; choose one from 0 to {trace.n_iterations:,}"
        )
    return _chunks(trace, n)


def _chunks(trace: Trace, n: int) -> Iterator[bytes]:
    version = {"format_version": trace.meta.format_version}  # first, as it marks the line
    yield document_of(version | trace.meta) + b"\n"
    events = _Events(trace)
    if trace.meta.inherited is not None:
        yield _lines([events.inherited()])
    for first in range(0, n, ITERATIONS):
        yield _lines(events.iterations(first, min(first + ITERATIONS, n)))


def _lines(documents: list[Document]) -> bytes:
    return msgspec.json.Encoder().encode_lines(documents)


class _Events:
    """The objects of a trace's iterations, made from its columns."""

    def __init__(self, trace: Trace) -> None:
        self._columns = trace.columns
        self._n_players = trace.meta.n_players
        self._proofs = trace.columns.proven.recorded
        self._rollouts = trace.columns.rollout.recorded
        # what the events say of nodes, except for late values, which are in the columns of the nodes
        asides = trace.columns.asides
        self._asides = [
            (name, each.row, each)
            for name in asides._fields
            if name != "late"
            for each in getattr(asides, name)
        ]
        self._asides.sort(key=itemgetter(1))
        self._rows = [row for _, row, _ in self._asides]

    def inherited(self) -> Document:
        """The tree before the first iteration, as one event."""
        columns = self._columns
        event: Document = {
            "new_nodes": self._nodes(1, int(columns.node_count[0])),
            "leaf": 0,
            "updates": self._updated(0, int(columns.updates.offset[0])),
            "elapsed": 0,
        }
        if self._rollouts:
            event["rollout"] = []
        if self._proofs:
            end = int(np.searchsorted(columns.proven.at, 0, side="right"))
            event["proven"] = self._proven(0, end)
        return event

    def iterations(self, first: int, last: int) -> list[Document]:
        """The events of rows `first` to `last` − 1."""
        columns = self._columns
        nodes, updates = (
            columns.node_count[first : last + 1],
            columns.updates.offset[first : last + 1],
        )
        new = self._nodes(int(nodes[0]), int(nodes[-1]))
        added = self._updated(int(updates[0]), int(updates[-1]))
        parts: dict[str, Sequence[object]] = {
            "new_nodes": _split(new, nodes),
            "leaf": columns.leaf[first:last].tolist(),
            "updates": _split(added, updates),
            "outcome": _numbers(columns.outcome[first:last]),
            "elapsed": columns.elapsed[first:last].tolist(),
        }
        for name in OF_ITERATIONS:
            choices = columns[name]
            if choices is not None:
                told = choices[first:last].tolist()
                parts[name] = [None if n < 0 else n for n in told]
        if self._rollouts:
            moves = columns.rollout.offset[first : last + 1]
            played = columns.rollout.action[int(moves[0]) : int(moves[-1])].tolist()
            parts["rollout"] = _split(played, moves)
        outcomes = columns.player_outcomes
        if outcomes.recorded:
            ends = outcomes.offset[first : last + 1]
            told = outcomes.value[int(ends[0]) : int(ends[-1])].tolist()
            parts["player_outcomes"] = _split(told, ends)
        if self._proofs:
            ends = np.searchsorted(columns.proven.at, np.arange(first, last + 1), side="right")
            parts["proven"] = _split(self._proven(int(ends[0]), int(ends[-1])), ends)
        names = list(parts)
        events = [dict(zip(names, values)) for values in zip(*parts.values())]
        for name, row, aside in self._asides[
            bisect_left(self._rows, first) : bisect_left(self._rows, last)
        ]:
            events[row - first].setdefault(name, []).append(_told(aside))
        return events

    def _nodes(self, first: int, last: int) -> list[Document]:
        return [
            {name: value for name, value in node.items() if value is not None}
            for node in _objects(self._columns.nodes, first, last)
        ]

    def _updated(self, first: int, last: int) -> list[Document]:
        found = _objects(self._columns.updates, first, last)
        sums = self._columns.player_sums
        if sums.recorded and found:
            every = sums.value[: int(sums.offset[-1])].reshape(-1, self._n_players)
            table = every[first:last].tolist()
            for update, entries in zip(found, table):
                update["player_sums"] = entries
        return found

    def _proven(self, first: int, last: int) -> list[Document]:
        return _objects(self._columns.proven, first, last)


def _objects(group: Group, first: int, last: int) -> list[Document]:
    """An object for each of these rows of a group; columns in which all are missing are left out."""
    parts: dict[str, Sequence[object]] = {}
    for column in group.columns:
        values = group.values[column.name]
        if values is None:
            continue
        values = values[first:last]
        if isinstance(column, Column):
            values = _numbers(values) if values.dtype == np.float32 else values.tolist()
            if column.fill == -1:  # stands for a missing whole number
                values = [None if value == -1 else value for value in values]
        if all(value is None for value in values):
            continue
        parts[column.name] = values
    names = list(parts)
    return [dict(zip(names, values)) for values in zip(*parts.values())]


def _told(aside: NamedTuple) -> Document:
    """What an event says of a node."""
    if isinstance(aside, DocumentEntry):
        document = NodeDocument(aside.name, aside.kind, aside.size, aside)
        content = document.content
        text = base64.b64encode(content).decode() if aside.kind == "image" else document.text
        found: Document = {
            "node": aside.node,
            "name": aside.name,
            "kind": aside.kind,
            "content": text,
        }
        return found | ({"size": aside.size} if aside.size > len(content) else {})
    told: Document = aside._asdict()
    del told["row"]
    return told


def _split(values: Sequence[object], offset: Numbers) -> list[Sequence[object]]:
    ends = (offset - offset[0]).tolist()
    return [values[begin:end] for begin, end in itertools.pairwise(ends)]


def _numbers(values: npt.NDArray[np.float32]) -> list[float | None]:
    """Numbers with as few digits as float32 needs; None for nan."""
    missing = np.isnan(values)
    found: list[float | None] = values.astype("U").astype(np.float64).tolist()
    for place in np.flatnonzero(missing).tolist():
        found[place] = None
    return found
