"""Fleets made of rows instead of traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa

import mcts_viz as mv
from mcts_viz.fleets.columns import TABLES, schema
from mcts_viz.fleets.place import Folder
from mcts_viz.fleets.store import Part, PartFiles

Rows = Iterable[Mapping[str, object]]
SEARCH = {
    "run": "a", "game": "go", "position": "", "ply": 0, "player": 0, "iterations": 400, "nodes": 200, "depth": 8,
    "moves": 5, "value_low": -1.0, "value_high": 1.0, "root_value": 0.1, "visit_entropy": 1.0, "visit_margin": 0.3,
    "c": 1.4, "errors": 0, "warnings": 0, "notes": 0, "complete": True, "file": "a.many", "file_searches": 1,
    "file_bytes": 1, "file_state": "", "simulation": "value",
}  # fmt: skip


def fleet_of(folder: Path, searches: Rows, moves: Rows = (), findings: Rows = ()) -> mv.Fleet:
    """Searches are numbered; what a row does not say is as in SEARCH."""
    folder.mkdir(exist_ok=True)
    made = [
        {**SEARCH, "search_id": f"a.many#{n}", "offset": n, "seed": n, "digest": f"{n:x}", **row}
        for n, row in enumerate(searches)
    ]
    rows = {"searches": made, "moves": list(moves), "findings": list(findings)}
    tables = {name: pa.Table.from_pylist(rows[name], schema=schema(name)) for name in TABLES}
    PartFiles(Folder(str(folder))).write(Part("a", "made"), tables)
    return mv.Fleet(folder, scanned=False)
