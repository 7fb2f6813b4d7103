"""Records that name their parents, as a trace: an iteration a record, with statistics from the log or derived.

Knows records, not the logs that they come from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.node_record import NodeRecord, RecordTree
from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.recording.whole_trace import base_meta, value_range, whole_trace
from mcts_viz.trace.node_documents import kind_of
from mcts_viz.trace.record_text import ROOT_ADDED, record_name, record_text
from mcts_viz.trace.rows import FLOAT32, RowLog
from mcts_viz.trace.software import software
from mcts_viz.trace.surrogates import without_lone_surrogates
from mcts_viz.trace.words import plural

MOST_NAME = 60  # characters of a label
LONGEST = float(1 << 62)  # nanoseconds
MOST_VISITS = 1_000_000  # of a whole log
MOST_UPDATES = 20_000_000  # of its visits, one for each node on the path: some 50 bytes each
START = "start"  # label of the root where the log has several
DERIVED = (
    "The log has no visits. They were derived: each record is one visit of its node and of all nodes above it. A value "
    "is the mean of the scores of the records at and below a node."
)
FAILED = "{n} of {all} have no score, most often because they failed; each counts as the lowest one there is, {low:g}."
NO_SCORES = "No record has a score, so all values are 0."
COUNTED = (
    "Visits and value sums are the log's. It has their totals, not which iteration added what: each record was taken "
    "as a visit with its own reward{further}."
)
FURTHER = "; {n} of nodes that were there already come last, in the order of the nodes"
DIFFERS = (
    "The log's visits or values of {n} are not what visits from the root down add up to; the last iteration holds the "
    "difference, so that all end as the log has them."
)
ADDED_ROOT = f"{{n}} have no parent; {ROOT_ADDED}"
MOVED = "{n} stand in the log before their parents; they come after them here."


class _Totals(NamedTuple):
    """Visits that end at a node, and what they add, as the log's totals have it."""

    visits: list[int]
    value_sum: list[float]


def trace_of_records(
    trace: TraceMaker[AnyTrace], tree: RecordTree, program: str, notes: Sequence[str], path: Path
) -> AnyTrace:
    """The trace of a log's records, in the file. program: that wrote the log; notes: what else to say of it."""
    rows = _RecordRows(tree)
    log = rows.rows()
    return whole_trace(rows.meta(program, notes), log.take(), path, trace)


class _RecordRows:
    """The rows of one log. Node ids: the place of a record where the first is the root, else one more."""

    def __init__(self, tree: RecordTree) -> None:
        self._records = tree.records
        self._tree = tree
        self._shift = 0 if tree.rooted else 1
        self._parent = [-1] if not tree.rooted else []
        self._parent += [
            above + self._shift if above >= 0 else self._shift - 1 for above in tree.parent
        ]
        self._log = RowLog()
        self._n_children = [0] * len(self._parent)
        self._elapsed = 0
        times = [record.at for record in tree.records if record.at is not None]
        self._began = min(times, default=0.0)
        scores = [record.score for record in tree.records if record.score is not None]
        self._low = min(scores, default=0.0)
        self._counted = any(record.visits is not None for record in tree.records)
        self._seen = scores or [0.0]
        self._sums = [[0, 0.0] for _ in self._parent]  # visits and value sum so far
        self._notes: list[str] = []

    def rows(self) -> RowLog:
        """An iteration for each record, and for each later visit of it."""
        totals = self._totals() if self._counted else None
        self._check_updates([1] * len(self._parent) if totals is None else totals.visits)
        for place, record in enumerate(self._records):
            self._add(place + self._shift, record, totals)
        if totals is not None:
            self._add_further(totals)
        self._n_rows = len(self._log)
        return self._log

    def _add(self, node: int, record: NodeRecord, totals: _Totals | None) -> None:
        """The iteration that made the node."""
        if node:
            above = self._parent[node]
            self._log.nodes += (above, self._n_children[above], 0)
            self._n_children[above] += 1
            self._log.add_to_node("label", label_of(record))
            if record.ended:
                self._log.add_to_node("outcome", self._worth(record))
        self._tell(node, record)
        if record.at is not None:
            since = min((record.at - self._began) * 1e9, LONGEST)  # of a clock that lies
            self._elapsed = max(self._elapsed, int(since))
        if totals is None:
            self._visit(node, self._worth(record))
        elif totals.visits[node] > 0:
            value = record.score
            if value is None or totals.visits[node] == 1:  # the score may be the mean of all below
                value = totals.value_sum[node] / totals.visits[node]
            totals.visits[node] -= 1
            totals.value_sum[node] -= value
            self._visit(node, value)
        else:
            self._log.end_iteration(node, self._elapsed)

    def _tell(self, node: int, record: NodeRecord) -> None:
        """Log the node's documents and its numbers."""
        numbers = dict(record.numbers)
        if record.score is not None:
            numbers["score"] = record.score
        if record.error:
            numbers["error"] = 1.0
            self._log.add_document(node, "error", "text", record.error)
        for name, number in numbers.items():
            self._log.tell_number(node, name, number)
        told = record_text(record.id, record.parent, record.place.rpartition("/")[2])
        for name, text in {**record.texts, record_name(record.texts): told}.items():
            self._log.add_document(node, name, kind_of(name, text), text)

    def _worth(self, record: NodeRecord) -> float:
        return self._low if record.score is None else record.score

    def _visit(self, node: int, value: float) -> None:
        """One iteration that ends at the node."""
        path = [node]
        while path[-1]:
            path.append(self._parent[path[-1]])
        for each in reversed(path):
            self._update(each, 1, value)
        self._seen.append(value)
        self._log.end_iteration(node, self._elapsed, outcome=value)

    def _update(self, node: int, visits: int, value: float) -> None:
        self._log.updates += (node, visits, value)
        self._sums[node][0] += visits
        self._sums[node][1] += value

    def _totals(self) -> _Totals:
        """What the log's totals of each node leave for the node itself, when those of its children are taken off."""
        visits, sums = [0] * len(self._parent), [0.0] * len(self._parent)
        for place, record in enumerate(self._records):
            node = place + self._shift
            n, value = record.visits or 0, record.value_sum or 0.0
            visits[node] += n
            sums[node] += value
            if self._parent[node] >= self._shift:
                visits[self._parent[node]] -= n
                sums[self._parent[node]] -= value
        if sum(n for n in visits if n > 0) > MOST_VISITS:
            raise ImportFormatError(
                f"{self._records[0].place}: visits: more than {MOST_VISITS:,} in all, one iteration each; import the "
                "log without them (leave the field out), and they are derived"
            )
        return _Totals(visits, sums)

    def _check_updates(self, visits: Sequence[int]) -> None:
        """Raise ImportFormatError where the paths of so many visits of each node are more than memory should hold:
        those of a chain of records add up to half the square of its length."""
        length: list[int] = []  # of each node's path, in nodes
        for above in self._parent:
            length.append(1 if above < 0 else length[above] + 1)
        updates = sum(n * long for n, long in zip(visits, length) if n > 0)
        if updates > MOST_UPDATES:
            raise ImportFormatError(
                f"{self._records[0].place}: its visits pass {updates:,} nodes on their paths, which are up to "
                f"{max(length):,} nodes long; at most {MOST_UPDATES:,} are taken: import a part of the log"
            )

    def _add_further(self, totals: _Totals) -> None:
        """Visits of nodes that were there already, and what the paths do not add up to."""
        further = 0
        for node, left in enumerate(totals.visits):
            for _ in range(left):
                self._visit(node, totals.value_sum[node] / left)
            further += max(0, left)
        told = FURTHER.format(n=plural(further, "visit")) if further else ""
        self._notes.append(COUNTED.format(further=told))
        differing = 0
        for place, record in enumerate(self._records):
            node = place + self._shift
            visits, value = self._sums[node]
            more = (record.visits or 0) - visits
            gap = (record.value_sum or 0.0) - value
            if more or abs(gap) > 1e-6 * max(1.0, abs(value)):
                self._log.updates += (node, more, gap)
                differing += 1
        if differing:
            self._log.end_iteration(0, self._elapsed)
            self._notes.append(DIFFERS.format(n=plural(differing, "node")))

    def meta(self, program: str, notes: Sequence[str]) -> dict[str, object]:
        """The metadata, once there are the rows."""
        n, scored = len(self._records), sum(record.score is not None for record in self._records)
        if not self._counted:
            self._notes.append(DERIVED)
            if not scored:
                self._notes.append(NO_SCORES)
            elif scored < n:
                self._notes.append(
                    FAILED.format(n=f"{n - scored:,}", all=plural(n, "record"), low=self._low)
                )
        if not self._tree.rooted:
            roots = sum(above < 0 for above in self._tree.parent)
            self._notes.append(ADDED_ROOT.format(n=plural(roots, "record")))
        if self._tree.moved:
            self._notes.append(MOVED.format(n=plural(self._tree.moved, "record")))
        root = self._records[0] if self._tree.rooted else None
        unseen = {
            "rollout": True,
            "prior": True,
            "elapsed": self._elapsed == 0,
            "visits": not self._counted,
            "value": not self._counted,
            "terminal": not any(record.ended for record in self._records),
            "the action chosen": True,
        }
        low, high = value_range(min(self._seen), max(self._seen), two_sided=False)
        return {
            **base_meta(program, "mcts-viz import", software()),
            "root": {
                "to_move": 0,
                "label": START if root is None else label_of(root),
            },
            "players": ["agent"],
            "value_range": [low, high],
            "reward_range": [low, high],
            "policies": {
                "selection": {"name": f"{program}'s own choice of parents"},
                "simulation": {"name": "value"},
            },
            "budget": {"iterations": self._n_rows, "seconds": None},
            "not_observed": [name for name, is_unseen in unseen.items() if is_unseen],
            "notes": [*self._notes, *notes],
        }


def label_of(record: NodeRecord) -> str:
    """A short name of a node: what its log calls it, else its id."""
    line = next((line.strip() for line in record.label.splitlines() if line.strip()), record.id)
    line = without_lone_surrogates(line)
    return line if len(line) <= MOST_NAME else f"{line[: MOST_NAME - 1]}…"


def checked_number(found: object, field: str, place: str, remedy: str) -> float | None:
    """A number that a trace can hold; None for null, and for NaN and infinities, which Python writes into JSON.
    Raises ImportFormatError."""
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        text = repr(found)
        raise ImportFormatError(
            f"{place}: {field}: {text[:60]}{'…' * (len(text) > 60)} is not a number; {remedy}"
        )
    try:
        value = float(found)
    except OverflowError:
        raise ImportFormatError(
            f"{place}: {field}: beyond what a trace can hold; {remedy}"
        ) from None
    if not math.isfinite(value):
        return None
    if abs(value) > FLOAT32:
        raise ImportFormatError(
            f"{place}: {field}: {value:g} is beyond what a trace can hold (±{FLOAT32:.1e}); {remedy}"
        )
    return value
