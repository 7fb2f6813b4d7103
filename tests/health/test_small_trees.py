"""Correct searches whose trees are kept small: of limited size, pruned now and then, without moves that a heuristic
says are not worth a look; rollouts that stop early; and moves that are tried by turns."""

from __future__ import annotations

import random
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.trace.asides import PRUNED
from tests.health.unusual import Node, Rules, Search, watched


def complaints(findings: list[mv.Finding]) -> list[str]:
    return [str(one) for one in findings if one.severity != "note"]


class Limited(Search):
    """A tree of 150 nodes."""

    room = 150

    def grow(self, node: Node) -> Node | None:
        if not self.room:
            return None
        made = super().grow(node)
        self.room -= made is not None
        return made


def test_a_tree_of_limited_size_is_a_note() -> None:
    findings = watched(Limited(Rules("tic_tac_toe", []), 1), 500).check()
    assert complaints(findings) == []
    (stops,) = (one for one in findings if one.check == "expansion-stops")
    assert "where its size is limited" in stops.message


class FirstMoves(Search):
    """Nodes of one depth are never given children: a limit, or a mistake."""

    limit = 2

    def grow(self, node: Node) -> Node | None:
        depth, above = 0, node.parent
        while above is not None:
            depth, above = depth + 1, above.parent
        return super().grow(node) if depth < self.limit else None


class OfLimitedDepth(FirstMoves):
    limit = 3


def test_a_tree_that_stops_near_the_root_is_warned_of() -> None:
    findings = watched(FirstMoves(Rules("tic_tac_toe", []), 1), 800).check()
    (stops,) = (one for one in findings if one.check == "expansion-stops")
    assert stops.severity == "warning"


def test_a_tree_of_limited_depth_is_a_note() -> None:
    findings = watched(OfLimitedDepth(Rules("tic_tac_toe", []), 1), 2_000).check()
    assert complaints(findings) == []
    (stops,) = (one for one in findings if one.check == "expansion-stops")
    assert "All of these are at depth 3: so it is where the depth is limited" in stops.message


class Forgetful(Search):
    """Every hundred iterations children that were visited once are taken out of the tree."""

    def step(self) -> None:
        super().step()
        below = [self.root] if self.iterations % 100 == 0 else []
        while below:
            node = below.pop()
            seldom = [child for child in node.children if child.N < 2 and len(node.children) > 1]
            for child in seldom:
                node.children.remove(child)
                assert node.untried is not None
                node.untried.append(child.move)
            below += node.children


@pytest.mark.thorough
@pytest.mark.parametrize("told", [{}, {"selection": "ucb1", "c": 1.4}])
def test_children_taken_out_of_the_tree_and_made_again_are_a_note(told: dict[str, Any]) -> None:
    trace = watched(Forgetful(Rules("tic_tac_toe", []), 1), 500, **told)
    findings = trace.check()
    assert complaints(findings) == []
    assert "taken out of the tree" in " ".join(one.message for one in findings)
    assert any(PRUNED in note for note in trace.meta["notes"])


class ExpandedAgain(Search):
    """A mistake: children are made again, all together."""

    def choose(self, node: Node) -> Node:
        if node.N == 15:
            for move in [child.move for child in node.children]:
                self.add(node, move)
            node.children = node.children[len(node.children) // 2 :]
            return node.children[0]
        return super().choose(node)


def test_children_that_are_replaced_together_are_an_error() -> None:
    findings = watched(ExpandedAgain(Rules("tic_tac_toe", []), 1), 500).check()
    assert "expansion-duplicate" in [one.check for one in findings if one.severity == "error"]


class Picked(Search):
    """Moves whose mark, by a heuristic, is low are left out."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            moves = self.rules.moves(node.state)
            marks = {move: random.Random(f"{node.state} {move}").random() for move in moves}
            node.untried = [move for move in moves if marks[move] > 0.35] or moves
        return super().grow(node)


class WithoutTheLast(Search):
    """A mistake: the last of the legal moves is passed over."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)[:-1] or self.rules.moves(node.state)
        return super().grow(node)


def test_moves_that_a_heuristic_leaves_out_are_a_note() -> None:
    findings = watched(Picked(Rules("tic_tac_toe", []), 1), 800).check()
    assert complaints(findings) == []
    assert "expansion-missing" in [one.check for one in findings]


def test_a_move_that_is_always_left_out_is_warned_of() -> None:
    findings = watched(WithoutTheLast(Rules("tic_tac_toe", []), 1), 800).check()
    assert any("expansion-missing" in each for each in complaints(findings))


class DrawnAfterFour(Search):
    """A rollout that is not over after four moves counts as drawn."""

    def rollout(self, state: Any) -> float:
        for _ in range(4):
            outcome = self.rules.outcome(state)
            if outcome is not None:
                return float(outcome)
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        return float(self.rules.outcome(state) or 0.0)


class NeverWon(Search):
    """A mistake: three wins in ten are taken for draws."""

    def rollout(self, state: Any) -> float:
        outcome = super().rollout(state)
        if self.rules.outcome(state) is not None:
            return outcome
        return 0.0 if self.random.random() < 0.3 else outcome


class FirstMove:
    """The first of eight moves decides who wins."""

    name, n_actions, first = "first_move", 2, ()

    def initial_state(self) -> Any:
        return self.first

    def to_move(self, state: Any) -> int:
        return len(state) % 2

    player = to_move

    def legal_actions(self, state: Any) -> list[int]:
        return [0, 1]

    moves = legal_actions

    def play(self, state: Any, action: int) -> Any:
        return (*state, action)

    def outcome(self, state: Any) -> float | None:
        return 2.0 * state[0] - 1.0 if len(state) == 8 else None

    def action_name(self, action: int) -> str:
        return "ab"[action]


def of_first_move(kind: type[Search]) -> list[mv.Finding]:
    told: dict[str, Any] = {"game": FirstMove(), "to_move": "player", "players": None}
    search = kind(FirstMove(), 1)
    return list(watched(search, 300, outcomes=True, value_range=(-1.0, 1.0), **told).check())


def impossible(kind: type[Search]) -> mv.Finding:
    (one,) = (one for one in of_first_move(kind) if one.check == "simulation-impossible")
    return one


def test_rollouts_that_stop_early_are_a_note() -> None:
    one = impossible(DrawnAfterFour)
    assert one.severity == "note"
    assert "where rollouts stop after some moves" in one.message


def test_draws_close_to_the_end_are_warned_of() -> None:
    assert impossible(NeverWon).severity == "warning"


class ByTurns(Search):
    """The root's moves in blocks, of which the better half goes on: sequential halving, without a tree below."""

    def __init__(self, rules: Any, seed: int) -> None:
        super().__init__(rules, seed)
        self.due: list[Node] = []
        self.alive: list[Node] = []

    def grow(self, node: Node) -> Node | None:
        return super().grow(node) if node is self.root else None

    def choose(self, node: Node) -> Node:
        if not self.due:
            alive = self.alive or node.children
            if self.alive:
                alive = sorted(alive, key=lambda child: -child.Q)[: (len(alive) + 1) // 2]
            self.alive = list(alive)
            self.due = [child for child in alive for _ in range(100 // len(alive))]
        return self.due.pop()


@pytest.mark.thorough
def test_moves_that_are_tried_by_turns_are_no_error() -> None:
    for seed in (1, 2, 3):
        search = ByTurns(Rules("tic_tac_toe", []), seed)
        assert complaints(list(watched(search, 450).check())) == []


def test_rollouts_that_are_played_on_the_node_s_own_state_are_said_to_stop_the_tree() -> None:
    class OnOwnState(Search):
        def evaluate(self, leaf: Any) -> float:
            while leaf.outcome is None:
                move = self.random.choice(self.rules.moves(leaf.state))
                leaf.state = self.rules.play(leaf.state, move)
                leaf.outcome = self.rules.outcome(leaf.state)
            return float(leaf.outcome)

    def said(kind: type[Search]) -> str:
        search = kind(Rules("connect_four", [3, 3]), 1)
        trace = watched(search, 600, game=None, start=None, to_move=None)
        return " ".join(one.message for one in trace.check() if one.check == "expansion-stops")

    assert "played on the node's own state" in said(OnOwnState)
    assert "played on the node's own state" not in said(Search)
