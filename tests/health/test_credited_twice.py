"""Nodes whose values leave the declared range: no average of their children's does, whatever its weights."""

from __future__ import annotations

import pytest

from tests.health.unusual import START, Node, Rules, Search, watched


class LeafTwice(Search):
    """A win counts twice at the leaf."""

    leaf: Node | None = None

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        self.leaf = path[-1]
        super().backpropagate(path, outcome)

    def worth(self, node: Node, outcome: float) -> float:
        return super().worth(node, outcome) + self.more(node, outcome)

    def more(self, node: Node, outcome: float) -> float:
        return float(node is self.leaf and super().worth(node, outcome) > 0)


class ByDepth(LeafTwice):
    """A win counts more, the deeper the node is."""

    def more(self, node: Node, outcome: float) -> float:
        depth, above = 0, node.parent
        while above is not None:
            depth, above = depth + 1, above.parent
        return 0.25 * depth * (Search.worth(self, node, outcome) > 0)


@pytest.mark.parametrize("kind", [LeafTwice, ByDepth])
def test_values_beyond_the_declared_range_are_no_other_back_up(kind: type[LeafTwice]) -> None:
    trace = watched(kind(Rules("tic_tac_toe", START["tic_tac_toe"]), 1), 500, value_range=(-1, 1))
    assert {one.check for one in trace.check() if one.severity != "note"} & {
        "value-out-of-range", "value-uneven", "value-discount",
    }  # fmt: skip
