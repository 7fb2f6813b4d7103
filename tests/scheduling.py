"""Which process runs which tests: a file in one of them, and no test twice that has taken its process down."""

from __future__ import annotations

import os
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling


class FileScheduling(LoadFileScheduling):
    """xdist's own gives the test that ended a process to the next one, which ends as well, and so on until no process
    may be begun: the rest of its file never runs."""

    def remove_node(self, node: Any) -> str | None:
        """Give what a process has left to others, but for the test in which it ended; that one's name."""
        units = self.assigned_work[node].values()
        ended = next(((unit, test) for unit in units for test in unit if not unit[test]), None)
        if ended is None:
            return super().remove_node(node)
        unit, test = ended
        unit[test] = True
        super().remove_node(node)
        return test


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling | None:
    """Where tests are handed out by files."""
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than cores: a test that drives a browser waits for it a third of its time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) + 2
