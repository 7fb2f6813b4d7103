"""Where the index of a trace lies, when it is made, and when it is used."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import threading
import warnings
from pathlib import Path

from mcts_viz.errors import IndexWarning, TraceError, TraceWriteError
from mcts_viz.trace.format import Rows
from mcts_viz.trace.index.ahead import IndexAhead, wait_for
from mcts_viz.trace.index.building import Progress, build
from mcts_viz.trace.index.columns import IndexedColumns
from mcts_viz.trace.index.filed import FiledColumns
from mcts_viz.trace.index.layout import IndexFile, NotThisIndexError, stamp_of
from mcts_viz.trace.index.plain import NotCoveredError
from mcts_viz.trace.index.shape import IndexedTree
from mcts_viz.trace.index.survey import Survey, n_iterations_in
from mcts_viz.trace.index.told_columns import ToldColumns
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.memory import CACHE, cache_folder
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.reader import TraceFile

SUFFIX = ".index"  # behind the name of the trace
LONG = 2_000_000  # iterations, from which on a trace is opened with an index
SWITCH = (
    "MCTS_VIZ_INDEX"  # environment variable: least number of iterations for an index; "off": never
)
CACHE_BYTES = 20 << 30  # of the indexes in the user's cache together, the oldest make room
SMALLEST = 0.1  # bytes in a file for one iteration, by which most that are not long are known
_building = threading.Lock()


def threshold() -> float:
    """Iterations, from which on a trace is opened with an index."""
    wanted = os.environ.get(SWITCH, "")
    if wanted == "off":
        return math.inf
    return int(wanted) if wanted.isdigit() else LONG


def places(trace: Path) -> tuple[Path, Path]:
    """Where the index of a trace may lie: beside it, or in the user's cache."""
    whole = trace.resolve()
    name = hashlib.sha256(str(whole).encode()).hexdigest()[:24]
    return whole.with_name(whole.name + SUFFIX), cache_folder() / f"{name}{SUFFIX}"


def found_index(file: TraceFile) -> IndexFile | None:
    """The index of a trace, where there is one that is whole and of this very trace."""
    wait_for(places(file.path)[0])
    try:
        stamp = stamp_of(file.path)
    except OSError:
        return None
    for place in places(file.path):
        with contextlib.suppress(OSError, NotThisIndexError, ValueError, KeyError, TypeError):
            index = IndexFile.open(place, stamp)
            if not place.name.startswith(file.path.name):
                os.utime(place)  # the oldest in the cache were not used for longest
            return index
    return None


def make_index(
    path: str | Path, progress: Progress = lambda share: None, memory: int | None = None
) -> Path:
    """Make the index of a trace anew, and give its place. Raises NotCoveredError, with the reason, where there can be
    none, TraceError where the trace or the index cannot be read or written."""
    target, cached = places(Path(path))
    with _building:
        try:
            build(TraceFile(path, memory), target, progress)
        except OSError as beside:
            try:
                cached.parent.mkdir(parents=True, exist_ok=True)
                build(TraceFile(path, memory), cached, progress)
                target = cached
                _forget_oldest(cached)
            except OSError as err:
                raise TraceWriteError(
                    f"{path}: its index cannot be written, neither beside it ({beside}) nor in {cached.parent} ({err});"
                    f" make room, or name another folder by {CACHE}"
                ) from err
    return target


def index_ahead(path: Path, meta: TraceMeta, n_iterations: int, n_nodes: int) -> IndexAhead | None:
    """The index of a recording that begins, beside its file, where it will be opened by one; None for any other.
    n_iterations, n_nodes: how many it will have, n_nodes at most."""
    least = max(threshold(), 1)
    if n_iterations < least or not path.is_file():  # but a device, say
        return None
    size = Survey(n_iterations + (meta.inherited is not None), n_nodes)
    return IndexAhead(path.resolve(), places(path)[0], meta, size, least)


def _forget_oldest(newest: Path) -> None:
    """Let the cache not grow beyond its limit."""
    kept = sorted(
        newest.parent.glob(f"*{SUFFIX}"), key=lambda each: each.stat().st_mtime, reverse=True
    )
    total = 0
    for each in kept:
        total += each.stat().st_size
        if total > CACHE_BYTES and each != newest:
            with contextlib.suppress(OSError):  # Windows: another process has it open
                each.unlink()


def lacks_index(file: TraceFile) -> bool:
    """Whether it is a long trace without an index; nothing of its file but the header was read yet."""
    least = threshold()
    if least == math.inf or file.length < SMALLEST * least or found_index(file) is not None:
        return False
    return n_iterations_in(file, int(least)) >= max(least, 1)


def indexed_columns(
    file: TraceFile, progress: Progress = lambda share: None
) -> FiledColumns | None:
    """The columns of a long trace, of whose file only the header was read yet; its index is made first where there is
    none. None for a trace that has to be opened without one."""
    least = threshold()
    if file.length < SMALLEST * least:
        return None
    if lacks_index(file):
        try:
            make_index(file.path, progress)
        except NotCoveredError as why:
            if least >= LONG:
                warnings.warn(
                    f"{file.path}: has no index, for {why}: all of it is read into memory",
                    IndexWarning,
                    2,
                )
            return None
        except TraceError as err:
            if least >= LONG:
                remedy = "" if isinstance(err, TraceWriteError) else f". {_remedy(file.path)}"
                warnings.warn(
                    f"{file.path}: has no index ({err}): all of it is read into memory{remedy}",
                    IndexWarning,
                    2,
                )
            return None
    index = found_index(file)
    return None if index is None else columns_from(file, index)


def _remedy(path: Path) -> str:
    """How a trace that is not whole gets an index."""
    if is_held(path):
        return "It is still being recorded; opened when it is no longer, it gets one"
    return "`mcts-viz recover` makes a whole trace of what is there, which gets an index"


def move_index(old: Path, new: Path) -> None:
    """A trace has got another name."""
    wait_for(places(old)[0])
    for before, after in zip(places(old), places(new)):
        with contextlib.suppress(OSError):
            before.replace(after)


def columns_from(file: TraceFile, index: IndexFile) -> FiledColumns:
    """The columns of a trace with its index."""
    about, is_plain = index.about, "when" in index
    inherits = int(about["inherits"])
    file.skip_to(about["end"], about["n_iterations"] + inherits, about["n_nodes"])
    n_players = file.meta.n_players
    tree = TreeIndex(index, n_players) if is_plain else IndexedTree(index, n_players)

    def read_batch(number: int) -> Rows:
        row = int(index["batch_row"][number])
        n_nodes = int(tree.n_nodes_after(row - inherits)) if row else 1
        place, n_bytes = int(index["batch_at"][number]), int(index["batch_length"][number])
        return file.read_again(place, n_bytes, row, n_nodes)

    if isinstance(tree, TreeIndex):
        return IndexedColumns(file.meta, tree, read_batch)
    return ToldColumns(file.meta, tree, read_batch)
