"""The dialog that finds a node by its id or by moves: what the text may mean, and what could follow."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, html, no_update, set_props

from mcts_viz.analysis.move_sequence import Reading, readings
from mcts_viz.errors import PageError
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.web.attributes import AUTOFOCUS, POLITE
from mcts_viz.web.cursor import place
from mcts_viz.web.ids import Ids, find_next, find_reading
from mcts_viz.web.library import Library
from mcts_viz.web.words import plural

FOLLOWING_AT_MOST = 8  # next moves offered, the most visited first


def layout() -> Any:
    """The dialog, closed."""
    return dmc.Modal(
        id=Ids.FIND.value,
        title="Find a node",
        closeButtonProps={"aria-label": "close"},
        children=dmc.Stack(
            gap="xs",
            children=[
                dmc.TextInput(
                    id=Ids.FIND_TEXT.value,
                    label="Node id, or moves from the root",
                    description="#17, or moves: column 4, column 3 · 4 3 · action ids",
                    **AUTOFOCUS,
                ),
                html.Div(id=Ids.FIND_OFFERS.value, className="find-offers", **POLITE),
                html.Div(id=Ids.FIND_ERROR.value, className="form-error", role="alert"),
                dmc.Group(dmc.Button("Go", id=Ids.FIND_GO.value), justify="flex-end"),
            ],
        ),
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog."""

    @app.callback(
        Output(Ids.FIND_ERROR.value, "children"),
        Output("found", "data"),
        Input(Ids.FIND_GO.value, "n_clicks"),
        Input(Ids.FIND_TEXT.value, "n_submit"),
        State(Ids.FIND_TEXT.value, "value"),
        State(Ids.CURSOR.value, "data"),
        prevent_initial_call=True,
    )
    def find(
        clicks: int | None, enters: int | None, text: str | None, cursor: Any
    ) -> tuple[Any, Any]:
        trace = place(library, cursor).trace
        try:
            node = found_node(trace.at(trace.n_iterations), text or "")
        except PageError as err:
            return str(err), no_update
        set_props(Ids.FIND.value, {"opened": False})
        return "", node

    @app.callback(
        Output(Ids.FIND_OFFERS.value, "children"),
        Input(Ids.FIND_TEXT.value, "value"),
        Input(Ids.FIND.value, "opened"),
        State(Ids.CURSOR.value, "data"),
        prevent_initial_call=True,
    )
    def offer(text: str | None, opened: bool, cursor: Any) -> Any:
        if not opened:
            return no_update
        trace = place(library, cursor).trace
        return offers(trace.at(trace.n_iterations), text or "")

    app.clientside_callback(
        ClientsideFunction("mcts", "select"), Input("found", "data"), prevent_initial_call=True
    )
    app.clientside_callback(
        ClientsideFunction("mctsTree", "takeReading"),
        Input({"type": "find-reading", "node": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("mctsTree", "addMove"),
        Input({"type": "find-next", "move": ALL}, "n_clicks"),
        State(Ids.FIND_TEXT.value, "value"),
        prevent_initial_call=True,
    )


def found_node(snapshot: Snapshot, text: str) -> int:
    """The node that a text most likely means; raises PageError saying how far it got."""
    return readings(snapshot, text)[0].node


def offers(snapshot: Snapshot, text: str) -> list[Any]:
    """What the text may mean, and the moves that could follow; while typing, a text that leads nowhere yet says so."""
    if not text.strip():
        return [_following(snapshot, 0, "")]
    try:
        found = readings(snapshot, text)
    except PageError as err:
        return [html.P(str(err), className="dim")]
    meant = found[0]
    typed = "" if meant.how == "node id" else text.strip().rstrip(",")
    return [
        html.Div([_reading(snapshot, each) for each in found], className="find-readings"),
        *([_following(snapshot, meant.node, typed)] if typed else []),
    ]


def _reading(snapshot: Snapshot, reading: Reading) -> Any:
    line = " › ".join(snapshot.label(v) for v in snapshot.path(reading.node)[1:]) or "root"
    visits = plural(int(snapshot.visits[reading.node]), "visit")
    return html.Button(
        [html.B(line), html.Small(f"{reading.how} · node {reading.node:,} · {visits}")],
        id=find_reading(reading.node),
        type="button",
        className="find-reading",
    )


def _following(snapshot: Snapshot, node: int, typed: str) -> Any:
    children = sorted(snapshot.children(node), key=lambda v: -int(snapshot.visits[v]))
    if not children:
        return html.P("No move was searched after it.", className="dim")
    before = f"{typed}, " if typed else ""
    moves = [
        html.Button(
            snapshot.label(v), id=find_next(before + snapshot.label(v)), type="button",
            className="find-next", title=f"{int(snapshot.visits[v]):,} visits",
        )
        for v in children[:FOLLOWING_AT_MOST]
    ]  # fmt: skip
    more = len(children) - len(moves)
    rest = [html.Span(f"and {more:,} more", className="dim")] if more > 0 else []
    return html.Div(
        [html.Span("next: " if typed else "moves: ", className="dim"), *moves, *rest],
        className="find-following",
    )
