"""Finished games whose first visit alone gets another result than their own; and draws that one player loses."""

from __future__ import annotations

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search


class FromParent(Search):
    """What is simulated for a new node is its parent's position."""

    def evaluate(self, leaf: Node) -> float:
        parent = leaf.parent
        if leaf.N or parent is None:
            return super().evaluate(leaf)
        return self.rollout(parent.state)


class DrawsLost(Search):
    """1 if the winner is who moved into the leaf, else −1; the sign is turned from there up."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        leaf = path[-1]
        value = 1.0 if super().worth(leaf, outcome) > 0 else -1.0
        for node in reversed(path):
            node.N += 1
            node.W += value
            value = -value


def found(kind: type[Search], **told: object) -> list[mv.Finding]:
    search = kind(Rules("tic_tac_toe", [0, 4]), seed=1)
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move", to_move="player", **told,
    ) as rec:  # fmt: skip
        for _ in range(600):
            search.step()
            rec.iteration()
    return [one for one in rec.trace.check() if one.severity != "note"]


def test_that_only_first_visits_are_wrong_is_said() -> None:
    (finding,) = found(FromParent, outcome="outcome")
    assert finding.check == "value-not-the-result"
    assert "always at the first visit of a node" in finding.message
    assert "simulated from another position" in finding.message


def test_a_draw_that_is_lost_by_one_and_won_by_the_other_is_a_warning() -> None:
    (finding,) = found(DrawsLost, game="tic_tac_toe", start=[0, 4])
    assert (finding.check, finding.severity) == ("value-draw-as-win", "warning")
    assert "as a loss, and 1 to those of the other one, as a win" in finding.message
