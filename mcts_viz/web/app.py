"""The page put together: one Dash app over one library. Importing it starts nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, dcc, html, set_props
from flask import Response, request

from mcts_viz.errors import MctsVizError
from mcts_viz.web.event_routes import event_routes
from mcts_viz.web.file_routes import file_routes
from mcts_viz.web.following import live_routes
from mcts_viz.web.ids import TOLD, Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.note_routes import note_routes
from mcts_viz.web.panels import (
    bar,
    compare,
    dialogs,
    finder,
    health,
    history,
    iteration,
    live,
    match,
    new_search,
    node,
    notes,
    rollouts,
    stepping,
    tables,
    tree,
    what_if,
    why,
)
from mcts_viz.web.services import Services
from mcts_viz.web.truth_routes import truth_routes
from mcts_viz.web.view_routes import view_routes
from mcts_viz.web.workers import Workers

ASSETS_ADDRESS = "/assets/"
OWN_SCRIPT = re.compile(rf'<script src="[^"]*{ASSETS_ADDRESS}[^"]*"></script>')
PANELS = (
    bar,
    match,
    tree,
    node,
    tables,
    iteration,
    why,
    history,
    rollouts,
    health,
    stepping,
    live,
    new_search,
    finder,
    dialogs,
    compare,
    what_if,
)


class Page(Dash):
    """A Dash app whose own scripts come before Dash's, so that they draw while those are still read."""

    def interpolate_index(self, **parts: Any) -> str:  # type: ignore[override]  # as Dash says how to
        """The page's HTML."""
        scripts, begin = parts["scripts"], "<script>mcts.page.begin();</script>"
        parts["scripts"] = "\n".join(
            [*OWN_SCRIPT.findall(scripts), begin, OWN_SCRIPT.sub("", scripts)]
        )
        return str(super().interpolate_index(**parts))  # type: ignore[no-untyped-call]


def create_app(
    services: Services,
    sources: Sequence[Path],
    store: Path,
    follow: bool = False,
    workers: Workers | None = None,
) -> Dash:
    """The app for the traces in `sources` (files and folders); uploads and new searches go to `store`.

    follow: a page that opens without an address rides at the end of its first trace.
    workers: where it is one of several processes that serve them.
    """
    library = Library(services, sources, store, str if workers is None else workers.sign)
    app = Page(
        "mcts_viz",
        title="mcts_viz",
        update_title="",
        assets_folder=str(Path(__file__).with_name("assets")),
        compress=True,
        on_error=tell,
        serve_locally=True,
    )
    app.index_string = app.index_string.replace("<html>", '<html lang="en">')
    app.server.after_request(keep_assets)
    if workers is not None:
        workers.install(app.server)
    app.server.register_blueprint(view_routes(library))
    app.server.register_blueprint(file_routes(library, follow))
    app.server.register_blueprint(live_routes(library))
    app.server.register_blueprint(truth_routes(library))
    app.server.register_blueprint(event_routes(library))
    app.server.register_blueprint(note_routes(library))
    app.layout = lambda: page(library)
    for panel in PANELS:
        panel.register(app, library)
    return app


def keep_assets(answer: Response) -> Response:
    """Let the browser keep what Dash gives an address of its own each time that it changes: without, it
    asks for each of some fifty scripts again whenever the page is opened."""
    if (
        request.path.startswith(ASSETS_ADDRESS)
        and "m" in request.args
        and answer.status_code == 200
    ):
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer


def page(library: Library) -> Any:
    """The whole page, made anew for each visitor, so that new files are in the list."""
    return dmc.MantineProvider(
        id=Ids.PROVIDER.value,
        # the shade: dark enough for white text on it, and for text of it on white
        theme={
            "primaryColor": "blue",
            "primaryShade": {"light": 9, "dark": 8},
            "defaultRadius": "sm",
        },
        children=[
            dcc.Store(id=Ids.CURSOR.value),
            *(dcc.Store(id=cursor_for(panel)) for panel in TOLD),
            dcc.Store(id=Ids.THEME.value, storage_type="local"),
            dcc.Store(id="found"),
            dcc.Store(id=Ids.TRUTH.value),
            html.Div(
                className="page",
                children=[
                    bar.layout(library),
                    html.Main(
                        className="work",
                        children=[
                            match.layout(library),
                            tree.layout(),
                            html.Aside(
                                className="side",
                                children=[
                                    node.layout(),
                                    tables.layout(
                                        [
                                            iteration.tab(),
                                            why.tab(),
                                            history.tab(),
                                            rollouts.tab(),
                                            health.tab(),
                                            notes.tab(),
                                        ],
                                        [
                                            iteration.panel(),
                                            why.panel(),
                                            history.panel(),
                                            rollouts.panel(),
                                            health.panel(),
                                            notes.panel(),
                                        ],
                                    ),
                                ],
                            ),
                        ],
                    ),
                    compare.layout(library),
                    stepping.layout(),
                ],
            ),
            html.Div(id=Ids.MESSAGE.value, className="message", role="alert"),
            new_search.layout(library),
            finder.layout(),
            dialogs.layout(),
            what_if.layout(library),
        ],
    )


def tell(error: Exception) -> None:
    """A failing callback says so on the page: never a silent nothing, never a stack trace."""
    if isinstance(error, MctsVizError):
        text = str(error)
    else:
        text = f"This part of the page failed: {type(error).__name__}: {error}"
    set_props(Ids.MESSAGE.value, {"children": text})
