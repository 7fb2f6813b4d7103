"""Importing events, and a page beside a search that is being recorded: how long until it shows an iteration.

The recorded search is Connect Four. Its rows are written again at a steady pace, each with the moment at which its
iteration "happened"; a real Chromium notes when it shows which iteration.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import mcts_viz as mv
from benchmarks.figures import ROOT, Figure, in_process, resident_megabytes, seconds
from mcts_viz.export.events import event_chunks
from mcts_viz.importing import import_trace
from mcts_viz.trace.columns import split
from mcts_viz.trace.format import Rows
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.writer import TraceWriter
from tests.chromium import launch

ITERATIONS = 1_000_000
PACE = 0.01  # seconds between two iterations while the page follows
WATCHED = 1_000  # iterations at that pace
NOTE_WHAT_IS_SHOWN = """
() => {
  window.shown = [];
  const note = () => {
    const d = window.mcts && mcts.app && mcts.app.debug();
    if (d && (!shown.length || shown[shown.length - 1][1] !== d.paint.t)) shown.push([Date.now() / 1000, d.paint.t]);
    requestAnimationFrame(note);
  };
  note();
}"""


def measure() -> Iterator[Figure]:
    """Import first, then following: a young trace, and one of nearly a million iterations."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.mcts"
        trace = mv.search("connect_four", iterations=ITERATIONS, seed=1, path=path, rollouts=False)
        events = Path(folder) / "million.ndjson"
        with events.open("wb") as file:
            file.writelines(event_chunks(trace))
        del trace
        took, before, most = in_process("benchmarks.following", events, Path(folder) / "back.mcts")
        yield Figure(f"import of {ITERATIONS:,} events", took, "s", 30.0)
        yield Figure("memory that it takes beside the program's own", most - before, "MB", 100.0)
        meta, batches = TraceFile(path).meta, list(TraceFile(path).rows())
        growing = Path(folder) / "growing.mcts"
        yield refreshing(growing, meta, batches)
        with sync_playwright() as playwright:
            browser = launch(playwright)
            for first in (0, len(batches) - 2):
                yield from following(browser, growing, meta, batches[: first + 1])
            browser.close()


def refreshing(path: Path, meta: dict[str, object], batches: list[Rows]) -> Figure:
    """`trace.refresh()` after each further iteration of a long trace."""
    times = []
    with TraceWriter(path, meta) as writer:
        for rows in batches[:-1]:
            writer.append(rows)
        writer.flush()
        trace = mv.open(path)
        for i in range(50):
            writer.append(split(batches[-1], i, i + 1))
            writer.flush()
            times.append(seconds(trace.refresh))
    what = f"trace.refresh() after a further iteration, {trace.n_iterations - 50:,} read before"
    return Figure(what, 1e3 * statistics.median(times), "ms", 50.0)


def following(
    browser: Browser, path: Path, meta: dict[str, object], batches: list[Rows]
) -> Iterator[Figure]:
    """How late a page shows the iterations of the last batch, which come at a steady pace after all
    those before them."""
    first = sum(rows.n for rows in batches[:-1])
    happened: list[float] = []
    with TraceWriter(path, meta) as writer:
        for rows in batches[:-1]:
            writer.append(rows)
        writer.flush()
        command = [sys.executable, "-m", "mcts_viz", "show", str(path), "--follow", "--no-browser"]
        server = subprocess.Popen(
            [*command, "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(found.group())
        page.wait_for_function("window.mcts && mcts.app && mcts.app.debug && mcts.app.debug()")
        page.evaluate(NOTE_WHAT_IS_SHOWN)
        search = threading.Thread(target=iterate, args=[writer, batches[-1], happened])
        search.start()
        while search.is_alive():
            page.wait_for_timeout(100)
        writer.flush()
        page.wait_for_function("(n) => mcts.app.debug().paint.t >= n", arg=first + WATCHED)
        shown = page.evaluate("shown")
        page.close()
        server.terminate()
        server.wait()
    delays = [
        next(at for at, t in shown if t >= first + number) - then
        for number, then in enumerate(happened, 1)
    ]
    what = f"until a followed page shows an iteration, after {first:,} others"
    yield Figure(f"{what}: median", statistics.median(delays), "s")
    yield Figure(f"{what}: longest of {WATCHED:,}", max(delays), "s", 1.0)


def iterate(writer: TraceWriter, rows: Rows, happened: list[float]) -> None:
    """Write one iteration after another, and note when."""
    for i in range(WATCHED):
        happened.append(time.time())
        writer.append(split(rows, i, i + 1))
        time.sleep(PACE)


def imported(source: str, path: str) -> list[float]:
    """Seconds, and megabytes before and at most."""
    before, _ = resident_megabytes()
    took = seconds(lambda: import_trace(source, path))
    return [took, before, resident_megabytes()[1]]


if __name__ == "__main__":
    print(json.dumps(imported(*sys.argv[1:])))
