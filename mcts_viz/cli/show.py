"""`mcts-viz show FILE|FOLDER …`: open the page on traces."""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path
from typing import Any

LOOK = 0.1  # seconds between two looks for a file that is not there yet


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("show", help="open traces in the browser")
    parser.add_argument(
        "sources", nargs="+", metavar="FILE|FOLDER", help="traces, or folders of them"
    )
    parser.add_argument(
        "--follow",
        action="store_true",
        help="ride at the end of the first trace while it is being recorded; waits for it to begin",
    )
    add_options(parser)
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `app.py` takes as well."""
    parser.add_argument("--port", type=int, help="port on this machine (default 8050)")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    # Dash takes half a second, which the other commands need not wait for
    page = importlib.import_module("mcts_viz.page")
    if options.follow:
        wait_for(Path(options.sources[0]))
    app = page.make_app(options.sources, follow=options.follow)
    page.serve(app, options.port, browser=not options.no_browser)
    return 0


def wait_for(path: Path) -> None:
    """Until somebody begins to record there."""
    if not begun(path):
        print(f"Waiting for {path} to be recorded (Ctrl+C stops waiting).", flush=True)
    while not begun(path):
        time.sleep(LOOK)


def begun(path: Path) -> bool:
    """Whether there is a trace's header, or a folder."""
    try:
        return path.is_dir() or path.stat().st_size > 0
    except OSError:
        return False
