"""The tour and the sentence under the picture: they say what the search did, and the page shows it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.web.accessibility import violations
from tests.web.recordings import SNAPSHOT, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


@pytest.mark.thorough
def test_the_sentence_says_what_the_picture_is(screen: Screen) -> None:
    told = screen.site.trace(TIC_TAC_TOE).iteration(40)
    won = {1.0: "X wins", 0.0: "its result: draw", -1.0: "O wins"}
    screen.open(TIC_TAC_TOE, 40)
    words = screen.text("picture-words")
    expect(words).to_contain_text(
        "Each circle is a position; iteration 40 went down the thick line"
    )
    assert told.outcome is not None
    expect(words).to_contain_text(won[told.outcome])
    expect(words).to_contain_text(f"added {screen.site.trace(TIC_TAC_TOE).at(40).label(told.leaf)}")
    screen.open(TIC_TAC_TOE, 0)
    expect(words).to_contain_text("the tree before the first iteration")
    screen.open(SNAPSHOT, 1)
    expect(words).to_contain_text("that the search has looked at")


@pytest.mark.own_page
def test_the_tour_is_offered_once_and_each_step_does_what_it_says(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 250)
    offer = screen.page.get_by_role("button", name="Tour: five steps")
    if not offer.is_visible():  # an earlier test's page has had the offer
        screen.page.evaluate("localStorage.clear()")
        screen.page.reload()
        screen.wait()
    offer.click()
    tour = screen.page.get_by_role("region", name="tour")
    steps = ["select", "expand", "simulate", "backpropagate"]
    for place, phase in enumerate(steps, start=1):
        expect(tour).to_contain_text(f"{place} of 5")
        assert screen.cursor()["phase"] == phase
        assert screen.cursor()["iteration"] == 250
        assert not overlap(box_of(tour), end_of_path(screen))
        if place == 1:
            expect(tour).to_contain_text("Iteration 250 starts at the root")
        tour.get_by_role("button", name="Next").click()
    expect(tour).to_contain_text("5 of 5")
    screen.wait(300)
    expect(screen.page.get_by_role("tab", name="Why this move")).to_have_attribute(
        "aria-selected", "true"
    )
    tour.get_by_role("button", name="Done").click()
    expect(tour).to_have_count(0)
    screen.page.reload()
    screen.wait(300)
    expect(offer).to_be_hidden()
    screen.wait_for_keys()
    screen.press("?")
    screen.page.get_by_role("button", name="Take the tour").click()
    expect(tour).to_contain_text("1 of 5")
    screen.page.keyboard.press("Escape")
    expect(tour).to_have_count(0)
    assert screen.cursor()["phase"] is None


@pytest.mark.thorough  # test_accessible.py looks at the page without its tour
@pytest.mark.own_page
def test_the_tour_is_accessible(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 250)
    screen.wait_for_keys()
    screen.press("?")
    screen.page.get_by_role("button", name="Take the tour").click()
    expect(screen.page.get_by_role("region", name="tour")).to_contain_text("1 of 5")
    assert violations(screen.page) == []


def box_of(part: Locator) -> tuple[float, float]:
    """From where to where it lies in the picture."""
    left = part.evaluate("(card) => card.offsetLeft")
    return left, left + part.evaluate("(card) => card.offsetWidth")


def end_of_path(screen: Screen) -> tuple[float, float]:
    """The same of the last node of the iteration's path."""
    shown = screen.debug()
    if shown["end_room"]:
        return shown["end_room"]["left"], shown["end_room"]["left"]
    places = {item["node"]: item["position"] for item in shown["items"]}
    x = [places[node]["x"] for node in shown["path"] if places.get(node)][-1]  # that is drawn
    return x, x


def overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


@pytest.mark.thorough
def test_w_opens_why(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 300)
    screen.wait_for_keys()
    screen.press("w")
    expect(screen.page.get_by_role("tab", name="Why this move")).to_have_attribute(
        "aria-selected", "true"
    )
