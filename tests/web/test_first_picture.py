"""The tree is drawn before Dash has made the page, and stays where it is when the page takes over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import Console
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, FOREIGN
from tests.web.screen import Screen

FRAME = ".first-picture"
# Dash says so thirty frames after Plotly has made the tree's graph, as happens on a slow machine
DASH_IS_LATE = """
let mcts, dash, frames = 0;
const isReady = () => dash.isReady() && Boolean(document.querySelector("#tree-graph .js-plotly-plot")) && ++frames > 30;
Object.defineProperty(window, "mcts", {
    get: () => mcts,
    set(made) {
        if (made === mcts) return;
        mcts = made;
        Object.defineProperty(mcts, "dash", {get: () => dash && {...dash, isReady}, set(found) { dash = found; }});
    },
});
"""


@contextmanager
def dash_held(page: Page) -> Iterator[None]:
    """Keep from Dash what it makes the page of; it gets it in the end."""
    held: list[Route] = []
    page.route("**/_dash-layout", lambda route: held.append(route))
    yield
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.unroute("**/_dash-layout")


@pytest.mark.parametrize(
    "size", [(1280, 720), pytest.param((1920, 1080), marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize(("trace", "iteration"), few([(CONNECT_FOUR, 700), (FOREIGN, 60)]))
def test_the_tree_is_there_first_and_stays_where_it_is(
    page: Page, screen: Screen, trace: str, iteration: int, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    with dash_held(page):
        page.goto(f"{screen.site.address}?trace={screen.site.key(trace)}&iteration={iteration}")
        page.wait_for_function("() => mcts.firstPicture.debug()")
        first = page.evaluate("mcts.firstPicture.debug()")
        assert page.evaluate("mcts.app.debug()") is None
        expect(page.locator(f"{FRAME} .mcts-legend")).to_contain_text("mean value")
        assert inked(page) > 1_000
    assert first["t"] == iteration
    page.wait_for_selector("#node-panel h2")
    screen.wait(iteration)
    expect(page.locator(FRAME)).to_have_count(0)
    drawn = {item["item"]: item["position"] for item in screen.debug()["items"]}
    assert sum(at is not None for at in drawn.values()) > 10
    for item, at in enumerate(first["positions"]):
        then = drawn.get(item)
        assert at == (then and pytest.approx([then["x"], then["y"]], abs=1))


def test_what_opens_before_dash_is_ready_is_told_to_all_parts(page: Page, screen: Screen) -> None:
    page.add_init_script(DASH_IS_LATE)
    page.goto(f"{screen.site.address}?trace={screen.site.key(CONNECT_FOUR)}&iteration=700")
    page.wait_for_function("() => window.mcts?.app?.debug?.() && mcts.dash.isReady()")
    page.wait_for_function("() => mcts.live.debug().shown")
    screen.wait(700)


@pytest.mark.thorough
def test_it_has_the_theme_that_was_chosen_and_the_phase_of_the_address(
    page: Page, screen: Screen
) -> None:
    screen.open(CONNECT_FOUR, 700)
    page.get_by_role("button", name="Light or dark").click()
    page.wait_for_function("() => localStorage.getItem('theme') === '\"dark\"'")
    with dash_held(page):
        page.goto(
            f"{screen.site.address}?trace={screen.site.key(CONNECT_FOUR)}&iteration=700&phase=simulate"
        )
        page.wait_for_function("() => mcts.firstPicture.debug()")
        ground = page.evaluate(
            f"getComputedStyle(document.querySelector('{FRAME}')).backgroundColor"
        )
        assert ground == "rgb(26, 28, 32)"
    screen.wait(700)
    expect(page.locator(FRAME)).to_have_count(0)
    assert screen.debug()["phase"] == "simulate"


@pytest.mark.thorough
def test_what_cannot_be_opened_is_told_with_nothing_in_front_of_it(
    page: Page, screen: Screen, console: Console
) -> None:
    console.allow("400|404")
    page.goto(f"{screen.site.address}?trace=no-such-trace&iteration=3")
    expect(page.locator("#empty-page")).to_contain_text("no-such-trace")
    expect(page.locator(FRAME)).to_have_count(0)


def inked(page: Page) -> int:
    """Pixels of the first picture that are not empty."""
    found: int = page.evaluate(
        """(frame) => {
            const canvas = document.querySelector(`${frame} canvas`);
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return data.filter((alpha, i) => i % 4 === 3 && alpha > 0).length;
        }""",
        FRAME,
    )
    return found
