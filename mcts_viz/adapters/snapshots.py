"""Several snapshots of one search as a trace: a row for each, with all that happened since the one
before it.

Nodes are the same where the same moves lead to them. Knows columns, not the files they come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mcts_viz.adapters.recording import AnyTrace, TraceMaker
from mcts_viz.adapters.row_log import RowLog
from mcts_viz.adapters.values import increments
from mcts_viz.adapters.whole_trace import whole_trace
from mcts_viz.errors import ImportFormatError
from mcts_viz.trace.format import version_for

KIND = "snapshots"
A_ROW_A_SNAPSHOT = (
    "Made of {n} snapshots: step 1 is the tree after {first:,} iterations, the last one that after "
    "{last:,}."
)
SAME_FOR_ALL = ("game", "start", "players", "value_range")
SAME_WHERE_KNOWN = ("seed", "policies", "recorded_at")  # null, empty or absent: not known
Key = tuple[int, int, int]  # parent, action, how-manieth child with that action


class Document(Protocol):
    """A snapshot as it was exported; columns by node id, root 0, parent < child."""

    meta: dict[str, Any]
    iteration: int
    parent: npt.NDArray[np.int32]
    action: npt.NDArray[np.int32]
    to_move: npt.NDArray[np.int8]
    prior: npt.NDArray[np.float32]
    outcome: npt.NDArray[np.float32]
    visits: npt.NDArray[np.int32]
    value_sum: npt.NDArray[np.float64]
    labels: list[str | None] | None
    states: list[str | None] | None


def sequence_trace(
    documents: Sequence[tuple[str, Any]], path: str | Path | None, trace: TraceMaker[AnyTrace]
) -> AnyTrace:
    """The trace of (source, document) pairs, in the order of their iterations. Raises
    ImportFormatError for none, and for snapshots of several searches."""
    if not documents:
        raise ImportFormatError(
            "no snapshots were given; give the JSON files of one search, in any order"
        )
    told = sorted(documents, key=lambda pair: pair[1].iteration)
    _check_one_search(told)
    log = RowLog()
    merged = _Merged(log)
    for source, document in told:
        merged.add(document, source)
    last = told[-1][1]
    first_row = told[0][1]
    iterations = [document.iteration for _, document in told]
    meta = {
        **last.meta,
        "kind": KIND,
        "format_version": max(version_for(document.to_move) for _, document in told),
        "snapshot_iterations": iterations,
        "inherited": None,
        "root": {
            "to_move": int(first_row.to_move[0]),
            "outcome": None if np.isnan(first_row.outcome[0]) else float(first_row.outcome[0]),
            "label": None if first_row.labels is None else first_row.labels[0],
            "state": None if first_row.states is None else first_row.states[0],
        },
        "not_observed": ["outcome", "rollout", "elapsed", "single iterations"],
        "notes": [A_ROW_A_SNAPSHOT.format(n=len(told), first=iterations[0], last=iterations[-1])],
    }
    return whole_trace(meta, log.take(), path, trace)


def _check_one_search(told: Sequence[tuple[str, Any]]) -> None:
    """Refuse what the files themselves tell to be of several searches: merged, their numbers would
    be those of none."""
    first_source, first = told[0]
    seen: dict[int, str] = {}
    known: dict[str, tuple[Any, str]] = {}  # what was told of it first, and by which file
    for source, document in told:
        for name in SAME_FOR_ALL:
            if document.meta.get(name) != first.meta.get(name):
                raise ImportFormatError(
                    f"{source}: its {name} is not that of {first_source}; give the snapshots of one search"
                )
        for name in SAME_WHERE_KNOWN:
            told_here = document.meta.get(name)
            told_before, before = known.setdefault(name, (told_here, source))
            if told_before in (None, {}):
                known[name] = (told_here, source)
            elif told_here not in (None, {}, told_before):
                raise ImportFormatError(
                    f"{source}: its {name} is {told_here!r}, not {told_before!r} as that of {before}; give the "
                    "snapshots of one search"
                )
        if document.iteration in seen:
            raise ImportFormatError(
                f"{source}: taken after iteration {document.iteration:,}, as {seen[document.iteration]} was; leave one "
                "of them out"
            )
        seen[document.iteration] = source


class _Merged:
    """The tree so far, and what each snapshot adds to it."""

    def __init__(self, log: RowLog) -> None:
        self._log = log
        self._ids: dict[Key, int] = {}
        self._visits, self._value_sum = [0], [0.0]

    def add(self, document: Document, source: str) -> None:
        """Log one row."""
        depth = np.zeros(len(document.parent), np.int32)
        ids, same_moves = [0], Counter[tuple[int, int]]()
        leaf, deepest = 0, -1
        for node, (parent, action) in enumerate(
            zip(document.parent.tolist(), document.action.tolist())
        ):
            if node:
                move = (ids[parent], action)
                ids.append(self._id(document, node, (*move, same_moves[move])))
                same_moves[move] += 1
                depth[node] = depth[parent] + 1
            visits = int(document.visits[node])
            if visits != self._visits[ids[node]] and depth[node] > deepest:
                leaf, deepest = ids[node], int(depth[node])
            self._update(ids[node], visits, float(document.value_sum[node]))
        if len(set(ids)) < len(self._visits):
            raise ImportFormatError(
                f"{source}: it lacks nodes that an earlier snapshot has; give the snapshots of one search"
            )
        self._log.end_iteration(leaf, 0)

    def _id(self, document: Document, node: int, key: Key) -> int:
        """The id of a node, which is logged if it is new."""
        if key in self._ids:
            return self._ids[key]
        log = self._log
        self._ids[key] = len(self._visits)
        self._visits.append(0)
        self._value_sum.append(0.0)
        log.nodes += (key[0], key[1], int(document.to_move[node]))
        log.prior.append(float(document.prior[node]))
        log.outcome.append(float(document.outcome[node]))
        log.state.append(None if document.states is None else document.states[node])
        if document.labels is not None and document.labels[node] is not None:
            log.add_label(document.labels[node])
        return self._ids[key]

    def _update(self, node: int, visits: int, value_sum: float) -> None:
        more = visits - self._visits[node]
        if not more and value_sum == self._value_sum[node]:
            return
        for added in increments(self._value_sum[node], value_sum):
            self._log.updates += (node, more, added)
            more = 0
        self._visits[node], self._value_sum[node] = visits, value_sum
