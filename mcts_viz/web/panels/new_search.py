"""New search: a form, a running search with its progress and Stop, and the trace that comes of it."""

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
from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import Ids
from mcts_viz.web.jobs import Job, Jobs
from mcts_viz.web.library import Library
from mcts_viz.web.services import SearchRequest
from mcts_viz.web.words import count, plural

HIDE, SHOW = {"display": "none"}, {"display": "block"}
# as the form names them, in this order; a test holds them to the formulas and rules that there are
PRESETS_OWN = "preset"  # value of the choice to leave a policy as the preset has it
SELECTION_LABELS = {
    "ucb1": "UCB1: q + c √(ln N / n)",
    "ucb1_double_log": "UCB1: q + c √(2 ln N / n)",
}
ORDER_LABELS = {
    "random": "random",
    "first_legal_first": "first legal first",
    "last_legal_first": "last legal first",
}
FINAL_MOVE_LABELS = {
    "most_visits": "most visits (robust)",
    "highest_mean": "highest mean (max)",
    "highest_total": "highest total",
    "robust_max": "most visits and mean (robust-max)",
    "secure": "highest lower bound (secure)",
}
TICK = 250  # milliseconds between two looks at a running search


def layout(library: Library) -> Any:
    """The dialog, and what watches a running search also while the dialog is closed."""
    return html.Div(
        [
            dmc.Modal(
                _form(library),
                id=Ids.SEARCH.value,
                title="New search",
                size="lg",
                centered=True,
                closeButtonProps=aria("close"),
            ),
            dcc.Store(id=Ids.SEARCH_GO.value),
            dcc.Store(id=Ids.SEARCH_JOB.value),
            dcc.Interval(id=Ids.SEARCH_TICK.value, interval=TICK, disabled=True),
        ]
    )


def _form(library: Library) -> Any:
    services = library.services
    return dmc.Stack(
        gap="sm",
        children=[
            dmc.Group(
                grow=True,
                children=[
                    dmc.Select(
                        id=Ids.SEARCH_GAME.value,
                        label="Game",
                        allowDeselect=False,
                        data=[{"value": g.name, "label": g.title} for g in services.games],
                        value=services.default_game,
                    ),
                    dmc.Select(
                        id=Ids.SEARCH_PRESET.value,
                        label="Preset",
                        allowDeselect=False,
                        data=list(services.presets),
                        value=services.default_preset,
                    ),
                ],
            ),
            dmc.Group(
                grow=True,
                align="start",
                children=[
                    dmc.NumberInput(
                        id=Ids.SEARCH_ITERATIONS.value,
                        label="Iterations",
                        description="one simulation each",
                        value=1000,
                        min=1,
                        step=1000,
                        allowDecimal=False,
                        thousandSeparator=",",
                    ),
                    dmc.NumberInput(
                        id=Ids.SEARCH_C.value,
                        label="c, exploration",
                        description="empty: the preset's",
                        min=0,
                        step=0.1,
                    ),
                    dmc.NumberInput(
                        id=Ids.SEARCH_SEED.value,
                        label="Seed",
                        description="empty: a new one",
                        min=0,
                        allowDecimal=False,
                    ),
                ],
            ),
            dmc.Group(
                grow=True,
                align="start",
                children=[
                    _policy(
                        Ids.SEARCH_SELECTION,
                        "Selection formula",
                        "compares the children",
                        SELECTION_LABELS,
                    ),
                    _policy(
                        Ids.SEARCH_ORDER,
                        "Untried moves",
                        "in which order they are tried",
                        ORDER_LABELS,
                    ),
                    _policy(
                        Ids.SEARCH_FINAL_MOVE,
                        "Final move",
                        "picks the move to play",
                        FINAL_MOVE_LABELS,
                    ),
                ],
            ),
            dmc.TextInput(
                id=Ids.SEARCH_MOVES.value,
                label="Start position",
                description="moves played before the search, with commas; empty: none",
                placeholder="for example 3, 3, 2",
            ),
            html.Div(id=Ids.SEARCH_ERROR.value, className="form-error", role="alert"),
            dmc.Progress(
                id=Ids.SEARCH_BAR.value, value=0, style=HIDE, **aria("progress of the search")
            ),
            html.Div(id=Ids.SEARCH_PROGRESS.value, className="dim", role="status"),
            dmc.Group(
                justify="flex-end",
                children=[
                    dmc.Button("Stop", id=Ids.SEARCH_STOP.value, variant="default", disabled=True),
                    dmc.Button("Start", id=Ids.SEARCH_START.value),
                ],
            ),
        ],
    )


def _policy(id_: Ids, label: str, description: str, labels: dict[str, str]) -> Any:
    """A choice of a policy, at first the preset's own."""
    return dmc.Select(
        id=id_.value,
        label=label,
        description=description,
        allowDeselect=False,
        data=[
            {"value": PRESETS_OWN, "label": "preset's own"},
            *({"value": name, "label": told} for name, told in labels.items()),
        ],
        value=PRESETS_OWN,
    )


FORM = (
    State(Ids.SEARCH_GAME.value, "value"),
    State(Ids.SEARCH_ITERATIONS.value, "value"),
    State(Ids.SEARCH_C.value, "value"),
    State(Ids.SEARCH_SEED.value, "value"),
    State(Ids.SEARCH_MOVES.value, "value"),
    State(Ids.SEARCH_SELECTION.value, "value"),
    State(Ids.SEARCH_FINAL_MOVE.value, "value"),
    State(Ids.SEARCH_PRESET.value, "value"),
    State(Ids.SEARCH_ORDER.value, "value"),
)


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog. A search belongs to the server process; its file belongs to the library."""
    jobs = Jobs(library)

    app.clientside_callback(
        ClientsideFunction("mcts", "newSearch"), Input(Ids.NEW.value, "n_clicks"),
        prevent_initial_call=True,
    )  # fmt: skip

    @app.callback(
        Output(Ids.SEARCH_ERROR.value, "children"),
        *(Input(each.component_id, each.component_property) for each in FORM),
        prevent_initial_call=True,
    )
    def check(*fields: Any) -> str:
        try:
            library.services.check(search_request(*fields))
        except MctsVizError as err:
            return str(err)
        return ""

    app.clientside_callback(
        ClientsideFunction("mcts", "startSearch"), Input(Ids.SEARCH_START.value, "n_clicks"),
        prevent_initial_call=True,
    )  # fmt: skip

    # a callback of its own: one that also listened to the fields would lose the press of Start
    # that comes together with the last change of a field
    @app.callback(
        Output(Ids.SEARCH_JOB.value, "data"),
        Input(Ids.SEARCH_GO.value, "data"),
        *FORM,
        prevent_initial_call=True,
    )
    def start(presses: int | None, *fields: Any) -> str:
        return jobs.start(search_request(*fields))

    @app.callback(
        Output(Ids.SEARCH_TICK.value, "disabled"),
        Output(Ids.SEARCH_BAR.value, "value"),
        Output(Ids.SEARCH_BAR.value, "style"),
        Output(Ids.SEARCH_PROGRESS.value, "children"),
        Output(Ids.SEARCH_START.value, "disabled"),
        Output(Ids.SEARCH_STOP.value, "disabled"),
        Output(Ids.OPENED.value, "data"),
        Input(Ids.SEARCH_JOB.value, "data"),
        Input(Ids.SEARCH_TICK.value, "n_intervals"),
        Input(Ids.SEARCH_STOP.value, "n_clicks"),
        prevent_initial_call=True,
    )
    def watch(number: str | None, ticks: int | None, stops: int | None) -> tuple[Any, ...]:
        job = jobs.job(number or "")
        if job is None:
            return True, 0, HIDE, "", False, True, no_update
        if Ids.SEARCH_STOP.value in ctx.triggered_prop_ids.values():
            job.stop.set()
        if not job.finished:
            return False, percent_done(job), SHOW, progress_text(job), True, False, no_update
        if job.error is not None:
            return True, 0, HIDE, f"Stopped: {job.error}", False, True, no_update
        set_props(Ids.SEARCH.value, {"opened": False})
        return True, 0, HIDE, "", False, True, {"key": job.key}


def search_request(
    game: str,
    iterations: Any,
    c: Any,
    seed: Any,
    moves: str | None,
    selection: str = PRESETS_OWN,
    final_move: str = PRESETS_OWN,
    preset: str = "uct",
    order: str = PRESETS_OWN,
) -> SearchRequest:
    """What the form says; raises PageError for an empty or half-typed field."""
    if not isinstance(iterations, int):
        raise PageError("Iterations: give a whole number from 1 up")
    return SearchRequest(
        game=game,
        preset=preset,
        iterations=iterations,
        seconds=None,
        c=float(c) if isinstance(c, (int, float)) else None,
        seed=seed if isinstance(seed, int) else None,
        start=tuple(move.strip() for move in (moves or "").split(",") if move.strip()),
        selection=None if selection == PRESETS_OWN else selection,
        final_move=None if final_move == PRESETS_OWN else final_move,
        order=None if order == PRESETS_OWN else order,
    )


def percent_done(job: Job) -> float:
    """For the bar."""
    total = job.request.iterations
    return 100.0 * job.iterations / total if total else 100.0


def progress_text(job: Job) -> str:
    """For the person."""
    if job.iterations == 0:
        return "Starting … (the first large search of a game is compiled first, a few seconds)"
    total = f" of {count(job.request.iterations)}" if job.request.iterations else ""
    return f"{count(job.iterations)}{total} iterations, {plural(job.nodes, 'node')}"
