"""Takes the pictures of the page that README.md and the pages here show: run `make pictures` when the
page has changed, or `python -m docs.make_pictures NAME …` for some of them.

Drives the real page over copies of the traces in the Chromium that the browser tests use.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from mcts_viz import open as open_trace
from mcts_viz import page
from mcts_viz.web.library import Library
from mcts_viz.web.server import PageServer, listen
from scripts import fleet_demo
from tests import chromium
from tests.docs.examples import examples, run_python

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
Scheme: TypeAlias = Literal["light", "dark"]

TUTORIAL = "nim"  # the trace that the tutorial records
WIDE: ViewportSize = {"width": 1360, "height": 800}  # pixels of the page
SMALL_SCALE = 0.8  # of the pictures below: smaller than the page, with all of it
AT_REST = """() => {
    const shown = window.mcts && mcts.app && mcts.app.debug();
    const panels = [...document.querySelectorAll("#node-panel, [role=tabpanel]")];
    const visible = panels.filter((panel) => panel.offsetParent !== null);
    return shown && !shown.loading && !shown.waiting && document.fonts.status === "loaded"
        && visible.length === 2 && visible.every((panel) => panel.textContent.length > 20);
}"""
PATIENCE = 180_000  # milliseconds, on a busy machine
N_COLOURS = 256
SETTLE = 1_500  # milliseconds, for what is still being drawn


class Picture(NamedTuple):
    """One view of one trace."""

    trace: str  # name of a sample, or TUTORIAL
    iteration: int
    depth: int = 1  # of the selected node, on the path of that iteration
    tab: str | None = None  # title of the tab to open
    view: str = ""  # further parameters of the address
    scheme: Scheme = "light"
    size: ViewportSize = WIDE
    scale: float = SMALL_SCALE  # pixels of the file for one of the page


def of_gallery() -> dict[str, Picture]:
    """A picture for each sample."""
    return {
        f"gallery/{picture.trace}.png": picture
        for picture in (
            Picture("tic_tac_toe_1000", 160),
            Picture("connect_four_5000", 5_000, view="&colour=mean_value&show=both"),
            Picture("too_few_iterations", 20, tab="Why this move"),
            Picture("tech_io", 70),
            Picture("rhu2001", 40, 2, tab="Health"),
            Picture("baeldung", 69, tab="Health"),
            Picture("mctspy", 430, tab="History"),
            Picture("sudo_tic_tac_toe", 100),
            Picture("alphazero", 300, view="&colour=prior"),
            Picture("misleading_prior", 404, tab="History"),
            Picture("planning", 300, 2),
            Picture("pig", 200, 2),
            Picture("game_of_24", 100, 2),
        )
    }


# the page on a fleet: what is to be seen before its picture is taken
OF_FLEET = {
    "fleet-demo-questions.png": ".fleet-row",
    "fleet-demo-mark.png": "#fleet-answer-figure .points path",
    "fleet-demo-search.png": "#node-panel h2",
}
PICTURES = {
    "page.png": Picture("connect_four_5000", 1_876, 2, scale=1.5),
    "page-dark.png": Picture("connect_four_5000", 1_876, 2, scheme="dark", scale=1.5),
    "tutorial-step.png": Picture(TUTORIAL, 40, 2),
    "tutorial-why.png": Picture(TUTORIAL, 1_000, tab="Why this move"),
    "tutorial-check.png": Picture(TUTORIAL, 29, 2, tab="Health"),
    **of_gallery(),
}


def main(names: list[str]) -> None:
    """Write the pictures of these names, or all, into this folder."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.chdir(folder)  # where the tutorial writes its traces
        traces = copies(Path(folder))
        with served(traces, Path(folder)) as address:
            browser = chromium.launch(playwright)
            if not names or set(names) & set(OF_FLEET):
                take_fleet(browser, Path(folder) / "fleet-demo")
            for name in [each for each in names if each in PICTURES] if names else PICTURES:
                take(browser, address, traces, PICTURES[name], DOCS / name)
                print(f"{name}: {(DOCS / name).stat().st_size / 1000:,.0f} kB")
            browser.close()


def copies(folder: Path) -> dict[str, Path]:
    """The traces to look at, by name: copies of the samples, and the tutorial's own."""
    traces = {}
    for sample in sorted((ROOT / "samples").glob("*.mcts")):
        traces[sample.stem] = Path(shutil.copy(sample, folder))
    names: dict[str, Any] = {}
    for example in examples(DOCS / "tutorial.md")[:2]:  # the search, and its recording
        run_python(example, names)
    return {**traces, TUTORIAL: folder / f"{TUTORIAL}.mcts"}


@contextmanager
def served(traces: dict[str, Path], folder: Path) -> Iterator[str]:
    """The address of the page over these traces."""
    app = page.make_app(list(traces.values()), store=folder)
    server = PageServer(app.server, listen(0))
    threading.Thread(target=server.start, daemon=True).start()
    yield f"http://127.0.0.1:{server.port}/"
    server.stop()


def take(
    browser: Browser, address: str, traces: dict[str, Path], wanted: Picture, file: Path
) -> None:
    """One picture."""
    trace = traces[wanted.trace]
    path = open_trace(trace).iteration(wanted.iteration).path
    node = path[min(wanted.depth, len(path) - 1)]
    key = Library(list(traces.values()), trace.parent).key_of(trace)
    tab = tab_for(browser, wanted)
    tab.goto(f"{address}?trace={key}&iteration={wanted.iteration}&node={node}{wanted.view}")
    tab.wait_for_function(AT_REST)
    if wanted.tab is not None:
        tab.get_by_role("tab", name=wanted.tab, exact=True).click()
        tab.wait_for_function(AT_REST)
    write(tab, file)


def take_fleet(browser: Browser, folder: Path) -> None:
    """The way of the demo: all questions, the mark of one, and the search behind it."""
    fleet_demo.play(folder, fleet_demo.GAMES)
    fleet = fleet_demo.scan(folder)
    clicks = fleet_demo.the_clicks(fleet, fleet.ask(fleet_demo.QUESTION).findings)
    places = ("fleet/", *(click.address for click in clicks[1:]))
    with served({"fleet": folder}, folder) as address:
        for (name, seen), place in zip(OF_FLEET.items(), places):
            tab = tab_for(browser, Picture("", 0))
            tab.goto(address + place)
            tab.wait_for_selector(seen)
            tab.wait_for_load_state("networkidle")
            write(tab, DOCS / name)


def tab_for(browser: Browser, wanted: Picture) -> Page:
    """A new one, as large as the picture."""
    context = browser.new_context(
        viewport=wanted.size,
        device_scale_factor=wanted.scale,
        color_scheme=wanted.scheme,
        reduced_motion="reduce",
    )
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE)
    return tab


def write(tab: Page, file: Path) -> None:
    """What it shows, as a file; then close it."""
    tab.wait_for_timeout(SETTLE)
    file.parent.mkdir(exist_ok=True)
    tab.screenshot(path=file, animations="disabled", caret="hide")
    tab.context.close()
    # a third of the size, for everybody who clones: a page has few colours
    with Image.open(file) as picture:
        fewer = picture.convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE)
    fewer.save(file, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
