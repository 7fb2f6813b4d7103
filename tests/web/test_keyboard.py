"""Everything by keys alone: no test here touches the mouse."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen


def tab_to(screen: Screen, selector: str) -> None:
    """Press Tab until an element has the focus."""
    press_until(screen, "Tab", f"document.activeElement.matches({selector!r})")


def press_until(screen: Screen, key: str, condition: str) -> None:
    """Press a key, as often as a person would, until a condition holds."""
    for _ in range(60):
        if screen.page.evaluate(condition):
            return
        screen.press(key)
    raise AssertionError(f"{key} does not lead to {condition}")


def test_trace_view_and_theme_are_chosen_by_keys(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "#trace-select")
    screen.page.keyboard.type("connect")
    screen.press("ArrowDown", "Enter")
    screen.wait_for("d.n_iterations === 2000")
    screen.wait(1_000)
    tab_to(screen, "#theme-button")
    screen.press("Enter")
    expect(screen.page.locator("html")).to_have_attribute("data-mcts-theme", "dark")
    tab_to(screen, "#colour-select")
    screen.press("ArrowDown", "ArrowDown", "Enter")
    screen.wait_for("d.options.colour === 'visits'")
    tab_to(screen, "#budget-select")
    screen.press("ArrowDown", "ArrowDown", "Enter")
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
    tab_to(screen, "#breadcrumbs button:first-child")
    screen.press("Enter")
    screen.wait_for("d.items[0].node === 0")


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


def test_tabs_and_export_are_reached_by_keys(screen: Screen, tmp_path: Path) -> None:
    screen.open(TIC_TAC_TOE, 100)
    tab_to(screen, "[role=tab]")
    screen.press("ArrowRight")
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
