"""The top bar: which trace, new search, open, export, theme, help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, dcc, html

from mcts_viz.export import events
from mcts_viz.web.attributes import HIDDEN, aria, data
from mcts_viz.web.file_routes import formats
from mcts_viz.web.ids import Ids, export_item
from mcts_viz.web.library import Library


def layout(library: Library) -> Any:
    """The bar."""
    return html.Header(
        className="bar",
        children=[
            html.Div("mcts_viz", className="brand", **aria("mcts_viz")),
            tip(
                dmc.Select(
                    id=Ids.TRACE.value,
                    data=choices(library),
                    placeholder="no trace yet",
                    searchable=True,
                    allowDeselect=False,
                    nothingFoundMessage="no trace of that name",
                    w=260,
                    size="sm",
                    **aria("trace"),
                ),
                "The recorded search on the page",
            ),
            button("New search", Ids.NEW, "Record a search of your own", "plus", "filled"),
            button(
                "Play", Ids.MATCH_BUTTON, "Play against a search, or let two searches play", "board"
            ),
            button("Open…", Ids.OPEN, "Open a .mcts trace or a snapshot's .json", "folder"),
            _export_menu(),
            button("Compare", Ids.COMPARE_BUTTON, "Compare with another search", "compare"),
            html.Div(className="grow"),
            button("Find", Ids.FIND_BUTTON, "Find a node or a line of moves ( / )", "search"),
            icon_button("moon", Ids.THEME_BUTTON, "Light or dark"),
            icon_button("help", Ids.HELP_BUTTON, "Help: keys, mouse, words ( ? )"),
            dcc.Store(id=Ids.OPENED.value),
        ],
    )


def choices(library: Library) -> list[dict[str, Any]]:
    """The traces as options of the select, those of a match together; a name that stands twice gets
    its folder."""
    entries = library.entries()
    plain = [entry for entry in entries if not entry.match]
    names = [entry.name for entry in plain]
    options: list[dict[str, Any]] = [
        {
            "value": e.key,
            "label": e.name if names.count(e.name) == 1 else f"{e.name} ({e.path.parent.name})",
        }
        for e in plain
    ]
    matches: dict[Path, list[dict[str, str]]] = {}
    for e in entries:
        if e.match:
            matches.setdefault(e.path.parent, []).append({"value": e.key, "label": e.name})
    groups = [{"group": folder.name, "items": items} for folder, items in matches.items()]
    return options + groups


def register(app: Dash, library: Library) -> None:
    """Callbacks of the bar."""

    @app.callback(
        Output(Ids.TRACE.value, "data"),
        Output(Ids.TRACE.value, "value"),
        Input(Ids.OPENED.value, "data"),
        prevent_initial_call=True,
    )
    def opened(trace: dict[str, str]) -> tuple[list[dict[str, Any]], str]:
        return choices(library), trace["key"]

    for function, changed in (
        ("chooseTrace", Input(Ids.TRACE.value, "value")),
        ("openMade", Input(Ids.OPENED.value, "data")),
    ):
        app.clientside_callback(
            ClientsideFunction("mcts", function), changed, prevent_initial_call=True
        )
    app.clientside_callback(
        ClientsideFunction("mcts", "toggleTheme"),
        Output(Ids.THEME.value, "data"),
        Input(Ids.THEME_BUTTON.value, "n_clicks"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("mcts", "applyTheme"),
        Output(Ids.PROVIDER.value, "forceColorScheme"),
        Input(Ids.THEME.value, "data"),
    )
    for id_, function in (
        (Ids.OPEN, "openFile"),
        (Ids.HELP_BUTTON, "help"),
        (Ids.FIND_BUTTON, "find"),
    ):
        app.clientside_callback(
            ClientsideFunction("mcts", function),
            Input(id_.value, "n_clicks"),
            prevent_initial_call=True,
        )
    suffixes = [suffix for _, entries in exports() for suffix, _ in entries]

    for suffix in suffixes:
        app.clientside_callback(
            ClientsideFunction("mcts", "download"), Input(export_item(suffix), "n_clicks"),
            prevent_initial_call=True,
        )  # fmt: skip


def button(text: str, id_: Ids, tooltip: str, icon: str, variant: str = "default") -> Any:
    """A labelled button with its tooltip."""
    return tip(
        dmc.Button(text, id=id_.value, size="sm", variant=variant, leftSection=glyph(icon)), tooltip
    )


def icon_button(icon: str, id_: Ids | dict[str, str], label: str, **more: Any) -> Any:
    """A button that is only an icon; its label is its tooltip and its name for screen readers."""
    return tip(
        dmc.ActionIcon(
            glyph(icon),
            id=id_.value if isinstance(id_, Ids) else id_,
            size=more.pop("size", "lg"),
            variant=more.pop("variant", "default"),
            **more,
            **aria(label),
        ),
        label,
    )


def glyph(name: str) -> Any:
    """An icon, drawn by the style sheet in the colour of the text."""
    return html.Span(className=f"glyph glyph-{name}", **HIDDEN)


def tip(child: Any, text: str) -> Any:
    """A child with a tooltip: assets/tooltip.js."""
    return html.Div(child, className="tip", **data("tip", text))


def exports() -> list[tuple[str, list[tuple[str, str]]]]:
    """The Export menu: headings, and under each the (format, title) of its entries."""
    return [
        (
            "Picture of the tree",
            [("png", "PNG, as it is on the screen"), ("svg", "SVG, all that is in view")],
        ),
        ("The tree at this iteration", [*formats(), ("table", "CSV, the table in view")]),
        (
            "The search",
            [
                ("html", "HTML that steps by itself"),
                ("trace", "Whole trace (.mcts)"),
                ("events", events.TITLE),
            ],
        ),
    ]


def export_hint(suffix: str) -> Any:
    """How much an entry of the Export menu gives; the browser writes it when the menu opens."""
    of: dict[str, Any] = {"data-export": suffix}
    return html.Span(className="export-hint", **of)


def _export_menu() -> Any:
    items: list[Any] = []
    for heading, entries in exports():
        items += [
            dmc.MenuDivider() if items else None,
            dmc.MenuLabel(heading),
            *(
                dmc.MenuItem(
                    [title, export_hint(suffix)],
                    id=export_item(suffix),
                )
                for suffix, title in entries
            ),
        ]
    return dmc.Menu(
        [
            # the wrapper itself is the button, as it carries what screen readers are told
            dmc.MenuTarget(
                tip(
                    html.Span([glyph("download"), html.Span("Export")], className="menu-text"),
                    "Files of what is on the page",
                ),
                boxWrapperProps={
                    "component": "button",
                    "type": "button",
                    "className": "menu-button",
                },
            ),
            dmc.MenuDropdown([item for item in items if item is not None]),
        ],
        id=Ids.EXPORT_MENU.value,
        position="bottom-start",
        shadow="md",
    )
