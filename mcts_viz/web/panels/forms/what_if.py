"""What if: the position of the open trace searched again with something changed, or its search gone on with; the new
search opens in *Compare*."""

from __future__ import annotations

from collections.abc import Mapping

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, dcc, html, no_update, set_props
from dash.exceptions import PreventUpdate

from mcts_viz.analysis.comparison.trees import search_words
from mcts_viz.engine.presets import PRESETS
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.health.verdict import CONSTANTS, HEALTH, LONGER
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.rerun import no_rerun, root_moves
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.trace import Trace
from mcts_viz.web.cursor import Cursor, Place, open_trace, place
from mcts_viz.web.ids import GRID_FORM, WHAT_IF_FORM, Ids, field, verdict_test
from mcts_viz.web.jobs.grids import GridJobs
from mcts_viz.web.jobs.searches import Job, Jobs, RerunRequest
from mcts_viz.web.library import Library
from mcts_viz.web.panels.bar import choices
from mcts_viz.web.panels.elements import (
    LARGE_DIALOG,
    Content,
    Part,
    aria,
    clicks_into,
    data,
    dialog,
    in_browser,
    tip,
)
from mcts_viz.web.panels.forms import how_sure
from mcts_viz.web.panels.forms.controls import (
    always_shown,
    budget,
    budget_placeholders,
    changed_words,
    count_box,
    fields_with,
    number_of,
    options_of,
    policies,
    reset,
    shows_preset,
)
from mcts_viz.web.panels.forms.presets import USUAL_PRESET, PresetChoice, preset_of, recorded
from mcts_viz.web.panels.forms.running import Fields, Foot, checks, foot, starts, watchers, watches
from mcts_viz.web.panels.verdict import MORE

FIELDS = {
    "preset": Ids.WHAT_IF_PRESET,
    "seed": Ids.WHAT_IF_SEED,
    "force": Ids.WHAT_IF_FORCE,
    "forbid": Ids.WHAT_IF_FORBID,
    "from": Ids.WHAT_IF_FROM,
}
AS_BEFORE = "as before"


def button() -> Part:
    """Beside the move that would be played."""
    return tip(
        dmc.Button(
            "What if…",
            id=Ids.WHAT_IF_BUTTON,
            variant="default",
            size="sm",
            **data("needs", "again"),
        ),
        "Search this position again with something changed, and compare",
    )


def layout(library: Library) -> Part:
    """The dialog, and what watches its search also while it is closed."""
    return html.Div([
        dialog(
            Ids.WHAT_IF,
            "What if",
            [
                html.Div(id=Ids.WHAT_IF_NOTE, className="note"),
                dmc.Tabs(
                    id=Ids.WHAT_IF_TABS,
                    value="one",
                    children=[
                        dmc.TabsList([
                            dmc.TabsTab("Search it again", value="one"),
                            dmc.TabsTab("How sure is this choice?", value="sure"),
                        ]),
                        dmc.TabsPanel(_form(), value="one"),
                        dmc.TabsPanel(how_sure.form(), value="sure"),
                    ],
                ),
            ],
            "what-if-dialog",
            **LARGE_DIALOG,
        ),
        dcc.Store(id=Ids.WHAT_IF_MADE),
        *watchers(WHAT_IF_FORM),
        *watchers(GRID_FORM),
    ])  # fmt: skip


def _form() -> list[Part]:
    preset = preset_of(USUAL_PRESET)  # until a trace is there
    seed = count_box(Ids.WHAT_IF_SEED, "Seed", "", "another seed gives another tree", 0)
    return [
        html.Div(className="form-row what-if-first", children=[
            dmc.Select(
                id=Ids.WHAT_IF_PRESET, label="Preset", placeholder=AS_BEFORE, clearable=True,
                description="all policies of a known search",
                data=list(PRESETS),
            ),
            *always_shown(WHAT_IF_FORM, preset),
            seed,
        ]),
        html.Div(className="what-if-row two", children=[
            dmc.Select(
                id=Ids.WHAT_IF_FORCE, label="Force a move at the root", data=[], clearable=True,
                searchable=True, placeholder="none", description="the only one that is searched",
            ),
            dmc.MultiSelect(
                id=Ids.WHAT_IF_FORBID, label="Forbid moves at the root", data=[], clearable=True,
                searchable=True, placeholder="none", description="never searched",
            ),
        ]),
        budget(WHAT_IF_FORM, preset),
        html.Div(className="what-if-resume", children=[
            dmc.Checkbox(
                id=Ids.WHAT_IF_RESUME, checked=False, size="xs",
                label="Go on with this search from iteration",
            ),
            dmc.NumberInput(
                id=Ids.WHAT_IF_FROM, w=110, size="xs", min=0, allowDecimal=False,
                thousandSeparator=",", **aria("iteration to go on from"),
            ),
            html.Span("for that many iterations more, with new random numbers", className="dim"),
        ]),
        policies(WHAT_IF_FORM, preset),
        foot(WHAT_IF_FORM, "Search and compare", "search"),
    ]  # fmt: skip


FIELDS_OF = fields_with(WHAT_IF_FORM, FIELDS, {"resume": Ids.WHAT_IF_RESUME})


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog."""
    jobs = Jobs(library)
    grids = GridJobs(library)
    how_sure.register(app, library, grids)
    _open(app, library)
    _test_verdict(app, library, jobs, grids)

    def trace_at(cursor: Cursor | None) -> Trace:
        return open_trace(library, cursor)[1]

    def wanted(given: Fields, cursor: Cursor | None) -> RerunRequest:
        return request(trace_at(cursor), given)

    def made(job: Job | None, foot: Foot, theme: str) -> tuple[object, ...]:
        is_there = job is not None and job.finished and job.error is None
        return (opened_beside(library, job.key) if job and is_there else no_update,)

    shows_preset(
        app, WHAT_IF_FORM, Ids.WHAT_IF_PRESET, lambda preset, at: base(trace_at(at), preset)
    )
    checks(
        app,
        WHAT_IF_FORM,
        FIELDS_OF,
        lambda given, cursor: wanted(given, cursor).plan(),
        lambda given: changed_words(given, unchanged(given)),
    )
    starts(app, WHAT_IF_FORM, FIELDS_OF, lambda given, cursor: jobs.start(wanted(given, cursor)))
    watches(app, WHAT_IF_FORM, jobs, [Output(Ids.WHAT_IF_MADE, "data")], made)
    in_browser(app, "compare.openMade", Input(Ids.WHAT_IF_MADE, "data"))


def opened_beside(library: Library, key: str) -> dict[str, object]:
    """Close the dialog; returns what *Compare* opens."""
    traces = choices(library)
    set_props(Ids.TRACE, {"data": traces})
    set_props(Ids.COMPARE_TRACE, {"data": traces})
    set_props(Ids.WHAT_IF, {"opened": False})
    return {"key": key, "at": library.trace(key).n_iterations}


def _open(app: Dash, library: Library) -> None:
    """The dialog begins with what the trace on the page has."""

    @app.callback(
        Output(Ids.WHAT_IF, "opened"),
        Output(Ids.WHAT_IF_NOTE, "children"),
        Input(Ids.WHAT_IF_BUTTON, "n_clicks"),
        State(Ids.CURSOR, "data"),
        prevent_initial_call=True,
    )
    def open_dialog(clicks: int | None, cursor: Cursor | None) -> tuple[bool, Content]:
        here = place(library, cursor)
        reason = no_rerun(here.trace.meta)
        if reason:  # the button shows it before it is pressed
            raise PageError(reason)
        fill(here, root_moves(here.trace.meta))
        return True, note(here.trace)


def _test_verdict(app: Dash, library: Library, jobs: Jobs, grids: GridJobs) -> None:
    """What the verdict's button begins: a longer search, or others like this one; the dialog shows how far they are."""

    clicks_into(Ids.VERDICT_CLICK, app, Input(verdict_test(ALL), "n_clicks"))

    @app.callback(
        Output(Ids.WHAT_IF, "opened", allow_duplicate=True),
        Output(Ids.WHAT_IF_TABS, "value"),
        Input(Ids.VERDICT_CLICK, "data"),
        State(Ids.CURSOR, "data"),
        prevent_initial_call=True,
    )
    def begin(clicked: dict[str, str], cursor: Cursor | None) -> tuple[object, object]:
        here, test = place(library, cursor), clicked["test"]
        if test == HEALTH:
            raise PreventUpdate  # the browser opens that tab
        form, tab = (WHAT_IF_FORM, "one") if test == LONGER else (GRID_FORM, "sure")
        try:
            fill(here, root_moves(here.trace.meta))
            set_props(Ids.WHAT_IF_NOTE, {"children": note(here.trace)})
            if test == LONGER:
                iterations = MORE * max(1, here.snapshot.iteration)
                set_props(field(form, "iterations"), {"value": iterations})
                options = SearchOptions(iterations=iterations)
                number = jobs.start(RerunRequest(here.trace, options))
            else:
                number = grids.start(how_sure.usual(here.trace, all_c=test == CONSTANTS))
            set_props(field(form, "job"), {"data": number})
        except MctsVizError as err:
            set_props(field(form, "error"), {"children": str(err)})
        return True, tab


def note(trace: Trace) -> Part:
    """What is searched again."""
    return html.P(
        [
            "From the same position as ",
            html.B(search_words(trace.meta)),
            ", with what you change here. Grey values stay. The new search opens beside this one.",
        ]
    )


def base(trace: Trace, preset: str | None = None) -> PresetChoice:
    """What holds where nothing is given: what the trace's search had, with the policies of a preset
    that was chosen."""
    try:
        before = recorded(trace)
    except MctsVizError:  # its metadata do not tell: a preset has to be named
        before = preset_of(USUAL_PRESET)._replace(
            iterations=max(1, trace.n_iterations), seconds=None
        )
    return before if preset is None else before._replace(words=preset_of(preset).words)


def fill(here: Place, moves: Mapping[int, str]) -> None:
    """Put into the form what the trace at the cursor has: in grey, as what holds without a change."""
    meta, before = here.trace.meta, base(here.trace)
    own = meta.policies.preset
    options = [{"value": str(action), "label": name} for action, name in moves.items()]
    reset(WHAT_IF_FORM, before)
    set_props(field(WHAT_IF_FORM, "changed"), {"children": AS_BEFORE})
    set_props(field(WHAT_IF_FORM, "error"), {"children": ""})
    set_props(
        Ids.WHAT_IF_PRESET,
        {"placeholder": own or "uct, as its own is not known", "value": None},
    )
    set_props(Ids.WHAT_IF_SEED, {"placeholder": seed_words(meta), "value": ""})
    for name, words in zip(("iterations", "seconds"), budget_placeholders(before, None, None)):
        set_props(field(WHAT_IF_FORM, name), {"placeholder": words, "value": ""})
    for name in ("nodes", "memory"):
        set_props(field(WHAT_IF_FORM, name), {"value": ""})
    set_props(field(WHAT_IF_FORM, "decided"), {"checked": False})
    set_props(Ids.WHAT_IF_FORCE, {"data": options, "value": None})
    set_props(Ids.WHAT_IF_FORBID, {"data": options, "value": []})
    set_props(Ids.WHAT_IF_FROM, {"value": here.snapshot.iteration})
    set_props(Ids.WHAT_IF_RESUME, {"checked": False})
    for form in (WHAT_IF_FORM, GRID_FORM):
        set_props(field(form, "start"), {"disabled": not options})


def seed_words(meta: TraceMeta) -> str:
    """The seed that holds where none is given."""
    return "a new one" if meta.seed is None else str(meta.seed)


def unchanged(fields: Fields) -> str:
    """What holds where no policy is changed."""
    return f"as {fields['preset']} has them" if fields["preset"] else AS_BEFORE


def request(trace: Trace, fields: Fields) -> RerunRequest:
    """What the form says; raises PageError for a half-typed field."""
    resume = None
    if fields["resume"]:
        resume = number_of("Go on from iteration", fields["from"], whole=True)
        if resume is None:
            raise PageError("Go on from iteration: give the iteration, or untick the box")
    forbidden = [int(action) for action in fields["forbid"] or ()]
    options = options_of(
        fields,
        force=int(fields["force"]) if fields["force"] else None,
        forbid=forbidden or None,
    )
    return RerunRequest(trace, options, resume)
