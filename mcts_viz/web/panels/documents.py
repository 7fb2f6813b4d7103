"""The documents of the selected node and the cost of its branch, in the node's card. A document is loaded when it is
opened (assets/panels/documents.js). Text stays text: no part of it becomes markup, a link, or a
picture from elsewhere."""

from __future__ import annotations

import base64
import difflib
import json
from collections.abc import Sequence
from typing import TypedDict

from dash import html

from mcts_viz.analysis.node.branch import (
    ERROR,
    SCORE,
    BranchTotals,
    amount,
    branch_totals,
    spent_names,
)
from mcts_viz.errors import TraceError
from mcts_viz.trace.node_documents import NodeDocument
from mcts_viz.views.action_scatter import action_scatter
from mcts_viz.views.position_text import markdown_blocks
from mcts_viz.web.cursor import Place
from mcts_viz.web.ids import compare_button, document_button
from mcts_viz.web.panels.elements import Attributes, Part, aria, data
from mcts_viz.web.panels.position import part
from mcts_viz.web.words import plural, size

MOST_LINES = 4_000  # of a document that is compared: more would take long
MOST_SHOWN = 200_000  # characters of a text that the page gets
# pictures that a browser may show, by how they begin; SVG can hold scripts
BELIEF = "belief"  # name of the document that the card shows at once
PICTURES = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
ALONE = ("image", "diff")  # kinds that are compared with nothing: a diff is compared already
LOOKS = {"+": "added", "-": "removed", "@": "place"}  # of a line of a diff, by its first character


class KeptNode(TypedDict):
    """A node whose documents others are compared with."""

    trace: str
    node: int


class OpenDocument(TypedDict, total=False):
    """Which document is open, at whatever node."""

    name: str | None
    compared: str | None  # with that of the "parent" or of the "kept" node
    kept: KeptNode | None


def reading(here: Place, opened: OpenDocument | None) -> list[Part]:
    """The card's part on documents and numbers; empty for a trace that has neither."""
    found = [each for each in here.trace.documents(here.node) if each.name != BELIEF]
    numbers = {
        name: float(values[here.node])
        for name, values in here.snapshot.numbers.items()
        if values[here.node] == values[here.node]
    }
    parts: list[Part] = [*_belief(here), *_actions(here)]
    if numbers:
        parts += [
            _numbers(numbers),
            *(
                [html.P(branch_words(branch_totals(here.snapshot, here.node)), className="branch")]
                if {SCORE, ERROR, *spent_names(numbers)} & {*numbers}
                else []
            ),
        ]
    if found:
        shown = [_buttons(here, found, opened or {}), *_open(here, found, opened or {})]
        parts.append(html.Div(shown, className="reading"))
    return parts


def _belief(here: Place) -> list[Part]:
    """What was known of the hidden state there by the iteration shown."""
    known = here.trace.columns.documents(here.node, here.snapshot.iteration)
    found = next((each for each in known if each.name == BELIEF), None)
    return [] if found is None else [html.P([html.B("belief: "), found.text], className="belief")]


def _actions(here: Place) -> list[Part]:
    """The continuous actions tried there, by value."""
    if action_scatter(here.snapshot, here.node, here.view) is None:
        return []
    looks = f"theme={here.theme}&t={here.snapshot.iteration}&viewpoint={here.viewpoint}"
    address = f"api/trace/{here.key}/actions/{here.node}.svg?{looks}"
    words = "actions tried here by value; the size of a point is its visits, the outlined one leads"
    return [html.Img(src=address, alt=words, title=words, className="actions")]


def branch_words(found: BranchTotals) -> str:
    """`Branch of 12 nodes, 3 of them failed: cost 3.10, tokens 8,120; no better node below.`"""
    failed = f", {found.failed:,} of them failed" if found.failed and found.n_nodes > 1 else ""
    spent = ", ".join(f"{name} {amount(name, n)}" for name, n in found.spent.items())
    if found.n_nodes == 1:
        return "No node below." if not spent else ""
    words = f"Branch of {plural(found.n_nodes, 'node')}{failed}{': ' if spent else ''}{spent}"
    if found.is_better_below is None:
        best = (
            ""
            if found.best is None
            else f"; its best: node {found.best:,} ({found.best_score:.4g})"
        )
    elif found.is_better_below:
        best = f"; a better one below: node {found.best:,} ({found.best_score:.4g})"
    else:
        best = "; no better node below"
    return f"{words}{best}."


def _numbers(numbers: dict[str, float]) -> Part:
    """Scores first, then what the node cost, then the others."""
    costs = set(spent_names(numbers))
    order = sorted(numbers, key=lambda name: (name != SCORE, name not in costs))
    shown = [
        html.Span([html.B(amount(name, numbers[name])), f" {name}"])
        for name in order
        if name != ERROR
    ]
    if numbers.get(ERROR):
        shown.insert(0, html.Span("failed", className="badge mistake"))
    return html.Div(shown, className="node-numbers")


def _buttons(here: Place, found: Sequence[NodeDocument], opened: OpenDocument) -> Part:
    name = opened.get("name")
    buttons = [
        _button(
            each.name,
            document_button(each.name),
            each.name == name,
            f"{each.kind}, {size(each.size)}",
        )
        for each in found
    ]
    current = next((each for each in found if each.name == name), None)
    if current is not None:
        buttons += _comparing(here, current, opened)
    return html.Div(buttons, className="documents", role="group", **aria("the node's documents"))


def _comparing(here: Place, current: NodeDocument, opened: OpenDocument) -> list[Part]:
    """Buttons that compare the open document with another node's."""
    if current.kind in ALONE:
        return []
    parent, kept, compared = _parent(here), _kept(here, opened), opened.get("compared")
    buttons = []
    if _document(here, parent, current.name) is not None:
        words = "what differs from the parent's"
        buttons.append(_compare_button("± parent", "parent", compared == "parent", words))
    if kept is not None and kept != here.node and _document(here, kept, current.name) is not None:
        words = f"what differs from that of node {kept:,}"
        buttons.append(_compare_button(f"± node {kept:,}", "kept", compared == "kept", words))
    words = "at other nodes, show what differs from this node's"
    place = {**data("node-kept", str(here.node)), **data("trace-kept", here.key)}
    return [*buttons, _compare_button("± others", "keep", kept == here.node, words, place)]


def _button(text: str, id_: dict[str, str], is_on: bool, title: str) -> Part:
    return _pressed(text, id_, is_on, title, data("document", id_["name"]))


def _compare_button(
    text: str, what: str, is_on: bool, title: str, more: Attributes | None = None
) -> Part:
    looks = {**data("compare", what), **(more or {})}
    return _pressed(text, compare_button(what), is_on, title, looks)


def _pressed(text: str, id_: dict[str, str], is_on: bool, title: str, more: Attributes) -> Part:
    looks: Attributes = {"aria-pressed": "true" if is_on else "false", **more}
    return html.Button(
        text, id=id_, type="button", title=title, className="document-button", **looks
    )


def _open(here: Place, found: Sequence[NodeDocument], opened: OpenDocument) -> list[Part]:
    """The open document, if this node has it."""
    current = next((each for each in found if each.name == opened.get("name")), None)
    if current is None:
        return []
    try:
        other = _other(here, current, opened)
        shown = _content(current) if other is None else _diff(difference(other.text, current.text))
    except TraceError as err:
        return [html.P(str(err), className="dim")]
    cut = [
        html.P(f"the first {size(len(current.content))} of {size(current.size)}", className="dim")
    ]
    return [
        html.Div(shown, className="document", tabIndex=0, **aria(current.name)),
        *(cut if current.is_cut else []),
    ]


def _other(here: Place, current: NodeDocument, opened: OpenDocument) -> NodeDocument | None:
    """The document that the open one is compared with; None where it is shown by itself."""
    if current.kind in ALONE:
        return None
    compared = opened.get("compared")
    if compared == "parent":
        return _document(here, _parent(here), current.name)
    kept = _kept(here, opened)
    return _document(here, kept, current.name) if compared == "kept" and kept != here.node else None


def _parent(here: Place) -> int | None:
    return int(here.snapshot.parent[here.node]) if here.node else None


def _kept(here: Place, opened: OpenDocument) -> int | None:
    """The node that others are compared with, where it is one of this trace."""
    kept = opened.get("kept")
    if not kept or kept["trace"] != here.key or not 0 <= kept["node"] < here.trace.n_nodes:
        return None
    return kept["node"]


def _document(here: Place, node: int | None, name: str) -> NodeDocument | None:
    if node is None:
        return None
    return next((each for each in here.trace.documents(node) if each.name == name), None)


def _content(found: NodeDocument) -> Part:
    if found.kind == "image":
        return _picture(found)
    text = found.text[:MOST_SHOWN]
    if found.kind == "diff":
        return _diff(text)
    if found.kind == "markdown":
        return html.Div([part(block) for block in markdown_blocks(text)], className="state-parts")
    return html.Pre(_indented(text) if found.kind == "json" else text)


def _picture(found: NodeDocument) -> Part:
    media = next(
        (kind for begin, kind in PICTURES.items() if found.content.startswith(begin)), None
    )
    if media is None or found.is_cut:
        why = "too large to be kept" if found.is_cut else "not a PNG, JPEG, GIF or WebP picture"
        return html.P(f"a picture that cannot be shown: {why}", className="dim")
    return html.Img(
        src=f"data:{media};base64,{base64.b64encode(found.content).decode()}", alt=found.name
    )


def _diff(text: str) -> Part:
    lines = text.splitlines() or ["no difference"]
    return html.Pre(
        [html.Span(f"{line}\n", className=LOOKS.get(line[:1])) for line in lines], className="diff"
    )


def difference(before: str, after: str) -> str:
    """A unified diff, empty where there is none."""
    one, other = before.splitlines(), after.splitlines()
    if max(len(one), len(other)) > MOST_LINES:
        return f"more than {MOST_LINES:,} lines: too long to compare here"
    return "\n".join(list(difflib.unified_diff(one, other, lineterm="", n=3))[2:])


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text
