"""Functions that run one after the other in a thread that gives way to the page's, and ends with the process.

Those of `concurrent.futures` are waited for as Python ends: a server that was told to stop would stay until the
last check is done.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")

LOWER = 10  # priority, where each thread has a number for it; higher is lower


class OneByOne:
    """Runs what is submitted, in order. Thread-safe; there is no thread before there is work."""

    def __init__(self, name: str) -> None:
        """`name`: the thread's."""
        self._name = name
        self._waiting: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, run: Callable[[], Result]) -> Future[Result]:
        """Where the function's result, or its error, will be; cancelled before its turn, it never runs."""
        future: Future[Result] = Future()

        def turn() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(run())
            except BaseException as err:  # noqa: BLE001 (for whoever waits, who must not wait for ever)
                future.set_exception(err)

        self._waiting.put(turn)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        return future

    def _work(self) -> None:
        _give_way()
        while True:
            self._waiting.get()()  # under no name: a trace is not kept open until the next one comes


def _give_way() -> None:
    """Who scrubs while a game is solved would see half as many pictures."""
    if sys.platform == "linux":  # elsewhere a number is the whole process's
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWER)
