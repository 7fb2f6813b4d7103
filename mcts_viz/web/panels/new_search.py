"""New search: the dialog around the form, a running search with its progress and Stop, and the trace that comes
of it: followed while it grows, where the search takes long enough."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import (
    ClientsideFunction,
    Dash,
    Input,
    Output,
    State,
    ctx,
    dcc,
    html,
    no_update,
    set_props,
)

from mcts_viz.errors import MctsVizError
from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import SEARCH_FORM, Ids, field
from mcts_viz.web.jobs import Job, Jobs
from mcts_viz.web.library import Library
from mcts_viz.web.panels.running import (
    HIDE,
    LOST,
    SHOW,
    TICK,
    FootIds,
    one_at_a_time,
    percent_done,
    progress_text,
    sticky_foot,
)
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

# what is told of a running search: in the dialog, and under the tree's tools once its trace is open
WATCHED = {
    "idle": Output(Ids.SEARCH_TICK.value, "disabled"),
    "bar": Output(Ids.SEARCH_BAR.value, "value"),
    "bar_style": Output(Ids.SEARCH_BAR.value, "style"),
    "words": Output(Ids.SEARCH_PROGRESS.value, "children"),
    "no_start": Output(Ids.SEARCH_START.value, "disabled"),
    "no_stop": Output(Ids.SEARCH_STOP.value, "disabled"),
    "run_style": Output(Ids.SEARCH_RUN.value, "style"),
    "run_bar": Output(Ids.SEARCH_RUN_BAR.value, "value"),
    "run_words": Output(Ids.SEARCH_RUN_WORDS.value, "children"),
    "run_no_stop": Output(Ids.SEARCH_RUN_STOP.value, "disabled"),
    "opened": Output(Ids.OPENED.value, "data"),
}
STOPS = {Ids.SEARCH_STOP.value, Ids.SEARCH_RUN_STOP.value}


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
        output=WATCHED,
        inputs=[
            Input(Ids.SEARCH_JOB.value, "data"),
            Input(Ids.SEARCH_TICK.value, "n_intervals"),
            Input(Ids.SEARCH_STOP.value, "n_clicks"),
            Input(Ids.SEARCH_RUN_STOP.value, "n_clicks"),
        ],
        prevent_initial_call=True,
        running=one_at_a_time(Ids.SEARCH_TICK),
    )
    def watch(number: str | None, *_: int | None) -> dict[str, Any]:
        job = jobs.job(number or "")
        if job is not None and STOPS & set(ctx.triggered_prop_ids.values()):
            job.stop.set()
        return told_of(job, bool(number))


def told_of(job: Job | None, was_started: bool) -> dict[str, Any]:
    """The `WATCHED` outputs for a search as it is now; closes the dialog when its trace is opened."""
    if job is None:
        return _outputs(True, LOST if was_started else "")
    if not job.finished:
        opened: Any = no_update
        if job.is_worth_following and not job.followed:
            job.followed = True
            opened = {"key": job.key, "at": "growing"}
            set_props(Ids.SEARCH.value, {"opened": False})
        return _outputs(False, progress_text(job), percent_done(job), job.followed, opened)
    if job.error is not None:
        return _outputs(True, f"Stopped: {job.error}", None, job.followed)
    if job.followed:  # the page has it, and hears of its end from the file
        return _outputs(True, "")
    set_props(Ids.SEARCH.value, {"opened": False})
    return _outputs(True, "", opened={"key": job.key})


def _outputs(
    is_over: bool,
    words: str,
    percent: float | None = None,
    on_page: bool = False,
    opened: Any = no_update,
) -> dict[str, Any]:
    return {
        "idle": is_over,
        "bar": percent or 0,
        "bar_style": HIDE if percent is None else SHOW,
        "words": words,
        "no_start": not is_over,
        "no_stop": is_over,
        "run_style": {"display": "flex"} if on_page else HIDE,
        "run_bar": percent or 0,
        "run_words": words,
        "run_no_stop": is_over,
        "opened": opened,
    }


def strip() -> Any:
    """The line above the tree while a search grows it: progress and Stop."""
    return html.Div(
        [
            html.Div(id=Ids.SEARCH_RUN_WORDS.value, className="grow", role="status"),
            dmc.Progress(
                id=Ids.SEARCH_RUN_BAR.value, value=0, w=180, **aria("progress of the search")
            ),
            dmc.Button(
                "Stop", id=Ids.SEARCH_RUN_STOP.value, size="compact-sm", variant="default",
                disabled=True,
            ),
        ],
        id=Ids.SEARCH_RUN.value,
        className="trace-note search-run",
        style=HIDE,
    )  # fmt: skip


def complaint(services: Services, fields: Fields) -> str:
    """What is wrong with the form; nothing where it can be run."""
    try:
        services.check(search_request(fields, services.parameters))
    except MctsVizError as err:
        return str(err)
    return ""
