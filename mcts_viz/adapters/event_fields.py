"""The values in an event, checked one by one: what is wrong is named with its field and what to write instead.

Knows JSON values as Python has them, no trace and no stream.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from typing import Any

from mcts_viz.adapters.careful_reader import storable_text
from mcts_viz.adapters.row_log import FLOAT32
from mcts_viz.errors import ImportFormatError

INT8, INT32, INT64 = 2**7 - 1, 2**31 - 1, 2**63 - 1
MOST_SHOWN = 60  # characters of a bad value


def whole(field: str, found: Any, least: int, most: int, remedy: str) -> int:
    """The value as an int; raises ImportFormatError."""
    if type(found) is float and found.is_integer():  # JavaScript has no other numbers
        found = int(found)
    if type(found) is not int:
        raise ImportFormatError(f"{field}: {shown(found)} is not a whole number; {remedy}")
    if not least <= found <= most:
        raise ImportFormatError(f"{field}: {found} is not from {least} to {most}; {remedy}")
    return found


def number(field: str, found: Any, remedy: str, most: float = math.inf) -> float:
    """The value as a finite float; raises ImportFormatError."""
    if type(found) not in (int, float):
        raise ImportFormatError(f"{field}: {shown(found)} is not a number; {remedy}")
    value = float(found)
    if not math.isfinite(value) or abs(value) > most:
        raise ImportFormatError(f"{field}: {shown(found)} is too large; {remedy}")
    return value


def number_or_none(field: str, found: Any, remedy: str) -> float:
    """The value as a float that float32 can hold, nan for null; raises ImportFormatError."""
    return math.nan if found is None else number(field, found, f"{remedy}, or null", FLOAT32)


def text_or_none(field: str, found: Any) -> str | None:
    """The value as text, None for null; raises ImportFormatError."""
    if found is not None and type(found) is not str:
        raise ImportFormatError(
            f"{field}: {shown(found)} is not a text; write it in quotes, or null"
        )
    return storable_text(found)


def listed(field: str, found: Any, what: str) -> list[Any]:
    """The value as a list; raises ImportFormatError."""
    if type(found) is not list:
        raise ImportFormatError(f"{field}: {shown(found)} is not a list; write [{what}, …]")
    return found


def an_object(field: str, found: Any, known: Collection[str]) -> dict[str, Any]:
    """The value as an object that has no other fields; raises ImportFormatError."""
    if type(found) is not dict:
        names = ", ".join(known)
        raise ImportFormatError(
            f"{field}: {shown(found)} is not an object; write one with the fields {names}"
        )
    only(field, found, known)
    return found


def only(where: str, names: Iterable[str], known: Collection[str]) -> None:
    """Refuse a field that there is not: misspelt, it would be missed in silence."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
            raise ImportFormatError(f"{where}: there is no field {name!r}; {hint}")


def missing(field: str, example: str) -> ImportFormatError:
    """The error for a field that is not there."""
    return ImportFormatError(f"{field}: missing; write {example}")


def shown(found: Any) -> str:
    """A bad value, not too long."""
    words = {None: "null", True: "true", False: "false"}
    text = words[found] if found is None or isinstance(found, bool) else repr(found)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
