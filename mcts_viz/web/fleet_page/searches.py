"""From a row of the table to its search: its trace in the library, and the moves to its position."""

from __future__ import annotations

from mcts_viz.web.fleet_page.source import FleetSource, Row
from mcts_viz.web.library import Library


def key_of(source: FleetSource, library: Library, row: Row) -> str:
    """The key of its trace, which the page of traces then has in its list. Raises PageError where the file is gone."""
    return library.linked(source.folder / str(row["file"]), int(row["offset"] or 0))


def moves_of(row: Row) -> list[int] | None:
    """Action ids to its position; None where that is a text."""
    parts = str(row["position"] or "").split()
    return [int(each) for each in parts] if all(each.isdecimal() for each in parts) else None
