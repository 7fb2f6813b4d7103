"""The tab *Notes*: bookmarks with text. The browser owns the list, for what is written there must survive a server
that cannot keep it; `note_routes` keeps it."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import html

from mcts_viz.web.ids import Ids

TAB = "notes"


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("Notes", value=TAB)


def panel() -> Any:
    """Its body; the browser fills it when it is opened."""
    return dmc.TabsPanel(html.Div(id=Ids.NOTES.value, className="notes"), value=TAB)
