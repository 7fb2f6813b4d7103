"""Functions that run one after the other, in a thread that does not keep a stopped server alive."""

import os
import subprocess
import sys
import threading
from functools import partial

import pytest

from mcts_viz.web.jobs.one_by_one import LOWER, OneByOne

SECONDS = 60
ENDS_WHILE_ONE_RUNS = """
import threading
from mcts_viz.web.jobs.one_by_one import OneByOne
begun = threading.Event()
def check():
    begun.set()
    threading.Event().wait()
OneByOne("check").submit(check)
assert begun.wait(60)
print("stopped")
"""


def test_they_run_in_order_and_each_says_its_result_or_its_error() -> None:
    order = list[int]()
    worker = OneByOne("check")
    last = [worker.submit(partial(order.append, i)) for i in range(20)][-1]
    failed = worker.submit(lambda: 1 // 0)
    assert worker.submit(lambda: "result").result(SECONDS) == "result"
    assert last.done()
    assert order == list(range(20))
    with pytest.raises(ZeroDivisionError):
        failed.result(SECONDS)


def test_what_is_cancelled_before_its_turn_never_runs() -> None:
    worker, may_go_on, order = OneByOne("solver"), threading.Event(), list[str]()
    worker.submit(partial(may_go_on.wait, SECONDS))
    cancelled = worker.submit(partial(order.append, "cancelled"))
    last = worker.submit(partial(order.append, "last"))
    assert cancelled.cancel()
    may_go_on.set()
    last.result(SECONDS)
    assert order == ["last"]


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has no priority of its own")
def test_they_give_way_to_the_rest_of_the_process() -> None:
    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = priority()
    assert OneByOne("solver").submit(priority).result(SECONDS) == min(own + LOWER, 19)
    assert priority() == own


def test_a_process_ends_while_one_runs() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDS_WHILE_ONE_RUNS],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "stopped\n")
