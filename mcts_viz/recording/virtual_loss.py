"""Virtual losses: what nodes carry while paths through them are on their way, taken off their numbers.

Knows nodes and numbers, no tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcts_viz.errors import TraceError
from mcts_viz.recording.careful_reader import brief
from mcts_viz.recording.fields import Field, Node, Reader, reader
from mcts_viz.recording.values import Values
from mcts_viz.types import is_whole


class VirtualLoss:
    """given: for a node, the visits that it carries, each with the value of a loss, or a pair of visits and
    value. visits, value: the fields with them. Raises TraceError where the value of a loss is not known."""

    def __init__(self, given: Field, visits: Field, value: Field, values: Values) -> None:
        self._given, self._fields, self._values = given, (visits, value), values
        self._readers: tuple[Reader, Reader, Reader] | None = None

    def _read(self, node: Node) -> tuple[Reader, Reader, Reader]:
        if self._readers is None:
            visits, value = self._fields
            self._readers = (
                reader("virtual_loss", self._given, node),
                reader("visits", visits, node),
                reader("value", value, node),
            )
        return self._readers

    def carried(self, node: Node) -> tuple[int, float]:
        """Visits and value that the node carries, which are not its own."""
        found = self._read(node)[0](node) or 0
        if is_whole(found):
            return int(found), int(found) * self._loss(int(found))
        try:
            visits, value = found  # type: ignore[misc]  # whatever it is
            return int(visits), float(value)
        except (TypeError, ValueError) as err:
            raise TraceError(
                f"virtual_loss= gives {brief(found)}; give the visits that a node carries for paths on their way, or a "
                "pair of visits and value: virtual_loss=lambda node: (0, -node.losses)"
            ) from err

    def _loss(self, carried: int) -> float:
        """The value of a loss for the player who moved into a node, in the view that the search keeps."""
        values = self._values
        if carried and values.needs_players:
            raise TraceError(
                f"virtual_loss= with value_view={values.view!r}: a loss is another number for each player; give a pair "
                "of visits and value that a node carries: virtual_loss=lambda node: (node.virtual, …)"
            )
        return values.low if values.view == "mover" else values.high

    def visits(self, node: Node) -> object:
        """The node's own, without those that it carries."""
        read = self._readers or self._read(node)  # asked for every child of a path: most carry none
        found = read[1](node)
        return found - self.carried(node)[0] if read[0](node) else found

    def value(self, node: Node) -> object:
        """The same of its value."""
        read_carried, read_visits, read_value = self._readers or self._read(node)
        found = read_value(node)
        if found is None or not read_carried(node):
            return found
        visits, value = self.carried(node)
        if self._values.kind == "sum":
            return found - value
        n = read_visits(node)
        return (found * n - value) / (n - visits) if n > visits else 0.0

    def all_visits(self, nodes: Sequence[Node]) -> Iterable[object]:
        """`visits` of each of some siblings, of which most often none carries anything."""
        if not nodes:
            return ()
        read = self._readers or self._read(nodes[0])
        return map(self.visits, nodes) if any(map(read[0], nodes)) else map(read[1], nodes)

    def in_flight(self, node: Node) -> int:
        """Visits that the node carries; 1 where it carries a value alone."""
        if not (self._readers or self._read(node))[0](node):
            return 0
        visits, value = self.carried(node)
        return visits or int(bool(value))
