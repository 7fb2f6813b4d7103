"""Which values of a rule `make test` tries, and which are left to `make test-thorough`."""

from collections.abc import Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], n: int = 1) -> list[Any]:
    """For `parametrize`: all of them, those after the first n marked `thorough`."""
    values = list(values)
    rest = [value if isinstance(value, tuple) else (value,) for value in values[n:]]
    return [*values[:n], *(pytest.param(*value, marks=pytest.mark.thorough) for value in rest)]
