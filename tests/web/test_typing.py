"""Keys pressed before what they are meant for is there: none is lost, and none does what was not meant."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

PRESS_AT_ONCE = """(keys) => { for (const key of keys) {
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})); } }"""


@pytest.mark.thorough
def test_what_is_typed_after_the_key_of_the_finder_is_in_its_field(screen: Screen) -> None:
    files = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    screen.page.evaluate(PRESS_AT_ONCE, [*"/b2 a1", "Backspace", "3"])  # all before it is drawn
    expect(screen.text("find-text")).to_have_value("b2 a3")
    expect(screen.text("find-text")).to_be_focused()
    screen.page.keyboard.type(" c1")
    expect(screen.text("find-text")).to_have_value("b2 a3 c1")
    assert screen.cursor()["node"] == 0
    screen.press("Escape")
    expect(screen.text("find-text")).to_have_count(0)
    screen.page.evaluate(PRESS_AT_ONCE, [*"/#17", "Enter"])  # in place of the line of before
    screen.wait_for("d.cursor.node === 17")
    assert screen.site.names() == files


@pytest.mark.thorough
def test_enter_finds_what_was_typed_an_instant_before(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    screen.press("/")
    expect(screen.text("find-text")).to_be_focused()
    screen.page.evaluate("""() => {
        const field = document.activeElement;
        field.setRangeText("#17");
        field.dispatchEvent(new Event("input", {bubbles: true}));
        field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
    }""")
    screen.wait_for("d.cursor.node === 17")


@pytest.mark.thorough
def test_the_text_of_a_bookmark_is_typed_at_once(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    screen.page.evaluate(PRESS_AT_ONCE, list("bend here"))
    expect(screen.page.locator(".note-text")).to_have_value("end here")
    assert screen.debug()["t"] == 100


def test_keys_pressed_while_the_page_is_loaded_are_not_lost(screen: Screen) -> None:
    files = screen.site.names()
    key = screen.site.key(CONNECT_FOUR)
    screen.page.add_init_script(
        "addEventListener('DOMContentLoaded', () => ("
        + PRESS_AT_ONCE
        + ")(['ArrowRight', 'ArrowRight', ...'/b2 4 3']))"
    )
    screen.page.goto(f"{screen.site.address}?trace={key}&iteration=100")
    expect(screen.text("find-text")).to_have_value("b2 4 3")
    screen.wait(102)
    assert screen.site.names() == files
