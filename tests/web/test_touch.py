"""The page under fingers: in the tree a drag moves, a pinch zooms, a tap selects; one that rests asks what is there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from tests.conftest import watched
from tests.web.recordings import CONNECT_FOUR
from tests.web.screen import Screen, Site


@pytest.fixture(scope="module")
def felt(browser: Browser) -> Iterator[Page]:
    """A page on a screen that feels fingers."""
    context = browser.new_context(has_touch=True, viewport={"width": 1280, "height": 720})
    yield context.new_page()
    context.close()


@pytest.fixture
def touched(felt: Page, site: Site, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """That page, which the test before has left."""
    with watched(felt, request):
        yield Screen(felt, site).open(CONNECT_FOUR, 1_000, budget=0)


def touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    told = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})


def middle(part: Locator) -> tuple[float, float]:
    box = part.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def fingers(screen: Screen, *path: list[tuple[float, float]]) -> None:
    """Fingers that go the same number of ways, each its own."""
    session = screen.page.context.new_cdp_session(screen.page)
    for step, at in enumerate(zip(*path)):
        points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(at)]
        kind = "touchMove" if step else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        if step:  # a tap waits for no picture: on a busy machine it would be a finger that rests
            screen.page.evaluate("new Promise(requestAnimationFrame)")
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    screen.wait()


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_fingers_move_and_zoom_the_icicle_and_a_tap_selects(touched: Screen) -> None:
    touched.open(CONNECT_FOUR, 1_000, budget=0, show="both")
    child = touched.site.trace(CONNECT_FOUR).at(1_000).ranked_children(0)[1]

    def box() -> dict[str, float]:
        found: dict[str, float] = touched.wait_for(
            "d.icicle?.t === 1000 && d.icicle.boxes.find((box) => box.node === arg)", child
        )
        return found

    before, drawn = box(), touched.debug()["icicle"]["drawn"]
    x, y = before["x"] + before["width"] / 2, before["y"]
    fingers(touched, [(x, y)])
    touched.wait_for(f"d.cursor.node === {child} && d.icicle.selected === {child}")

    fingers(touched, [(x - 5 - 8 * n, y) for n in range(8)], [(x + 5 + 8 * n, y) for n in range(8)])
    touched.wait_for("d.icicle.zoom.times > 2")
    wide = box()
    times = touched.debug()["icicle"]["zoom"]["times"]
    assert wide["width"] == pytest.approx(times * before["width"], rel=1e-3)
    assert abs(wide["x"] + wide["width"] / 2 - x) < 25  # what was between the fingers still is
    touched.wait_for("d.icicle.drawn > arg", drawn)  # there is room for more nodes

    fingers(touched, [(x - 15 * n, y) for n in range(6)])
    moved = box()
    assert moved["x"] - wide["x"] == pytest.approx(-75, abs=25)
    assert moved["width"] == pytest.approx(wide["width"])
    touched.press("0")
    touched.wait_for("d.icicle.zoom.times === 1")


def test_a_finger_that_rests_asks_and_presses_nothing(touched: Screen) -> None:
    session = touched.page.context.new_cdp_session(touched.page)
    child = touched.site.trace(CONNECT_FOUR).at(1_000).ranked_children(0)[1]
    at = touched.items()[child]["position"]
    touch(session, "touchStart", (at["x"], at["y"]))
    card = touched.text("hover-card")
    expect(card).to_contain_text(f"node {child}")
    touch(session, "touchEnd")
    expect(card).to_be_visible()
    assert touched.cursor()["node"] != child

    back = touched.step_button("One back")
    touch(session, "touchStart", middle(back))
    tip = touched.page.locator(".mcts-tip")
    expect(tip).to_contain_text("One back")
    expect(card).to_be_visible()  # of the tree, until that is touched again
    touch(session, "touchEnd")
    fingers(touched, [middle(touched.step_button("10 back"))])  # a press is one
    expect(tip).to_have_count(0)
    touched.wait_for("d.t === 990")  # and the rest before was none


@pytest.mark.thorough
def test_a_finger_that_rests_on_the_timeline_draws_a_range(touched: Screen) -> None:
    session = touched.page.context.new_cdp_session(touched.page)
    chart = touched.page.locator(".mcts-timeline canvas")
    x, y = middle(chart)
    touch(session, "touchStart", (x, y))
    expect(touched.text("origin")).to_be_visible()
    for n in range(5):
        touch(session, "touchMove", (x + 30 * n, y))
    touch(session, "touchEnd")
    expect(touched.text("origin").locator("h3")).to_have_text("Totals of a range")
    first, last = touched.text("origin").locator("input[type=number]").all()
    assert int(last.input_value()) - int(first.input_value()) > 50
    touched.wait()
    assert touched.debug()["t"] == int(first.input_value())


@pytest.mark.thorough
def test_fingers_hit_what_is_thin(touched: Screen) -> None:
    edge = touched.page.locator("[data-edge=side]")
    before = edge.bounding_box()
    assert before is not None
    fingers(touched, [(before["x"] - 6 - 12 * n, before["y"] + 80) for n in range(6)])
    after = edge.bounding_box()
    assert after is not None
    assert after["x"] < before["x"] - 40
    slider = touched.page.locator(".mcts-scrubber").bounding_box()
    assert slider is not None
    assert slider["height"] >= 24
