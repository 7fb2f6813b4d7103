"""Several snapshots of one search as a trace: a row for each, with all that happened since the one
before it; or one snapshot as a trace with a single row.

Nodes of two snapshots are the same where the same moves lead to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.snapshot_document import SnapshotDocument, read_snapshot_document
from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.recording.values import increments
from mcts_viz.recording.whole_trace import whole_trace
from mcts_viz.trace.format import FIELDS_VERSION, PLAYERS_VERSION, version_for
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.metadata_fields import PhasePolicies
from mcts_viz.trace.rows import RowLog, tree_rows
from mcts_viz.trace.trace import root_columns

KIND = "snapshots"
A_ROW_A_SNAPSHOT = (
    "Made of {n} snapshots: step 1 is the tree after {first:,} iterations, the last one that after "
    "{last:,}."
)
SAME_FOR_ALL = ("game", "start", "players", "value_range")
SAME_WHERE_KNOWN = ("seed", "policies", "recorded_at")  # null, empty or absent: not known
NOT_KNOWN = (None, PhasePolicies())
Key = tuple[int, int, int]  # parent, action, index among the children with that action


def from_snapshots(
    trace: TraceMaker[AnyTrace],
    /,
    sources: str | Path | Sequence[str | Path],
    path: str | Path | None = None,
) -> AnyTrace:
    """One trace of several snapshots (JSON) of one search, in the order of their iterations: a row
    for each of them. One file may be given by its name alone. Raises ImportFormatError for what is no
    snapshot, or of another search."""
    names = [sources] if isinstance(sources, (str, Path)) else sources  # not letter by letter
    documents = [(str(source), read_snapshot_document(source)) for source in names]
    return sequence_trace(documents, path, trace)


def sequence_trace(
    documents: Sequence[tuple[str, SnapshotDocument]],
    path: str | Path | None,
    trace: TraceMaker[AnyTrace],
) -> AnyTrace:
    """The trace of (source, document) pairs, in the order of their iterations. Raises
    ImportFormatError for none, and for snapshots of several searches."""
    if not documents:
        raise ImportFormatError(
            "no snapshots were given; give the JSON files of one search, in any order"
        )
    told = sorted(documents, key=lambda pair: pair[1].iteration)
    _check_one_search(told)
    has_player_sums = all(document.player_sums is not None for _, document in told)
    log = RowLog(["player_sums"] if has_player_sums else [])
    merged = _Merged(log)
    for source, document in told:
        merged.add(document, source)
    last = told[-1][1]
    first_row = told[0][1]
    iterations = [document.iteration for _, document in told]
    meta = {
        **last.meta,
        "kind": KIND,
        "format_version": max(_version(document) for _, document in told),
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


def snapshot_trace(
    document: SnapshotDocument, source: str, trace: TraceMaker[AnyTrace]
) -> AnyTrace:
    """A snapshot as a trace with one iteration, which makes all nodes and all their statistics at
    once."""
    content = {
        **document.meta,
        "kind": "snapshot",
        "format_version": _version(document),
        "snapshot_iteration": document.iteration,
        "inherited": None,  # the one iteration makes all of the tree
        "whole_tree": document.whole_tree,
        "root": {
            "to_move": int(document.to_move[0]),
            "outcome": None if np.isnan(document.outcome[0]) else float(document.outcome[0]),
            "label": None if document.labels is None else document.labels[0],
            "state": None if document.states is None else document.states[0],
        },
    }
    meta = TraceMeta(content, source, ImportFormatError)
    columns = root_columns(meta)
    nodes = {
        name: getattr(document, name)
        for name in ("parent", "action", "to_move", "prior", "outcome", "reward", "same_as")
    }
    texts = {"label": document.labels, "state": document.states}
    columns.append(
        tree_rows(
            {**nodes, **texts},
            document.visits,
            document.value_sum,
            document.proven,
            player_sums=document.player_sums,
        )
    )
    return trace(meta, columns, None, True)


def _check_one_search(told: Sequence[tuple[str, SnapshotDocument]]) -> None:
    """Refuse what the files themselves tell to be of several searches: merged, their numbers would
    be those of none."""
    first_source, first = told[0]
    seen: dict[int, str] = {}
    known: dict[str, tuple[object, str]] = {}  # the first value given, and the file that gives it
    for source, document in told:
        for name in SAME_FOR_ALL:
            if getattr(document.meta, name) != getattr(first.meta, name):
                raise ImportFormatError(
                    f"{source}: its {name} is not that of {first_source}; give the snapshots of one search"
                )
        for name in SAME_WHERE_KNOWN:
            told_here = getattr(document.meta, name)
            told_before, before = known.setdefault(name, (told_here, source))
            if told_before in NOT_KNOWN:
                known[name] = (told_here, source)
            elif told_here not in (*NOT_KNOWN, told_before):
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


def _version(document: SnapshotDocument) -> int:
    """The format version of a trace with such nodes."""
    needed = version_for(document.to_move)
    if document.reward is not None or document.same_as is not None:
        needed = max(needed, FIELDS_VERSION)
    return needed if document.player_sums is None else PLAYERS_VERSION


class _Merged:
    """The tree so far, and what each snapshot adds to it."""

    def __init__(self, log: RowLog) -> None:
        self._log = log
        self._ids: dict[Key, int] = {}
        self._visits, self._value_sum = [0], [0.0]
        self._sums: dict[int, list[float]] = {}  # for each player, of nodes that have some

    def add(self, document: SnapshotDocument, source: str) -> None:
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
            sums = None if document.player_sums is None else document.player_sums[node].tolist()
            self._update(ids[node], visits, float(document.value_sum[node]), sums)
        if document.same_as is not None:
            for node in np.flatnonzero(document.same_as >= 0).tolist():
                self._log.tell_late(ids[node], "same_as", ids[document.same_as[node]])
        if len(set(ids)) < len(self._visits):
            raise ImportFormatError(
                f"{source}: it lacks nodes that an earlier snapshot has; give the snapshots of one search"
            )
        self._log.end_iteration(leaf, 0)

    def _id(self, document: SnapshotDocument, node: int, key: Key) -> int:
        """The id of a node, which is logged if it is new."""
        if key in self._ids:
            return self._ids[key]
        log = self._log
        self._ids[key] = len(self._visits)
        self._visits.append(0)
        self._value_sum.append(0.0)
        log.nodes += (key[0], key[1], int(document.to_move[node]))
        log.add_to_node("prior", float(document.prior[node]))
        log.add_to_node("outcome", float(document.outcome[node]))
        if document.reward is not None:
            log.add_to_node("reward", float(document.reward[node]))
        for name, texts in (("label", document.labels), ("state", document.states)):
            if texts is not None:
                log.add_to_node(name, texts[node])
        return self._ids[key]

    def _update(self, node: int, visits: int, value_sum: float, sums: list[float] | None) -> None:
        more = visits - self._visits[node]
        told = sums if sums and "player_sums" in self._log.recorded else []
        if not more and value_sum == self._value_sum[node]:
            if told == self._sums.get(node, [0.0] * len(told)):
                return
            self._log.updates += (node, 0, 0.0)  # another player's sum alone has changed
            self._log.player_sums += told
        else:
            for added in increments(self._value_sum[node], value_sum):
                self._log.updates += (node, more, added)
                self._log.player_sums += told
                more = 0
        self._sums[node] = told
        self._visits[node], self._value_sum[node] = visits, value_sum
