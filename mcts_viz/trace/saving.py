"""Writes a trace that is known whole, in memory or in another file, to a file of its own."""

from __future__ import annotations

from pathlib import Path

from mcts_viz.trace.trace import Trace
from mcts_viz.trace.writer import TraceWriter


def save_trace(trace: Trace, path: str | Path) -> None:
    """Raises TraceError for a file that cannot be written."""
    rows = trace.columns.as_rows()
    writer = TraceWriter(path, trace.meta)
    try:
        writer.append(rows)
    finally:
        if trace.complete:
            writer.close()
        else:
            writer.abandon()
