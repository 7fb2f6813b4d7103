"""The fields of boards, read from the recorded texts of positions. Knows no tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from mcts_viz.trace.states import grid_rows

TOKEN = re.compile(r"-?\d+|[^\s\d\[\](){},;:|'\"]")  # what stands for one field
Read = Callable[[str], list[str]]


class Boards(NamedTuple):
    """The fields of some positions, as many of each."""

    root: list[str]
    read: Read

    def fields(self, text: str | None) -> list[str] | None:
        """None where there is no text, or one of something else than the root's."""
        found = None if text is None else self.read(text)
        return found if found is not None and len(found) == len(self.root) else None


def boards_of(root: str | None, texts: Iterable[str | None]) -> Boards:
    """How to read the texts of a tree's positions: by numbers and signs; where blanks are empty fields, so that these
    are not as many in each, by the cells of a grid, or else letter by letter."""
    first = root or ""
    some = [text for text in texts if text is not None]

    def fitting(read: Read) -> int:
        length = len(read(first))
        return sum(len(read(text)) == length for text in some)

    ways: list[Read] = [TOKEN.findall, _cells if "\t" in first else list]
    read = max(ways, key=fitting)  # of equal ones the first
    return Boards(read(first), read)


def _cells(text: str) -> list[str]:
    return [cell for row in grid_rows(text) for cell in row]
