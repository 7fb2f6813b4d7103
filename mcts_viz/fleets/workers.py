"""Who scans: processes of this machine, or a cluster of Dask's or Ray's; joblib schedules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, TypeVar

import joblib
from joblib.externals.loky.process_executor import BrokenProcessPool
from joblib.parallel import get_active_backend

from mcts_viz.errors import TraceError, WorkersKilledError

BACKENDS = ("loky", "dask", "ray")
LIBRARIES = {"dask": "'dask[distributed]'", "ray": "ray"}  # as pip knows them
Work = TypeVar("Work")


class Workers(NamedTuple):
    """How many workers there are, and where."""

    jobs: int = 1  # processes; −1: one for each core. On a cluster: how many tasks at once, 1: as many as fit
    backend: str = "loky"
    scheduler: str | None = (
        None  # address of Dask's; None: the client that there is in this process
    )

    def checked(self) -> Workers:
        """The same value; raises TraceError for unknown workers."""
        if self.backend not in BACKENDS:
            raise TraceError(f"backend {self.backend!r}: choose one of {', '.join(BACKENDS)}")
        if not isinstance(self.jobs, int) or self.jobs == 0 or self.jobs < -1:
            raise TraceError(
                f"jobs={self.jobs!r} is no number of processes; write 1 or more, or -1"
            )
        if self.scheduler is not None and self.backend != "dask":
            raise TraceError("scheduler= is an address of Dask's; add backend='dask'")
        return self

    def results(self, do: Callable[[Work], int], work: Sequence[Work]) -> Iterator[int]:
        """What `do` gives for each, as they are done. Raises WorkersKilledError, and TraceError where a library or a
        scheduler is missing."""
        if self.backend == "loky" and self.jobs == 1:
            yield from map(do, work)
            return
        with self._begun():
            active, _ = get_active_backend()
            one_by_one = active.supports_return_generator  # Ray's gives all at the end
            several = joblib.Parallel(
                return_as="generator_unordered" if one_by_one else "list", batch_size=1
            )
            try:
                yield from several(joblib.delayed(do)(each) for each in work)
            except (BrokenProcessPool, *_killed()) as err:
                raise WorkersKilledError(str(err)) from err

    def _begun(self) -> AbstractContextManager[object]:
        try:
            if self.backend == "ray":
                importlib.import_module("ray.util.joblib").register_ray()
            if self.backend == "dask":
                importlib.import_module("distributed")
        except ImportError as err:
            raise TraceError(
                f"backend {self.backend!r}: {err.name or self.backend} is not installed; "
                f"pip install {LIBRARIES[self.backend]}"
            ) from err
        if self.backend == "loky":
            return _context(self.backend, self.jobs)
        jobs = -1 if self.jobs == 1 else self.jobs
        try:
            if self.scheduler is not None:
                return _context(self.backend, jobs, scheduler_host=self.scheduler)
            return _context(self.backend, jobs)
        except (ValueError, OSError) as err:  # no client, or no scheduler at that address
            raise TraceError(
                f"backend {self.backend!r}: {str(err).strip().splitlines()[0]}; give the scheduler's address by "
                "scheduler= or --scheduler, or make a distributed.Client first"
            ) from err


def _context(backend: str, jobs: int, **told: str) -> AbstractContextManager[object]:
    found: AbstractContextManager[object] = joblib.parallel_config(backend, n_jobs=jobs, **told)
    return found


def _killed() -> list[type[BaseException]]:
    """What Dask raises for a task whose workers die again and again, and Ray for one whose worker died; as far as they
    were loaded."""
    dask, ray = (sys.modules.get(name) for name in ("distributed", "ray.exceptions"))
    names = ((dask, "KilledWorker"), (ray, "RayActorError"), (ray, "WorkerCrashedError"))
    errors = (getattr(module, name, None) for module, name in names)
    return [error for error in errors if error is not None]


HERE = Workers()  # one process, this one
