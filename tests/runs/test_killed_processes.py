"""A process that the system kills ends a run of many searches in words; what was done is kept. Ctrl+C kills none."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from joblib.externals.loky import reusable_executor

import mcts_viz as mv
from tests.variants import few

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills a process")


def kill_a_worker() -> None:
    os.kill(next(iter(reusable_executor._executor._processes)), signal.SIGKILL)


@contextmanager
def killed_once(is_due: Callable[[], bool]) -> Iterator[None]:
    """Kills one of the processes as soon as it is due."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            if is_due():
                kill_a_worker()
                return
            time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.thorough
def test_many_searches_that_were_over_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.many"
    parts = [tmp_path / "a-1.many", tmp_path / "a-2.many"]
    long = {"game": "connect_four", "iterations": 3_000, "rollouts": False}  # 37 kB each
    wanted = [{**long, "seed": seed} for seed in range(400)]

    def both_have_some() -> bool:
        return all(part.exists() and part.stat().st_size > 100_000 for part in parts)

    with (
        killed_once(both_have_some),
        pytest.raises(mv.SearchError, match=r"process.* killed.*are kept in .*a-1\.many"),
    ):
        mv.search_many(wanted, path, jobs=2)
    for part in parts:
        kept = mv.ManyTraces(part)
        assert "broke off before its index" in str(kept.damage)
        assert 0 < len(kept) < 200
        assert [each.n_iterations for each in kept] == [3_000] * len(kept)
        first = kept[0].meta.seed
        assert [each.meta.seed for each in kept] == [*range(first, first + len(kept))]


def signals_blocked() -> list[int]:
    """By each of the processes, as a mask."""
    blocked = []
    for process in list(reusable_executor._executor._processes):
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        (mask,) = (line for line in status.splitlines() if line.startswith("SigBlk:"))
        blocked.append(int(mask.split()[1], 16))
    return blocked


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("kind", few(["grid", "many searches"]))
def test_the_processes_do_not_see_ctrl_c(kind: str, tmp_path: Path) -> None:
    if reusable_executor._executor is not None:  # what an earlier test began
        reusable_executor._executor.shutdown(wait=True)
    if kind == "grid":
        mv.sensitivity("tic_tac_toe", c=[1.0], seeds=2, iterations=10, jobs=2)
    else:
        wanted = [{"game": "tic_tac_toe", "iterations": 10, "seed": seed} for seed in range(4)]
        mv.search_many(wanted, tmp_path / "a.many", jobs=2)
    blocked = signals_blocked()
    assert blocked
    assert all(mask >> (signal.SIGINT - 1) & 1 for mask in blocked)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])  # this one does


@pytest.mark.thorough
def test_a_grid_of_searches_says_how_many_were_done() -> None:
    def told(done: int, total: int) -> None:
        if done == 3:
            kill_a_worker()

    asked = {"c": [0.5, 1.0], "seeds": 8, "iterations": 1_000, "jobs": 2}
    with pytest.raises(mv.SearchError, match=r"process.* killed.*; \d+ of 16 searches were done"):
        mv.sensitivity("tic_tac_toe", told=told, **asked)
    # the next one has processes of its own
    found = mv.sensitivity("tic_tac_toe", **asked)
    assert found.counts.sum() == 16
