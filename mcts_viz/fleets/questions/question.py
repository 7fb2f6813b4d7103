"""A stored question, and what its rows say about the fleet. Plain data; knows no tables and no pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from mcts_viz.health.finding import Check, Finding

Cell: TypeAlias = str | float | bool | None
AnswerRow: TypeAlias = Mapping[str, Cell]
Judge: TypeAlias = Callable[[Sequence[AnswerRow]], Iterator[Finding]]
SURE = 4.0  # standard deviations; of ten questions on thousands of groups, none is off so far by chance

BUDGET = "round(pow(2, round(log2(greatest(iterations, 1)))))"  # of a search, to a power of two: budgets of time differ


class PictureSpec(NamedTuple):
    """What is drawn of the rows: names of columns."""

    kind: str  # "bars", "line" or "dots"
    x: str
    y: tuple[str, ...]  # a colour each
    x_title: str
    y_title: str
    group: str | None = None  # a colour for each of its values, in place of that
    size: str | None = None  # area of a dot
    log_x: bool = False


class Question(NamedTuple):
    """A question. Its query selects few rows, however large the fleet."""

    name: str
    sentence: str
    sql: str
    picture: PictureSpec
    judge: Judge
    checks: Mapping[str, Check]  # of the findings that `judge` has
    # conditions on searches by column of the answer: those behind a row have its values in place of the question marks
    keys: Mapping[str, str] = MappingProxyType({})
    only_faults: bool = False  # the rows are what is wrong: none is the best answer


def same(*columns: str) -> dict[str, str]:
    """Keys that searches and rows of the answer have in common."""
    return {name: f'"{name}" is not distinct from ?' for name in columns}


def finding(
    checks: Mapping[str, Check], check: str, message: str, **evidence: Cell | Sequence[Cell]
) -> Finding:
    """A finding about the fleet as a whole."""
    return Finding(check, checks[check].severity, None, None, message, evidence)


def number(row: AnswerRow, column: str) -> float:
    """A number of a row; nan where there is none."""
    value = row[column]
    return math.nan if value is None or isinstance(value, str) else float(value)


def deviations(
    mean: float, spread: float, n: float, other_mean: float, other_spread: float, other_n: float
) -> float:
    """How many standard deviations two means of n values are apart; 0 where that is not known."""
    if min(n, other_n) < 2:
        return 0.0
    error = math.sqrt(spread**2 / n + other_spread**2 / other_n)
    if not math.isfinite(error):
        return 0.0
    return (
        (mean - other_mean) / error
        if error > 0
        else math.inf * (mean - other_mean)
        if mean != other_mean
        else 0.0
    )


def rate_deviations(hits: float, n: float, other_hits: float, other_n: float) -> float:
    """How many standard deviations two rates are apart; 0 where that is not known."""
    if min(n, other_n) < 1:
        return 0.0
    both = (hits + other_hits) / (n + other_n)
    error = math.sqrt(both * (1 - both) * (1 / n + 1 / other_n))
    return (hits / n - other_hits / other_n) / error if error > 0 else 0.0
