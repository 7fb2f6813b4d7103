"""Importing events, and a page beside a search that is being recorded: how long until it shows an iteration.

The recorded search is Connect Four. Its rows are written again at a steady pace, each with the moment at which its
iteration "happened"; a real Chromium notes when it shows which iteration. Then searches are recorded at full speed in
a process of their own, once alone and once with such a page beside them: somebody else's in plain Python, and ours.
"""

from __future__ import annotations

import contextlib
import json
import re
import select
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

import mcts_viz as mv
from benchmarks.figures import ROOT, Figure, in_process, resident_megabytes, seconds
from benchmarks.watching import textbook_search
from mcts_viz.engine.search import run
from mcts_viz.export.events import event_chunks
from mcts_viz.importing.formats import import_trace
from mcts_viz.runs.options import search_options
from mcts_viz.runs.recorder import Recorder
from mcts_viz.runs.search import prepare
from mcts_viz.trace.format import Rows
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import split
from mcts_viz.trace.writer import TraceWriter
from tests.chromium import launch

ITERATIONS = 1_000_000
PACE = 0.01  # seconds between two iterations while the page follows
WATCHED = 1_000  # iterations at that pace
AT_REST = 2.0  # seconds until all panels of a page that was opened are drawn
# iterations of a search that nothing holds up: by what is told to its process
FULL_SPEED = {"watch": 200_000, "record": 3_000_000}
SEARCHES = {"watch": "plain-Python UCT", "record": "Connect Four, ours"}
NOTE_WHAT_IS_SHOWN = """
() => {
  window.shown = [];
  const note = () => {
    const t = mcts.app.painted();
    if (t !== null && (!shown.length || shown[shown.length - 1][1] !== t)) shown.push([Date.now() / 1000, t]);
  };
  setInterval(note, 10); // asking for each frame would have the page draw sixty a second
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
            for first in (0, len(batches) // 10, len(batches) - 2):
                yield from following(browser, growing, meta, batches[: first + 1])
            for kind in FULL_SPEED:
                yield from at_full_speed(browser, Path(folder) / f"{kind}.mcts", kind)
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
        with followed(browser, path) as page:
            search = threading.Thread(target=iterate, args=[writer, batches[-1], happened])
            search.start()
            while search.is_alive():
                page.wait_for_timeout(100)
            writer.flush()
            shown = when_shown(page, first + WATCHED)
    delays = [
        next(at for at, t in shown if t >= first + number) - then
        for number, then in enumerate(happened, 1)
    ]
    what = f"until a followed page shows an iteration, after {first:,} others"
    yield Figure(f"{what}: median", statistics.median(delays), "s")
    yield Figure(f"{what}: longest of {WATCHED:,}", max(delays), "s", 1.0)


def at_full_speed(browser: Browser, path: Path, kind: str) -> Iterator[Figure]:
    """How late a page shows the iterations of a search that nothing holds up, and what it costs that
    search."""
    n = FULL_SPEED[kind]
    with recording(path, kind) as search:
        alone = told(search, "go")["seconds"]
    with recording(path, kind) as search, followed(browser, path) as page:
        assert search.stdin is not None
        search.stdin.write("go\n")
        search.stdin.flush()
        while search.poll() is None and not ready(search):
            page.wait_for_timeout(
                500
            )  # each asks the page something, which takes of the time of both
        watched = told(search)
        shown = when_shown(page, n)
    elapsed = mv.open(path).columns.elapsed / 1e9  # [T] seconds
    place = np.searchsorted([t for _, t in shown], np.arange(1, n + 1))
    delays = np.array([at for at, _ in shown])[place] - (watched["began"] + elapsed)
    search_words = f"{SEARCHES[kind]}, {n:,} iterations, {n / alone:,.0f} a second"
    what = "until a followed page shows an iteration at full speed"
    yield Figure(f"{what}: median", float(np.median(delays)), "s", how=search_words)
    yield Figure(f"{what}: longest", float(delays.max()), "s", 1.0, how=search_words)
    times = watched["seconds"] / alone
    yield Figure("time of that search with a followed page ÷ without", times, "", how=search_words)


@contextlib.contextmanager
def followed(browser: Browser, path: Path) -> Iterator[Page]:
    """A page that rides at the end of the recording, and notes what it shows when."""
    command = [sys.executable, "-m", "mcts_viz", "show", str(path), "--follow", "--no-browser"]
    server = subprocess.Popen(
        [*command, "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        page.goto(found.group())
        page.wait_for_function("() => window.mcts?.app?.debug?.()")
        page.wait_for_function("() => mcts.live.debug().known !== null")
        page.wait_for_timeout(1_000 * AT_REST)  # what is measured is following, and not opening
        page.evaluate(NOTE_WHAT_IS_SHOWN)
        yield page
    finally:
        page.close()
        server.terminate()
        server.wait()


def when_shown(page: Page, n: int) -> list[tuple[float, int]]:
    """(seconds, iteration) of the pictures there were until that of iteration n."""
    page.wait_for_function("(n) => mcts.app.painted() >= n", arg=n, timeout=120_000)
    return [(at, t) for at, t in page.evaluate("shown") if t is not None]


@contextlib.contextmanager
def recording(path: Path, kind: str) -> Iterator[subprocess.Popen[str]]:
    """A process that records a search when it is told to; its file is there already."""
    search = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.following", kind, str(path)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert search.stdout is not None
    search.stdout.readline()
    try:
        yield search
    finally:
        search.kill()
        search.wait()


def ready(search: subprocess.Popen[str]) -> bool:
    """Whether it has said something."""
    assert search.stdout is not None
    return bool(select.select([search.stdout], [], [], 0)[0])


def told(search: subprocess.Popen[str], word: str | None = None) -> dict[str, float]:
    """What the process says, first told a word."""
    assert search.stdin is not None
    assert search.stdout is not None
    if word is not None:
        search.stdin.write(f"{word}\n")
        search.stdin.flush()
    answer: dict[str, float] = json.loads(search.stdout.readline())
    return answer


def record(path: str) -> None:
    """In a process of its own: say that the file is there, wait, record, say when and how long."""
    mv.search("connect_four", iterations=20_000, seed=1, rollouts=False, compile=True)
    options = search_options(iterations=FULL_SPEED["record"], seed=1, rollouts=False, compile=True)
    plan = prepare("connect_four", options)
    ticks: list[int] = []

    def clock() -> int:
        now = time.time_ns()
        if not ticks:
            ticks.append(now)  # the search's begin
        return now

    with Recorder(plan, path) as recorder:
        print("there", flush=True)
        sys.stdin.readline()
        took = seconds(lambda: run(plan, recorder, clock=clock))
    print(json.dumps({"began": ticks[0] / 1e9, "seconds": took}), flush=True)


def watch(path: str) -> None:
    """The same with somebody else's search."""
    step, arguments = textbook_search(rollouts=1)
    with mv.record(path, **arguments) as rec:
        print("there", flush=True)
        sys.stdin.readline()
        rec._clock, rec._start = time.time_ns, time.time_ns()
        began = rec._start
        took = seconds(lambda: [None for _ in rec.steps(step, FULL_SPEED["watch"])])
    print(json.dumps({"began": began / 1e9, "seconds": took}), flush=True)


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
    if sys.argv[1] in FULL_SPEED:
        {"record": record, "watch": watch}[sys.argv[1]](sys.argv[2])
    else:
        print(json.dumps(imported(*sys.argv[1:])))
