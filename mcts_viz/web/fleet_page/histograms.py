"""Histograms of four columns: of all searches, and of those that the conditions on all other columns let pass.

A bar, or a stretch of them, becomes the condition on their own column.
"""

from __future__ import annotations

import plotly.graph_objects as go
from dash import Dash, Input, Output, no_update
from dash.exceptions import PreventUpdate

from mcts_viz.views.histogram_figure import histogram_figure
from mcts_viz.web.fleet_page.ids import FleetIds, bar_column, bar_figure
from mcts_viz.web.fleet_page.query import BARS, Asked
from mcts_viz.web.fleet_page.source import FleetSource
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import in_browser


def register(app: Dash, source: FleetSource, library: Library) -> None:
    """Callbacks of the histograms."""
    for place in range(len(BARS)):
        _register(app, source, place)
        in_browser(app, "fleet.setBars", Input(bar_column(place), "value"))
        in_browser(app, "fleet.pickBars", Input(bar_figure(place), "clickData"))
        in_browser(app, "fleet.pickBars", Input(bar_figure(place), "selectedData"))


def _register(app: Dash, source: FleetSource, place: int) -> None:
    @app.callback(
        Output(bar_figure(place), "figure"),
        Input(FleetIds.ASKED, "data"),
        prevent_initial_call=True,
    )
    def histogram(told: object) -> go.Figure:
        if not told:
            raise PreventUpdate
        asked = Asked.read(told)
        if place >= len(asked.bars):
            return no_update
        return histogram_figure(source.histogram(asked, asked.bars[place]), asked.theme)
