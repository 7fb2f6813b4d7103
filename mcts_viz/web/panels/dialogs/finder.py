"""The dialog that finds a node by its id or by moves: what the text may mean, and what could follow."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, html, no_update, set_props
from dash._no_update import NoUpdate

from mcts_viz.analysis.node.move_sequence import Reading, readings
from mcts_viz.errors import PageError
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.text_search import TextHit, TextHits
from mcts_viz.types import Document
from mcts_viz.web.cursor import Cursor, place
from mcts_viz.web.ids import Ids, find_next, find_reading
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import AUTOFOCUS, POLITE, Content, Part, dialog, in_browser
from mcts_viz.web.words import plural

LEAST_SEARCHED = 2  # letters
HITS_AT_MOST = 20  # nodes listed; all of them are marked
NONE = TextHits([], True)
SHORT = 40  # letters of an example
FOLLOWING_AT_MOST = 8  # next moves offered, the most visited first


def layout() -> Part:
    """The dialog, closed."""
    return dialog(
        Ids.FIND,
        "Find a node",
        dmc.Stack(
            gap="xs",
            children=[
                dmc.TextInput(
                    id=Ids.FIND_TEXT,
                    label="Node id, moves from the root, or words",
                    description="Node 17: #17.",
                    **AUTOFOCUS,
                ),
                html.Div(id=Ids.FIND_OFFERS, className="find-offers", **POLITE),
                html.Div(id=Ids.FIND_ERROR, className="form-error", role="alert"),
                dmc.Group(dmc.Button("Go", id=Ids.FIND_GO), justify="flex-end"),
            ],
        ),
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the dialog."""

    in_browser(
        app,
        "mcts.askToFind",  # with the text as it stands in the field: Dash is told of it a moment later
        Output(Ids.FIND_ASKED, "data"),
        Input(Ids.FIND_GO, "n_clicks"),
        Input(Ids.FIND_TEXT, "n_submit"),
    )

    @app.callback(
        Output(Ids.FIND_ERROR, "children"),
        Output(Ids.FOUND, "data"),
        Input(Ids.FIND_ASKED, "data"),
        State(Ids.CURSOR, "data"),
        prevent_initial_call=True,
    )
    def find(asked: dict[str, str], cursor: Cursor | None) -> tuple[str, int | NoUpdate]:
        trace, text = place(library, cursor).trace, asked["text"]
        try:
            node = found_node(trace.at(trace.n_iterations), text)
        except PageError as err:
            hits = trace.find_text(text).hits if trace.columns.asides.documents else []
            if not hits:
                return str(err), no_update
            node = hits[0].node
        set_props(Ids.FIND, {"opened": False})
        return "", node

    # a call-back of its own: Dash drops the answer of one that is asked again meanwhile
    in_browser(
        app,
        "mcts.forgetFindError",
        Output(Ids.FIND_ERROR, "children", allow_duplicate=True),
        Input(Ids.FIND_TEXT, "value"),
        State(Ids.FIND_ASKED, "data"),
    )

    @app.callback(
        Output(Ids.FIND_TEXT, "description"),
        Input(Ids.FIND, "opened"),
        State(Ids.CURSOR, "data"),
        prevent_initial_call=True,
    )
    def say_how(opened: bool, cursor: Cursor | None) -> str | NoUpdate:
        trace = place(library, cursor).trace if opened else None
        return no_update if trace is None else how_to(trace.at(trace.n_iterations))

    @app.callback(
        Output(Ids.FIND_OFFERS, "children"),
        Output(Ids.HITS, "data"),
        Input(Ids.FIND_TEXT, "value"),
        Input(Ids.FIND, "opened"),
        State(Ids.CURSOR, "data"),
        prevent_initial_call=True,
    )
    def offer(
        text: str | None, opened: bool, cursor: Cursor | None
    ) -> tuple[Content | NoUpdate, object]:
        if not opened:
            return no_update, no_update
        here = place(library, cursor)
        trace, last = here.trace, here.trace.at(here.trace.n_iterations)
        if not trace.columns.asides.documents:
            return offers(last, text or ""), no_update
        found = trace.find_text(text or "") if len((text or "").strip()) >= LEAST_SEARCHED else NONE
        return with_hits(last, text or "", found), hit_marks(here.key, last, text or "", found)

    in_browser(app, "mcts.showHits", Input(Ids.HITS, "data"))
    in_browser(app, "mcts.select", Input(Ids.FOUND, "data"))
    in_browser(
        app, "mctsTree.takeReading", Input({"type": "find-reading", "node": ALL}, "n_clicks")
    )
    in_browser(
        app,
        "mctsTree.addMove",
        Input({"type": "find-next", "move": ALL}, "n_clicks"),
        State(Ids.FIND_TEXT, "value"),
    )


def how_to(snapshot: Snapshot) -> str:
    """What can be typed, with moves of this search: as they are named, by their numbers alone, by their ids."""
    line = snapshot.principal_path[1:3]
    if not line:
        return "Node 17: #17."
    names = [snapshot.label(v) for v in line]
    digits = ["".join(filter(str.isdigit, name)) for name in names]
    ways = [", ".join(names)] + ([" ".join(digits)] if all(digits) else [])
    ways.append(" ".join(f"id:{int(snapshot.action[v])}" for v in line))
    short = [way for way in ways if len(way) <= SHORT and _leads_to(snapshot, way, line[-1])]
    moves = f" Moves: {' or '.join(dict.fromkeys(short))}." if short else ""
    return f"Node 17: #17.{moves}"


def _leads_to(snapshot: Snapshot, text: str, node: int) -> bool:
    try:
        return found_node(snapshot, text) == node
    except PageError:
        return False


def found_node(snapshot: Snapshot, text: str) -> int:
    """The node that a text most likely means; raises PageError saying how far it got."""
    return readings(snapshot, text)[0].node


def offers(snapshot: Snapshot, text: str) -> list[Part]:
    """What the text may mean, and the moves that could follow. A text that leads nowhere yet gets a message."""
    if not text.strip():
        return [_following(snapshot, 0, "")]
    try:
        found = readings(snapshot, text)
    except PageError as err:
        return [html.P(str(err), className="dim find-nothing")]
    meant = found[0]
    typed = "" if meant.how == "node id" else text.strip().rstrip(",")
    return [
        html.Div([_reading(snapshot, each) for each in found], className="find-readings"),
        *([_following(snapshot, meant.node, typed)] if typed else []),
    ]


def with_hits(snapshot: Snapshot, text: str, found: TextHits) -> list[Part]:
    """The nodes in which the text stands; where there are none, what else it may mean."""
    if not found.hits:
        return offers(snapshot, text)
    rest = len(found.hits) - HITS_AT_MOST
    words = f"{plural(len(found.hits), 'node')} with “{text.strip()}”, marked in the tree and on the timeline"
    more = [html.P(f"and {rest:,} more", className="dim")] if rest > 0 else []
    part = (
        []
        if found.is_whole
        else [
            html.P(
                "The documents hold more text than is searched at once: some was left out.",
                className="dim",
            )
        ]
    )
    return [
        html.P(words, className="dim"),
        html.Div([_hit(snapshot, each) for each in found.hits[:HITS_AT_MOST]], className="find-readings"),
        *more, *part,
    ]  # fmt: skip


def _hit(snapshot: Snapshot, hit: TextHit) -> Part:
    place = f"node {hit.node:,}, {hit.where}: {hit.excerpt}"
    return html.Button(
        [html.B(snapshot.short_label(hit.node)), html.Small(place)],
        id=find_reading(hit.node),
        type="button",
        className="find-reading",
    )


def hit_marks(key: str, snapshot: Snapshot, text: str, found: TextHits) -> Document:
    """What the browser marks: nodes, and the iterations that made them."""
    return {
        "trace": key,
        "nodes": [hit.node for hit in found.hits],
        "events": [
            {
                "kind": "hit",
                "iteration": int(snapshot.born[hit.node]),
                "node": hit.node,
                "text": f"“{text.strip()}” in {snapshot.short_label(hit.node)}, {hit.where}",
            }
            for hit in found.hits
        ],
    }


def _reading(snapshot: Snapshot, reading: Reading) -> Part:
    line = " › ".join(snapshot.short_label(v) for v in snapshot.path(reading.node)[1:]) or "root"
    visits = plural(int(snapshot.visits[reading.node]), "visit")
    return html.Button(
        [html.B(line), html.Small(f"{reading.how} · node {reading.node:,} · {visits}")],
        id=find_reading(reading.node),
        type="button",
        className="find-reading",
    )


def _following(snapshot: Snapshot, node: int, typed: str) -> Part:
    children = sorted(snapshot.children(node), key=lambda v: -int(snapshot.visits[v]))
    if not children:
        return html.P("No move was searched after it.", className="dim")
    before = f"{typed}, " if typed else ""
    moves = [
        html.Button(
            snapshot.short_label(v), id=find_next(before + snapshot.label(v)), type="button",
            className="find-next", title=plural(int(snapshot.visits[v]), "visit"),
        )
        for v in children[:FOLLOWING_AT_MOST]
    ]  # fmt: skip
    more = len(children) - len(moves)
    rest = [html.Span(f"and {more:,} more", className="dim")] if more > 0 else []
    return html.Div(
        [html.Span("next: " if typed else "moves: ", className="dim"), *moves, *rest],
        className="find-following",
    )
