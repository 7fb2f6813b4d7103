"""Usable without a mouse and with a screen reader: axe-core finds nothing grave in any view, light or dark; every
control has a name, a tooltip and a visible focus; and everything can be reached by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.variants import few
from tests.web.accessibility import violations
from tests.web.recordings import CONNECT_FOUR, FOREIGN, INTERRUPTED, SNAPSHOT, TIC_TAC_TOE
from tests.web.screen import Screen
from tests.web.test_keyboard import tab_to

ONE_PAGE = True  # see the fixture `page`
THEMES = few(["light", "dark"])


def in_theme(screen: Screen, theme: str) -> Screen:
    """Open a trace in the middle of its search, in that theme."""
    screen.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    screen.page.emulate_media(reduced_motion="reduce")
    if screen.page.url != "about:blank":  # a test before may have chosen a theme
        screen.page.evaluate("localStorage.removeItem('theme')")
        screen.page.goto("about:blank")
    screen.open(TIC_TAC_TOE, 150)
    expect(screen.page.locator(f"html[data-mcts-theme={theme}]")).to_have_count(1)
    expect(screen.page.locator("#children-table .ag-row").first).to_be_visible()
    return screen


DIALOGS = "[role=dialog], [role=menu]"


def expect_accessible(screen: Screen, within: str | None = None) -> None:
    found = violations(screen.page, within)
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("theme", THEMES)
def test_the_first_page(screen: Screen, theme: str) -> None:
    in_theme(screen, theme)
    screen.press("ArrowRight").wait(151)
    expect_accessible(screen)


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_tab(screen: Screen, theme: str) -> None:
    in_theme(screen, theme)
    for name in screen.page.get_by_role("tab").all_text_contents():
        screen.tab(name)
        panel = screen.page.locator("[role=tabpanel]:visible")
        expect(panel).not_to_be_empty()
        expect(panel.locator(".mantine-Loader-root")).to_have_count(0)  # of the checks
        expect_accessible(screen, "[role=tabpanel]")


def open_new_search(screen: Screen) -> None:
    screen.page.get_by_role("button", name="New search").click()
    expect(screen.text("search-start")).to_be_visible()
    policies = screen.text("search-policies")
    if policies.get_by_role("button").count():
        policies.get_by_role("button").first.click()


def open_play(screen: Screen) -> None:
    screen.page.get_by_role("button", name="Play", exact=True).click()
    expect(screen.text("match-begin")).to_be_visible()


def begin_match(screen: Screen) -> None:
    screen.text("match-begin").click()
    expect(screen.text("match-position").locator("button").first).to_be_visible()


def open_find(screen: Screen) -> None:
    screen.press("/")
    expect(screen.text("find-text")).to_be_visible()


def open_help(screen: Screen) -> None:
    screen.press("?")
    expect(screen.text("key-list")).to_be_visible()


def open_export(screen: Screen) -> None:
    screen.page.get_by_role("button", name="Export").click()
    expect(screen.page.get_by_role("menuitem").first).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dialogs_and_panels(screen: Screen, theme: str) -> None:
    in_theme(screen, theme)
    for opening in (open_find, open_help, open_export, open_new_search):
        opening(screen)
        expect_accessible(screen, DIALOGS)
        screen.press("Escape")
        expect(screen.page.locator("[role=dialog]:visible, [role=menu]:visible")).to_have_count(0)
    open_play(screen)
    expect_accessible(screen, "#match-panel")
    begin_match(screen)
    expect_accessible(screen)


@pytest.mark.thorough
@pytest.mark.parametrize("name", few([SNAPSHOT, INTERRUPTED, FOREIGN]))
def test_states(screen: Screen, name: str) -> None:
    screen.open(name, 1)
    screen.page.wait_for_load_state("networkidle")
    expect_accessible(screen)


@pytest.mark.thorough
@pytest.mark.parametrize("theme", THEMES)
def test_a_search_as_one_file(screen: Screen, theme: str, tmp_path: Path) -> None:
    mv.search("tic_tac_toe", iterations=100, seed=1).to_html(tmp_path / "steps.html")
    screen.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    screen.page.goto((tmp_path / "steps.html").as_uri())
    screen.page.wait_for_selector("#side table")
    found = violations(screen.page)
    assert found == [], "\n".join(found)
    screen.page.get_by_title("Keys ( ? )").click()
    found = violations(screen.page)
    assert found == [], "\n".join(found)


FOCUSED = """() => {
    const element = document.activeElement, style = getComputedStyle(element);
    const lit = (each) => { const s = getComputedStyle(each);
        return (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1) || s.boxShadow !== "none"; };
    const box = element.closest(".mantine-InputWrapper-root, .mantine-Input-wrapper, .ag-root-wrapper") || element;
    const before = box.dataset.resting;
    return {
        what: `${element.id} ${element.outerHTML.slice(0, 140)}`,
        body: element === document.body,
        // a cell of a table is named by what stands in it, or is empty
        named: element.matches(".ag-header-cell, .ag-cell") || Boolean(element.getAttribute("aria-label")
            || element.labels?.length || element.textContent.trim()
            || element.getAttribute("aria-labelledby") || element.title),
        seen: lit(element) || lit(box) || style.borderColor !== element.dataset.resting,
    };
}"""
REMEMBER = """() => { for (const each of document.querySelectorAll("input, button, a, [tabindex]"))
    each.dataset.resting = getComputedStyle(each).borderColor; }"""


@pytest.mark.thorough
def test_tab_reaches_every_control_and_shows_where_it_is(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 500)
    expect(screen.page.locator("#children-table .ag-row").first).to_be_visible()
    screen.page.evaluate(REMEMBER)
    stops = []
    for _ in range(120):
        screen.press("Tab")
        stop = screen.page.evaluate(FOCUSED)
        if stop["body"]:
            break
        assert stop["named"], stop["what"]
        assert stop["seen"], stop["what"]
        stops.append(stop["what"])
    reached = " ".join(stops)
    for part in (
        "trace-select", "new-search-button", "match-button", "open-button", "theme-button", "help-button",
        "colour-select", "size-select", "budget-select", "play-button", "speed-select", "mcts-scrubber",
    ):  # fmt: skip
        assert part in reached, part


@pytest.mark.thorough
def test_every_button_has_a_tooltip(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 150)
    for selector in (".bar button", ".tools .mantine-ActionIcon-root", ".controls button"):
        buttons = screen.page.locator(f"{selector}:visible")
        tips = buttons.evaluate_all(
            "(all) => all.map((one) => one.closest('[data-tip]')?.dataset.tip)"
        )
        without = [place for place, tip in enumerate(tips) if not tip]  # of Dash's own kind
        for button in map(buttons.nth, [0, *without, len(tips) - 1]):
            screen.page.mouse.move(1, 1)
            expect(screen.page.get_by_role("tooltip")).to_have_count(0)
            button.hover()
            expect(screen.page.get_by_role("tooltip")).to_be_visible()
    screen.page.mouse.move(1, 1)


@pytest.mark.thorough
def test_the_keyboard_shows_tooltips_too_and_any_key_takes_them_away(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 150)
    tab_to(screen, "#match-button")
    words = screen.page.locator("[data-tip]:has(#match-button)").get_attribute("data-tip")
    assert words
    expect(screen.page.get_by_role("tooltip")).to_have_text(words)
    screen.press("Shift")
    expect(screen.page.get_by_role("tooltip")).to_have_count(0)


def test_help_lists_every_key_and_what_the_mouse_does(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 150)
    open_help(screen)
    keys = screen.page.evaluate("mcts.app.keys().map((key) => key.text)")
    for text in keys:
        expect(screen.text("key-list")).to_contain_text(text)
    expect(screen.page.locator(".help")).to_contain_text("Double click")
    screen.press("Escape")
    expect(screen.text("key-list")).to_be_hidden()
