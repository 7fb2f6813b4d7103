"""Nodes named by people: by id, or by the moves that lead there, as the tree writes them or as action ids.

A name comes before an id, as in a start position: in Connect Four "4 3" are columns 4 and 3, though 4 and 3 are also
the ids of columns 5 and 4; that reading is offered second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.errors import PageError
from mcts_viz.trace.snapshot import Snapshot, action_name

SEPARATORS = re.compile(r"[\s,;·›>→]+")
PARTS = re.compile(r"[,;·›>→\n]+")
NAMED_AT_MOST = 12  # moves listed in an error


class Reading(NamedTuple):
    """One of the nodes that a text may mean."""

    node: int
    how: str  # "node id", "moves", "action ids" or "moves from the first position"


def path_moves(snapshot: Snapshot, node: int) -> list[str]:
    """Names of the moves from the game's first position to the node: a search's start position is part of them."""
    before = [action_name(snapshot.meta, action) for action in _start(snapshot)]
    return before + [snapshot.label(v) for v in snapshot.path(node)[1:]]


def readings(snapshot: Snapshot, text: str) -> list[Reading]:
    """All nodes that a text may mean, the likeliest first; raises PageError saying how far the moves lead."""
    wanted = text.strip()
    if not wanted:
        raise PageError("Type a node id such as #17, or moves from the root")
    number = wanted.removeprefix("#").strip()
    if wanted.startswith("#") or (number.isdecimal() and len(number) >= 10):
        return [Reading(_node_id(snapshot, number), "node id")]
    found = _by_moves(snapshot, wanted)
    if number.isdecimal() and int(number) < len(snapshot):
        found.insert(0, Reading(int(number), "node id"))
    if not found:
        follow(snapshot, wanted)  # raises
    first_of: dict[int, Reading] = {}
    for reading in found:
        first_of.setdefault(reading.node, reading)
    return list(first_of.values())


def _by_moves(snapshot: Snapshot, text: str) -> list[Reading]:
    found = []
    start = [action_name(snapshot.meta, action) for action in _start(snapshot)]
    words, before = _words(text), _words(" ".join(start))
    if before and words[: len(before)] == before:
        rest = " ".join(words[len(before) :])
        found += _reading(snapshot, rest, False, "moves from the first position")
    found += _reading(snapshot, text, False, "moves")
    found += _reading(snapshot, text, True, "action ids")
    return found


def _reading(snapshot: Snapshot, text: str, ids_first: bool, how: str) -> list[Reading]:
    try:
        return [Reading(follow(snapshot, text, ids_first), how)]
    except PageError:
        return []


def follow(snapshot: Snapshot, text: str, ids_first: bool = False) -> int:
    """The node that moves from the root lead to; raises PageError naming the first that is not there, and what is
    there instead."""
    words = _words(text)
    node, at = 0, 0
    while at < len(words):
        moves = _moves_after(snapshot, node)
        for end in range(len(words), at, -1):
            child = _child(moves, words[at:end], ids_first)
            if child is not None:
                node, at = child, end
                break
        else:
            raise PageError(_no_such_move(snapshot, node, _part(text, at)))
    return node


class _Moves(NamedTuple):
    """The children of a node by what their moves may be called, all in lower case."""

    name: dict[str, int]
    short: dict[str, int]  # without the words that all moves begin with
    action: dict[str, int]


def _moves_after(snapshot: Snapshot, node: int) -> _Moves:
    children = snapshot.children(node)
    names = [" ".join(_words(snapshot.label(v))) for v in children]
    known = [str(label) for label in snapshot.meta.get("action_labels") or []] or names
    shared = _shared_words([_words(name) for name in known])
    return _Moves(
        name=_first_of_each(zip(names, children)),
        short=_first_of_each(
            (" ".join(name.split(" ")[shared:]), v) for name, v in zip(names, children)
        ),
        action={str(int(snapshot.action[v])): v for v in children},
    )


def _first_of_each(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, node in pairs:
        found.setdefault(name, node)
    return found


def _shared_words(names: Sequence[Sequence[str]]) -> int:
    """How many words all names begin with, of which each keeps at least one."""
    if len(names) < 2:
        return 0
    shared = 0
    for column in zip(*(name[:-1] for name in names)):
        if len(set(column)) > 1:
            break
        shared += 1
    return shared


def _child(moves: _Moves, words: Sequence[str], ids_first: bool) -> int | None:
    text = " ".join(words)
    order = [moves.name, moves.short, moves.action]
    if ids_first:
        order = [moves.action, moves.name, moves.short]
    return next((names[text] for names in order if text in names), None)


def _words(text: str) -> list[str]:
    return [word for word in SEPARATORS.split(text.strip().lower()) if word]


def _part(text: str, at: int) -> str:
    """What stands between the commas around word number `at`; the word alone where there are none."""
    parts = [part.strip() for part in PARTS.split(text) if part.strip()]
    if len(parts) == 1:
        return SEPARATORS.split(text.strip())[at]
    for part in parts:
        at -= len(_words(part))
        if at < 0:
            return part
    return parts[-1]


def _no_such_move(snapshot: Snapshot, node: int, move: str) -> str:
    children = snapshot.children(node)
    where = "from the root" if node == 0 else f"after {snapshot.label(node)}"
    if not children:
        over = np.isfinite(snapshot.outcome[node])
        there = "the game is over there" if over else "the search did not go on from there"
        return f"No move {move[:60]!r} {where}: {there}"
    ranked = sorted(children, key=lambda v: -int(snapshot.visits[v]))
    names = [snapshot.label(v) for v in ranked[:NAMED_AT_MOST]]
    more = f" and {len(children) - len(names):,} more" if len(children) > len(names) else ""
    return f"No move {move[:60]!r} {where}; searched there: {', '.join(names)}{more}"


def _node_id(snapshot: Snapshot, number: str) -> int:
    if not number.isdecimal():
        raise PageError(f"After # a node id is expected, such as #17; got {number[:40]!r}")
    if len(number) >= 10 or int(number) >= len(snapshot):
        raise PageError(
            f"Node {number[:40]} is not in this trace, which has 0 to {len(snapshot) - 1:,}"
        )
    return int(number)


def _start(snapshot: Snapshot) -> list[int]:
    return [int(action) for action in snapshot.meta.get("start") or []]
