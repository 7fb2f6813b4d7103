"""JSON decoded into typed values; a misfit is named with its place, the value there and its remedy.

msgspec decodes and validates; here are the words. Knows no format.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from mcts_viz.errors import ImportFormatError

T = TypeVar("T")
MOST_SHOWN = 60  # characters of a bad value
TOO_DEEP = "lists and objects are nested too deeply; flatten them"
MISFIT = re.compile(r"(?P<reason>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
FIELD_OR_INDEX = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
IN_BACKTICKS = re.compile("`(.*?)`")
WORDS = {
    "int": "a whole number", "float": "a number", "str": "text in quotes", "bool": "true or false",
    "array": "a list", "object": "an object", "null": "null",
}  # fmt: skip
WHOLE_FLOAT = re.compile("Expected `int.*, got `float`")  # 3.0, as some languages write 3
# an escape in a JSON text: a whole surrogate pair, half of one (group 1), or any other
ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def decoded(
    content: bytes,
    decoder: msgspec.json.Decoder[T],
    source: str,
    remedy: str,
    *,
    within: str = "",
    remedies: Mapping[str, str] | None = None,
    fields: Mapping[str, tuple[str, ...]] | None = None,
) -> T:
    """The typed value; raises ImportFormatError that begins with `source`, if any.

    within: the path of `content` in its document. remedies: for a path without indices, what to
    write there, in place of `remedy`. fields: for the path of an object, the fields that it may have.
    """
    try:
        return decoder.decode(content)
    except msgspec.ValidationError as err:
        if WHOLE_FLOAT.match(str(err)):
            try:
                whole = json.loads(content, parse_float=_whole_if_it_is)
                converted: T = msgspec.convert(whole, decoder.type)
                return converted
            except (ValueError, RecursionError):
                pass  # something else is wrong too, or it is no whole number
        reason = _misfit(err, content, within, remedy, remedies or {}, fields or {})
    except RecursionError:
        reason = TOO_DEEP
    except (UnicodeDecodeError, msgspec.DecodeError) as err:
        mended = without_lone_escapes(content)
        if is_not_utf8(err):
            reason = _not_utf8(content)
        elif mended != content:
            return decoded(
                mended, decoder, source, remedy, within=within, remedies=remedies, fields=fields
            )
        else:
            reason = f"{_malformed(err, content)}; {remedy}"
    raise ImportFormatError(f"{source}: {reason}" if source else reason)


def is_not_utf8(err: Exception) -> bool:
    """Whether msgspec refuses bytes as no UTF-8: by Python's own error, from its version 0.23 on by one of its own."""
    if isinstance(err, msgspec.ValidationError):  # names what is in the file
        return False
    return isinstance(err, UnicodeDecodeError) or "utf-8" in str(err).lower()


def without_lone_escapes(content: bytes) -> bytes:
    """The JSON text with U+FFFD for each escaped half of a surrogate pair, which UTF-8 cannot hold."""
    return ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], content)


def refuse_repeated_names(content: bytes, source: str) -> None:
    """Raise ImportFormatError for an object that has a name twice: msgspec takes the last one."""
    try:
        json.loads(content, object_pairs_hook=_distinct_names)
    except RecursionError as err:
        raise ImportFormatError(f"{source}: {TOO_DEEP}") from err
    except ValueError as err:
        raise ImportFormatError(f"{source}: {err}") from err


def shown(value: object) -> str:
    """A bad value as JSON, on one line and not at length."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:  # JSON is read to a greater depth than it is written
        return "the value there"
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"


def _distinct_names(pairs: list[tuple[str, object]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {shown(twice)} occurs twice in one object; remove one of them")


def _misfit(
    err: msgspec.ValidationError,
    content: bytes,
    within: str,
    remedy: str,
    remedies: Mapping[str, str],
    fields: Mapping[str, tuple[str, ...]],
) -> str:
    found = MISFIT.fullmatch(str(err))
    assert found is not None  # it matches any text
    reason, path = found["reason"], found["path"] or ""
    name = IN_BACKTICKS.search(reason)
    if "missing required field" in reason and name is not None:
        where = _place(within, f"{path}.{name[1]}")
        return f"{where}: missing; {remedies.get(_pattern(where), remedy)}"
    where = _place(within, path)
    if "unknown field" in reason and name is not None:
        known = fields.get(_pattern(where), ())
        near = difflib.get_close_matches(name[1], known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
        return f"{where or 'the JSON'}: there is no field {name[1]!r}; {hint}"
    expected = IN_BACKTICKS.sub(_in_words, re.sub(r", got .*", "", reason))
    expected = expected.replace("Expected ", "")
    if "out of range" in expected:
        expected = "a number that fits"
    value = _value_at(content, path)
    return (
        f"{where or 'the JSON'}: {value} is not {expected}; {remedies.get(_pattern(where), remedy)}"
    )


def _whole_if_it_is(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _in_words(found: re.Match[str]) -> str:
    return ", or ".join(WORDS.get(name, name) for name in found[1].split(" | "))


def _place(within: str, path: str) -> str:
    return f"{within}{path}".removeprefix(".")


def _pattern(where: str) -> str:
    return re.sub(r"\[.*?\]", "[]", where)


def _value_at(content: bytes, path: str) -> str:
    try:
        value = json.loads(content)
        for name, index in FIELD_OR_INDEX.findall(path):
            value = value[name] if name else value[int(index)]
    except (ValueError, RecursionError):  # a number of thousands of digits, say
        return "the value there"
    except (LookupError, TypeError):  # the path leads through any key of an object
        return "a value in it"
    return shown(value)


def _malformed(err: Exception, content: bytes) -> str:
    found = re.search(r"malformed: (.*) \(byte (\d+)\)", str(err))
    if found is None or int(found[2]) >= len(content.rstrip()):
        return f"not JSON: it ends too early, after {len(content.rstrip())} bytes; it was cut off"
    at = int(found[2])
    line = content.count(b"\n", 0, at) + 1
    column = at - content.rfind(b"\n", 0, at)
    number = re.match(rb"NaN|Infinity", content[at : at + 8])
    reason = f"{number[0].decode()} is no number of JSON" if number else found[1]
    near = content[max(0, at - 8) : at + 12].decode("utf-8", "replace").replace("\n", " ")
    return f"not JSON: line {line}, column {column}, near {near!r}: {reason}"


def _not_utf8(content: bytes) -> str:
    try:
        content.decode()
    except UnicodeDecodeError as err:
        return f"byte {err.start} is not UTF-8 text; write JSON in UTF-8"
    return "a text in it is not UTF-8; write JSON in UTF-8"
