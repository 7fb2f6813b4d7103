"""Trace files for the tests: with several batches, and taken apart into their messages."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa

import mcts_viz as mv
from mcts_viz.engine import search as engine
from mcts_viz.trace import writer
from mcts_viz.trace.columns import Columns
from tests.engine.live import same

BATCH = 100  # iterations, so that a small file has many batches
END_MARK = b"\xff\xff\xff\xff\0\0\0\0"


def record(path: Path, **options: Any) -> mv.Trace:
    """A recorded search in a file with a batch every 100 iterations."""
    options = {"game": "connect_four", "iterations": 450, "seed": 1, "compile": False, **options}
    with (
        mock.patch.object(writer, "BATCH_ITERATIONS", BATCH),
        mock.patch.multiple(engine, MOST_CHUNK=BATCH, FIRST_CHUNK=BATCH, CHUNK_SECONDS=1e9),
    ):
        return mv.search(path=path, **options)


def messages(content: bytes) -> list[bytes]:
    """The messages of an Arrow stream: header, batches, end mark."""
    found = []
    start = 0
    while start < len(content):
        (length,) = struct.unpack("<i", content[start + 4 : start + 8])
        if length == 0:
            end = start + 8
        else:
            rest = pa.BufferReader(content[start:])
            pa.ipc.read_message(rest)
            end = start + rest.tell()
        found.append(content[start:end])
        start = end
    return found


def columns_by_name(columns: Columns) -> dict[str, Any]:
    """Everything that a trace holds."""
    found = {column.name: columns.values[column.name] for column in Columns.columns}
    for lists in Columns.lists:
        group = columns.values[lists.name]
        for column in (*group.columns, *group.derived):
            found[f"{lists.name}.{column.name}"] = group.values[column.name]
        found[f"{lists.name}.offset"] = group.offset
    return found


def same_columns(
    a: Columns, b: Columns, n_iterations: int | None = None, but: Sequence[str] = ()
) -> bool:
    """Whether two traces say the same of their first `n_iterations` iterations (all of them)."""
    mine, theirs = columns_by_name(a), columns_by_name(b)
    if n_iterations is None:
        return a.n_iterations == b.n_iterations and all(
            same(mine[name], theirs[name]) for name in mine if name not in but
        )
    return all(
        same(x[: len(shorter)], y[: len(shorter)])
        for name in mine
        if (x := mine[name]) is not None and (y := theirs[name]) is not None
        for shorter in [min(x, y, key=len)]
    )
