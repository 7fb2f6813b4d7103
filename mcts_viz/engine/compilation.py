"""From plain functions to compiled ones: what numba needs to run `iterate` for one game and one set
of policies.

The compiled code is cached on disk, so that only the first large search of a game ever waits. numba
keys its cache by the function's name and file alone; as one source serves every game, the name made
here carries the game, the policies and a digest of all sources that go into it.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

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


Compiled: TypeAlias = Any  # what numba makes of a function


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
    """Whether an earlier process has left compiled code for these functions on disk.

    A guess from numba's index file, good for choosing; `compiled` is right either way.
    """
    entry = with_globals(_entry, {})
    entry.__qualname__ = entry.__name__ = _entry_name(name, functions)
    folder = jit_entry(entry).stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*{entry.__name__}-*.checked.nbi"))


def jit_part(function: Callable[..., object]) -> Compiled:
    """The dispatcher of a function that only compiled code calls."""
    options: Document = {
        "nogil": True,
        # throughout: an address of a compiled function that is left in the code would keep it out of
        # the cache
        "forceinline": True,
        # no test for a division by zero in the inner loop; none can occur
        "error_model": "numpy",
        # no reference counts: some forty atomic operations an iteration, more than the search itself,
        # on arrays that the caller holds anyway
        "_nrt": False,
        # it is never called from Python or C: code to unpack a tree's columns for that is half of the
        # time to compile
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }
    return _njit(**options)(function)


def jit_entry(entry: types.FunctionType) -> Compiled:
    """The dispatcher of an entry; without a cache where no folder for one can be written."""
    options: Document = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    try:
        dispatcher = _njit(cache=True, **options)(entry)
    except RuntimeError:  # numba's word for "no place for the cache"
        return _njit(**options)(entry)
    importlib.import_module("mcts_viz.engine.compiled_cache").check_files(dispatcher)
    return dispatcher


def _njit(**options: object) -> Compiled:
    """`numba.njit`; numba is loaded when something may be compiled: a small search should not wait for
    it."""
    return importlib.import_module("numba").njit(**options)


def with_globals(function: Callable[..., object], names: Document) -> types.FunctionType:
    """The same function looking up `names` first."""
    assert isinstance(function, types.FunctionType)
    copy = types.FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__module__ = function.__module__
    return copy


def _entry_name(name: str, functions: Functions) -> str:
    return f"iterate_{plain(name)}_{sources_digest(COMPILED_MODULES, functions)}"


def plain(name: str) -> str:
    """A name as it may stand in a function's."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def sources_digest(
    modules: Iterable[types.ModuleType], functions: Sequence[Callable[..., object]]
) -> str:
    """Changes whenever a source that goes into the compiled code changes, or a value that a function
    has closed over."""
    files = {str(module.__file__) for module in modules}
    files |= {inspect.getfile(function) for function in functions}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(Path(file).read_bytes())
    for function in functions:
        for cell in getattr(function, "__closure__", None) or ():
            value = cell.cell_contents
            whole = isinstance(value, np.ndarray)  # whose repr leaves out its middle
            digest.update(value.tobytes() if whole else repr(value).encode())
    return digest.hexdigest()[:16]
