"""An address reopens the same picture; tabs, themes and keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import new_context
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen, Site

ONE_PAGE = True  # see the fixture `page`


@pytest.fixture
def second_page(browser: Browser) -> Iterator[Page]:
    """Somebody else's browser."""
    with new_context(browser) as context:
        yield context.new_page()


@pytest.mark.thorough
def test_a_copied_address_restores_trace_iteration_node_view_and_numbers(
    screen: Screen, second_page: Page
) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    path = trace.at(2_000).principal_path
    screen.open(CONNECT_FOUR, 1_234)
    screen.choose("colour-select", "exploration term")
    screen.choose("size-select", "equal")
    screen.choose("budget-select", "100")
    screen.wait_for("d.cursor.view.budget === 100 && d.options.size === 'equal'")
    screen.wait()
    screen.page.evaluate(f"mcts.app.focus({path[1]})")
    screen.wait_for(f"d.items[0].node === {path[1]}")
    screen.wait()
    screen.page.evaluate(f"mcts.app.collapse({path[2]})")
    screen.wait_for(f"d.cursor.view.closed.includes({path[2]})")
    screen.wait()
    screen.click_node(path[2])
    screen.press("ArrowRight").wait(1_235)
    expect(screen.text("node-panel")).to_contain_text(f"node {path[2]:,} ·")
    first = screen.debug()

    second = Screen(second_page, screen.site)
    second_page.goto(screen.page.url)
    second.wait(1_235)
    shown = second.debug()
    assert shown["cursor"] == first["cursor"]
    assert shown["options"] == first["options"]
    assert numbers(shown) == numbers(first)
    expect(second.text("trace-select")).to_have_value(CONNECT_FOUR)
    expect(second.text("colour-select")).to_have_value("exploration term")
    expect(second.text("budget-select")).to_have_value("100")
    second.expect_facts(**{k.replace(" ", "_"): v for k, v in screen.facts().items()})


def numbers(shown: dict) -> list:  # type: ignore[type-arg]
    return [
        (i["node"], i["stub"], i["visits"], i["value_sum"], i["colour"]) for i in shown["items"]
    ]


def test_the_plain_address_opens_a_trace_at_its_end(screen: Screen) -> None:
    screen.visit()
    shown = screen.debug()
    assert shown["t"] == shown["n_iterations"]
    assert f"iteration={shown['t']}" in screen.page.url
    expect(screen.text("hint")).to_contain_text("press → to step, space to play, click a node")


@pytest.mark.thorough
def test_the_select_opens_another_trace_and_the_address_follows(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000)
    screen.text("trace-select").click()
    screen.page.get_by_role("option", name=TIC_TAC_TOE, exact=True).click()
    screen.wait_for("d.n_iterations === 300")
    screen.wait(300)
    screen.expect_facts(visits="300")
    assert screen.site.key(TIC_TAC_TOE) in screen.page.url
    screen.press("ArrowLeft").wait(299)  # the keys are the page's again


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("query", "iteration"),
    few([("iteration=99999", 300), ("iteration=x&node=y", 300), ("iteration=-5", 0)], 2),
)
def test_an_iteration_that_is_not_there_becomes_the_nearest_one(
    screen: Screen, query: str, iteration: int
) -> None:
    screen.visit(f"?trace={screen.site.key(TIC_TAC_TOE)}&{query}")
    screen.wait(iteration)


@pytest.mark.thorough
def test_the_theme_stays_for_the_next_visit(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    root = screen.page.locator("html")
    expect(root).to_have_attribute("data-mcts-theme", "light")
    light = background(screen)
    screen.page.get_by_role("button", name="Light or dark").click()
    expect(root).to_have_attribute("data-mcts-theme", "dark")
    expect(root).to_have_attribute("data-mantine-color-scheme", "dark")
    assert background(screen) != light
    expect(screen.page.locator("#node-panel img")).to_have_attribute("src", r := dark_board(screen))
    assert "theme=dark" in r
    before = screen.debug()
    screen.page.reload()
    screen.wait(100)
    expect(root).to_have_attribute("data-mcts-theme", "dark")
    assert screen.debug()["options"] == before["options"]
    screen.page.get_by_role("button", name="Light or dark").click()
    expect(root).to_have_attribute("data-mcts-theme", "light")
    expect(root).to_have_attribute("data-mantine-color-scheme", "light")


def dark_board(screen: Screen) -> str:
    return f"api/trace/{screen.site.key(TIC_TAC_TOE)}/board/0.svg?theme=dark&t=100"


def background(screen: Screen) -> str:
    found: str = screen.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


@pytest.mark.thorough
def test_two_tabs_do_not_disturb_each_other(screen: Screen, second_page: Page, site: Site) -> None:
    other = Screen(second_page, site)
    screen.open(CONNECT_FOUR, 700)
    other.open(CONNECT_FOUR, 1_500, node=3)
    for _ in range(3):
        screen.press("ArrowRight")
        other.press("ArrowLeft")
    screen.wait(703)
    other.wait(1_497)
    trace = site.trace(CONNECT_FOUR)
    screen.expect_facts(visits="703")
    other.expect_facts(visits=f"{trace.at(1_497).visits[3]:,}")
    assert screen.cursor()["node"] == 0


@pytest.mark.thorough
def test_the_question_mark_lists_every_key(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    screen.press("?")
    dialog = screen.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    keys: list[dict[str, str]] = screen.page.evaluate("mcts.app.keys()")
    for key in keys:
        expect(dialog.get_by_text(key["text"], exact=True)).to_be_visible()
    screen.press("ArrowRight")  # belongs to the dialog
    screen.press("Escape")
    expect(dialog).to_be_hidden()
    screen.wait(100)
    screen.page.get_by_role("button", name="Keys").click()
    expect(screen.page.get_by_role("dialog").locator("kbd").first).to_be_visible()
