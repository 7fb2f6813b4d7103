"""The index of a recording, made while it is written: its batches are taken as they go into the file, and what has to
wait for the last one is done in a thread of its own, while the program goes on.

Whatever goes wrong here costs no more than that index: it is made when the trace is opened, as that of any other.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
from pathlib import Path

from mcts_viz.errors import TraceError
from mcts_viz.trace.format import Rows
from mcts_viz.trace.index.building import Building, Survey, unfinished
from mcts_viz.trace.index.layout import Stamp, stamp_of
from mcts_viz.trace.index.plain import NotCoveredError, RoundedError
from mcts_viz.trace.meta import TraceMeta

NO_INDEX = (NotCoveredError, TraceError, OSError)  # what ends the making of one
_finishing: dict[Path, IndexAhead] = {}  # by where the index will be


class IndexAhead:
    """An index that grows with the file of a recording. One thread at a time."""

    def __init__(
        self, path: Path, target: Path, meta: TraceMeta, size: Survey, least: float
    ) -> None:
        """path, target: where trace and index are; size: how large the trace can become, at most. least: iterations
        without which it needs no index."""
        self._path, self._target, self._least = path, target, least
        self._meta, self._size = meta, size
        self._building: Building | None = None
        self._thread: threading.Thread | None = None
        with contextlib.suppress(*NO_INDEX):
            self._part = unfinished(target)
            self._building = Building(meta, size, self._part)

    def take(self, rows: Rows, position: int, n_bytes: int) -> None:
        """The next batch, which now lies there in the file."""
        if self._building is None:
            return
        try:
            self._take(self._building, rows, position, n_bytes)
        except NO_INDEX:
            self.give_up()

    def _take(self, building: Building, rows: Rows, position: int, n_bytes: int) -> None:
        try:
            building.take(rows, position, n_bytes)
        except RoundedError:
            if building.row:
                raise  # what came before would have to be read again
            self._building = Building(self._meta, self._size, self._part, is_rounded=True)
            self._building.take(rows, position, n_bytes)

    def give_up(self) -> None:
        """There will be none."""
        if self._building is not None:
            self._building = None
            self._part.unlink(missing_ok=True)

    def finish(self) -> None:
        """The file is whole: finish the index while the program goes on."""
        building = self._building
        if building is None:
            return
        wait_for(self._target)  # of a recording before this one in the same file
        try:
            stamp = stamp_of(self._path)
        except OSError:
            stamp = None
        if stamp is None or building.size.n_rows < self._least:
            self.give_up()
            return
        self._thread = threading.Thread(
            target=self._finish, args=[building, stamp], name="mcts_viz index", daemon=True
        )
        _finishing[self._target] = self
        atexit.unregister(_end)
        atexit.register(_end)
        self._thread.start()

    def _finish(self, building: Building, stamp: Stamp) -> None:
        try:
            building.index.finish(stamp, building.sort())
            self._part.replace(self._target)
        except NO_INDEX:
            self._part.unlink(missing_ok=True)
        finally:
            self._building = None
            del _finishing[self._target]

    def wait(self) -> None:
        """Until it is finished."""
        if self._thread is not None:
            self._thread.join()


def wait_for(target: Path) -> None:
    """Until the index there is finished, where it is being made for a recording of this process."""
    ahead = _finishing.get(target)
    if ahead is not None:
        ahead.wait()


def _end() -> None:
    """Python ends, and waits for indexes, unless somebody presses Ctrl+C."""
    with contextlib.suppress(KeyboardInterrupt):
        for ahead in list(_finishing.values()):
            ahead.wait()
    for ahead in list(_finishing.values()):
        ahead.give_up()
