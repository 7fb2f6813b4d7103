"""Answers that are kept by a number with all its digits are never shared: the tree gets no deeper than the first."""

from __future__ import annotations

import math
from typing import Any

import mcts_viz as mv
from tests.recording.belief_searches import POMCP_FIELDS, Pomcp

CHECK = "chance-unshared"
PLAIN = {name: each for name, each in POMCP_FIELDS.items() if name != "belief"}


class Loudness(Pomcp):
    """Hears how loud the tiger is, a number that is put into bins or not."""

    def __init__(self, bins: bool) -> None:
        super().__init__()
        self._bins = bins

    def _world(self, state: str, act: str) -> tuple[str, str, float, bool]:
        after, _, reward, over = super()._world(state, act)
        loud = (1.0 if state == "tiger-left" else -1.0) + self._random.gauss(0, 0.8)
        return after, str(round(loud) if self._bins else loud), reward, over


class Widened(Loudness):
    """A few of the answers that there may be (progressive widening)."""

    def _simulate(self, state: str, node: Any, depth: int) -> float:
        self._node = node
        return super()._simulate(state, node, depth)

    def _world(self, state: str, act: str) -> tuple[str, str, float, bool]:
        after, seen, reward, over = super()._world(state, act)
        known = self._node.children.get(act, None)
        if known is not None and len(known.children) > 2 * math.sqrt(known.num_visits + 1):
            seen = self._random.choice(list(known.children))
        return after, seen, reward, over


def findings(search: Pomcp, fields: dict[str, Any]) -> dict[str, mv.Finding]:
    with mv.record(root=search.root, **fields) as rec:
        for _ in rec.steps(search.step, 500):
            pass
    return {one.check: one for one in rec.trace.check()}


def test_observations_that_are_not_put_into_bins_are_named() -> None:
    for fields, severity in ((POMCP_FIELDS, "warning"), (PLAIN, "note")):
        one = findings(Loudness(bins=False), fields)[CHECK]
        assert one.severity == severity
        assert "answers are never shared" in one.message
        assert "not rounded or put into bins" in one.message


def test_answers_that_come_again_are_right() -> None:
    for search in (Loudness(bins=True), Widened(bins=False), Pomcp()):
        assert CHECK not in findings(search, POMCP_FIELDS)
