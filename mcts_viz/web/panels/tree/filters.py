"""The tree's filter: a button, a menu of controls, and a cross that clears it."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, html

from mcts_viz.web.ids import Ids
from mcts_viz.web.panels.elements import Part, aria, glyph, in_browser, tip

NUMBERS = (
    (Ids.FILTER_LEAST, "Least visits", "of a node, at the end of the search"),
    (Ids.FILTER_TOP, "Children of a node, at most", "those with the most visits"),
    (Ids.FILTER_LEVELS, "Levels, at most", "below the root or the focus"),
)
VALUES = (*(id_ for id_, _, _ in NUMBERS), Ids.FILTER_PV)


def controls() -> list[Part]:
    """The button with its menu, and the cross, which is there while a filter is set."""
    button = dmc.Button(
        "filter", id=Ids.FILTER, size="xs", variant="default", className="filter-button"
    )
    return [
        dmc.Popover(
            [
                dmc.PopoverTarget(
                    html.Div(tip(button, "Which nodes to show"), className="opens-menu")
                ),
                dmc.PopoverDropdown(_menu()),
            ],
            width=264,
            keepMounted=True,
            position="bottom-end",
            shadow="md",
            trapFocus=True,
            returnFocus=True,
            closeOnEscape=True,
            withRoles=False,  # they would stand on the box around the button
        ),
        tip(
            dmc.ActionIcon(
                glyph("cross"), id=Ids.FILTER_CLEAR, size="sm", variant="subtle",
                style={"display": "none"}, **aria("Clear the filter"),
            ),
            "Clear the filter",
        ),
    ]  # fmt: skip


def _menu() -> Part:
    numbers = [
        dmc.NumberInput(
            id=id_, label=label, description=description, placeholder="all", min=0,
            allowDecimal=False, allowNegative=False, size="xs", debounce=300,
        )
        for id_, label, description in NUMBERS
    ]  # fmt: skip
    line = dmc.Switch(id=Ids.FILTER_PV, label="Principal variation only", size="xs", checked=False)
    note = "Hidden children are counted in “+k more”; a click there shows them all the same."
    return dmc.Stack([*numbers, line, html.P(note, className="dim")], gap=8)


def register(app: Dash) -> None:
    """Callbacks of the filter; the browser owns its state."""
    in_browser(
        app,
        "mctsTree.setFilter",
        *(Input(id_, "checked" if id_ is Ids.FILTER_PV else "value") for id_ in VALUES),
    )
    in_browser(app, "mctsTree.clearFilter", Input(Ids.FILTER_CLEAR, "n_clicks"))
