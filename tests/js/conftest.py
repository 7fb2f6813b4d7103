"""The canvas page, served over made-up traces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.js.page import served
from tests.views.synthetic import SyntheticTrace, uct_trace

TRACES: dict[str, SyntheticTrace] = {
    "uct": uct_trace(3_000, branching=5, max_depth=12),
    "foreign": uct_trace(50, branching=3, max_depth=4),
}


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with served(TRACES) as url:
        yield url


@pytest.fixture
def canvas(page: Page, address: str) -> Page:
    """The page with the front end mounted and no trace open."""
    page.goto(address)
    page.wait_for_selector(".mcts-tree-canvas")
    return page


@pytest.fixture
def tree(canvas: Page) -> Page:
    """The page with trace "uct" open in the middle."""
    open_trace(canvas, "uct", 1_500)
    return canvas


def open_trace(page: Page, key: str, iteration: int, view: str = "{}") -> None:
    page.evaluate(f"mcts.app.openTrace({key!r}, {{iteration: {iteration}, view: {view}}})")
    wait_for_iteration(page, iteration)


def wait_for_iteration(page: Page, iteration: int) -> None:
    page.wait_for_function(
        "t => { const d = mcts.app.debug(); return d && d.t === t && !d.waiting && d.paint.t === t; }",
        arg=iteration,
    )
