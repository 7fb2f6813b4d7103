"""Nothing overlaps and nothing is cut off, from tablets to large screens, alone and while playing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.variants import few
from tests.web.recordings import CONNECT_FOUR
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`

SIZES = [
    (1280, 720),
    pytest.param((820, 1180), marks=pytest.mark.thorough),
    pytest.param((1920, 1080), marks=pytest.mark.thorough),
    pytest.param((1024, 768), marks=pytest.mark.thorough),
]
# boxes of what is in a container, those that one can see; an overlap of a pixel is a rounding
BOXES = """(selector) => [...document.querySelectorAll(selector)].flatMap((each) => {
    const box = each.getBoundingClientRect();
    if (!box.width || !box.height || getComputedStyle(each).visibility === "hidden") return [];
    return [{what: each.id || each.getAttribute("aria-label") || each.className || each.textContent,
        left: box.left, top: box.top, right: box.right, bottom: box.bottom}];
})"""
PICTURES_LOADED = (
    "() => [...document.querySelectorAll('.rollout-board')].every((each) => each.complete)"
)
AREAS = (
    ".bar > *",
    ".tools > *",
    ".controls > *",
    ".under > *",
    ".page > *",
    ".work > *",
    ".side > *",
    ".tabs [role=tab]",
)


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def sized(screen: Screen, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """The page at a size of the window."""
    width, height = request.param
    screen.page.set_viewport_size({"width": width, "height": height})
    screen.open(CONNECT_FOUR, 500)
    expect(screen.page.locator("#children-table .ag-row").first).to_be_visible()
    yield screen
    screen.page.set_viewport_size({"width": 1280, "height": 720})


def overlap(a: dict[str, Any], b: dict[str, Any]) -> bool:
    wide = min(a["right"], b["right"]) - max(a["left"], b["left"])
    high = min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
    return bool(wide > 1.5 and high > 1.5)


def expect_order(screen: Screen) -> None:
    """No two neighbours lie on one another, and none leaves the window."""
    size = screen.page.viewport_size
    assert size is not None
    for area in AREAS:
        boxes = screen.page.evaluate(BOXES, area)
        for i, box in enumerate(boxes):
            assert box["left"] >= -1, (area, box)
            if area != ".tabs [role=tab]":  # these scroll
                assert box["right"] <= size["width"] + 1, (area, box)
            assert box["bottom"] <= size["height"] + 1, (area, box)
            for other in boxes[i + 1 :]:
                assert not overlap(box, other), (area, box, other)
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_overlaps(sized: Screen) -> None:
    expect_order(sized)
    picture = sized.page.locator(".picture").bounding_box()
    assert picture is not None
    assert picture["width"] > 380
    assert picture["height"] > 220
    if (sized.page.viewport_size or {}).get("width", 0) >= 1024:
        tools = sized.page.locator(".tools").bounding_box()
        assert tools is not None
        assert tools["height"] < 60, "the tools have one row"
        controls = sized.page.locator(".controls").bounding_box()
        assert controls is not None
        assert controls["height"] < 50, "and so have the buttons that step, with the decision"


@pytest.mark.thorough
def test_a_simulation_is_whole_with_its_buttons_and_its_end(sized: Screen) -> None:
    sized.tab("Rollouts")
    result = sized.page.locator(".rollouts-player .rollout-result")
    expect(result).to_be_visible()
    sized.page.wait_for_function(PICTURES_LOADED)
    room = sized.page.locator(".rollouts-player").bounding_box()
    end = result.bounding_box()
    board = sized.page.locator(".rollouts-player .rollout-board").bounding_box()
    assert room is not None
    assert end is not None
    assert board is not None
    assert end["y"] + end["height"] <= room["y"] + room["height"] + 1
    assert board["width"] >= 72, "its cells can be told apart"


@pytest.mark.thorough
def test_nothing_overlaps_while_playing(sized: Screen) -> None:
    sized.page.get_by_role("button", name="Play", exact=True).click()
    expect(sized.text("match-begin")).to_be_visible()
    line = "document.getElementById('status-line')"
    sized.page.wait_for_function(f"() => {line}.scrollWidth <= {line}.clientWidth")
    sized.text("match-begin").click()
    expect(sized.text("match-position").locator("button").first).to_be_visible()
    expect_order(sized)
    board = sized.page.locator("#match-position .match-board").bounding_box()
    panel = sized.page.locator(".match").bounding_box()
    assert board is not None
    assert panel is not None
    assert board["x"] >= panel["x"]
    assert board["x"] + board["width"] <= panel["x"] + panel["width"] + 1


@pytest.mark.parametrize("button", few(["New search", "Help"]))
def test_dialogs_fit_the_window(sized: Screen, button: str) -> None:
    sized.page.get_by_role("button", name=button).click()
    dialog = sized.page.locator(".mantine-Modal-content:visible")
    expect(dialog).to_be_visible()
    sized.page.wait_for_function(
        "() => document.getAnimations().every((each) => each.playState !== 'running')"
    )
    # it slides in from above, and may not have begun to
    sized.page.wait_for_function(
        "e => e.getBoundingClientRect().top >= 0", arg=dialog.element_handle()
    )
    box, size = dialog.bounding_box(), sized.page.viewport_size
    assert box is not None
    assert size is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] >= 0
    assert dialog.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    sized.press("Escape")
    expect(dialog).to_be_hidden()
