"""The search engine: chooses interpreted or compiled, runs chunks until the budget is used up, and hands each to one
consumer.

What the consumer does with them is not known here: it may be a recorder, a progress bar, or none.
Watching changes nothing: the same seed grows the same tree with and without a consumer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.engine import phases
from mcts_viz.engine.budget import MOST_NODES, Budget
from mcts_viz.engine.compilation import compiled, interpreted, is_cached
from mcts_viz.engine.evaluator import evaluate_function
from mcts_viz.engine.finish import finished
from mcts_viz.engine.functions import Functions, Position, Settings
from mcts_viz.engine.iterations import Log, new_log
from mcts_viz.engine.parameters import EXPAND_ON, EXPANSION_ORDERS, SIMULATE_FROM
from mcts_viz.engine.presets import Policies
from mcts_viz.engine.rollout_policy import own_draw
from mcts_viz.engine.tree import Tree, bytes_in_use, bytes_of, new_tree, with_room
from mcts_viz.errors import SearchError
from mcts_viz.formulas.selection import SelectionFormula, selection_formula
from mcts_viz.games import FlatGame
from mcts_viz.games.rules import (
    Buffer,
    LegalActions,
    State,
    draw_from_list,
    generic_decisive_actions,
)

MOST_CHUNK = 16_384  # iterations; half as many cost a recording of Tic-Tac-Toe a fifth more
MOST_NEW_NODES = 1 << 20  # of one chunk, room that is made before it
RESERVED = 1 << 29  # bytes of a tree, most of them untouched
SMALL_GAMES = ("tic_tac_toe",)  # whose whole tree has less than a million nodes
FIRST_CHUNK = 1  # of an interpreted search, whose iterations may be slow
CHUNK_SECONDS = 0.05  # how long a chunk should take: a seconds budget and Stop are this exact
# below these an interpreted run is over before numba has compiled anything (some 6 s, once for each
# game, set of policies and machine)
COMPILE_FROM_ITERATIONS = 40_000
COMPILE_FROM_SECONDS = 10.0
COMPILE_CACHED_FROM_ITERATIONS = 4_000
COMPILE_CACHED_FROM_SECONDS = 0.5


class Chunk(NamedTuple):
    """What a consumer gets."""

    # visits, sums and links go on to change; what a node is made with (parent, action, to_move,
    # prior, outcome) does not, and may be kept as a view
    tree: Tree
    log: Log  # of the `n` iterations just run; the consumer's to keep, or to give back
    first: int  # iterations before this chunk
    n: int
    given_back: list[Log]
    worker: npt.NDArray[np.int32] | None = None  # [n] who ran each; None: there is one

    def give_back(self) -> None:
        """Let a later chunk write over the log, from any thread: memory that has been used before
        costs the search less than new memory."""
        self.given_back.append(self.log)


Consumer = Callable[[Chunk], None]
Held = Callable[[], int]  # bytes of memory that what a consumer keeps takes now


def nothing_held() -> int:
    """Of a consumer that keeps nothing."""
    return 0


@dataclass(frozen=True)
class Search:
    """What is to be searched, and how; all checked. `start` holds action ids."""

    game: FlatGame
    policies: Policies
    budget: Budget
    seed: int
    start: tuple[int, ...] = ()
    root_actions: tuple[int, ...] | None = None  # actions allowed at the root; None: all legal ones
    keep_rollouts: bool = True
    compile: bool | None = None  # None: compiled when the budget is worth it
    workers: int = 1  # that search side by side, see `workers`

    def __post_init__(self) -> None:
        if self.root_actions is not None:
            self._check_root_actions()
        if self.compile and not self.compilable:
            raise SearchError(
                f"compile=True: {self.game.name}, or a function given for it, is plain Python, which cannot be "
                "compiled; leave compile out, or write the game as a FlatGame with all its rules"
            )

    def _check_root_actions(self) -> None:
        """Raise SearchError where they leave nothing to search, or where a simulation would ignore them."""
        legal = self.game.legal(self.game.position(self.start)[0])
        for action in self.root_actions or ():
            if action not in legal:
                raise SearchError(
                    f"{action} is not a legal action at the start; choose among: {legal}"
                )
        if not self.root_actions:
            raise SearchError("every move at the root is forbidden; leave at least one")
        chosen = self.policies
        from_root = chosen.expansion == "all_children" and chosen.simulate_from == "leaf"
        if from_root and chosen.simulation != "value":
            raise SearchError(
                "simulate_from = leaf begins a simulation at the root itself, which may play any move there; "
                "with a move forced or forbidden choose another simulate_from"
            )

    @property
    def compilable(self) -> bool:
        """Whether numba can compile it; it cannot compile a function of the user."""
        own = callable(self.policies.evaluator) or callable(self.policies.simulation)
        return self.game.compilable and not own and self._rollout_actions is not None

    def worth_compiling(self) -> bool:
        """Whether this search runs compiled."""
        if self.compile is not None or not self.compilable:
            return bool(self.compile)
        if not self._takes(COMPILE_CACHED_FROM_ITERATIONS, COMPILE_CACHED_FROM_SECONDS):
            return False  # without a look for what is cached, which takes loading numba
        return self._takes(COMPILE_FROM_ITERATIONS, COMPILE_FROM_SECONDS) or is_cached(
            self.compiled_name, self.functions
        )

    def _takes(self, iterations: int, seconds: float) -> bool:
        """Whether the budget is at least that large."""
        mine = self.budget
        return (mine.iterations is None or mine.iterations >= iterations) and (
            mine.seconds is None or mine.seconds >= seconds
        )

    @property
    def compiled_name(self) -> str:
        """Name of the compiled function, another one for each game and set of policies."""
        chosen = self.policies
        names = (self.game.name, chosen.selection, chosen.expansion, chosen.simulation_name)
        extras = (
            chosen.evaluator_name or "",
            "solver" if chosen.solver else "",
            "latest" if self.latest_first else "",
        )
        return " ".join((*names, *filter(None, extras)))

    @property
    def latest_first(self) -> bool:
        """Whether selection takes the child visited last among equal ones."""
        return self.policies.ties == "latest"

    @property
    def formula(self) -> SelectionFormula:
        """How children are compared."""
        return selection_formula(self.policies.selection)

    @property
    def _rollout_actions(self) -> LegalActions | None:
        """What a simulation draws from, as numba can compile it."""
        rules = self.game.rules
        decisive = self.policies.simulation == "decisive"
        return rules.decisive_actions if decisive else rules.legal_actions

    @property
    def _draw(self) -> Callable[..., int]:
        """What chooses a move of a simulation."""
        wanted = self.policies.simulation
        if not isinstance(wanted, str):
            return own_draw(wanted, self.game)
        return (self.game.rules.draw if wanted == "random" else None) or draw_from_list

    @property
    def functions(self) -> Functions:
        """The functions that the iterations call."""
        rules, chosen, formula = self.game.rules, self.policies, self.formula
        one_child = chosen.expansion == "one_child"
        by_value = chosen.simulation == "value"
        return Functions(
            play=rules.play,
            legal_actions=rules.legal_actions,
            outcome=rules.outcome,
            to_move=rules.to_move,
            rollout_actions=self._rollout_actions
            or generic_decisive_actions(rules, self.game.n_actions),
            draw=self._draw,
            evaluate=evaluate_function(chosen.evaluator, self.game),
            child_terms=formula.child_terms,
            parent_weight=formula.parent_weight,
            exploration=formula.exploration,
            unvisited_width=formula.unvisited_width,
            best_branch=(
                phases.best_branch_by_squares if formula.needs_squares else phases.best_branch
            ),
            select=phases.select_latest_first if self.latest_first else phases.select,
            expand=phases.expand_one_child if one_child else phases.expand_all_children,
            simulate=phases.simulate_by_value if by_value else phases.simulate_rollouts,
            backpropagate=phases.backpropagate,
            prove=phases.prove if chosen.solver else phases.prove_nothing,
            choose_ahead=phases.choose_nothing if self.latest_first else phases.choose_ahead,
        )

    @property
    def settings(self) -> Settings:
        """The numbers that the iterations take."""
        chosen = self.policies
        return Settings(
            c=chosen.c,
            urgency=math.nan if chosen.fpu is None else chosen.fpu,
            order=EXPANSION_ORDERS[chosen.order],
            expand_from=EXPAND_ON[chosen.expand_on],
            simulate_from=SIMULATE_FROM[chosen.simulate_from],
            n_rollouts=chosen.n_rollouts,
            win=chosen.win,
            draw=chosen.draw,
            loss=chosen.loss,
            searcher_only=chosen.collect == "searcher",
            poison=math.nan if chosen.poison is None else chosen.poison,
            solver=chosen.solver,
            # as the tree's columns hold it
            greatest_outcome=float(np.float32(self.game.reward_range[1])),
            keep_squares=self.formula.needs_squares,
            keep_rollouts=self.keep_rollouts,
            along_path=self.along_path,
            most_nodes=self.budget.nodes or MOST_NODES,
            decide_at=(self.budget.iterations or 0) if self.budget.decided else 0,
        )

    @property
    def along_path(self) -> bool:
        """Whether each iteration adds one visit to every node of its path, worth the same to all nodes of a player: the
        log then has the leaf and the two values. A poisoned node gets something else."""
        return self.policies.poison is None

    @property
    def children_at_once(self) -> int:
        """How many nodes an iteration can make."""
        return 1 if self.policies.expansion == "one_child" else self.game.n_actions

    @property
    def most_bytes(self) -> int:
        """What the tree may come to by the iterations of the budget, as half of the nodes are opened in a long search;
        0 where only the seconds are limited, or the game's whole tree is small."""
        iterations = self.budget.iterations
        if iterations is None or self.game.name in SMALL_GAMES:
            return 0
        nodes = min(iterations * self.children_at_once + 1, self.budget.nodes or MOST_NODES)
        return bytes_of(nodes, min(nodes, iterations) // 2, self.game.n_actions, iterations)

    @property
    def iterations_reserved(self) -> int:
        """For how many there is room from the beginning: a system gives memory only when it is written to, and columns
        that grow are copied."""
        n_actions, at_once = self.game.n_actions, self.children_at_once
        return min(self.budget.iterations or 0, RESERVED // bytes_of(at_once, 1, n_actions, 1))

    def new_log(self, n: int) -> Log:
        """Room for `n` iterations."""
        chosen = self.policies
        return new_log(
            n, self.game.max_moves, chosen.n_rollouts, chosen.solver, along_path=self.along_path
        )


def run(
    search: Search,
    consumer: Consumer | None = None,
    stop: Callable[[], bool] = lambda: False,
    clock: Callable[[], int] = time.perf_counter_ns,
    reused: Tree | None = None,
    held: Held = nothing_held,
) -> Tree:
    """Search until the budget is used up or `stop()` is true; returns the tree.

    `reused` is a tree of the start position from an earlier search, which this one goes on with and
    changes. `held` counts for the budget of memory as the tree does. Compiling happens before the
    clock starts. The last chunk is whole: a seconds budget is overrun by 0.05 s at most (a single
    iteration where that takes longer).
    """
    state, _ = search.game.position(search.start)
    if search.workers > 1:
        raise SearchError(
            f"workers = {search.workers} is for a search by itself: one that goes on with a tree, or whose tree a game "
            "or a grid goes on with, has one; leave it out"
        )
    if not search.game.legal(state):
        raise SearchError("the game is over at the start position: there is no move to search for")
    tree = new_tree(search.game.rules.to_move(state)) if reused is None else reused
    tree.next_branch[:] = 0  # an earlier search may have chosen by other rules
    rng = np.random.default_rng(search.seed)
    settings = search.settings
    compile_it = search.worth_compiling()
    position = buffers(search.game, state, search.root_actions, compile_it)
    # room is made for a whole chunk, and all children of a node may be many
    most_chunk = max(1, min(MOST_CHUNK, MOST_NEW_NODES // search.children_at_once))
    log = search.new_log(min(most_chunk, search.budget.left(0)))
    given_back: list[Log] = []
    began = [0]
    if compile_it:
        iterate = compiled(search.compiled_name, search.functions)
        # compiles, or loads what was compiled before
        iterate(tree, log, position, rng, settings, 0, 0)
        chunk = max(1, most_chunk // 4)
    else:
        iterate = interpreted(search.functions, lambda: clock() - began[0])
        chunk = FIRST_CHUNK
    tree = with_room(
        tree, search.iterations_reserved, search.game.n_actions, search.children_at_once
    )
    began[0] = clock()
    done = 0
    last_elapsed = 0
    while search.budget.left(done) > 0 and not stop():
        n = min(chunk, search.budget.left(done))
        tree = with_room(tree, n, search.game.n_actions, search.children_at_once)
        if consumer is not None:
            log = room_for(given_back, n) or search.new_log(n)
        ran = iterate(tree, log, position, rng, settings, n, done)
        elapsed = clock() - began[0]
        if compile_it:
            log.elapsed[:ran] = (
                elapsed  # a compiled chunk has no clock: its iterations get the time at its end
            )
        if consumer is not None:
            consumer(Chunk(tree, log, done, ran, given_back))
        done += ran
        if finished(tree, settings, done) or is_used_up(
            search.budget, elapsed, held() + bytes_in_use(tree)
        ):
            break
        seconds = max(elapsed - last_elapsed, 1) / 1e9
        chunk = max(1, min(most_chunk, 2 * n, int(n * CHUNK_SECONDS / seconds)))
        last_elapsed = elapsed
    return tree


def room_for(logs: list[Log], n: int) -> Log | None:
    """Take out a log with room for `n` iterations; smaller ones before it are dropped."""
    while logs:
        log = logs.pop()
        if len(log.leaf) >= n:
            return log
    return None


def is_used_up(budget: Budget, elapsed: int, memory: int) -> bool:
    """Whether the seconds (of which `elapsed` nanoseconds have passed) or the memory, bytes, are."""
    late = budget.seconds is not None and elapsed >= budget.seconds * 1e9
    return late or memory >= budget.memory_bytes


def buffers(
    game: FlatGame, state: State, root_actions: Sequence[int] | None, compile_it: bool
) -> Position:
    """What the iterations write into on their way."""
    allowed = np.full(game.n_actions, root_actions is None)
    allowed[list(root_actions or ())] = True

    def buffer(n: int, dtype: type[np.number]) -> Buffer:
        return np.zeros(n, dtype) if compile_it else [0] * n

    def copy() -> State:
        return np.array(state, np.int64) if compile_it else list(state)

    return Position(
        start=copy(),
        state=copy(),
        child=copy(),
        legal=buffer(game.n_actions, np.int64),
        priors=np.zeros(game.n_actions),
        value=buffer(1, np.float64),
        scores=buffer(2, np.float64),
        allowed=allowed if compile_it else allowed.tolist(),
        branches=buffer(game.max_moves + 1, np.uint32),
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


def restricted(
    game: FlatGame,
    start: Sequence[int],
    force: str | int | None,
    forbid: Sequence[str | int] | None,
) -> tuple[int, ...] | None:
    """The actions that a search may play at the root, ascending, when one move is forced or some are
    forbidden; None for no restriction. Raises GameError, SearchError for moves that are not there."""
    if isinstance(forbid, str) or (forbid is not None and not isinstance(forbid, Sequence)):
        raise SearchError(f"forbid = {forbid!r} is not a list of moves; write forbid=[{forbid!r}]")
    if force is None and not forbid:
        return None
    legal = game.legal(game.position(start)[0])
    forbidden = {_at_root(game, move, legal) for move in forbid or ()}
    allowed = set(legal) if force is None else {_at_root(game, force, legal)}
    if force is not None and allowed & forbidden:
        raise SearchError(f"{force!r} is both forced and forbidden; leave one out")
    return tuple(sorted(allowed - forbidden))


def _at_root(game: FlatGame, move: str | int, legal: Sequence[int]) -> int:
    action = game.action(move)
    if action not in legal:
        names = ", ".join(game.action_labels[each] for each in legal)
        raise SearchError(f"{move!r} is not a legal move at the root; choose among: {names}")
    return action
