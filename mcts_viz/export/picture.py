"""A snapshot as a picture of its tree: SVG, drawn by `views.tree_svg`, and PNG made of it by a Chrome or Chromium.

Without such a browser there is no PNG, and the message says so; SVG needs none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from mcts_viz.errors import ExportError
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.views.tree_svg import svg_size, tree_svg

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
SHARPNESS = 2  # pixels of the PNG for one of the SVG
MOST_PIXELS = 16_000  # of a side; browsers draw no larger picture
SECONDS = 120  # that the browser may take
PAGE = '<!doctype html><html><body style="margin:0;line-height:0">{}</body></html>'
# no sandbox only for a container's root, who cannot have one; the page holds nothing but our own drawing
OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
)


def svg_bytes(snapshot: Snapshot) -> bytes:
    """The picture as SVG."""
    return tree_svg(snapshot).encode()


def png_bytes(snapshot: Snapshot) -> bytes:
    """The picture as PNG, twice as sharp as a screen's; raises ExportError where no browser can be found or
    started."""
    return png_of(tree_svg(snapshot))


def png_of(svg: str) -> bytes:
    """An SVG document of `tree_svg` as PNG."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name)) is not None), None)
    if browser is None:
        raise ExportError(
            "a PNG is made by Chrome or Chromium, and there is none on this machine: install one, "
            "or export an .svg, which needs none"
        )
    width, height = svg_size(svg)
    if max(width, height) > MOST_PIXELS:
        raise ExportError(
            f"the picture is {width:,} × {height:,} pixels, too large for a PNG; export an .svg, "
            "which has no such limit"
        )
    sharpness = max(1, min(SHARPNESS, MOST_PIXELS // max(width, height)))
    with tempfile.TemporaryDirectory(prefix="mcts_viz-") as folder:
        page, picture = Path(folder) / "tree.html", Path(folder) / "tree.png"
        page.write_text(PAGE.format(svg), encoding="utf-8")
        root = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
        command = [
            browser, *OPTIONS, *root, f"--user-data-dir={folder}/profile",
            f"--force-device-scale-factor={sharpness}", f"--window-size={width},{height}",
            f"--screenshot={picture}", page.as_uri(),
        ]  # fmt: skip
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
            return picture.read_bytes()
        except (OSError, subprocess.TimeoutExpired) as err:
            raise ExportError(
                f"{browser} made no PNG of the picture; export an .svg, which needs no browser"
            ) from err
