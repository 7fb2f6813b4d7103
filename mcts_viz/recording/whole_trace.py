"""A trace of a search that is over, from rows that are all there."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.trace.format import FORMAT_VERSION, Rows
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.trace import root_columns
from mcts_viz.trace.writer import TraceWriter


def base_meta(
    game: str, recorded_by: str, software: Mapping[str, str], n_actions: int | None = None
) -> dict[str, Any]:
    """What the metadata of every imported search say; the importer adds the rest."""
    return {
        "kind": "trace",
        "format_version": FORMAT_VERSION,
        "game": {"name": game, "parameters": {}, "n_actions": n_actions},
        "start": [],
        "root": {"to_move": -1},
        "action_labels": None,
        "reward_range": [-1.0, 1.0],
        "value_range": [-1.0, 1.0],
        "policies": {},
        "seed": None,
        "inherited": None,
        "budget": {"iterations": None, "seconds": None},
        "recorded_by": recorded_by,
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "software": dict(software),
    }


def whole_trace(
    document: Mapping[str, Any], rows: Rows, path: str | Path | None, trace: TraceMaker[AnyTrace]
) -> AnyTrace:
    """The trace, in memory and, with a path, in a file as well. Raises TraceError when that cannot be
    written."""
    meta = TraceMeta(document, "the imported search")
    columns = root_columns(meta)
    columns.append(rows)
    if path is not None:
        with TraceWriter(path, meta) as writer:
            writer.append(rows)
    return trace(meta, columns, None, True)


def value_range(low: float, high: float, two_sided: bool) -> list[float]:
    """The range of the values seen, the same for both sides where there are two."""
    if two_sided:
        high = max(abs(low), abs(high))
        low = -high
    return [low, high] if low < high else [low - 1.0, high + 1.0]
