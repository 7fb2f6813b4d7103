"""The side of the page: the selected node, and the tabs below it."""

from __future__ import annotations

from importlib import import_module

import dash_mantine_components as dmc
from dash import Dash, Input, html

from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.panels import node, verdict
from mcts_viz.web.panels.elements import Part, aria, edge, in_browser
from mcts_viz.web.panels.tabs.tab import Tab

# modules of `panels/tabs` in the order of the page; a new tab is one more line
NAMES = (
    "children",
    "board",
    "siblings",
    "iteration",
    "why",
    "history",
    "rollouts",
    "health",
    "notes",
)
TABS: tuple[Tab, ...] = tuple(
    import_module(f"mcts_viz.web.panels.tabs.{name}").TAB for name in NAMES
)


def layout() -> Part:
    """The node's panel, and the tabs. None is open, so no table is loaded, until the tree has been drawn once."""
    heads = dmc.TabsList([dmc.TabsTab(tab.title, value=tab.id) for tab in TABS])
    bodies = [dmc.TabsPanel(tab.body(), value=tab.id) for tab in TABS]
    tabs = dmc.Tabs([heads, *bodies], id=Ids.TABS, value=None, keepMounted=False, className="tabs")
    origin = html.Section(
        id=Ids.ORIGIN,
        className="origin",
        hidden=True,
        tabIndex=0,
        **aria("where a number comes from"),
    )  # the browser fills it
    return html.Aside(
        [
            edge("side", "vertical", "Width of the panels"),
            verdict.layout(),
            node.layout(),
            edge("node", "horizontal", "Height of the node's panel"),
            tabs,
            origin,
        ],
        className="side",
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the node's panel and of the tabs."""
    verdict.register(app)
    node.register(app, library)
    for tab in TABS:
        tab.register(app, library)
    in_browser(app, "mctsPanels.open", Input(Ids.TABS, "value"))
