"""From plain functions to compiled ones: what numba needs to run `iterate` for one game and one set
of policies.

The compiled code is cached on disk, so that only the first large search of a game ever waits. numba
keys its cache by the function's name and file alone; as one source serves every game, the name made
here carries the game, the policies and a digest of all sources that go into it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from mcts_viz.compiling.jit import (
    Compiled,
    is_kept,
    jit_entry,
    jit_part,
    plain,
    sources_digest,
    with_globals,
)
from mcts_viz.engine import finish, iterations, phases, tree
from mcts_viz.engine import functions as policy_functions
from mcts_viz.engine.functions import Functions, Position, Settings
from mcts_viz.engine.iterations import Log, iterate
from mcts_viz.engine.tree import Tree
from mcts_viz.games import rules
from mcts_viz.types import Document

COMPILED_MODULES = (rules, tree, policy_functions, phases, finish, iterations)
# functions that the phases call by name, each after those that it calls itself
HELPERS = (
    "signed",
    "rotate",
    "bring_to_head",
    "swap_actions",
    "open_node",
    "keep_allowed",
    "take_untried",
    "add_node",
    "score_of",
    "proven_score",
    "unvisited_terms",
    "poisoned",
    "result_of_children",
)


def interpreted(functions: Functions, clock: Callable[[], int]) -> Callable[..., int]:
    """`iterate` bound to plain functions: nothing to compile, any Python game."""
    return partial(iterate, clock=clock, functions=functions)


def _entry(
    tree: Tree,
    log: Log,
    position: Position,
    rng: np.random.Generator,
    settings: Settings,
    n: int,
    done: int,
) -> int:
    # numba caches on disk what refers to compiled functions by name, but not a tuple that holds
    # them: build it here
    functions = Functions(
        PLAY, LEGAL_ACTIONS, OUTCOME, TO_MOVE, ROLLOUT_ACTIONS, DRAW, EVALUATE,
        CHILD_TERMS, PARENT_WEIGHT, EXPLORATION, UNVISITED_WIDTH, BEST_BRANCH,
        SELECT, EXPAND, SIMULATE, BACKPROPAGATE, PROVE, CHOOSE_AHEAD,
    )  # fmt: skip
    return ITERATE(tree, log, position, rng, settings, n, done, CLOCK, functions)  # type: ignore[no-any-return]


def _unbound(*arguments: object) -> Compiled:
    raise AssertionError("a name of `_entry` that `compiled` has not bound")


# the names in `_entry`, bound anew for each game and set of policies, see `compiled`
ITERATE = CLOCK = PLAY = LEGAL_ACTIONS = OUTCOME = TO_MOVE = _unbound
ROLLOUT_ACTIONS = DRAW = EVALUATE = _unbound
CHILD_TERMS = PARENT_WEIGHT = EXPLORATION = UNVISITED_WIDTH = BEST_BRANCH = _unbound
SELECT = EXPAND = SIMULATE = BACKPROPAGATE = PROVE = CHOOSE_AHEAD = _unbound


def _no_clock() -> int:
    return 0


@cache
def compiled(name: str, functions: Functions) -> Callable[..., int]:
    """`iterate` compiled by numba for these functions; `name` tells games and policies apart in the
    cache.

    The compiled run has no clock in it: it leaves `log.elapsed` at 0 and the engine fills it in.
    """
    # the phases and the rules call one another: numba resolves a compiled callee, not a plain one
    helpers: Document = {}
    for key in HELPERS:
        helpers[key] = jit_part(with_globals(getattr(phases, key), helpers))
    finishing = {"decided": jit_part(finish.decided)}
    finishing["finished"] = jit_part(with_globals(finish.finished, finishing))
    finishing["follow"] = jit_part(phases.follow)
    names = {"ITERATE": jit_part(with_globals(iterate, finishing)), "CLOCK": jit_part(_no_clock)}
    for field, function in functions._asdict().items():
        names[field.upper()] = jit_part(with_globals(function, helpers))
    entry = with_globals(_entry, names)
    entry.__qualname__ = entry.__name__ = _entry_name(name, functions)
    return jit_entry(entry)  # type: ignore[no-any-return]


def is_cached(name: str, functions: Functions) -> bool:
    """Whether an earlier process has left compiled code for these functions on disk, see `is_kept`."""
    entry = with_globals(_entry, {})
    entry.__qualname__ = entry.__name__ = _entry_name(name, functions)
    return is_kept(entry)


def _entry_name(name: str, functions: Functions) -> str:
    return f"iterate_{plain(name)}_{sources_digest(COMPILED_MODULES, functions)}"
