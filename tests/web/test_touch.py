"""The tree under fingers: a drag moves it, a pinch zooms it, a tap selects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.conftest import watched
from tests.web.recordings import CONNECT_FOUR
from tests.web.screen import Screen, Site


@pytest.fixture
def touched(browser: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """A page on a screen that feels fingers."""
    context = browser.new_context(has_touch=True, viewport={"width": 1280, "height": 720})
    page = context.new_page()
    with watched(page, request):
        yield Screen(page, site).open(CONNECT_FOUR, 1_000, budget=0)
    context.close()


def fingers(screen: Screen, *path: list[tuple[float, float]]) -> None:
    """Fingers that go the same number of ways, each its own."""
    session = screen.page.context.new_cdp_session(screen.page)
    for step, at in enumerate(zip(*path)):
        points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(at)]
        kind = "touchMove" if step else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        screen.page.evaluate("new Promise(requestAnimationFrame)")
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    screen.wait()


def test_fingers_move_and_zoom_the_tree_and_a_tap_selects(touched: Screen) -> None:
    before = touched.items()
    child = touched.site.trace(CONNECT_FOUR).at(1_000).ranked_children(0)[1]
    at = before[child]["position"]
    fingers(touched, [(at["x"] + 5, at["y"] + 6)])
    touched.wait_for(f"d.cursor.node === {child}")

    fingers(touched, [(400 + 20 * n, 300 + 5 * n) for n in range(6)])
    moved = touched.items()[child]["position"]
    assert moved["x"] - at["x"] == pytest.approx(100, abs=25)  # it begins once it is no tap
    assert moved["y"] - at["y"] == pytest.approx(25, abs=8)

    fingers(
        touched, [(400 - 10 * n, 300) for n in range(8)], [(480 + 10 * n, 300) for n in range(8)]
    )
    first, second = (touched.items()[v]["position"] for v in (0, child))
    times = (second["y"] - first["y"]) / (
        before[child]["position"]["y"] - before[0]["position"]["y"]
    )
    assert times > 1.8
