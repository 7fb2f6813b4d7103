"""A recording of a foreign search: one row of a trace after each of its iterations.

Ties a watched tree to a trace in memory and in a file. Knows no game and no page.
"""

from __future__ import annotations

import contextlib
import numbers
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from mcts_viz.errors import TraceError, TraceWriteError
from mcts_viz.recording.actions import ActionIds
from mcts_viz.recording.careful_reader import brief
from mcts_viz.recording.counted_method import CountedMethod
from mcts_viz.recording.player_values import entries_of, numbers_of
from mcts_viz.recording.watched_tree import KeptTree, WatchedTree
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import BATCH_SECONDS, FIELDS_VERSION, PLAYERS_VERSION
from mcts_viz.trace.many_writer import About, ManyWriter, checked_about, checked_many
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import FLOAT32, RowLog
from mcts_viz.trace.trace import Trace, root_columns
from mcts_viz.trace.words import plural
from mcts_viz.trace.writer import TraceWriter, checked_sync
from mcts_viz.types import is_whole

MOST_WORKERS = 9_999
CHUNK_ITERATIONS = 1_000  # at most, between two visits to the columns and the file
CHUNK_NANOSECONDS = int(BATCH_SECONDS * 1e9)

# after a batch, what has come since is written by a thread, if the search's own has not done so in
# an iteration; each time the thread looks, the search's may go on slower, on another processor
PATIENCE_SECONDS = 0.6

NO_TREE = (
    "root=, a function, has given None so far, so that nothing is recorded; give one that gives the search's root once "
    "there is one, such as root=lambda: search.root"
)
AnyTrace = TypeVar("AnyTrace", bound=Trace, covariant=True)


class TraceMaker(Protocol[AnyTrace]):
    """A class of traces."""

    def __call__(
        self, meta: TraceMeta, columns: Columns, file: TraceFile | None, complete: bool
    ) -> AnyTrace: ...


class Recording(Generic[AnyTrace]):
    """What `mcts_viz.record` gives: call `iteration` after each iteration of the search, inside a
    `with` block or up to `close`.

    When the search puts another node in its root's place, one trace ends and the next begins, in a
    file of its own: run.mcts, run-2.mcts, …

    A file that cannot be written any further, as on a full disk, does not stop the search: the recording
    goes on in memory, and `close` tells.

    watch: the tree below the root, and its trace's metadata, from the actions that lead to it from
    the root that was; None as long as there is no root. method: what ends each iteration by
    returning. sync: seconds between two times that the file is put on the disk; None: at the end.
    into: a file of many searches, to which each trace is added when it has ended, with what `about` says of it,
    or gives when it is called then. clock: nanoseconds. Raises TraceError when the file cannot be made.
    """

    def __init__(
        self,
        watch: Callable[[Sequence[int], KeptTree], tuple[WatchedTree, TraceMeta] | None],
        actions: ActionIds,
        path: str | Path | None,
        trace: TraceMaker[AnyTrace],
        method: CountedMethod | None = None,
        clock: Callable[[], int] = time.perf_counter_ns,
        sync: float | None = None,
        into: ManyWriter | None = None,
        about: About | Callable[[], About] | None = None,
    ) -> None:
        self._into = checked_many(into)
        self._about = checked_about(about, self._into)
        self._sync = checked_sync(sync)
        self._watch, self._actions, self._path = watch, actions, path
        self._make_trace, self._clock = trace, clock
        self._ended: list[AnyTrace] = []  # of the roots that were
        self._moves: tuple[int, ...] = ()  # from the first of them
        self._kept = KeptTree()
        self._observed: tuple[bool, bool] | None = None  # outcome, rollout; None: not known yet
        # held while rows are made or written; by one thread more than once where the root changes
        self._lock = threading.RLock()
        self._error: TraceError | None = None  # of the file, or met outside of an iteration
        self._stopped = threading.Event()
        self._unsaved: list[tuple[RowLog, TraceWriter]] = []  # of the trace that has not ended
        self._method = method
        self._tree: WatchedTree | None = None
        self._trace: AnyTrace | None = None  # once the recording has ended
        self._writer: TraceWriter | None = None
        self._file: TraceFile | None = None
        self._over = ""  # why, once it is
        self.n_iterations = 0
        self._begin_tree()
        if method is not None:
            method.patch(weakref.ref(self))
            weakref.finalize(self, method.restore)
        weakref.finalize(self, _save, self._unsaved, self._lock, self._stopped)
        if path is not None:
            beat = threading.Thread(target=_keep_up, args=[weakref.ref(self), self._stopped])
            beat.daemon = True
            beat.start()

    def _begin_tree(self) -> WatchedTree | None:
        """Begin a trace, once there is a root."""
        found = self._watch(self._moves, self._kept)
        if found is None:
            return None
        self._tree, meta = found
        self._writer = self._file = self._trace = None
        self._over, self.n_iterations = "", 0
        if self._observed is not None:
            told = [name for name, given in zip(("outcome", "rollout"), self._observed) if given]
            unseen = [name for name in meta.not_observed if name not in told]
            meta = TraceMeta({**meta, "not_observed": unseen})
            self._record_rollouts(self._observed[1])
        self._begin(self._next_path(), meta)
        self._start = self._last_chunk = self._clock()
        return self._tree

    def _next_path(self) -> Path | None:
        """run.mcts, then run-2.mcts."""
        if self._path is None:
            return None
        path = Path(self._path)
        return path.with_stem(f"{path.stem}-{len(self._ended) + 1}") if self._ended else path

    def _tree_now(self) -> WatchedTree | None:
        """The tree below the root that the search has now, None where there is none yet; begins the next trace where it
        has another one."""
        tree = self._tree
        if tree is None:
            return self._begin_tree()
        moves = tree.moved_to() if tree.may_move else None
        if moves is None:
            return tree
        self._kept = tree.kept()
        if moves and tree.log.asides.played == []:
            tree.log.tell_played(0, moves[0])
        self._finish(complete=True)
        assert self._trace is not None
        if self.n_iterations:  # else the search made its own root before it began
            self._ended.append(self._trace)
        self._moves = (*self._moves, *moves)
        return self._begin_tree()

    def _begin(self, path: str | Path | None, meta: TraceMeta) -> None:
        self.meta = meta
        self._columns = root_columns(self.meta)
        if path is None or self._tree is None:
            return
        try:
            self._writer = TraceWriter(path, self.meta, sync=self._sync)
            self._file = self._writer.reader()
            self._unsaved[:] = [(self._tree.log, self._writer)]
        except TraceWriteError as err:
            if not self._ended:  # nothing has begun
                raise
            self._lose_file(err)

    def _lose_file(self, err: TraceWriteError) -> None:
        """Go on in memory alone: the search is worth more than its file."""
        self._error = self._error or err
        self._writer = self._file = None
        self._unsaved.clear()

    def _to_file(self, work: Callable[[TraceWriter], object]) -> None:
        """Have the writer do something, as long as it can."""
        if self._writer is not None:
            try:
                work(self._writer)
            except TraceWriteError as err:
                self._lose_file(err)

    def iteration(
        self,
        *,
        outcome: float | Sequence[float] | None = None,
        rollout: Sequence[Any] | None = None,
        leaves: int | None = None,
    ) -> None:
        """Record what the search has done since the last call.

        outcome: result of the simulation or evaluation, view of player 0, or a sequence with an entry for each player.
        rollout: the actions of
        the simulation. Give them at every iteration or never; None then means that this one had
        none. leaves: how many leaves the search has evaluated since, where it is more than one (batches, threads):
        as many visits are due. Raises TraceError when a field cannot be read; what was recorded before stays.
        """
        if self._over:
            raise self._error or TraceError(f"{self._over}; begin another one with mcts_viz.record")
        if self._method is not None:
            raise TraceError(
                f"on= counts an iteration at each return of {self._method.name!r}; leave out rec.iteration(), or on="
            )
        with self._lock:
            self._record(outcome, rollout, leaves)

    @contextlib.contextmanager
    def descent(
        self, worker: int, *, outcome: float | Sequence[float] | None = None
    ) -> Iterator[None]:
        """One iteration of one of several workers (threads), recorded when the block ends:

            with rec.descent(worker=i):
                search.descend()

        Each worker calls it for itself; one is recorded at a time, in the order in which they end. worker: its number,
        from 0. outcome: as for `iteration`. Numbers of a node are those without virtual losses of descents under way,
        where `record` was told virtual_loss=; change the tree under the lock `rec.lock` to have each descent see a
        whole one. Raises as `iteration`; nothing is recorded of a block that raises."""
        if not is_whole(worker) or not 0 <= worker <= MOST_WORKERS:
            raise TraceError(
                f"worker={brief(worker)} is no number of a worker: give a whole number from 0 to {MOST_WORKERS:,}"
            )
        yield
        if self._over:
            raise self._error or TraceError(f"{self._over}; begin another one with mcts_viz.record")
        with self._lock:
            self._record(outcome, None, 1, int(worker))

    @property
    def lock(self) -> threading.RLock:
        """Held while the tree is read; hold it while a thread changes the tree."""
        return self._lock

    def begin_call(self) -> None:
        """The method of `on` has been called."""
        if not self._over:
            with self._lock:
                self._tree_now()

    def end_call(self) -> None:
        """It has returned: an iteration is over."""
        if not self._over:
            with self._lock:
                self._record(None, None)

    def _record(
        self,
        outcome: float | Sequence[float] | None,
        rollout: Sequence[Any] | None,
        leaves: int | None = None,
        worker: int | None = None,
    ) -> None:
        now = self._clock()
        tree: WatchedTree | None = None
        try:
            tree = self._tree_now()
            if tree is None:
                return  # nothing can have happened in a tree that is not there
            log = tree.log
            if leaves is not None:
                self._tell_leaves(log, leaves)
            if worker is not None:
                tree.log.tell_iteration("worker", worker)
            if outcome is None and rollout is None and self._observed is not None:
                log.end_iteration(tree.look(), now - self._start)
            else:
                entries = entries_of(outcome)
                if entries is not None:
                    self._tell_outcomes(tree, entries)
                    outcome = cast(float, entries[0])
                self._observe(outcome is not None, rollout is not None)
                known = {} if outcome is None else {"outcome": _number(outcome)}
                if rollout is not None:
                    log.rollout += self._moves_of(rollout)
                log.end_iteration(tree.look(), now - self._start, **known)
        except BaseException:
            if tree is not None:
                tree.log.forget_unfinished()
            self._over = f"this recording was broken off in iteration {self.n_iterations + 1:,}"
            raise
        self.n_iterations += 1
        late = now - self._last_chunk >= CHUNK_NANOSECONDS
        if late or not self.n_iterations % CHUNK_ITERATIONS:
            self._put()
            self._last_chunk = now
            if late:
                self._to_file(TraceWriter.flush)  # a page may be following

    def final_move(self, move: object) -> None:
        """Tell the move that the search really played, such as one drawn by a temperature: an action, or the root's
        child. Page, explanation and checks then speak of it, and compare it with the rule of `final_move=`, where
        `record` was told one.

        Call it after the last iteration, inside the `with` block or before `close`; the last call counts. Raises
        TraceError for a move that the root does not have, or before the first iteration.
        """
        if self._over:
            raise self._error or TraceError(
                f"{self._over}; tell the move inside the with block, or before close()"
            )
        if self._tree is None or not self.n_iterations:
            raise TraceError(
                "no iteration has been recorded yet; call final_move() after the last one"
            )
        with self._lock:
            action = self._tree.action_at_root(move)
            if action is None:
                raise TraceError(
                    f"final_move({brief(move)}): the root has no such child; give the action of one of its children, "
                    "or the child itself"
                )
            self._tree.log.tell_played(0, action)

    @property
    def path(self) -> Path | None:
        """The file, None for a recording in memory."""
        return None if self._file is None else self._file.path

    def steps(self, step: Callable[[], Any], iterations: int) -> Iterator[int]:
        """Call `step` that many times, and record what each did; gives the number of each iteration,
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
            if self._method is None:
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
        if self._tree is None:
            raise TraceError(NO_TREE)
        with self._lock:
            self._put()
        return self._make_trace(self.meta, self._columns, None, False)

    def close(self) -> None:
        """End the recording. Raises TraceError when the tree never changed, or the file could not be
        written to its end."""
        self._end(complete=True)
        if self._tree is None:
            raise TraceError(NO_TREE)
        columns = self._columns
        if self.n_iterations and columns.n_nodes == 1 and not len(columns.updates):
            raise TraceError(
                f"in {plural(self.n_iterations, 'iteration')} nothing has changed in the tree below root=, so the "
                "search works on another one; give its own root, after it was made, or a function: "
                "root=lambda: search.root"
            )

    def __enter__(self) -> Recording[AnyTrace]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
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
        except TraceError as err:
            raise TraceError(f"rollout={brief(rollout)}: {err}") from err

    def _observe(self, outcome: bool, rollout: bool) -> None:
        """Check, or learn in the first iteration, which of the two the search tells us."""
        if self._observed is None:
            seen = {name for name, given in (("outcome", outcome), ("rollout", rollout)) if given}
            self._observed = (outcome, rollout)
            self._record_rollouts(rollout)
            if seen:
                unseen = [name for name in self.meta.not_observed if name not in seen]
                self._begin_again(TraceMeta({**self.meta, "not_observed": unseen}))
        for name, given, before in zip(("outcome", "rollout"), (outcome, rollout), self._observed):
            if given and not before:
                raise TraceError(
                    f"{name}= was given in iteration {self.n_iterations + 1:,}, but not in the first one; the file "
                    f"already says that it is not observed: give {name}= from the first iteration on"
                )

    def _tell_leaves(self, log: RowLog, leaves: object) -> None:
        if self.meta.format_version < FIELDS_VERSION:
            if self.n_iterations:
                raise TraceError(
                    f"leaves= was given in iteration {self.n_iterations + 1:,}, but not in the first one; give it "
                    "from the first iteration on, leaves=1 where there was one"
                )
            self._begin_again(TraceMeta({**self.meta, "format_version": FIELDS_VERSION}))
        log.tell_iteration("leaves", _n_leaves(leaves))

    def _tell_outcomes(self, tree: WatchedTree, entries: Sequence[object]) -> None:
        """Log what the simulation was worth to each player."""
        numbers = numbers_of(entries, tree.n_players, "outcome=")
        if "player_outcomes" not in tree.log.recorded:
            if self.n_iterations:
                raise TraceError(
                    f"outcome= was given with an entry for each player in iteration {self.n_iterations + 1:,}, but not "
                    "in the first one; give it so from the first iteration on"
                )
            tree.log.recorded.add("player_outcomes")
            if self.meta.format_version < PLAYERS_VERSION:
                self._begin_again(TraceMeta({**self.meta, "format_version": PLAYERS_VERSION}))
        tree.log.player_outcomes += numbers

    def _record_rollouts(self, recorded: bool) -> None:
        if recorded and self._tree is not None:
            self._tree.log.recorded.add("rollout")

    def _begin_again(self, meta: TraceMeta) -> None:
        """With other metadata, which stand at the beginning of the file: it has no rows yet."""
        path = None
        if self._writer is not None:
            path = self._writer.path
            self._writer.abandon()
        self._begin(path, meta)

    def _put(self) -> None:
        """Move the whole iterations from the log to the columns and the file."""
        if self._tree is not None and not self._tree.log.is_empty:
            rows = self._tree.log.take()
            self._columns.append(rows)
            self._to_file(lambda writer: writer.append(rows))

    def keep_up(self) -> float:
        """Write rows that have waited too long, while an iteration takes its time: a page may be
        following. Returns the seconds until the next look. The next iteration raises an error of it."""
        writer = self._writer
        left = PATIENCE_SECONDS - (0.0 if writer is None else writer.since_last_write)
        if left > 0:
            return left
        with self._lock:
            if not self._over and self._writer is not None:
                try:
                    self._put()
                    self._to_file(TraceWriter.flush)
                    self._to_file(TraceWriter.make_safe)
                except TraceError as err:
                    self._error, self._over = err, str(err)
        return PATIENCE_SECONDS

    def _end(self, complete: bool) -> None:
        self._stopped.set()
        if self._method is not None:
            self._method.restore()
        if self._tree is None:
            self._over = self._over or "this recording has ended"
            return
        was_over = self._trace is not None
        self._finish(complete)
        if self._error is not None and complete and not was_over:
            raise type(self._error)(
                f"{self._error}; the search went on, and its recording in memory is whole (.trace)"
            ) from self._error

    def _finish(self, complete: bool) -> None:
        """End the trace of the root that the search has now."""
        if self._trace is not None:
            return
        self._over = self._over or "this recording has ended"
        try:
            with self._lock:
                self._put()
                self._to_file(TraceWriter.close if complete else TraceWriter.abandon)
        except TraceError:
            complete = False
            raise
        finally:
            self._unsaved.clear()
            self._trace = self._make_trace(self.meta, self._columns, self._read(complete), complete)
        if self._into is not None and self._trace.n_iterations:
            self._into.append(self._trace, **self._about())

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
            with contextlib.suppress(TraceError):  # there is no caller to raise it to
                if not log.is_empty:
                    writer.append(log.take())
                writer.abandon()
        unsaved.clear()


def _n_leaves(leaves: object) -> int:
    if is_whole(leaves) and leaves >= 0:
        return int(leaves)
    raise TraceError(
        f"leaves={brief(leaves)} is no number of leaves; give how many the search has evaluated since the last call, "
        "such as leaves=8"
    )


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
