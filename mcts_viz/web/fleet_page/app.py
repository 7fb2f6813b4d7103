"""The page on a fleet put together: a second Dash app, under /fleet/ of the server that the page of traces has."""

from __future__ import annotations

from collections.abc import Callable

import dash_mantine_components as dmc
from dash import Dash, Input, Output, dcc
from flask import Flask, redirect, request
from werkzeug.wrappers import Response

from mcts_viz.web.fleet_page import answers, curves, histograms
from mcts_viz.web.fleet_page.ids import FleetIds
from mcts_viz.web.fleet_page.layout import layout
from mcts_viz.web.fleet_page.routes import fleet_routes
from mcts_viz.web.fleet_page.source import FleetSource
from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import in_browser
from mcts_viz.web.scripts import ASSETS, FLEET, IGNORED, index_of
from mcts_viz.web.theme import MANTINE_THEME

FOLDER = "fleet/"  # of its address
PANELS = (histograms, answers, curves)


def create_fleet_app(
    source: FleetSource,
    library: Library,
    server: Flask,
    prefix: str,
    assets: str,
    tell: Callable[[Exception], None],
) -> Dash:
    """The app. prefix: of the server's addresses as a browser sees them; assets: where the scripts of all pages lie."""
    app = Dash(
        "mcts_viz.fleet",
        server=server,  # type: ignore[arg-type] # Dash takes one, whatever its types say
        title=f"{source.name} · mcts_viz",
        update_title="",
        assets_folder=str(ASSETS),
        assets_ignore=IGNORED,
        on_error=tell,
        serve_locally=True,
        requests_pathname_prefix=f"{prefix}{FOLDER}",
        routes_pathname_prefix=f"/{FOLDER}",
    )
    app.index_string = index_of(assets, FLEET)
    server.register_blueprint(fleet_routes(source, library))

    def page() -> dmc.MantineProvider:
        source.renew()
        theme = dcc.Store(id=Ids.THEME, storage_type="local")
        return dmc.MantineProvider([theme, layout(source)], id=Ids.PROVIDER, theme=MANTINE_THEME)

    app.layout = page
    for panel in PANELS:
        panel.register(app, source, library)
    _register(app)
    return app


def lead_to_fleet(server: Flask, source: FleetSource) -> None:
    """Let the plain address of the server show the fleet, as soon as there is one."""

    @server.before_request
    def lead() -> Response | None:
        from_start = request.path == "/" and not request.query_string and request.method == "GET"
        if from_start and source.is_there:
            return redirect(FOLDER)
        if request.path == f"/{FOLDER}" and not source.is_there:
            return redirect("../?traces")
        return None


def _register(app: Dash) -> None:
    in_browser(
        app, "fleet.toggleTheme", Output(Ids.THEME, "data"), Input(Ids.THEME_BUTTON, "n_clicks")
    )
    in_browser(
        app, "fleet.applyTheme", Output(Ids.PROVIDER, "forceColorScheme"), Input(Ids.THEME, "data"), initial=True
    )  # fmt: skip
    in_browser(
        app, "fleet.openHelp", Output(Ids.HELP, "opened"), Input(Ids.HELP_BUTTON, "n_clicks")
    )
    in_browser(app, "fleet.clear", Input(FleetIds.CLEAR, "n_clicks"))
    in_browser(app, "fleet.setColumns", Input(FleetIds.COLUMNS, "value"))
    in_browser(app, "fleet.setTab", Input(FleetIds.TABS, "value"))
