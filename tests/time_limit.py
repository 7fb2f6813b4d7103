"""The end of a test that drives a browser and hangs. pytest-timeout breaks others off; but what Playwright waits for
cannot be, and its stack is not that of a thread: such a test ends its process, having said which it is and where."""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import threading
import traceback
from typing import Any, Protocol

import pytest
from greenlet import greenlet


class Settings(Protocol):
    """pytest-timeout's, of a test."""

    timeout: float  # seconds


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item: Any, settings: Settings) -> bool | None:
    """True: the time of this test is ours to watch."""
    if item.get_closest_marker("browser") is None:
        return None
    timer = threading.Timer(settings.timeout, end, (item, settings.timeout))
    timer.daemon = True
    item.cancel_timeout = timer.cancel  # as pytest-timeout ends its own
    timer.start()
    return True


def end(item: pytest.Item, seconds: float) -> None:
    """Say where the test is, and end this process, and with it the browser."""
    capture = item.config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(item)
    print(f"\n{item.nodeid} hangs: it has taken {seconds:g} seconds", file=sys.stderr)
    for each in gc.get_objects():
        if isinstance(each, greenlet) and each.gr_frame is not None:
            traceback.print_stack(each.gr_frame, file=sys.stderr)
    faulthandler.dump_traceback(sys.stderr)
    sys.stderr.flush()
    os._exit(1)
