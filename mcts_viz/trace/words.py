"""How every text of the package writes a number with its noun, and a name of any length in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def plural(n: int, one: str, more: str = "") -> str:
    """`1 visit`, `2,000 visits`; `more`: the plural where it does not end in s."""
    return f"{n:,} {one if n == 1 else more or one + 's'}"


def signed(text: str) -> str:
    """A formatted number with the sign for minus that tables have, and none before a zero. No line breaks within it."""
    size = text.removeprefix("-").replace("e-", "e−")
    return f"−{size}" if text.startswith("-") and size.strip("0.") else size


HUGE = 1e12  # of numbers, from which on their digits say nothing
MOST = 60  # characters of a name in a sentence


def in_a_sentence(name: str) -> str:
    """A name on one line and not too long: the moves of a language model have many."""
    text = " ".join(name.split()) if len(name) > MOST or "\n" in name else name
    return text if len(text) <= MOST else text[: MOST - 1].rstrip() + "…"


def shared_words(names: Sequence[str]) -> int:
    """How many words all of several names begin with, such as "column"; of none they are all."""
    words = [name.split(" ") for name in names]
    least = min(map(len, words), default=1) - 1
    if len(set(names)) < 2:
        return 0
    return next((i for i in range(least) if len({each[i] for each in words}) > 1), least)
