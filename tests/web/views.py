"""The page's main views, each with the way to get there: for pictures of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import expect

import mcts_viz as mv
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

SIZE = (1280, 720)  # of the window
PICTURES = Path(__file__).with_name("pictures")
OTHER = "connect_four_other"
# what the clock, or the machine, has a say in
MASK = """.match-live, .mcts-tip, #hint { visibility: hidden !important; }
    * { scrollbar-width: none !important; }"""


class View(NamedTuple):
    """A view and how to get there."""

    show: Callable[[Screen], object]
    theme: str = "light"


def record_other(folder: Path) -> None:
    """A second search of the same position, to compare the recorded one with."""
    mv.search(CONNECT_FOUR, iterations=1_500, seed=5, c=0.7, path=folder / f"{OTHER}.mcts")


def first_page(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)


def phases(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, phase="select")
    expect(screen.text("phase-caption")).to_contain_text("selected")


def icicle(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, show="icicle")
    screen.wait_for("d.icicle && d.icicle.t === 1000 && d.icicle.boxes.length > 0")


def why(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    screen.tab("Why this move")
    expect(screen.page.locator(".why p").first).to_be_visible()


def health(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    screen.tab("Health")
    expect(screen.text("health-panel").locator(".finding, p").first).to_be_visible()


def history(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    screen.tab("History")
    expect(screen.text("history-chart").locator(".scatterlayer .trace").first).to_be_visible()


def compare(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, compare=screen.site.key(OTHER))
    expect(screen.page.locator("#compare-table .ag-row").first).to_be_visible()


def new_search(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    screen.page.get_by_role("button", name="New search").click()
    expect(screen.text("search-start")).to_be_visible()


def play(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 150)
    screen.page.get_by_role("button", name="Play", exact=True).click()
    expect(screen.text("match-begin")).to_be_visible()


VIEWS: dict[str, View] = {
    "first-light": View(first_page),
    "first-dark": View(first_page, "dark"),
    "phases": View(phases),
    "icicle": View(icicle),
    "why": View(why),
    "health": View(health),
    "history": View(history),
    "compare": View(compare),
    "new-search": View(new_search),
    "play": View(play),
}


def wait_for_truth(screen: Screen, name: str) -> None:
    """Wait until exact results are there: a view would get a column more when they come."""
    address = f"{screen.site.address}api/trace/{screen.site.key(name)}/truth"
    screen.page.goto(address)
    screen.page.wait_for_function(
        "(address) => fetch(address).then((a) => a.json()).then((told) => told.state !== 'solving')",
        arg=address, polling=200,
    )  # fmt: skip


def go_to(screen: Screen, view: View) -> None:
    """Show a view, and wait until it is still; what changes by itself is masked."""
    width, height = SIZE
    screen.page.set_viewport_size({"width": width, "height": height})
    dark = view.theme == "dark"
    screen.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    for name in (CONNECT_FOUR, TIC_TAC_TOE):
        wait_for_truth(screen, name)
    view.show(screen)
    screen.page.add_style_tag(content=MASK)
    screen.page.mouse.move(width - 1, height - 1)
    screen.page.wait_for_load_state("networkidle")
    solved = "() => !document.getElementById('verdict')?.textContent.includes('still at work')"
    screen.page.wait_for_function(solved)
    screen.page.wait_for_function(
        "() => document.fonts.status === 'loaded' && document.getAnimations().every((a) => a.playState !== 'running')"
    )
    screen.page.evaluate(
        "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"
    )
