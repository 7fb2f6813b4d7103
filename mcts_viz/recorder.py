"""Ties a search to a trace: takes the search's chunks and appends them to a trace in memory and in
a file.

The only place that knows both. Watching changes nothing: a recorder reads the search's columns and
touches none.
"""

from __future__ import annotations

import copy
import datetime
import platform
import queue
import threading
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import metadata as packages
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from mcts_viz.search.engine import Chunk, Search
from mcts_viz.search.tree import Tree
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import BATCH_SECONDS, FORMAT_VERSION, Rows
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.trace import Trace, columns_of, root_columns
from mcts_viz.trace.writer import TraceWriter

AnyTrace = TypeVar("AnyTrace", bound=Trace)

QUEUED_CHUNKS = 8  # the search waits when the disk is this far behind


def software() -> dict[str, str]:
    """Versions of what computed the numbers, for the trace's metadata."""
    return {
        "mcts_viz": _version("mcts_viz") or "0.1.0",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": _version("numba") or "",
    }


@cache
def _version(package: str) -> str | None:
    """Of an installed package; kept, for looking it up takes longer than a short search."""
    try:
        return packages.version(package)
    except packages.PackageNotFoundError:
        return None


def search_meta(search: Search) -> dict[str, Any]:
    """The metadata document of a search's trace."""
    game = search.game
    state, actions = game.position(search.start)
    return {
        "kind": "trace",
        "format_version": FORMAT_VERSION,
        "game": {
            "name": game.name,
            "title": game.title,
            "parameters": dict(game.parameters),
            "n_actions": game.n_actions,
        },
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
        **_restriction(search),
        "inherited": None,
        "budget": search.budget.as_json(),
        "recorded_by": "mcts_viz",
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "software": software(),
        "not_observed": [] if search.keep_rollouts else ["rollout"],
    }


def _restriction(search: Search) -> dict[str, Any]:
    """What is said of a search that may not play every move at the root; nothing of others."""
    if search.root_actions is None:
        return {}
    return {"root_actions": list(search.root_actions)}


class PositionTexts:
    """The texts of the positions that a search has come to, for a game that tells them; keeps the
    state of every node, from which those of its children are made."""

    def __init__(self, search: Search) -> None:
        self._rules = search.game.rules
        self._text = search.game.text
        self._states = [search.game.position(search.start)[0]]  # [N]

    def of_new_nodes(self, chunk: Chunk) -> list[str | None] | None:
        """The texts of the nodes that a chunk has made; None for a game that tells none."""
        return self.of_nodes(
            chunk.tree, int(chunk.log.node_count[0]), int(chunk.log.node_count[chunk.n])
        )

    def of_nodes(self, tree: Tree, first: int, last: int) -> list[str | None] | None:
        """The texts of the nodes from `first`, the oldest not asked for yet, to just before
        `last`."""
        if self._text is None:
            return None
        texts: list[str | None] = []
        for parent, action in zip(
            tree.parent[first:last].tolist(), tree.action[first:last].tolist()
        ):
            state = list(self._states[parent])
            self._rules.play(state, action)
            self._states.append(state)
            texts.append(self._text(state))
        return texts


class Recorder:
    """A consumer of chunks: what it records grows as the search runs, in the file at `path`, or in
    memory where there is none.

    Of a recording with a file, memory holds what the file does, compressed, some 10 to 30 bytes an
    iteration; it is unpacked when somebody looks, which needs the file no more.

    Use as a context manager around the search. Appending, checksums and compression run in a thread
    of their own, so that a compiled search hardly waits for them; an error there is raised in the
    search's thread.
    """

    def __init__(
        self,
        search: Search,
        path: str | Path | None = None,
        kept: Tree | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """`kept` is the tree that the search goes on with, before its first iteration; `about` goes
        into the metadata."""
        self.meta = {**search_meta(search), **(about or {})}
        if kept is not None:
            self.meta["inherited"] = {"visits": int(kept.visits[0]), "nodes": int(kept.size[0])}
        self._columns = root_columns(self.meta, "the search")  # no more than the root with a file
        self._keep_rollouts = search.keep_rollouts
        self._solver = search.policies.solver
        self._writer = None if path is None else TraceWriter(path, self.meta, keep=True)
        self._unwritten: list[Chunk] = []  # whose logs the writer still needs
        # as a reader sees it; opened now, for later somebody may have moved it
        self.file = None if path is None else TraceFile(path)
        self._ones = np.zeros(0, np.int32)
        self._texts = PositionTexts(search)
        self._queue: queue.Queue[tuple[Chunk, list[str | None] | None] | None] = queue.Queue(
            maxsize=QUEUED_CHUNKS
        )
        self._error: Exception | None = None
        if kept is not None:
            states = self._texts.of_nodes(kept, 1, int(kept.size[0]))
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
        return partial(_unpacked, self.file, self._writer.kept)

    def __call__(self, chunk: Chunk) -> None:
        """Record one chunk."""
        if self._error is not None:
            raise self._error
        # here and not in the thread: a user's game may not bear being asked by two at once
        self._queue.put((chunk, self._texts.of_new_nodes(chunk)))

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._queue.put(None)
        self._thread.join()
        if self._writer is not None:
            self._writer.__exit__(
                kind or (None if self._error is None else type(self._error)), error, where
            )
        if self.file is not None and kind is None and self._error is None:
            self.file.ended = True
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
            self._columns.append(rows)
        else:
            self._writer.append(rows)

    def _rows(self, chunk: Chunk, states: list[str | None] | None) -> Rows:
        """The rows of a trace that tell what a chunk did; views, where its columns are as they
        should be."""
        tree, log, n = chunk.tree, chunk.log, chunk.n
        new = slice(int(log.node_count[0]), int(log.node_count[n]))
        updates = int(log.update_offset[n])
        moves = int(log.rollout_offset[n])
        proofs = int(log.proven_offset[n])
        if updates > len(self._ones):
            self._ones = np.ones(2 * updates, np.int32)
        return Rows(
            new_offset=log.node_count[: n + 1] - log.node_count[0],
            parent=tree.parent[new],
            action=tree.action[new],
            to_move=tree.to_move[new],
            prior=tree.prior[new],
            outcome=tree.outcome[new],
            leaf=log.leaf[:n],
            update_offset=log.update_offset[: n + 1],
            update_node=log.update_node[:updates].view(np.int32),
            update_visits=self._ones[:updates],
            update_value=log.update_value[:updates],
            result=log.result[:n],
            elapsed=log.elapsed[:n],
            rollout_offset=log.rollout_offset[: n + 1] if self._keep_rollouts else None,
            rollout_action=log.rollout_action[:moves] if self._keep_rollouts else None,
            state=states,
            proven_offset=log.proven_offset[: n + 1] if self._solver else None,
            proven_node=log.proven_node[:proofs] if self._solver else None,
            proven_outcome=log.proven_outcome[:proofs] if self._solver else None,
        )

    def _inherited_rows(self, tree: Tree, states: list[str | None] | None) -> Rows:
        """One row that makes a tree with all its statistics."""
        n = int(tree.size[0])
        visited = np.flatnonzero((tree.visits[:n] != 0) | (tree.value_sum[:n] != 0))
        proven = np.flatnonzero(~np.isnan(tree.proven[:n]) & np.isnan(tree.outcome[:n]))
        ends = np.array([0, len(visited)], np.int32)
        return Rows(
            new_offset=np.array([0, n - 1], np.int32),
            **{
                name: getattr(tree, name)[1:n].copy()
                for name in ("parent", "action", "to_move", "prior", "outcome")
            },
            leaf=np.zeros(1, np.int32),
            update_offset=ends,
            update_node=visited.astype(np.int32),
            update_visits=tree.visits[visited],
            update_value=tree.value_sum[visited],
            result=np.full(1, np.nan, np.float32),
            elapsed=np.zeros(1, np.int64),
            rollout_offset=np.zeros(2, np.int32) if self._keep_rollouts else None,
            rollout_action=np.zeros(0, np.int32) if self._keep_rollouts else None,
            state=states,
            proven_offset=np.array([0, len(proven)], np.int32) if self._solver else None,
            proven_node=proven.astype(np.int32) if self._solver else None,
            proven_outcome=tree.proven[proven] if self._solver else None,
        )


def _unpacked(file: TraceFile, kept: list[bytes]) -> Columns:
    """The columns of a file, from the messages of its batches; the file itself is not read."""
    reader = copy.copy(file)  # where it stands, behind the header
    n_bytes = reader.position + sum(map(len, kept))
    return columns_of(reader, map(reader.take, kept), n_bytes)
