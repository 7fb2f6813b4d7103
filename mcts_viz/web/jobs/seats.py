"""The seats of a server: how many searches run at once, and what memory each may take. The others wait in a queue.

One that waits has no thread and no memory yet, knows how many are before it, and can be cancelled.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable

from mcts_viz.errors import PageError
from mcts_viz.trace.memory import MEGABYTE, machine_memory

LEAST_SEATS = 2
LONGEST_QUEUE = 100
SHARE_OF_MEMORY = 0.5  # of the machine's, for all searches together
LEAST_MEMORY = 64  # megabytes of a search
PATIENCE = 2.5  # seconds that searches have to end in when the server does


class SearchPlace:
    """One search's place: in the queue, at a seat, or given up."""

    def __init__(
        self,
        seats: Seats,
        n_seats: int,
        run: Callable[[], None],
        stop: threading.Event,
        cancelled: Callable[[], None],
        title: Callable[[], str],
    ) -> None:
        self.stop = stop  # asks the search to end
        self.title = title  # what it is, and how far
        self.n_seats = n_seats
        self.run, self.cancelled = run, cancelled
        self._seats = seats

    @property
    def ahead(self) -> int:
        """How many searches run or wait before this one; 0 once it runs, or is over."""
        return self._seats.ahead_of(self)

    def end(self) -> None:
        """Ask the search to end; one that waits is gone at once."""
        self.stop.set()
        if self._seats.give_up(self):
            self.cancelled()


class Seats:
    """A server's. Thread-safe."""

    def __init__(self, n: int | None = None, memory: int | None = None) -> None:
        self.n = max(LEAST_SEATS, os.cpu_count() or 1) if n is None else n
        total = SHARE_OF_MEMORY * machine_memory() / MEGABYTE if memory is None else memory
        self.memory = max(LEAST_MEMORY, int(total / self.n))  # megabytes of a seat
        self._lock = threading.Condition()
        self._waiting: deque[SearchPlace] = deque()
        self._running: list[SearchPlace] = []
        self._closed = False

    def take(
        self,
        title: Callable[[], str],
        run: Callable[[], None],
        stop: threading.Event,
        cancelled: Callable[[], None] = lambda: None,
        n_seats: int = 1,
    ) -> SearchPlace:
        """Run a search in a thread, now or when those before it have left `n_seats` free. `cancelled`
        is called instead where it is given up before. Raises PageError for a queue that is full."""
        place = SearchPlace(self, min(n_seats, self.n), run, stop, cancelled, title)
        with self._lock:
            if self._closed or len(self._waiting) >= LONGEST_QUEUE:
                raise PageError(
                    f"{len(self._waiting)} searches wait already; cancel some, or start this one when they are done"
                )
            self._waiting.append(place)
            self._fill()
        return place

    def ahead_of(self, place: SearchPlace) -> int:
        """As `SearchPlace.ahead`."""
        with self._lock:
            if place not in self._waiting:
                return 0
            return len(self._running) + self._waiting.index(place)

    def give_up(self, place: SearchPlace) -> bool:
        """Take a search out of the queue; False when it was not in it."""
        with self._lock:
            if place not in self._waiting:
                return False
            self._waiting.remove(place)
            self._fill()
            return True

    def close(self, seconds: float = PATIENCE) -> list[str]:
        """Ask all searches to end, and wait for that; what those were that ran, and how far they came."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = list(self._waiting), deque()
            running = list(self._running)
        for place in (*waiting, *running):
            place.end()
        for place in waiting:
            place.cancelled()
        end = time.monotonic() + seconds
        with self._lock:
            while self._running and self._lock.wait(max(0.0, end - time.monotonic())):
                pass
        return [place.title() for place in running]

    def _fill(self) -> None:
        """Let those who are next begin."""
        while self._waiting:
            taken = sum(place.n_seats for place in self._running)
            if self._running and taken + self._waiting[0].n_seats > self.n:
                return
            place = self._waiting.popleft()
            self._running.append(place)
            threading.Thread(target=self._run, args=[place], name="search", daemon=True).start()

    def _run(self, place: SearchPlace) -> None:
        try:
            place.run()
        finally:
            with self._lock:
                self._running.remove(place)
                self._fill()
                self._lock.notify_all()
