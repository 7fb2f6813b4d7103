"""Small parts that all panels are made of: buttons, icons, tooltips, attributes that are no Python names; and the
callbacks that the page's scripts answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import ComponentSingleType, ComponentType

from mcts_viz.types import Document
from mcts_viz.web.ids import Ids

Part: TypeAlias = ComponentSingleType  # a component or a piece of text; None: nothing
Content: TypeAlias = ComponentType  # a part, or several
Attributes: TypeAlias = Document  # of a component, whatever their types

HIDDEN: Attributes = {"aria-hidden": "true"}  # decoration: nothing for a screen reader
POLITE: Attributes = {"aria-live": "polite"}  # read out when it changes
UNPRESSED: Attributes = {"aria-pressed": "false"}  # a switch that is off
LARGE_DIALOG: Attributes = {"size": 820, "yOffset": "3dvh"}
AUTOFOCUS: Attributes = {"data-autofocus": True}  # a dialog's first field


def data(name: str, value: str) -> Attributes:
    """`data-name`, for the page's scripts to read."""
    return {f"data-{name}": value}


def aria(label: str) -> Attributes:
    """The name of a control for a screen reader."""
    return {"aria-label": label}


def button(
    text: str, id_: Ids, tooltip: str, icon: str, variant: str = "default", key: str = ""
) -> Part:
    """A labelled button with its tooltip; `key` as `tip` has it."""
    looks: Attributes = {"size": "sm", "variant": variant, "leftSection": glyph(icon)}
    return tip(dmc.Button(text, id=id_, **looks), tooltip, key)


def icon_button(
    icon: str, id_: Ids | dict[str, str], label: str, key: str = "", **more: object
) -> Part:
    """A button that is only an icon; its label is its tooltip and its name for screen readers."""
    looks: Attributes = {"size": "lg", "variant": "default", **more, **aria(label)}
    return tip(dmc.ActionIcon(glyph(icon), id=id_, **looks), label, key)


def glyph(name: str) -> Part:
    """An icon, drawn by the style sheet in the colour of the text."""
    return html.Span(className=f"glyph glyph-{name}", **HIDDEN)


def tip(child: Part, text: str, key: str = "") -> Part:
    """A child with a tooltip, which a script of ours shows. key: what does the same, as assets/page/keys.js has it,
    after "ctrl " or "shift " where it needs that; several with commas."""
    pressed = data("key", key) if key else {}
    return html.Div(child, className="tip", **data("tip", text), **pressed)


def graph(id_: str, class_name: str, figure: object, config: Mapping[str, object]) -> Part:
    """A Plotly figure as wide and as high as its place."""
    of: Attributes = {"figure": figure, "config": config}
    return dcc.Graph(id=id_, className=class_name, responsive=True, **of)


def tour_button(text: str, id_: str, hidden: bool = False) -> Part:
    """What begins the tour (assets/page/tour.js)."""
    return html.Button(
        text, id=id_, type="button", className="tour-button", hidden=hidden,
        **data("tour", "start"), **data("needs", "phases"),
    )  # fmt: skip


def asked_number(text: str, node: int, number: str, shown: str = "") -> Part:
    """A text that says by a click which iterations made it. number: of `analysis.origin`; shown: a class."""
    return html.Button(
        text, type="button", className=f"asked-number {shown}".strip(),
        **data("tip", "Which iterations made this number"), **data("origin", f"{node} {number}"),
    )  # fmt: skip


def edge(name: str, orientation: str, label: str) -> Part:
    """The edge of a panel, which a hand or the arrow keys move (core/panes.js)."""
    looks: Attributes = {
        **data("edge", name), **aria(label), "aria-orientation": orientation,
        "aria-valuenow": "0", "aria-valuetext": "as large as the page makes it",
    }  # fmt: skip
    return html.Div(
        className="edge",
        role="separator",
        tabIndex=0,
        **data("tip", f"{label}: drag, or arrow keys"),
        **looks,
    )


def dialog(id_: str, title: str, children: Content, class_name: str = "", **looks: object) -> Part:
    """A dialog, closed; `looks` are what Mantine calls them."""
    more: Attributes = {"closeButtonProps": aria("close"), **looks}
    return dmc.Modal(children, id=id_, title=title, className=class_name, **more)


def clicks_into(store: str, app: Dash, *buttons: Input) -> None:
    """The id of the button of a kind that was clicked goes to a store, and a number, by which two clicks differ."""
    in_browser(app, "mcts.clicked", Output(store, "data"), *buttons)


def in_browser(
    app: Dash, function: str, *arguments: Output | Input | State, initial: bool = False
) -> None:
    """A callback that a script answers: `function` is "namespace.name" in `window.dash_clientside`."""
    namespace, name = function.split(".")
    asked = ClientsideFunction(namespace, name)
    app.clientside_callback(asked, *arguments, prevent_initial_call=not initial)
