"""The page put together: one Dash app over one library. Importing it starts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import dash_mantine_components as dmc
from dash import Dash, dcc, html, set_props
from dash.exceptions import DependencyException
from flask import Response, request

from mcts_viz.errors import MctsVizError
from mcts_viz.web.access import Access
from mcts_viz.web.fleet_page.app import create_fleet_app, lead_to_fleet
from mcts_viz.web.fleet_page.source import FleetSource
from mcts_viz.web.gate import Gate, hashes_of
from mcts_viz.web.ids import TOLD, Ids, cursor_for
from mcts_viz.web.library import MAX_UPLOAD, Library
from mcts_viz.web.panels import bar, compare, side, stepping
from mcts_viz.web.panels.dialogs import finder, help
from mcts_viz.web.panels.forms import new_search, what_if
from mcts_viz.web.panels.match import panel as match
from mcts_viz.web.panels.tree import live, tree
from mcts_viz.web.routes.events import event_routes
from mcts_viz.web.routes.files import file_routes
from mcts_viz.web.routes.live import live_routes
from mcts_viz.web.routes.notes import note_routes
from mcts_viz.web.routes.origin import origin_routes
from mcts_viz.web.routes.pictures_first import PicturesFirst
from mcts_viz.web.routes.summaries import summary_routes
from mcts_viz.web.routes.truth import truth_routes
from mcts_viz.web.routes.views import view_routes
from mcts_viz.web.routes.workers import worker_routes
from mcts_viz.web.scripts import ASSETS, IGNORED, PageWithScripts, asset_routes, index_of
from mcts_viz.web.theme import MANTINE_THEME

ASSETS_ADDRESS = "/assets/"
LIBRARY = "mcts_viz.library"  # what Flask keeps it under
PANELS = (bar, match, tree, side, stepping, live, new_search, finder, compare, what_if)


def create_app(
    sources: Sequence[Path],
    store: Path,
    follow: bool = False,
    access: Access | None = None,
    max_upload: int = MAX_UPLOAD,
    memory: int | None = None,
    midway: bool = False,
    number: int = 0,
) -> Dash:
    """The app for the traces in `sources` (files and folders); uploads and new searches go to `store`.

    follow: a page that opens without an address rides at the end of its first trace. access: who may
    ask, whatever server the app runs in; None: what the environment says, and without a word of it
    this machine alone. max_upload: bytes. memory: megabytes that a trace may unpack to.
    midway: the first page opens in the middle of its search. number: of that search, in a file of many. Raises
    PageError for an environment that says nothing that can be.
    """
    access = Access.from_environment() if access is None else access
    library = Library(sources, store, max_upload, memory)
    app = PageWithScripts(
        "mcts_viz",
        title="mcts_viz",
        update_title="",
        assets_folder=str(ASSETS),
        assets_ignore=IGNORED,
        compress=True,
        on_error=tell,
        serve_locally=True,
        requests_pathname_prefix=access.prefix,
        routes_pathname_prefix="/",
    )
    app.index_string = index_of(app.get_asset_url(""))
    app.server.after_request(keep_assets)
    pictures = PicturesFirst()
    app.server.register_blueprint(asset_routes())
    for kind in (DependencyException, FileNotFoundError):  # a library's file that is not there
        app.server.register_error_handler(kind, not_found)
    app.server.register_blueprint(view_routes(library, pictures))
    app.server.register_blueprint(file_routes(library, follow, midway, number))
    app.server.register_blueprint(live_routes(library))
    app.server.register_blueprint(truth_routes(library))
    app.server.register_blueprint(worker_routes(library))
    app.server.register_blueprint(event_routes(library, pictures))
    app.server.register_blueprint(note_routes(library))
    app.server.register_blueprint(origin_routes(library))
    app.server.register_blueprint(summary_routes(library))
    app.layout = lambda: page(library)
    for panel in PANELS:
        panel.register(app, library)
    apps: list[Dash] = [app]
    folders = [FleetSource(each) for each in sources if each.is_dir()]
    if folders:  # one may get its tables while the server runs
        fleet = next((each for each in folders if each.is_there), folders[0])
        assets = app.get_asset_url("")
        apps.append(create_fleet_app(fleet, library, app.server, access.prefix, assets, tell))
        lead_to_fleet(app.server, fleet)
    hashes = [each for one in apps for each in (*hashes_of(one.index_string), *one.csp_hashes())]
    app.server.wsgi_app = Gate(app.server.wsgi_app, access, hashes)
    app.server.extensions[LIBRARY] = library
    return app


def library_of(app: Dash) -> Library:
    """The traces of an app, and the searches that run in it."""
    library: Library = app.server.extensions[LIBRARY]
    return library


def not_found(error: Exception) -> Response:
    """The answer to a question for a file that is not there."""
    return Response("There is nothing here.\n", 404, mimetype="text/plain")


def keep_assets(answer: Response) -> Response:
    """Let the browser keep what Dash gives an address of its own each time that it changes: without, it
    asks for each of some forty scripts again whenever the page is opened."""
    if (
        request.path.startswith(ASSETS_ADDRESS)
        and "m" in request.args
        and answer.status_code == 200
    ):
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer


def page(library: Library) -> dmc.MantineProvider:
    """The whole page, made anew for each visitor, so that new files are in the list."""
    told = (*(tab.id for tab in side.TABS), *TOLD)
    stores = [
        dcc.Store(id=Ids.CURSOR),
        *(dcc.Store(id=cursor_for(panel)) for panel in told),
        dcc.Store(id=Ids.THEME, storage_type="local"),
        dcc.Store(id=Ids.FOUND),
        dcc.Store(id=Ids.FIND_ASKED),
        dcc.Store(id=Ids.DOCUMENT),
        dcc.Store(id=Ids.VERDICT_CLICK),
        dcc.Store(id=Ids.HITS),
    ]
    work = html.Main([match.layout(library), tree.layout(), side.layout()], className="work")
    return dmc.MantineProvider(
        id=Ids.PROVIDER,
        theme=MANTINE_THEME,
        children=[
            *stores,
            html.Div(
                [bar.layout(library), work, compare.layout(library), stepping.layout()],
                className="page",
            ),
            html.Div(id=Ids.MESSAGE, className="message", role="alert"),
            new_search.layout(library),
            finder.layout(),
            help.layout(),
            what_if.layout(library),
        ],
    )


def tell(error: Exception) -> None:
    """Show the error of a failing callback on the page, without a stack trace."""
    if isinstance(error, MctsVizError):
        text = str(error)
    else:
        text = f"This part of the page failed: {type(error).__name__}: {error}"
    set_props(Ids.MESSAGE, {"children": text})
