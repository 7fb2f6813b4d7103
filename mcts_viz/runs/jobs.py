"""The number of processes that a user asks for."""

from __future__ import annotations

from mcts_viz.errors import SearchError


def check_jobs(jobs: int | None) -> None:
    """Raises SearchError for what joblib does not take; None: as many as pay."""
    if jobs is not None and (jobs == 0 or jobs < -1):
        raise SearchError(f"jobs={jobs} is no number of processes; write 1 or more, or -1")
