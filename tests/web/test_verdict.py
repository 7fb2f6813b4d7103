"""The verdict at the top of the inspector, and the button that tests it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.web.recordings import TIC_TAC_TOE, record_foreign
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`
SEED = 1
T = 30  # iterations, too few to be sure


def test_the_verdict_is_the_apis_also_in_health_and_its_button_searches_longer(
    screen: Screen,
) -> None:
    path = screen.site.folder / "short.mcts"
    judged = mv.search(TIC_TAC_TOE, iterations=T, seed=SEED, path=path).verdict()
    assert (judged.sureness, judged.right) == ("undecided", True)
    assert judged.cause is not None
    assert judged.cause.kind == "too few iterations"
    before = screen.site.names()
    screen.open("short", T)
    panel = screen.text("verdict")
    expect(panel.locator("b").first).to_have_text(judged.move or "")
    expect(panel.locator(".badge")).to_have_text(["right", "undecided vote"])
    expect(panel).to_contain_text(judged.cause.text)
    panel.get_by_role("button", name="undecided vote").click()
    origin = screen.page.get_by_role("region", name="where a number comes from")
    expect(origin.locator("h3")).to_contain_text(f"visits of {judged.move}")
    screen.press("Escape")
    screen.page.get_by_role("tab", name="Health").click()
    finding = screen.page.locator(".health .finding").first
    expect(finding).to_contain_text("undecided vote")
    expect(finding).to_contain_text(judged.vote)
    panel.get_by_role("button", name="search 10× longer").click()
    expect(screen.text("compare-panel")).to_be_visible()
    (name,) = screen.site.names() - before
    assert mv.open(screen.site.folder / name).n_iterations == 10 * T


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_long_name_stays_beside_its_star(screen: Screen) -> None:
    screen.visit()
    record_foreign(screen.site.folder / "long.mcts", root={"to_move": 0}, players=["A", "B"])
    screen.open("long", 60)
    name = screen.text("verdict").locator("b").first
    name.evaluate("(name) => { name.textContent = 'a thought that goes on and on '.repeat(4); }")
    tops = "[...document.querySelectorAll('.verdict-head > :is(.star, b)')].map((each) => each.getBoundingClientRect())"
    star, words = screen.page.evaluate(f"{tops}.map(({{top, bottom}}) => [top, bottom])")
    assert words[0] - 4 < star[0] < words[1]
