"""What if: the position of the open trace searched again with something changed, or its search gone on with; the new
search opens in *Compare*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update, set_props
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.comparison import search_words
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.trace.trace import Trace
from mcts_viz.web.attributes import aria
from mcts_viz.web.cursor import Place, place
from mcts_viz.web.ids import WHAT_IF_FORM, Ids, field
from mcts_viz.web.jobs import Jobs
from mcts_viz.web.library import Library
from mcts_viz.web.panels import how_sure
from mcts_viz.web.panels.bar import choices, tip
from mcts_viz.web.panels.running import (
    TICK,
    FootIds,
    foot_outputs,
    look,
    one_at_a_time,
    sticky_foot,
)
from mcts_viz.web.panels.search_controls import (
    Fields,
    always_shown,
    budget,
    budget_fields,
    budget_placeholders,
    changed,
    changed_words,
    count_box,
    limits_of,
    number_of,
    parameter_fields,
    policies,
    preset_of,
    reset,
    reset_outputs,
    reset_values,
)
from mcts_viz.web.services import (
    ParameterChoice,
    PresetChoice,
    RerunRequest,
    RootMoves,
    Services,
)

FIELDS = {
    "preset": Ids.WHAT_IF_PRESET,
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
                        dmc.TabsPanel(_form(library.services), value="one"),
                        dmc.TabsPanel(how_sure.form(), value="sure"),
                    ],
                ),
            ],
            id=Ids.WHAT_IF.value, title="What if", size=820, yOffset="3dvh",
            className="what-if-dialog", closeButtonProps=aria("close"),
        ),
        dcc.Store(id=Ids.WHAT_IF_GO.value),
        dcc.Store(id=Ids.WHAT_IF_JOB.value),
        dcc.Store(id=Ids.WHAT_IF_MADE.value),
        dcc.Interval(id=Ids.WHAT_IF_TICK.value, interval=TICK, disabled=True),
        *how_sure.watchers(),
    ])  # fmt: skip


def _form(services: Services) -> list[Any]:
    preset = preset_of(services, services.default_preset)  # until a trace is there
    seed = count_box(Ids.WHAT_IF_SEED.value, "Seed", "", "another one, another tree", 0)
    return [
        html.Div(className="form-row what-if-first", children=[
            dmc.Select(
                id=Ids.WHAT_IF_PRESET.value, label="Preset", placeholder=AS_BEFORE, clearable=True,
                description="all policies of a known search",
                data=[preset.name for preset in services.presets],
            ),
            *always_shown(WHAT_IF_FORM, services, preset),
            seed,
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
        budget(WHAT_IF_FORM, preset),
        html.Div(className="what-if-resume", children=[
            dmc.Checkbox(
                id=Ids.WHAT_IF_RESUME.value, checked=False, size="xs",
                label="Go on with this search from iteration",
            ),
            dmc.NumberInput(
                id=Ids.WHAT_IF_FROM.value, w=110, size="xs", min=0, allowDecimal=False,
                thousandSeparator=",", **aria("iteration to go on from"),
            ),
            html.Span("for that many iterations more, with new random numbers", className="dim"),
        ]),
        policies(WHAT_IF_FORM, services, preset),
        sticky_foot(FOOT, "Search and compare", "search"),
    ]  # fmt: skip


def fields_of(kind: type[Input] | type[State], services: Services) -> dict[str, Any]:
    """All of the form's controls."""
    return {
        **{name: kind(id_.value, "value") for name, id_ in FIELDS.items()},
        "resume": kind(Ids.WHAT_IF_RESUME.value, "checked"),
        **budget_fields(kind, WHAT_IF_FORM),
        **parameter_fields(kind, WHAT_IF_FORM, services),
    }


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog."""
    jobs = Jobs(library)
    how_sure.register(app, library)
    _open(app, library)
    _check(app, library)
    _preset(app, library)
    _start(app, library, jobs)
    _watch(app, library, jobs)


def _open(app: Dash, library: Library) -> None:
    """The dialog begins with what the trace on the page has."""

    @app.callback(
        Output(Ids.WHAT_IF.value, "opened"),
        Output(Ids.WHAT_IF_NOTE.value, "children"),
        Input(Ids.WHAT_IF_BUTTON.value, "n_clicks"),
        State(Ids.CURSOR.value, "data"),
        prevent_initial_call=True,
    )
    def open_dialog(clicks: int | None, cursor: dict[str, Any] | None) -> tuple[bool, Any]:
        here, services = place(library, cursor), library.services
        try:
            fill(here, services, services.root_moves(here.trace.meta))
        except MctsVizError as err:
            fill(here, services, RootMoves((), ()))
            return True, html.P(f"{sentence(err)}.", className="mcts-error")
        return True, note(here.trace)


def _check(app: Dash, library: Library) -> None:
    """What is wrong with the form, told as it is filled in."""
    services = library.services

    @app.callback(
        Output(Ids.WHAT_IF_ERROR.value, "children"),
        Output(field(WHAT_IF_FORM, "changed"), "children"),
        inputs={"fields": fields_of(Input, services)},
        state={"cursor": State(Ids.CURSOR.value, "data")},
        prevent_initial_call=True,
    )
    def check(fields: dict[str, Any], cursor: dict[str, Any] | None) -> tuple[str, str]:
        words = changed_words(fields, services.parameters, unchanged(fields))
        return complaint(place(library, cursor).trace, fields, services), words


def _preset(app: Dash, library: Library) -> None:
    """What holds where nothing is given, in grey; the parameters begin anew with each preset."""
    services = library.services
    cursor_state = State(Ids.CURSOR.value, "data")

    @app.callback(
        output=reset_outputs(WHAT_IF_FORM, services),
        inputs={"preset": Input(Ids.WHAT_IF_PRESET.value, "value")},
        state={"cursor": cursor_state},
        prevent_initial_call=True,
    )
    def change(preset: str | None, cursor: dict[str, Any] | None) -> dict[str, Any]:
        return reset_values(services, base(services, place(library, cursor).trace, preset))

    @app.callback(
        Output(field(WHAT_IF_FORM, "iterations"), "placeholder"),
        Output(field(WHAT_IF_FORM, "seconds"), "placeholder"),
        Input(field(WHAT_IF_FORM, "iterations"), "value"),
        Input(field(WHAT_IF_FORM, "seconds"), "value"),
        cursor_state,
        prevent_initial_call=True,
    )
    def limits(iterations: Any, seconds: Any, cursor: dict[str, Any] | None) -> tuple[str, str]:
        if not cursor:
            raise PreventUpdate
        before = base(services, place(library, cursor).trace)
        return budget_placeholders(before, iterations, seconds)


def _start(app: Dash, library: Library, jobs: Jobs) -> None:
    services = library.services
    app.clientside_callback(
        ClientsideFunction("what_if", "start"), Input(Ids.WHAT_IF_START.value, "n_clicks"),
        prevent_initial_call=True,
    )  # fmt: skip

    @app.callback(
        Output(Ids.WHAT_IF_JOB.value, "data"),
        inputs={"presses": Input(Ids.WHAT_IF_GO.value, "data")},
        state={"fields": fields_of(State, services), "cursor": State(Ids.CURSOR.value, "data")},
        prevent_initial_call=True,
    )
    def start(presses: Any, fields: dict[str, Any], cursor: dict[str, Any] | None) -> Any:
        try:
            return jobs.start(request(place(library, cursor).trace, fields, services.parameters))
        except MctsVizError as err:
            set_props(Ids.WHAT_IF_ERROR.value, {"children": str(err)})
            return no_update


def _watch(app: Dash, library: Library, jobs: Jobs) -> None:
    """A search that runs, until it opens in *Compare*."""

    @app.callback(
        *foot_outputs(FOOT, Ids.WHAT_IF_TICK),
        Output(Ids.WHAT_IF_MADE.value, "data"),
        Input(Ids.WHAT_IF_JOB.value, "data"),
        Input(Ids.WHAT_IF_TICK.value, "n_intervals"),
        Input(Ids.WHAT_IF_STOP.value, "n_clicks"),
        prevent_initial_call=True,
        running=one_at_a_time(Ids.WHAT_IF_TICK),
    )
    def watch(number: str | None, ticks: int | None, stops: int | None) -> tuple[Any, ...]:
        job, shown = look(FOOT, jobs, number)
        if job is None:
            return (*shown, no_update)
        traces = choices(library)
        set_props(Ids.TRACE.value, {"data": traces})
        set_props(Ids.COMPARE_TRACE.value, {"data": traces})
        set_props(Ids.WHAT_IF.value, {"opened": False})
        return (*shown, {"key": job.key, "at": library.trace(job.key).n_iterations})

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
            ", with what is changed here; what stands in grey stays. The new search opens beside this one.",
        ]
    )


def base(services: Services, trace: Trace, preset: str | None = None) -> PresetChoice:
    """What holds where nothing is given: what the trace's search had, with the policies of a preset
    that was chosen."""
    try:
        before = services.recorded(trace)
    except MctsVizError:  # its metadata do not tell: a preset has to be named
        before = preset_of(services, services.default_preset)._replace(
            iterations=max(1, trace.n_iterations), seconds=None
        )
    return before if preset is None else before._replace(words=preset_of(services, preset).words)


def fill(here: Place, services: Services, moves: RootMoves) -> None:
    """Put into the form what the trace at the cursor has: in grey, as what holds without a change."""
    meta, before = here.trace.meta, base(services, here.trace)
    own = (meta.get("policies") or {}).get("preset")
    options = [{"value": str(a), "label": name} for a, name in zip(moves.actions, moves.names)]
    reset(WHAT_IF_FORM, services, before)
    set_props(field(WHAT_IF_FORM, "changed"), {"children": AS_BEFORE})
    set_props(Ids.WHAT_IF_ERROR.value, {"children": ""})
    set_props(
        Ids.WHAT_IF_PRESET.value,
        {"placeholder": own or "uct, as its own is not known", "value": None},
    )
    set_props(Ids.WHAT_IF_SEED.value, {"placeholder": seed_words(meta), "value": ""})
    for name, words in zip(("iterations", "seconds"), budget_placeholders(before, None, None)):
        set_props(field(WHAT_IF_FORM, name), {"placeholder": words, "value": ""})
    for name in ("nodes", "memory"):
        set_props(field(WHAT_IF_FORM, name), {"value": ""})
    set_props(field(WHAT_IF_FORM, "decided"), {"checked": False})
    set_props(Ids.WHAT_IF_FORCE.value, {"data": options, "value": None})
    set_props(Ids.WHAT_IF_FORBID.value, {"data": options, "value": []})
    set_props(Ids.WHAT_IF_FROM.value, {"value": here.snapshot.iteration})
    set_props(Ids.WHAT_IF_RESUME.value, {"checked": False})
    set_props(Ids.WHAT_IF_START.value, {"disabled": not options})
    set_props(Ids.SURE_START.value, {"disabled": not options})


def seed_words(meta: Mapping[str, Any]) -> str:
    """The seed that holds where none is given."""
    return "a new one" if meta.get("seed") is None else str(meta["seed"])


def unchanged(fields: Fields) -> str:
    """What holds where no policy is changed."""
    return f"as {fields['preset']} has them" if fields["preset"] else AS_BEFORE


def complaint(trace: Trace, fields: Fields, services: Services) -> str:
    """What is wrong with the form; nothing where it can be run."""
    try:
        services.check(request(trace, fields, services.parameters))
    except MctsVizError as err:
        return str(err)
    return ""


def request(trace: Trace, fields: Fields, parameters: Sequence[ParameterChoice]) -> RerunRequest:
    """What the form says; raises PageError for a half-typed field."""
    limits = {
        name: value for name, value in limits_of(fields).items() if value not in (None, False)
    }
    changes: dict[str, Any] = {**limits, **changed(fields, parameters)}
    seed = number_of("Seed", fields["seed"], whole=True)
    if seed is not None:
        changes["seed"] = seed
    if fields["preset"]:
        changes["preset"] = fields["preset"]
    if fields["force"]:
        changes["force"] = int(fields["force"])
    if fields["forbid"]:
        changes["forbid"] = [int(action) for action in fields["forbid"]]
    if fields["resume"]:
        changes["resume"] = number_of("Go on from iteration", fields["from"], whole=True)
        if changes["resume"] is None:
            raise PageError("Go on from iteration: give the iteration, or untick the box")
    game = str((trace.meta.get("game") or {}).get("name", "unknown"))
    own = (trace.meta.get("policies") or {}).get("preset")
    return RerunRequest(trace, game, f"{fields['preset'] or own or 'uct'}_what_if", changes)
