"""Small dialogs: find a node, and the list of keys."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, html, no_update, set_props

from mcts_viz.errors import PageError
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.web.attributes import AUTOFOCUS
from mcts_viz.web.cursor import place
from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library


def layout() -> Any:
    """Both, closed."""
    return html.Div(
        [
            dmc.Modal(
                id=Ids.FIND.value,
                title="Find a node",
                closeButtonProps={"aria-label": "close"},
                children=dmc.Stack(
                    gap="sm",
                    children=[
                        dmc.TextInput(
                            id=Ids.FIND_TEXT.value,
                            label="Node id, or moves from the root",
                            description="#17, or a line of moves with commas: column 4, column 3",
                            **AUTOFOCUS,
                        ),
                        html.Div(id=Ids.FIND_ERROR.value, className="form-error", role="alert"),
                        dmc.Group(dmc.Button("Go", id=Ids.FIND_GO.value), justify="flex-end"),
                    ],
                ),
            ),
            dmc.Modal(
                id=Ids.HELP.value,
                title="Keys",
                closeButtonProps={"aria-label": "close"},
                children=html.Dl(id="key-list", className="keys"),
            ),
        ]
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the find dialog; the list of keys is written by the browser, which owns the keys."""

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

    app.clientside_callback(
        ClientsideFunction("mcts", "select"), Input("found", "data"), prevent_initial_call=True
    )


def found_node(snapshot: Snapshot, text: str) -> int:
    """The node that a text names: "#17", "17" or a line of moves; raises PageError saying how far it got."""
    wanted = text.strip()
    if not wanted:
        raise PageError("Type a node id such as #17, or moves from the root")
    number = wanted.removeprefix("#")
    if number.isdecimal():
        is_there = len(number) < 12 and int(number) < snapshot.n_nodes
        if is_there:
            return int(number)
        if "#" in wanted or len(number) >= 12:
            raise PageError(
                f"Node {number[:40]} is not in this trace, which has 0 to {snapshot.n_nodes - 1:,}"
            )
    node = 0
    for move in (part.strip() for part in wanted.split(",") if part.strip()):
        children = {snapshot.label(v).lower(): v for v in snapshot.children(node)}
        actions = {str(int(snapshot.action[v])): v for v in snapshot.children(node)}
        following = children.get(move.lower(), actions.get(move))
        if following is None:
            there = ", ".join(children) or "none"
            raise PageError(
                f"No move {move!r} after {snapshot.label(node)}; searched there: {there}"
            )
        node = following
    return node
