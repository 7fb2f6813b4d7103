"""A page with a bare Plotly graph and the front end's scripts, and a server for it: the canvas without Dash."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import plotly
from flask import Flask, Response, send_file, send_from_directory
from werkzeug.serving import make_server

from mcts_viz.errors import TraceError
from mcts_viz.views.canvas_figure import GRAPH_CONFIG, canvas_figure
from mcts_viz.web.routes.views import view_routes
from mcts_viz.web.scripts import ASSETS, DRAWING, PAGE_ONLY, script, settings

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>canvas</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/tree/tree.css">
<style>
  body {{ margin: 0; height: 100vh; display: grid; grid-template-rows: 40px 1fr 110px;
    background: var(--mcts-paper); color: var(--mcts-ink); font: 13px system-ui, sans-serif; }}
  #middle {{ display: grid; grid-template-columns: 1fr 420px; min-height: 0; }}
  #tree-graph {{ min-height: 0; }}
  aside {{ border-left: 1px solid var(--mcts-edge); }}
  footer {{ border-top: 1px solid var(--mcts-edge); padding: 6px 12px; }}
</style>
<script src="plotly.js"></script>
{scripts}
</head><body>
<header><button id="play-button">play</button> <span id="iteration-readout"></span>
  <span id="status-line" role="status" aria-live="polite"></span> <input id="text" size="4"></header>
<div id="middle"><div id="tree-graph"></div><aside></aside></div>
<footer><div id="timeline"></div></footer>
<div id="hover-card"></div>
<script>
  window.published = [];
  window.dash_clientside = {{set_props: (id, props) => window.published.push([id, props])}};
  mcts.app.onRest = (cursor) => window.published.push(["cursor", {{data: structuredClone(cursor)}}]);
  const figure = {figure};
  Plotly.newPlot("tree-graph", figure.data, figure.layout, {{...{config}, responsive: true}})
    .then(() => mcts.app.mount());
</script>
</body></html>"""


class Traces:
    """The library that the routes need, over a dict."""

    def __init__(self, traces: Mapping[str, Any]) -> None:
        self.traces = dict(traces)

    def trace(self, key: str, until: int | None = None) -> Any:
        if key not in self.traces:
            raise TraceError(f"there is no trace {key!r}")
        return self.traces[key]

    def board_svg(self, key: str, node: int) -> str | None:
        if key.startswith("foreign"):
            return None
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30" width="120">'
            f'<rect width="30" height="30" fill="#9db"/><text x="4" y="20" font-size="9">{node}</text></svg>'
        )


def page_app(traces: Mapping[str, Any]) -> Flask:
    """A Flask app with the page at / and the routes under /api."""
    app = Flask(__name__)
    app.register_blueprint(view_routes(Traces(traces)))
    # without the glue to Dash, which is not here
    names = tuple(
        name for name in (*DRAWING, *PAGE_ONLY) if name not in ("page/page.js", "page/callbacks.js")
    )
    scripts = f'<script>{settings()}</script><script src="scripts.js"></script>'
    html = PAGE.format(
        scripts=scripts,
        figure=canvas_figure().to_json(),
        config=str(GRAPH_CONFIG).replace("True", "true").replace("False", "false"),
    )

    @app.get("/")
    def index() -> str:
        return html

    @app.get("/scripts.js")
    def scripts_js() -> Response:
        return Response(script(names), mimetype="text/javascript")

    @app.get("/plotly.js")
    def plotly_js() -> Response:
        return send_file(PLOTLY)

    @app.get("/assets/<path:name>")
    def asset(name: str) -> Response:
        return send_from_directory(ASSETS, name)

    return app


@contextmanager
def served(traces: Mapping[str, Any]) -> Iterator[str]:
    """The address of the page while it is served."""
    server = make_server("127.0.0.1", 0, page_app(traces), threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
