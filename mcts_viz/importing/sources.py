"""What is imported: a file, or a pipe that may still be open. Bytes only."""

from __future__ import annotations

import os
import queue
import stat
import sys
import threading
from collections.abc import Iterator

from mcts_viz.errors import ImportFormatError

STANDARD_INPUT = "-"
PIECE = 1 << 19  # bytes read at once
QUEUED = 4  # pieces; the writer of the pipe waits when we are this far behind
HEAD = 1 << 16  # bytes looked at to tell what it is


class ImportSource:
    """A file by its name, or standard input for "-". Raises ImportFormatError for one that cannot be
    read."""

    def __init__(self, name: str | os.PathLike[str]) -> None:
        self.path = os.fspath(name)
        self.name = "standard input" if self.path == STANDARD_INPUT else self.path
        self._seen = b""  # read by `head` already
        try:
            if self.path == STANDARD_INPUT:
                self._file = sys.stdin.fileno()
            else:
                self._file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            mode = os.fstat(self._file).st_mode
        except (OSError, ValueError) as err:
            reason = getattr(err, "strerror", None) or err
            raise ImportFormatError(
                f"{self.name}: cannot be read: {reason}; check the name"
            ) from err
        if stat.S_ISDIR(mode):
            raise ImportFormatError(f"{self.name}: a folder; name a file in it")
        self.is_file = stat.S_ISREG(mode)

    def head(self) -> bytes:
        """The first line, or so much of it as is enough to tell what this is; waits for it."""
        while b"\n" not in self._seen.lstrip() and len(self._seen) < HEAD:
            piece = self._read()
            if not piece:
                break
            self._seen += piece
        return self._seen[:HEAD]

    def pieces(self, seconds: float) -> Iterator[bytes]:
        """All of it, piece by piece; b"" whenever nothing has come for so long."""
        if self._seen:
            yield self._seen
        if self.is_file:
            while piece := self._read():
                yield piece
            return
        # a thread, as reading a pipe has no time limit on some systems
        waiting: queue.Queue[bytes | ImportFormatError | None] = queue.Queue(QUEUED)
        threading.Thread(target=self._fill, args=[waiting], daemon=True).start()
        while True:
            try:
                found = waiting.get(timeout=seconds)
            except queue.Empty:
                yield b""
                continue
            if found is None:
                return
            if isinstance(found, ImportFormatError):
                raise found
            yield found

    def _fill(self, waiting: queue.Queue[bytes | ImportFormatError | None]) -> None:
        try:
            while piece := self._read():
                waiting.put(piece)
        except ImportFormatError as err:
            waiting.put(err)
        waiting.put(None)

    def _read(self) -> bytes:
        try:
            return os.read(self._file, PIECE)
        except OSError as err:
            raise ImportFormatError(f"{self.name}: cannot be read: {err.strerror or err}") from err

    def close(self) -> None:
        """Let go of a file."""
        if self.path != STANDARD_INPUT:
            os.close(self._file)


def lines(source: ImportSource, seconds: float) -> Iterator[tuple[int, list[bytes]]]:
    """The lines as they come, each time with the number of the first, from 1; none whenever nothing
    has come for so long. The last one may have no end."""
    rest: list[bytes] = []
    number = 1
    for piece in source.pieces(seconds):
        *whole, last = piece.split(b"\n")
        if whole:
            whole[0] = b"".join([*rest, whole[0]])
            rest = []
        rest.append(last)
        yield number, whole
        number += len(whole)
    if any(rest):
        yield number, [b"".join(rest)]
