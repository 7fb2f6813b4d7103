"""The tab *Health*: what is found in the trace shown, and the way there."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Route, expect

import mcts_viz as mv
from mcts_viz.health.acceptance import read_baseline
from mcts_viz.web.jobs.checkups import Checkups
from tests.web.recordings import TIC_TAC_TOE
from tests.web.screen import Screen, Site

ONE_PAGE = True  # see the fixture `page`

FAULTY = "credits-one-side"
STEP = {"words": "values", "share": 0.349}  # of a check


@pytest.fixture(scope="module")
def faulty(site: Site) -> Path:
    path = site.folder / f"{FAULTY}.mcts"
    mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1, path=path)
    return path


@pytest.mark.thorough
def test_a_correct_search_is_said_to_be_healthy(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 300).tab("Health")
    panel = screen.page.locator("#health-panel")
    expect(panel).to_contain_text("The checks found nothing wrong")
    expect(panel).to_contain_text("UCB1 with the declared c = 1.4")


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

    def check(trace: Any, told: Any) -> list[Any]:
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


def test_a_check_says_how_far_it_is_as_long_as_it_runs() -> None:
    may_end, is_told = threading.Event(), threading.Event()

    def check(trace: Any, told: Any) -> list[Any]:
        told("values", 0.34)
        is_told.set()
        assert may_end.wait(20)
        return []

    checkups = Checkups(check)
    trace: Any = SimpleNamespace(n_iterations=5)
    assert checkups.step("slow") is None
    thread = threading.Thread(target=checkups.of, args=["slow", trace])
    thread.start()
    assert is_told.wait(20)
    assert checkups.step("slow") == ("values", 0.34)
    may_end.set()
    thread.join()
    assert checkups.step("slow") is None


@pytest.mark.own_page
def test_checks_that_take_long_say_how_far_they_are(screen: Screen) -> None:
    waiting: list[Route] = []
    are_held = True

    def hold_findings(route: Route) -> None:
        if are_held and "health-panel.children" in (route.request.post_data or ""):
            waiting.append(route)
        else:
            route.continue_()

    screen.page.route("**/checking", lambda route: route.fulfill(json=STEP))
    screen.page.route("**/_dash-update-component*", hold_findings)
    screen.open(TIC_TAC_TOE, 250).tab("Health")
    panel = screen.page.locator("#health-panel")
    expect(panel).to_have_text("The checks run: values, 34 % …")
    are_held = False
    for route in waiting:  # the cursor may come to rest only now, and the tab be told twice
        route.continue_()
    expect(panel).to_contain_text("The checks found nothing wrong")


def test_a_finding_is_accepted_with_a_reason_and_taken_back(screen: Screen, faulty: Path) -> None:
    kept = faulty.with_name(f"{FAULTY}.accepted.json")
    screen.open(FAULTY, 300).tab("Health")
    first = screen.page.locator("#health-panel .finding").first
    first.get_by_text("what it means").click()
    first.get_by_text("accept …").click()
    panel, below = (
        screen.page.locator(name).bounding_box() for name in (".health", "#play-button")
    )
    assert panel is not None
    assert below is not None
    assert panel["y"] + panel["height"] <= below["y"]  # it scrolls
    first.get_by_role("button", name="Accept").click()
    expect(screen.page.locator("#health-panel").get_by_role("alert")).to_contain_text("the reason")
    first.get_by_text("accept …").click()
    first.get_by_label("Why value-one-side is all right").fill("as in the paper")
    first.get_by_role("button", name="Accept").click()
    expect(first).to_contain_text("Accepted: as in the paper")
    expect(screen.page.locator("#health-panel")).to_contain_text("The checks found nothing wrong")
    assert read_baseline(kept) == {"value-one-side": "as in the paper"}
    first.get_by_role("button", name="Undo").click()
    expect(screen.page.locator("#health-panel")).to_contain_text("This search has 1 error")
    assert not kept.exists()
