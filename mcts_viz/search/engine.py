"""The search engine: chooses interpreted or compiled, runs chunks until the budget is used up,
tells one consumer.

Knows one consumer of chunks and not what it does with them; a recorder, a progress bar or nobody.
Watching changes nothing: the same seed grows the same tree with and without a consumer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import SearchError
from mcts_viz.formulas.selection import selection_formula
from mcts_viz.games import FlatGame
from mcts_viz.search.budget import Budget
from mcts_viz.search.compilation import compiled, interpreted, is_cached
from mcts_viz.search.iterations import Functions, Log, Position, Settings, new_log
from mcts_viz.search.presets import EXPANSION_ORDERS, Policies
from mcts_viz.search.tree import Tree, new_tree, rows_in_use, with_room

MOST_CHUNK = 8_192  # iterations
FIRST_CHUNK = 1  # of an interpreted search, whose iterations may be slow
CHUNK_SECONDS = 0.05  # how long a chunk should take: a seconds budget and Stop are this exact
# below these an interpreted run is over before numba has compiled anything (2.5 s, once for each
# game and machine)
COMPILE_FROM_ITERATIONS = 40_000
COMPILE_FROM_SECONDS = 10.0
COMPILE_CACHED_FROM_ITERATIONS = 4_000
COMPILE_CACHED_FROM_SECONDS = 0.5


class Chunk(NamedTuple):
    """What a consumer gets."""

    # visits, sums and links go on to change; what a node is made with (parent, action, to_move,
    # prior, outcome) does not, and may be kept as a view
    tree: Tree
    log: Log  # of the `n` iterations just run; the consumer's to keep
    first: int  # iterations before this chunk
    n: int


Consumer = Callable[[Chunk], None]


@dataclass(frozen=True)
class Search:
    """What is to be searched, and how; all checked. `start` holds action ids."""

    game: FlatGame
    policies: Policies
    budget: Budget
    seed: int
    start: tuple[int, ...] = ()
    keep_rollouts: bool = True
    compile: bool | None = None  # None: compiled when the budget is worth it

    def __post_init__(self) -> None:
        if self.compile and not self.game.compilable:
            raise SearchError(
                f"compile=True: {self.game.name} is a game in plain Python, which cannot be compiled; leave "
                "compile out, or write the game as a FlatGame"
            )

    def worth_compiling(self) -> bool:
        """Whether this search runs compiled."""
        if not self.game.compilable:
            return False
        if self.compile is not None:
            return self.compile
        iterations, seconds = self.budget
        cached = is_cached(self.compiled_name, self.functions)
        least_iterations = COMPILE_CACHED_FROM_ITERATIONS if cached else COMPILE_FROM_ITERATIONS
        least_seconds = COMPILE_CACHED_FROM_SECONDS if cached else COMPILE_FROM_SECONDS
        return (iterations is None or iterations >= least_iterations) and (
            seconds is None or seconds >= least_seconds
        )

    @property
    def compiled_name(self) -> str:
        """Tells games and policies apart among the compiled functions."""
        return f"{self.game.name} {self.policies.selection}"

    @property
    def functions(self) -> Functions:
        """The functions that the iterations call."""
        return Functions(*self.game.rules, *selection_formula(self.policies.selection))


def run(
    search: Search,
    consumer: Consumer | None = None,
    stop: Callable[[], bool] = lambda: False,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> Tree:
    """Search until the budget is used up or `stop()` is true; returns the tree.

    Compiling happens before the clock starts. The last chunk is whole: a seconds budget is overrun
    by 0.05 s at most (a single iteration where that takes longer).
    """
    state, _ = search.game.position(search.start)
    if not search.game.legal(state):
        raise SearchError("the game is over at the start position: there is no move to search for")
    tree = new_tree(search.game.rules.to_move(state))
    rng = np.random.default_rng(search.seed)
    policies = search.policies
    settings = Settings(
        policies.c,
        policies.win,
        policies.draw,
        policies.loss,
        EXPANSION_ORDERS[policies.order],
        search.keep_rollouts,
    )
    compile_it = search.worth_compiling()
    position = _position(search.game, state, compile_it)
    log = new_log(min(MOST_CHUNK, search.budget.left(0)), search.game.max_moves)
    began = [0]
    if compile_it:
        iterate = compiled(search.compiled_name, search.functions)
        # compiles, or loads what was compiled before
        iterate(tree, log, position, rng, settings, 0)
        chunk = MOST_CHUNK // 4
    else:
        iterate = interpreted(search.functions, lambda: clock() - began[0])
        chunk = FIRST_CHUNK
    began[0] = clock()
    done = 0
    last_elapsed = 0
    while search.budget.left(done) > 0 and not stop():
        n = min(chunk, search.budget.left(done))
        tree = with_room(tree, n, search.game.n_actions)
        if consumer is not None:
            log = new_log(n, search.game.max_moves)
        iterate(tree, log, position, rng, settings, n)
        elapsed = clock() - began[0]
        if compile_it:
            log.elapsed[:n] = (
                elapsed  # a compiled chunk has no clock: its iterations get the time at its end
            )
        if consumer is not None:
            consumer(Chunk(tree, log, done, n))
        done += n
        if search.budget.seconds is not None and elapsed >= search.budget.seconds * 1e9:
            break
        seconds = max(elapsed - last_elapsed, 1) / 1e9
        chunk = max(1, min(MOST_CHUNK, 2 * n, int(n * CHUNK_SECONDS / seconds)))
        last_elapsed = elapsed
    return tree


def _position(game: FlatGame, state: list[int], compile_it: bool) -> Position:
    if not compile_it:
        return Position(state, list(state), [0] * game.n_actions, [0] * (game.max_moves + 1))
    return Position(
        np.array(state, np.int64),
        np.array(state, np.int64),
        np.zeros(game.n_actions, np.int64),
        np.zeros(game.max_moves + 1, np.int32),
    )


def search_moves(game: FlatGame, moves: Sequence[str | int]) -> tuple[int, ...]:
    """Action ids of a start position's moves; raises GameError at an illegal one, SearchError when
    the game is over after them."""
    state, actions = game.position(moves)
    if not game.legal(state):
        raise SearchError(
            f"the game is over at the start position {list(moves)!r}: there is no move to search for; leave out its end"
        )
    return tuple(actions)


def tree_columns(tree: Tree) -> dict[str, npt.NDArray[Any]]:
    """The rows in use of every column, by name: to compare a tree with its recording."""
    return {name: getattr(tree, name)[:n] for name, n in rows_in_use(tree).items()}
