"""Pictures of a recording that is followed go before work that takes long: a late one makes those behind it late."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 0.2  # seconds that work waits at a time, so that it comes to its end beside many pictures


class PicturesFirst:
    """Who makes a picture says so; work beside it asks now and then. One of a server."""

    def __init__(self) -> None:
        self._n = 0  # pictures that are being made
        self._turn = threading.Condition()

    @contextmanager
    def picture(self) -> Iterator[None]:
        """While one is made."""
        with self._turn:
            self._n += 1
        try:
            yield
        finally:
            with self._turn:
                self._n -= 1
                self._turn.notify_all()

    def let_by(self) -> None:
        """Return once none is made, or after a while."""
        with self._turn:
            self._turn.wait_for(lambda: self._n == 0, LONGEST)
