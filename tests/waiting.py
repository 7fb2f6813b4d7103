"""Waiting for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], told: Callable[[], object] = str) -> None:
    """Return as soon as the condition holds; fail with what `told` says when it does not within a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, told() or "never came"
        time.sleep(0.01)
