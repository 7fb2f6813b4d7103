"""What the page loads before it can be used, and after: figures of docs/benchmarks.md that no machine changes."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import new_context
from tests.web.loading import CALL, Loading
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen, Site

IS_CLEAR = """(element) => {
    while (element && getComputedStyle(element).opacity === "1") element = element.parentElement;
    return element === null;
}"""


def test_a_first_visit_asks_for_little(browser: Browser, site: Site) -> None:
    with new_context(browser) as context:  # with a cache of its own
        check_first_visit(context.new_page(), site)


def check_first_visit(page: Page, site: Site) -> None:
    """What comes before the page can be used, and after."""
    loading = Loading(page)
    page.goto(f"{site.address}?trace={site.key(TIC_TAC_TOE)}")
    page.wait_for_function("() => window.mcts?.app?.debug?.()?.paints.length > 0")
    loading.begin_to_count()
    page.wait_for_selector("#children-table .ag-row")
    page.wait_for_selector(".verdict *")
    page.wait_for_load_state("networkidle")
    assert loading.before <= 30, loading.asked
    assert sum(CALL in url for url in loading.asked[: loading.before]) <= 1, loading.asked
    assert loading.panel_calls <= 8
    assert 1 < loading.megabytes <= 2.2


@pytest.mark.thorough
def test_plotly_is_the_small_copy_and_tables_come_when_one_is_seen(screen: Screen) -> None:
    loading = Loading(screen.page)
    screen.open(TIC_TAC_TOE, 250)
    screen.page.wait_for_selector("#children-table .ag-row")
    order = [url.partition("?")[0].rpartition("/")[2] for url in loading.asked]
    assert "plotly-cartesian.min.js" in order
    assert "plotly.min.js" not in order
    assert order.index("async-graph.js") < next(
        i for i, name in enumerate(order) if name.startswith("dash_ag_grid")
    )


@pytest.mark.thorough
def test_what_the_list_says_of_traces_is_asked_when_somebody_turns_to_it(screen: Screen) -> None:
    loading = Loading(screen.page)
    screen.open(TIC_TAC_TOE, 250)
    screen.page.wait_for_load_state("networkidle")
    assert not [url for url in loading.asked if "thumbnail" in url or "finding-count" in url]
    with screen.page.expect_request("**/thumbnail.svg*"):
        screen.page.locator("#trace-select").click()
    screen.page.keyboard.press("Escape")


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_trace_that_takes_long_says_how_far_it_is(screen: Screen, site: Site) -> None:
    screen.open(TIC_TAC_TOE, 250)
    key, waiting = site.key(CONNECT_FOUR), []
    screen.page.route("**/opening", lambda route: route.fulfill(json={"share": 0.428}))
    screen.page.route(f"**/{key}/view*", lambda route: waiting.append(route))
    screen.page.evaluate("(key) => { mcts.app.openTrace(key); }", key)
    line = screen.page.locator("#status-line")
    expect(line).to_have_text("Loading … 42 %")
    assert line.evaluate(IS_CLEAR), "the words of what is loading are not dimmed with what is stale"
    waiting[0].continue_()
    expect(line).to_contain_text("nodes in view")
