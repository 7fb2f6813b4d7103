"""Ctrl+C as a wish to stop: the work at hand comes to an end of its own and keeps what it has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # exit code of what Ctrl+C has cut short


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl+C was pressed since; pressed again, it interrupts at once, as
    it does outside."""
    pressed = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # ignored, or handled elsewhere
        yield pressed.is_set
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    signal.signal(signal.SIGINT, stop)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
