"""Searches started from the page: one thread each, with progress and Stop.

Keeps nothing but the state of the running ones; the trace itself is a file in the library.
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mcts_viz.errors import PageError
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.progress import SearchProgress
from mcts_viz.runs.rerun import prepare_again
from mcts_viz.runs.search import PlannedSearch, prepare, record_search
from mcts_viz.trace.trace import Trace
from mcts_viz.web.jobs.background import Background, Running

STOPPED_AT_ONCE = "it was stopped before its first iteration, so there is nothing to show"
WORTH_FOLLOWING = 1.0  # seconds that a search must have left


class SearchRequest(NamedTuple):
    """What the form of a new search asks for."""

    game: str
    options: SearchOptions

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{_file_name(self.game)}_{self.options.preset}"

    def plan(self) -> PlannedSearch:
        """The search; raises MctsVizError for one that cannot be run."""
        return PlannedSearch(prepare(self.game, self.options))


class RerunRequest(NamedTuple):
    """What the What if form asks for: a trace's position searched again, or its search gone on with."""

    trace: Trace
    options: SearchOptions
    resume: int | None = None  # iteration to go on from

    @property
    def name(self) -> str:
        """The name of its file."""
        meta = self.trace.meta
        preset = self.options.preset or meta.policies.preset or "uct"
        return f"{_file_name(meta.game.name)}_{preset}_what_if"

    def plan(self) -> PlannedSearch:
        """The search; raises MctsVizError for one that cannot be run."""
        return prepare_again(self.trace, self.options, self.resume)


def _file_name(game: str) -> str:
    return game.replace(":", "_").replace(",", "x")


@dataclass
class Job(Background):
    """One search."""

    request: SearchRequest | RerunRequest
    path: Path
    key: str
    began: float  # seconds, of the clock given
    reached: SearchProgress | None = None  # None: not a chunk has run
    followed: bool = False  # the page has opened its trace while it runs

    def progress(self, reached: SearchProgress) -> None:
        """Called by the search after each chunk."""
        self.reached = reached

    def title(self) -> str:
        """Its file, and how far it has come."""
        n = 0 if self.reached is None else self.reached.iterations
        return f"{self.path.name}, at iteration {n:,}"

    @property
    def percent(self) -> float:
        """The percentage of its budget that is used."""
        return 0.0 if self.reached is None else 100.0 * self.reached.share

    @property
    def left(self) -> float:
        """Seconds that the rest will take at the speed so far; infinite before the first chunk."""
        if self.reached is None or self.reached.share <= 0:
            return math.inf
        return self.reached.seconds * (1 - self.reached.share) / self.reached.share

    @property
    def is_worth_following(self) -> bool:
        """Whether there is a tree to be seen, and it will go on growing for a while: the trace of a
        search that is soon over is opened when it is."""
        has_begun = self.reached is not None and self.reached.iterations > 0
        return has_begun and not self.stop.is_set() and self.left >= WORTH_FOLLOWING


class Jobs(Running[Job]):
    """The searches of this process, by number."""

    def start(self, request: SearchRequest | RerunRequest) -> str:
        """Start a search; returns its number. Raises MctsVizError for a request that cannot run."""
        request.plan()
        path = self._library.new_path(f"{request.name}_{time.strftime('%Y%m%d-%H%M%S')}.mcts")
        job = Job(request, path, self._library.key_of(path), time.monotonic())
        try:
            return self._begin(job, self._search)
        except PageError:
            self._clean(job)
            raise

    def _search(self, job: Job) -> None:
        try:
            record_search(
                job.request.plan(),
                Trace,
                job.path,
                stop=job.stop.is_set,
                watch=job.progress,
                memory=self._library.seats.memory,
            )
        finally:
            self._clean(job)
        if job.reached is None:
            raise PageError(STOPPED_AT_ONCE)

    def _clean(self, job: Job) -> None:
        """Leave nothing of a search that has recorded no iteration."""
        if job.reached is None:
            with contextlib.suppress(OSError):
                job.path.unlink()
