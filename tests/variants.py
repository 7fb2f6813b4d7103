"""Which values of a rule `make test` tries, and which are left to `make test-thorough`."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], n: int = 1) -> list[Any]:
    """For `parametrize`: all of them, those after the first n marked `thorough`."""
    values = list(values)
    rest = [value if isinstance(value, tuple) else (value,) for value in values[n:]]
    return [*values[:n], *(pytest.param(*value, marks=pytest.mark.thorough) for value in rest)]


def each(nth: int, values: Iterable[Any]) -> list[Any]:
    """For `parametrize`: all of them. `make test` takes each nth, from the first on."""
    values = list(values)
    taken = values[::nth]
    return few([*taken, *(value for n, value in enumerate(values) if n % nth)], len(taken))


def in_turn(first: Iterable[Any], second: Iterable[Any], nth: int = 1) -> list[Any]:
    """For `parametrize` of two names: every pair. `make test` takes each nth of the first with one of the second."""
    others = list(second)
    return [
        pytest.param(
            one,
            other,
            marks=() if (n % nth, k) == (0, n // nth % len(others)) else pytest.mark.thorough,
        )
        for n, one in enumerate(first)
        for k, other in enumerate(others)
    ]


def one_of_each(key: Callable[[Any], Any], cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """For `parametrize` of cases that begin with a title: `make test` takes the first with each key."""
    known = set()
    made = []
    for case in cases:
        marks = pytest.mark.thorough if key(case) in known else ()
        known.add(key(case))
        made.append(pytest.param(*case, marks=marks, id=str(case[0])))
    return made


def one_game_each(cases: Iterable[tuple[Any, ...]], nth: int = 1) -> list[Any]:
    """For `parametrize` of cases named "a mistake (connect_four)": `make test` takes each nth in its first
    game."""
    by_title: dict[str, list[tuple[Any, ...]]] = {}
    for case in cases:
        by_title.setdefault(case[0].rpartition(" (")[0], []).append(case)
    return [
        pytest.param(
            *case,
            marks=() if (n % nth, k) == (0, 0) else pytest.mark.thorough,
            id=str(case[0]),
        )
        for n, same in enumerate(by_title.values())
        for k, case in enumerate(same)
    ]
