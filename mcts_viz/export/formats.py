"""The formats a snapshot can be exported to, chosen by the suffix of the file's name."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from mcts_viz.errors import ExportError
from mcts_viz.export.destination import write_chunks
from mcts_viz.export.graphml import graphml_chunks
from mcts_viz.export.node_link import node_link_chunks
from mcts_viz.export.table import csv_chunks
from mcts_viz.trace.snapshot import Snapshot

Chunks: TypeAlias = Callable[[Snapshot], Iterator[bytes]]


class Format(NamedTuple):
    """How to write one format, and what to call it to a browser and to a person."""

    chunks: Chunks
    media_type: str
    title: str
    is_picture: bool = False


def _picture(function: str) -> Chunks:
    """Chunks of a picture; what draws it, and Plotly with it, is not loaded before that."""

    def chunks(snapshot: Snapshot) -> Iterator[bytes]:
        yield getattr(importlib.import_module("mcts_viz.export.picture"), function)(snapshot)

    return chunks


FORMATS: dict[str, Format] = {
    ".json": Format(node_link_chunks, "application/json", "JSON (networkx node-link)"),
    ".graphml": Format(graphml_chunks, "application/graphml+xml", "GraphML"),
    ".csv": Format(csv_chunks, "text/csv; charset=utf-8", "CSV, one row a node"),
    ".svg": Format(_picture("svg_bytes"), "image/svg+xml", "SVG, the tree as a picture", True),
    ".png": Format(_picture("png_bytes"), "image/png", "PNG, the tree as a picture", True),
}


def format_of(name: str | os.PathLike[str]) -> Format:
    """The format of a file name or bare suffix; raises ExportError with the suffixes there are."""
    text = os.fspath(name)
    suffix = (Path(text).suffix or text).lower()
    if suffix not in FORMATS:
        raise ExportError(
            f"cannot tell a format from {text!r}; end the name in one of: {', '.join(FORMATS)}"
        )
    return FORMATS[suffix]


def write(snapshot: Snapshot, path: str | os.PathLike[str], suffix: str | None = None) -> Path:
    """Export to `path`, whole or not at all, in the format of `suffix` or else of the path's own.

    Returns the path; raises ExportError.
    """
    return write_chunks(path, format_of(path if suffix is None else suffix).chunks(snapshot))


def text_chunks(snapshot: Snapshot, suffix: str) -> Iterator[bytes]:
    """The export in UTF-8 pieces, to be streamed; a bad suffix raises ExportError at once."""
    return format_of(suffix).chunks(snapshot)
