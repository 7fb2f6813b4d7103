"""The same traces with an index, so that existing tests run over it: `MCTS_VIZ_INDEX=1 pytest …` has every trace opened
with one, and those in memory turned into one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.index.columns import IndexedColumns
from mcts_viz.trace.index.opening import SWITCH, columns_from, found_index, make_index
from mcts_viz.trace.index.plain import NotCoveredError
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.writer import TraceWriter

# of a test of columns in memory
in_memory = pytest.mark.skipif(bool(os.environ.get(SWITCH)), reason="all traces have an index")


def index_of(trace: Trace, folder: Path) -> IndexedColumns | None:
    """The columns of a trace, written to a file in a folder, by its index; None where an index cannot hold it."""
    path = folder / f"{len(list(folder.iterdir()))}.mcts"
    with TraceWriter(path, trace._meta) as writer:
        writer.append(trace._columns.as_rows())  # type: ignore[union-attr]
    try:
        make_index(path)
    except NotCoveredError:
        return None
    file = TraceFile(path)
    index = found_index(file)
    assert index is not None
    return columns_from(file, index)


def searched(game: str, iterations: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A search by the index of its file, which has one whatever its length."""
    monkeypatch.setenv(SWITCH, "1")
    path = folder / "searched.mcts"
    mv.search(game, iterations=iterations, seed=1, path=path, rollouts=False)
    make_index(path)
    trace = mv.open(path)
    assert trace.columns.index is not None
    return trace


def with_index(trace: Trace, folder: Path) -> Any:
    """The trace by its index; None where an index cannot hold it."""
    columns = index_of(trace, folder)
    return None if columns is None else type(trace)(trace._meta, columns)


def force(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every complete trace looked at by its index."""
    folder = Path(tempfile.mkdtemp(prefix="indexed"))
    original = Trace.columns

    def columns(trace: Trace) -> Columns:
        found: Columns = original.__get__(trace)
        tried = vars(trace).get("tried")
        if (
            found.index is None
            and found.n_iterations
            and tried is None
            and trace._file is None
            and trace._complete
        ):
            vars(trace)["tried"] = True
            indexed = index_of(trace, folder)
            if indexed is not None:
                trace._columns = found = indexed
        return found

    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.setattr(Trace, "columns", property(columns))
