"""All searches of a server share its seats: those beyond them wait, are seen to wait, and can be cancelled."""

from __future__ import annotations

import os
import signal
import threading
import time
import urllib.request
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz import PageError, page
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.search import PlannedSearch, prepare, record_search
from mcts_viz.web.app import library_of
from mcts_viz.web.jobs import seats
from mcts_viz.web.jobs.background import CANCELLED
from mcts_viz.web.jobs.searches import Job, Jobs, SearchRequest
from mcts_viz.web.jobs.seats import Seats
from mcts_viz.web.library import Library
from mcts_viz.web.panels.forms.running import foot_shown
from tests.indexed import in_memory
from tests.variants import few
from tests.waiting import wait_until

SECONDS = 60
LONG = SearchRequest("connect_four", SearchOptions("uct", seconds=100.0, seed=1, compile=False))


def begun(jobs: Jobs, number: str) -> Job:
    job = jobs.job(number)
    assert job is not None
    return job


@pytest.fixture
def library(tmp_path: Path) -> Library:
    found = Library([], tmp_path)
    found.seats = Seats(2)
    return found


@in_memory
def test_many_searches_take_two_threads_and_all_of_them_can_be_ended(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "LONGEST_QUEUE", 20)
    jobs, before = Jobs(library), threading.active_count()
    started = [begun(jobs, jobs.start(LONG)) for _ in range(22)]
    assert [job.ahead for job in started] == [0, 0, *range(2, 22)]
    wait_until(lambda: all(job.reached is not None for job in started[:2]))
    assert threading.active_count() - before <= 4  # a search, and its recorder
    with pytest.raises(PageError, match="20 searches wait already"):
        jobs.start(LONG)
    assert len(list(library.store.iterdir())) == 22

    waiting = started[5]
    foot = foot_shown(waiting)
    assert (foot.words, foot.stop) == ("Waiting: 5 searches of this server before it …", "Cancel")
    waiting.end()
    assert (waiting.finished, waiting.error) == (True, CANCELLED)
    assert not waiting.path.exists()
    assert started[6].ahead == 5

    started[0].end()
    wait_until(lambda: started[2].ahead == 0)
    began = time.monotonic()
    assert len(library.seats.close()) == 2
    assert time.monotonic() - began < 3
    assert all(job.finished for job in started)
    for job in started[:3]:
        if job.path.exists():
            assert mv.open(job.path).complete
    assert len(list(library.store.iterdir())) <= 3


def test_what_takes_more_seats_waits_for_them_and_is_not_overtaken() -> None:
    two, order = Seats(2), list[str]()
    go = {name: threading.Event() for name in "abcd"}

    def take(name: str, n: int) -> None:
        def run() -> None:
            order.append(name)
            go[name].wait(SECONDS)

        two.take(lambda: name, run, threading.Event(), n_seats=n)

    for name, n in (("a", 1), ("b", 2), ("c", 1), ("d", 9)):
        take(name, n)
    for name in "abcd":
        wait_until(lambda: order[-1:] == [name])  # noqa: B023
        go[name].set()
    assert order == ["a", "b", "c", "d"]


def test_a_search_ends_at_its_seats_memory_and_its_metadata_say_what_was_asked() -> None:
    planned = PlannedSearch(
        prepare("connect_four", SearchOptions(iterations=20_000, compile=False))
    )
    trace = record_search(planned, mv.Trace, memory=1)
    assert 0 < trace.n_iterations < 20_000
    assert trace.meta["budget"]["memory"] is None
    assert Seats(4, memory=2_000).memory == 500


@pytest.mark.parametrize("number", few([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
def test_a_server_that_is_asked_to_end_ends_its_searches_whole(
    number: signal.Signals, tmp_path: Path
) -> None:
    """By Ctrl+C, by a service or a container, by its terminal. Where it was told to ignore that, it does."""
    usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    before = signal.signal(number, usual)  # nohup, and a shell's &, let what they start ignore one
    app = page.make_app([tmp_path])
    library_of(app).seats.n = 2
    jobs, said = Jobs(library_of(app)), list[str]()
    first, *_ = [begun(jobs, jobs.start(LONG)) for _ in range(3)]
    pressed: list[float] = []

    def press() -> None:
        wait_until(lambda: first.reached is not None and said)
        urllib.request.urlopen(f"{said[0].split()[3]}api/start", timeout=SECONDS).close()
        pressed.append(time.monotonic())
        os.kill(os.getpid(), number)

    threading.Thread(target=press, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            page.serve(app, 0, browser=False, say=said.append)
        assert signal.getsignal(number) is usual
    finally:
        signal.signal(number, before)
    assert time.monotonic() - pressed[0] < 6  # three, and a busy machine
    assert [words.split(": connect_four_uct_")[0] for words in said[1:]] == [
        "Stopped by you, and whole as far as it came"
    ] * 2
    traces = [mv.open(path) for path in tmp_path.glob("*.mcts")]
    assert 1 <= len(traces) <= 2
    assert all(trace.complete for trace in traces)
    assert mv.open(first.path).n_iterations > 0
