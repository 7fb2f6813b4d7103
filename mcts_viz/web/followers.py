"""The pages that follow a recording of this process: when the program ends, they get the time to fetch its last
iterations."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from flask import Flask, request

AWAY = 1.5  # seconds; a page that has not asked for so long is gone
STILL = 0.7  # seconds; one that has asked for nothing new for so long has all there is
LONGEST = 10.0  # seconds
# how the recording stands, which a page asks again and again; while each time finds more, with what shows its end
LOOKS = ("/live", "/end")


class Followers:
    """When the pages of a server have asked, in seconds of a monotonic clock."""

    def __init__(
        self,
        server: Flask,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._looked = -math.inf  # of `LOOKS`
        self._fetched = -math.inf  # anything but how it stands
        server.before_request(self._note)

    def _note(self) -> None:
        now, path = self._clock(), request.path
        if path.endswith(LOOKS):
            self._looked = now
        if not path.endswith("/live"):
            self._fetched = now

    def wait(self) -> None:
        """Return as soon as no page looks on, or those that do have fetched what was recorded last: that is in the file
        a moment after it was made."""
        begin = now = self._clock()
        while now - self._looked < AWAY and now < begin + LONGEST:
            if now - begin > AWAY and now - self._fetched > STILL:
                return
            self._sleep(0.05)
            now = self._clock()
