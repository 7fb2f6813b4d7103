"""What runs in a thread of its own while the page asks how far it is: the state that all kinds share."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from mcts_viz.errors import MctsVizError
from mcts_viz.web.jobs.seats import SearchPlace
from mcts_viz.web.library import Library

CANCELLED = "it was cancelled before it began"


@dataclass(kw_only=True)
class Background:
    """Written by its own thread, read by the page."""

    finished: bool = False
    error: str | None = None  # why it ended early
    stop: threading.Event = field(default_factory=threading.Event)
    place: SearchPlace | None = None  # among the server's searches

    @property
    def ahead(self) -> int:
        """How many searches of the server are before it; 0 once it runs."""
        return 0 if self.place is None else self.place.ahead

    def end(self) -> None:
        """Ask it to end."""
        self.stop.set()
        if self.place is not None:
            self.place.end()

    def title(self) -> str:
        """What it is, and how far it has come."""
        return type(self).__name__

    @property
    def percent(self) -> float:
        """How much of it is done."""
        return 0.0


Kind = TypeVar("Kind", bound=Background)


class Running(Generic[Kind]):
    """What runs in this process, or waits, by number."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._jobs: dict[str, Kind] = {}
        self._numbers = itertools.count(1)

    def job(self, number: str) -> Kind | None:
        """The job of that number, None for one of another process or an earlier run."""
        return self._jobs.get(number)

    def _begin(self, job: Kind, run: Callable[[Kind], None], n_seats: int = 1) -> str:
        """Run a job in a thread, as soon as there is a seat for it; returns its number."""
        number = str(next(self._numbers))

        def cancelled() -> None:
            self._clean(job)
            job.error, job.finished = CANCELLED, True

        def work() -> None:
            job.error = error_of(partial(run, job))
            job.finished = True

        job.place = self._library.seats.take(job.title, work, job.stop, cancelled, n_seats)
        self._jobs[number] = job
        return number

    def _clean(self, job: Kind) -> None:
        """Leave nothing of a job that never began."""


def error_of(run: Callable[[], object]) -> str | None:
    """Call a function and return its error in words: in a thread an exception would be lost."""
    try:
        run()
    except MctsVizError as err:
        return str(err)
    except Exception as err:  # noqa: BLE001 (the page shows the error)
        return f"the search stopped with an error of the program: {type(err).__name__}: {err}"
    return None
