"""Plain functions compiled by numba, which is loaded only when something is: it is slow to load.

A function that calls others is copied with their dispatchers in its globals, and gets a name with a digest of all
sources that go into it: numba keys its cache on disk by a function's name and file alone.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from mcts_viz.types import Document

Compiled: TypeAlias = Any  # what numba makes of a function


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


def jit_entry(entry: Callable[..., Any]) -> Compiled:
    """The dispatcher of an entry; without a cache where no folder for one can be written."""
    options: Document = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    try:
        dispatcher = _njit(cache=True, **options)(entry)
    except RuntimeError:  # numba's word for "no place for the cache"
        return _njit(**options)(entry)
    importlib.import_module("mcts_viz.compiling.cached_files").check_files(dispatcher)
    return dispatcher


def numba_error() -> type[Exception]:
    """What numba raises for a function that it cannot compile."""
    error: type[Exception] = importlib.import_module("numba.core.errors").NumbaError
    return error


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


def plain(name: str) -> str:
    """A name as it may stand in a function's."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def sources_digest(
    modules: Iterable[types.ModuleType], functions: Sequence[Callable[..., object]]
) -> str:
    """Changes whenever a source that goes into the compiled code changes, or a value that a function
    has closed over; and differs where other functions of the same sources go into it."""
    files = {str(module.__file__) for module in modules}
    files |= {inspect.getfile(function) for function in functions}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(Path(file).read_bytes())
    for function in functions:
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", 0)
        digest.update(f"{function.__module__}.{function.__qualname__}:{line}".encode())
        for cell in getattr(function, "__closure__", None) or ():
            value = cell.cell_contents
            whole = isinstance(value, np.ndarray)  # whose repr leaves out its middle
            digest.update(value.tobytes() if whole else repr(value).encode())
    return digest.hexdigest()[:16]


def is_kept(entry: types.FunctionType) -> bool:
    """Whether an earlier process has left compiled code of an entry on disk.

    A guess from numba's index file, good for choosing; `jit_entry` is right either way.
    """
    folder = jit_entry(entry).stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*{entry.__name__}-*.checked.nbi"))
