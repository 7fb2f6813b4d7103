"""How sure is this choice? The position searched with many constants and seeds, as one picture: a tab of *What if*."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html, no_update

from mcts_viz.errors import PageError
from mcts_viz.runs.grid import Grid, grid
from mcts_viz.trace.trace import Trace
from mcts_viz.views.sensitivity_figure import sensitivity_figure
from mcts_viz.web.cursor import Cursor, open_trace
from mcts_viz.web.ids import GRID_FORM, Ids
from mcts_viz.web.jobs.grids import MOST_ITERATIONS, GridJob, GridJobs
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Content, Part
from mcts_viz.web.panels.forms.running import Fields, Foot, Wiring, checks, foot, starts, watches

SEEDS = 10
NOTE = (
    "The same position is searched with each constant and each seed; the picture shows how often each move is chosen. "
    f"At most {MOST_ITERATIONS:,} iterations in all."
)


def form() -> list[Part]:
    """The tab's body."""
    return [
        html.P(NOTE, className="dim", style={"marginTop": 10}),
        html.Div(className="what-if-row three", children=[
            dmc.TextInput(
                id=Ids.SURE_C, label="c, exploration", description="numbers with commas",
                placeholder="a quarter to four times the search's own",
            ),
            dmc.NumberInput(
                id=Ids.SURE_SEEDS, label="Seeds", description="of each c", value=SEEDS, min=1,
                allowDecimal=False,
            ),
            dmc.NumberInput(
                id=Ids.SURE_ITERATIONS, label="Iterations", description="of each search",
                placeholder="as many as before", min=1, allowDecimal=False, thousandSeparator=",",
            ),
        ]),
        foot(GRID_FORM, "Search", "searches"),
        html.P(id=Ids.SURE_TEXT, className="sure-text"),
        html.Div(id=Ids.SURE_FIGURE),
    ]  # fmt: skip


FIELDS = {"c": Ids.SURE_C, "seeds": Ids.SURE_SEEDS, "iterations": Ids.SURE_ITERATIONS}


def fields_of(kind: type[Input] | type[State]) -> Wiring:
    """All of the tab's controls."""
    return {name: kind(id_, "value") for name, id_ in FIELDS.items()}


def register(app: Dash, library: Library, jobs: GridJobs) -> None:
    """Callbacks of the tab."""

    def wanted(given: Fields, cursor: Cursor | None) -> Grid:
        return request(open_trace(library, cursor)[1], given)

    def found(job: GridJob | None, foot: Foot, theme: str) -> tuple[object, ...]:
        if job is None:
            return "", None
        return outcome(job, theme) if job.finished else (no_update, no_update)

    checks(app, GRID_FORM, fields_of, lambda given, cursor: jobs.check(wanted(given, cursor)))
    starts(app, GRID_FORM, fields_of, lambda given, cursor: jobs.start(wanted(given, cursor)))
    outputs = [Output(Ids.SURE_TEXT, "children"), Output(Ids.SURE_FIGURE, "children")]
    watches(app, GRID_FORM, jobs, outputs, found)


def outcome(job: GridJob, theme: str) -> tuple[str, Content]:
    """Words and picture of what came out."""
    if job.found is None:  # the foot says why
        return "", None
    words = str(job.found).split("\n")[0]
    figure = dcc.Graph(
        figure=sensitivity_figure(job.found, theme), config={"displayModeBar": False}
    )
    return words, figure


def usual(trace: Trace, all_c: bool) -> Grid:
    """The grid of a form that nothing was written into; not `all_c`: with the search's own c alone, if it has one."""
    whole = grid(trace, seeds=SEEDS)
    return whole if all_c or whole.own_c is None else grid(trace, c=(whole.own_c,), seeds=SEEDS)


def request(trace: Trace, fields: Fields) -> Grid:
    """What the form says; raises MctsVizError for a half-typed field, or for what cannot be searched."""
    parts = [part.strip() for part in (fields["c"] or "").split(",") if part.strip()]
    try:
        constants = tuple(float(part) for part in parts) or None
    except ValueError as err:
        raise PageError(f"c: {fields['c']!r} is not a list of numbers; write 0.5, 1, 2") from err
    for title, name in (("Seeds", "seeds"), ("Iterations", "iterations")):
        if fields[name] not in (None, "") and not isinstance(fields[name], int):
            raise PageError(f"{title}: {fields[name]!r} is not a whole number; give one")
    seeds, iterations = fields["seeds"] or SEEDS, fields["iterations"] or None
    return grid(trace, c=constants, seeds=seeds, iterations=iterations)
