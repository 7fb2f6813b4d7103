"""The JSON objects in a log: one a line, or a list in one document. Knows no field of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.packed import check_unpacked
from mcts_viz.trace.strict_json import TOO_DEEP
from mcts_viz.types import ReadDocument

T = TypeVar("T")
Skip = Callable[
    [str, bool], None
]  # called for each record left out: why, and whether because of another record


class RawRecord(NamedTuple):
    """One object of a log."""

    place: str  # for messages
    found: ReadDocument


class LogText(NamedTuple):
    """A log: one document, or one a line."""

    name: str
    lines: Sequence[tuple[int, str]]  # number from 1, text; empty lines left out
    whole: object = None  # what the one document holds, where there are no lines


def read_log(path: str) -> LogText:
    """The log in a file; raises ImportFormatError for what is no text of JSON."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as err:
        reason = getattr(err, "strerror", None) or err
        raise ImportFormatError(f"{path}: cannot be read: {reason}; check the name") from err
    check_unpacked(path, content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise ImportFormatError(
            f"{path}: byte {err.start} is not UTF-8 text; write JSON in UTF-8"
        ) from err
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise ImportFormatError(f"{path}: empty, so there is nothing to import")
    if len(lines) > 1 and _is_object(lines[0][1]):
        return LogText(path, lines)
    whole = _parsed(text, path, "a log is one JSON document, or one JSON object a line")
    return LogText(path, (), whole)


def records_in(log: LogText, lists: Sequence[str], skip: Skip | None) -> Iterator[RawRecord]:
    """Its records: its lines, its list, or the list under the first of these keys that it has. skip: called with
    bad lines; None: raises ImportFormatError for them."""
    if log.lines:
        yield from _of_lines(log, skip)
        return
    found, key = log.whole, ""
    if isinstance(found, dict):
        key = next((name for name in lists if isinstance(found.get(name), list)), "")
        found = found[key] if key else [found]
    if not isinstance(found, list):
        raise ImportFormatError(
            f"{log.name}: neither a list of records nor an object with one; write a list, or an object a line"
        )
    for number, each in enumerate(found):
        place = f"{log.name}: {key or 'record'}[{number}]"
        if isinstance(each, dict):
            yield RawRecord(place, each)
        else:
            _refuse(
                f"{place}: not an object; write the fields of a record, such as id and parent", skip
            )


def converted(raw: RawRecord, make: Callable[[RawRecord], T], skip: Skip | None) -> list[T]:
    """What `make` makes of a record, alone in a list; none where it refuses it and skip takes note of that."""
    try:
        return [_made(raw, make)]
    except ImportFormatError as err:
        if skip is None:
            raise
        skip(str(err), False)
        return []


def _made(raw: RawRecord, make: Callable[[RawRecord], T]) -> T:
    try:
        return make(raw)
    except RecursionError as err:  # JSON is read to a greater depth than it is written
        raise ImportFormatError(f"{raw.place}: {TOO_DEEP}") from err


def _of_lines(log: LogText, skip: Skip | None) -> Iterator[RawRecord]:
    for number, line in log.lines:
        place = f"{log.name}: line {number}"
        yield from converted(RawRecord(place, {"line": line}), _parsed_line, skip)


def _parsed_line(raw: RawRecord) -> RawRecord:
    remedy = "correct or remove the line, or skip such lines with `mcts-viz import --lenient`"
    found = _parsed(raw.found["line"], raw.place, remedy)
    if not isinstance(found, dict):
        raise ImportFormatError(
            f"{raw.place}: not an object; write one record a line, as a JSON object"
        )
    return RawRecord(raw.place, found)


def _refuse(words: str, skip: Skip | None) -> None:
    if skip is None:
        raise ImportFormatError(words)
    skip(words, False)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parsed(text: str, place: str, remedy: str) -> object:
    """What JSON holds, NaN and infinities included, as Python writes them."""
    try:
        return json.loads(text)
    except RecursionError as err:
        raise ImportFormatError(f"{place}: {TOO_DEEP}") from err
    except json.JSONDecodeError as err:
        at = f"line {err.lineno}, column {err.colno}" if "\n" in text else f"column {err.colno}"
        raise ImportFormatError(f"{place}: not JSON: {err.msg}, {at}; {remedy}") from err
    except ValueError as err:
        raise ImportFormatError(f"{place}: a number has thousands of digits; {remedy}") from err


def text_of(found: object) -> str:
    """A text as it is, a list of texts joined, anything else as JSON; empty for null. Raises RecursionError for what
    is nested too deeply."""
    if found is None:
        return ""
    if isinstance(found, str):
        return found
    if isinstance(found, list) and all(isinstance(each, str) for each in found):
        return "".join(found)
    return json.dumps(found, ensure_ascii=False, indent=1, default=str)


def at_path(found: object, path: str) -> object:
    """What lies at a path of keys and places such as metrics.scores.0; None where nothing does. A key may have dots."""
    if isinstance(found, dict) and path in found:
        return found[path]
    key, _, rest = path.partition(".")
    if isinstance(found, dict) and key in found:
        below: object = found[key]
    elif isinstance(found, list) and key.isdigit() and int(key) < len(found):
        below = found[int(key)]
    else:
        return None
    return at_path(below, rest) if rest else below


def numbers_in(found: object) -> dict[str, float]:
    """The numbers of an object by name, those of the objects in it as judge.score."""
    numbers: dict[str, float] = {}
    for name, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, dict):
            numbers |= {f"{name}.{key}": n for key, n in numbers_in(value).items()}
        elif type(value) in (int, float):
            numbers[str(name)] = value
    return numbers
