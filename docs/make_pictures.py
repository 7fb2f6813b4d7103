"""Takes the pictures of the page that README.md shows: run `make pictures` when the page has changed.

Drives the real page over the bundled samples in the Chromium that the browser tests use.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

from playwright.sync_api import Browser, ViewportSize, sync_playwright
from werkzeug.serving import make_server

from mcts_viz import open as open_trace
from mcts_viz import page
from mcts_viz.web.library import Library
from tests import chromium

ROOT = Path(__file__).resolve().parent.parent
Scheme: TypeAlias = Literal["light", "dark"]

SAMPLE, ITERATION = "connect_four_5000", 1_876
PICTURES: dict[str, Scheme] = {"page.png": "light", "page-dark.png": "dark"}
SIZE: ViewportSize = {"width": 1360, "height": 800}  # pixels of the page
SCALE = 1.5  # pixels of the file for one of them
AT_REST = """() => {
    const shown = window.mcts && mcts.app && mcts.app.debug();
    return shown && !shown.loading && !shown.waiting && document.fonts.status === "loaded"
        && document.querySelectorAll(".ag-row").length > 2 && document.querySelector("#node-panel .value-term");
}"""


def main() -> None:
    """Write all pictures beside this file."""
    with served() as address, sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        for name, scheme in PICTURES.items():
            picture = ROOT / "docs" / name
            take(browser, address, scheme, picture)
            print(f"{picture}: {picture.stat().st_size / 1000:,.0f} kB")
        browser.close()


@contextmanager
def served() -> Iterator[str]:
    """The address of the picture, while the page is served over a copy of the sample."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / f"{SAMPLE}.mcts"
        shutil.copy(ROOT / "samples" / trace.name, trace)
        app = page.make_app([trace], store=Path(folder))
        server = make_server("127.0.0.1", 0, app.server, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        key = Library(page.services(), [trace], Path(folder)).key_of(trace)
        query = f"?trace={key}&iteration={ITERATION}&node={interesting_node(trace)}"
        yield f"http://127.0.0.1:{server.server_port}/{query}"
        server.shutdown()


def interesting_node(trace: Path) -> int:
    """The third node of the path selected in that iteration: discs on the board, siblings to compare."""
    return open_trace(trace).iteration(ITERATION).path[2]


def take(browser: Browser, address: str, scheme: Scheme, picture: Path) -> None:
    """One picture, in the light or in the dark."""
    context = browser.new_context(
        viewport=SIZE, device_scale_factor=SCALE, color_scheme=scheme, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.goto(address)
    tab.wait_for_function(AT_REST)
    tab.screenshot(path=picture, animations="disabled", caret="hide")
    context.close()


if __name__ == "__main__":
    main()
