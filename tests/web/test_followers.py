"""A program that ends waits for the pages that follow it, and for no other ones."""

from __future__ import annotations

import pytest
from flask import Flask

from mcts_viz.web.followers import AWAY, LONGEST, STILL, Followers


class Clock:
    """A clock that goes on while one sleeps; then a page asks, if it wants to."""

    def __init__(self, app: Flask) -> None:
        self.now = 100.0
        self.app = app
        self.asks: dict[str, float] = {}  # path -> until when

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for path, until in self.asks.items():
            if self.now < until:
                self.app.test_client().get(path)


@pytest.fixture
def clock() -> Clock:
    return Clock(Flask("followed"))


def test_nobody_looks_on(clock: Clock) -> None:
    Followers(clock.app, clock, clock.sleep).wait()
    assert clock.now == 100


@pytest.mark.parametrize(
    ("until", "ends"), [(100.0, 100 + AWAY), (103.0, 103 + STILL), (900.0, 100 + LONGEST)]
)
def test_a_page_that_follows_has_fetched_the_end(clock: Clock, until: float, ends: float) -> None:
    followers = Followers(clock.app, clock, clock.sleep)
    clock.asks = {"/api/trace/a/live": 1000.0, "/api/trace/a/window": until}
    clock.app.test_client().get("/api/trace/a/live")
    followers.wait()
    assert clock.now == pytest.approx(ends, abs=0.2)


def test_a_page_that_asks_for_the_end_alone_is_waited_for(clock: Clock) -> None:
    followers = Followers(clock.app, clock, clock.sleep)
    clock.asks = {"/api/trace/a/end": 103.0}
    clock.app.test_client().get("/api/trace/a/end")
    followers.wait()
    assert clock.now == pytest.approx(103 + STILL, abs=0.2)
