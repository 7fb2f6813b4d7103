"""Action ids for the moves of another search.

A trace knows whole numbers; moves may be anything. Knows no node and no game: a built-in game's
names come in as a function.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from mcts_viz.errors import MctsVizError, TraceError
from mcts_viz.trace.asides import MOST_ID

FREE_IDS = 2**30  # from here on ids are given out, where whole numbers are in use as well


class ActionIds:
    """Whole numbers stay what they are, unless another move has that id already; everything else is
    numbered in the order of appearance, two moves being one when their texts are.

    `known` maps a move of a built-in game to its id, and refuses others with a MctsVizError.
    """

    def __init__(self, known: Callable[[Any], int] | None = None) -> None:
        self._known = known
        self._ids: dict[str, int] = {}
        self.of_number: dict[int, int] = {}  # ids of whole numbers met before, for speed
        self._next = 0  # id to give out
        self._given: set[int] = set()  # those given out

    @property
    def of_built_in_game(self) -> bool:
        """Whether ids have a meaning already."""
        return self._known is not None

    @property
    def keeps_numbers(self) -> bool:
        """Whether every whole number stays what it is: none is the id of another move."""
        return 0 not in self._given

    def use_numbers(self) -> None:
        """Whole numbers have come that need not be asked for one by one: `keeps_numbers` is true."""
        self._next = max(self._next, FREE_IDS)

    def id(self, action: Any) -> int:
        """The id of a move; raises TraceError for one that the built-in game does not have. It
        equals the move where the move can be its own id."""
        if type(action) is not int:
            return self._id(action)
        if action not in self.of_number:
            self.of_number[action] = self._id(action)
        return self.of_number[action]

    def _id(self, action: Any) -> int:
        number = _whole(action)
        if self._known is not None:
            return self._known_id(action if number is None else number)
        text = str(action)
        if text in self._ids:
            return self._ids[text]
        if number is not None:
            self._next = max(self._next, FREE_IDS)
            if number not in self._given:
                return number
        self._ids[text] = self._next
        self._given.add(self._next)
        self._next += 1
        return self._ids[text]

    def _known_id(self, action: Any) -> int:
        assert self._known is not None
        text = str(action)
        if text not in self._ids:
            try:
                self._ids[text] = self._known(action)
            except MctsVizError as err:
                raise TraceError(str(err)) from err
        return self._ids[text]


def _whole(action: Any) -> int | None:
    """The action as an int where it can be an id as it is."""
    if isinstance(action, (bool, str)):
        return None
    try:
        number = operator.index(action)
    except TypeError:
        return None
    return number if 0 <= number <= MOST_ID else None
