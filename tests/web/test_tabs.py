"""Two tabs and two users at once do not disturb one another, and what a tab shows survives reloading it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.conftest import new_context
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen


@pytest.mark.thorough
def test_two_tabs_of_one_user_step_on_their_own(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 500)
    other = Screen(screen.page.context.new_page(), screen.site)
    other.open(CONNECT_FOUR, 900, node=2)
    screen.page.bring_to_front()  # a browser draws nothing in a tab that is not looked at
    screen.press("ArrowRight").wait(501)
    other.page.bring_to_front()
    other.choose("budget-select", "50")
    other.press("Shift+ArrowRight").wait(910)
    trace = screen.site.trace(CONNECT_FOUR)
    screen.expect_facts(visits="501")
    other.expect_facts(visits=f"{trace.at(910).visits[2]:,}")
    assert screen.cursor()["view"]["budget"] == 300
    for tab, iteration in ((screen, 501), (other, 910)):
        for node, item in tab.items().items():
            assert item["visits"] == trace.at(iteration).visits[node]
    other.page.close()


@pytest.mark.thorough
def test_two_users_look_at_different_traces_while_one_of_them_searches(
    screen: Screen, browser: Browser
) -> None:
    with new_context(browser) as context:
        other = Screen(context.new_page(), screen.site)
        screen.open(TIC_TAC_TOE, 100)
        other.open(CONNECT_FOUR, 300)
        other.page.get_by_role("button", name="New search").click()
        other.text("search-iterations").fill("80")
        other.text("search-start").click()
        other.wait_for("d.n_iterations === 80")
        screen.press("ArrowRight").wait(101)
        screen.expect_facts(visits="101")
        expect(screen.text("trace-select")).to_have_value(TIC_TAC_TOE)
        assert screen.cursor()["trace"] == screen.site.key(TIC_TAC_TOE)


@pytest.mark.thorough
def test_what_a_tab_shows_survives_reloading_it(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 700)
    screen.press("ArrowRight", "j").wait(701)
    screen.choose("colour-select", "visits")
    screen.choose("budget-select", "50")
    screen.wait_for("d.cursor.view.budget === 50")
    screen.wait(701)
    before = screen.cursor()
    screen.page.reload()
    screen.wait(701)
    after = screen.cursor()
    assert after == before
    assert after["view"]["budget"] == 50
    expect(screen.text("colour-select")).to_have_value("visits")
