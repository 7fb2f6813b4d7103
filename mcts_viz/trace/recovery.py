"""What can be saved of a damaged or interrupted trace file, as a file of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from mcts_viz.errors import TraceError, TraceWriteError
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.memory import MEGABYTE
from mcts_viz.trace.reader import END_MARK, TraceFile

PIECE = 1 << 20  # bytes


class Recovered(NamedTuple):
    """What was saved of a file."""

    n_iterations: int
    n_nodes: int  # after the last of them, the root included
    kept: int  # bytes
    lost: int  # bytes behind them that are no whole, healthy batch
    damage: str | None  # what is wrong with them
    complete: bool  # the search's end is among what was saved


def recover(source: str | Path, target: str | Path, memory: int | None = None) -> Recovered:
    """Write the batches of `source` before its damage to `target`, which opens without a word of damage:
    as an interrupted recording, or a complete one where the end was saved, too. memory: megabytes that it
    may unpack to.

    Raises TraceError where nothing can be saved, or the file is still being written, and its
    TraceWriteError where the new one cannot be; what was there under that name then stays.
    """
    source, target = Path(source), Path(target)
    if target.exists() and source.exists() and os.path.samefile(source, target):
        raise TraceError(f"{target}: would be read and written at once; write to another file")
    file = TraceFile(source, None if memory is None else memory * MEGABYTE)
    if is_held(source):
        raise TraceError(
            f"{source}: is still being recorded; let that end, or copy the file and recover the copy"
        )
    for _ in file.rows():
        pass
    if file.n_iterations == 0 and not file.ended:
        raise TraceError(
            f"{source}: there is no whole iteration in it, so nothing can be saved; record the search again"
        )
    kept = file.position  # without the end mark
    with source.open("rb") as damaged:
        damaged.seek(kept)
        complete = damaged.read(len(END_MARK)) == END_MARK
    _copy(source, target, kept, END_MARK if complete else b"")
    end = len(END_MARK) if complete else 0
    return Recovered(
        file.n_iterations, file.n_nodes, kept + end, file.length - kept - end, file.damage, complete
    )


def _copy(source: Path, target: Path, n_bytes: int, end: bytes) -> None:
    """The first bytes of a file and an end, as a file that is there as a whole or not at all."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with source.open("rb") as damaged, part.open("xb") as saved:
            left = n_bytes
            while left and (piece := damaged.read(min(PIECE, left))):
                saved.write(piece)
                left -= len(piece)
            saved.write(end)
            saved.flush()
            os.fsync(saved.fileno())
        part.replace(target)
    except (OSError, ValueError) as err:
        reason = getattr(err, "strerror", None) or err
        raise TraceWriteError(
            f"{target}: cannot be written: {reason}; choose another path"
        ) from err
    finally:
        part.unlink(missing_ok=True)
