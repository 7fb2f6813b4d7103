"""Reads a large JSON document member by member and item by item, so that it is never whole in
memory as objects.

Stricter than `json.loads`: NaN, Infinity and a name that occurs twice in one object are refused,
and so is what the interpreter cannot hold. Every complaint is an ImportFormatError with source,
line and column. Knows nothing of trees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from mcts_viz.errors import ImportFormatError

SPACE = r"[ \t\n\r]*"
MARK = re.compile(f"{SPACE}([][{{}}:,]?){SPACE}")  # punctuation, if any, with the space around it
MAX_DEPTH = "lists and objects are nested too deeply"


class JsonScanner:
    """A position in a JSON text; `members` and `items` walk what begins there."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.position = len(text) - len(text.lstrip(" \t\n\r"))  # never before white space
        self._decode = json.JSONDecoder(
            parse_constant=_refuse_constant, object_pairs_hook=_unique_names
        ).raw_decode

    def members(self) -> Iterator[str]:
        """The names of an object's members; the caller reads each one's value before the next."""
        names: set[str] = set()
        for _ in self._walk("{", "}"):
            start = self.position
            name = self.value()
            if not isinstance(name, str):
                self.fail("a name in double quotes is expected", start)
            if name in names:
                self.fail(f"the name {name!r} occurs twice in one object", start)
            names.add(name)
            self._pass(":")
            yield name

    def items(self) -> Iterator[Any]:
        """The values of a list, one at a time."""
        for _ in self._walk("[", "]"):
            yield self.value()

    def value(self) -> Any:
        """The whole value that begins here."""
        try:
            value, self.position = self._decode(self.text, self.position)
        except json.JSONDecodeError as err:
            self.fail(err.msg[0].lower() + err.msg[1:], err.pos)
        except RecursionError:
            self.fail("lists and objects are nested too deeply", self.position)
        except ValueError as err:  # from our two hooks, or for a number of thousands of digits
            self.fail(str(err), self.position)
        return value

    def at(self, char: str) -> bool:
        """Whether the value that begins here begins with `char`."""
        return self.text.startswith(char, self.position)

    def end(self) -> None:
        """Make sure that nothing follows."""
        if self.text[self.position :].strip(" \t\n\r"):
            self.fail("something follows after the end of the document", self.position)

    def fail(self, reason: str, position: int) -> NoReturn:
        """Raise ImportFormatError with the place in the text."""
        if position >= len(self.text.rstrip(" \t\n\r")):
            raise ImportFormatError(
                f"{self.source}: the JSON ends too early, at character {position} "
                f"({reason}); the file was cut off: export it again"
            )
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        raise ImportFormatError(
            f"{self.source}: line {line}, column {column}: {reason}; "
            "correct the JSON there or export the snapshot again"
        )

    def _walk(self, opening: str, closing: str) -> Iterator[None]:
        """Once for each thing between the marks, with the position at its beginning."""
        self._pass(opening)
        if self.at(closing):
            self._pass(closing)
            return
        mark = ","
        while mark == ",":
            yield None
            mark = self._pass(",", closing)

    def _pass(self, *wanted: str) -> str:
        found = MARK.match(self.text, self.position)
        assert found is not None  # it matches the empty text too
        if found[1] not in wanted:
            self.fail(" or ".join(f'"{mark}"' for mark in wanted) + " is expected", found.start(1))
        self.position = found.end()
        return found[1]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON; write null for a number that does not exist")


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} occurs twice in one object")
    return members
