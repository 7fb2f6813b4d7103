"""The tab History: its lines are the API's numbers, its cursor is the page's, and a click goes there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.web.recordings import CONNECT_FOUR, FOREIGN, TIC_TAC_TOE
from tests.web.screen import Screen, Site

ONE_PAGE = True  # see the fixture `page`

CHART = "document.querySelector('#history-chart .js-plotly-plot')"
LINES = f"{CHART}._fullData.map((d) => ({{name: d.name, x: Array.from(d.x), y: Array.from(d.y), width: d.line.width}}))"
WIDE = "wide"
# what the note says before its own words whenever Dash changes it
READS = """() => {
    const note = document.getElementById("history-note");
    window.readings = [];
    new MutationObserver(() => window.readings.push(getComputedStyle(note, "::before").content))
        .observe(note, {attributes: true});
}"""


@pytest.fixture(scope="module", autouse=True)
def _wide(site: Site) -> None:
    mv.search("mnk:5,5,4", iterations=400, seed=1, path=site.folder / f"{WIDE}.mcts")


def open_history(screen: Screen, name: str, iteration: int, **more: Any) -> Screen:
    screen.open(name, iteration, **more).tab("History")
    screen.page.wait_for_function(f"() => {CHART}?.data?.length > 0")
    return screen


def marked(screen: Screen, iteration: int) -> None:
    """Wait until the line in the chart marks this iteration."""
    screen.page.wait_for_function(
        f"t => {CHART}?._fullLayout?.shapes?.[0]?.x0 === t && {CHART}._fullLayout.shapes.length === 1",
        arg=iteration,
    )


def test_the_lines_are_the_histories_of_the_roots_moves(screen: Screen) -> None:
    open_history(screen, CONNECT_FOUR, 1_000)
    trace = screen.site.trace(CONNECT_FOUR)
    final = trace.at(2_000)
    lines = screen.page.evaluate(LINES)
    family = sorted(final.children(0), key=lambda v: (-int(final.visits[v]), v))
    assert [line["name"] for line in lines[::2]] == [final.label(v) for v in family]
    for node, visits, means in zip(family, lines[::2], lines[1::2]):
        history = trace.history(node)
        assert visits["y"] == history.visits[np.array(visits["x"])].tolist()
        assert means["y"] == pytest.approx(history.mean_value[np.array(means["x"])].tolist())
    chips = screen.page.locator(".history-chip")
    assert chips.all_text_contents() == [final.label(v) for v in family]
    titles = screen.page.locator("#history-chart .annotation-text").all_text_contents()
    assert titles[1].startswith("mean value, view of X")


@pytest.mark.thorough
def test_the_selected_nodes_line_is_thick(screen: Screen) -> None:
    open_history(screen, TIC_TAC_TOE, 200, node=3)
    label = screen.site.trace(TIC_TAC_TOE).at(300).label(3)
    expect(screen.page.locator(".history-chip.selected")).to_have_text(label)
    lines = screen.page.evaluate(LINES)
    assert {line["name"] for line in lines if line["width"] > 3} == {label}


@pytest.mark.thorough
@pytest.mark.own_page
def test_the_iteration_shown_is_marked_and_moves_along(screen: Screen) -> None:
    open_history(screen, CONNECT_FOUR, 900)
    marked(screen, 900)
    screen.press("ArrowRight").wait(901)
    marked(screen, 901)
    screen.press("Home").wait(0)
    marked(screen, 0)


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_click_goes_to_that_iteration(screen: Screen) -> None:
    open_history(screen, CONNECT_FOUR, 1_000)
    marked(screen, 1_000)
    plot = screen.page.locator("#history-chart .nsewdrag").first.bounding_box()
    assert plot is not None
    screen.page.mouse.move(plot["x"] + plot["width"] * 0.25, plot["y"] + plot["height"] / 2)
    expect(screen.page.locator("#history-chart .hoverlayer .hovertext").first).to_be_visible()
    screen.page.mouse.click(plot["x"] + plot["width"] * 0.25, plot["y"] + plot["height"] / 2)
    screen.wait_for("d.t !== 1000 && !d.loading")
    assert screen.debug()["t"] == pytest.approx(500, abs=12)
    marked(screen, screen.debug()["t"])


@pytest.mark.thorough
def test_the_visits_can_be_shown_as_share_and_on_a_logarithmic_scale(screen: Screen) -> None:
    open_history(screen, CONNECT_FOUR, 1_000)
    trace = screen.site.trace(CONNECT_FOUR)
    best = trace.at(2_000).ranked_children(0)[0]
    screen.text("history-scale").get_by_text("share", exact=True).click()
    screen.page.wait_for_function(f"() => {CHART}.layout.yaxis.tickformat === '.0%'")
    first = screen.page.evaluate(LINES)[0]
    expected = trace.history(best).visits[-1] / trace.history(0).visits[-1]
    assert first["y"][-1] == pytest.approx(expected)
    marked(screen, 1_000)
    screen.text("history-scale").get_by_text("log", exact=True).click()
    screen.page.wait_for_function(f"() => {CHART}.layout.yaxis.type === 'log'")
    marked(screen, 1_000)


@pytest.mark.thorough
def test_siblings_that_are_not_shown_are_counted(screen: Screen) -> None:
    open_history(screen, WIDE, 400)
    final = screen.site.trace(WIDE).at(400)
    visits = sorted((int(final.visits[v]) for v in final.children(0)), reverse=True)
    expect(screen.page.locator(".history-chip")).to_have_count(8)
    expect(screen.page.locator(".history-more")).to_have_text(
        f"+{len(visits) - 8} more with {sum(visits[8:])} visits"
    )


@pytest.mark.thorough
def test_another_node_brings_its_own_siblings(screen: Screen) -> None:
    open_history(screen, TIC_TAC_TOE, 300)
    final = screen.site.trace(TIC_TAC_TOE).at(300)
    parent = final.ranked_children(0)[0]
    node = final.ranked_children(parent)[0]
    screen.page.evaluate("node => mcts.app.select(node)", node)
    expect(screen.page.locator(".history-chip.selected")).to_have_text(final.label(node))
    names = {final.label(v) for v in final.children(parent)}
    assert set(screen.page.locator(".history-chip").all_text_contents()) <= names
    marked(screen, 300)


@pytest.mark.thorough
def test_hostile_names_stay_text_in_the_chart(screen: Screen) -> None:
    open_history(screen, FOREIGN, 30)
    expect(screen.page.locator(".history-chip").first).to_contain_text("<img src=x")
    titles = screen.page.locator("#history-chart .annotation-text").all_text_contents()
    assert "A <img src=x" in titles[1]
    assert screen.page.locator("#history-chart img").count() == 0


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_file_that_was_written_again_has_its_new_history_and_the_tab_says_that_it_reads(
    screen: Screen,
) -> None:
    open_history(screen, WIDE, 400)
    before = screen.page.evaluate(LINES)
    mv.search("mnk:5,5,4", iterations=400, seed=2, path=screen.site.folder / f"{WIDE}.mcts")
    screen.page.evaluate(READS)
    screen.page.evaluate("key => mcts.app.openTrace(key, {iteration: 400})", screen.site.key(WIDE))
    screen.page.wait_for_function(
        f"before => JSON.stringify({LINES}) !== JSON.stringify(before)", arg=before
    )
    final = screen.site.trace(WIDE).at(400)
    best = screen.page.evaluate(LINES)[0]
    assert best["y"][-1] == max(int(final.visits[v]) for v in final.children(0))
    assert '"Reading the history …"' in screen.page.evaluate("window.readings")
