"""Ties a search to a trace: takes the search's chunks and appends them to a trace in memory and in
a file.

The only place that knows both. Watching changes nothing: a recorder reads the search's columns and
touches none.
"""

from __future__ import annotations

import datetime
import queue
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from mcts_viz.engine.iterations import Log
from mcts_viz.engine.search import Chunk, Search
from mcts_viz.engine.tree import Tree, branch_of_node
from mcts_viz.engine.workers import worker_seeds
from mcts_viz.errors import TraceError
from mcts_viz.games.position import PositionTexts, StartPosition
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import (
    BATCH_SECONDS,
    FIELDS_VERSION,
    FORMAT_VERSION,
    MAY_LACK,
    PATH_VERSION,
    NodeRows,
    ProofRows,
    RolloutRows,
    Rows,
    UpdateRows,
)
from mcts_viz.trace.index.ahead import IndexAhead
from mcts_viz.trace.index.opening import SMALLEST, index_ahead, indexed_columns, threshold
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.path_updates import PATH_VALUES, PathUpdates
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import tree_rows
from mcts_viz.trace.software import software
from mcts_viz.trace.trace import Trace, columns_of, read_file, root_columns
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.types import Document, ReadDocument

AnyTrace = TypeVar("AnyTrace", bound=Trace)

# of a search's tree that a trace has, too
TREE_COLUMNS = ("parent", "action", "to_move", "prior", "outcome")
QUEUED_CHUNKS = 8  # the search waits when the disk is this far behind


def search_meta(search: Search) -> Document:
    """The metadata document of a search's trace."""
    game = search.game
    state, actions = game.position(search.start)
    return {
        "kind": "trace",
        "format_version": PATH_VERSION if search.along_path else FORMAT_VERSION,
        "game": game.facts,
        "start": actions,
        "root": {
            "to_move": game.rules.to_move(state),
            **({} if game.text is None else {"state": game.text(state)}),
        },
        "action_labels": list(game.action_labels),
        "players": list(game.players),
        "reward_range": list(game.reward_range),
        "value_range": list(search.policies.value_range),
        "policies": search.policies.as_json(),
        "seed": search.seed,
        **_workers(search),
        **_restriction(search),
        "inherited": None,
        "budget": search.budget.as_json(),
        "recorded_by": "mcts_viz",
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "software": software(),
        "not_observed": [] if search.keep_rollouts else ["rollout"],
    }


def _workers(search: Search) -> Document:
    """The metadata of a search by several workers; empty for others."""
    if search.workers == 1:
        return {}
    seeds = worker_seeds(search.seed, search.workers)
    version = PATH_VERSION if search.along_path else FIELDS_VERSION
    found: Document = {"format_version": version, "worker_seeds": seeds}
    if not search.policies.draws:
        found["notes"] = ["Nothing in this search is drawn at random, so all workers did the same."]
    return found


def _restriction(search: Search) -> Document:
    """The metadata of a search that may not play every move at the root; empty for others."""
    if search.root_actions is None:
        return {}
    return {"root_actions": list(search.root_actions)}


def _optional(search: Search, kept: Tree | None) -> set[str]:
    """Which of the columns that a file may lack the recording of a search has."""
    return {
        *PATH_VALUES,
        *(["worker"] if search.workers > 1 else []),
        *(["rollout"] if search.keep_rollouts else []),
        *(["proven"] if search.policies.solver else []),
        *(["state"] if search.game.text is not None else []),
        # one_child asks no evaluator; what another search's tree has is not known
        *(["prior"] if search.policies.expansion != "one_child" or kept is not None else []),
    }


class Recorder:
    """A consumer of chunks: what it records grows as the search runs, in the file at `path`, or in
    memory where there is none.

    Of a recording with a file, memory holds what the file does, compressed, some 10 to 30 bytes an
    iteration; it is unpacked when somebody looks, which needs the file no more. A long one is looked at in its file, by
    its index, and of one beyond `MOST_KEPT` bytes memory holds nothing.

    Use as a context manager around the search. Appending, checksums and compression run in a thread
    of their own, so that a compiled search hardly waits for them; an error there is raised in the
    search's thread.
    """

    def __init__(
        self,
        search: Search,
        path: str | Path | None = None,
        kept: Tree | None = None,
        about: ReadDocument | None = None,
        sync: float | None = None,
    ) -> None:
        """`kept` is the tree that the search goes on with, before its first iteration; `about` goes
        into the metadata; `sync`: seconds between two times that the file is put on the disk."""
        content = {**search_meta(search), **(about or {})}
        if kept is not None:
            content["inherited"] = {"visits": int(kept.visits[0]), "nodes": int(kept.size[0])}
            if search.formula.needs_squares:
                squares = kept.branch_squares[branch_of_node(kept)]
                content["whole_tree"] = {"square_sums": squares.tolist()}
        self.meta = TraceMeta(content, "the search")
        self._columns = root_columns(self.meta)  # no more than the root with a file
        self._paths = PathUpdates(self.meta.root.to_move, self.meta.n_players)
        self._keep_rollouts = search.keep_rollouts
        self._latest_first = search.latest_first
        self._solver, self._along_path = search.policies.solver, search.along_path
        self._writer, self._index = None, None
        if path is not None:
            without = set(MAY_LACK) - _optional(search, kept) if search.along_path else ()
            self._writer = TraceWriter(path, self.meta, keep=True, sync=sync, without=without)
        self._logged = 0  # bytes, of a recording in memory
        self._unwritten: list[Chunk] = []  # whose logs the writer still needs
        # opened now: later it may have been moved
        self.file = None if self._writer is None else self._writer.reader()
        if self._writer is not None:
            self._index = _index_ahead(search, self._writer.path, self.meta, kept)
            if self._index is not None:
                self._writer.told = self._index.take
        self._ones = np.zeros(0, np.int32)
        self._texts = PositionTexts(StartPosition(search.game, search.start))
        self._queue: queue.Queue[tuple[Chunk, list[str | None] | None] | None] = queue.Queue(
            maxsize=QUEUED_CHUNKS
        )
        self._error: Exception | None = None
        if kept is not None:
            states = self._texts_of(kept, 1, int(kept.size[0]))
            self._append(self._inherited_rows(kept, states))
        self._thread = threading.Thread(target=self._work, name="mcts_viz recorder", daemon=True)

    @property
    def columns(self) -> Columns:
        """What has been recorded; with a file, what has been written."""
        made = self._made()
        return made if isinstance(made, Columns) else made()

    def trace(self, make: Callable[..., AnyTrace]) -> AnyTrace:
        """The recording, which has ended, as a trace that `make`, a class of traces, makes."""
        return make(self.meta, self._made(), self.file)

    def _made(self) -> Columns | Callable[[], Columns]:
        if self.file is None or self._writer is None:
            return self._columns
        return partial(_columns_of, self.file, self._writer.kept)

    def bytes_held(self) -> int:
        """What the recording takes in memory."""
        return self._logged if self._writer is None else self._writer.bytes_kept

    def __call__(self, chunk: Chunk) -> None:
        """Record one chunk."""
        if self._error is not None:
            raise self._error
        if self._writer is None:
            self._logged += bytes_logged(chunk.log, chunk.n)
        # here and not in the thread: a user's game may not bear being asked by two at once
        first, last = int(chunk.log.node_count[0]), int(chunk.log.node_count[chunk.n])
        self._queue.put((chunk, self._texts_of(chunk.tree, first, last)))

    def _texts_of(self, tree: Tree, first: int, last: int) -> list[str | None] | None:
        """Texts of the positions of new nodes, from `first` to just before `last`; None for a game without texts."""
        if not self._texts.there_are:
            return None
        parents, actions = tree.parent[first:last].tolist(), tree.action[first:last].tolist()
        return self._texts.of_new_nodes(parents, actions)

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self._queue.put(None)
            self._thread.join()
            if self._writer is not None:
                self._writer.__exit__(kind or (None if self._error is None else type(self._error)))
            is_whole = kind is None and self._error is None
            if self.file is not None and is_whole:
                self.file.ended = True
            if self._index is not None and is_whole:
                self._index.finish()
        finally:
            if self._index is not None and not self._index.is_finishing:
                self._index.give_up()
        if kind is None and self._error is not None:
            raise self._error

    def _work(self) -> None:
        while True:
            try:
                piece = self._queue.get(timeout=BATCH_SECONDS / 2)
            except queue.Empty:
                self._try(self._keep_up)
                continue
            if piece is None:
                return
            self._try(partial(self._take, *piece))

    def _take(self, chunk: Chunk, states: list[str | None] | None) -> None:
        self._append(self._rows(chunk, states))
        if self._writer is not None:
            self._unwritten.append(chunk)
            self._give_back()

    def _give_back(self) -> None:
        """Let the search write over what is in the file."""
        if self._writer is not None and not self._writer.has_waiting:
            for chunk in self._unwritten:
                chunk.give_back()
            self._unwritten.clear()

    def _try(self, work: Callable[[], None]) -> None:
        """Do it; an error waits until the search hears of it, and nothing is done any more."""
        if self._error is not None:
            return
        try:
            work()
        except Exception as err:  # noqa: BLE001 (whatever it is, it belongs to the search's thread)
            self._error = err

    def _keep_up(self) -> None:
        """While an iteration takes its time: what came before it can be followed."""
        if self._writer is not None:
            self._writer.keep_up()
            self._give_back()

    def _append(self, rows: Rows) -> None:
        if self._writer is None:
            self._paths.take(rows.nodes)
            self._columns.append(rows, self._paths)
        else:
            self._writer.append(rows)

    def _rows(self, chunk: Chunk, states: list[str | None] | None) -> Rows:
        """The rows of a trace that tell what a chunk did; views, where its columns are as they
        should be."""
        tree, log, n = chunk.tree, chunk.log, chunk.n
        new = slice(int(log.node_count[0]), int(log.node_count[n]))
        moves = int(log.rollout_offset[n])
        proofs = int(log.proven_offset[n])
        lists: Document = {}
        if self._keep_rollouts:
            lists["rollout"] = RolloutRows(
                log.rollout_offset[: n + 1], action=log.rollout_action[:moves]
            )
        if self._solver:
            lists["proven"] = ProofRows(
                log.proven_offset[: n + 1],
                node=log.proven_node[:proofs],
                outcome=log.proven_outcome[:proofs],
            )
        return Rows(
            nodes=NodeRows(
                log.node_count[: n + 1] - log.node_count[0],
                state=states,
                **{name: getattr(tree, name)[new] for name in TREE_COLUMNS},
            ),
            leaf=log.leaf[:n],
            **self._backed_up(log, n),
            outcome=log.result[:n],
            elapsed=log.elapsed[:n],
            worker=chunk.worker,
            **lists,
        )

    def _backed_up(self, log: Log, n: int) -> Document:
        """What backpropagation did, as columns of rows."""
        updates = 0 if self._along_path else int(log.update_offset[n])
        if updates > len(self._ones):
            self._ones = np.ones(2 * updates, np.int32)
        rows = UpdateRows(
            np.zeros(n + 1, np.int32) if self._along_path else log.update_offset[: n + 1],
            node=log.update_node[:updates].view(np.int32),
            visits=self._ones[:updates],
            value=log.update_value[:updates],
        )
        named = PATH_VALUES if self._along_path else ()
        return {"updates": rows, **{name: getattr(log, name)[:n] for name in named}}

    def _inherited_rows(self, tree: Tree, states: list[str | None] | None) -> Rows:
        """One row that makes a tree with all its statistics."""
        n = int(tree.size[0])
        nodes = {name: getattr(tree, name)[:n].copy() for name in TREE_COLUMNS}
        texts = None if states is None else [None, *states]
        proven = tree.proven[:n] if self._solver else None
        # of equal children the later in the row was visited later
        order = np.argsort(-branch_of_node(tree)[:n]) if self._latest_first else None
        return tree_rows(
            {**nodes, "state": texts}, tree.visits[:n], tree.value_sum[:n], proven,
            self._keep_rollouts, order,
        )  # fmt: skip


def _index_ahead(
    search: Search, path: Path, meta: TraceMeta, kept: Tree | None
) -> IndexAhead | None:
    """The index of a recording whose length is known."""
    n, most = search.budget.iterations, search.budget.nodes
    if n is None:
        return None
    begun = 1 if kept is None else int(kept.size[0])
    n_nodes = begun + n * search.children_at_once
    if most is not None:  # and what the last expansion makes beyond it
        n_nodes = min(n_nodes, max(most, begun) + search.children_at_once)
    return index_ahead(path, meta, n, n_nodes)


def bytes_logged(log: Log, n: int) -> int:
    """What a recording of the first `n` iterations of a log takes in memory."""
    updates, moves = int(log.update_offset[n]), int(log.rollout_offset[n])
    nodes = int(log.node_count[n] - log.node_count[0])
    return 16 * updates + 4 * moves + 21 * nodes + 40 * n


def _columns_of(file: TraceFile, kept: list[bytes] | None) -> Columns:
    """The columns of a recording: by the index of its file where it is long, else from the messages of its batches,
    without reading the file itself; from the file where memory has none of them any more."""
    if kept is None:
        return _read_again(file)
    n_bytes = file.position + sum(map(len, kept))
    if file.ended and n_bytes >= SMALLEST * threshold():
        indexed = _by_index(file)
        if indexed is not None:
            return indexed
    reader = file.trusted()  # where it stands, behind the header
    return columns_of(reader, (reader.take(each, write_out=False) for each in kept), n_bytes)


def _read_again(file: TraceFile) -> Columns:
    """The columns of a recording from its file; raises TraceError where that was removed or replaced."""
    there, columns = read_file(file.path)
    if there.recording != file.recording:
        raise TraceError(
            f"{file.path}: the file was replaced by another recording since it ended, and memory does not hold so "
            "long a one; open the file, or record the search again to another path"
        )
    return columns


def _by_index(file: TraceFile) -> Columns | None:
    """The columns of a recording by its index, which is made first; None where there can be none, or the file is not
    there any more."""
    try:
        there = TraceFile(file.path)
    except TraceError:
        return None
    return indexed_columns(there) if there.recording == file.recording else None
