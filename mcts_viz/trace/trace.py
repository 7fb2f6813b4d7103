"""A trace: everything one search did, iteration by iteration, and the questions it answers."""

from __future__ import annotations

import functools
import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import ArgumentError, TraceError
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.deferred import first_of
from mcts_viz.trace.format import PATH_VERSION, Rows
from mcts_viz.trace.index.building import Progress
from mcts_viz.trace.index.filed import FiledColumns
from mcts_viz.trace.index.opening import indexed_columns
from mcts_viz.trace.index.sums import deferred_sums
from mcts_viz.trace.index.topology import IndexedTopology
from mcts_viz.trace.iteration import Comparison, History, Iteration, Update, split_rollouts
from mcts_viz.trace.meta import TraceMeta, trace_meta
from mcts_viz.trace.never_told import never_told
from mcts_viz.trace.node_documents import NodeDocument
from mcts_viz.trace.path_loops import LOOPS
from mcts_viz.trace.players import movers_into
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.replay import Replay
from mcts_viz.trace.sibling_terms import sibling_numbers, sibling_terms
from mcts_viz.trace.snapshot import (
    NodeStatistics,
    Snapshot,
    checked_id,
    checked_ids,
    compared_rows,
    seen_by_chooser_after,
    selection_score,
    selection_terms,
    visits_alone,
)
from mcts_viz.trace.statistics import ResultCounts, WantedNodes, node_states, square_sums
from mcts_viz.trace.sums import GameResults, Sums
from mcts_viz.trace.text_search import TextHits, text_hits
from mcts_viz.trace.topology import Topology
from mcts_viz.trace.words import plural
from mcts_viz.types import Ints, ReadDocument, Wholes, is_whole

FAMILIES_COUNTED = 30  # of nodes, whose results are kept at hand
MOST_PATHS = 10_000  # of an iteration


class Trace:
    """A recorded search. Iterations count from 1; t = 0 is the tree before the first one.

    Several threads may ask at once. The statistics it gives are those the search had, bit for bit.
    """

    snapshot_type = Snapshot  # a layer above may add methods

    def __init__(
        self,
        meta: ReadDocument,
        columns: Columns | Callable[[], Columns],
        file: TraceFile | None = None,
        complete: bool = True,
    ) -> None:
        """`columns` may also be what makes them, which is asked when they are looked at first."""
        self._meta = trace_meta(meta)
        self._notes_are_whole = "watched" not in self._meta
        self._columns = columns
        self._file = file
        self._complete = complete
        self._topology: Topology | None = None
        # those in use: it takes long to find them again
        self._snapshots: weakref.WeakValueDictionary[int, Snapshot] = weakref.WeakValueDictionary()
        self._lock = threading.RLock()
        self._result_counts: dict[bytes, ResultCounts] = {}  # by nodes, the last asked for behind

    @property
    def meta(self) -> TraceMeta:
        """The metadata document; once a recording is complete, its notes name the fields that stayed empty."""
        if not self._notes_are_whole and isinstance(self._columns, Columns) and self.complete:
            self._notes_are_whole = True
            notes = [*self._meta.notes]
            found = [remark.text for remark in self._columns.asides.remarks]
            found += never_told(self._meta, self._columns)
            notes += [each for each in found if each not in notes]
            if len(notes) > len(self._meta.notes):
                self._meta = TraceMeta({**self._meta, "notes": notes})
        return self._meta

    @property
    def columns(self) -> Columns:
        """All columns, in memory."""
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
    def played(self) -> int | None:
        """Action id of the move that was really played after the search, where a recording was told it
        (`rec.final_move`) or went on from it; None: not known."""
        told = self.columns.asides.played
        return told[-1].action if told else None

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
        if self.damage is not None:
            return f"complete up to iteration {self.n_iterations:,}; {self.damage}"
        return f"complete up to iteration {self.n_iterations:,}; its recording was interrupted or is still running"

    @property
    def damage(self) -> str | None:
        """What is wrong with the file behind the last iteration that can be read, and how much is lost;
        None where nothing is."""
        return None if self._file is None else self._file.damage

    @property
    def recording(self) -> str:
        """What tells this recording from another one in a file of the same name; empty without a
        file."""
        return "" if self._file is None else self._file.recording

    @property
    def best_action(self) -> int | None:
        """Action id of the move that the final-move rule plays after the last iteration. One that was told is
        `played`."""
        return self.at(self.n_iterations).best_action

    @property
    def best_action_name(self) -> str | None:
        """The readable name of the best action."""
        return self.at(self.n_iterations).best_action_name

    def action_name(self, action: int) -> str:
        """Readable name of an action id. Raises ArgumentError for what is no whole number."""
        if not is_whole(action):
            raise ArgumentError(f"action {action!r:.60} is no action id; give a whole number")
        return self.meta.action_name(int(action))

    @property
    def shows_proofs(self) -> bool:
        """Whether results that a solver has proven are told, by a search of ours or somebody else's."""
        return self.meta.has_solver or len(self.columns.proven.node) > 0

    def at(self, t: int) -> Snapshot:
        """The tree after `t` iterations. Neighbouring t cost a copy of the statistics, far ones up
        to half a million updates, or as many as there are nodes. Raises TraceError for an iteration
        that the trace does not have."""
        columns = self.columns
        t = self.checked_iteration(t)
        known = self._snapshots.get(t)  # at once, also while the file is read on
        if known is not None:
            return known
        with self._lock:
            known = self._snapshots.get(t)  # made meanwhile
            if known is not None:
                return known
            topology = self.topology
            sums = self._sums(t)
        n = len(sums.visits)
        snapshot = self.snapshot_type(
            iteration=t,
            meta=self.meta,
            parent=columns.nodes.parent[:n],
            action=first_of(columns.nodes.action, n),
            to_move=columns.nodes.to_move[:n],
            prior=columns.nodes.prior[:n],
            outcome=first_of(columns.nodes.outcome, n),
            born=columns.nodes.born[:n],
            visits=sums.visits,
            value_sum=sums.value_sum,
            topology=topology,
            recorded_labels=columns.nodes.label,
            recorded_states=columns.nodes.state,
            proven=columns.proven_by(t),
            shows_proofs=self.shows_proofs,
            square_sum=sums.square_sum,
            count_results=functools.partial(self._results, t),
            without_value=columns.without_value(t),
            tell_numbers=functools.partial(columns.numbers, t),
            same_as=columns.ways_after(n),
            tell_player_sums=functools.partial(columns.player_sums_after, t),
            tell_played=lambda: self.played if t == self.n_iterations else None,
            reward=None if columns.nodes.reward is None else columns.nodes.reward[:n],
        )
        with self._lock:
            return self._snapshots.setdefault(t, snapshot)

    def sums_of(self, t: int, nodes: Wholes | Sequence[int]) -> Sums:
        """[k] of the nodes of these ids after iteration t, without a snapshot of all. Raises TraceError for what the
        trace does not have."""
        t = self.checked_iteration(t)
        nodes = checked_ids(nodes, self.n_nodes, "this trace")
        statistics = self.columns.statistics
        if statistics is not None:
            found = deferred_sums(statistics, int(t), squares=False)
            return Sums(found.visits[nodes], found.value_sum[nodes])
        with self._lock:
            self._replay.seek(int(t))
            return Sums(self._replay.visits[nodes], self._replay.value_sum[nodes])

    def _sums(self, t: int) -> Sums:
        """The sums of the nodes after iteration t, with squares where selection needs them and every value is
        recorded."""
        columns, squares = self.columns, self.meta.keeps_squares
        if columns.statistics is not None:
            return deferred_sums(columns.statistics, t, squares)
        self._replay.seek(t)
        visits, value_sum, *_ = self._replay.sums()
        visits.flags.writeable = value_sum.flags.writeable = False
        return Sums(visits, value_sum, square_sums(columns, t, len(visits)) if squares else None)

    def _results(self, t: int, nodes: npt.NDArray[np.int64]) -> GameResults | None:
        """[k] how the simulated games through nodes ended; None where that is not known."""
        columns, meta = self.columns, self.meta
        whole = columns.whole
        if meta.is_snapshot and whole is not None and whole.results is not None:
            return GameResults(*(np.array(values, np.int64)[nodes] for values in whole.results))
        if not meta.outcomes_are_results:
            return None
        with self._lock:
            key = nodes.tobytes()
            counts = self._result_counts.pop(key, None)
            if counts is None:
                table = columns.nodes
                mover = movers_into(
                    nodes.astype(np.int32), table.parent, table.to_move, meta.n_players
                )
                counts = ResultCounts(nodes, mover, sum(meta.reward_range) / 2, meta.is_ours)
            self._result_counts[key] = counts  # the last one asked for
            if len(self._result_counts) > FAMILIES_COUNTED:
                del self._result_counts[next(iter(self._result_counts))]
            return counts.at(columns, t)

    def iteration(self, t: int) -> Iteration:
        """What iteration `t`, from 1, did; its comparisons hold the scores *before* it. Raises
        TraceError for an iteration that the trace does not have."""
        self.checked_iteration(t, first=1)
        columns = self.columns
        leaf = int(columns.leaf[t - 1])
        plain = columns.paths.are_plain
        path = self.topology.path(leaf) if plain else columns.paths.path(int(t), leaf)
        outcome = float(columns.outcome[t - 1])
        rows = slice(int(columns.updates.offset[t - 1]), int(columns.updates.offset[t]))
        updates = zip(
            columns.updates.node[rows].tolist(),
            columns.updates.visits[rows].tolist(),
            columns.updates.value[rows].tolist(),
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
            paths=self._paths(int(t), path, rows),
            worker=columns.worker_of(int(t)),
        )

    def rollouts(self, t: int) -> list[list[int]] | None:
        """Action ids of each simulation of iteration `t`, from 1, as `iteration` tells them but without
        replaying the tree; None where they were not recorded. Raises TraceError for an iteration
        that the trace does not have."""
        self.checked_iteration(t, first=1)
        actions = self._rollout(t)
        return None if actions is None else split_rollouts(actions)

    def history(self, node: int, points: int | None = None) -> History:
        """Visits and value of one node after each iteration, in one scan of the updates. points: after at most so many
        of them, the first and the last among them, which of a long trace takes no longer than that. Raises TraceError
        for a node that the trace does not have, and for fewer than two points."""
        columns = self.columns
        offset = columns.updates.offset  # first: the columns may grow meanwhile
        n_nodes = int(columns.node_count[len(offset) - 1])
        node, n = checked_id(node, n_nodes, "this trace"), len(offset) - 1
        when = None if points is None else moments(n, points)
        if when is not None and columns.statistics is not None:
            when, visits, value_sum = columns.statistics.course(node, when)
        else:
            states = node_states(columns, WantedNodes([node]), -1, n)[0]
            lasted = np.diff(states.iteration, prepend=0, append=n + 1)  # iterations of each state
            visits, value_sum = (
                np.repeat(states.visits, lasted),
                np.repeat(states.value_sum, lasted),
            )
            if when is not None:
                visits, value_sum = visits[when], value_sum[when]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits == 0, np.nan, value_sum / visits)
        at = np.arange(n + 1) if when is None else when
        first, last = columns.gap(node)
        mean[np.searchsorted(at, first) : np.searchsorted(at, last)] = np.nan
        if visits_alone(self.meta, columns.nodes.parent, columns.nodes.to_move, np.array([node]))[
            0
        ]:
            mean[:] = np.nan
        return History(
            node, visits, value_sum, mean, None if when is None else when.astype(np.int32)
        )

    def documents(self, node: int) -> list[NodeDocument]:
        """The documents of a node: prompts, code, answers, pictures. Each is read from the file when its `text`
        or `content` is asked for. Raises TraceError for a node that the trace does not have."""
        checked_id(node, self.n_nodes, "this trace")
        return self.columns.documents(node)

    def find_text(self, words: str) -> TextHits:
        """The nodes whose name or one of whose documents has these words, whatever their case; reads the documents."""
        if not isinstance(words, str):
            raise TraceError(f"words={words!r:.60} is no text; give the words to look for")
        last = self.at(self.n_iterations)
        return text_hits(last, self.columns.asides.documents, words)

    def refresh(self) -> int:
        """Read what was appended to the file since; returns the number of new iterations (0 for a
        trace in memory). Raises TraceError when the file was replaced, or has grown since an index was made of it; what
        was read before stays, and `damage` tells of damage."""
        if self._file is None:
            return 0
        if isinstance(self.columns, FiledColumns):
            self.columns.check_unchanged(self._file.path)
            return 0
        with self._lock:
            before = self.n_iterations
            for rows in self._file.rows(write_out=False):
                self.columns.append(rows, self._file.paths)
                # so that the next batch is unpacked into the same memory, and unused columns are not unpacked
                # for holds on to all of a batch
                self.columns.join()
            return self.n_iterations - before

    def expect_more(self) -> None:
        """Be ready for a recording that grows fast, where it is of a search of ours whose updates are left to be
        understood: in a thread of its own."""
        if self.meta.is_ours and self.meta.format_version >= PATH_VERSION:
            LOOPS.load()

    @property
    def is_read_whole(self) -> bool:
        """Whether the file is complete and still holds what was read of it, and nothing else."""
        return self._file is not None and self._file.is_read_whole

    @property
    def topology(self) -> Topology:
        """Children and depths of all nodes, built on first use and continued when the trace has
        grown."""
        with self._lock:
            tree = self.columns.tree
            if self._topology is None and tree is not None:
                self._topology = IndexedTopology(tree)
            elif self._topology is None:
                self._topology = Topology(self.columns.nodes.parent)
            elif self._topology.n_nodes < self.columns.n_nodes:
                self._topology = self._topology.grown(self.columns.nodes.parent)
            return self._topology

    def __repr__(self) -> str:
        status = "" if self.complete else f"; {self.status}"
        size = f"{plural(self.n_iterations, 'iteration')}, {plural(self.n_nodes, 'node')}"
        return f"<Trace of {self.meta.game.name}: {size}{status}>"

    def checked_iteration(self, t: int, first: int = 0) -> int:
        """The iteration as an int; raises TraceError where the trace does not have it."""
        if isinstance(t, bool) or not isinstance(t, (int, np.integer)):
            raise TraceError(
                f"iteration {t!r} is not a whole number; choose one from {first} to {self.n_iterations:,}"
            )
        if not first <= t <= self.n_iterations:
            raise TraceError(
                f"iteration {t:,} is not in this trace; choose one from {first} to {self.n_iterations:,}"
            )
        return int(t)

    def _rollout(self, t: int) -> list[int] | None:
        moves = self.columns.rollout
        if not moves.recorded:
            return None
        first, last = moves.offset[t - 1 : t + 1].tolist()
        actions: list[int] = moves.action[first:last].tolist()
        return actions

    def _paths(self, t: int, path: list[int], rows: slice) -> list[list[int]]:
        """To each node that got visits which none of its children got, as often as there are."""
        updates, parent = self.columns.updates, self.columns.nodes.parent
        own: dict[int, int] = {}
        for node, visits in zip(updates.node[rows].tolist(), updates.visits[rows].tolist()):
            own[node] = own.get(node, 0) + visits
        for node, visits in tuple(own.items()):
            if node and (above := int(parent[node])) in own:
                own[above] -= visits
        if sum(n for n in own.values() if n > 0) > MOST_PATHS:  # a tree that came as a whole
            return [path]
        ends = [node for node, n in own.items() for _ in range(n)]
        if len(ends) <= 1 or not self.columns.paths.are_plain:
            return [path]
        return [self.topology.path(node) for node in ends]

    def _comparisons(self, t: int, path: list[int]) -> list[Comparison]:
        n_before = int(self.columns.node_count[t - 1])
        proven = self.columns.proven_by(t - 1)
        with self._lock:
            sums = self._sums_to_look_at(t - 1)
            return [
                self._comparison(t - 1, node, child, n_before, proven, sums)
                for node, child in itertools.pairwise(path)
                if child < n_before
            ]

    def _sums_to_look_at(self, t: int) -> Sums:
        """As `_sums`, without a copy: they are changed by the next question."""
        columns, squares = self.columns, None
        if columns.statistics is not None:
            return self._sums(t)
        self._replay.seek(t)
        if self.meta.keeps_squares:
            squares = square_sums(columns, t, self._replay.n_nodes)
        return Sums(self._replay.visits, self._replay.value_sum, squares)

    def _comparison(
        self,
        t: int,
        node: int,
        chosen: int,
        n_nodes: int,
        proven: npt.NDArray[np.float32],
        sums: Sums,
    ) -> Comparison:
        children = self.topology.children(node, n_nodes)
        rows = compared_rows(self.meta, self.columns.ways_after(n_nodes), children)
        visits, squares = sums.visits[rows], sums.square_sum
        value_sum, prior = sums.value_sum[rows], self.columns.nodes.prior[children]
        if self.meta.policies.selection.needs_siblings:
            told = self.columns.numbers(t)
            of = sibling_numbers(
                self.meta, told, self.columns.nodes.reward, node, children, prior, visits[:, None], value_sum[:, None]
            )  # fmt: skip
            value, exploration = (term[:, 0] for term in sibling_terms(self.meta, of))
            scores = selection_score(value, exploration)
            return Comparison(node, children.tolist(), visits, value, exploration, scores, chosen)
        by_children = self.meta.policies.selection.counts_children
        above = np.int32(visits.sum()) if by_children else sums.visits[node]
        at = np.array([node])
        value, exploration = selection_terms(
            self.meta,
            NodeStatistics(
                visits=visits,
                value_sum=value_sum,
                prior=prior,
                parent_visits=np.full(len(children), above),
                chooser=np.full(len(children), self.columns.nodes.to_move[node]),
                proven=proven[children],
                square_sum=None if squares is None else squares[rows],
                parent_value=seen_by_chooser_after(
                    self.meta,
                    self.columns,
                    node,
                    np.array([t]),
                    sums.visits[at],
                    sums.value_sum[at],
                ),
            ),
        )
        scores = selection_score(value, exploration)
        return Comparison(node, children.tolist(), visits, value, exploration, scores, chosen)


def moments(n_iterations: int, points: int) -> Ints:
    """[P] at most that many iterations, evenly from 0 to the last; raises TraceError for fewer than two."""
    if not is_whole(points) or points < 2:
        raise TraceError(f"points={points!r}: choose 2 or more")
    return np.unique(
        np.linspace(0, n_iterations, min(points, n_iterations + 1)).round().astype(np.int64)
    )


def read_file(
    path: str | Path, memory: int | None = None, progress: Progress = lambda share: None
) -> tuple[TraceFile, Columns]:
    """All of a trace file (.mcts), complete or not, as far as it is not damaged. memory: bytes that it
    may unpack to. progress: is told now and then which share of the work is done. Raises TraceError naming file, place
    and remedy."""
    file = TraceFile(path, memory)
    indexed = indexed_columns(file, progress)
    if indexed is not None:
        return file, indexed
    return file, columns_of(file, file.rows(write_out=False), file.length, progress)


def columns_of(
    file: TraceFile,
    batches: Iterable[Rows],
    n_bytes: int,
    progress: Progress = lambda share: None,
) -> Columns:
    """The columns of a trace file whose batches these are, taken by it, and its length. progress: see `read_file`."""
    columns = root_columns(file.meta)
    for rows in batches:
        columns.append(rows, file.paths)
        columns.join(1.1 * n_bytes / file.position)  # 1.1: batches differ
        # one that is being recorded has grown meanwhile
        progress(min(1.0, file.position / n_bytes))
    return columns


def root_columns(meta: TraceMeta) -> Columns:
    """Empty columns with the root that the metadata describe."""
    root = meta.root
    return Columns(
        root.to_move,
        np.nan if root.outcome is None else root.outcome,
        root.label,
        root.state,
        inherits=meta.inherited is not None,
        whole=meta.whole_tree if meta.inherited is not None or meta.is_snapshot else None,
        root_has_value="value of the root" not in meta.not_observed,
    )
