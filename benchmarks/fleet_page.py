"""The page on a fleet of a million searches, in a real Chromium: first rows; rows after a jump, an order, a filter."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.figures import Figure
from benchmarks.page import served
from tests.chromium import launch

GOAL = 3.0  # seconds
VISITS = 3
# milliseconds from an act on the table to the first row that comes after it
ROWS_AFTER = """
async (act) => {
  const api = window.dash_ag_grid.getApi("fleet-table"), began = performance.now();
  const link = () => document.querySelector(".ag-row .fleet-link")?.textContent, before = link();
  const isThere = () => link() && link() !== before && !document.querySelector(".ag-row .fleet-awaited");
  if (act === "jump") api.ensureIndexVisible(500_000, "top");
  else if (act === "sort") api.applyColumnState({state: [{colId: "visit_margin", sort: "desc"}]});
  else api.setFilterModel({ply: {filterType: "number", type: "greaterThan", filter: 50}});
  while (!isThere()) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


def measure(folder: Path, n: int) -> Iterator[Figure]:
    """folder: of a fleet of n searches."""
    with served(str(folder)) as (address, _), sync_playwright() as playwright:
        browser = launch(playwright)
        first, *others = [_first_rows(browser, address) for _ in range(VISITS)]
        yield Figure(f"the page's first rows, {n:,} searches, first visit", first, "s", GOAL)
        yield Figure("later visits, in a new browser each", min(others), "s", GOAL)
        tab = browser.new_page()
        _visit(tab, address)
        acts = {
            "jump": "rows in the middle of it",
            "sort": "in another order",
            "filter": "of a filter",
        }
        for act, words in acts.items():
            yield Figure(words, float(tab.evaluate(ROWS_AFTER, act)) / 1e3, "s")
        browser.close()


def _first_rows(browser: Browser, address: str) -> float:
    context = browser.new_context()
    began = time.perf_counter()
    _visit(context.new_page(), address)
    taken = time.perf_counter() - began
    context.close()
    return taken


def _visit(tab: Page, address: str) -> None:
    tab.goto(f"{address}fleet/", wait_until="commit")
    tab.wait_for_selector(".ag-row .fleet-link")
