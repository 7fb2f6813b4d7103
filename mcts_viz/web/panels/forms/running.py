"""What the dialogs that start something long have in common: the foot with its message, progress, *Stop* and the button
that begins, and the callbacks behind them. The parts' ids begin with the name of the form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, ctx, dcc, html, no_update, set_props
from dash._no_update import NoUpdate

from mcts_viz.errors import MctsVizError
from mcts_viz.types import ReadDocument
from mcts_viz.web.cursor import Cursor
from mcts_viz.web.ids import Ids, field
from mcts_viz.web.jobs.background import Background, Kind, Running
from mcts_viz.web.jobs.grids import GridJob
from mcts_viz.web.jobs.searches import Job
from mcts_viz.web.panels.elements import Part, aria, in_browser
from mcts_viz.web.words import count, duration, plural

HIDE, SHOW = {"display": "none"}, {"display": "block"}
TICK = 250  # milliseconds between two looks at what runs
NOT_YET = 3_600_000  # milliseconds: the next look comes after the answer to this one
LOST = "The server has been restarted, so this search has ended. What it recorded is in the list of traces."
CURSOR = State(Ids.CURSOR, "data")

Fields: TypeAlias = ReadDocument  # values of a form's controls by name
Wiring: TypeAlias = dict[str, object]  # the same names with inputs, states or outputs of a callback
FieldsOf: TypeAlias = Callable[[type[Input] | type[State]], Wiring]  # its controls


class Foot(NamedTuple):
    """What the foot shows, in the order of its outputs."""

    is_over: bool  # so nothing has to be looked at any more
    percent: float
    bar: dict[str, str]  # its style
    words: str
    is_running: bool
    cannot_stop: bool
    stop: str  # the word on the button


def foot(form: str, begin: str, what: str) -> Part:
    """It stays in sight while the form is scrolled. `begin`: the button's word; `what` runs, for screen readers."""
    progress = html.Div(id=field(form, "progress"), className="dim grow", role="status")
    stop = dmc.Button("Stop", id=field(form, "stop"), variant="default", disabled=True)
    start = dmc.Button(begin, id=field(form, "start"))
    return html.Div(
        [
            html.Div(id=field(form, "error"), className="form-error", role="alert"),
            dmc.Progress(
                id=field(form, "bar"), value=0, style=HIDE, **aria(f"progress of the {what}")
            ),
            dmc.Group([progress, stop, start], justify="flex-end", wrap="nowrap"),
        ],
        className="form-footer",
    )


def watchers(form: str) -> list[Part]:
    """What starts and watches a search also while the dialog is closed."""
    return [
        dcc.Store(id=field(form, "go")),
        dcc.Store(id=field(form, "job")),
        dcc.Interval(id=field(form, "tick"), interval=TICK, disabled=True),
    ]


def message(check: Callable[[], object]) -> str:
    """The error of a form; empty where the check passes."""
    try:
        check()
    except MctsVizError as err:
        return str(err)
    return ""


def starts(
    app: Dash, form: str, fields: FieldsOf, begin: Callable[[Fields, Cursor | None], str]
) -> None:
    """Callbacks of the button that begins: `begin` gets the fields and the cursor, and returns the job's number.

    The browser waits until a field that was typed in an instant ago has reached Dash. One callback for both the fields
    and the button would lose a press that comes together with the last change of a field.
    """
    in_browser(app, "mcts.startSearch", Input(field(form, "start"), "n_clicks"))

    @app.callback(
        Output(field(form, "job"), "data"),
        inputs={"presses": Input(field(form, "go"), "data")},
        state={"fields": fields(State), "cursor": CURSOR},
        prevent_initial_call=True,
    )
    def start(presses: object, fields: Fields, cursor: Cursor | None) -> str | NoUpdate:
        try:
            return begin(fields, cursor)
        except MctsVizError as err:
            set_props(field(form, "error"), {"children": str(err)})
            return no_update


def checks(
    app: Dash,
    form: str,
    fields: FieldsOf,
    check: Callable[[Fields, Cursor | None], object],
    changes: Callable[[Fields], str] | None = None,
) -> None:
    """Callback of the form's message: what `check` raises for the fields and the cursor; and of the words for what is
    changed, where the form has them."""
    outputs = {"error": Output(field(form, "error"), "children")}
    if changes is not None:
        outputs["changed"] = Output(field(form, "changed"), "children")

    @app.callback(
        output=outputs,
        inputs={"fields": fields(Input)},
        state={"cursor": CURSOR},
        prevent_initial_call=True,
    )
    def checked(fields: Fields, cursor: Cursor | None) -> dict[str, str]:
        said = {"error": message(lambda: check(fields, cursor))}
        return said if changes is None else {**said, "changed": changes(fields)}


def watches(
    app: Dash,
    form: str,
    jobs: Running[Kind],
    outputs: Sequence[Output],
    show: Callable[[Kind | None, Foot, str], tuple[object, ...]],
    stops: Sequence[str] = (),
) -> None:
    """Callback that looks at what runs: it fills the foot and `outputs`, which `show` makes of the job, the foot
    and the theme. `stops`: buttons beside the foot's own that stop the job."""
    foot_of = ("tick", "disabled"), ("bar", "value"), ("bar", "style"), ("progress", "children")
    buttons = ("start", "disabled"), ("stop", "disabled"), ("stop", "children")
    stops = (field(form, "stop"), *stops)

    @app.callback(
        output=[
            *(Output(field(form, part), value) for part, value in (*foot_of, *buttons)),
            *outputs,
        ],
        inputs={
            "number": Input(field(form, "job"), "data"),
            "tick": Input(field(form, "tick"), "n_intervals"),
            "stopped": [Input(stop, "n_clicks") for stop in stops],
            "theme": State(Ids.PROVIDER, "forceColorScheme"),
        },
        prevent_initial_call=True,
        running=one_at_a_time(field(form, "tick")),
    )
    def watch(
        number: str | None, tick: object, stopped: object, theme: str | None
    ) -> tuple[object, ...]:
        job = jobs.job(number or "")
        if job is not None and set(stops) & set(ctx.triggered_prop_ids.values()):
            job.end()
        foot = foot_shown(job, LOST if number else "")
        return (*foot, *show(job, foot, theme or "light"))


def one_at_a_time(tick: str) -> list[tuple[Output, int, int]]:
    """`running` of a callback that looks at what runs: the next look waits for the answer to this one. Dash drops an
    answer when a newer question is on its way, so of answers slower than the ticks none would ever arrive."""
    return [(Output(tick, "interval"), NOT_YET, TICK)]


def foot_shown(job: Background | None, lost: str = "") -> Foot:
    """What the foot shows of a job. `lost`: for a job that is not there."""
    if job is None or job.finished:
        words = lost if job is None else f"Stopped: {job.error}" if job.error else ""
        return Foot(True, 0, HIDE, words, False, True, "Stop")
    stop = "Cancel" if job.ahead else "Stop"
    return Foot(False, job.percent, SHOW, progress_text(job), True, False, stop)


def progress_text(job: Background) -> str:
    """Progress of a search or of a grid, and the time left at the speed so far."""
    if job.ahead:
        return waiting(job.ahead)
    if isinstance(job, GridJob):
        if job.stop.is_set():
            return "Stopping: what has been searched is kept …"
        return f"{count(job.done)} of {count(job.total)} searches" if job.total else "Starting …"
    if not isinstance(job, Job) or job.reached is None:
        return STARTING
    if job.stop.is_set():
        return "Stopping: the best move so far is kept …"
    reached = job.reached
    total = "" if reached.n_iterations is None else f" of {count(reached.n_iterations)}"
    done = f"{count(reached.iterations)}{total} iterations, {plural(reached.nodes, 'node')}"
    return f"{done}, {duration(reached.seconds)}{time_left(reached.share, reached.seconds)}"


def waiting(ahead: int) -> str:
    """The words for a search that has no seat yet."""
    return f"Waiting: {plural(ahead, 'search', 'searches')} of this server before it …"


STARTING = "Starting … (the first large search of a game is compiled first, a few seconds)"


def time_left(share: float, seconds: float) -> str:
    """ " · about 3.2 s left", at the speed so far; nothing before anything is done."""
    if not 0 < share < 1:
        return ""
    return f" · about {duration(seconds * (1 - share) / share)} left"
