"""Why this move: the explanation in sentences, every number a link to where it is seen, and the terms that decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, dcc, html

from mcts_viz.analysis.explanation import Explanation, explain
from mcts_viz.analysis.explanation_prose import Phrase
from mcts_viz.analysis.selections import REASONS
from mcts_viz.analysis.truth import Truth
from mcts_viz.errors import TraceError
from mcts_viz.web.attributes import aria
from mcts_viz.web.cursor import Place
from mcts_viz.web.ids import Ids, cursor_for, why_link
from mcts_viz.web.library import Library
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.tables import place_in_tab
from mcts_viz.web.panels.truth import truth_here

TAB = "why"
FIRST_TRUTH = (
    1_000_000  # index of the first link of the exact results: apart from the explanation's
)
AT_ROOT, AT_NODE = "root", "node"
ASK_AGAIN = (
    700  # milliseconds, while the position of a node is being solved; the root's comes by itself
)
CLOSING = ").,;:"
# the panel, the moves to ask about, and whether there is nothing to wait for
Told = tuple[Any, list[dict[str, str]], bool]


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("Why this move", value=TAB)


def panel() -> Any:
    """Its body: whose move and which other one, over the words."""
    return dmc.TabsPanel(
        [
            html.Div(className="why-tools", children=[
                dmc.SegmentedControl(
                    id=Ids.WHY_WHERE.value, value=AT_ROOT, size="xs",
                    data=[
                        {"value": AT_ROOT, "label": "at the root"},
                        {"value": AT_NODE, "label": "at the selected node"},
                    ],
                ),
                dmc.Select(
                    id=Ids.WHY_NOT.value, data=[], size="xs", clearable=True, searchable=True,
                    placeholder="why not another move?", className="why-not",
                    **aria("why not another move"),
                ),
            ]),
            html.Div(id=Ids.WHY.value, className="why"),
            dcc.Interval(id=Ids.WHY_TICK.value, interval=ASK_AGAIN, disabled=True),
        ],
        value=TAB,
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.WHY.value, "children"),
        Output(Ids.WHY_NOT.value, "data"),
        Output(Ids.WHY_TICK.value, "disabled"),
        Input(cursor_for(TAB), "data"),
        Input(Ids.WHY_WHERE.value, "value"),
        Input(Ids.WHY_NOT.value, "value"),
        Input(Ids.TRUTH.value, "data"),  # is there now
        Input(Ids.WHY_TICK.value, "n_intervals"),
        State(Ids.TABS.value, "value"),
        prevent_initial_call=True,
    )
    def why(
        cursor: dict[str, Any] | None, where: str, other: str, _truth: Any, _tick: Any, tab: str
    ) -> Told:
        here = place_in_tab(library, cursor, tab, TAB)
        node = here.node if where == AT_NODE else 0
        if node >= here.snapshot.n_nodes:
            return not_yet(here), [], True
        told = truth_here(library, here, node)
        text = [*truth_words(told), *words(explained(here, node, other))]
        return text, moves(here, node), told is not None or node == 0

    app.clientside_callback(
        ClientsideFunction("mcts", "followLink"),
        Input({"type": "why-link", "index": ALL, "iteration": ALL, "node": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )


def moves(here: Place, node: int) -> list[dict[str, str]]:
    """The moves at the node, for the picker: a value is an action id."""
    tree = here.snapshot
    return [
        {"value": str(tree.action[child]), "label": tree.label(child)}
        for child in tree.children(node)
    ]


def explained(here: Place, node: int, other: str | None) -> Explanation:
    """The explanation; a move that was asked of another position and is none here is let go."""
    t = here.snapshot.iteration
    if other:
        try:
            return explain(here.trace, t, node, int(other))
        except TraceError:
            pass
    return explain(here.trace, t, node)


def truth_words(told: Truth | str | None) -> list[Any]:
    """Exact results in a paragraph, why there are none, or that they are on their way."""
    if told is None:
        return [html.Div("Solving the position …", className="why-truth unknown dim")]
    if isinstance(told, str):
        return [html.Div(f"Exact result: not known, as {told}.", className="why-truth unknown dim")]
    *said, effort = told.prose
    links = iter(range(FIRST_TRUTH, FIRST_TRUTH + sum(map(len, told.prose))))
    text: list[Any] = []
    for paragraph in said or [effort]:
        text += [" ", *(truth_phrase(each, next(links)) for each in paragraph)]
    look = "unknown" if told.mistake is None else "mistake" if told.mistake else "right"
    title = "".join(each.text for each in effort)
    return [html.Div(kept_together(text), className=f"why-truth {look}", title=title)]


def truth_phrase(told: Phrase, index: int) -> Any:
    """A piece of text: a link where it has a place to be seen at."""
    if told.iteration is None and told.node is None:
        return told.text
    return link(told.text, index, told.iteration, told.node)


def words(told: Explanation) -> list[Any]:
    """What is said, the question asked last on top."""
    paragraphs = list(told.prose)
    asked = [paragraphs.pop()] if told.rejected is not None else []
    links = iter(range(sum(map(len, told.prose))))
    found = [
        html.P(
            kept_together([phrase(each, told, next(links)) for each in paragraph]), className=look
        )
        for look, group in (("why-not-told", asked), ("why-told", paragraphs))
        for paragraph in group
    ]
    return [*found, *terms_over_time(told, next(links, 0))]


def phrase(told: Phrase, explanation: Explanation, index: int) -> Any:
    """A piece of text: a link where it has a place to be seen at, small print for the method."""
    if told.text.strip() == explanation.method:
        return html.Span(told.text, className="dim")
    if told.iteration is None and told.node is None:
        return told.text
    return link(told.text, index, told.iteration, told.node)


def kept_together(pieces: Sequence[Any]) -> list[Any]:
    """The same; what closes a link, a bracket or a full stop, does not begin the next line."""
    found: list[Any] = []
    for piece in pieces:
        follows_link = bool(found) and isinstance(found[-1], html.Button)
        if follows_link and isinstance(piece, str) and piece.startswith(tuple(CLOSING)):
            rest = piece.lstrip(CLOSING)
            found[-1] = html.Span([found[-1], piece.removesuffix(rest)], className="why-joined")
            found.append(rest)
        else:
            found.append(piece)
    return found


def link(text: Any, index: int, iteration: int | None, node: int | None, look: str = "") -> Any:
    """Goes to an iteration or selects a node."""
    title = f"go to iteration {iteration:,}" if iteration is not None else f"select node {node:,}"
    return html.Button(
        text, className=f"why-link {look}".strip(), title=title, type="button",
        id=why_link(index, iteration, node),
    )  # fmt: skip


def terms_over_time(told: Explanation, first: int) -> list[Any]:
    """A column for each stretch of the search: how often each term decided; nothing without scores."""
    stretches = [each for each in told.selections.stretches if each.looked_at]
    known = [name for name in REASONS if name in told.selections.reasons]
    if not stretches or known == ["unknown"]:
        return []
    start = sum(map(len, told.prose)) + first
    return [
        html.Div("What decided the selections here, over time", className="dim"),
        html.Div(
            className="why-terms",
            children=[
                html.Div(
                    [
                        link(bars(each.reasons, known), start + i, each.last, None, "why-bar"),
                        html.Small(f"{each.last:,}"),
                    ],
                    title=f"iterations {each.first:,} to {each.last:,}: "
                    + ", ".join(f"{n:,} {name}" for name, n in each.reasons.items()),
                )
                for i, each in enumerate(stretches)
            ],
        ),
        html.Div(
            [html.Span([html.I(className=f"swatch {slug(name)}"), name]) for name in known],
            className="why-legend",
        ),
    ]  # fmt: skip


def bars(reasons: dict[str, int], known: Sequence[str]) -> list[Any]:
    """The parts of one column, as high as their share."""
    return [
        html.Span(className=f"part {slug(name)}", style={"flexGrow": reasons[name]})
        for name in known
        if name in reasons
    ]


def slug(name: str) -> str:
    """A reason as the name of a class."""
    return "by-" + name.replace(" ", "-")
