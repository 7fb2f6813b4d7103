"""The page in a real Chromium with software rendering: first picture, key to painted step, playing.

Needs a Chromium, as the browser tests do (`make test` gets one). The big trace is Connect Four with
1,000,000 iterations; the page is served by a process of its own, as `python app.py` does it.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import mcts_viz as mv
from benchmarks.figures import ROOT, Figure
from tests.chromium import launch
from tests.web.loading import Loading

ITERATIONS = 1_000_000
KEYS = 60
PLAY_SECONDS = 5.0
LONG_SECONDS = 30.0
RESTS = 15
# functions, as the page lets no text be run as a script; by the page itself: it can be stepped
DRAWN = "() => window.mcts?.app?.debug?.()?.paints.length > 0"
FIRST = f"() => Boolean(window.mcts?.firstPicture?.debug() || ({DRAWN})())"
# milliseconds from the press of a key to the frame after the canvas was painted
PRESS = """
async () => {
  const before = mcts.app.debug().t, began = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  while (mcts.app.debug().t === before) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""
PLAY = """
async ([speed, milliseconds]) => {
  mcts.app.setSpeed(speed);
  const from = mcts.app.debug().t, began = performance.now();
  mcts.app.togglePlay();
  while (performance.now() - began < milliseconds) await new Promise(requestAnimationFrame);
  mcts.app.togglePlay();
  return 1000 * (mcts.app.debug().t - from) / (performance.now() - began);
}"""

# a hand that draws the slider through the middle of the search, a little each frame; pictures a second
SCRUB = """
async (milliseconds) => {
  const slider = document.querySelector(".mcts-scrubber"), began = performance.now(), n = Number(slider.max);
  let part = 0;
  while (part < 1) {
    part = Math.min(1, (performance.now() - began) / milliseconds);
    slider.value = String(Math.round(n * (0.2 + 0.6 * part)));
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise(requestAnimationFrame);
  }
  const shown = new Set(mcts.app.debug().paints.filter((each) => each.at >= began).map((each) => each.t));
  return 1000 * shown.size / (performance.now() - began);
}"""
# milliseconds from the press of a key until the inspector shows the root's visits after the step
INSPECTED = """
async () => {
  const told = (mcts.app.debug().t + 1).toLocaleString("en-US"), began = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  const isShown = () => document.querySelector(".facts dd")?.textContent === told;
  while (!isShown()) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""
REST = 120  # milliseconds after which a step has come to rest: `cursor.js`


def measure() -> Iterator[Figure]:
    """Medians; in a shared process of Chromium, each page in a context of its own."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = launch(playwright)
        yield from first_picture(browser)
        path = Path(folder) / "million.mcts"
        mv.search("connect_four", iterations=ITERATIONS, seed=1, path=path, rollouts=False)
        with served(str(path)) as (address, _):
            for budget, goal in ((300, 50.0), (10_000, 100.0)):
                yield from stepping(browser, address, budget, goal)
            yield from resting(browser, address)
            yield from playing_long(browser, address)


def of_trace(path: Path, n: int) -> Iterator[Figure]:
    """Of a trace of n iterations that has its index: until it is seen, keys and scrubbing in its middle."""
    with sync_playwright() as playwright, served(str(path)) as (address, _):
        browser = launch(playwright)
        waits = [visit(browser, address, time.perf_counter()) for _ in range(3)]
        seen = statistics.median(wait[0] for wait in waits)
        yield Figure(f"first picture after the address is opened, {n:,} iterations", seen, "s", 3.0)
        yield from stepping(browser, address, 300, 50.0, n)


def first_picture(browser: Browser) -> Iterator[Figure]:
    """Of the bundled samples: after the address is opened, and after the program is started."""
    began = time.perf_counter()
    with served() as (address, _):
        from_start = visit(browser, address, began)
        waits = [visit(browser, address, time.perf_counter()) for _ in range(3)]
        loaded = first_load(browser, address)
    for k, (what, goals) in enumerate(
        (("first picture", (6.0, 3.0)), ("page that can be stepped", (None, 2.5)))
    ):
        opened = statistics.median(wait[k] for wait in waits)
        yield Figure(f"{what} after `python app.py`", from_start[k], "s", goals[0])
        yield Figure(f"{what} after the address is opened", opened, "s", goals[1])
    yield Figure("requests before the page can be stepped", loaded.before, "", 30)
    yield Figure("calls of panels after it", loaded.panel_calls, "", 8)
    yield Figure("first load over the wire, compressed", loaded.megabytes, "MB", 2.2)


def visit(browser: Browser, address: str, began: float) -> tuple[float, float]:
    """Seconds from `began` until the tree is seen, and until the page draws it itself, with an empty
    cache."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(address, wait_until="commit")
    page.wait_for_function(FIRST)
    seen = time.perf_counter() - began
    page.wait_for_function(DRAWN)
    drawn = time.perf_counter() - began
    page.close()
    return seen, drawn


def first_load(browser: Browser, address: str) -> Loading:
    """What a visitor with an empty cache loads until the page has come to rest, headers included."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    loading = Loading(page)
    page.goto(address)
    page.wait_for_function(DRAWN)
    loading.begin_to_count()
    page.wait_for_load_state("networkidle")
    context.close()
    return loading


def stepping(
    browser: Browser, address: str, budget: int, goal: float, n: int = ITERATIONS
) -> Iterator[Figure]:
    """Keys and playing with that many visible nodes, in the middle of a search of n iterations."""
    page = middle(browser, address, budget, n)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    presses = [page.evaluate(PRESS) for _ in range(KEYS)]
    pictures = [url for url in asked if "/window" in url or "/view" in url]
    name = f"{budget:,} visible nodes, {n:,} iterations"
    yield Figure(f"key press to painted step, {name}", statistics.median(presses), "ms", goal)
    yield Figure(
        f"server calls for the picture in {KEYS} steps, {budget:,} nodes", len(pictures), ""
    )
    played = float(page.evaluate(PLAY, [60, PLAY_SECONDS * 1000]))
    least = 30.0 if budget == 300 else None
    yield Figure(f"playing, {name}", played, "steps/s", least, at_least=True)
    page.wait_for_load_state("networkidle")
    yield Figure(
        f"scrubbing, {name}", float(page.evaluate(SCRUB, PLAY_SECONDS * 1000)), "pictures/s",
        20.0 if budget == 300 else None, at_least=True,
    )  # fmt: skip
    page.close()


def resting(browser: Browser, address: str) -> Iterator[Figure]:
    """How soon the inspector follows a step that has come to rest."""
    page = middle(browser, address, 300)
    waits = []
    for _ in range(RESTS):
        waits.append(page.evaluate(INSPECTED) - REST)
        page.wait_for_load_state("networkidle")
    yield Figure("inspector after a step has come to rest", statistics.median(waits), "ms", 300.0)
    page.close()


def playing_long(browser: Browser, address: str) -> Iterator[Figure]:
    """Half a minute of 30 steps a second: whether it keeps up, and what it leaves in memory."""
    page = middle(browser, address, 300)
    session = page.context.new_cdp_session(page)

    def used() -> float:
        session.send("HeapProfiler.collectGarbage")
        return float(session.send("Runtime.getHeapUsage")["usedSize"])

    page.evaluate(PLAY, [30, PLAY_SECONDS * 1000])
    page.wait_for_load_state("networkidle")
    before = used()
    played = float(page.evaluate(PLAY, [30, LONG_SECONDS * 1000]))
    page.wait_for_load_state("networkidle")
    yield Figure(
        f"playing 30 steps a second for {LONG_SECONDS:g} s", played, "steps/s", 29.5, at_least=True
    )
    yield Figure("memory of its scripts after it ÷ before", used() / before, "", 1.1)
    page.close()


def middle(browser: Browser, address: str, budget: int, n: int = ITERATIONS) -> Page:
    """The page in the middle of the search."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(
        f"{address}?trace={trace_key(page, address)}&iteration={n // 2 + 100}&budget={budget}"
    )
    page.wait_for_function(DRAWN)
    page.wait_for_load_state("networkidle")
    return page


def trace_key(page: Page, address: str) -> str:
    """The key of the one trace that is served."""
    return str(page.request.get(f"{address}api/start").json()["key"])


@contextmanager
def served(*arguments: str) -> Iterator[tuple[str, Any]]:
    """The address of a page served by `python app.py`."""
    command = [sys.executable, "app.py", "--no-browser", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise RuntimeError("the page did not start")
        yield found.group(), process
    finally:
        process.terminate()
        process.wait()
