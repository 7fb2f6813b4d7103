"""The top bar: which trace, new search, open, export, theme, help."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import dash_mantine_components as dmc
from dash import Dash, Input, Output, dcc, html

from mcts_viz.export import events
from mcts_viz.web.ids import Ids, export_item
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import (
    Attributes,
    Part,
    aria,
    button,
    data,
    glyph,
    icon_button,
    in_browser,
    tip,
)
from mcts_viz.web.routes.files import formats

LIST_WIDTH = 430  # pixels
OPEN_TIP = "Open a trace, a snapshot or another program's log; or drop it on the page"
Option: TypeAlias = dict[str, object]  # of a select box, or a group of options


def layout(library: Library) -> Part:
    """The bar."""
    return html.Div(
        className="bar",
        role="region",  # no banner: a dialog's head is one
        **aria("traces and tools"),
        children=[
            html.H1("mcts_viz", className="brand"),
            dmc.Select(
                id=Ids.TRACE,
                data=choices(library),
                placeholder="choose a trace",
                searchable=True,
                allowDeselect=False,
                nothingFoundMessage="no trace of that name, game or preset",
                w=260,
                size="sm",
                # both are functions of assets/panels/trace_list.js
                renderOption={"function": "traceOption"},
                filter={"function": "tracesFound"},
                comboboxProps={
                    "width": LIST_WIDTH,
                    "position": "bottom-start",
                    "withinPortal": False,  # in the bar, for screen readers
                },
                withScrollArea=False,  # the list itself scrolls, as its keys expect
                styles={"options": {"maxHeight": "min(560px, 74vh)", "overflowY": "auto"}},
                **aria("trace"),
            ),
            html.Div(id=Ids.SEARCHES, className="searches", hidden=True),
            _fleet_link() if library.is_fleet else None,
            button("New search", Ids.NEW, "Search a position, and watch how", "plus", "filled"),
            button(
                "Play", Ids.MATCH_BUTTON, "Play against a search, or let two searches play", "board"
            ),
            button("Open…", Ids.OPEN, OPEN_TIP, "folder"),
            _export_menu(),
            button("Compare", Ids.COMPARE_BUTTON, "Compare with another search", "compare"),
            html.Div(className="grow"),
            button("Find", Ids.FIND_BUTTON, "Find a node or a line of moves", "search", key="/"),
            icon_button("moon", Ids.THEME_BUTTON, "Light or dark"),
            icon_button("help", Ids.HELP_BUTTON, "Help: keys, mouse, words", "?"),
            dcc.Store(id=Ids.OPENED),
        ],
    )


def _fleet_link() -> Part:
    """Back to the table of all searches, as it was left (assets/page/page.js)."""
    words = html.Span(
        [glyph("back"), html.Span("Fleet", className="menu-word")], className="menu-text"
    )
    told = data("tip", "Back to the table of all searches")
    return html.A(words, id=Ids.FLEET, href="fleet/", className="menu-button", **told)


def choices(library: Library) -> list[Option]:
    """The traces as options of the select, those of a folder and of a match together; a name that stands twice gets
    its folder."""
    entries = library.entries()
    names = [entry.name for entry in entries if not entry.match]
    folders: dict[Path, list[dict[str, str]]] = {}
    for e in entries:
        single = e.match or names.count(e.name) == 1
        label = e.name if single else f"{e.name} ({e.path.parent.name})"
        folders.setdefault(e.path.parent, []).append({"value": e.key, "label": label})
    matches = {e.path.parent for e in entries if e.match}
    inside = sorted(folders, key=lambda folder: folder in matches)  # else as they come
    return [{"group": folder.name, "items": folders[folder]} for folder in inside]


def register(app: Dash, library: Library) -> None:
    """Callbacks of the bar."""

    @app.callback(
        Output(Ids.TRACE, "data"),
        Output(Ids.TRACE, "value"),
        Input(Ids.OPENED, "data"),
        prevent_initial_call=True,
    )
    def opened(trace: dict[str, str]) -> tuple[list[Option], str]:
        return choices(library), trace["key"]

    for function, changed in (
        ("chooseTrace", Input(Ids.TRACE, "value")),
        ("openMade", Input(Ids.OPENED, "data")),
    ):
        in_browser(app, f"mcts.{function}", changed)
    in_browser(
        app, "mcts.toggleTheme", Output(Ids.THEME, "data"), Input(Ids.THEME_BUTTON, "n_clicks")
    )
    in_browser(
        app,
        "mcts.applyTheme",
        Output(Ids.PROVIDER, "forceColorScheme"),
        Input(Ids.THEME, "data"),
        initial=True,
    )
    for id_, function in (
        (Ids.OPEN, "openFile"),
        (Ids.HELP_BUTTON, "help"),
        (Ids.FIND_BUTTON, "find"),
    ):
        in_browser(app, f"mcts.{function}", Input(id_, "n_clicks"))
    suffixes = [suffix for _, entries in exports() for suffix, _ in entries]

    for suffix in suffixes:
        in_browser(app, "mcts.download", Input(export_item(suffix), "n_clicks"))


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
                ("html", "One HTML file, steps without a server"),
                ("trace", "Whole trace (.mcts)"),
                ("events", events.TITLE),
            ],
        ),
    ]


def export_hint(suffix: str) -> Part:
    """How much an entry of the Export menu gives; the browser writes it when the menu opens."""
    return html.Span(className="export-hint", **data("export", suffix))


def _export_menu() -> Part:
    items: list[Part] = []
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
    button_: Attributes = {"component": "button", "type": "button", "className": "menu-button"}
    wrapper: Attributes = {"boxWrapperProps": button_}
    return dmc.Menu(
        [
            # the wrapper itself is the button, as it carries the attributes for screen readers
            dmc.MenuTarget(
                tip(
                    html.Span(
                        [glyph("download"), html.Span("Export", className="menu-word")],
                        className="menu-text",
                    ),
                    "Files of what is on the page",
                ),
                **wrapper,
            ),
            dmc.MenuDropdown([item for item in items if item is not None]),
        ],
        id=Ids.EXPORT_MENU,
        position="bottom-start",
        shadow="md",
    )
