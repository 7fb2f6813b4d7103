"""Grids of searches started from the page: one thread each, with progress and Stop."""

from __future__ import annotations

from dataclasses import dataclass

from mcts_viz.analysis.choice.sensitivity import Sensitivity
from mcts_viz.errors import PageError
from mcts_viz.runs.grid import Grid, processes, run_grid
from mcts_viz.web.jobs.background import Background, Running

MOST_ITERATIONS = 1_000_000  # of all searches of a grid together


@dataclass
class GridJob(Background):
    """One grid."""

    request: Grid
    done: int = 0  # searches
    total: int = 0
    found: Sensitivity | None = None  # once it has ended

    def title(self) -> str:
        """What it is, and how far it has come."""
        return f"a grid, after {self.done} of {self.total} searches"

    @property
    def percent(self) -> float:
        """The percentage of its searches that are done."""
        return 100 * self.done / self.total if self.total else 0.0

    def progress(self, done: int, total: int) -> None:
        """Called after each search."""
        self.done, self.total = done, total


class GridJobs(Running[GridJob]):
    """The grids of this process, by number."""

    def check(self, request: Grid) -> None:
        """Raises PageError for a grid that is too large for a page."""
        size = request.n_searches * request.iterations
        if size > MOST_ITERATIONS:
            raise PageError(
                f"These are {size:,} iterations in all; the page runs up to {MOST_ITERATIONS:,}. Take fewer constants, "
                "seeds or iterations, or the command mcts-viz sensitivity"
            )

    def start(self, request: Grid) -> str:
        """Start a grid; returns its number. Raises PageError as `check`."""
        self.check(request)
        return self._begin(GridJob(request), self._search, processes(request))

    def _search(self, job: GridJob) -> None:
        jobs = min(processes(job.request), self._library.seats.n)
        job.found = run_grid(job.request, jobs, job.progress, job.stop.is_set)
