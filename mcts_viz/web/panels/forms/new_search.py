"""New search: the dialog around the form, a running search with its progress and Stop, and the trace that comes
of it: followed while it grows, where the search takes long enough."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, Output, html, no_update, set_props
from dash._no_update import NoUpdate

from mcts_viz.web.ids import SEARCH_FORM, Ids
from mcts_viz.web.jobs.searches import Job, Jobs
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import LARGE_DIALOG, Part, aria, dialog, in_browser
from mcts_viz.web.panels.forms.controls import changed_words, fields_with, shows_preset
from mcts_viz.web.panels.forms.presets import USUAL_PRESET, preset_of
from mcts_viz.web.panels.forms.running import HIDE, Foot, checks, foot, starts, watchers, watches
from mcts_viz.web.panels.forms.search_form import form, search_request
from mcts_viz.web.panels.forms.start import shows_start

FIELDS = {
    "game": Ids.SEARCH_GAME,
    "size": Ids.SEARCH_SIZE,
    "preset": Ids.SEARCH_PRESET,
    "seed": Ids.SEARCH_SEED,
    "workers": Ids.SEARCH_WORKERS,
    "moves": Ids.SEARCH_MOVES,
}
# progress of a running search: in the dialog, and under the tree's tools once its trace is open
WATCHED = [
    Output(Ids.SEARCH_RUN, "style"),
    Output(Ids.SEARCH_RUN_BAR, "value"),
    Output(Ids.SEARCH_RUN_WORDS, "children"),
    Output(Ids.SEARCH_RUN_STOP, "disabled"),
    Output(Ids.OPENED, "data"),
]


def layout(library: Library) -> Part:
    """The dialog, and what watches a running search also while the dialog is closed."""
    body = [dmc.Stack(form(), gap="sm"), foot(SEARCH_FORM, "Start", "search")]
    asked = dialog(Ids.SEARCH, "New search", body, "search-dialog", **LARGE_DIALOG)
    return html.Div([asked, *watchers(SEARCH_FORM)])


FIELDS_OF = fields_with(SEARCH_FORM, FIELDS)


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog. A search belongs to the server process; its file belongs to the library."""
    jobs = Jobs(library)
    in_browser(app, "mcts.newSearch", Input(Ids.NEW, "n_clicks"))
    another_size = Input(Ids.SEARCH_SIZE, "value")
    in_browser(
        app, "mcts.isFilled", Output(Ids.SEARCH_GAME, "disabled"), another_size, initial=True
    )
    shows_preset(
        app, SEARCH_FORM, Ids.SEARCH_PRESET, lambda name, _: preset_of(name or USUAL_PRESET)
    )
    checks(
        app, SEARCH_FORM, FIELDS_OF, lambda given, _: search_request(given).plan(), changed_words
    )
    games = (Ids.SEARCH_SIZE, Ids.SEARCH_GAME)
    shows_start(app, SEARCH_FORM, Ids.SEARCH_MOVES, games, Input(Ids.SEARCH, "opened"))
    starts(app, SEARCH_FORM, FIELDS_OF, lambda given, _: jobs.start(search_request(given)))
    watches(app, SEARCH_FORM, jobs, WATCHED, shown_of, (Ids.SEARCH_RUN_STOP,))


def shown_of(job: Job | None, foot: Foot, theme: str) -> tuple[object, ...]:
    """The `WATCHED` outputs for a search as it is now. Its trace opens, and the dialog closes, when the search has
    ended or will go on for a while; of one whose trace is open the page hears the end from the file."""
    opened: dict[str, str] | NoUpdate = no_update
    if job is not None and not job.followed:
        if not job.finished and job.is_worth_following:
            job.followed, opened = True, {"key": job.key, "at": "growing"}
        elif job.finished and job.error is None:
            opened = {"key": job.key}
        if opened is not no_update:
            set_props(Ids.SEARCH, {"opened": False})
    on_page = job is not None and job.followed and bool(foot.words)
    style = {"display": "flex"} if on_page else HIDE
    return style, foot.percent, foot.words, foot.is_over, opened


def strip() -> Part:
    """The line above the tree while a search grows it: progress and Stop."""
    return html.Div(
        [
            html.Div(id=Ids.SEARCH_RUN_WORDS, className="grow", role="status"),
            dmc.Progress(
                id=Ids.SEARCH_RUN_BAR, value=0, w=180, **aria("progress of the search")
            ),
            dmc.Button(
                "Stop", id=Ids.SEARCH_RUN_STOP, size="compact-sm", variant="default",
                disabled=True,
            ),
        ],
        id=Ids.SEARCH_RUN,
        className="trace-note search-run",
        style=HIDE,
    )  # fmt: skip
