"""Nodes named by people: by id, or by the moves that lead there, as the tree writes them or as action ids.

The name on the board comes before an id, as wherever moves are typed: in Connect Four "4 3" are columns 4 and 3, though
4 and 3 are also the ids of columns 5 and 4, which are written "id:4 id:3".
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from mcts_viz.errors import PageError
from mcts_viz.games.moves import MoveNames
from mcts_viz.trace.snapshot import Snapshot

SEPARATORS = re.compile(r"[\s,;·›>→]+")
PARTS = re.compile(r"[,;·›>→\n]+")
NAMED_AT_MOST = 12  # moves listed in an error


class Reading(NamedTuple):
    """One of the nodes that a text may mean."""

    node: int
    how: str  # "node id", "moves", "action ids" or "moves from the first position"


def path_moves(snapshot: Snapshot, node: int) -> list[str]:
    """Names of the moves from the game's first position to the node: a search's start position is part of them."""
    before = [snapshot.meta.action_name(action) for action in snapshot.meta.start]
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
        found.append(Reading(int(number), "node id"))
    found += _reading(snapshot, wanted, True, "action ids")
    if not found:
        follow(snapshot, wanted)  # raises
    first_of: dict[int, Reading] = {}
    for reading in found:
        first_of.setdefault(reading.node, reading)
    return list(first_of.values())


def _by_moves(snapshot: Snapshot, text: str) -> list[Reading]:
    found = []
    start = [snapshot.meta.action_name(action) for action in snapshot.meta.start]
    words, before = _words(text), _words(" ".join(start))
    if before and words[: len(before)] == before:
        rest = " ".join(words[len(before) :])
        found += _reading(snapshot, rest, False, "moves from the first position")
    return found + _reading(snapshot, text, False, "moves")


def _reading(snapshot: Snapshot, text: str, by_id: bool, how: str) -> list[Reading]:
    try:
        return [Reading(follow(snapshot, text, by_id), how)]
    except PageError:
        return []


def follow(snapshot: Snapshot, text: str, by_id: bool = True) -> int:
    """The node that moves from the root lead to, with `by_id` also bare action ids; raises PageError naming the first
    that is not there, and what is there instead."""
    words = _words(text)
    node, at = 0, 0
    while at < len(words):
        moves = _moves_after(snapshot, node)
        for end in range(len(words), at, -1):
            child = moves.child(" ".join(words[at:end]), by_id)
            if child is not None:
                node, at = child, end
                break
        else:
            raise PageError(_no_such_move(snapshot, node, _part(text, at)))
    return node


class _Moves(NamedTuple):
    """The children of a node, and what their moves may be called."""

    children: list[int]
    names: MoveNames

    def child(self, text: str, by_id: bool) -> int | None:
        place = self.names.place(text)
        if place is not None and not by_id and place == self.names.place_of_id(text):
            return None
        return None if place is None else self.children[place]


def _moves_after(snapshot: Snapshot, node: int) -> _Moves:
    children = snapshot.children(node)
    names = [" ".join(_words(snapshot.label(v))) for v in children]
    ids = [int(snapshot.action[v]) for v in children]
    return _Moves(children, MoveNames(names, ids, snapshot.meta.action_labels))


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
    where = "from the root" if node == 0 else f"after {snapshot.short_label(node)}"
    if not children:
        over = np.isfinite(snapshot.outcome[node])
        there = "the game is over there" if over else "the search did not go on from there"
        return f"No move {move[:60]!r} {where}: {there}"
    ranked = sorted(children, key=lambda v: -int(snapshot.visits[v]))
    names = [snapshot.short_label(v) for v in ranked[:NAMED_AT_MOST]]
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
