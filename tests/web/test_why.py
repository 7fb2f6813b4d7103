"""Why this move, on the page: the words, links that lead there, and the question about another move."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.recordings import CONNECT_FOUR, FOREIGN, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


def open_why(screen: Screen, name: str, iteration: int) -> Screen:
    screen.open(name, iteration)
    screen.tab("Why this move")
    return screen


def test_the_tab_says_what_the_api_says(screen: Screen) -> None:
    open_why(screen, TIC_TAC_TOE, 250)
    told = str(screen.site.trace(TIC_TAC_TOE).explain(250)).split("\n")
    expect(screen.page.locator("#why p")).to_have_text(told)
    screen.press("ArrowRight").wait(251)
    told = str(screen.site.trace(TIC_TAC_TOE).explain(251)).split("\n")
    expect(screen.page.locator("#why p")).to_have_text(told)


@pytest.mark.thorough
def test_a_link_goes_to_the_iteration_or_the_node(screen: Screen) -> None:
    open_why(screen, CONNECT_FOUR, 2_000)
    told = screen.site.trace(CONNECT_FOUR).explain(2_000)
    assert told.runner_up is not None
    node, since = told.runner_up.node, told.leads_since
    screen.page.locator(f"#why .why-link[title='select node {node:,}']").first.click()
    screen.wait_for("d.selected === arg || mcts.app.cursor().node === arg", node)
    screen.page.locator(f"#why .why-link[title='go to iteration {since:,}']").first.click()
    screen.wait(since)
    told = screen.site.trace(CONNECT_FOUR).explain(since)
    expect(screen.page.locator("#why p").first).to_have_text(str(told).split("\n")[0])


@pytest.mark.thorough
def test_it_answers_why_not_another_move(screen: Screen) -> None:
    open_why(screen, CONNECT_FOUR, 1_500)
    told = screen.site.trace(CONNECT_FOUR).explain(1_500)
    assert told.runner_up is not None
    screen.choose("why-not", told.runner_up.move)
    asked = screen.site.trace(CONNECT_FOUR).explain(1_500, why_not=told.runner_up.action)
    expect(screen.page.locator("#why .why-not-told")).to_have_text(str(asked).split("\n")[-1])


@pytest.mark.thorough
def test_it_explains_the_selected_node_too(screen: Screen) -> None:
    told = screen.site.trace(CONNECT_FOUR).explain(1_500, node=2)
    screen.open(CONNECT_FOUR, 1_500, node=2).tab("Why this move")
    screen.page.get_by_text("at the selected node").click()
    expect(screen.page.locator("#why p")).to_have_text(str(told).split("\n"))


@pytest.mark.thorough
def test_before_the_first_iteration_and_of_a_search_of_others(screen: Screen) -> None:
    open_why(screen, TIC_TAC_TOE, 0)
    expect(screen.page.locator("#why p")).to_have_text(
        "No move yet: no child of the root has been visited."
    )
    open_why(screen, FOREIGN, 60)
    expect(screen.text("why")).to_contain_text("scores are not in the trace")
