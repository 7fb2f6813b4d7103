"""The answer to a stored question: its rows, its picture, and what they say."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from mcts_viz.fleets.questions.question import AnswerRow, Question
from mcts_viz.health.finding import Finding

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_LINES = 40
WIDEST = 40  # characters of a cell


@dataclass(frozen=True, eq=False)
class Answer:
    """`str` is the sentence with the first rows; `figure()` the picture, `findings` the judgement."""

    question: Question
    table: pa.Table  # few rows, however large the fleet

    @cached_property
    def rows(self) -> list[AnswerRow]:
        """The table's rows, each a column's value by its name."""
        found: list[AnswerRow] = self.table.to_pylist()
        return found

    @cached_property
    def findings(self) -> list[Finding]:
        """What is wrong by these rows."""
        return list(self.question.judge(self.rows))

    def figure(self, theme: str = "light") -> go.Figure:
        """The picture, as a Plotly figure; theme: "light" or "dark"."""
        drawing = importlib.import_module("mcts_viz.views.fleet_figure")  # Plotly takes its time
        spec = self.question.picture
        return drawing.fleet_figure(
            self.rows, spec.kind, spec.x, spec.y, (spec.x_title, spec.y_title), spec.group,
            spec.size, spec.log_x, theme,
        )  # fmt: skip

    def __str__(self) -> str:
        told = [self.question.sentence, *lines(self.table), *map(str, self.findings)]
        return "\n".join(told)


def lines(table: pa.Table, most: int = MOST_LINES) -> list[str]:
    """A table as aligned lines, the first `most` rows of it."""
    columns = [column.slice(0, most).to_pylist() for column in table.columns]
    names = table.column_names
    shown = [names, *([_cell(value) for value in row] for row in zip(*columns))]
    widths = [max(len(row[column]) for row in shown) for column in range(len(names))]
    told = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in shown
    ]
    left = table.num_rows - most
    return [*told, *([f"… and {left:,} more rows"] if left > 0 else [])]


def _cell(value: object) -> str:
    if value is None:
        return "–"
    text = f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
