"""A lane for each worker under the timeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz.web.routes.workers import MOST_STEPS, n_workers, workers_message
from tests.recording.searches import PlainUCT
from tests.web.screen import Screen


def threads(path: Path | None, n: int = 30, workers: int = 3) -> mv.Trace:
    """In turns, the last worker half as often."""
    search = PlainUCT()
    with mv.record(
        path, root=search.root, children="children", visits="visits", value="wins", action="move"
    ) as rec:
        for t in range(n):
            with rec.descent(worker=t % workers if t % (2 * workers) else workers - 1):
                search.step()
    return rec.trace


def test_the_lanes_count_every_iteration_once() -> None:
    trace = threads(None)
    told = workers_message(trace.columns)
    assert (told["workers"], told["step"], told["n_iterations"]) == ([0, 1, 2], 1, 30)
    assert [sum(lane) for lane in told["lanes"]] == [5, 10, 15]
    assert [sum(counts) for counts in zip(*told["lanes"])] == [1] * 30
    assert n_workers(mv.search("tic_tac_toe", iterations=3, seed=1).columns) == 0
    many = workers_message(threads(None, MOST_STEPS + 2, 2).columns)
    assert many["step"] == 2
    assert sum(map(sum, many["lanes"])) == MOST_STEPS + 2


@pytest.mark.thorough
@pytest.mark.own_page
def test_the_page_shows_them_where_there_are_workers(screen: Screen) -> None:
    screen.visit()
    expect(screen.page.locator("#worker-lanes")).to_be_hidden()
    threads(Path(screen.site.folder) / "threads.mcts")
    screen.open("threads", 30)
    lanes = screen.page.locator("#worker-lanes canvas")
    expect(lanes).to_be_visible()
    assert "Which of 3 workers" in (lanes.get_attribute("aria-label") or "")
    lanes.hover(position={"x": 5, "y": 2})
    expect(screen.page.locator("#worker-lanes")).to_have_attribute(
        "title", "worker 0: 0 of iteration 1; 5 in all"
    )
