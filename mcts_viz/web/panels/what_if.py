"""What if: the position of the open trace searched again with something changed, or its search gone on with; the new
search opens in *Compare*."""

from __future__ import annotations

from collections.abc import Mapping
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

from mcts_viz.analysis.comparison import search_words
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.web.attributes import aria
from mcts_viz.web.cursor import Place, place
from mcts_viz.web.ids import Ids
from mcts_viz.web.jobs import Jobs
from mcts_viz.web.library import Library
from mcts_viz.web.panels import how_sure
from mcts_viz.web.panels.bar import choices, tip
from mcts_viz.web.panels.new_search import percent_done, progress_text
from mcts_viz.web.panels.running import HIDE, SHOW, TICK, FootIds, foot
from mcts_viz.web.services import RerunRequest, RootMoves
from mcts_viz.web.words import count

FIELDS = {
    "preset": Ids.WHAT_IF_PRESET,
    "c": Ids.WHAT_IF_C,
    "iterations": Ids.WHAT_IF_ITERATIONS,
    "seed": Ids.WHAT_IF_SEED,
    "force": Ids.WHAT_IF_FORCE,
    "forbid": Ids.WHAT_IF_FORBID,
    "from": Ids.WHAT_IF_FROM,
}
AS_BEFORE = "as before"
FOOT = FootIds(
    Ids.WHAT_IF_ERROR, Ids.WHAT_IF_BAR, Ids.WHAT_IF_PROGRESS, Ids.WHAT_IF_STOP, Ids.WHAT_IF_START
)


def button() -> Any:
    """Beside the move that would be played."""
    return tip(
        dmc.Button("What if…", id=Ids.WHAT_IF_BUTTON.value, variant="default", size="sm"),
        "Search this position again with something changed, and compare",
    )


def layout(library: Library) -> Any:
    """The dialog, and what watches its search also while it is closed."""
    return html.Div([
        dmc.Modal(
            [
                html.Div(id=Ids.WHAT_IF_NOTE.value, className="note"),
                dmc.Tabs(
                    value="one",
                    children=[
                        dmc.TabsList([
                            dmc.TabsTab("Search it again", value="one"),
                            dmc.TabsTab("How sure is this choice?", value="sure"),
                        ]),
                        dmc.TabsPanel(_form(library), value="one"),
                        dmc.TabsPanel(how_sure.form(), value="sure"),
                    ],
                ),
            ],
            id=Ids.WHAT_IF.value, title="What if", size=820, yOffset="4dvh",
            className="what-if-dialog", closeButtonProps=aria("close"),
        ),
        dcc.Store(id=Ids.WHAT_IF_GO.value),
        dcc.Store(id=Ids.WHAT_IF_JOB.value),
        dcc.Store(id=Ids.WHAT_IF_MADE.value),
        dcc.Interval(id=Ids.WHAT_IF_TICK.value, interval=TICK, disabled=True),
        *how_sure.watchers(),
    ])  # fmt: skip


def _form(library: Library) -> list[Any]:
    return [
        html.Div(className="what-if-row", children=[
            dmc.Select(
                id=Ids.WHAT_IF_PRESET.value, label="Preset", placeholder=AS_BEFORE, clearable=True,
                data=[preset.name for preset in library.services.presets],
            ),
            dmc.NumberInput(id=Ids.WHAT_IF_C.value, label="c, exploration", min=0, step=0.1),
            dmc.NumberInput(
                id=Ids.WHAT_IF_ITERATIONS.value, label="Iterations", min=1, step=100,
                allowDecimal=False, thousandSeparator=",",
            ),
            dmc.NumberInput(id=Ids.WHAT_IF_SEED.value, label="Seed", min=0, allowDecimal=False),
        ]),
        html.Div(className="what-if-row two", children=[
            dmc.Select(
                id=Ids.WHAT_IF_FORCE.value, label="Force a move at the root", data=[], clearable=True,
                searchable=True, placeholder="none", description="the only one that is searched",
            ),
            dmc.MultiSelect(
                id=Ids.WHAT_IF_FORBID.value, label="Forbid moves at the root", data=[], clearable=True,
                searchable=True, placeholder="none", description="never searched",
            ),
        ]),
        html.Div(className="what-if-resume", children=[
            dmc.Checkbox(
                id=Ids.WHAT_IF_RESUME.value, checked=False,
                label="Go on with this search from iteration",
            ),
            dmc.NumberInput(
                id=Ids.WHAT_IF_FROM.value, w=110, size="sm", min=0, allowDecimal=False,
                thousandSeparator=",", **aria("iteration to go on from"),
            ),
            html.Span("for as many iterations more as above, with new random numbers", className="dim"),
        ]),
        *foot(FOOT, "Search and compare", "search"),
    ]  # fmt: skip


def fields_of(kind: type[Input] | type[State]) -> dict[str, Any]:
    """All of the form's controls."""
    values: dict[str, Any] = {name: kind(id_.value, "value") for name, id_ in FIELDS.items()}
    return {**values, "resume": kind(Ids.WHAT_IF_RESUME.value, "checked")}


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog."""
    jobs, services = Jobs(library), library.services
    how_sure.register(app, library)

    @app.callback(
        Output(Ids.WHAT_IF.value, "opened"),
        Output(Ids.WHAT_IF_NOTE.value, "children"),
        Input(Ids.WHAT_IF_BUTTON.value, "n_clicks"),
        State(Ids.CURSOR.value, "data"),
        prevent_initial_call=True,
    )
    def open_dialog(clicks: int | None, cursor: dict[str, Any] | None) -> tuple[bool, Any]:
        here = place(library, cursor)
        try:
            moves = services.root_moves(here.trace.meta)
        except MctsVizError as err:
            fill(here, RootMoves((), ()))
            return True, html.P(f"{sentence(err)}.", className="mcts-error")
        fill(here, moves)
        return True, note(here.trace)

    @app.callback(
        Output(Ids.WHAT_IF_ERROR.value, "children"),
        inputs={"fields": fields_of(Input)},
        state={"cursor": State(Ids.CURSOR.value, "data")},
        prevent_initial_call=True,
    )
    def check(fields: dict[str, Any], cursor: dict[str, Any] | None) -> str:
        try:
            services.check(request(place(library, cursor).trace, fields))
        except MctsVizError as err:
            return str(err)
        return ""

    app.clientside_callback(
        ClientsideFunction("what_if", "start"), Input(Ids.WHAT_IF_START.value, "n_clicks"),
        prevent_initial_call=True,
    )  # fmt: skip

    @app.callback(
        Output(Ids.WHAT_IF_JOB.value, "data"),
        inputs={"presses": Input(Ids.WHAT_IF_GO.value, "data")},
        state={"fields": fields_of(State), "cursor": State(Ids.CURSOR.value, "data")},
        prevent_initial_call=True,
    )
    def start(presses: Any, fields: dict[str, Any], cursor: dict[str, Any] | None) -> Any:
        try:
            return jobs.start(request(place(library, cursor).trace, fields))
        except MctsVizError as err:
            set_props(Ids.WHAT_IF_ERROR.value, {"children": str(err)})
            return no_update

    @app.callback(
        Output(Ids.WHAT_IF_TICK.value, "disabled"),
        Output(Ids.WHAT_IF_BAR.value, "value"),
        Output(Ids.WHAT_IF_BAR.value, "style"),
        Output(Ids.WHAT_IF_PROGRESS.value, "children"),
        Output(Ids.WHAT_IF_START.value, "disabled"),
        Output(Ids.WHAT_IF_STOP.value, "disabled"),
        Output(Ids.WHAT_IF_MADE.value, "data"),
        Input(Ids.WHAT_IF_JOB.value, "data"),
        Input(Ids.WHAT_IF_TICK.value, "n_intervals"),
        Input(Ids.WHAT_IF_STOP.value, "n_clicks"),
        prevent_initial_call=True,
    )
    def watch(number: str | None, ticks: int | None, stops: int | None) -> tuple[Any, ...]:
        job = jobs.job(number or "")
        if job is None:
            return True, 0, HIDE, "", False, True, no_update
        if Ids.WHAT_IF_STOP.value in ctx.triggered_prop_ids.values():
            job.stop.set()
        if not job.finished:
            return False, percent_done(job), SHOW, progress_text(job), True, False, no_update
        if job.error is not None:
            return True, 0, HIDE, f"Stopped: {job.error}", False, True, no_update
        traces = choices(library)
        set_props(Ids.TRACE.value, {"data": traces})
        set_props(Ids.COMPARE_TRACE.value, {"data": traces})
        set_props(Ids.WHAT_IF.value, {"opened": False})
        made = {"key": job.key, "at": library.trace(job.key).n_iterations}
        return True, 0, HIDE, "", False, True, made

    app.clientside_callback(
        ClientsideFunction("compare", "openMade"), Input(Ids.WHAT_IF_MADE.value, "data"),
        prevent_initial_call=True,
    )  # fmt: skip


def sentence(err: MctsVizError) -> str:
    """A message, as it begins a sentence."""
    text = str(err)
    return text[:1].upper() + text[1:]


def note(trace: Trace) -> Any:
    """What is searched again."""
    return html.P(
        [
            "From the same position as ",
            html.B(search_words(trace.meta)),
            ", with what is changed here; the rest stays. The new search opens beside this one.",
        ]
    )


def fill(here: Place, moves: RootMoves) -> None:
    """Put into the form what the trace at the cursor has: in grey, as what holds without a change."""
    meta = here.trace.meta
    policies = meta.get("policies") or {}
    c = (policies.get("selection") or {}).get("c")
    options = [{"value": str(a), "label": name} for a, name in zip(moves.actions, moves.names)]
    nothing = {"value": ""}
    set_props(
        Ids.WHAT_IF_PRESET.value,
        {"placeholder": policies.get("preset") or "uct, as its own is not known"},
    )
    set_props(Ids.WHAT_IF_C.value, {"placeholder": "" if c is None else f"{c:.5g}", **nothing})
    set_props(
        Ids.WHAT_IF_ITERATIONS.value, {"placeholder": count(here.trace.n_iterations), **nothing}
    )
    set_props(Ids.WHAT_IF_SEED.value, {"placeholder": seed_words(meta), **nothing})
    set_props(Ids.WHAT_IF_FORCE.value, {"data": options, "value": None})
    set_props(Ids.WHAT_IF_FORBID.value, {"data": options, "value": []})
    set_props(Ids.WHAT_IF_FROM.value, {"value": here.snapshot.iteration})
    set_props(Ids.WHAT_IF_RESUME.value, {"checked": False})
    set_props(Ids.WHAT_IF_START.value, {"disabled": not options})
    set_props(Ids.SURE_START.value, {"disabled": not options})


def seed_words(meta: Mapping[str, Any]) -> str:
    """The seed that holds where none is given."""
    return "a new one" if meta.get("seed") is None else str(meta["seed"])


def request(trace: Trace, fields: Mapping[str, Any]) -> RerunRequest:
    """What the form says; raises PageError for a half-typed field."""
    changes: dict[str, Any] = {
        name: whole(title, fields[name])
        for name, title in (("iterations", "Iterations"), ("seed", "Seed"))
        if given(fields[name])
    }
    if given(fields["c"]):
        changes["c"] = real("c", fields["c"])
    if fields["preset"]:
        changes["preset"] = fields["preset"]
    if fields["force"]:
        changes["force"] = int(fields["force"])
    if fields["forbid"]:
        changes["forbid"] = [int(action) for action in fields["forbid"]]
    if fields["resume"]:
        changes["resume"] = whole("Go on from iteration", fields["from"])
    game = str((trace.meta.get("game") or {}).get("name", "unknown"))
    policies = trace.meta.get("policies") or {}
    preset = str(fields["preset"] or policies.get("preset") or "uct")
    return RerunRequest(trace, game, f"{preset}_what_if", changes)


def given(value: Any) -> bool:
    """Whether there is something in a control."""
    return value is not None and value != ""


def whole(title: str, value: Any) -> int:
    """A whole number; raises PageError for what is none yet."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise PageError(f"{title}: {value!r} is not a whole number; give one, or leave it empty")
    return value


def real(title: str, value: Any) -> float:
    """A number; raises PageError for what is none yet."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise PageError(f"{title}: {value!r} is not a number; give one, or leave it empty")
    return float(value)
