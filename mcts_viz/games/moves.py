"""Moves as people type them: the name on the board comes first.

On a board of columns 1 to 7 "4" is column 4, though 4 is also the id of column 5. "id:4" is always an id; a bare number
is one only where no move is called by a number.
"""

from __future__ import annotations

from collections.abc import Sequence

ID = "id:"


class MoveNames:
    """What the moves of a game, or those at one position, may be called. Case and spaces count only where two moves
    differ in nothing else."""

    def __init__(self, names: Sequence[str], ids: Sequence[int], known: Sequence[str] = ()) -> None:
        """`names` and action `ids` of the moves; `known`: the names of all moves of the game, where these are some."""
        shared = shared_words([_words(name) for name in known or names])
        self._ids = list(ids)
        self._names = list(names)
        self._plain = [" ".join(_words(name)) for name in names]
        self._short = [" ".join(_words(name)[shared:]) for name in names]
        self.are_numbers = any(
            "".join(_words(name)[shared:]).isdecimal() for name in known or names
        )

    def place(self, text: str) -> int | None:
        """The place among `names` of the move that a text means; None for no move."""
        plain = " ".join(_words(text))
        ways: list[tuple[str, Sequence[str]]] = [
            (text.strip(), self._names), (plain, self._plain), (plain, self._short),
        ]  # fmt: skip
        for wanted, names in ways:
            if wanted in names:
                return names.index(wanted)
        return self.place_of_id(plain)

    def place_of_id(self, text: str) -> int | None:
        """The place of the move whose id a text is; None for a bare number where moves are called by numbers."""
        number = text.removeprefix(ID).strip()
        if self.are_numbers and number == text:
            return None
        if not number.isdecimal() or len(number) >= 10 or int(number) not in self._ids:
            return None
        return self._ids.index(int(number))


def shared_words(names: Sequence[Sequence[str]]) -> int:
    """How many words all names begin with, of which each keeps at least one."""
    if len(names) < 2:
        return 0
    shared = 0
    for column in zip(*(name[:-1] for name in names)):
        if len(set(column)) > 1:
            break
        shared += 1
    return shared


def _words(text: str) -> list[str]:
    return text.lower().split()
