"""Tables in the style of the page, and the formats of their numbers."""

from __future__ import annotations

from typing import TypeAlias

import dash_ag_grid as dag
from dash import Dash, Input, html
from dash.development.base_component import Component

from mcts_viz.web.ids import Ids
from mcts_viz.web.panels.elements import Part, in_browser

Cells: TypeAlias = dict[str, object]  # of a row, by column
Rows: TypeAlias = list[Cells]
Column: TypeAlias = dict[str, object]  # as AG Grid describes it
Columns: TypeAlias = list[Column]


# events of a table after which its columns are fitted
FITTED_AT = ("firstDataRendered", "rowDataUpdated", "newColumnsLoaded", "gridSizeChanged")


def decimals(sign: str = "") -> str:
    """A number with four decimals, or fewer for larger numbers, so that it fits into a column."""
    size = "Math.abs(params.value)"
    return (
        f"d3.format({size} < 10 ? '{sign}.4f' : {size} < 100 ? '{sign}.3f' : {size} < 1000 ? '{sign}.2f'"
        f" : {size} < 100000 ? '{sign},.0f' : '{sign}.3g')(params.value)"
    )


FOUR = {"function": f"params.value == null ? '–' : {decimals()}"}
SIGNED = {"function": f"params.value == null ? '–' : {decimals('+')}"}
COUNT = {"function": "params.value == null ? '–' : d3.format(',')(params.value)"}
# infinite for a node that comes before all others, as it was never visited
SCORE = {"function": f"params.value == null ? (params.data.comes_first ? '∞' : '–') : {decimals()}"}
PRIOR = {"function": "params.value == null ? '–' : d3.format('.3f')(params.value)"}
SHARE = {
    "function": "params.value == null ? '–' : d3.format(params.value < 0.9995 ? '.1%' : '.0%')(params.value)"
}

# such as "board 5 cell 1": on two lines; of a very long one these show the beginning
LONG_NAMES: Column = {
    "headerName": "move",
    "tooltipField": "move",
    "cellClassRules": {
        "long-name": "params.value && params.value.length > 9",
        "very-long-name": "params.value && params.value.length > 30",
    },
}


# a column of sentences: as many lines as they take
SENTENCES: Column = {"flex": 1, "wrapText": True, "autoHeight": True, "cellClass": "wrapped"}


def number_column(
    field: str, formatter: dict[str, str], name: str | None = None, drop: int = 0
) -> Column:
    """A column of numbers, the greatest first at the first click on its head; see `column`."""
    return {
        **column(field, name, drop),
        "type": "rightAligned",
        "valueFormatter": formatter,
        "sortingOrder": ["desc", "asc", None],
    }


def column(field: str, name: str | None = None, drop: int = 0) -> Column:
    """A column as wide as its texts (assets/panels/columns.js). Where there is no room for all columns, those with a
    `drop` are left out, the lowest first; one below 0 only while it is empty. One above 0 is also left out as long as
    nothing is known of what it shows."""
    return {
        "field": field,
        "headerName": field if name is None else name,
        "minWidth": 24,
        "context": {"drop": drop},
    }


def noted_grid(note: Ids, id_: Ids, columns: Columns, look: str = "") -> list[Part]:
    """A table under its note; `look` is a class name that both have beside their own."""
    return [
        # one with very long names scrolls, for keys as well
        html.Div(id=note, className=f"note {look}-note" if look else "note", tabIndex=0),
        html.Div(grid(id_, columns), className=f"grid {look}-grid" if look else "grid"),
    ]


def select_by_row(app: Dash, id_: Ids) -> None:
    """A click on a row of the table selects its node."""
    in_browser(app, "mcts.selectRow", Input(id_, "cellClicked"))


def grid(id_: Ids, columns: Columns) -> Component:
    """An empty table of the page's looks; rows have an `id`, and may be `selected` or `chosen`."""
    table: Component = dag.AgGrid(
        id=id_,
        columnDefs=columns,
        rowData=[],
        defaultColDef={"sortable": True, "resizable": True, "suppressMovable": True},
        dashGridOptions={
            "theme": {"function": "themeQuartz"},
            "rowHeight": 28,
            "headerHeight": 30,
            "suppressNoRowsOverlay": True,
            "tooltipShowDelay": 300,
            "animateRows": False,
            "suppressColumnVirtualisation": True,  # there are few
            "tabToNextCell": {"function": "true"},  # Tab leaves the table; the arrows move in it
            "tabToNextHeader": {"function": "true"},
        },
        getRowId="params.data.id",
        rowClassRules={
            "row-selected": "params.data.selected",
            "row-chosen": "params.data.chosen",
            "row-first": "params.data.first",
        },
        eventListeners={name: [f"fitColumns(params, '{id_}')"] for name in FITTED_AT},
        style={"height": "100%", "width": "100%"},
    )
    return table
