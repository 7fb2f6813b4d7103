"""The page inside a notebook: a frame under the cell, served by a thread of the notebook's own process.

IPython is never imported for it: only where it runs already is there a notebook.
"""

from __future__ import annotations

import html
import importlib
import sys
import threading
from pathlib import Path
from typing import Any

from mcts_viz.web.server import HOST, answer, listen, port_of

HEIGHT = 760  # pixels of the frame
_ports: dict[Path, int] = {}  # of what is served already


def is_notebook() -> bool:
    """Whether we run in a notebook's kernel; a plain IPython shell has none."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def show_served(app: Any, path: Path) -> None:
    """Show a page under the cell. `app()` makes it, the first time that the path is shown."""
    key = path.resolve()
    if key not in _ports:
        listener = listen(0)
        server = app().server
        threading.Thread(
            target=answer, args=(server, listener), name="mcts_viz page", daemon=True
        ).start()
        _ports[key] = port_of(listener)
    display = importlib.import_module("IPython.display")
    display.display(display.IFrame(f"http://{HOST}:{_ports[key]}/", "100%", HEIGHT))


def show_file(page: bytes) -> None:
    """Show an HTML file that needs no server under the cell; it stays there when the notebook is saved."""
    display = importlib.import_module("IPython.display")
    inside = html.escape(page.decode(), quote=True)
    frame = f'<iframe srcdoc="{inside}" width="100%" height="{HEIGHT}" style="border:0"></iframe>'
    display.display(display.HTML(frame))
