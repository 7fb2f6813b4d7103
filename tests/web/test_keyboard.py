"""Everything by keys alone: no test here touches the mouse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


def tab_to(screen: Screen, selector: str) -> None:
    """Press Tab until an element has the focus."""
    press_until(screen, "Tab", f"document.activeElement.matches({selector!r})")


def press_until(screen: Screen, key: str, condition: str) -> None:
    """Press a key until a condition holds, at most once around the page, which has some 60 stops."""
    for _ in range(90):
        if screen.page.evaluate(condition):
            return
        screen.press(key)
    raise AssertionError(f"{key} does not lead to {condition}")


@pytest.mark.thorough
def test_trace_view_and_theme_are_chosen_by_keys(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "#trace-select")
    screen.page.keyboard.type("connect")
    screen.press("ArrowDown", "Enter")
    screen.wait_for("d.n_iterations === 2000")
    screen.wait(2_000)
    tab_to(screen, "#theme-button")
    screen.press("Enter")
    expect(screen.page.locator("html")).to_have_attribute("data-mcts-theme", "dark")
    tab_to(screen, "#colour-select")
    screen.press("ArrowDown", "ArrowDown", "Enter")
    screen.wait_for("d.options.colour === 'visits'")
    tab_to(screen, "#budget-select")
    screen.press(*["ArrowDown"] * 5, "Enter")  # that fit, 50, 100, 300, 1,000
    screen.wait_for("d.cursor.view.budget === 1000")


def test_nodes_are_selected_focused_and_left_by_keys(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(1_500)
    screen.open(CONNECT_FOUR, 1_500)
    screen.press("j")
    screen.wait_for("d.cursor.node !== 0")
    node = screen.cursor()["node"]
    screen.expect_facts(visits=f"{snapshot.visits[node]:,}")
    screen.press("f")
    screen.wait_for(f"d.items[0].node === {node}")
    screen.wait()
    # the server's word, which comes after the picture
    expect(screen.page.locator("#breadcrumbs button:first-child")).to_be_visible()
    tab_to(screen, "#trace-select")
    screen.press("Tab")
    expect(screen.page.locator("#new-search-button")).to_be_focused()  # not the list of traces
    tab_to(screen, "#breadcrumbs button:first-child")
    screen.press("Enter")
    screen.wait_for("d.items[0].node === 0")


@pytest.mark.thorough
def test_steps_play_and_the_slider_work_from_the_focused_controls(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "[aria-label^='One on']")
    screen.press("Enter").wait(101)
    screen.press(" ").wait(102)  # the button's own key
    screen.press("ArrowRight").wait(103)
    tab_to(screen, "#play-button")
    screen.press("Enter")
    screen.wait_for("d.playing && d.t > 104")
    screen.press("Enter").wait()
    tab_to(screen, ".mcts-scrubber")
    t = screen.debug()["t"]
    screen.press("ArrowRight").wait(t + 1)
    screen.press("Shift+ArrowRight").wait(t + 11)
    screen.press("End").wait(300)
    screen.press("Home").wait(0)


@pytest.mark.thorough
def test_tabs_and_export_are_reached_by_keys(screen: Screen, tmp_path: Path) -> None:
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "[role=tab]")
    press_until(screen, "ArrowRight", "document.activeElement.textContent === 'Siblings'")
    expect(screen.text("siblings-note")).to_contain_text("The root has no siblings")
    screen.press("ArrowRight")
    expect(screen.text("iteration-note")).to_contain_text("Scores before the choice")
    screen.wait(100)
    screen.page.get_by_role("button", name="Export").focus()
    with screen.page.expect_download() as download:
        screen.press("Enter")
        expect(screen.page.get_by_role("menuitem").first).to_be_visible()
        press_until(screen, "ArrowDown", "document.activeElement.textContent.includes('JSON')")
        screen.press("Enter")
    download.value.save_as(tmp_path / "out.json")
    expected = screen.site.trace(TIC_TAC_TOE).at(100).to_json() or ""
    assert json.loads((tmp_path / "out.json").read_text()) == json.loads(expected)


@pytest.mark.thorough
def test_the_tree_is_opened_and_closed_by_keys(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_500, budget=50)
    trace = screen.site.trace(CONNECT_FOUR)
    best, second = trace.at(2_000).ranked_children(0)[:2]
    before = screen.items().keys()
    screen.press("j")
    screen.wait_for("d.cursor.node === arg", best)
    screen.press("l")
    screen.wait_for("d.cursor.node === arg", second)
    screen.press("h", "e")
    screen.wait_for("d.cursor.node === arg && d.cursor.view.closed.includes(arg)", best)
    screen.wait()
    below = set(trace.at(2_000).children(best))
    assert not below & screen.items().keys()
    screen.press("e")
    screen.wait_for("!d.cursor.view.closed.includes(arg)", best)
    screen.wait()
    assert screen.items().keys() == before  # it opens as it was
    screen.press("k")
    screen.wait_for("d.cursor.node === 0")


@pytest.mark.thorough
def test_every_tab_is_shown_by_keys(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "[role=tab]")
    names = screen.page.get_by_role("tab").all_text_contents()
    for name in [*names[1:], names[0]]:
        screen.press("ArrowRight")
        expect(screen.page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        expect(screen.page.get_by_role("tabpanel", name=name)).to_be_visible()


@pytest.mark.thorough
def test_a_search_is_started_by_keys(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "#new-search-button")
    screen.press("Enter")
    expect(screen.page.get_by_role("dialog", name="New search")).to_be_visible()
    for field, text in (("iterations", "240"), ("seed", "7")):
        tab_to(screen, f"#search-{field}")
        screen.page.keyboard.type(text)
    tab_to(screen, "#search-start")
    screen.press("Enter")
    screen.wait_for("d.n_iterations === 240")
    screen.wait(240)
    (name,) = screen.site.names() - before
    found = mv.open(screen.site.folder / name)
    assert (found.n_iterations, found.meta["seed"]) == (240, 7)
    screen.press("ArrowLeft").wait(239)  # the page has its keys again


@pytest.mark.thorough
def test_a_move_is_played_by_keys(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "#match-button")
    screen.press("Enter")
    tab_to(screen, "#match-game")
    marked = "document.querySelector('[data-combobox-selected]')?.textContent === 'Tic-Tac-Toe'"
    press_until(screen, "ArrowDown", marked)
    screen.press("Enter")
    expect(screen.text("match-game")).to_have_value("Tic-Tac-Toe")
    tab_to(screen, "#match-begin")
    screen.press("Enter")
    board = screen.text("match-position").locator("[data-move]")
    expect(board).to_have_count(9)
    tab_to(screen, "#match-position [data-move]")
    press_until(
        screen, "ArrowRight", "document.activeElement.getAttribute('aria-label').startsWith('b')"
    )
    screen.press("Enter")
    expect(board).to_have_count(7)  # the engine has answered
    expect(screen.text("match-moves")).to_contain_text("b")
