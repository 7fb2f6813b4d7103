"""Why this move: the explanation in sentences, every number a link to where it is seen, and the terms that decided."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TypeAlias

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, dcc, html

from mcts_viz.analysis.choice.explanation import Explanation, explain
from mcts_viz.analysis.choice.selections import REASONS
from mcts_viz.analysis.game_value.values import GameValues
from mcts_viz.analysis.phrase import Phrase
from mcts_viz.errors import TraceError
from mcts_viz.web.cursor import Cursor, Place, place_in_tab
from mcts_viz.web.ids import Ids, cursor_for, why_link
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Content, Part, aria, asked_number, in_browser
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.tabs.tab import Tab
from mcts_viz.web.panels.tabs.truth import truth_here
from mcts_viz.web.words import prose

NAME = "why"
FIRST_TRUTH = (
    1_000_000  # index of the first link of the game-theoretic values: apart from the explanation's
)
AT_ROOT, AT_NODE = "root", "node"
ASK_AGAIN = (
    700  # milliseconds, while the position of a node is being solved; the root's comes by itself
)
CLOSING = ").,;:"
# the panel, the moves to ask about, and whether there is nothing to wait for
Shown: TypeAlias = tuple[Content, list[dict[str, str]], bool]


def body() -> list[Part]:
    """Whose move and which other one, over the words."""
    where = dmc.SegmentedControl(
        id=Ids.WHY_WHERE, value=AT_ROOT, size="xs",
        data=[
            {"value": AT_ROOT, "label": "at the root"},
            {"value": AT_NODE, "label": "at the selected node"},
        ],
    )  # fmt: skip
    other = dmc.Select(
        id=Ids.WHY_NOT, data=[], size="xs", clearable=True, searchable=True,
        placeholder="why not another move?", className="why-not", **aria("why not another move"),
    )  # fmt: skip
    return [
        html.Div([where, other], className="why-tools"),
        html.Div(id=Ids.WHY, className="why"),
        dcc.Interval(id=Ids.WHY_TICK, interval=ASK_AGAIN, disabled=True),
    ]


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.WHY, "children"),
        Output(Ids.WHY_NOT, "data"),
        Output(Ids.WHY_TICK, "disabled"),
        Input(cursor_for(NAME), "data"),
        Input(Ids.WHY_WHERE, "value"),
        Input(Ids.WHY_NOT, "value"),
        Input(Ids.WHY_TICK, "n_intervals"),
        State(Ids.TABS, "value"),
        prevent_initial_call=True,
    )
    def why(cursor: Cursor | None, where: str, other: str, _tick: object, tab: str) -> Shown:
        here = place_in_tab(library, cursor, tab, NAME)
        node = here.node if where == AT_NODE else 0
        if node >= here.snapshot.n_nodes:
            return not_yet(here), [], True
        values = truth_here(library, here, node)
        text = [*truth_words(values), *words(explained(here, node, other))]
        return text, moves(here, node), values is not None or node == 0

    in_browser(
        app,
        "mcts.followLink",
        Input({"type": "why-link", "index": ALL, "iteration": ALL, "node": ALL}, "n_clicks"),
    )


def moves(here: Place, node: int) -> list[dict[str, str]]:
    """The moves at the node, for the picker: a value is an action id."""
    tree = here.snapshot
    return [
        {"value": str(tree.action[child]), "label": tree.short_label(child)}
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


def truth_words(values: GameValues | str | None) -> list[Part]:
    """Game-theoretic values in a paragraph, why there are none, or that they are on their way."""
    if not isinstance(values, GameValues):
        words = (
            f"Game-theoretic value: not known, as {values}." if values else "Solving the position …"
        )
        return [html.Div(words, className="why-truth unknown dim")]
    *paragraphs, effort = values.prose
    links = itertools.count(FIRST_TRUTH)
    text: list[Part] = []
    for paragraph in paragraphs or [effort]:
        text += [" ", *(phrase(each, next(links)) for each in paragraph)]
    look = "unknown" if values.mistake is None else "mistake" if values.mistake else "right"
    title = "".join(each.text for each in effort)
    return [html.Div(kept_together(text), className=f"why-truth {look}", title=title)]


def words(explanation: Explanation) -> list[Part]:
    """The explanation, with the answer to the question of the person on top."""
    paragraphs = list(explanation.prose)
    asked = [paragraphs.pop()] if explanation.rejected is not None else []
    links = itertools.count()
    found: list[Part] = [
        html.P(
            kept_together([phrase(each, next(links), explanation.method) for each in paragraph]),
            className=look,
        )
        for look, group in (("why-not-told", asked), ("why-told", paragraphs))
        for paragraph in group
    ]
    return [*found, *terms_over_time(explanation, next(links))]


def phrase(piece: Phrase, index: int, method: str = "") -> Part:
    """A piece of text: a link where it has a place to be seen at, small print for the `method`."""
    text = prose(piece.text)
    if method and piece.text.strip() == method:
        return html.Span(text, className="dim")
    if piece.number is not None and piece.node is not None:
        return asked_number(text, piece.node, piece.number, "why-link")
    if piece.iteration is None and piece.node is None:
        return text
    return link(text, index, piece.iteration, piece.node)


def kept_together(pieces: Sequence[Part]) -> list[Part]:
    """The same; a bracket before a link does not end a line, nor does what closes one begin the next."""
    found: list[Part] = []
    for piece in pieces:
        before = found[-1] if found else None
        if isinstance(piece, html.Button) and isinstance(before, str) and before.endswith("("):
            found[-1] = before.removesuffix("(")
            piece = html.Span(["(", piece], className="why-joined")
        follows_link = bool(found) and isinstance(found[-1], (html.Button, html.Span))
        if follows_link and isinstance(piece, str) and piece.startswith(tuple(CLOSING)):
            rest = piece.lstrip(CLOSING)
            found[-1] = html.Span([found[-1], piece.removesuffix(rest)], className="why-joined")
            found.append(rest)
        else:
            found.append(piece)
    return found


def link(
    text: Content, index: int, iteration: int | None, node: int | None, look: str = ""
) -> Part:
    """Goes to an iteration or selects a node."""
    title = f"go to iteration {iteration:,}" if iteration is not None else f"select node {node:,}"
    return html.Button(
        text, className=f"why-link {look}".strip(), title=title, type="button",
        id=why_link(index, iteration, node),
    )  # fmt: skip


def terms_over_time(explanation: Explanation, first: int) -> list[Part]:
    """A column for each stretch of the search: how often each term decided; nothing without scores."""
    stretches = [each for each in explanation.selections.stretches if each.looked_at]
    known = [name for name in REASONS if name in explanation.selections.reasons]
    if not stretches or known == ["unknown"]:
        return []
    return [
        html.Div("What decided the selections here, over time", className="dim"),
        html.Div(
            className="why-terms",
            children=[
                html.Div(
                    [
                        link(bars(each.reasons, known), first + i, each.last, None, "why-bar"),
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


def bars(reasons: dict[str, int], known: Sequence[str]) -> list[Part]:
    """The parts of one column, as high as their share."""
    return [
        html.Span(className=f"part {slug(name)}", style={"flexGrow": reasons[name]})
        for name in known
        if name in reasons
    ]


def slug(name: str) -> str:
    """A reason as the name of a class."""
    return "by-" + name.replace(" ", "-")


TAB = Tab(NAME, "Why this move", body, register)
