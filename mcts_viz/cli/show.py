"""`mcts-viz show FILE|FOLDER …`: open the page on traces."""

from __future__ import annotations

import argparse
import importlib
from typing import Any


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("show", help="open traces in the browser")
    parser.add_argument(
        "sources", nargs="+", metavar="FILE|FOLDER", help="traces, or folders of them"
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
    page.serve(page.make_app(options.sources), options.port, browser=not options.no_browser)
    return 0
