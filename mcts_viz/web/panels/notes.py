"""The tab *Notes*: bookmarks with text. The browser owns the list, for what is written there must survive a server
that cannot keep it; `note_routes` keeps it."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, html

from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library

TAB = "notes"


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("Notes", value=TAB)


def panel() -> Any:
    """Its body; the browser fills it when it is opened."""
    return dmc.TabsPanel(html.Div(id=Ids.NOTES.value, className="notes"), value=TAB)


def register(app: Dash, library: Library) -> None:
    """Tells the browser that the tab was opened."""
    app.clientside_callback(ClientsideFunction("mcts", "showNotes"), Input(Ids.TABS.value, "value"))
