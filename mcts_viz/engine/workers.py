"""Root-parallel search: several workers search the position, each with a tree and random numbers of its own, and what
they found is added up.

What comes out does not depend on how the workers share the processors: each has its own seed and its own part of the
iterations, and these are recorded in turn. A consumer gets chunks of the merged search.
"""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mcts_viz.compiling.jit import jit_entry, jit_part, with_globals
from mcts_viz.engine import merging
from mcts_viz.engine.budget import Budget
from mcts_viz.engine.compilation import compiled, interpreted
from mcts_viz.engine.finish import finished
from mcts_viz.engine.iterations import Log
from mcts_viz.engine.merging import MERGED_COLUMNS, MergedTree
from mcts_viz.engine.search import (
    CHUNK_SECONDS,
    FIRST_CHUNK,
    MOST_CHUNK,
    MOST_NEW_NODES,
    Chunk,
    Consumer,
    Held,
    Search,
    buffers,
    is_used_up,
    nothing_held,
    room_for,
)
from mcts_viz.engine.tree import Tree, bytes_in_use, new_tree, with_room
from mcts_viz.types import Numbers

FIELDS = Log._fields
MOST_EXPECTED = 1 << 22  # nodes that a table has room for on an expectation
LAST_CHUNK = 2_048  # iterations of a round, at the end of a search of many
AHEAD = 4  # rounds that workers may have run before the first of them is consumed
ENDED = 1 << 62  # rounds, of a worker that runs no more
Merge = Callable[..., int]
Clock = Callable[[], int]


def worker_seeds(seed: int, n: int) -> list[int]:
    """The seed of each of n workers."""
    return [int(np.random.SeedSequence([seed, each]).generate_state(1)[0]) for each in range(n)]


def searches_of(search: Search) -> list[Search]:
    """What each worker searches: its part of iterations and nodes, with a seed of its own."""
    n, budget = search.workers, search.budget
    found = []
    for each, seed in enumerate(worker_seeds(search.seed, n)):
        mine = budget.iterations
        if mine is not None:
            mine = mine // n + (each < mine % n)
        nodes = None if budget.nodes is None else max(2, budget.nodes // n)
        own = budget._replace(iterations=mine, nodes=nodes)
        found.append(replace(search, workers=1, seed=seed, budget=own))
    return found


class _Worker:
    """One worker, with its growing tree."""

    def __init__(self, search: Search, iterate: Callable[..., int], compile_it: bool) -> None:
        state, _ = search.game.position(search.start)
        self.search, self.settings = search, search.settings
        tree = new_tree(search.game.rules.to_move(state))
        self.tree = with_room(
            tree, search.iterations_reserved, search.game.n_actions, search.children_at_once
        )
        self.done = 0
        self._rng = np.random.default_rng(search.seed)
        self._position = buffers(search.game, state, search.root_actions, compile_it)
        self._iterate = iterate

    @property
    def is_over(self) -> bool:
        """Whether it has nothing more to do."""
        return self.search.budget.left(self.done) <= 0 or (
            self.done > 0 and finished(self.tree, self.settings, self.done)
        )

    def compile(self, log: Log) -> None:
        """Before the clock starts."""
        self._iterate(self.tree, log, self._position, self._rng, self.settings, 0, 0)

    def grow(self, log: Log, n: int) -> int:
        """Up to n more iterations; how many ran."""
        n = 0 if self.is_over else min(n, self.search.budget.left(self.done))
        game = self.search.game
        self.tree = with_room(self.tree, n, game.n_actions, self.search.children_at_once)
        ran = 0
        if n:
            ran = self._iterate(
                self.tree, log, self._position, self._rng, self.settings, n, self.done
            )
        else:
            log.node_count[0] = self.tree.size[0]
        self.done += ran
        return ran


class _Round(NamedTuple):
    """What the workers did side by side."""

    logs: Log  # of all: [W, …]
    trees: list[Tree]
    ran: list[int]
    elapsed: int  # nanoseconds, at its end


class _Rounds:
    """Who runs which round, and how many iterations it has: the same for all workers, so that what they did can be
    told in turn. No worker waits for another one, but for `AHEAD` rounds that nobody has consumed yet."""

    def __init__(
        self, workers: Sequence[_Worker], first: int, most: int, clock: Clock, budget: Budget
    ) -> None:
        """first, most: iterations of the first round, and of any."""
        self._workers, self._most, self._clock, self._budget = workers, most, clock, budget
        self._began, self._last = clock(), 0
        self._sizes = [first]
        self._changed = threading.Condition()
        self._ended = [0] * len(workers)  # rounds of each
        self._results: list[dict[int, tuple[int, Tree]]] = [{} for _ in workers]
        self._taken = 0  # rounds that were consumed, or let go of
        self._stopped = False
        self._error: BaseException | None = None

    def run(self, mine: Sequence[int], logs: Sequence[Log]) -> None:
        """Run these workers in turn to their end; what they do goes into the logs, one round into each in turn."""
        try:
            for number in itertools.count():
                if not [each for each in mine if self._round(each, number, logs)]:
                    return
        except BaseException as err:  # noqa: BLE001 (whatever it is, it belongs to the search's thread)
            with self._changed:
                self._error, self._stopped = err, True
                self._changed.notify_all()

    def _round(self, which: int, number: int, logs: Sequence[Log]) -> bool:
        """Run a round of a worker; false where it is not run any more."""
        worker = self._workers[which]
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or number < self._taken + len(logs))
            started = number < len(self._sizes)
            if not started and is_used_up(self._budget, self._clock() - self._began, 0):
                self._stopped = True  # whoever consumes would notice some rounds later
            # a round that one has begun is run by all, after an error too: those before it are told whole
            if worker.is_over or (self._stopped and not started):
                self._ended[which] = ENDED
                self._changed.notify_all()
                return False
            if not started:
                self._sizes.append(self._next_size())
            n = self._sizes[number]
        ran = worker.grow(Log(*(column[which] for column in logs[number % len(logs)])), n)
        with self._changed:
            self._results[which][number] = ran, worker.tree
            self._ended[which] = number + 1
            self._changed.notify_all()
        return True

    def _next_size(self) -> int:
        """By how long the last round took that all have run."""
        elapsed = self._clock() - self._began
        last, self._last = self._last, elapsed
        n = self._sizes[-1]
        seconds = max(elapsed - last, 1) / 1e9
        # short ones at the end, for the last ones are merged when no worker searches any more
        left = max(each.search.budget.left(each.done) for each in self._workers)
        most = min(self._most, max(LAST_CHUNK, left // 4))
        return max(1, min(most, 2 * n, int(n * CHUNK_SECONDS / seconds)))

    def wait(self, number: int, logs: Sequence[Log]) -> _Round | None:
        """A round that all of them have run who run it; None after the last one. Raises what a worker has raised."""
        with self._changed:
            self._changed.wait_for(lambda: self._error or min(self._ended) > number)
            if self._error is not None and min(self._ended) <= number:
                raise self._error
            if number >= len(self._sizes) or not any(number in told for told in self._results):
                return None
            elapsed, ran, trees = self._clock() - self._began, [], []
            for which, told in enumerate(self._results):
                n, tree = told.pop(number, (0, self._workers[which].tree))
                if not n:
                    logs[number % len(logs)].node_count[which, 0] = tree.size[0]
                ran.append(n)
                trees.append(tree)
            return _Round(logs[number % len(logs)], trees, ran, elapsed)

    def let_go(self) -> None:
        """One more round was consumed: its log is free."""
        with self._changed:
            self._taken += 1
            self._changed.notify_all()

    def stop(self) -> None:
        """No round begins any more that none has begun."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()


def run_workers(
    search: Search,
    consumer: Consumer | None = None,
    stop: Callable[[], bool] = lambda: False,
    clock: Clock = time.perf_counter_ns,
    held: Held = nothing_held,
) -> list[Tree]:
    """As `run`, by as many workers as the search says; their trees. Compiled workers run side by side, and while they
    run the rounds before are merged and consumed; interpreted ones take turns."""
    compile_it = search.worth_compiling()
    # what goes into it is the same for all of them
    iterate = (
        compiled(search.compiled_name, search.functions)
        if compile_it
        else interpreted(search.functions, lambda: 0)
    )
    workers = [_Worker(each, iterate, compile_it) for each in searches_of(search)]
    if stop():
        return [worker.tree for worker in workers]
    most = max(1, min(MOST_CHUNK, MOST_NEW_NODES // search.children_at_once))
    most = min(most, max(1, workers[0].search.budget.left(0)))
    logs = [_logs(search, most) for _ in range(AHEAD)]
    merged = None if consumer is None else _Merging(search, workers[0].tree, compile_it)
    if compile_it:
        for worker, log in zip(workers, _each(logs[0])):
            worker.compile(log)
    first = max(1, most // 4) if compile_it else FIRST_CHUNK
    rounds = _Rounds(workers, first, most, clock, search.budget)
    every = range(len(workers))
    # a user's game may not bear being asked by two at once
    turns = [[each] for each in every] if compile_it else [list(every)]
    threads = [
        threading.Thread(target=rounds.run, args=(mine, logs), name="mcts_viz worker", daemon=True)
        for mine in turns
    ]
    begun: list[threading.Thread] = []
    try:
        for thread in threads:
            thread.start()
            begun.append(thread)
        for number in itertools.count():
            told = rounds.wait(number, logs)
            if told is None:
                break
            if merged is not None:
                merged.consume(told, consumer)
            rounds.let_go()
            memory = held() + sum(bytes_in_use(tree) for tree in told.trees)
            if stop() or is_used_up(search.budget, told.elapsed, memory):
                rounds.stop()
    finally:
        rounds.stop()
        for thread in begun:
            thread.join()
    return [worker.tree for worker in workers]


def _logs(search: Search, n: int) -> Log:
    """Room for n iterations of each worker: [W, …]."""
    one = search.new_log(n)
    return Log(*(np.zeros((search.workers, *column.shape), column.dtype) for column in one))


def _each(logs: Log) -> Iterator[Log]:
    for worker in range(len(logs.leaf)):
        yield Log(*(column[worker] for column in logs))


@functools.lru_cache(maxsize=4)  # compiled, each is read from the disk, which takes 10 to 20 ms
def _kernels(is_direct: bool, compile_it: bool) -> tuple[Callable[..., None], Merge]:
    """`merging.fill` and `merging.merge` for one of the two kinds of table."""
    part: Callable[[Callable[..., object]], object] = (
        jit_part if compile_it else lambda source: source
    )
    if is_direct:
        names = {"find": part(merging.find_directly), "put": part(merging.put_directly)}
    else:
        names = {"key_of": part(merging.key_of)}
        names["slot"] = part(with_globals(merging.slot, names))
        for source in (merging.find, merging.put):
            names[source.__name__] = part(with_globals(source, names))
    for step in (merging.merge_nodes, merging.merge_offsets, merging.merge_proofs):
        names[step.__name__] = part(with_globals(step, names))
    entry = jit_entry if compile_it else lambda source: source
    return entry(with_globals(merging.fill, names)), entry(with_globals(merging.merge, names))


class _Merging:
    """Adds the workers' iterations to one tree, and tells a consumer."""

    def __init__(self, search: Search, tree: Tree, compile_it: bool) -> None:
        self._search, self._tree = search, tree
        expected = (search.budget.iterations or 1) * search.children_at_once
        self._merged = MergedTree(
            search.workers,
            int(tree.to_move[0]),
            min(expected, MOST_EXPECTED),
            search.game.n_actions,
        )
        self._done = 0
        self._given_back: list[Log] = []
        self._fill, self._merge = _kernels(self._merged.n_direct is not None, compile_it)

    def consume(self, of: _Round, consumer: Consumer | None) -> None:
        """Tell the consumer of a round."""
        merged, total = self._merged, sum(of.ran)
        if consumer is None or not total:
            return
        first = of.logs.node_count[:, 0].tolist()
        last = [int(log.node_count[n]) for log, n in zip(_each(of.logs), of.ran)]
        made = [end - begin for begin, end in zip(first, last)]
        if merged.make_room(int(merged.size[0]) + sum(made), max(last)):
            columns = merged.columns
            self._fill(merged.table, columns["parent"], columns["action"], int(merged.size[0]))
        new = {
            name: np.empty((len(first), max(1, *made)), merged.columns[name].dtype)
            for name in MERGED_COLUMNS
        }
        for worker, tree in enumerate(of.trees):
            for name, column in new.items():
                column[worker, : made[worker]] = getattr(tree, name)[first[worker] : last[worker]]
        log = room_for(self._given_back, total) or self._search.new_log(total)
        worker_of = np.empty(total, np.int32)
        turn = np.empty((len(of.ran), max(of.ran)), np.int32)
        told: list[Numbers] = [getattr(of.logs, name) for name in FIELDS if name != "elapsed"]
        into: list[Numbers] = [getattr(log, name) for name in FIELDS if name != "elapsed"]
        self._merge(
            np.array(of.ran, np.int64), *told, *new.values(), merged.place, merged.table, merged.size,
            merged.is_proven, *merged.columns.values(), *into, worker_of, turn, self._search.along_path,
        )  # fmt: skip
        log.elapsed[:total] = of.elapsed
        size = np.array([int(merged.size[0]), 1], np.int64)
        tree = self._tree._replace(size=size, **merged.columns)
        consumer(Chunk(tree, log, self._done, total, self._given_back, worker_of))
        self._done += total
