"""The page inside a notebook: a frame under the cell, served by a thread of the notebook's own process.

IPython is never imported for it: only where it runs already is there a notebook.
"""

from __future__ import annotations

import html
import importlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mcts_viz.web.access import Access
from mcts_viz.web.server import HOST, answer, listen, port_of

if TYPE_CHECKING:
    from dash import Dash

HEIGHT = 760  # pixels of the frame
FRAME = "MCTS_VIZ_FRAME"  # an address of ports of the kernel's machine, as a hub's proxy has one
DIRECT = f"http://{HOST}:{{port}}/"
_addresses: dict[Path, str] = {}  # of what is served already


def is_notebook() -> bool:
    """Whether we run in a notebook's kernel; a plain IPython shell has none."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def show_served(app: Callable[[Access], Dash], path: Path) -> None:
    """Show a page under the cell. `app` makes it, the first time that the path is shown, for whom it is
    given. Its address ends in a token, which no other page of the browser knows."""
    key = path.resolve()
    if key not in _addresses:
        listener = listen(0)
        base = os.environ.get(FRAME, DIRECT).replace("{port}", str(port_of(listener)))
        access = Access.from_environment().framed(base)
        server = app(access).server
        threading.Thread(
            target=answer, args=(server, listener), name="mcts_viz page", daemon=True
        ).start()
        _addresses[key] = f"{base.rstrip('/')}/{access.token}/"
    display = importlib.import_module("IPython.display")
    display.display(display.IFrame(_addresses[key], "100%", HEIGHT))


def show_file(page: bytes) -> None:
    """Show an HTML file that needs no server under the cell; it stays there when the notebook is saved."""
    display = importlib.import_module("IPython.display")
    inside = html.escape(page.decode(), quote=True)
    frame = f'<iframe srcdoc="{inside}" width="100%" height="{HEIGHT}" style="border:0"></iframe>'
    display.display(display.HTML(frame))
