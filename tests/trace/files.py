"""Trace files for the tests: with several batches, and taken apart into their messages."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa

import mcts_viz as mv
from mcts_viz.search import engine
from mcts_viz.trace import writer
from mcts_viz.trace.columns import Columns
from tests.search.live import same

BATCH = 100  # iterations, so that a small file has many batches
END_MARK = b"\xff\xff\xff\xff\0\0\0\0"
COLUMNS = [
    name
    for name, found in vars(Columns).items()
    if isinstance(found, property) and name not in ("n_nodes", "exact_sums")
]


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


def same_columns(
    a: Columns, b: Columns, n_iterations: int | None = None, but: Sequence[str] = ()
) -> bool:
    """Whether two traces say the same of their first `n_iterations` iterations (all of them)."""
    if n_iterations is None:
        return a.n_iterations == b.n_iterations and all(
            same(getattr(a, name), getattr(b, name)) for name in COLUMNS if name not in but
        )
    return all(
        same(mine[: len(shorter)], theirs[: len(shorter)])
        for name in COLUMNS
        if (mine := getattr(a, name)) is not None and (theirs := getattr(b, name)) is not None
        for shorter in [min(mine, theirs, key=len)]
    )
