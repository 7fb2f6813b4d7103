"""Recordings that are killed at random moments: whether their files open, and how much is lost.

Each runs in a process forked from this one, so that nothing has to be loaded or compiled anew.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import mcts_viz as mv
from benchmarks.watching import textbook_search
from mcts_viz.errors import IndexWarning
from mcts_viz.trace.reader import TraceFile

SOONEST, LATEST = 0.05, 2.0  # seconds of recording before the kill
STARTS = 60.0  # seconds that a recording may take to begin


class Kill(NamedTuple):
    """What a kill has left."""

    opened: bool
    n_iterations: int  # in the file
    lost: float  # seconds of recording before the kill that are not in the file


def foreign(path: Path) -> None:
    """A search of others."""
    step, arguments = textbook_search(1)
    with mv.record(path, **arguments) as rec:
        for _ in rec.steps(step, 10**9):
            pass


def interpreted(path: Path) -> None:
    """One of ours."""
    mv.search("connect_four", iterations=10**9, seed=1, path=path, compile=False)


def compiled(path: Path) -> None:
    """One of ours, a hundred times as fast."""
    mv.search("connect_four", iterations=10**9, seed=1, path=path, compile=True, rollouts=False)


KINDS: dict[str, Callable[[Path], None]] = {
    "foreign": foreign, "ours": interpreted, "ours compiled": compiled,
}  # fmt: skip


def killed(kind: str, n: int, folder: Path, seed: int = 1) -> list[Kill]:
    """What n kills leave."""
    choose = random.Random(seed)
    if kind == "ours compiled":  # before the fork
        mv.search("connect_four", iterations=10, seed=1, compile=True, rollouts=False)
    return [
        _kill(KINDS[kind], folder / f"{kind}-{number}.mcts", choose.uniform(SOONEST, LATEST))
        for number in range(n)
    ]


def _kill(record: Callable[[Path], None], path: Path, after: float) -> Kill:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # that a process with threads forks: the child begins its own
        child = os.fork()
    if child == 0:
        try:
            record(path)
        finally:
            os._exit(9)
    began = _begun(path)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    ended = time.perf_counter()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        raise RuntimeError(f"{path}: the recording ended by itself")
    try:
        with warnings.catch_warnings():  # a long one that was cut off has no index, and says so
            warnings.simplefilter("ignore", IndexWarning)
            trace = mv.open(path)
        n = trace.n_iterations
        trace.at(n)
    except mv.MctsVizError as err:
        print(err, file=sys.stderr)
        return Kill(False, 0, ended - began)
    finally:
        path.unlink()
    reached = float(trace.columns.elapsed[-1]) / 1e9 if n else 0.0
    return Kill(True, n, max(0.0, ended - began - reached))


def _begun(path: Path) -> float:
    """The moment at which the recording has its header."""
    end = time.perf_counter() + STARTS
    while not _has_header(path):
        if time.perf_counter() > end:
            raise RuntimeError(f"{path}: nothing was recorded")
        time.sleep(0.001)
    return time.perf_counter()


def _has_header(path: Path) -> bool:
    try:
        TraceFile(path)
    except mv.MctsVizError:
        return False
    return True
