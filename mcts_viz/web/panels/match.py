"""Play: a match beside the tree. A form, then a board to click, what the engines are doing, and the moves."""

from __future__ import annotations

from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.exceptions import PreventUpdate

from mcts_viz.web.attributes import POLITE, aria
from mcts_viz.web.cursor import place
from mcts_viz.web.ids import SIDE_FORMS, Ids, field
from mcts_viz.web.library import Library
from mcts_viz.web.match_routes import match_routes
from mcts_viz.web.matches import Matches
from mcts_viz.web.panels.match_form import (
    complaint,
    fields_of,
    form,
    match_request,
    more_words,
    preset_beside,
)
from mcts_viz.web.panels.match_table import actions, asking, table
from mcts_viz.web.panels.running import TICK, one_at_a_time
from mcts_viz.web.panels.search_controls import reset_outputs, reset_values
from mcts_viz.web.services import Services

LOST = (
    "This game is not on the server any more: it was started anew, or another one answers. "
    "What was played is in the list of traces."
)


def layout(library: Library) -> Any:
    """The panel, closed."""
    return html.Aside(
        id=Ids.MATCH_PANEL.value,
        className="match",
        hidden=True,
        **aria("play"),
        children=[
            html.Div(
                className="match-head",
                children=[
                    html.H2("Play"),
                    asking("Close", "close", variant="subtle"),
                ],
            ),
            form(library),
            html.Div(
                id=Ids.MATCH_TABLE.value,
                hidden=True,
                children=[
                    html.Div(id=Ids.MATCH_POSITION.value),
                    html.Div(
                        id=Ids.MATCH_STATUS.value, className="match-status", role="status", **POLITE
                    ),
                    html.Div(id=Ids.MATCH_LIVE.value),
                    html.Div(id=Ids.MATCH_MOVES.value, className="match-moves"),
                ],
            ),
            dcc.Store(
                id=Ids.MATCH.value, storage_type="session"
            ),  # a tab's own, also when reloaded
            dcc.Store(id=Ids.MATCH_GO.value),
            dcc.Store(id=Ids.MATCH_ASK.value),
            dcc.Store(id=Ids.MATCH_SHOWN.value),
            dcc.Store(id=Ids.MATCH_TRACE.value),
            dcc.Interval(id=Ids.MATCH_TICK.value, interval=TICK, disabled=True),
        ],
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the panel. A match belongs to the server process; its folder to the library."""
    matches = Matches(library)
    app.server.register_blueprint(match_routes(matches))
    _buttons(app)
    for of in SIDE_FORMS:
        _side(app, library.services, of)
    _check(app, library.services)
    _from_node(app, library)
    _begin(app, library.services, matches)
    _watch(app, library, matches)


def _buttons(app: Dash) -> None:
    """What the browser does by itself."""
    for function, id_ in (("toggleMatch", Ids.MATCH_BUTTON), ("beginMatch", Ids.MATCH_BEGIN)):
        app.clientside_callback(
            ClientsideFunction("mcts", function), Input(id_.value, "n_clicks"),
            prevent_initial_call=True,
        )  # fmt: skip
    app.clientside_callback(
        ClientsideFunction("mcts", "followMatch"),
        Input(Ids.MATCH_TRACE.value, "data"),
        State(Ids.MATCH.value, "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("mcts", "hideEngines"),
        *(Output(field(of, "engine"), "hidden") for of in SIDE_FORMS),
        *(Input(of, "value") for of in SIDE_FORMS),
    )


def _side(app: Dash, services: Services, of: str) -> None:
    """What follows from who plays a side: what stands in grey; and a budget that fits its unit."""
    app.clientside_callback(
        ClientsideFunction("mcts", "fitBudget"),
        Output(field(of, "budget"), "value"),
        Input(field(of, "unit"), "value"),
        State(field(of, "budget"), "value"),
        prevent_initial_call=True,
    )

    app.clientside_callback(
        ClientsideFunction("mcts", "showEngine"),
        Output(field(of, "policies"), "opened"),
        Input(field(of, "more"), "n_clicks"),
        Input(field(of, "done"), "n_clicks"),
        prevent_initial_call=True,
    )

    @app.callback(
        output=reset_outputs(of, services),
        inputs={"by": Input(of, "value")},
        prevent_initial_call=True,
    )
    def reset(by: str) -> dict[str, dict[str, Any]]:
        return reset_values(services, preset_beside(services, by))


def _check(app: Dash, services: Services) -> None:
    """What is wrong with the form, told as it is filled in."""

    @app.callback(
        Output(Ids.MATCH_ERROR.value, "children"),
        *(Output(field(of, "error"), "children") for of in SIDE_FORMS),
        *(Output(field(of, "changed"), "children") for of in SIDE_FORMS),
        inputs={"fields": fields_of(Input, services)},
    )
    def check(fields: dict[str, Any]) -> list[str]:
        wrong = complaint(services, fields)
        return [wrong, *([wrong] * len(SIDE_FORMS)), *more_words(fields, services.parameters)]


def _from_node(app: Dash, library: Library) -> None:
    """The match begins at the node that is selected."""

    @app.callback(
        Output(Ids.MATCH_GAME.value, "data"),
        Output(Ids.MATCH_GAME.value, "value"),
        Output(Ids.MATCH_START.value, "value"),
        Input(Ids.MATCH_FROM_NODE.value, "n_clicks"),
        State(Ids.CURSOR.value, "data"),
        prevent_initial_call=True,
    )
    def from_node(clicks: int | None, cursor: dict[str, Any] | None) -> tuple[Any, ...]:
        here = place(library, cursor)
        line = library.line(here.trace, here.node)
        known = {g.name: g.title for g in (*library.services.games, line.game)}
        data = [{"value": name, "label": title} for name, title in known.items()]
        return data, line.game.name, ", ".join(line.moves)


def _begin(app: Dash, services: Services, matches: Matches) -> None:
    @app.callback(
        Output(Ids.MATCH.value, "data"),
        inputs={"go": Input(Ids.MATCH_GO.value, "data")},
        state={
            "before": State(Ids.MATCH.value, "data"),
            "fields": fields_of(State, services),
        },
        prevent_initial_call=True,
    )
    def begin(
        go: dict[str, Any], before: dict[str, Any] | None, fields: dict[str, Any]
    ) -> dict[str, str]:
        old = (before or {}).get("number", "")
        number = matches.begin(match_request(fields, services.parameters), old)
        return {"number": number, "page": go["page"]}


def _watch(app: Dash, library: Library, matches: Matches) -> None:
    """The match as it stands, and what is asked of it."""

    @app.callback(
        Output(Ids.MATCH_TICK.value, "disabled"),
        Output(Ids.MATCH_LIVE.value, "children"),
        Output(Ids.MATCH_POSITION.value, "children"),
        Output(Ids.MATCH_STATUS.value, "children"),
        Output(Ids.MATCH_MOVES.value, "children"),
        Output(Ids.MATCH_SHOWN.value, "data"),
        Output(Ids.MATCH_TRACE.value, "data"),
        Input(Ids.MATCH.value, "data"),
        Input(Ids.MATCH_ASK.value, "data"),
        Input(Ids.MATCH_TICK.value, "n_intervals"),
        Input(Ids.PROVIDER.value, "forceColorScheme"),
        State(Ids.MATCH_SHOWN.value, "data"),
        running=one_at_a_time(Ids.MATCH_TICK),
    )
    def watch(
        mine: dict[str, str] | None, ask: Any, ticks: int | None, theme: str | None, shown: Any
    ) -> tuple[Any, ...]:
        if not mine:
            raise PreventUpdate
        live = matches.match(mine["number"])
        if live is None:
            return (True, actions(None), "", LOST, "", None, {"match": mine["number"]})
        if ask and ask.get("match") == live.number:
            live.do(ask)
        return table(library, live, theme or "light", shown)
