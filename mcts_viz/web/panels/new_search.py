"""New search: the dialog around the form, a running search with its progress and Stop, and the trace that comes
of it."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update, set_props

from mcts_viz.errors import MctsVizError
from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import SEARCH_FORM, Ids, field
from mcts_viz.web.jobs import Jobs
from mcts_viz.web.library import Library
from mcts_viz.web.panels.running import TICK, FootIds, foot_outputs, look, sticky_foot
from mcts_viz.web.panels.search_controls import (
    Fields,
    budget_fields,
    budget_placeholders,
    changed_words,
    parameter_fields,
    preset_of,
    reset_outputs,
    reset_values,
)
from mcts_viz.web.panels.search_form import form, search_request
from mcts_viz.web.services import Services

FIELDS = {
    "game": Ids.SEARCH_GAME,
    "size": Ids.SEARCH_SIZE,
    "preset": Ids.SEARCH_PRESET,
    "seed": Ids.SEARCH_SEED,
    "moves": Ids.SEARCH_MOVES,
}
FOOT = FootIds(
    Ids.SEARCH_ERROR, Ids.SEARCH_BAR, Ids.SEARCH_PROGRESS, Ids.SEARCH_STOP, Ids.SEARCH_START
)


def layout(library: Library) -> Any:
    """The dialog, and what watches a running search also while the dialog is closed."""
    return html.Div(
        [
            dmc.Modal(
                [dmc.Stack(form(library.services), gap="sm"), sticky_foot(FOOT, "Start", "search")],
                id=Ids.SEARCH.value,
                title="New search",
                size=820,
                yOffset="3dvh",
                className="search-dialog",
                closeButtonProps=aria("close"),
            ),
            dcc.Store(id=Ids.SEARCH_GO.value),
            dcc.Store(id=Ids.SEARCH_JOB.value),
            dcc.Interval(id=Ids.SEARCH_TICK.value, interval=TICK, disabled=True),
        ]
    )


def fields_of(kind: type[Input] | type[State], services: Services) -> dict[str, Any]:
    """All of the form's controls, as `search_form` reads them."""
    return {
        **{name: kind(id_.value, "value") for name, id_ in FIELDS.items()},
        **budget_fields(kind, SEARCH_FORM),
        **parameter_fields(kind, SEARCH_FORM, services),
    }


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog. A search belongs to the server process; its file belongs to the library."""
    jobs, services = Jobs(library), library.services
    _buttons(app)
    _check(app, services)
    _preset(app, services)
    _start(app, services, jobs)
    _watch(app, jobs)


def _buttons(app: Dash) -> None:
    """What the browser does by itself."""
    for function, id_ in (("newSearch", Ids.NEW), ("startSearch", Ids.SEARCH_START)):
        app.clientside_callback(
            ClientsideFunction("mcts", function), Input(id_.value, "n_clicks"),
            prevent_initial_call=True,
        )  # fmt: skip
    app.clientside_callback(
        ClientsideFunction("mcts", "isFilled"),
        Output(Ids.SEARCH_GAME.value, "disabled"),
        Input(Ids.SEARCH_SIZE.value, "value"),
        prevent_initial_call=True,
    )


def _check(app: Dash, services: Services) -> None:
    """What is wrong with the form, told as it is filled in."""

    @app.callback(
        Output(Ids.SEARCH_ERROR.value, "children"),
        Output(field(SEARCH_FORM, "changed"), "children"),
        inputs={"fields": fields_of(Input, services)},
    )
    def check(fields: dict[str, Any]) -> tuple[str, str]:
        return complaint(services, fields), changed_words(fields, services.parameters)


def _preset(app: Dash, services: Services) -> None:
    """What a preset has, in grey; the parameters begin anew with each."""

    @app.callback(
        output=reset_outputs(SEARCH_FORM, services),
        inputs={"preset": Input(Ids.SEARCH_PRESET.value, "value")},
        prevent_initial_call=True,
    )
    def reset(preset: str) -> dict[str, dict[str, Any]]:
        return reset_values(services, preset_of(services, preset))

    @app.callback(
        Output(field(SEARCH_FORM, "iterations"), "placeholder"),
        Output(field(SEARCH_FORM, "seconds"), "placeholder"),
        Input(Ids.SEARCH_PRESET.value, "value"),
        Input(field(SEARCH_FORM, "iterations"), "value"),
        Input(field(SEARCH_FORM, "seconds"), "value"),
    )
    def budget(preset: str, iterations: Any, seconds: Any) -> tuple[str, str]:
        return budget_placeholders(preset_of(services, preset), iterations, seconds)


def _start(app: Dash, services: Services, jobs: Jobs) -> None:
    """A callback of its own: one that also listened to the fields would lose the press of Start that comes together
    with the last change of a field."""

    @app.callback(
        Output(Ids.SEARCH_JOB.value, "data"),
        inputs={"presses": Input(Ids.SEARCH_GO.value, "data")},
        state={"fields": fields_of(State, services)},
        prevent_initial_call=True,
    )
    def start(presses: int | None, fields: dict[str, Any]) -> str:
        return jobs.start(search_request(fields, services.parameters))


def _watch(app: Dash, jobs: Jobs) -> None:
    """A search that runs, until its trace opens."""

    @app.callback(
        *foot_outputs(FOOT, Ids.SEARCH_TICK),
        Output(Ids.OPENED.value, "data"),
        Input(Ids.SEARCH_JOB.value, "data"),
        Input(Ids.SEARCH_TICK.value, "n_intervals"),
        Input(Ids.SEARCH_STOP.value, "n_clicks"),
        prevent_initial_call=True,
    )
    def watch(number: str | None, ticks: int | None, stops: int | None) -> tuple[Any, ...]:
        job, shown = look(FOOT, jobs, number)
        if job is None:
            return (*shown, no_update)
        set_props(Ids.SEARCH.value, {"opened": False})
        return (*shown, {"key": job.key})


def complaint(services: Services, fields: Fields) -> str:
    """What is wrong with the form; nothing where it can be run."""
    try:
        services.check(search_request(fields, services.parameters))
    except MctsVizError as err:
        return str(err)
    return ""
