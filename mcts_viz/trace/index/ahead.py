"""The index of a recording, made while it is written: its batches are taken as they go into the file, and what has to
wait for the last one is done in a thread of its own, while the program goes on.

Whatever goes wrong here costs no more than that index: it is made when the trace is opened, as that of any other.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import threading
from pathlib import Path

from mcts_viz.trace.format import Rows
from mcts_viz.trace.index.building import Building, unfinished
from mcts_viz.trace.index.layout import Stamp, stamp_of
from mcts_viz.trace.index.plain import RoundedError
from mcts_viz.trace.index.survey import Survey
from mcts_viz.trace.meta import TraceMeta

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
        self._process = os.getpid()
        self._building: Building | None = None
        self._thread: threading.Thread | None = None
        with contextlib.suppress(Exception):
            self._file = _file_at(path)
            self._part = unfinished(target)
            self._building = Building(meta, size, self._part)

    def take(self, rows: Rows, position: int, n_bytes: int) -> None:
        """The next batch, which now lies there in the file."""
        if self._building is None:
            return
        try:
            self._take(self._building, rows, position, n_bytes)
        except Exception:  # noqa: BLE001 (whatever it is, the recording goes on)
            self.give_up()

    def _take(self, building: Building, rows: Rows, position: int, n_bytes: int) -> None:
        try:
            building.take(rows, position, n_bytes)
        except RoundedError:
            if building.row:
                raise  # what came before would have to be read again
            building.index.remove()
            self._building = Building(self._meta, self._size, self._part, is_rounded=True)
            self._building.take(rows, position, n_bytes)

    def give_up(self) -> None:
        """There will be none."""
        building, self._building = self._building, None
        if building is not None and self._process == os.getpid():  # and not forked from it
            building.index.remove()

    def finish(self) -> None:
        """The file is whole: finish the index while the program goes on."""
        building = self._building
        if building is None or self._process != os.getpid():
            return
        wait_for(self._target)  # of a recording before this one in the same file
        stamp = None
        with contextlib.suppress(OSError):
            stamp = self._stamp()
        if stamp is None or building.size.n_rows < self._least:
            self.give_up()
            return
        del building
        self._thread = threading.Thread(
            target=self._finish, args=[stamp], name="mcts_viz index", daemon=True
        )
        _finishing[self._target] = self
        atexit.unregister(_end)  # it is called once
        atexit.register(_end)
        self._thread.start()
        if multiprocessing.parent_process() is not None:  # whose children end without `atexit`
            self.wait()

    def _stamp(self) -> Stamp | None:
        """The stamp of the file that was recorded; None where another one has its name now. Raises OSError."""
        return stamp_of(self._path) if _file_at(self._path) == self._file else None

    def _finish(self, stamp: Stamp) -> None:
        try:
            building = self._building
            if building is not None:
                building.index.finish(stamp, building.sort())
                del building
                self._building = None  # Windows renames no file that is mapped
                if self._stamp() == stamp:
                    self._part.replace(self._target)
        except Exception:  # noqa: BLE001 (whatever it is, the program goes on)
            self.give_up()
        finally:
            with contextlib.suppress(OSError):
                self._part.unlink(missing_ok=True)
            _finishing.pop(self._target, None)

    @property
    def is_finishing(self) -> bool:
        """Whether the rest is being done, or is done."""
        return self._thread is not None

    def wait(self) -> None:
        """Until it is finished."""
        if self._thread is not None:
            self._thread.join()


def _file_at(path: Path) -> tuple[int, int]:
    """What tells the file of that name from any other that is there."""
    status = path.stat()
    return status.st_dev, status.st_ino


def wait_for(target: Path) -> None:
    """Until the index there is finished, where it is being made for a recording of this process."""
    ahead = _finishing.get(target)
    if ahead is not None:
        ahead.wait()


def _end() -> None:
    """Python ends, and waits for indexes, unless somebody presses Ctrl+C."""
    ours = [each for each in _finishing.values() if each._process == os.getpid()]
    with contextlib.suppress(KeyboardInterrupt):
        for ahead in ours:
            ahead.wait()
    for ahead in ours:
        ahead.give_up()
