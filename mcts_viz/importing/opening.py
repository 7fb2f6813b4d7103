"""Opens what may be a trace file, or a snapshot's JSON, which becomes a trace with one iteration."""

from __future__ import annotations

from pathlib import Path

from mcts_viz.errors import ImportFormatError, TraceError
from mcts_viz.importing.agent_logs import AGENT_LOGS
from mcts_viz.importing.snapshot_document import looks_like_json, read_snapshot_document
from mcts_viz.importing.snapshots import snapshot_trace
from mcts_viz.importing.sources import HEAD
from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.trace.index.building import Progress
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.trace.memory import MEGABYTE
from mcts_viz.trace.trace import read_file
from mcts_viz.trace.unpacking import default_limit

JSON_GROWS = 8  # bytes of memory for one of a snapshot's JSON


def open_trace(
    trace: TraceMaker[AnyTrace],
    path: str | Path,
    memory: int | None = None,
    number: int | None = None,
    progress: Progress = lambda share: None,
) -> AnyTrace:
    """The trace in a file, made by `trace`, a class of traces. number: of the search, from 0, in a
    file of many. memory: megabytes that it may unpack to;
    None: a quarter of the machine's, and no more than a recording does. progress: is told now and then which share of
    a long one is read. Raises TraceError or ImportFormatError naming file, place and remedy."""
    if number is not None:
        try:
            found: AnyTrace = ManyFile(path, memory, trace)[number]
            return found
        except IndexError as err:
            raise TraceError(str(err)) from err
    allowed = None if memory is None else memory * MEGABYTE
    try:
        if looks_like_json(_head(Path(path), 64)):
            check_json_size(Path(path), allowed)
            return snapshot_trace(read_snapshot_document(path), str(path), trace)
        file, columns = read_file(path, allowed, progress)
    except (ImportFormatError, TraceError) as err:
        title = _log_title(Path(path))
        if title is None:
            raise
        raise ImportFormatError(
            f"{path}: {title}, no trace yet; make one of it: mcts-viz import {path} -o run.mcts"
        ) from err
    return trace(file.meta, columns, file, True)


def _log_title(path: Path) -> str | None:
    """What log of an agent the file is; None for any other file."""
    head = _head(path, HEAD)
    if not head.lstrip().startswith((b"{", b"[")):
        return None
    return next((kind.title for kind in AGENT_LOGS.values() if kind.recognises(head)), None)


def _head(path: Path, n_bytes: int) -> bytes:
    """The first bytes of a file; none of what cannot be read, or is a pipe, which would make us wait for ever."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(n_bytes)
    except (OSError, ValueError):
        return b""  # the reader of traces says what is wrong with the file


def check_json_size(path: Path, limit: int | None = None) -> None:
    """Raise ImportFormatError for JSON that takes more memory than is allowed; limit: bytes, None: the default."""
    allowed = default_limit() if limit is None else limit
    needed = JSON_GROWS * path.stat().st_size
    if needed > allowed:
        raise ImportFormatError(
            f"{path}: would take some {needed // MEGABYTE:,} MB of memory, and {allowed // MEGABYTE:,} MB are allowed "
            "here; if you trust the file, give more by memory= or --memory, in megabytes"
        )
