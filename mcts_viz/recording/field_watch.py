"""Looks again at a field of some watched nodes, whether it is still what it was: a board that rollouts are played on,
or that nodes share, changes after its node was made, and so do priors of a search that makes them of its own values.

Seldom, and at few nodes, for making a text of a position can cost more than an iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from mcts_viz.errors import TraceError
from mcts_viz.recording.watched_node import WatchedNode

MOST_NODES = 128
FIRST_LOOK = 8  # iterations
LATER_LOOKS = 1.5  # times as many iterations as at the look before


Value = TypeVar("Value", str, float)


class FieldWatch(Generic[Value]):
    """`read` gives the field of a node, such as the text of its position; raises TraceError where it cannot be read."""

    def __init__(self, read: Callable[[WatchedNode], Value | None]) -> None:
        self._read: Callable[[WatchedNode], Value | None] = read
        self._seen: list[tuple[WatchedNode, Value]] = []  # with what was seen last
        self._every = 1  # of how many nodes one is looked at
        self._iterations, self._next_look = 0, FIRST_LOOK

    def add(self, watched: WatchedNode, value: Value | None) -> None:
        """A new node, and its field; None where it has none."""
        if value is None or watched.id % self._every:
            return
        self._seen.append((watched, value))
        while len(self._seen) > MOST_NODES:
            self._every *= 2
            self._seen = [seen for seen in self._seen if seen[0].id % self._every == 0]

    def changes(self) -> Iterator[tuple[int, Value]]:
        """To be asked after each iteration: (node id, value) of the fields that are not those last seen."""
        self._iterations += 1
        if self._iterations < self._next_look:
            return
        self._next_look = int(self._next_look * LATER_LOOKS)
        for place, (watched, before) in enumerate(self._seen):
            try:
                value = self._read(watched)
            except TraceError:
                continue  # the search has let go of it
            if value is not None and value != before:
                self._seen[place] = watched, value
                yield watched.id, value
