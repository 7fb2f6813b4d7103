"""Where the focus goes: by Tab to every control of a view, in the order in which one reads, always to be seen; into a
dialog and back to what opened it. No test here touches the mouse."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, SNAPSHOT, TIC_TAC_TOE
from tests.web.screen import Screen
from tests.web.test_keyboard import press_until, tab_to

ONE_PAGE = True  # see the fixture `page`

# the element that has the focus: where it lies, which part of the page it is in, whether one sees that it has it
STOP = """(parts) => {
    const element = document.activeElement;
    if (element === document.body) return null;
    const lit = (each) => { const style = each && getComputedStyle(each);
        return Boolean(style) && ((style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1)
            || style.boxShadow !== "none"); };
    const around = element.closest(".mantine-Input-wrapper, .mantine-SegmentedControl-root");
    const seen = around || element.closest("label, .mantine-Checkbox-root, .mantine-Switch-root") || element;
    const box = seen.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const again = element.dataset.reached !== undefined;
    element.dataset.reached = "";
    return {
        again,
        what: `${element.id} ${element.getAttribute("aria-label") || element.textContent}`.trim().slice(0, 80),
        part: parts.findIndex((part) => element.closest(part)),
        isLit: lit(element) || lit(around)
            || (element.matches("[type=radio], [type=checkbox]") && lit(element.nextElementSibling)),
        isSeen: box.width > 0 && top !== null && (seen.contains(top) || top.contains(seen)), // and not covered
    };
}"""
# controls that one sees and that Tab should have reached; of a group with arrow keys one is enough
MISSED = """(where) => {
    const all = [...document.querySelectorAll(
        `${where} :is(button, a[href], input, select, textarea, summary, [tabindex="0"])`)];
    const group = (each) => each.closest("[role=tablist], [role=radiogroup], [role=grid], .ag-root, [role=menu]");
    const reached = (each) => each.dataset.reached !== undefined
        || (group(each) && group(each).querySelector("[data-reached]"));
    return all.filter((each) => each.checkVisibility({visibilityProperty: true, opacityProperty: true})
        && each.getBoundingClientRect().width > 1 && !each.disabled && each.tabIndex >= 0 && !reached(each)
        && !each.closest("[inert], [aria-hidden=true]"))
        .map((each) => each.outerHTML.slice(0, 160));
}"""
PARTS = [
    ".bar", ".match", ".tools", ".tree", "[data-edge=side]", ".verdict", ".side .node",
    "[data-edge=node]", ".tabs", ".compare", ".controls", ".timeline",
]  # fmt: skip


def walk(screen: Screen, parts: list[str]) -> list[dict[str, Any]]:
    """Press Tab from the first control to the last; what it stops at."""
    screen.page.evaluate(
        "document.querySelectorAll('[data-reached]').forEach((each) => delete each.dataset.reached)"
    )
    stops: list[dict[str, Any]] = []
    for _ in range(150):
        screen.press("Tab")
        stop = screen.page.evaluate(STOP, parts)
        if stop is None or stop["again"]:
            return stops
        stops.append(stop)
    raise AssertionError(f"no end to it: {[stop['what'] for stop in stops]}")


def to_the_top(screen: Screen) -> None:
    """Tab goes on from where the focus was last, also if that is gone: from before the first control."""
    screen.page.evaluate(
        "() => { const top = document.createElement('button'); document.body.prepend(top); top.focus(); top.remove(); }"
    )


def expect_good_order(screen: Screen, parts: list[str], where: str) -> None:
    """Tab reaches everything there, part after part, and one sees where it is."""
    stops = walk(screen, parts)
    assert [stop["what"] for stop in stops if not stop["isLit"]] == []
    assert [stop["what"] for stop in stops if not stop["isSeen"]] == []
    order = [stop["part"] for stop in stops]
    assert -1 not in order, [stop["what"] for stop in stops if stop["part"] == -1]
    assert order == sorted(order), [(stop["part"], stop["what"]) for stop in stops]
    assert screen.page.evaluate(MISSED, where) == []


def ready(screen: Screen, name: str = CONNECT_FOUR, iteration: int = 1_000) -> Screen:
    screen.open(name, iteration)
    expect(screen.page.locator("#children-table .ag-row").first).to_be_visible()
    screen.page.wait_for_load_state("networkidle")
    return screen


@pytest.mark.thorough
@pytest.mark.parametrize(
    "tab",
    few(
        [
            "Notes",
            "Why this move",
            "Children",
            "Siblings",
            "This iteration",
            "History",
            "Rollouts",
            "Health",
        ],
    ),
)
def test_tab_walks_the_page_in_order(screen: Screen, tab: str) -> None:
    ready(screen)
    tab_to(screen, "[role=tab]")
    press_until(screen, "ArrowRight", f"document.activeElement.textContent === {tab!r}")
    if tab == "Why this move":  # its links come with its words
        expect(screen.page.locator(".why-link").first).to_be_visible()
    screen.page.wait_for_load_state("networkidle")
    to_the_top(screen)
    expect_good_order(screen, PARTS, ".page")


@pytest.mark.thorough
def test_a_panel_that_is_drawn_again_keeps_the_focus_where_it_was(screen: Screen) -> None:
    ready(screen)
    tab_to(screen, "[role=tab]")
    press_until(screen, "ArrowRight", "document.activeElement.textContent === 'Why this move'")
    expect(screen.page.locator(".why-link").first).to_be_visible()
    press_until(screen, "Tab", "document.activeElement.matches('.why-link')")
    screen.page.evaluate(
        "document.querySelectorAll('.why-link').forEach((each) => each.dataset.old = '')"
    )
    screen.press("ArrowLeft").wait(999)
    screen.page.wait_for_function("() => !document.querySelector('.why-link[data-old]')")
    screen.page.wait_for_function("() => document.activeElement.matches('.why-link')")
    # who leaves it of their own accord is not fetched back
    screen.page.evaluate("document.activeElement.blur()")
    screen.press("ArrowLeft").wait(998)
    screen.page.wait_for_load_state("networkidle")
    assert screen.page.evaluate("document.activeElement === document.body")


@pytest.mark.thorough
@pytest.mark.parametrize("theme", few(["light", "dark"]))
def test_tab_walks_compare_and_play_in_order(screen: Screen, theme: str) -> None:
    screen.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    ready(screen)
    tab_to(screen, "#match-button")
    screen.press("Enter")
    expect(screen.text("match-panel")).to_be_visible()
    to_the_top(screen)
    expect_good_order(screen, PARTS, ".page")
    tab_to(screen, "#compare-button")
    screen.press("Enter")
    expect(screen.text("compare-panel")).to_be_visible()
    to_the_top(screen)
    expect_good_order(screen, PARTS, ".page")


@pytest.mark.thorough
def test_what_a_snapshot_cannot_do_is_reached_and_says_why(screen: Screen) -> None:
    ready(screen, SNAPSHOT, 1)
    expect_good_order(screen, PARTS, ".page")
    tab_to(screen, "#play-button")
    expect(screen.page.locator("#play-button")).to_have_attribute(
        "aria-description", "this file is a single tree"
    )
    screen.press("Enter")
    expect(screen.status()).to_contain_text("this file is a single tree")


DIALOGS = {
    "find-button": "Find a node",
    "new-search-button": "New search",
    "help-button": "Help",
    "what-if-button": "What if",
}


@pytest.mark.parametrize("opener", few(DIALOGS))
def test_a_dialog_takes_the_focus_and_gives_it_back(screen: Screen, opener: str) -> None:
    screen.open(TIC_TAC_TOE, 150)
    expect(screen.page.locator("#children-table .ag-row").first).to_be_visible()
    tab_to(screen, f"#{opener}")
    screen.press("Enter")
    dialog = screen.page.get_by_role("dialog", name=DIALOGS[opener])
    expect(dialog).to_be_visible()
    screen.page.wait_for_function("() => document.activeElement.closest('[role=dialog]') !== null")
    expect_good_order(screen, ["[role=dialog]"], "[role=dialog]")
    screen.press("Escape")
    expect(dialog).to_be_hidden()
    screen.page.wait_for_function(f"() => document.activeElement.id === {opener!r}")
    screen.press("ArrowRight").wait(151)  # and the page has its keys again


@pytest.mark.thorough
@pytest.mark.parametrize(("key", "name"), few([("/", "Find a node"), ("?", "Help")]))
def test_a_dialog_opened_by_its_key_gives_the_focus_back_to_the_page(
    screen: Screen, key: str, name: str
) -> None:
    ready(screen, TIC_TAC_TOE, 150)
    screen.press(key)
    dialog = screen.page.get_by_role("dialog", name=name)
    expect(dialog).to_be_visible()
    screen.press("Escape")
    expect(dialog).to_be_hidden()
    screen.press("ArrowRight").wait(151)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("opener", "opened"),
    few(
        [
            (".menu-button", "[role=menu]"),
            (".filter-button", ".mantine-Popover-dropdown:has(#filter-least)"),
            (".mcts-marks-button", ".mcts-marks-menu"),
        ]
    ),
)
def test_a_menu_gives_the_focus_back(screen: Screen, opener: str, opened: str) -> None:
    ready(screen, TIC_TAC_TOE, 150)
    tab_to(screen, opener)
    screen.press("Enter")
    expect(screen.page.locator(opened).first).to_be_visible()
    press_until(screen, "Tab", f"document.activeElement.closest({opened!r}) !== null")
    screen.press("Escape")
    expect(screen.page.locator(opened).first).to_be_hidden()
    screen.page.wait_for_function(f"() => document.activeElement.matches({opener!r})")
