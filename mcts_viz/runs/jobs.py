"""The processes that a user asks for: how many, and what is said when one of them is killed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from joblib.externals.loky.process_executor import BrokenProcessPool

from mcts_viz.errors import SearchError


def check_jobs(jobs: int | None) -> None:
    """Raises SearchError for what joblib does not take; None: as many as pay."""
    if jobs is not None and (jobs == 0 or jobs < -1):
        raise SearchError(f"jobs={jobs} is no number of processes; write 1 or more, or -1")


@contextmanager
def killed_in_words(kept: Callable[[], str]) -> Iterator[None]:
    """Raises SearchError for a process that was killed, as the system does for want of memory. kept: says what is not
    lost."""
    try:
        yield
    except BrokenProcessPool as err:
        raise SearchError(
            f"one of the processes was killed, for want of memory perhaps; {kept()}. Use fewer jobs"
        ) from err


@contextmanager
def deaf_to_interrupts(jobs: int) -> Iterator[None]:
    """Of several processes those that are started meanwhile never see Ctrl+C, not while they import either: it goes to
    all processes of a terminal, and is for the one that began the work, which gets it at the end of this."""
    if jobs == 1 or not hasattr(signal, "pthread_sigmask"):  # Windows has none
        yield
        return
    resource_tracker.ensure_running()  # of Python: it would unblock the signal when it starts
    # processes get the mask of the thread that starts them, and so do threads, which replace processes later on
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
