"""The tab *Notes*: bookmarks with text. The browser owns the list while one writes; `routes/notes.py` keeps it."""

from __future__ import annotations

from dash import Dash, Input, html

from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Part, in_browser
from mcts_viz.web.panels.tabs.tab import Tab

NAME = "notes"


def body() -> Part:
    """Empty; the browser fills it."""
    return html.Div(id=Ids.NOTES, className="notes")


def register(app: Dash, library: Library) -> None:
    """The browser fills the tab when it opens."""
    in_browser(app, "mcts.showNotes", Input(cursor_for(NAME), "data"))


TAB = Tab(NAME, "Notes", body, register)
