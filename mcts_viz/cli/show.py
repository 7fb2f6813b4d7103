"""`mcts-viz show FILE|FOLDER …`: open the page on traces."""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path

from mcts_viz.cli.numbers import whole_from
from mcts_viz.cli.opening import add_memory, index_if_long
from mcts_viz.web.access import Access

LOOK = 0.1  # seconds between two looks for a file that is not there yet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "sources", nargs="+", metavar="FILE|FOLDER", help="traces, or folders of them"
    )
    parser.add_argument(
        "--follow",
        action="store_true",
        help="stay at the last iteration while the first trace is being recorded; wait for it to begin",
    )
    parser.add_argument(
        "--number",
        type=whole_from(0),
        default=0,
        metavar="N",
        help="number of the search to open first, from 0, in a file of many (.many)",
    )
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `app.py` takes as well."""
    parser.add_argument("--port", type=int, help="port on this machine (default 8050)")
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, open no browser"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen at; if others can reach it, as 0.0.0.0, the page asks for a token",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name of this server, as behind a proxy, once for each; the page then asks for a token",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a web site, such as https://hub.example.org, that may use the page and frame it",
    )
    parser.add_argument(
        "--max-upload",
        type=whole_from(1),
        default=1024,
        metavar="MB",
        help="largest file that can be opened from the browser (default 1024 MB)",
    )
    add_memory(parser)


def access_of(options: argparse.Namespace) -> Access:
    """Who may ask, by these options and the environment."""
    access = Access.from_environment()
    return access.opened(options.host, options.allow_host, options.allow_origin).with_token()


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    # Dash takes half a second, which the other commands need not wait for
    page = importlib.import_module("mcts_viz.page")
    if options.follow:
        wait_for(Path(options.sources[0]))
    else:
        for source in options.sources:
            index_if_long(Path(source), options.memory)
    access = access_of(options)
    app = page.make_app(
        options.sources,
        follow=options.follow,
        access=access,
        max_upload=options.max_upload << 20,
        memory=options.memory,
        number=options.number,
    )
    page.serve(app, options.port, not options.no_browser, host=options.host, token=access.token)
    return 0


def wait_for(path: Path) -> None:
    """Wait until a recording begins there."""
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
