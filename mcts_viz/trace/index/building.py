"""Makes the index of a trace in memory that does not grow with its length: the file is read twice, a batch at a time,
and what is found goes into columns that are mapped into memory.
"""

from __future__ import annotations

import contextlib
import glob
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.trace.depths import new_depths
from mcts_viz.trace.format import OF_ITERATIONS, Rows
from mcts_viz.trace.index.layout import IndexWriter, stamp_of
from mcts_viz.trace.index.loops import add_up, count_leaves, number, run, sort_iterations
from mcts_viz.trace.index.plain import (
    LEFT_OUT,
    ROUNDED,
    Codes,
    NotCoveredError,
    ResultCodes,
    Worth,
    codes_of,
    is_dyadic,
    kept_updates,
    plain_values,
    sides,
)
from mcts_viz.trace.path_updates import is_along_path
from mcts_viz.trace.players import movers_into
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import split
from mcts_viz.types import Document, Numbers

BLOCK = 1 << 12  # iterations between two totals of how many updates there were
LARGE = 1 << 13  # visits in the end, from which on a node's are counted at knots
KNOT = 1 << 14  # iterations between two knots, at least
KNOT_BYTES = 1  # an iteration, at most, that knots take
MOST_MOMENTS, COURSE_BYTES = 1_998, 1 << 22  # of the root's course
KEPT_SHARE = 0.25  # of the iterations, that may keep their updates
PART = ".part"
GIVEN_UP = 3_600.0  # seconds after which an unfinished index counts as abandoned
MOST = (1 << 31) - 2  # iterations and nodes
FEW_ACTIONS = 127  # of a game, whose ids take a byte
TYPES = {
    "elapsed_at": np.int32, "elapsed": np.int64, "kept_when": np.int32, "kept_node": np.int32,
    "kept_visits": np.int32, "kept_value": np.float64, "proven_node": np.int32, "proven_outcome": np.float32,
    "proven_at": np.int32, "left_at": np.int32, "left_outcome": np.float32,
}  # fmt: skip
PROGRESS_OF_READING = 0.8  # share of the time
Progress = Callable[[float], None]


@dataclass
class Survey:
    """What a trace's file holds, by what its batches say of themselves."""

    n_rows: int = 0
    n_nodes: int = 1
    position: list[int] = field(default_factory=list)  # bytes before each batch
    length: list[int] = field(default_factory=list)  # bytes of each
    row: list[int] = field(default_factory=list)  # rows before each


def survey(file: TraceFile) -> Survey:
    """What the whole file holds. Raises TraceError where it has no end, or is damaged."""
    found = Survey()
    for message in file.stream():
        found.position.append(message.position)
        found.length.append(len(message.content))
        found.row.append(found.n_rows)
        found.n_rows += message.rows
        found.n_nodes += message.nodes
    return found


def n_iterations_in(file: TraceFile, enough: int) -> int:
    """Iterations of a trace's file, counted no further than `enough`; 0 where it is not whole."""
    try:
        return file.count_rows(enough)
    except TraceError:
        return 0


def build(file: TraceFile, target: Path, progress: Progress = lambda share: None) -> None:
    """Write the index of a trace, of whose file nothing but the header was read yet, to `target`, replacing what is
    there once it is whole. Raises NotCoveredError, TraceError for a trace that cannot be read, OSError."""
    part = target.with_name(f"{target.name}.{os.getpid()}{PART}")
    _clear_away(target)
    stamp = stamp_of(file.path)
    try:
        building = _Building(file, part)
        building.read(lambda share: progress(PROGRESS_OF_READING * share))
        about = building.sort()
        if stamp_of(file.path) != stamp:
            raise TraceError(f"{file.path}: has changed while it was read")
        building.index.finish(stamp, about)
        part.replace(target)
        progress(1.0)
    finally:
        part.unlink(missing_ok=True)


def _clear_away(target: Path) -> None:
    """Remove the unfinished files of other processes."""
    for left in target.parent.glob(f"{glob.escape(target.name)}.*{PART}"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > GIVEN_UP:
                left.unlink()


class _Building:
    """An index in the making."""

    def __init__(self, file: TraceFile, part: Path) -> None:
        meta = file.meta
        self._file, self._survey = file, survey(file)
        self._inherits = meta.inherited is not None
        self._n = self._survey.n_rows - self._inherits
        n_nodes, n_players = self._survey.n_nodes, meta.n_players
        if meta.is_snapshot or self._n < 1:
            raise NotCoveredError("it has no iterations")
        if max(self._n, n_nodes) > MOST:
            raise NotCoveredError(f"it has more than {MOST:,} iterations or nodes")
        if self._inherits and meta.keeps_squares:
            raise NotCoveredError(
                "it goes on with a tree, and its selection needs the squares of values"
            )
        if meta.shared is not None:
            raise NotCoveredError("its nodes are shared")
        if n_players > 2:
            raise NotCoveredError("it has more than two players")
        if meta.root.label is not None or meta.root.state is not None:
            raise NotCoveredError("its nodes have texts")
        self._n_players, self._codes, self._results = n_players, Codes(), ResultCodes()
        n_actions = meta.game.n_actions
        self._most_action = FEW_ACTIONS if n_actions and n_actions <= FEW_ACTIONS else MOST
        self._priors = False
        self._elapsed: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]] = []
        self._kept: list[tuple[Numbers, ...]] = []
        self._n_kept = 0
        self._left: list[tuple[Numbers, ...]] = []
        self._moves = [0]  # of simulations, before each batch
        self._proofs: list[tuple[Numbers, ...]] = []
        self._more: set[str] = (
            set()
        )  # optional columns of iterations that there are: they stay in the trace
        self._recorded = {"rollout": True, "proven": True}
        n, nodes = self._n, n_nodes
        self.index = columns = IndexWriter(part, {
            "leaf": ("<i4", n), "code": ("|u1", n), "when": ("<i4", n), "kind": ("|u1", n),
            "rows": ("<i8", n // BLOCK + 1), "parent": ("<i4", nodes),
            "action": ("|i1" if self._most_action == FEW_ACTIONS else "<i4", nodes),
            "to_move": ("|i1", nodes), "result": ("|u1", nodes), "born": ("<i4", nodes), "depth": ("<u2", nodes),
            "place": ("<i4", nodes), "node": ("<i4", nodes), "size": ("<i4", nodes), "first": ("<i4", nodes + 1),
            "prior": ("<f4", nodes),
        })  # fmt: skip
        columns["parent"][0], columns["action"][0] = -1, -1
        columns["to_move"][0] = meta.root.to_move
        of_root = np.nan if meta.root.outcome is None else meta.root.outcome
        columns["result"][:1] = self._results.of(np.array([of_root], np.float32))
        self._side = np.zeros(nodes, np.int8)
        self._take_sides(np.zeros(1, np.int32))

    # ---- the first reading: what stands in the rows

    def read(self, progress: Progress) -> None:
        """Fill the columns that are in the order of the file."""
        row, nodes = 0, 1
        for message in self._file.stream():
            rows = self._file.take_packed(message.content)
            begin = row
            self._moves.append(self._moves[-1] + len(rows.rollout))
            if self._inherits and not row:
                if is_along_path(split(rows, 0, 1)) is not None:
                    raise NotCoveredError(
                        "the tree that it goes on with comes without its statistics"
                    )
                self._take_nodes(split(rows, 0, 1), 0, nodes)
                self._keep(split(rows, 0, 1), np.full(1, LEFT_OUT, np.uint8), 0)
                self._take_proofs(split(rows, 0, 1), 0)
                nodes += int(rows.nodes.offset[1])
                rows, begin = split(rows, 1, rows.n), 1
            self._take(rows, begin - self._inherits, nodes)
            nodes += len(rows.nodes)
            row += message.rows
            progress(row / self._survey.n_rows)
        if row != self._survey.n_rows or nodes != self._survey.n_nodes:
            raise TraceError(f"{self._file.path}: its batches hold something else than they say")
        if self._n_kept > KEPT_SHARE * self._n + 1_000:
            raise NotCoveredError(
                "most of its iterations added more than one visit up the path from their leaf"
            )

    def _take(self, rows: Rows, t: int, n_nodes: int) -> None:
        """Take the rows that follow `t` iterations and `n_nodes` nodes."""
        if any(any(kind) for kind in rows.asides):
            raise NotCoveredError("something was told of its nodes beside their statistics")
        if not rows.n:
            return
        if rows.player_sums.recorded or rows.player_outcomes.recorded:
            raise NotCoveredError("it has numbers for each player")
        self._more |= {name for name in OF_ITERATIONS if rows.values[name] is not None}
        self._take_nodes(rows, t, n_nodes)
        columns, there = self.index, slice(t, t + rows.n)
        known = n_nodes + len(rows.nodes)
        plain, first, second = plain_values(rows, columns["parent"][:known], self._side[:known])
        n_updates = np.diff(rows.updates.offset).astype(np.int64)
        n_updates[plain] = columns["depth"][rows.leaf[plain]].astype(np.int64) + 1
        offset = np.concatenate([[0], np.cumsum(n_updates)])
        code = self._codes.of(plain, rows.outcome, first, second)
        columns["leaf"][there], columns["code"][there] = rows.leaf, code
        self._keep(rows, code, t + 1)
        left = np.flatnonzero(code == LEFT_OUT)
        self._n_kept += len(left)
        self._left.append(((left + t).astype(np.int32), rows.outcome[left]))
        new = np.flatnonzero(np.diff(rows.elapsed, prepend=self._last_elapsed))
        self._last_elapsed = int(rows.elapsed[-1])
        self._elapsed.append((new.astype(np.int32) + t, rows.elapsed[new]))
        for name in self._recorded:
            self._recorded[name] &= rows.values[name].recorded
        self._take_proofs(rows, t + 1)
        blocks = np.arange(-(-t // BLOCK) * BLOCK, t + rows.n, BLOCK)
        columns["rows"][blocks // BLOCK] = self._n_rows + offset[blocks - t]
        self._n_rows += int(offset[-1])
        if (t + rows.n) % BLOCK == 0:
            columns["rows"][(t + rows.n) // BLOCK] = self._n_rows

    def _take_proofs(self, rows: Rows, t: int) -> None:
        """What was proven in the rows, the first of which is iteration t; 0: in the tree that was inherited."""
        if len(rows.proven):
            at = np.repeat(np.arange(t, t + rows.n), np.diff(rows.proven.offset))
            self._proofs.append((rows.proven.node, rows.proven.outcome, at.astype(np.int32)))

    _n_rows = 0  # of updates so far
    _last_elapsed = -1

    def _take_nodes(self, rows: Rows, t: int, n_nodes: int) -> None:
        nodes, columns = rows.nodes, self.index
        for name in ("label", "state", "reward", "same_as"):
            if nodes.values[name] is not None:
                raise NotCoveredError(
                    f"its nodes have {'texts' if name in ('label', 'state') else name}"
                )
        there = slice(n_nodes, n_nodes + len(nodes))
        if nodes.action.max(initial=0) > self._most_action or nodes.action.min(initial=0) < 0:
            raise NotCoveredError("its moves have other ids than the game has")
        for name in ("parent", "action", "to_move"):
            columns[name][there] = nodes.values[name]
        columns["result"][there] = self._results.of(nodes.outcome)
        if not self._priors and np.isfinite(nodes.prior).any():
            self._priors = True
            columns["prior"][:n_nodes] = np.nan
        if self._priors:
            columns["prior"][there] = nodes.prior
        born = np.repeat(np.arange(t + 1, t + rows.n + 1), np.diff(nodes.offset))
        columns["born"][there] = 0 if self._inherits and not t and not self._kept else born
        self._take_sides(np.arange(there.start, there.stop, dtype=np.int32))
        depth = new_depths(nodes.parent, columns["depth"][:n_nodes])
        if depth.max(initial=0) >= 1 << 16:
            raise NotCoveredError("its tree is deeper than 65,535 moves")
        columns["depth"][there] = depth

    def _take_sides(self, nodes: npt.NDArray[np.int32]) -> None:
        mover = movers_into(nodes, self.index["parent"], self.index["to_move"], self._n_players)
        self._side[nodes] = sides(mover)

    def _keep(self, rows: Rows, code: npt.NDArray[np.uint8], t: int) -> None:
        places, owner = kept_updates(rows, code)
        if len(places) or not t:
            updates = rows.updates
            when = (owner + t).astype(np.int32)
            if not is_dyadic(updates.value[places]):
                raise NotCoveredError(ROUNDED)
            self._kept.append(
                (when, updates.node[places], updates.visits[places], updates.value[places])
            )
            if not t:
                self._n_rows = len(places)

    # ---- what follows from it

    def sort(self) -> Document:
        """Fill the columns that are in the order of the tree, and give what the head says."""
        columns = self.index
        worths, codes = self._codes.finished(self._n)
        np.take(codes, columns["code"], out=columns["code"])
        parent, place = columns["parent"], columns["place"]
        n_nodes = len(parent)
        own = np.zeros(n_nodes, np.int32)  # visits that ended at each node
        size = np.ones(n_nodes, np.int32)
        run(count_leaves, columns["leaf"], columns["code"], LEFT_OUT, own)
        run(add_up, parent, size)
        cursor = np.empty(n_nodes, np.int32)
        run(number, parent, size, place, cursor)
        columns["size"][place] = size
        columns["node"][place] = np.arange(n_nodes, dtype=np.int32)
        del size
        columns["first"][0] = 0
        np.cumsum(own[columns["node"]], out=columns["first"][1:])
        cursor[:] = columns["first"][:-1]
        run(
            sort_iterations,
            columns["leaf"],
            columns["code"],
            LEFT_OUT,
            place,
            cursor,
            columns["when"],
            columns["kind"],
        )
        del own, cursor
        return self._add_rest(worths)

    def _add_rest(self, worths: list[Worth]) -> Document:
        """Fill the columns whose length was not known before, and give what the head says."""
        columns = self.index
        if not self._priors:
            columns.drop("prior")
        spacing, course = self._add_knots(len(worths)), self._add_root_course(len(worths))
        for names, found in (
            (("elapsed_at", "elapsed"), self._elapsed),
            (("kept_when", "kept_node", "kept_visits", "kept_value"), self._kept),
            (("left_at", "left_outcome"), self._left),
            (("proven_node", "proven_outcome", "proven_at"), self._proofs),
        ):
            for place, name in enumerate(names):
                parts = [np.zeros(0, TYPES[name]), *(each[place] for each in found)]
                columns.add(name, np.concatenate(parts).astype(TYPES[name], copy=False))
        columns.add("batch_at", np.array(self._survey.position, np.int64))
        columns.add("batch_length", np.array(self._survey.length, np.int64))
        columns.add("batch_moves", np.array(self._moves, np.int64))
        columns.add("batch_row", np.array(self._survey.row, np.int64))
        outcome, value = codes_of(worths)
        return {
            "n_iterations": self._n, "n_nodes": self._survey.n_nodes, "knot": spacing, "course": course,
            "end": self._file.position, "inherits": self._inherits, "recorded": self._recorded,
            "more": sorted(self._more),
            "outcome": outcome.view(np.int32).tolist(), "value": value.tolist(), "result": self._results.bits,
        }  # fmt: skip

    def _add_root_course(self, n_codes: int) -> int:
        """Add how often the root and each of its children were visited in time, and give the iterations between two
        moments."""
        columns = self.index
        first, step = [0, 1], 1
        while first[-1] < len(columns["size"]):  # places of the children, and the end
            first.append(first[-1] + int(columns["size"][first[-1]]))
        begin, end = np.array([0, *first[1:-1]]), np.array([first[-1], *first[2:]])
        each = 4 * n_codes * len(begin)  # bytes of a moment
        while self._n // step > MOST_MOMENTS or self._n // step * each > max(self._n, COURSE_BYTES):
            step *= 2
        counts = np.zeros((self._n // step + 1, n_codes, len(begin)), np.int32)
        for moment in range(1, len(counts)):
            there = slice((moment - 1) * step, moment * step)
            leaf, code = columns["place"][columns["leaf"][there]], columns["code"][there]
            counts[moment] = counts[moment - 1] + ended_below(leaf, code, n_codes, begin, end)
        columns.add("course", counts.ravel())
        return step

    def _add_knots(self, n_codes: int) -> int:
        """Add how often each large node was visited up to each knot, by code, and give the iterations between two."""
        columns = self.index
        first, size, place = columns["first"], columns["size"], columns["place"]
        visits = first[np.arange(len(size)) + size] - first[:-1]
        large = np.flatnonzero(visits >= LARGE).astype(np.int32)  # places
        del visits
        spacing, each = KNOT, 4 * n_codes * len(large)
        while self._n // spacing * each > KNOT_BYTES * self._n:
            spacing *= 2
        counts = np.zeros((self._n // spacing + 1, n_codes, len(large)), np.int32)
        for knot in range(1, len(counts)):
            there = slice((knot - 1) * spacing, knot * spacing)
            leaf, code = place[columns["leaf"][there]], columns["code"][there]
            counts[knot] = counts[knot - 1] + ended_below(
                leaf, code, n_codes, large, large + size[large]
            )
        columns.add("large", large)
        columns.add("knots", counts.ravel())
        return spacing


def ended_below(
    leaf: Numbers, code: Numbers, n_codes: int, begin: Numbers, end: Numbers, is_sorted: bool = False
) -> Numbers:  # fmt: skip
    """[C, k] how many of these leaves, given by their places, lie in each of k ranges of places, by code."""
    counts = np.zeros((n_codes, len(begin)), np.int32)
    for which in range(n_codes):
        there = leaf[code == which]
        if not is_sorted:
            there.sort()
        counts[which] = np.searchsorted(there, end) - np.searchsorted(there, begin)
    return counts
