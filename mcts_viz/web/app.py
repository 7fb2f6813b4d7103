"""The page put together: one Dash app over one library. Importing it starts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, dcc, html, set_props

from mcts_viz.errors import MctsVizError
from mcts_viz.web.file_routes import file_routes
from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.panels import (
    bar,
    dialogs,
    health,
    match,
    new_search,
    node,
    stepping,
    tables,
    tree,
    why,
)
from mcts_viz.web.services import Services
from mcts_viz.web.view_routes import view_routes

PANELS = (bar, match, tree, node, tables, why, health, stepping, new_search, dialogs)


def create_app(services: Services, sources: Sequence[Path], store: Path) -> Dash:
    """The app for the traces in `sources` (files and folders); uploads and new searches go to `store`."""
    library = Library(services, sources, store)
    app = Dash(
        "mcts_viz",
        title="mcts_viz",
        update_title="",
        assets_folder=str(Path(__file__).with_name("assets")),
        compress=True,
        on_error=tell,
        serve_locally=True,
    )
    app.server.register_blueprint(view_routes(library))
    app.server.register_blueprint(file_routes(library))
    app.layout = lambda: page(library)
    for panel in PANELS:
        panel.register(app, library)
    return app


def page(library: Library) -> Any:
    """The whole page, made anew for each visitor, so that new files are in the list."""
    return dmc.MantineProvider(
        id=Ids.PROVIDER.value,
        theme={"primaryColor": "blue", "defaultRadius": "sm"},
        children=[
            dcc.Store(id=Ids.CURSOR.value),
            dcc.Store(id=Ids.THEME.value, storage_type="local"),
            dcc.Store(id="found"),
            html.Div(
                className="page",
                children=[
                    bar.layout(library),
                    html.Main(
                        className="work",
                        children=[
                            match.layout(library),
                            tree.layout(),
                            html.Aside(
                                className="side",
                                children=[
                                    node.layout(),
                                    tables.layout(
                                        [why.tab(), health.tab()], [why.panel(), health.panel()]
                                    ),
                                ],
                            ),
                        ],
                    ),
                    stepping.layout(),
                ],
            ),
            html.Div(id=Ids.MESSAGE.value, className="message", role="alert"),
            new_search.layout(library),
            dialogs.layout(),
        ],
    )


def tell(error: Exception) -> None:
    """A failing callback says so on the page: never a silent nothing, never a stack trace."""
    if isinstance(error, MctsVizError):
        text = str(error)
    else:
        text = f"This part of the page failed: {type(error).__name__}: {error}"
    set_props(Ids.MESSAGE.value, {"children": text})
