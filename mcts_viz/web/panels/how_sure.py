"""How sure is this choice? The position searched with many constants and seeds, as one picture: a tab of *What if*."""

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

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.views.sensitivity_figure import sensitivity_figure
from mcts_viz.web.cursor import place
from mcts_viz.web.grid_jobs import MOST_ITERATIONS, GridJob, GridJobs
from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.panels.running import HIDE, SHOW, TICK, FootIds, foot, one_at_a_time
from mcts_viz.web.services import GridRequest
from mcts_viz.web.words import count

SEEDS = 10
NOTE = (
    "The same position is searched with each constant and each seed; the picture shows how often each move is chosen. "
    f"At most {MOST_ITERATIONS:,} iterations in all."
)

FOOT = FootIds(Ids.SURE_NOTE, Ids.SURE_BAR, Ids.SURE_PROGRESS, Ids.SURE_STOP, Ids.SURE_START)


def form() -> list[Any]:
    """The tab's body."""
    return [
        html.P(NOTE, className="dim", style={"marginTop": 10}),
        html.Div(className="what-if-row three", children=[
            dmc.TextInput(
                id=Ids.SURE_C.value, label="c, exploration", description="numbers with commas",
                placeholder="a quarter to four times the search's own",
            ),
            dmc.NumberInput(
                id=Ids.SURE_SEEDS.value, label="Seeds", description="of each c", value=SEEDS, min=1,
                allowDecimal=False,
            ),
            dmc.NumberInput(
                id=Ids.SURE_ITERATIONS.value, label="Iterations", description="of each search",
                placeholder="as many as before", min=1, allowDecimal=False, thousandSeparator=",",
            ),
        ]),
        *foot(FOOT, "Search", "searches"),
        html.P(id=Ids.SURE_TEXT.value, className="sure-text"),
        html.Div(id=Ids.SURE_FIGURE.value),
    ]  # fmt: skip


def watchers() -> list[Any]:
    """What watches the searches also while the dialog is closed."""
    return [
        dcc.Store(id=Ids.SURE_GO.value),
        dcc.Store(id=Ids.SURE_JOB.value),
        dcc.Interval(id=Ids.SURE_TICK.value, interval=TICK, disabled=True),
    ]


FIELDS = {"c": Ids.SURE_C, "seeds": Ids.SURE_SEEDS, "iterations": Ids.SURE_ITERATIONS}


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""
    jobs = GridJobs(library)
    cursor_state = State(Ids.CURSOR.value, "data")

    @app.callback(
        Output(Ids.SURE_NOTE.value, "children"),
        inputs={"fields": {name: Input(id_.value, "value") for name, id_ in FIELDS.items()}},
        state={"cursor": cursor_state},
        prevent_initial_call=True,
    )
    def check(fields: dict[str, Any], cursor: dict[str, Any] | None) -> str:
        try:
            jobs.check(request(place(library, cursor).trace, fields))
        except MctsVizError as err:
            return str(err)
        return ""

    app.clientside_callback(
        ClientsideFunction("what_if", "startGrid"), Input(Ids.SURE_START.value, "n_clicks"),
        prevent_initial_call=True,
    )  # fmt: skip

    @app.callback(
        Output(Ids.SURE_JOB.value, "data"),
        inputs={"presses": Input(Ids.SURE_GO.value, "data")},
        state={
            "fields": {name: State(id_.value, "value") for name, id_ in FIELDS.items()},
            "cursor": cursor_state,
        },
        prevent_initial_call=True,
    )
    def start(presses: Any, fields: dict[str, Any], cursor: dict[str, Any] | None) -> Any:
        try:
            return jobs.start(request(place(library, cursor).trace, fields))
        except MctsVizError as err:
            set_props(Ids.SURE_NOTE.value, {"children": str(err)})
            return no_update

    @app.callback(
        Output(Ids.SURE_TICK.value, "disabled"),
        Output(Ids.SURE_BAR.value, "value"),
        Output(Ids.SURE_BAR.value, "style"),
        Output(Ids.SURE_PROGRESS.value, "children"),
        Output(Ids.SURE_STOP.value, "disabled"),
        Output(Ids.SURE_TEXT.value, "children"),
        Output(Ids.SURE_FIGURE.value, "children"),
        Input(Ids.SURE_JOB.value, "data"),
        Input(Ids.SURE_TICK.value, "n_intervals"),
        Input(Ids.SURE_STOP.value, "n_clicks"),
        State(Ids.PROVIDER.value, "forceColorScheme"),
        prevent_initial_call=True,
        running=one_at_a_time(Ids.SURE_TICK),
    )
    def watch(
        number: str | None, ticks: int | None, stops: int | None, theme: str | None
    ) -> tuple[Any, ...]:
        job = jobs.job(number or "")
        if job is None:
            return True, 0, HIDE, "", True, "", None
        if Ids.SURE_STOP.value in ctx.triggered_prop_ids.values():
            job.stop.set()
        if not job.finished:
            share = 100 * job.done / job.total if job.total else 0
            return False, share, SHOW, progress(job), False, no_update, no_update
        return (True, 0, HIDE, "", True, *outcome(job, theme or "light"))


def progress(job: GridJob) -> str:
    """What is done."""
    if job.stop.is_set():
        return "Stopping: what has been searched is kept …"
    return f"{count(job.done)} of {count(job.total)} searches" if job.total else "Starting …"


def outcome(job: GridJob, theme: str) -> tuple[str, Any]:
    """Words and picture of what came out."""
    if job.found is None:
        return f"Stopped: {job.error}", None
    words = str(job.found).split("\n")[0]
    figure = dcc.Graph(
        figure=sensitivity_figure(job.found, theme), config={"displayModeBar": False}
    )
    return words, figure


def request(trace: Trace, fields: dict[str, Any]) -> GridRequest:
    """What the form says; raises PageError for a half-typed field."""
    parts = [part.strip() for part in (fields["c"] or "").split(",") if part.strip()]
    try:
        constants = tuple(float(part) for part in parts) or None
    except ValueError as err:
        raise PageError(f"c: {fields['c']!r} is not a list of numbers; write 0.5, 1, 2") from err
    for title, name in (("Seeds", "seeds"), ("Iterations", "iterations")):
        if fields[name] not in (None, "") and not isinstance(fields[name], int):
            raise PageError(f"{title}: {fields[name]!r} is not a whole number; give one")
    return GridRequest(trace, constants, fields["seeds"] or SEEDS, fields["iterations"] or None)
