"""Searches started from the page: one thread each, with progress and Stop.

Keeps nothing but the state of the running ones; the trace itself is a file in the library.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from mcts_viz.errors import MctsVizError
from mcts_viz.web.library import Library
from mcts_viz.web.services import RerunRequest, SearchProgress, SearchRequest

WORTH_FOLLOWING = 1.0  # seconds that a search must have left


@dataclass
class Job:
    """One search. Written by its own thread, read by the page."""

    request: SearchRequest | RerunRequest
    path: Path
    key: str
    began: float  # seconds, of the clock given
    told: SearchProgress | None = None  # None: not a chunk has run
    finished: bool = False
    error: str | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    followed: bool = False  # the page has opened its trace while it runs

    def progress(self, told: SearchProgress) -> None:
        """Called by the search after each chunk."""
        self.told = told

    @property
    def left(self) -> float:
        """Seconds that the rest will take at the speed so far; infinite while nobody can say."""
        if self.told is None or self.told.share <= 0:
            return math.inf
        return self.told.seconds * (1 - self.told.share) / self.told.share

    @property
    def is_worth_following(self) -> bool:
        """Whether there is a tree to be seen, and it will go on growing for a while: the trace of a
        search that is soon over is opened when it is."""
        has_begun = self.told is not None and self.told.iterations > 0
        return has_begun and not self.stop.is_set() and self.left >= WORTH_FOLLOWING


class Jobs:
    """The searches of this process, by number."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._jobs: dict[str, Job] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def start(self, request: SearchRequest | RerunRequest) -> str:
        """Start a search; returns its number. Raises MctsVizError for a request that cannot run."""
        self._library.services.check(request)
        with self._lock:
            number = self._library.sign(str(next(self._numbers)))
            name = f"{request.game.replace(':', '_').replace(',', 'x')}_{request.preset}"
            path = self._library.new_path(f"{name}_{time.strftime('%Y%m%d-%H%M%S')}.mcts")
            job = Job(request, path, self._library.key_of(path), time.monotonic())
            self._jobs[number] = job
        threading.Thread(
            target=self._run, args=(job,), name=f"search {number}", daemon=True
        ).start()
        return number

    def job(self, number: str) -> Job | None:
        """The job of that number, None for one of another process or an earlier run."""
        return self._jobs.get(number)

    def _run(self, job: Job) -> None:
        try:
            self._library.services.search(job.request, job.path, job.progress, job.stop.is_set)
        except MctsVizError as err:
            job.error = str(err)
        except Exception as err:  # noqa: BLE001 (nobody else would hear of it in this thread)
            job.error = (
                f"the search stopped with an error of the program: {type(err).__name__}: {err}"
            )
        with contextlib.suppress(OSError):
            if job.path.stat().st_size == 0:  # the name that was kept for it
                job.path.unlink()
        job.finished = True
