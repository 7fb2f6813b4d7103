"""Makes the index of a trace in memory that does not grow with its length: the file is read twice, a batch at a time,
and what is found goes into columns that are mapped into memory. Of a recording the batches are taken as they are
written, so that the file is not read at all.
"""

from __future__ import annotations

import contextlib
import copy
import glob
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.trace.depths import new_depths
from mcts_viz.trace.format import OF_ITERATIONS, Rows
from mcts_viz.trace.index.layout import IndexWriter, stamp_of
from mcts_viz.trace.index.loops import (
    USUAL_DEPTH,
    add_in_order,
    add_up,
    count_leaves,
    number,
    run,
    sort_iterations,
)
from mcts_viz.trace.index.ordered import OrderedWorth
from mcts_viz.trace.index.plain import (
    LEFT_OUT,
    Codes,
    NotCoveredError,
    ResultCodes,
    RoundedError,
    Worth,
    codes_of,
    is_dyadic,
    kept_updates,
    plain_values,
    sides,
)
from mcts_viz.trace.index.survey import Survey, survey
from mcts_viz.trace.index.told_building import ToldBuilding
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.path_updates import is_along_path
from mcts_viz.trace.players import movers_into
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import split
from mcts_viz.types import Document, Floats, Numbers

BLOCK = 1 << 12  # iterations between two totals of how many updates there were
LARGE = 1 << 13  # visits in the end, from which on a node's are counted at knots
KNOT = 1 << 14  # iterations between two knots, at least
KNOT_BYTES = 1  # an iteration, at most, that knots take
MOST_MOMENTS, COURSE_BYTES = 1_998, 1 << 22  # of the root's course
# of the iterations, and beside these, that may keep their updates
KEPT_SHARE, FEW_KEPT = 0.01, 1_000
PART = ".part"
GIVEN_UP = 3_600.0  # seconds after which an unfinished index counts as abandoned
MOST = (1 << 31) - 2  # iterations and nodes
FEW_ACTIONS = 127  # of a game, whose ids take a byte
OF_TIME = ("leaf", "code", "when", "kind")  # columns with a number for each iteration
BY_PLACE = ("when", "kind", "place", "node", "size", "first")  # filled once the whole tree is known
WORTH = ("worth_0", "worth_1")
OF_NODES = (
    "parent", "action", "to_move", "result", "born", "depth", "place", "node", "size", "prior",
)  # fmt: skip
TYPES = {
    "elapsed_at": np.int32, "elapsed": np.int64, "kept_when": np.int32, "kept_node": np.int32,
    "kept_visits": np.int32, "kept_value": np.float64, "proven_node": np.int32, "proven_outcome": np.float32,
    "proven_at": np.int32, "left_at": np.int32, "left_outcome": np.float32,
}  # fmt: skip
PROGRESS_OF_READING = 0.8  # share of the time
Progress = Callable[[float], None]


def build(file: TraceFile, target: Path, progress: Progress = lambda share: None) -> None:
    """Write the index of a trace, of whose file nothing but the header was read yet, to `target`, replacing what is
    there once it is whole. Of a recording that was interrupted it has what came before; one that goes on has none.
    Raises NotCoveredError, TraceError for a trace that cannot be read, OSError."""
    stamp = stamp_of(file.path)
    cut_off = is_held(file.path) is False
    part = unfinished(target)
    try:
        building, about = _whole(file, survey(file, cut_off), part, cut_off, progress)
        index = building.index
        if stamp_of(file.path) != stamp:
            building.remove()
            raise TraceError(f"{file.path}: has changed while it was read")
        assert index is not None
        index.finish(stamp, about)
        del building, index  # Windows renames no file that is mapped
        part.replace(target)
        progress(1.0)
    finally:
        part.unlink(missing_ok=True)


AnyBuilding: TypeAlias = "Building | ToldBuilding"


def _whole(
    file: TraceFile, size: Survey, part: Path, cut_off: bool, progress: Progress
) -> tuple[AnyBuilding, Document]:
    """All columns of the index that suits the trace, and what its head says."""
    meta = file.meta
    with contextlib.suppress(NotCoveredError):
        try:
            return _built(copy.copy(file), Building(meta, size, part), size, cut_off, progress)
        except RoundedError:
            rounded = Building(meta, size, part, is_rounded=True)
            return _built(copy.copy(file), rounded, size, cut_off, progress)
    return _built(file, ToldBuilding(meta, part), size, cut_off, progress)


def _built(
    file: TraceFile, building: AnyBuilding, size: Survey, cut_off: bool, progress: Progress
) -> tuple[AnyBuilding, Document]:
    try:
        for message in file.stream(cut_off):
            building.take(file.take_packed(message.content), message.position, len(message.content))
            progress(PROGRESS_OF_READING * building.row / size.n_rows)
        if building.size != size:
            raise TraceError(f"{file.path}: its batches hold something else than they say")
        return building, building.sort()
    except BaseException:
        building.remove()
        raise


def unfinished(target: Path) -> Path:
    """Where an index is written until it is whole; what other processes have left there is removed."""
    for left in target.parent.glob(f"{glob.escape(target.name)}.*{PART}"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > GIVEN_UP:
                left.unlink()
    # in containers that share a folder processes may have one number
    return target.with_name(f"{target.name}.{secrets.token_hex(8)}{PART}")


class Building:
    """An index in the making."""

    def __init__(self, meta: TraceMeta, size: Survey, part: Path, is_rounded: bool = False) -> None:
        """size: of the trace, at most. part: the file. is_rounded: iterations have values of their own, see
        `OrderedWorth`; found out by trying without. Raises NotCoveredError, OSError."""
        self._inherits = meta.inherited is not None
        self._n = size.n_rows - self._inherits
        n_nodes, n_players = size.n_nodes, meta.n_players
        self.row, self._n_nodes = 0, 1  # rows and nodes taken
        # of each batch, bytes and rows before it, its bytes
        self._batches: list[tuple[int, int, int]] = []
        if meta.is_snapshot or self._n < 1:
            raise NotCoveredError("it has no iterations")
        if max(self._n, n_nodes) > MOST:
            raise NotCoveredError(f"it has more than {MOST:,} iterations or nodes")
        if self._inherits and meta.keeps_squares:
            raise NotCoveredError(
                "it goes on with a tree, and its selection needs the squares of values"
            )
        if is_rounded and (self._inherits or meta.keeps_squares):
            raise NotCoveredError(
                "sums of its values depend on their order, and it goes on with a tree or its selection needs squares"
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
            **(dict.fromkeys(WORTH, ("<f8", n)) | {"outcome": ("<f4", n)} if is_rounded else {}),
        })  # fmt: skip
        columns.reserve("rows", n // BLOCK + 1)
        self._ordered = None
        self._of_time = (*OF_TIME, *WORTH, "outcome") if is_rounded else OF_TIME
        self._reserve(0, 1)
        if is_rounded:
            worth = columns[WORTH[0]], columns[WORTH[1]]
            self._ordered = OrderedWorth(columns["code"], worth, columns["outcome"])
        columns["parent"][0], columns["action"][0] = -1, -1
        columns["to_move"][0] = meta.root.to_move
        of_root = np.nan if meta.root.outcome is None else meta.root.outcome
        columns["result"][:1] = self._results.of(np.array([of_root], np.float32))
        self._side = np.zeros(nodes, np.int8)
        self._take_sides(np.zeros(1, np.int32))

    # ---- what stands in the rows

    def remove(self) -> None:
        """There will be no such index."""
        self.index.remove()

    @property
    def size(self) -> Survey:
        """What was taken."""
        return Survey(self.row, self._n_nodes)

    def take(self, rows: Rows, position: int, n_bytes: int) -> None:
        """Fill the columns that are in the order of the file with its next batch, which lies there. Raises
        NotCoveredError, also for a trace that is larger than was said."""
        self._batches.append((position, self.row, n_bytes))
        self._moves.append(self._moves[-1] + len(rows.rollout))
        size = Survey(self.row + rows.n, self._n_nodes + len(rows.nodes))
        if size.n_rows - self._inherits > self._n or size.n_nodes > len(self._side):
            raise NotCoveredError("it is larger than was expected")
        t, n_nodes = self.row - self._inherits, self._n_nodes
        if self._inherits and not self.row:
            tree = split(rows, 0, 1)
            if is_along_path(tree) is not None:
                raise NotCoveredError("the tree that it goes on with comes without its statistics")
            self._reserve(0, n_nodes + len(tree.nodes))
            self._take_nodes(tree, 0, n_nodes)
            self._keep(tree, np.full(1, LEFT_OUT, np.uint8), 0)
            self._take_proofs(tree, 0)
            t, n_nodes = 0, n_nodes + len(tree.nodes)
            rows = split(rows, 1, rows.n)
        self._reserve(t + rows.n, size.n_nodes)
        self._take(rows, t, n_nodes)
        self.row, self._n_nodes = size

    def _reserve(self, n: int, n_nodes: int) -> None:
        """Take room for so many iterations and nodes."""
        for names, length in ((self._of_time, n), (OF_NODES, n_nodes)):
            for name in names:
                if name not in BY_PLACE and (name != "prior" or self._priors):
                    self.index.reserve(name, length)

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
        columns["leaf"][there] = rows.leaf
        if self._ordered is None:
            columns["code"][there] = self._codes.of(plain, rows.outcome, first, second)
        else:
            self._ordered.take(t, rows, plain, first, second)
        code = columns["code"][there]
        self._keep(rows, code, t + 1)
        left = np.flatnonzero(code == LEFT_OUT)
        self._n_kept += len(left)
        if self._n_kept > KEPT_SHARE * self._n + FEW_KEPT:
            raise NotCoveredError(
                "many of its iterations added something else than a visit up the path from their leaf"
            )
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
            self.index.reserve("prior", there.stop)
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
                raise RoundedError
            self._kept.append(
                (when, updates.node[places], updates.visits[places], updates.value[places])
            )
            if not t:
                self._n_rows = len(places)

    # ---- what follows from it

    def sort(self) -> Document:
        """Fill the columns that are in the order of the tree, and give what the head says. Raises NotCoveredError."""
        columns = self.index
        self._cut()
        if self._ordered is None:
            worths, codes = self._codes.finished(self._n)
            known = np.flatnonzero(codes != LEFT_OUT)
            if not np.array_equal(codes[known], known):
                np.take(codes, columns["code"], out=columns["code"])
        else:
            worths = [Worth(each, 0.0, 0.0) for each in self._ordered.outcomes]
        parent, place = columns["parent"], columns["place"]
        n_nodes = len(parent)
        own = np.zeros(n_nodes, np.int32)  # visits that ended at each node
        size = np.ones(n_nodes, np.int32)
        run(count_leaves, columns["leaf"], columns["code"], LEFT_OUT, own)
        run(add_up, parent, size)
        cursor = np.empty(n_nodes, np.int32)
        run(number, parent, size, place, cursor, columns["node"], columns["size"])
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

    def _cut(self) -> None:
        """Let the columns be no longer than the trace is."""
        n, n_nodes = self.row - self._inherits, self._n_nodes
        if n < 1:
            raise NotCoveredError("it has no iterations")
        if (n, n_nodes) != (self._n, len(self._side)):
            lengths = dict.fromkeys(self._of_time, n) | dict.fromkeys(OF_NODES, n_nodes)
            self.index.cut({**lengths, "rows": n // BLOCK + 1, "first": n_nodes + 1})
        self._n, self._side = n, self._side[:n_nodes]
        for name in BY_PLACE:
            self.index.reserve(name, len(self.index[name]))

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
        at, row, length = np.array(self._batches, np.int64).reshape(-1, 3).transpose()
        columns.add("batch_at", at)
        columns.add("batch_length", length)
        columns.add("batch_moves", np.array(self._moves, np.int64))
        columns.add("batch_row", row)
        outcome, value = codes_of(worths)
        return {
            "n_iterations": self._n, "n_nodes": self._n_nodes, "knot": spacing, "course": course,
            "end": int(at[-1] + length[-1]), "inherits": self._inherits, "recorded": self._recorded,
            "more": sorted(self._more), "has_codes": self._ordered is None or self._ordered.has_codes,
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
        if self._ordered is not None:
            columns.add("course_sums", self._sums_in_order(columns["node"][begin], step))
        return step

    def _sums_in_order(self, nodes: Numbers, step: int) -> Floats:
        """[K × L] the sums of values of nodes after 0, step, 2 · step, … iterations."""
        columns = self.index
        which = np.full(self._n_nodes, -1, np.int32)
        which[nodes] = np.arange(len(nodes))
        sums = np.zeros((self._n // step + 1, len(nodes)))
        worth = (columns[name] for name in WORTH)
        run(
            add_in_order, columns["leaf"], *worth, columns["parent"], self._side, which, step, sums,
            each=USUAL_DEPTH,
        )  # fmt: skip
        return sums.ravel()

    def _add_knots(self, n_codes: int) -> int:
        """Add how often each large node was visited up to each knot, by code, and give the iterations between two."""
        columns = self.index
        first, size, place = columns["first"], columns["size"], columns["place"]
        visits = first[np.arange(len(size)) + size] - first[:-1]
        large = np.flatnonzero(visits >= LARGE).astype(np.int32)  # places
        del visits
        each = (4 * n_codes + 8 * (self._ordered is not None)) * len(large)
        spacing = KNOT
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
        if self._ordered is not None:
            columns.add("knot_sums", self._sums_in_order(columns["node"][large], spacing))
        return spacing


def ended_below(
    leaf: Numbers, code: Numbers, n_codes: int, begin: Numbers, end: Numbers
) -> Numbers:  # fmt: skip
    """[C, k] how many of these leaves, given by their places, lie in each of k ranges of places, by code."""
    counts = np.zeros((n_codes, len(begin)), np.int32)
    for which in range(n_codes):
        there = np.sort(leaf[code == which])
        counts[which] = np.searchsorted(there, end) - np.searchsorted(there, begin)
    return counts
