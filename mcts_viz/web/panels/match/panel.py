"""Play: a match beside the tree. A form, then a board to click, what the engines are doing, and the moves."""

from __future__ import annotations

from collections.abc import Mapping

from dash import Dash, Input, Output, State, dcc, html
from dash.exceptions import PreventUpdate

from mcts_viz.games import LISTED, game
from mcts_viz.web.cursor import Cursor, place
from mcts_viz.web.ids import SIDE_FORMS, Ids, field
from mcts_viz.web.jobs.matches import Matches
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import POLITE, Part, aria, in_browser
from mcts_viz.web.panels.forms.controls import shows_preset
from mcts_viz.web.panels.forms.running import TICK, Fields, one_at_a_time
from mcts_viz.web.panels.forms.start import shows_start
from mcts_viz.web.panels.match.form import (
    MATCH_FORM,
    PERSON,
    complaint,
    fields_of,
    form,
    match_request,
    more_words,
    preset_beside,
)
from mcts_viz.web.panels.match.table import actions, asking, table
from mcts_viz.web.routes.match import match_routes

LOST = (
    "The server has been restarted, so this game has ended. Its searches are in the list of traces."
)


def layout(library: Library) -> Part:
    """The panel, closed."""
    return html.Aside(
        id=Ids.MATCH_PANEL,
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
                id=Ids.MATCH_TABLE,
                hidden=True,
                children=[
                    html.Div(id=Ids.MATCH_POSITION),
                    html.Div(
                        id=Ids.MATCH_STATUS, className="match-status", role="status", **POLITE
                    ),
                    html.Div(id=Ids.MATCH_LIVE),
                    html.Div(id=Ids.MATCH_MOVES, className="match-moves"),
                ],
            ),
            dcc.Store(id=Ids.MATCH, storage_type="session"),  # a tab's own, also when reloaded
            dcc.Store(id=Ids.MATCH_GO),
            dcc.Store(id=Ids.MATCH_ASK),
            dcc.Store(id=Ids.MATCH_SHOWN),
            dcc.Store(id=Ids.MATCH_TRACE),
            dcc.Interval(id=Ids.MATCH_TICK, interval=TICK, disabled=True),
        ],
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the panel. A match belongs to the server process; its folder to the library."""
    matches = Matches(library)
    app.server.register_blueprint(match_routes(matches))
    _buttons(app)
    for of in SIDE_FORMS:
        _side(app, of)
    _check(app)
    _from_node(app, library)
    opened = Input(Ids.MATCH_PANEL, "hidden")
    shows_start(app, MATCH_FORM, Ids.MATCH_START, (Ids.MATCH_GAME,), opened)
    _begin(app, matches)
    _watch(app, library, matches)


def _buttons(app: Dash) -> None:
    """What the browser does by itself."""
    for function, id_ in (("toggleMatch", Ids.MATCH_BUTTON), ("beginMatch", Ids.MATCH_BEGIN)):
        in_browser(app, f"mcts.{function}", Input(id_, "n_clicks"))
    in_browser(app, "mcts.followMatch", Input(Ids.MATCH_TRACE, "data"), State(Ids.MATCH, "data"))
    in_browser(
        app,
        "mcts.hideEngines",
        *(Output(field(of, "engine"), "hidden") for of in SIDE_FORMS),
        *(Input(of, "value") for of in SIDE_FORMS),
        initial=True,
    )


def _side(app: Dash, of: str) -> None:
    """What follows from who plays a side: what stands in grey; and a budget that fits its unit."""
    in_browser(
        app,
        "mcts.fitBudget",
        Output(field(of, "budget"), "value"),
        Input(field(of, "unit"), "value"),
        State(field(of, "budget"), "value"),
    )

    in_browser(
        app,
        "mcts.showEngine",
        Output(field(of, "policies"), "opened"),
        Input(field(of, "more"), "n_clicks"),
        Input(field(of, "done"), "n_clicks"),
    )
    shows_preset(app, of, of, lambda by, _: preset_beside(by or PERSON), budget=False)


def _check(app: Dash) -> None:
    """Errors of the form while it is filled in."""

    @app.callback(
        Output(Ids.MATCH_ERROR, "children"),
        *(Output(field(of, "error"), "children") for of in SIDE_FORMS),
        *(Output(field(of, "changed"), "children") for of in SIDE_FORMS),
        inputs={"fields": fields_of(Input), "_opened": Input(Ids.MATCH_PANEL, "hidden")},
        prevent_initial_call=True,
    )
    def check(fields: Fields, _opened: bool) -> list[str]:
        wrong = complaint(fields)
        return [wrong, *([wrong] * len(SIDE_FORMS)), *more_words(fields)]


def _from_node(app: Dash, library: Library) -> None:
    """The match begins at the node that is selected."""

    @app.callback(
        Output(Ids.MATCH_GAME, "data"),
        Output(Ids.MATCH_GAME, "value"),
        Output(Ids.MATCH_START, "value"),
        Input(Ids.MATCH_FROM_NODE, "n_clicks"),
        State(Ids.CURSOR, "data"),
        prevent_initial_call=True,
    )
    def from_node(clicks: int | None, cursor: Cursor | None) -> tuple[object, ...]:
        here = place(library, cursor)
        start = library.start_at(here.trace, here.node)
        known = {each.name: each.title for each in (*map(game, LISTED), start.game)}
        data = [{"value": name, "label": title} for name, title in known.items()]
        moves = [start.game.action_labels[action] for action in start.actions]
        return data, start.game.name, ", ".join(moves)


def _begin(app: Dash, matches: Matches) -> None:
    @app.callback(
        Output(Ids.MATCH, "data"),
        inputs={"go": Input(Ids.MATCH_GO, "data")},
        state={
            "before": State(Ids.MATCH, "data"),
            "fields": fields_of(State),
        },
        prevent_initial_call=True,
    )
    def begin(go: dict[str, str], before: dict[str, str] | None, fields: Fields) -> dict[str, str]:
        old = (before or {}).get("number", "")
        number = matches.begin(match_request(fields), old)
        return {"number": number, "page": go["page"]}


def _watch(app: Dash, library: Library, matches: Matches) -> None:
    """The state of the match, and the requests to it."""

    @app.callback(
        Output(Ids.MATCH_TICK, "disabled"),
        Output(Ids.MATCH_LIVE, "children"),
        Output(Ids.MATCH_POSITION, "children"),
        Output(Ids.MATCH_STATUS, "children"),
        Output(Ids.MATCH_MOVES, "children"),
        Output(Ids.MATCH_SHOWN, "data"),
        Output(Ids.MATCH_TRACE, "data"),
        Input(Ids.MATCH, "data"),
        Input(Ids.MATCH_ASK, "data"),
        Input(Ids.MATCH_TICK, "n_intervals"),
        State(Ids.MATCH_SHOWN, "data"),
        State(Ids.PROVIDER, "forceColorScheme"),
        prevent_initial_call=True,
        running=one_at_a_time(Ids.MATCH_TICK),
    )
    def watch(
        mine: dict[str, str] | None,
        ask: Mapping[str, object] | None,
        ticks: int | None,
        shown: object,
        theme: str | None,
    ) -> tuple[object, ...]:
        if not mine:
            raise PreventUpdate
        live = matches.match(mine["number"])
        if live is None:
            return (True, actions(None), "", LOST, "", None, {"match": mine["number"]})
        if ask and ask.get("match") == live.number:
            live.do(ask)
        return table(library, live, theme or "light", shown)
