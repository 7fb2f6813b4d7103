"""Inputs made worse, from a seed: bytes, JSON, text of a query. The same seed makes the same input."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

# what programs trip over, of every type that JSON has
NASTY: list[Any] = [
    None, True, False, 0, -1, 1, 2, 127, 128, -129, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63, 10**30, 10**400,
    0.5, -0.0, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf"),
    "", "x", "0", "root", "é", "\ud800", "\0", "<b>", "../..", "x" * 5_000,
    [], [None], [[]], [0], [1, 0], ["a", "a"], [1e308, -1e308], [True] * 50, {}, {"": None},
    {"name": None}, {"a": {"b": []}},
]  # fmt: skip
WORDS = [
    "", "0", "1", "-1", "5", "49", "50", "51", "999", "2147483648", "-9223372036854775809", "1e5", "nan", "inf", "٣",
    "0x1", "1,2", "1,,2", ",", "1,-1", "true", "null", "%00", "\ud83d", "é", "../../etc/passwd", "a" * 3_000, "[]",
    "{}", "tree", "dark", "visits", "select", "expand", "events", "json", "graphml", "csv", "markdown", "svg", "3.5",
]  # fmt: skip
PATTERNS = [
    b"\0" * 8,
    b"\xff" * 8,
    b"\xff\xff\xff\xff\0\0\0\0",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"{",
    b"[" * 2_000,
    b'"',
    b"\n",
]


def worse_bytes(rng: random.Random, content: bytes, other: bytes = b"") -> bytes:
    """Some bytes changed, cut out, doubled, moved, or taken from another input."""
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        place = rng.randrange(len(made) + 1)
        length = min(rng.choice((1, 4, 8, 64, 1_000)), len(made) - place)
        match rng.randrange(9):
            case 0 if place < len(made):
                made[place] ^= 1 << rng.randrange(8)
            case 1 if place < len(made):
                made[place] = rng.randrange(256)
            case 2:
                del made[place : place + length]
            case 3:
                made[place:place] = made[place : place + length]
            case 4:
                made[place : place + length] = bytes(length)
            case 5:
                made[place:place] = rng.choice(PATTERNS)
            case 6:
                del made[place:]
            case 7 if other:
                start = rng.randrange(len(other))
                made[place : place + length] = other[start : start + length]
            case _:
                made[place : place + 4] = rng.choice(PATTERNS)[:4]
    return bytes(made)


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the values of a document stand."""
    if path:
        yield path
    items = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    for key, value in items:
        yield from places(value, (*path, key))


def worse_document(rng: random.Random, document: Any) -> Any:
    """One to three values replaced, left out, doubled, or put elsewhere."""
    made = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 2, 3))):
        found = list(places(made))
        if not found:
            return rng.choice(NASTY)
        path = rng.choice(found)
        holder = made
        for key in path[:-1]:
            holder = holder[key]
        match rng.randrange(6):
            case 0:
                del holder[path[-1]]
            case 1 if isinstance(holder, list):
                holder.append(copy.deepcopy(rng.choice(holder)))
            case 2:
                other: Any = made
                for key in rng.choice(found):
                    other = other[key] if _has(other, key) else None
                holder[path[-1]] = copy.deepcopy(other)
            case 3 if isinstance(holder, dict):
                holder[rng.choice(("x", "", "game", "node", "t" * 200))] = copy.deepcopy(
                    rng.choice(NASTY)
                )
            case _:
                holder[path[-1]] = copy.deepcopy(rng.choice(NASTY))
    return made


def _has(holder: Any, key: Any) -> bool:
    if isinstance(holder, dict):
        return key in holder
    return isinstance(holder, list) and isinstance(key, int) and key < len(holder)


def as_json(document: Any) -> bytes:
    """As a careless program writes it: with NaN, and halves of characters as escapes."""
    return json.dumps(document).encode()


def worse_json(rng: random.Random, document: Any) -> bytes:
    """A document made worse, and one time in four its text as well."""
    made = as_json(worse_document(rng, document))
    return worse_bytes(rng, made) if rng.random() < 0.25 else made
