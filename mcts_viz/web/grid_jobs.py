"""Grids of searches started from the page: one thread each, with progress and Stop."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass, field

from mcts_viz.analysis.sensitivity import Sensitivity
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.web.library import Library
from mcts_viz.web.services import GridRequest

MOST_ITERATIONS = 1_000_000  # of all searches of a grid together


@dataclass
class GridJob:
    """One grid. Written by its own thread, read by the page."""

    request: GridRequest
    done: int = 0  # searches
    total: int = 0
    found: Sensitivity | None = None  # once it has ended
    error: str | None = None
    finished: bool = False
    stop: threading.Event = field(default_factory=threading.Event)

    def told(self, done: int, total: int) -> None:
        """Called after each search."""
        self.done, self.total = done, total


class GridJobs:
    """The grids of this process, by number."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._services = library.services
        self._jobs: dict[str, GridJob] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def check(self, request: GridRequest) -> int:
        """Iterations of all its searches; raises MctsVizError for a grid that cannot run or is too large for a page."""
        size = self._services.grid_size(request)
        if size > MOST_ITERATIONS:
            raise PageError(
                f"These are {size:,} iterations in all; the page runs up to {MOST_ITERATIONS:,}. Take fewer constants, "
                "seeds or iterations, or the command mcts-viz sensitivity"
            )
        return size

    def start(self, request: GridRequest) -> str:
        """Start a grid; returns its number. Raises MctsVizError as `check`."""
        self.check(request)
        job = GridJob(request)
        with self._lock:
            number = self._library.sign(str(next(self._numbers)))
            self._jobs[number] = job
        threading.Thread(target=self._run, args=(job,), name=f"grid {number}", daemon=True).start()
        return number

    def job(self, number: str) -> GridJob | None:
        """The job of that number, None for one of another process or an earlier run."""
        return self._jobs.get(number)

    def _run(self, job: GridJob) -> None:
        try:
            job.found = self._services.sensitivity(job.request, job.told, job.stop.is_set)
        except MctsVizError as err:
            job.error = str(err)
        except Exception as err:  # noqa: BLE001 (nobody else would hear of it in this thread)
            job.error = (
                f"the searches stopped with an error of the program: {type(err).__name__}: {err}"
            )
        job.finished = True
