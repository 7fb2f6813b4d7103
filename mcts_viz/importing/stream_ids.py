"""Which node of the trace an id of the stream means, where lines were skipped: their nodes are lost, and ids go on.

Knows ids only.
"""

from __future__ import annotations

import bisect

from mcts_viz.errors import ImportFormatError


class LostNodesError(ImportFormatError):
    """An event that names nodes of a line that was skipped."""


class StreamIds:
    """From ids of the stream to node ids of the trace."""

    def __init__(self) -> None:
        self.next_id = 1  # the id that the next new node has in the stream
        self.are_known = True  # not after a line whose number of new nodes is not known
        self.are_written: bool | None = None  # whether new nodes say theirs; None: none has come
        # from each of these ids on, up to the next one, (id - shift) is the node; -1: there is none
        self._from, self._shift = [0], [0]

    @property
    def are_nodes(self) -> bool:
        """Whether every id is the node's own, as no line was skipped."""
        return len(self._from) == 1

    @property
    def can_go_on(self) -> bool:
        """Whether the ids of what comes can be known, now or once an event says those of its nodes."""
        return self.are_known or self.are_written is not False

    def node(self, field: str, id_: int, n_ids: int) -> int:
        """The node of an id below `n_ids`; raises ImportFormatError naming the field."""
        if id_ >= n_ids:
            if not self.are_known:
                raise uncertain_ids()
            raise ImportFormatError(
                f"{field}: there is no node {id_} yet, only 0 to {n_ids - 1}; make it in new_nodes first (ids count "
                "up in the order in which nodes are made)"
            )
        if self.are_nodes:
            return id_
        shift = self._shift[bisect.bisect_right(self._from, id_) - 1]
        if shift < 0:
            raise LostNodesError(f"{field}: node {id_} was made in a line that was skipped")
        return id_ - shift

    def resume(self, first: int | None, n_nodes: int) -> None:
        """Ids are known again where an event says that of its first new node."""
        if not self.are_known and first is not None and first >= self.next_id:
            self.lose(first, n_nodes)
            self.are_known = True

    def lose(self, next_id: int, n_nodes: int) -> None:
        """The ids up to `next_id` belong to no node; the trace has `n_nodes`."""
        if next_id > self.next_id:
            self._from += (self.next_id, next_id)
            self._shift += (-1, next_id - n_nodes)
            self.next_id = next_id


def uncertain_ids() -> LostNodesError:
    """The error for new nodes while ids are not known."""
    return LostNodesError(
        "its ids are not certain: nobody knows how many nodes were made in a line that was skipped"
    )
