"""A whole trace as events: newline-delimited JSON, metadata first, then one object an iteration.

`mcts-viz import` makes the same trace of it again, every column equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mcts_viz.errors import ExportError
from mcts_viz.trace.snapshot import has_solver
from mcts_viz.trace.trace import Trace

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
    version = {"format_version": trace.meta["format_version"]}  # first, as it marks the line
    yield _lines([version | trace.meta])
    events = _Events(trace)
    if trace.meta.get("inherited"):
        yield _lines([events.inherited()])
    for first in range(0, n, ITERATIONS):
        yield _lines(events.iterations(first, min(first + ITERATIONS, n)))


def _lines(documents: list[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(document) + b"\n" for document in documents)


class _Events:
    """The objects of a trace's iterations, made from its columns."""

    def __init__(self, trace: Trace) -> None:
        self._columns = trace.columns
        self._solver = has_solver(trace.meta)
        self._rollouts = trace.columns.rollout_offset is not None

    def inherited(self) -> dict[str, Any]:
        """The tree before the first iteration, as one event."""
        columns = self._columns
        event: dict[str, Any] = {
            "new_nodes": self._nodes(1, int(columns.node_count[0])),
            "leaf": 0,
            "updates": self._updated(0, int(columns.update_offset[0])),
            "elapsed": 0,
        }
        if self._rollouts:
            event["rollout"] = []
        if self._solver:
            end = int(np.searchsorted(columns.proven_at, 0, side="right"))
            event["proven"] = self._proven(0, end)
        return event

    def iterations(self, first: int, last: int) -> list[dict[str, Any]]:
        """Those from row `first` to just before `last`."""
        columns = self._columns
        nodes, updates = (
            columns.node_count[first : last + 1],
            columns.update_offset[first : last + 1],
        )
        new = self._nodes(int(nodes[0]), int(nodes[-1]))
        added = self._updated(int(updates[0]), int(updates[-1]))
        parts: dict[str, list[Any]] = {
            "new_nodes": _split(new, nodes),
            "leaf": columns.leaf[first:last].tolist(),
            "updates": _split(added, updates),
            "outcome": _numbers(columns.result[first:last]),
            "elapsed": columns.elapsed[first:last].tolist(),
        }
        if self._rollouts:
            moves = columns.rollout_offset[first : last + 1]  # type: ignore[index]
            played = columns.rollout_action[int(moves[0]) : int(moves[-1])].tolist()  # type: ignore[index]
            parts["rollout"] = _split(played, moves)
        if self._solver:
            ends = np.searchsorted(columns.proven_at, np.arange(first, last + 1), side="right")
            parts["proven"] = _split(self._proven(int(ends[0]), int(ends[-1])), ends)
        names = list(parts)
        events = [dict(zip(names, values)) for values in zip(*parts.values())]
        for row, node, state in columns.changed_states:
            if first <= row < last:
                changes = events[row - first].setdefault("changed_states", [])
                changes.append({"node": node, "state": state})
        return events

    def _nodes(self, first: int, last: int) -> list[dict[str, Any]]:
        columns, rows = self._columns, slice(first, last)
        parts: dict[str, list[Any]] = {
            "parent": columns.parent[rows].tolist(),
            "action": columns.action[rows].tolist(),
            "to_move": columns.to_move[rows].tolist(),
        }
        for name in ("prior", "outcome"):
            values = getattr(columns, name)[rows]
            if not np.isnan(values).all():
                parts[name] = _numbers(values)
        for name in ("label", "state"):
            texts = getattr(columns, name)[rows] if columns.has_texts else []
            if any(text is not None for text in texts):
                parts[name] = texts
        names = list(parts)
        return [
            {name: value for name, value in zip(names, values) if value is not None}
            for values in zip(*parts.values())
        ]

    def _updated(self, first: int, last: int) -> list[dict[str, Any]]:
        columns, rows = self._columns, slice(first, last)
        return [
            {"node": node, "visits": visits, "value": value}
            for node, visits, value in zip(
                columns.update_node[rows].tolist(),
                columns.update_visits[rows].tolist(),
                columns.update_value[rows].tolist(),
            )
        ]

    def _proven(self, first: int, last: int) -> list[dict[str, Any]]:
        columns, rows = self._columns, slice(first, last)
        return [
            {"node": node, "outcome": outcome}
            for node, outcome in zip(
                columns.proven_node[rows].tolist(), _numbers(columns.proven_outcome[rows])
            )
        ]


def _split(values: list[Any], offset: npt.NDArray[Any]) -> list[list[Any]]:
    ends = (offset - offset[0]).tolist()
    return [values[begin:end] for begin, end in itertools.pairwise(ends)]


def _numbers(values: npt.NDArray[np.float32]) -> list[float | None]:
    """As few digits as tell them apart in float32; None for nan."""
    missing = np.isnan(values)
    found: list[float | None] = values.astype("U").astype(np.float64).tolist()
    for place in np.flatnonzero(missing).tolist():
        found[place] = None
    return found
