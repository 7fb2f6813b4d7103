"""What the page asks of the table of searches, as SQL with parameters.

All of it may come from a stranger's link. So columns are looked up by their names, and every value is a parameter: no
part of a request becomes SQL text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from mcts_viz.errors import PageError
from mcts_viz.fleets.columns import SEARCHES
from mcts_viz.fleets.questions.question import Cell
from mcts_viz.fleets.questions.registry import QUESTIONS

COLUMNS = {each.name: each for each in SEARCHES}
# of a row whether or not they are shown: what links, boards and marks are made of
ALWAYS = (
    "search_id", "game", "position", "ply", "best_action", "best_action_name", "root_value", "errors", "warnings",
    "digest",
)  # fmt: skip
SHOWN = (
    "search_id", "run", "game", "ply", "iterations", "best_action_name", "root_value", "result", "visit_margin",
    "lead_since", "errors", "warnings",
)  # fmt: skip
BARS = ("root_value", "visit_entropy", "ply", "run")
MOST_CONDITIONS = 60  # on a column
MOST_BRUSHED = 500  # rows of an answer
MOST_PICKED = 12  # searches beside one another
LONGEST = 1_000  # characters of a value

_NUMBERS = {
    "equals": "{} = ?", "notEqual": "{} is distinct from ?", "lessThan": "{} < ?", "lessThanOrEqual": "{} <= ?",
    "greaterThan": "{} > ?", "greaterThanOrEqual": "{} >= ?", "inRange": "{} between ? and ?",
}  # fmt: skip
_TEXTS = {
    "equals": "lower({}) = lower(?)", "notEqual": "lower({}) is distinct from lower(?)",
    "contains": "contains(lower({}), lower(?))", "notContains": "not contains(lower(coalesce({}, '')), lower(?))",
    "startsWith": "starts_with(lower({}), lower(?))", "endsWith": "ends_with(lower({}), lower(?))",
}  # fmt: skip
_OF_NOTHING = {"blank": "{} is null", "notBlank": "{} is not null"}
_OF_CHECK = 'search_id in (select search_id from all_findings where "check" = ?)'


class Sql(NamedTuple):
    """A part of a query."""

    text: str
    values: tuple[Cell, ...] = ()  # of its question marks


class Asked(NamedTuple):
    """What the page shows of a fleet."""

    filter: tuple[tuple[str, Sql], ...] = ()  # column, condition
    sort: tuple[tuple[str, bool], ...] = ()  # column, whether the greatest comes first
    columns: tuple[str, ...] = SHOWN
    bars: tuple[str, ...] = BARS  # columns with a histogram
    question: str = ""
    brush: tuple[Mapping[str, Cell], ...] = ()  # rows of its answer, by what identifies them
    check: str = ""  # of searches that have a finding of it
    picked: tuple[str, ...] = ()  # ids of searches
    theme: str = "light"

    @classmethod
    def read(cls, told: object) -> Asked:
        """The request of the browser, checked; raises PageError for what makes no sense."""
        if not isinstance(told, dict):
            return cls()
        question, check = str(told.get("question") or ""), str(told.get("check") or "")
        if question and question not in QUESTIONS:
            raise PageError(f"there is no stored question {question[:40]!r}")
        sort = tuple(
            (_column(each.get("colId")), each.get("sort") == "desc")
            for each in _list(told, "sort")
            if isinstance(each, dict)
        )
        found = told.get("filter") or {}
        if not isinstance(found, dict):
            raise PageError("filter: conditions by column are expected")
        return cls(
            tuple((_column(name), condition(name, model)) for name, model in found.items()),
            sort,
            tuple(map(_column, _list(told, "columns"))) or SHOWN,
            tuple(map(_column, _list(told, "bars")))[: len(BARS)] or BARS,
            question,
            tuple(each for each in _list(told, "brush") if isinstance(each, dict))[:MOST_BRUSHED],
            check[:LONGEST],
            tuple(str(each) for each in _list(told, "picked"))[:MOST_PICKED],
            "dark" if told.get("theme") == "dark" else "light",
        )


def where(asked: Asked, but: str | None = None, brushed: bool = True) -> Sql:
    """The condition of what is shown; `but`: without that on this column; brushed: with that of the brush."""
    parts = [each for name, each in asked.filter if name != but]
    if asked.check:
        parts.append(Sql(_OF_CHECK, (asked.check,)))
    if brushed and asked.brush:
        parts.append(_brushed(asked))
    return _joined(parts, " and ")


def ordered(asked: Asked) -> str:
    """The order of rows; that of the files where none was asked for."""
    parts = [f"{quoted(name)} {'desc' if down else 'asc'} nulls last" for name, down in asked.sort]
    return f"order by {', '.join(parts)}, search_id" if parts else ""


def quoted(column: str) -> str:
    """A column's name in a query; raises PageError for an unknown one."""
    return f'"{_column(column)}"'


def is_number(column: str) -> bool:
    """Whether it holds numbers."""
    kind = COLUMNS[_column(column)].type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def condition(column: str, model: object) -> Sql:
    """One of AG Grid's filters, on a column. Raises PageError."""
    if not isinstance(model, dict):
        raise PageError(f"filter on {column[:40]}: a condition is expected")
    several = model.get("conditions")
    if isinstance(several, list):
        word = " or " if model.get("operator") == "OR" else " and "
        if not 0 < len(several) <= MOST_CONDITIONS:
            raise PageError(f"filter on {column}: 1 to {MOST_CONDITIONS} conditions are expected")
        return _joined([_single(column, each) for each in several], word)
    return _single(column, model)


def _single(column: str, model: object) -> Sql:
    kind = model.get("type") if isinstance(model, dict) else None
    if not isinstance(model, dict) or not isinstance(kind, str):
        raise PageError(f"filter on {column}: a condition with its type is expected")
    name = quoted(column)
    if kind in _OF_NOTHING:
        return Sql(_OF_NOTHING[kind].format(name))
    words = _NUMBERS if is_number(column) else _TEXTS
    if kind not in words:
        raise PageError(f"filter on {column}: {kind[:40]!r} is not known; {', '.join(words)} are")
    if not is_number(column) and not pa.types.is_string(COLUMNS[column].type):
        name = f"{name}::varchar"
    text = words[kind].format(name)
    fields = ("filter", "filterTo")[: text.count("?")]
    return Sql(text, tuple(_value(column, model.get(field)) for field in fields))


def _value(column: str, value: object) -> Cell:
    if is_number(column):
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not math.isfinite(value)
        ):
            raise PageError(f"filter on {column}: a number is expected, not {str(value)[:40]!r}")
        return float(value) if abs(value) > 2**62 else value
    if not isinstance(value, str) or len(value) > LONGEST:
        raise PageError(f"filter on {column}: a text of up to {LONGEST:,} characters is expected")
    return value


def _brushed(asked: Asked) -> Sql:
    """Searches that belong to rows of the question's answer."""
    if not asked.question:
        raise PageError("brush: a question is expected beside it")
    keys = QUESTIONS[asked.question].keys
    return _joined([_of_row(row, keys) for row in asked.brush], " or ")


def _of_row(row: Mapping[str, Cell], keys: Mapping[str, str]) -> Sql:
    for name, value in row.items():
        if name not in keys or not (value is None or isinstance(value, (str, int, float))):
            raise PageError(
                f"brush: {str(name)[:40]!r} is not what identifies a row; {', '.join(keys)} are"
            )
    return _joined([Sql(keys[name], (value,)) for name, value in row.items()], " and ")


def _joined(parts: Sequence[Sql], word: str) -> Sql:
    if not parts:
        return Sql("true")
    text = word.join(f"({part.text})" for part in parts)
    return Sql(text, tuple(value for part in parts for value in part.values))


def _column(name: object) -> str:
    if not isinstance(name, str) or name not in COLUMNS:
        raise PageError(f"there is no column {str(name)[:40]!r} of searches")
    return name


def _list(told: Mapping[str, object], name: str) -> list[object]:
    found = told.get(name) or []
    if not isinstance(found, list):
        raise PageError(f"{name}: a list is expected")
    return found
