"""Searches side by side: their root values over one another."""

from __future__ import annotations

import plotly.graph_objects as go
from dash import Dash, Input, Output
from dash.exceptions import PreventUpdate

from mcts_viz.views.curves_figure import Curve, curves_figure
from mcts_viz.views.timeline import RootReplay
from mcts_viz.web.fleet_page.ids import FleetIds
from mcts_viz.web.fleet_page.query import Asked
from mcts_viz.web.fleet_page.searches import key_of
from mcts_viz.web.fleet_page.source import FleetSource
from mcts_viz.web.library import Library


def register(app: Dash, source: FleetSource, library: Library) -> None:
    """The callback of the curves."""

    @app.callback(
        Output(FleetIds.CURVES, "figure"), Input(FleetIds.PICKED, "data"), prevent_initial_call=True
    )
    def curves(told: object) -> go.Figure:
        if not told:
            raise PreventUpdate
        asked = Asked.read(told)
        return curves_figure([_curve(source, library, each) for each in asked.picked], asked.theme)


def _curve(source: FleetSource, library: Library, search_id: str) -> Curve:
    trace = library.trace(key_of(source, library, source.search(search_id)))
    found = RootReplay(trace.columns, trace.meta, trace.n_iterations).timeline()
    return Curve(search_id, found.iteration, found.root_value, found.view_text)
