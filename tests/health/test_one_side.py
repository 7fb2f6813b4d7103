"""Wins that are added at nodes of one side alone, where nobody says who moves."""

from __future__ import annotations

import pytest

from tests.health.unusual import START, Node, Rules, Search, watched
from tests.variants import few


class OnlyMine(Search):
    """Wins of the player at the root count where it moved, and nothing else."""

    def worth(self, node: Node, outcome: float) -> float:
        return float(super().worth(node, outcome) > 0 and self.mine(node))

    def mine(self, node: Node) -> bool:
        return node.parent is not None and node.parent.player == self.root.player


class OfBoth(OnlyMine):
    def mine(self, node: Node) -> bool:
        return True


@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize("kind", [OnlyMine, OfBoth])
def test_nodes_of_every_other_level_that_get_nothing_are_a_note(
    kind: type[OnlyMine], game: str
) -> None:
    told = {"game": None, "start": None, "to_move": None, "value_range": (0, 1)}
    trace = watched(kind(Rules(game, START[game]), 1), 800, **told)
    found = [one for one in trace.check() if one.check == "value-one-side"]
    assert [one.severity for one in found] == ["note"] * (kind is OnlyMine)
    if found:
        assert "always get 0" in found[0].message
        assert "if winner == self.player" in found[0].message
