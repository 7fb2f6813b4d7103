"""Looks again at the positions of some watched nodes, whether they are still what they were: a board
that rollouts are played on, or that nodes share, changes after its node was made.

Seldom, and at few nodes, for making a text of a position can cost more than an iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcts_viz.errors import TraceError
from mcts_viz.recording.watched_node import WatchedNode

MOST_NODES = 128
FIRST_LOOK = 8  # iterations
LATER_LOOKS = 1.5  # times as many iterations as at the look before


class StateWatch:
    """`read` gives the text of a node's position; raises TraceError where it cannot be read."""

    def __init__(self, read: Callable[[WatchedNode], str | None]) -> None:
        self._read = read
        self._seen: list[tuple[WatchedNode, str]] = []  # with the text last seen
        self._every = 1  # of how many nodes one is looked at
        self._iterations, self._next_look = 0, FIRST_LOOK

    def add(self, watched: WatchedNode, text: str | None) -> None:
        """A new node, and the text of its position; None where it has none."""
        if text is None or watched.id % self._every:
            return
        self._seen.append((watched, text))
        while len(self._seen) > MOST_NODES:
            self._every *= 2
            self._seen = [seen for seen in self._seen if seen[0].id % self._every == 0]

    def changes(self) -> Iterator[tuple[int, str]]:
        """To be asked after each iteration: (node id, text) of the positions that are not those last
        seen."""
        self._iterations += 1
        if self._iterations < self._next_look:
            return
        self._next_look = int(self._next_look * LATER_LOOKS)
        for place, (watched, before) in enumerate(self._seen):
            try:
                text = self._read(watched)
            except TraceError:
                continue  # the search has let go of it
            if text is not None and text != before:
                self._seen[place] = watched, text
                yield watched.id, text
