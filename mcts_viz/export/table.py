"""A snapshot as CSV: a heading, then one row a node with every statistic; for spreadsheets, pandas,
R.

UTF-8, comma, text always in quotes, an empty cell for what does not exist, "Infinity" for an
unvisited child's score. A spreadsheet runs a cell that begins with = + - @ as a formula, and labels
may come from a stranger's trace: such text, and text that begins with an apostrophe, gets an
apostrophe in front, so that taking one leading apostrophe away gives the text back. Numbers are
left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcts_viz.export.fields import (
    Field,
    Texts,
    as_bytes,
    field_texts,
    fields_of,
    joined,
    or_else,
)
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.surrogates import REPLACEMENT, without_lone_surrogates

# full-width forms too: some spreadsheets take them for their ASCII twins
FORMULA_START = re.compile("['=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def csv_chunks(snapshot: Snapshot) -> Iterator[bytes]:
    """The table in pieces; the root is the first row."""
    fields = fields_of(snapshot)
    yield (",".join(field.name for field in fields) + "\n").encode()
    for columns in field_texts(snapshot, csv_cell, infinity="Infinity"):
        cells = [_cell(field, columns[field.name]) for field in fields]
        rows = joined(cells, ",")
        yield as_bytes(joined([rows, "\n"]), "")


def _cell(field: Field, texts: Texts) -> Texts:
    """A list of numbers has commas, so that it stands in quotes."""
    return or_else(joined(['"', texts, '"']) if field.kind == "numbers" else texts, "")


def csv_cell(text: str) -> str:
    """The text in quotes, harmless to spreadsheets; NUL, which ends many a reader, is U+FFFD."""
    clean = without_lone_surrogates(text).replace("\0", REPLACEMENT).replace('"', '""')
    return f'"\'{clean}"' if FORMULA_START.match(text) else f'"{clean}"'
