"""The tab *History*: visits and mean value of the selected node and its siblings over the whole search."""

from __future__ import annotations

from typing import Any, cast

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.sibling_history import SiblingHistory, sibling_history
from mcts_viz.views.history_figure import CHART_CONFIG, COLOURS, SCALES, history_figure
from mcts_viz.web.attributes import aria
from mcts_viz.web.cursor import Place
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.tables import place_in_tab
from mcts_viz.web.words import count, plural

TAB = "history"
SWITCH = {"count": "count", "log": "log", "share": "share"}


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("History", value=TAB)


def panel() -> Any:
    """Its body: a switch and what is shown, over the chart."""
    return dmc.TabsPanel(
        html.Div(className="history", children=[
            html.Div(className="history-tools", children=[
                dmc.SegmentedControl(
                    id=Ids.HISTORY_SCALE.value, value="count", size="xs",
                    data=[{"value": name, "label": label} for name, label in SWITCH.items()],
                    **aria("scale of the visits: " + ", ".join(SCALES.values())),
                ),
                html.Div(id=Ids.HISTORY_NOTE.value, className="history-note"),
            ]),
            dcc.Graph(
                id=Ids.HISTORY.value, className="history-chart", config=cast(Any, CHART_CONFIG),
                responsive=True, figure={"layout": {"xaxis": {"visible": False}, "yaxis": {"visible": False}}},
            ),
            dcc.Store(id=Ids.HISTORY_SHOWN.value),
        ]),
        value=TAB,
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab. A step only moves the line that marks the iteration, in the browser."""

    @app.callback(
        Output(Ids.HISTORY.value, "figure"),
        Output(Ids.HISTORY_NOTE.value, "children"),
        Output(Ids.HISTORY_SHOWN.value, "data"),
        Input(cursor_for(TAB), "data"),
        Input(Ids.HISTORY_SCALE.value, "value"),
        Input(Ids.PROVIDER.value, "forceColorScheme"),
        State(Ids.TABS.value, "value"),
        State(Ids.HISTORY_SHOWN.value, "data"),
        prevent_initial_call=True,
    )
    def history(
        cursor: dict[str, Any] | None, scale: str, theme: str | None, tab: str | None, shown: Any
    ) -> tuple[Any, Any, Any]:
        here = place_in_tab(library, cursor, tab, TAB)
        wanted = [here.key, here.trace.n_iterations, here.node, scale, theme or "light"]
        if wanted == shown:
            raise PreventUpdate
        return *chart(here, scale, theme or "light"), wanted

    app.clientside_callback(
        ClientsideFunction("mcts", "markHistory"), Input(Ids.HISTORY_SHOWN.value, "data"),
        prevent_initial_call=True,
    )  # fmt: skip
    app.clientside_callback(
        ClientsideFunction("mcts", "jumpInHistory"), Input(Ids.HISTORY.value, "clickData"),
        prevent_initial_call=True,
    )  # fmt: skip


def chart(here: Place, scale: str, theme: str) -> tuple[Any, Any]:
    """The figure, and which node each of its colours is."""
    if here.node >= here.trace.n_nodes:
        return {}, f"Node {here.node:,} is not in this trace."
    told = sibling_history(here.trace, here.node)
    return history_figure(told, here.node, scale, theme), legend(told, here.node)


def legend(told: SiblingHistory, selected: int) -> Any:
    """The nodes in their colours, with their visits in the end, and how many are not shown."""
    if not told.courses:
        return "The root has no children: nothing to show."
    chips = [
        html.Span(
            [html.I(className="mcts-timeline-swatch", style={"background": colour}), course.move],
            className="history-chip selected" if course.node == selected else "history-chip",
            title=f"{course.move}: node {count(course.node)}, {plural(course.final_visits, 'visit')} in the end",
        )
        for course, colour in zip(told.courses, COLOURS)
    ]
    if told.n_hidden:
        hidden = f"+{count(told.n_hidden)} more with {plural(told.hidden_visits, 'visit')}"
        chips.append(html.Span(hidden, className="history-more"))
    return chips
