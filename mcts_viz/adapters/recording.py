"""A recording of somebody else's search: one row of a trace after each of its iterations.

Ties a watched tree to a trace in memory and in a file. Knows no game and no page.
"""

from __future__ import annotations

import contextlib
import json
import numbers
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from mcts_viz.adapters.actions import ActionIds
from mcts_viz.adapters.careful_reader import brief
from mcts_viz.adapters.row_log import FLOAT32, NONE, RowLog
from mcts_viz.adapters.watched_tree import WatchedTree
from mcts_viz.errors import TraceError
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import BATCH_SECONDS, document_of
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.trace import Trace, root_columns
from mcts_viz.trace.writer import TraceWriter

CHUNK_ITERATIONS = 1_000  # at most, between two visits to the columns and the file
CHUNK_NANOSECONDS = int(BATCH_SECONDS * 1e9)

# after a batch, what has come since is written by a thread, if the search's own has not done so in
# an iteration; each time the thread looks, the search's may go on slower, on another processor
PATIENCE_SECONDS = 0.6

AnyTrace = TypeVar("AnyTrace", bound=Trace, covariant=True)


class TraceMaker(Protocol[AnyTrace]):
    """A class of traces."""

    def __call__(
        self, meta: Mapping[str, Any], columns: Columns, file: TraceFile | None, complete: bool
    ) -> AnyTrace: ...


class Recording(Generic[AnyTrace]):
    """What `mcts_viz.record` gives: call `iteration` after each iteration of the search, inside a
    `with` block or up to `close`.

    When the search puts another node in its root's place, one trace ends and the next begins, in a
    file of its own: run.mcts, run-2.mcts, …

    watch: the tree below the root, and its trace's metadata, from the actions that lead to it from
    the root that was. clock: nanoseconds. Raises TraceError when the file cannot be made.
    """

    def __init__(
        self,
        watch: Callable[[Sequence[int]], tuple[WatchedTree, dict[str, Any]]],
        actions: ActionIds,
        path: str | Path | None,
        trace: TraceMaker[AnyTrace],
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._watch, self._actions, self._path = watch, actions, path
        self._make_trace, self._clock = trace, clock
        self._ended: list[AnyTrace] = []  # of the roots that were
        self._moves: tuple[int, ...] = ()  # from the first of them
        self._observed: tuple[bool, bool] | None = None  # outcome, rollout; None: not known yet
        # held while rows are made or written; by one thread more than once where the root changes
        self._lock = threading.RLock()
        self._error: TraceError | None = None  # met while nobody was looking
        self._stopped = threading.Event()
        self._unsaved: list[tuple[RowLog, TraceWriter]] = []  # of the trace that has not ended
        self._begin_tree()
        weakref.finalize(self, _save, self._unsaved, self._lock, self._stopped)
        if path is not None:
            beat = threading.Thread(target=_keep_up, args=[weakref.ref(self), self._stopped])
            beat.daemon = True
            beat.start()

    def _begin_tree(self) -> None:
        self._tree, meta = self._watch(self._moves)
        self._writer: TraceWriter | None = None
        self._file: TraceFile | None = None
        self._trace: AnyTrace | None = None  # once the recording has ended
        self._over = ""  # why, once it is
        self.n_iterations = 0
        if self._observed is not None:
            told = [name for name, given in zip(("outcome", "rollout"), self._observed) if given]
            meta["not_observed"] = [name for name in meta["not_observed"] if name not in told]
            self._tree.log.rollouts = self._observed[1]
        self._begin(self._next_path(), meta)
        self._start = self._last_chunk = self._clock()

    def _next_path(self) -> Path | None:
        """run.mcts, then run-2.mcts."""
        if self._path is None:
            return None
        path = Path(self._path)
        return path.with_stem(f"{path.stem}-{len(self._ended) + 1}") if self._ended else path

    def _follow_root(self) -> None:
        """Begin the next trace where the search has another root."""
        moves = self._tree.moved_to()
        if moves is None:
            return
        self._finish(complete=True)
        assert self._trace is not None
        self._ended.append(self._trace)
        self._moves = (*self._moves, *moves)
        self._begin_tree()

    def _begin(self, path: str | Path | None, meta: Mapping[str, Any]) -> None:
        self.meta = json.loads(
            document_of(meta)
        )  # as a file would give it back, whatever the names
        self._columns = root_columns(self.meta, "the recording")
        if path is not None:
            self._writer = TraceWriter(path, self.meta)
            self._unsaved[:] = [(self._tree.log, self._writer)]
            self._file = TraceFile(path)  # as a reader sees it, from its first moment

    def iteration(
        self, *, outcome: float | None = None, rollout: Sequence[Any] | None = None
    ) -> None:
        """Record what the search has done since the last call.

        outcome: result of the simulation or evaluation, view of player 0. rollout: the actions of
        the simulation. Give them at every iteration or never; None then means that this one had
        none. Raises TraceError when a field cannot be read or the file cannot be written; what was
        recorded before stays.
        """
        if self._over:
            raise self._error or TraceError(f"{self._over}; begin another one with mcts_viz.record")
        with self._lock:
            self._record(outcome, rollout)

    def _record(self, outcome: float | None, rollout: Sequence[Any] | None) -> None:
        now = self._clock()
        try:
            if self._tree.may_move:
                self._follow_root()
            tree = self._tree
            log = tree.log
            if outcome is None and rollout is None and self._observed is not None:
                log.end_iteration(tree.look(), now - self._start)
            else:
                self._observe(outcome is not None, rollout is not None)
                result = NONE if outcome is None else _number(outcome)
                moves = None if rollout is None else self._moves_of(rollout)
                log.end_iteration(tree.look(), now - self._start, result, moves)
        except BaseException:
            self._tree.log.forget_unfinished()
            self._over = f"this recording was broken off in iteration {self.n_iterations + 1:,}"
            raise
        self.n_iterations += 1
        late = now - self._last_chunk >= CHUNK_NANOSECONDS
        if late or not self.n_iterations % CHUNK_ITERATIONS:
            self._put()
            self._last_chunk = now
            if late and self._writer is not None:
                self._writer.flush()  # somebody may be following

    @property
    def path(self) -> Path | None:
        """The file, None for a recording in memory."""
        return None if self._file is None else self._file.path

    def steps(self, step: Callable[[], Any], iterations: int) -> Iterator[int]:
        """Call `step` and record what it did, so many times; gives the number of each iteration,
        from 1 in a fresh recording. Raises TraceError for a step that cannot be called, or a number
        that is not whole."""
        if not callable(step):
            raise TraceError(
                f"step={brief(step)} cannot be called; give the function that does one iteration: "
                "rec.steps(search.step, 1000)"
            )
        if not isinstance(iterations, numbers.Integral):
            raise TraceError(
                f"iterations={brief(iterations)} is not a whole number; write how often to call step: "
                "rec.steps(search.step, 1000)"
            )
        for _ in range(int(iterations)):
            step()
            self.iteration()
            yield self.n_iterations

    @property
    def traces(self) -> list[AnyTrace]:
        """One for each root that the search has had, `trace` the last."""
        return [*self._ended, self.trace]

    @property
    def trace(self) -> AnyTrace:
        """What has been recorded so far below the root that the search has now; complete once the
        recording has ended well."""
        if self._trace is not None:
            return self._trace
        with self._lock:
            self._put()
        return self._make_trace(self.meta, self._columns, None, False)

    def close(self) -> None:
        """End the recording. Raises TraceError when the tree never changed, or the file cannot be
        written."""
        self._end(complete=True)
        columns = self._columns
        if self.n_iterations and columns.n_nodes == 1 and not len(columns.update_node):
            raise TraceError(
                f"in {self.n_iterations:,} iterations nothing has changed in the tree below root=, so the search works "
                "on another one; give its own root, after it was made, or a function: root=lambda: search.root"
            )

    def __enter__(self) -> Recording[AnyTrace]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if kind is None and not self._over:
            self.close()
        else:
            self._end(complete=False)

    def _moves_of(self, rollout: Any) -> list[int]:
        """Action ids of a simulation."""
        try:
            return [self._actions.id(move) for move in rollout]
        except TypeError as err:
            raise TraceError(
                f"rollout={brief(rollout)} is not a sequence of moves; give the simulation's actions, such as "
                "rollout=[4, 7]"
            ) from err

    def _observe(self, outcome: bool, rollout: bool) -> None:
        """Check, or learn in the first iteration, which of the two the search tells us."""
        if self._observed is None:
            seen = {name for name, given in (("outcome", outcome), ("rollout", rollout)) if given}
            self._observed = (outcome, rollout)
            self._tree.log.rollouts = rollout
            if seen:
                unseen = [name for name in self.meta["not_observed"] if name not in seen]
                self._begin_again({**self.meta, "not_observed": unseen})
        for name, given, before in zip(("outcome", "rollout"), (outcome, rollout), self._observed):
            if given and not before:
                raise TraceError(
                    f"{name}= was given in iteration {self.n_iterations + 1:,}, but not in the first one; the file "
                    f"already says that it is not observed: give {name}= from the first iteration on"
                )

    def _begin_again(self, meta: Mapping[str, Any]) -> None:
        """With other metadata, which stand at the beginning of the file: it has no rows yet."""
        path = None
        if self._writer is not None:
            path = self._writer.path
            self._writer.abandon()
        self._begin(path, meta)

    def _put(self) -> None:
        """Move the whole iterations from the log to the columns and the file."""
        if len(self._tree.log):
            rows = self._tree.log.take()
            self._columns.append(rows)
            if self._writer is not None:
                self._writer.append(rows)

    def keep_up(self) -> float:
        """Write what has been waiting for too long, while an iteration takes its time; somebody may be
        following. Returns the seconds until the next look. An error is told by the next iteration."""
        writer = self._writer
        left = PATIENCE_SECONDS - (0.0 if writer is None else writer.since_last_write)
        if left > 0:
            return left
        with self._lock:
            if not self._over and self._writer is not None:
                try:
                    self._put()
                    self._writer.flush()
                except TraceError as err:
                    self._error, self._over = err, str(err)
        return PATIENCE_SECONDS

    def _end(self, complete: bool) -> None:
        self._stopped.set()
        self._finish(complete)

    def _finish(self, complete: bool) -> None:
        """End the trace of the root that the search has now."""
        if self._trace is not None:
            return
        self._over = self._over or "this recording has ended"
        try:
            if self._error is not None:
                raise self._error
            with self._lock:
                self._put()
                if self._writer is not None:
                    self._writer.close() if complete else self._writer.abandon()
        except TraceError:
            complete = False
            raise
        finally:
            self._unsaved.clear()
            self._trace = self._make_trace(self.meta, self._columns, self._read(complete), complete)

    def _read(self, complete: bool) -> TraceFile | None:
        """The file as one whose rows are all known; None when it can no longer be read."""
        if self._file is not None and complete:
            self._file.ended = True
        elif self._file is not None:
            try:
                for _ in self._file.rows():
                    pass
            except TraceError:
                return None  # the search's own error matters more
        return self._file


def _keep_up(recording: weakref.ref[Recording[Any]], stopped: threading.Event) -> None:
    """Beside a search, until its recording ends or is forgotten."""
    wait = PATIENCE_SECONDS
    while not stopped.wait(wait):
        found = recording()
        if found is None:
            return
        wait = found.keep_up()
        del found


def _save(
    unsaved: list[tuple[RowLog, TraceWriter]], lock: threading.RLock, stopped: threading.Event
) -> None:
    """Write what a recording has left that was forgotten, or not ended when Python was."""
    stopped.set()
    with lock:
        for log, writer in unsaved:
            with contextlib.suppress(TraceError):  # nobody is there to be told
                if len(log):
                    writer.append(log.take())
                writer.abandon()
        unsaved.clear()


def _number(outcome: Any) -> float:
    try:
        number = float(outcome)
    except (TypeError, ValueError, OverflowError) as err:
        raise TraceError(
            f"outcome={brief(outcome)} is not a number; give the result in the view of player 0, such as "
            "outcome=1.0"
        ) from err
    if abs(number) > FLOAT32:
        raise TraceError(
            f"outcome={brief(outcome)} is more than a trace can hold (up to {FLOAT32:.1e}); give the result in "
            "the view of player 0, such as outcome=1.0"
        )
    return number
