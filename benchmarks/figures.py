"""A measured figure beside the one to reach, and how long things take.

Other programs on the machine only ever add time, so that of several runs the fastest says most; a
ratio is that of two such, taken in turns. Where a spread matters, as for `trace.at(t)`, it is the
median.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    value: float
    unit: str
    goal: float | None = None  # None: for information
    at_least: bool = False  # whether the goal is a least value, not a greatest one
    how: str = ""  # where the value comes from

    @property
    def reached(self) -> bool | None:
        """None where there is no goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def seconds(work: Callable[[], object]) -> float:
    """How long it takes once."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def fastest(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The least seconds of each, run in turns."""
    times = [[seconds(work) for work in works] for _ in range(rounds)]
    return [min(column) for column in zip(*times)]


def in_process(module: str, *arguments: object) -> Any:
    """What `python -m module arguments` prints, as JSON: a measurement in a process of its own."""
    finished = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(finished.stdout)


def forget_peak() -> None:
    """Let the most memory so far be what this process has now, where the system can do so."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def resident_megabytes() -> tuple[float, float]:
    """Memory of this process: now, and at most so far. (0, 0) where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0.0, 0.0
    fields = dict(line.split(":", 1) for line in status.splitlines())
    now, most = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return now, most
