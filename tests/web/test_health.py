"""The tab *Health*: what is found in the trace shown, and the way there."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz.web.checkups import Checkups
from tests.web.recordings import TIC_TAC_TOE
from tests.web.screen import Screen, Site

ONE_PAGE = True  # see the fixture `page`

FAULTY = "credits-one-side"


@pytest.fixture(scope="module")
def faulty(site: Site) -> Path:
    path = site.folder / f"{FAULTY}.mcts"
    mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1, path=path)
    return path


def test_a_correct_search_is_said_to_be_healthy(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 300).tab("Health")
    panel = screen.page.locator("#health-panel")
    expect(panel).to_contain_text("Nothing is wrong with this search")
    expect(panel).to_contain_text("UCB1 with c in [1.4")


def test_a_finding_says_what_causes_it_and_leads_to_where_it_shows(
    screen: Screen, faulty: Path
) -> None:
    (error, *_) = mv.open(faulty).check()
    assert error.iteration is not None
    screen.open(FAULTY, 300).tab("Health")
    panel = screen.page.locator("#health-panel")
    expect(panel).to_contain_text("This search has 1 error")
    first = panel.locator(".finding").first
    expect(first).to_contain_text(error.message)
    first.get_by_text("what it means").click()
    expect(first).to_contain_text("Only wins of the searching player are credited")
    first.get_by_role("button", name="Go to").click()
    screen.wait(error.iteration)
    assert screen.cursor()["iteration"] == error.iteration


def test_who_looks_at_another_trace_does_not_wait_and_each_is_checked_once() -> None:
    slow_may_end, calls = threading.Event(), []

    def check(trace: Any) -> list[Any]:
        calls.append(trace.name)
        if trace.name == "slow":
            assert slow_may_end.wait(20)
        return [trace.name]

    traces: dict[str, Any] = {
        name: SimpleNamespace(name=name, n_iterations=5) for name in ("slow", "quick")
    }
    checkups = Checkups(check)
    slow = [threading.Thread(target=checkups.of, args=["slow", traces["slow"]]) for _ in range(2)]
    for thread in slow:
        thread.start()
    # while the slow one is being checked
    assert checkups.of("quick", traces["quick"]) == ["quick"]
    slow_may_end.set()
    for thread in slow:
        thread.join()
    assert checkups.of("slow", traces["slow"]) == ["slow"]
    assert sorted(calls) == ["quick", "slow"]
