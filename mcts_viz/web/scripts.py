"""The page's own scripts and style sheets, in the order in which a browser reads them, and the HTML around them.

The lists are the only place that names them: the page, the one HTML file and the canvas of the tests are made of them.
Paths are relative to `assets`. The page gets all scripts as one file, and all style sheets, in two requests; and a
smaller Plotly than Dash brings.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dash import Dash
from flask import Blueprint, Response, request
from plotly.offline import get_plotlyjs_version

from mcts_viz.views.view_spec import PageView

ASSETS = Path(__file__).with_name("assets")
# Plotly without maps and 3D, a third of what Dash loads where it finds none: plotly.js-cartesian-dist-min of npm
CARTESIAN = Path(__file__).parent / "vendor" / "plotly-cartesian.min.js.gz"
TABLES = re.compile(r'<script src="([^"]*/dash_ag_grid[^"]*)"></script>\n?')
# draw and step, without Dash: shared by the page and the one HTML file
DRAWING = (
    "mcts.js",
    "core/dash.js",
    "core/dom.js",
    "core/pen.js",
    "core/plotly.js",
    "core/binary.js",
    "core/viewpoint.js",
    "core/colours.js",
    "core/formulas.js",
    "core/geometry.js",
    "tree/legend.js",
    "tree/hover_card.js",
    "core/clipboard.js",
    "tree/filter.js",
    "core/phases.js",
    "core/reach.js",
    "tree/phase_marks.js",
    "core/panes.js",
    "core/room.js",
    "core/behind.js",
    "core/cursor.js",
    "page/keys.js",
    "page/passing.js",
    "core/player.js",
    "core/replay.js",
    "timeline/chart.js",
    "timeline/timeline.js",
    "panels/truth.js",
    "panels/lanes.js",
    "tree/picture.js",
    "tree/culling.js",
    "tree/edges.js",
    "tree/nodes.js",
    "tree/iteration_marks.js",
    "tree/hidden_ends.js",
    "tree/labels.js",
    "tree/hit_test.js",
    "tree/mouse.js",
    "tree/touch.js",
    "tree/axes.js",
    "tree/canvas.js",
    "tree/pane.js",
    "page/session.js",
    "page/requests.js",
    "page/card.js",
    "page/sentence.js",
    "page/status.js",
    "page/changing.js",
    "page/stepping.js",
    "page/opening.js",
    "page/selecting.js",
    "page/debug.js",
    "page/app.js",
)
# the rest of the page; the last one calls the others
PAGE_ONLY = (
    "tree/first_picture.js",
    "page/typing.js",
    "page/nothing.js",
    "page/focus.js",
    "panels/history.js",
    "panels/columns.js",
    "icicle/layout.js",
    "icicle/windows.js",
    "icicle/drawing.js",
    "icicle/canvas.js",
    "page/scroll.js",
    "page/tooltip.js",
    "core/connection.js",
    "panels/compare.js",
    "page/message.js",
    "page/files.js",
    "page/attention.js",
    "page/exports.js",
    "panels/live.js",
    "timeline/events.js",
    "timeline/marks_menu.js",
    "timeline/marks_source.js",
    "timeline/marks.js",
    "panels/first_game.js",
    "panels/match.js",
    "panels/note_requests.js",
    "panels/note_store.js",
    "panels/notes.js",
    "panels/rollout.js",
    "tree/tree_tools.js",
    "panels/origin_view.js",
    "panels/origin.js",
    "panels/trace_list.js",
    "panels/searches.js",
    "panels/tables.js",
    "panels/following.js",
    "panels/places.js",
    "page/tour.js",
    "panels/searched.js",
    "panels/documents.js",
    "panels/checking.js",
    "page/page.js",
    "page/callbacks.js",
)
# the page on a fleet
FLEET_SCRIPTS = (
    "mcts.js",
    "core/dash.js",
    "core/dom.js",
    "core/reach.js",
    "page/keys.js",
    "page/tooltip.js",
    "page/message.js",
    "fleet/address.js",
    "fleet/rows.js",
    "fleet/gallery.js",
    "fleet/page.js",
)
STYLES = (
    "panels/compare.css",
    "page/foreign.css",
    "icicle/icicle.css",
    "panels/live.css",
    "panels/match.css",
    "panels/notes.css",
    "panels/origin.css",
    "panels/documents.css",
    "panels/trace_list.css",
    "panels/searches.css",
    "page/page.css",
    "page/page_comfort.css",
    "page/panes.css",
    "panels/phases.css",
    "panels/searched.css",
    "timeline/timeline.css",
    "tree/tree.css",
    "page/tour.css",
    "panels/truth.css",
    "panels/lanes.css",
    "fleet/fleet.css",
)


class Bundle(NamedTuple):
    """The files that a page gets."""

    script: str
    scripts: tuple[str, ...]
    begins: str  # what is called as soon as they are there
    style: str = "mcts_viz.css"


PAGE = Bundle("mcts_viz.js", (*DRAWING, *PAGE_ONLY), "mcts.page.begin();")
FLEET = Bundle("fleet.js", FLEET_SCRIPTS, "mcts.fleet.begin();")
IGNORED = (
    r"\.(js|css)$"  # by Dash, which would put them in the order of their names, behind its own
)

# A root and three children. As part of the page it is not asked for again whenever the address changes.
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='%231f6fb0' "
    "stroke='%231f6fb0' stroke-width='1.4'%3E%3Cpath d='M8 4 3 12M8 4v8M8 4l5 8'/%3E"
    "%3Ccircle cx='8' cy='3.5' r='2.3'/%3E%3Ccircle cx='3' cy='12.5' r='1.8'/%3E"
    "%3Ccircle cx='8' cy='12.5' r='1.8'/%3E%3Ccircle cx='13' cy='12.5' r='1.8'/%3E%3C/svg%3E"
)

# Dash's own page with our files in it: the scripts before those of Dash, so that they draw while it is still read
INDEX = """<!DOCTYPE html>
<html lang="en">
    <head>
        {%metas%}
        <title>{%title%}</title>
        <link rel="icon" href="<!--icon-->">
        {%css%}
        <link rel="stylesheet" href="<!--styles-->">
    </head>
    <body>
        {%app_entry%}
        <div>
            {%config%}
            <script><!--settings--></script>
            <script src="<!--scripts-->"></script>
            <script><!--begins--></script>
            {%scripts%}
            <!--plotly-->
            {%renderer%}
        </div>
    </body>
</html>"""


def asset_routes() -> Blueprint:
    """The files, among the assets."""
    routes = Blueprint("bundles", __name__)

    def scripts_of(bundle: Bundle) -> Response:
        return Response(script(bundle.scripts), mimetype="text/javascript")

    routes.get(f"/assets/{PAGE.script}", endpoint="page")(partial(scripts_of, PAGE))
    routes.get(f"/assets/{FLEET.script}", endpoint="fleet")(partial(scripts_of, FLEET))

    @routes.get(f"/assets/{CARTESIAN.stem}")
    def cartesian() -> Response:
        packed = CARTESIAN.read_bytes()
        answer = Response(packed, mimetype="text/javascript")
        answer.vary.add("Accept-Encoding")
        if request.accept_encodings["gzip"]:
            answer.headers["Content-Encoding"] = "gzip"
        else:
            answer.data = gzip.decompress(packed)
        return answer

    @routes.get(f"/assets/{PAGE.style}")
    def styles() -> Response:
        return Response(text_of(STYLES), mimetype="text/css")

    return routes


def index_of(root: str, bundle: Bundle = PAGE) -> str:
    """A page's HTML, as Dash takes it; `root` is the address of the assets."""
    parts = {
        "settings": settings(),
        "scripts": _address(f"{root}{bundle.script}", bundle.scripts),
        "styles": _address(f"{root}{bundle.style}", STYLES),
        "begins": bundle.begins,
        "icon": ICON,
        "plotly": plotly_script(root),
    }
    html = INDEX
    for name, text in parts.items():
        html = html.replace(f"<!--{name}-->", text)
    return html


class PageWithScripts(Dash):
    """Dash, whose page loads the scripts of its tables when the first one is seen (assets/panels/tables.js)."""

    def interpolate_index(self, *args: str, **parts: str) -> str:
        """The page's HTML."""
        if tables := TABLES.search(parts["scripts"]):
            parts["scripts"] = TABLES.sub("", parts["scripts"])
            parts["metas"] += f'<meta name="mcts-tables" content="{tables[1]}">'
        return str(super().interpolate_index(*args, **parts))  # type: ignore[no-untyped-call]


def plotly_script(root: str) -> str:
    """The smaller Plotly, where it has the version of Dash's own; else nothing, and Dash loads that."""
    with gzip.open(CARTESIAN, "rt", encoding="utf-8") as file:
        version = re.search(r"v(\d+\.\d+\.\d+)", file.read(200))
    if version is None or version[1] != get_plotlyjs_version():
        return ""
    return f'<script src="{root}{CARTESIAN.stem}?m={CARTESIAN.stat().st_mtime}"></script>'


def settings() -> str:
    """The script that comes before all others: what they and Python have in common, under `mcts.settings`."""
    return f"window.mcts = {{settings: {json.dumps({'view': PageView.listed()})}}};"


def _address(address: str, names: tuple[str, ...]) -> str:
    """The address of a file with the time of its last change: a browser may cache it for ever."""
    return f"{address}?m={max((ASSETS / name).stat().st_mtime for name in names)}"


def script(names: tuple[str, ...]) -> str:
    """Scripts as one, in strict mode."""
    return f'"use strict";\n{text_of(names)}'


def text_of(names: tuple[str, ...]) -> str:
    """The files in one."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)
