"""Arguments that are not what a function takes, told in words.

Nothing is asked before a call: what works is taken, numbers of numpy and whatever behaves like a list among it. Where a
call ends with an error of the program, its arguments are compared with their types, and one that does not fit is what
the user reads of.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar

import numpy as np

from mcts_viz.errors import ArgumentError

MOST_SHOWN = 60  # letters of a value
P = ParamSpec("P")
Result = TypeVar("Result")


def names_wrong_arguments(function: Callable[P, Result]) -> Callable[P, Result]:
    """The function, which raises ArgumentError where it has failed by an argument of another type than its own."""

    @functools.wraps(function)
    def public(*arguments: P.args, **named: P.kwargs) -> Result:
        try:
            return function(*arguments, **named)
        except (TypeError, ValueError, AttributeError, LookupError) as err:
            said = wrong_argument(function, arguments, named)
            if said is None:
                raise
            raise ArgumentError(said) from err

    return public


def wrong_argument(
    function: Callable[..., object], arguments: Sequence[object], named: Mapping[str, object]
) -> str | None:
    """The first argument of a call that is not of its parameter's type, in words; None where all are."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **named).arguments
    except TypeError:  # Python says itself which one is missing or too many
        return None
    door, beartype = (importlib.import_module(name) for name in ("beartype.door", "beartype"))
    numbers = beartype.BeartypeConf(is_pep484_tower=True)  # a float may be an int
    names = getattr(inspect.unwrap(function), "__globals__", {})
    for name, value in given.items():
        parameter = signature.parameters[name]
        many = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if many or parameter.annotation is parameter.empty:  # `self`
            continue
        plain = value.item() if isinstance(value, np.generic) else value
        try:
            told = parameter.annotation
            hint = eval(told, dict(names)) if isinstance(told, str) else told  # of our own source
            fits = door.is_bearable(plain, hint, conf=numbers)
        except (NameError, TypeError, AttributeError, SyntaxError, beartype.roar.BeartypeException):
            continue  # a type that is known to readers alone
        if not fits:
            shown = repr(value)
            shown = shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"
            words = told if isinstance(told, str) else inspect.formatannotation(told)
            expected = words.replace(" | ", " or ")
            return f"{function.__qualname__}(): {name}={shown} is of type {type(value).__name__}; give {expected}"
    return None
