"""Results that somebody else's search has proven: they are shown and exported, and no score is made of them."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.iteration.captions import choice_caption
from mcts_viz.analysis.iteration.phases import phase_story
from mcts_viz.analysis.node.facts import node_facts
from mcts_viz.export.events import event_chunks
from mcts_viz.importing.formats import import_trace
from mcts_viz.views.proofs import proofs
from mcts_viz.web.panels.tabs.children import changed_columns


class Node:
    """A node of Nim: up to three stones in turn, who takes the last one wins."""

    def __init__(self, stones: int, player: int, move: int | None = None) -> None:
        self.stones, self.player, self.move = stones, player, move
        self.children: list[Node] = []
        self.visits, self.value = 0, 0.0
        self.proven: int | None = None  # 1: player 0 wins

    def wins(self, player: int) -> bool:
        return self.proven == (1 if player == 0 else -1)


def iteration(root: Node, draw: random.Random) -> None:
    """One of MCTS-Solver: a child that is proven to lose for who chooses is left alone."""
    path = [root]
    while path[-1].visits and path[-1].stones:
        node = path[-1]
        if not node.children:
            moves = range(1, min(3, node.stones) + 1)
            node.children = [Node(node.stones - n, 1 - node.player, n) for n in moves]
        open_ones = [each for each in node.children if not each.wins(1 - node.player)]
        path.append(max(open_ones or node.children, key=lambda child: ucb(node, child)))
    stones, player = path[-1].stones, path[-1].player
    while stones:
        stones, player = stones - draw.randint(1, min(3, stones)), 1 - player
    for node in reversed(path):
        node.visits += 1
        node.value += 1 if node.player == player else -1
        mover = 1 - node.player
        if not node.stones or (node.children and all(each.wins(mover) for each in node.children)):
            node.proven = 1 if mover == 0 else -1
        elif any(each.wins(node.player) for each in node.children):
            node.proven = 1 if node.player == 0 else -1


def ucb(node: Node, child: Node) -> float:
    if not child.visits:
        return math.inf
    return child.value / child.visits + math.sqrt(math.log(node.visits) / child.visits)


@pytest.fixture(scope="module")
def trace() -> mv.Trace:
    root, draw = Node(9, 0), random.Random(3)
    with mv.record(
        root=root, children="children", visits="visits", value="value", action="move", to_move="player",
        value_view="mover", proven="proven", selection="ucb1", c=1.0,
    ) as rec:  # fmt: skip
        for _ in range(150):
            iteration(root, draw)
            rec.iteration()
    return rec.trace


def test_what_is_proven_is_shown_and_the_scores_stay_those_of_the_formula(trace: mv.Trace) -> None:
    tree = trace.at(trace.n_iterations)
    proven = trace.columns.proven
    lost = next(
        v
        for v, outcome in zip(proven.node.tolist(), proven.outcome)
        if tree.parent[v] == 0 and outcome == -1
    )
    facts = node_facts(tree, lost)
    assert facts.proven == "player 1 wins"
    assert not facts.result_competes
    expected = tree.mean_value[lost] + math.sqrt(math.log(tree.visits[0]) / tree.visits[lost])
    assert facts.score == pytest.approx(expected)
    told = proofs(trace.columns, tree, np.array([0, lost]))
    assert told.proven.tolist() == [1, -1]
    assert 0 < told.proven_at[1] < told.proven_at[0] <= trace.n_iterations
    assert told.proven_score is None
    assert "proven" in [each["field"] for each in changed_columns(trace, None)]
    assert tree.shows_proofs


def test_a_choice_against_the_formula_says_that_it_does_not_see_proofs(trace: mv.Trace) -> None:
    said = [choice_caption(each) for t in range(1, 151) for each in phase_story(trace, t).choices]
    against = [words for words in said if "against the recorded formula" in words]
    assert against
    assert all(words.endswith(", which does not see the proven results") for words in against)
    assert not any("proven, " in words for words in said)


def test_they_come_back_from_events(trace: mv.Trace, tmp_path: Path) -> None:
    events = tmp_path / "events.ndjson"
    with events.open("wb") as file:
        file.writelines(event_chunks(trace))
    import_trace(events, tmp_path / "back.mcts")
    back = mv.open(tmp_path / "back.mcts").columns.proven
    assert len(back.node) > 5
    for name in ("node", "outcome", "at"):
        assert np.array_equal(getattr(back, name), getattr(trace.columns.proven, name))
