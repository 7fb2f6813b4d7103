"""The recorded text of positions: what it is written in, and how a board becomes text.

Recorders and pictures share it. Knows no pictures.
"""

from __future__ import annotations

from collections.abc import Sequence

TEXT, MARKDOWN, GRID = STATE_FORMATS = ("text", "markdown", "grid")


def rows_of(found: object) -> list[Sequence[object]] | None:
    """The rows of a nested list or of an array with two dimensions; None for anything else."""
    if getattr(found, "ndim", None) == 2 and hasattr(found, "tolist"):
        found = found.tolist()
    if not isinstance(found, (list, tuple)) or not found:
        return None
    return list(found) if all(isinstance(row, (list, tuple)) for row in found) else None


def grid_text(rows: Sequence[Sequence[object]]) -> str:
    """A line a row, with tabs between its cells; None is an empty cell."""
    return "\n".join("\t".join(_cell(cell) for cell in row) for row in rows)


def grid_rows(text: str) -> list[list[str]]:
    """The cells that `grid_text` has written."""
    return [line.split("\t") for line in text.split("\n")]


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())
