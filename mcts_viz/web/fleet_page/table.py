"""The table of searches: its columns, and AG Grid, which asks for rows as they come into sight
(assets/fleet/rows.js).
"""

from __future__ import annotations

import dash_ag_grid as dag
from dash.development.base_component import Component

from mcts_viz.fleets.columns import Fact
from mcts_viz.web.fleet_page.ids import FleetIds
from mcts_viz.web.fleet_page.query import COLUMNS, MOST_CONDITIONS, SHOWN, is_number
from mcts_viz.web.panels.grid import Column

BLOCK = 100  # rows of one answer
WIDTHS = {
    "search_id": 180,
    "run": 90,
    "game": 120,
    "position": 170,
    "best_action_name": 100,
    "error": 300,
}  # pixels
NAMES = {"search_id": "search", "best_action_name": "move", "best_action": "move's id"}
FEWER = (
    "params.value == null ? '–' : "
    "d3.format(Math.abs(params.value) < 10 ? '.4~f' : ',.5~r')(params.value)"
)
WHOLE = "params.value == null ? '–' : d3.format(',')(params.value)"
PLAIN = ("seed", "file_state")  # numbers that are names: no commas
TEXT = "params.value == null ? '–' : String(params.value)"


def name_of(column: str) -> str:
    """The name of a column in the table's head."""
    return NAMES.get(column, column.replace("_", " "))


def meaning_of(fact: Fact) -> str:
    """What a column says, with its unit and point of view."""
    more = [fact.unit and f"in {fact.unit}", fact.view and f"in the view of {fact.view}"]
    return " · ".join([f"{fact.name}: {fact.meaning}", *filter(None, more)])


def columns() -> list[Column]:
    """The columns of the table: first the ones shown, in their order, then all others."""
    return [
        _column(COLUMNS[name])
        for name in (*SHOWN, *(each for each in COLUMNS if each not in SHOWN))
    ]


def _column(fact: Fact) -> Column:
    head = name_of(fact.name)
    numeric = is_number(fact.name)
    form = (
        TEXT
        if not numeric or fact.name in PLAIN
        else WHOLE
        if fact.type in ("int64", "int32")
        else FEWER
    )
    found: Column = {
        "field": fact.name,
        "headerName": head,
        "headerTooltip": meaning_of(fact),
        "hide": fact.name not in SHOWN,
        "width": WIDTHS.get(fact.name, max(80, 8 * len(head) + 26)),
        "valueFormatter": {"function": form},
        "filter": "agNumberColumnFilter" if numeric else "agTextColumnFilter",
        "filterParams": {
            "maxNumConditions": MOST_CONDITIONS,
            "inRangeInclusive": True,
            "debounceMs": 300,
        },
    }
    if numeric:
        return {**found, "type": "rightAligned", "sortingOrder": ["desc", "asc", None]}
    if fact.name == "search_id":
        return {**found, "cellRenderer": "FleetSearchLink", "pinned": "left", "maxWidth": 360}
    return {**found, "tooltipField": fact.name}


def table() -> Component:
    """Empty until the browser gives it where its rows come from."""
    made: Component = dag.AgGrid(
        id=FleetIds.TABLE,
        columnDefs=columns(),
        rowModelType="infinite",
        getRowId="params.data.search_id",
        defaultColDef={"sortable": True, "resizable": True, "floatingFilter": True, "suppressHeaderMenuButton": True},
        dashGridOptions={
            "theme": {"function": "themeQuartz"},
            "rowHeight": 28,
            "headerHeight": 30,
            "floatingFiltersHeight": 32,
            "cacheBlockSize": BLOCK,
            "maxBlocksInCache": 30,
            "maxConcurrentDatasourceRequests": 2,
            "blockLoadDebounceMillis": 60,
            "tooltipShowDelay": 300,
            "animateRows": False,
            "rowSelection": {
                "mode": "multiRow", "checkboxes": True, "headerCheckbox": False, "enableClickSelection": False,
            },
            "selectionColumnDef": {"headerName": "pick", "pinned": "left", "width": 48},
        },
        style={"height": "100%", "width": "100%"},
    )  # fmt: skip
    return made
