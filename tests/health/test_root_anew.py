"""A tree that is kept after a move, whose new root begins with no visits though its children have theirs."""

from __future__ import annotations

import math

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Node, Rules, Search


class AtLeastOne(Search):
    """Its root may have no visits."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(max(node.N, 1)) / child.N)


def kept(reset: bool, seed: int) -> mv.Trace:
    search = AtLeastOne(Rules("connect_four", START["connect_four"]), seed)
    for _ in range(300):
        search.step()
    search.root = max(search.root.children, key=lambda child: child.N)
    search.root.parent = None
    if reset:
        search.root.N, search.root.W = 0, 0.0
    with mv.record(
        root=lambda: search.root, children="children", visits="N", value="W", action="move", to_move="player",
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 200):
            pass
    return rec.trace


@pytest.mark.parametrize("seed", [1, 2])
def test_a_root_that_lost_its_visits_is_told_of_and_iterations_are_not(seed: int) -> None:
    trace = kept(reset=True, seed=seed)
    assert trace.meta.watched.grown_before
    assert any("had visits before the recording began" in note for note in trace.meta.notes)
    (finding,) = (one for one in trace.check() if one.severity != "note")
    assert finding.check == "reuse-doubled"
    assert "node 0 of the reused tree has 1 visit, its children together" in finding.message


def test_a_root_that_kept_them_is_right() -> None:
    trace = kept(reset=False, seed=1)
    assert not trace.meta.watched.grown_before
    assert not [one for one in trace.check() if one.severity != "note"]
