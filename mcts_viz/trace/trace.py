"""A trace: everything one search did, iteration by iteration, and the questions it answers."""

from __future__ import annotations

import functools
import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import Rows
from mcts_viz.trace.iteration import Comparison, History, Iteration, Update, split_rollouts
from mcts_viz.trace.players import CHANCE, UNKNOWN
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.replay import Replay
from mcts_viz.trace.snapshot import (
    NodeStatistics,
    Snapshot,
    action_name,
    checked_id,
    keeps_squares,
    selection_score,
    selection_terms,
)
from mcts_viz.trace.topology import Topology

MANY = 1_024  # iterations of a batch


class Trace:
    """A recorded search. Iterations count from 1; t = 0 is the tree before the first one.

    Several threads may ask at once. The statistics it gives are those the search had, bit for bit.
    """

    snapshot_type = Snapshot  # a layer above may add methods

    def __init__(
        self,
        meta: Mapping[str, Any],
        columns: Columns | Callable[[], Columns],
        file: TraceFile | None = None,
        complete: bool = True,
    ) -> None:
        """`columns` may also be what makes them, which is asked when they are looked at first."""
        self.meta = dict(meta)
        self._columns = columns
        self._file = file
        self._complete = complete
        self._topology: Topology | None = None
        # those that somebody still looks at: going back for another question about them takes long
        self._snapshots: weakref.WeakValueDictionary[int, Snapshot] = weakref.WeakValueDictionary()
        self._lock = threading.RLock()

    @property
    def columns(self) -> Columns:
        """All of it in memory."""
        if isinstance(self._columns, Columns):
            return self._columns
        with self._lock:
            if not isinstance(self._columns, Columns):
                self._columns = self._columns()
            return self._columns

    @functools.cached_property
    def _replay(self) -> Replay:
        return Replay(self.columns)

    @property
    def path(self) -> Path | None:
        """The file it was read from or written to."""
        return None if self._file is None else self._file.path

    @property
    def n_iterations(self) -> int:
        """T."""
        return self.columns.n_iterations

    @property
    def n_nodes(self) -> int:
        """Nodes after the last iteration, the root included."""
        return self.columns.n_nodes

    @property
    def complete(self) -> bool:
        """False for a file without its end mark: it is still being written, or its recording was
        interrupted."""
        return self._complete if self._file is None else self._file.ended

    @property
    def status(self) -> str:
        """ "complete", or up to which iteration the trace is, in words for the user."""
        if self.complete:
            return "complete"
        return f"complete up to iteration {self.n_iterations:,}; its recording was interrupted or is still running"

    @property
    def recording(self) -> str:
        """What tells this recording from another one in a file of the same name; empty without a
        file."""
        return "" if self._file is None else self._file.recording

    @property
    def best_action(self) -> int | None:
        """Action id of the move that the final-move rule plays after the last iteration."""
        return self.at(self.n_iterations).best_action

    @property
    def best_action_name(self) -> str | None:
        """Its readable name."""
        return self.at(self.n_iterations).best_action_name

    def action_name(self, action: int) -> str:
        """Readable name of an action id."""
        return action_name(self.meta, action)

    def at(self, t: int) -> Snapshot:
        """The tree after `t` iterations. Neighbouring t cost a copy of the statistics, far ones up
        to half a million updates, or as many as there are nodes. Raises TraceError for an iteration
        that the trace does not have."""
        columns = self.columns
        self._check_iteration(t, first=0)
        t = int(t)
        with self._lock:
            known = self._snapshots.get(t)
            if known is not None:
                return known
            topology = self.topology
            self._replay.seek(t)
            visits, value_sum = self._replay.visits.copy(), self._replay.value_sum.copy()
        visits.flags.writeable = value_sum.flags.writeable = False
        n = len(visits)
        snapshot = self.snapshot_type(
            iteration=t,
            meta=self.meta,
            parent=columns.parent[:n],
            action=columns.action[:n],
            to_move=columns.to_move[:n],
            prior=columns.prior[:n],
            outcome=columns.outcome[:n],
            born=columns.born[:n],
            visits=visits,
            value_sum=value_sum,
            topology=topology,
            recorded_labels=columns.label if columns.has_texts else None,
            recorded_states=columns.state if columns.has_texts else None,
            proven=columns.proven(t),
            square_sum=self._square_sum(t),
        )
        with self._lock:
            return self._snapshots.setdefault(t, snapshot)

    def _square_sum(self, t: int) -> npt.NDArray[np.float64] | None:
        """[N] for each node the sum of the squares of its values, where selection needs it and every
        value is there."""
        if not keeps_squares(self.meta):
            return None
        columns = self.columns
        end = int(columns.update_offset[t])
        sums: npt.NDArray[np.float64] = np.bincount(
            columns.update_node[:end],
            weights=columns.update_value[:end] ** 2,
            minlength=int(columns.node_count[t]),
        ).astype(np.float64)
        return sums

    def iteration(self, t: int) -> Iteration:
        """What iteration `t`, from 1, did; its comparisons hold the scores *before* it. Raises
        TraceError for an iteration that the trace does not have."""
        self._check_iteration(t, first=1)
        columns = self.columns
        leaf = int(columns.leaf[t - 1])
        path = self.topology.path(leaf)
        outcome = float(columns.result[t - 1])
        rows = slice(int(columns.update_offset[t - 1]), int(columns.update_offset[t]))
        updates = zip(
            columns.update_node[rows].tolist(),
            columns.update_visits[rows].tolist(),
            columns.update_value[rows].tolist(),
        )
        return Iteration(
            t=t,
            path=path,
            new_nodes=list(range(int(columns.node_count[t - 1]), int(columns.node_count[t]))),
            leaf=leaf,
            rollout=self._rollout(t),
            outcome=None if np.isnan(outcome) else outcome,
            elapsed=int(columns.elapsed[t - 1]),
            updates=[Update(*update) for update in updates],
            comparisons=self._comparisons(t, path),
        )

    def rollouts(self, t: int) -> list[list[int]] | None:
        """Action ids of each simulation of iteration `t`, from 1, as `iteration` tells them but without
        replaying the tree; None where they were not recorded. Raises TraceError for an iteration
        that the trace does not have."""
        self._check_iteration(t, first=1)
        actions = self._rollout(t)
        return None if actions is None else split_rollouts(actions)

    def history(self, node: int) -> History:
        """Visits and value of one node after each iteration, in one scan of the updates. Raises
        TraceError for a node that the trace does not have."""
        columns = self.columns
        offset = columns.update_offset  # first: the columns may grow meanwhile
        n_nodes = int(columns.node_count[len(offset) - 1])
        checked_id(node, n_nodes, "this trace")
        rows = np.flatnonzero(columns.update_node[: offset[-1]] == node)
        iterations = np.searchsorted(offset, rows, side="right")  # [rows] the t whose update it is
        visits = np.zeros(len(offset), np.int32)
        np.add.at(visits, iterations, columns.update_visits[rows])
        np.cumsum(visits, out=visits)
        value_sum = np.cumsum(columns.update_value[rows])
        n_before = np.searchsorted(iterations, np.arange(len(offset)), side="right")
        value_sum = np.concatenate(([0.0], value_sum))[n_before]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits == 0, np.nan, value_sum / visits)
        return History(node, visits, value_sum, mean)

    def refresh(self) -> int:
        """Read what was appended to the file since; returns the number of new iterations (0 for a
        trace in memory). Raises TraceError when the file was damaged or replaced; what was read
        before stays."""
        if self._file is None:
            return 0
        with self._lock:
            before = self.n_iterations
            for rows in self._file.rows():
                self.columns.append(rows)
                if rows.n >= MANY:
                    self.columns.join()  # so that the next batch is unpacked where this one was
            return self.n_iterations - before

    @property
    def is_read_whole(self) -> bool:
        """Whether the file is complete and still holds what was read of it, and nothing else."""
        return self._file is not None and self._file.is_read_whole

    @property
    def topology(self) -> Topology:
        """Children and depths of all nodes, built on first use and continued when the trace has
        grown."""
        with self._lock:
            if self._topology is None:
                self._topology = Topology(self.columns.parent)
            elif self._topology.n_nodes < self.columns.n_nodes:
                self._topology = self._topology.grown(self.columns.parent)
            return self._topology

    def __repr__(self) -> str:
        game = self.meta.get("game", {}).get("name", "unknown game")
        status = "" if self.complete else f"; {self.status}"
        return (
            f"<Trace of {game}: {self.n_iterations:,} iterations, {self.n_nodes:,} nodes{status}>"
        )

    def _check_iteration(self, t: int, first: int) -> None:
        if isinstance(t, bool) or not isinstance(t, (int, np.integer)):
            raise TraceError(
                f"iteration {t!r} is not a whole number; choose one from {first} to {self.n_iterations:,}"
            )
        if not first <= t <= self.n_iterations:
            raise TraceError(
                f"iteration {t:,} is not in this trace; choose one from {first} to {self.n_iterations:,}"
            )

    def _rollout(self, t: int) -> list[int] | None:
        offset, actions = self.columns.rollout_offset, self.columns.rollout_action
        if offset is None or actions is None:
            return None
        return [int(a) for a in actions[offset[t - 1] : offset[t]]]

    def _comparisons(self, t: int, path: list[int]) -> list[Comparison]:
        n_before = int(self.columns.node_count[t - 1])
        proven, squares = self.columns.proven(t - 1), self._square_sum(t - 1)
        with self._lock:
            self._replay.seek(t - 1)
            return [
                self._comparison(node, child, n_before, proven, squares)
                for node, child in itertools.pairwise(path)
                if child < n_before
            ]

    def _comparison(
        self,
        node: int,
        chosen: int,
        n_nodes: int,
        proven: npt.NDArray[np.float32],
        squares: npt.NDArray[np.float64] | None,
    ) -> Comparison:
        children = self.topology.children(node, n_nodes)
        visits = self._replay.visits[children]
        value, exploration = selection_terms(
            self.meta,
            NodeStatistics(
                visits=visits,
                value_sum=self._replay.value_sum[children],
                prior=self.columns.prior[children],
                parent_visits=np.full(len(children), self._replay.visits[node]),
                chooser=np.full(len(children), self.columns.to_move[node]),
                proven=proven[children],
                square_sum=None if squares is None else squares[children],
            ),
        )
        scores = selection_score(value, exploration)
        return Comparison(node, children.tolist(), visits, value, exploration, scores, chosen)


def read_file(path: str | Path) -> tuple[TraceFile, Columns]:
    """All of a trace file (.mcts), complete or not. Raises TraceError naming file, place and
    remedy."""
    file = TraceFile(path)
    return file, columns_of(file, file.rows(), file.length)


def columns_of(file: TraceFile, batches: Iterable[Rows], n_bytes: int) -> Columns:
    """The columns of a trace file whose batches these are, and its length."""
    columns = root_columns(file.meta, str(file.path))
    for rows in batches:
        columns.append(rows)
        columns.join(1.1 * n_bytes / file.position)  # 1.1: the batches are not all alike
    return columns


def root_columns(meta: Mapping[str, Any], source: str) -> Columns:
    """Empty columns with the root that the metadata describes."""
    root = meta.get("root")
    to_move, outcome = (
        (None, None) if not isinstance(root, dict) else (root.get("to_move"), root.get("outcome"))
    )
    if (
        not isinstance(root, dict)
        or to_move not in (CHANCE, UNKNOWN, 0, 1)
        or not (outcome is None or isinstance(outcome, (int, float)))
    ):
        raise TraceError(
            f"{source}: the metadata has root = {root!r}; it must be an object whose to_move is 0, 1, −1 (unknown) or "
            "−2 (chance) and whose outcome is a number or null: correct the program that wrote it"
        )
    for key in ("label", "state"):
        if not isinstance(root.get(key), (str, type(None))):
            raise TraceError(
                f"{source}: the metadata has root.{key} = {root[key]!r}; it must be a text or null: correct the "
                "program that wrote it"
            )
    return Columns(
        int(root["to_move"]),
        np.nan if outcome is None else float(outcome),
        root.get("label"),
        root.get("state"),
        inherits=bool(meta.get("inherited")),
    )
