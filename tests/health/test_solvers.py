"""What a solver does with proven children says nothing of the rule by which it chooses among the others."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, Solver, watched

DECLARED: Any = {
    "selection": {"name": "ucb1", "c": 1.4, "unvisited": "first"},
    "backpropagation": {"name": "scores", "solver": True},
}
FIELDS: Any = {
    "children": "children", "visits": "N", "value": "W", "action": "move", "to_move": "player", "proven": "proven",
    "outcome": "outcome",
}  # fmt: skip


class PassesOverWins(Solver):
    """The sign of the player is the wrong one."""

    def choose(self, node: Node) -> Node:
        lost = -1 if node.player == 0 else 1
        left = [child for child in node.children if child.proven in (None, lost)]
        return max(left or node.children, key=lambda child: self.score(node, child))


class LostTooEarly(Solver):
    """One lost child is enough for a loss."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for child, node in zip(path[:0:-1], path[-2::-1]):
            child.proven = child.outcome if child.proven is None else child.proven
            sign = 1 if node.player == 0 else -1
            known = [each.proven for each in node.children]
            if node.proven is None and child.proven is not None and not node.untried:
                node.proven = float(sign if sign in known else -sign)
        Search.backpropagate(self, path, outcome)


def checks(kind: type[Solver], start: list[int], seed: int = 1) -> dict[str, mv.Finding]:
    search = kind(Rules("tic_tac_toe", start), seed)
    with mv.record(root=search.root, policies=DECLARED, **FIELDS) as rec:
        for _ in rec.steps(search.step, 1_000):
            pass
    return {one.check: one for one in rec.trace.check()}


@pytest.mark.parametrize("start", [[], [0, 4], [4, 0, 8], [0, 1, 3]])
def test_proven_children_that_are_left_alone_are_right(start: list[int]) -> None:
    found = checks(Solver, start)
    assert [one.check for one in found.values() if one.severity != "note"] == []
    assert "UCB1 with the declared c = 1.4 explains all" in found["selection-rule"].message


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_wrong_proofs_are_no_mistake_of_the_formula(seed: int) -> None:
    found = checks(LostTooEarly, [0], seed)
    errors = [one.check for one in found.values() if one.severity != "note"]
    assert "proof-wrong" in errors
    assert not [check for check in errors if check.startswith("selection-")]


def test_a_proven_win_that_is_passed_over_is_no_rule() -> None:
    found = checks(PassesOverWins, [0, 1, 3])
    assert "selection-unexplained" in found


class ProvesEnds(Solver):
    """Nothing is carried up."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        path[-1].proven = path[-1].outcome
        Search.backpropagate(self, path, outcome)


class ProvesWins(Solver):
    """A node is won by one child, and never lost by all."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        path[-1].proven = path[-1].outcome if path[-1].proven is None else path[-1].proven
        for node in reversed(path[:-1]):
            sign = 1 if node.player == 0 else -1
            if sign in [child.proven for child in node.children]:
                node.proven = float(sign)
        Search.backpropagate(self, path, outcome)


def missing(kind: type[Solver], start: list[int], **told: Any) -> mv.Finding | None:
    trace = watched(kind(Rules("tic_tac_toe", start), 1), 600, proven="proven", **told)
    return next((one for one in trace.check() if one.check == "proof-missing"), None)


@pytest.mark.parametrize("start", [[0, 4, 8], [0, 1]])
def test_finished_games_that_alone_are_proven_are_named(start: list[int]) -> None:
    solver: dict[str, Any] = {"policies": {"backpropagation": {"name": "scores", "solver": True}}}
    kept, declared = missing(ProvesEnds, start), missing(ProvesEnds, start, **solver)
    assert kept is not None
    assert declared is not None
    assert (kept.severity, declared.severity) == ("note", "warning")
    assert "those of finished games alone" in kept.message
    assert missing(Solver, start, **solver) is None
    solver["policies"]["backpropagation"]["carried"] = False  # as OpenSpiel's with solve=False
    assert missing(ProvesEnds, start, **solver) is None


@pytest.mark.parametrize("start", [[0, 4, 8], [0, 1]])
def test_losses_that_are_never_proven_are_named(start: list[int]) -> None:
    one = missing(ProvesWins, start)
    assert one is not None
    assert one.severity == "warning"
    assert missing(Solver, start) is None


class LeastScore(Search):
    """A solver would take what is won."""

    def score(self, node: Node, child: Node) -> float:
        return -super().score(node, child)


@pytest.mark.parametrize("start", [[7, 1, 5, 0, 6, 4], [0, 5, 4, 7], [2, 7, 4, 5], [0, 7, 5, 3]])
@pytest.mark.parametrize("c", [None, 1.4])
def test_choices_of_a_solver_that_tells_no_proofs_are_no_mistake(
    start: list[int], c: float | None
) -> None:
    search = Solver(Rules("tic_tac_toe", start), 1)
    found = watched(search, 200, selection=c and "ucb1", c=c).check()
    selection = [one for one in found if one.check.startswith("selection-")]
    assert selection
    assert {one.severity for one in selection} == {"note"}, selection


@pytest.mark.parametrize("start", [[7, 1, 5], [0, 5, 4, 7]])
def test_a_mistake_near_the_end_is_not_excused_as_a_solver(start: list[int]) -> None:
    search = LeastScore(Rules("tic_tac_toe", start), 1)
    errors = [one for one in watched(search, 400).check() if one.severity == "error"]
    assert [one.check for one in errors if one.check.startswith("selection-")]
    assert not [one for one in errors if "Right in a solver" in one.message]


class Unheeded(Solver):
    """Any proven child proves its parent, and choices go by visits and values alone."""

    def choose(self, node: Node) -> Node:
        return max(node.children, key=lambda child: self.score(node, child))

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        if path[-1].outcome is not None:
            path[-1].proven = path[-1].outcome
        for node in reversed(path[:-1]):
            known = [child.proven for child in node.children if child.proven is not None]
            node.proven = known[0] if known and node.proven is None else node.proven
        Search.backpropagate(self, path, outcome)


def test_a_rule_that_heeds_no_proofs_is_named_with_its_c() -> None:
    search = Unheeded(Rules("tic_tac_toe", [0, 4, 8]), 1)
    found = {
        one.check: one
        for one in watched(search, 600, proven="proven", game=None, start=None).check()
    }
    assert "selection-unexplained" not in found
    assert "UCB1, with c = 1.4, explains all" in found["selection-rule"].message
    assert "is not heeded" in found["selection-rule"].message


class Corrects(Solver):
    """Once, a node above the leaf gets another number: what a proof makes of its visits before."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        if len(path) > 3 and self.iterations > 200 and not self.corrected and outcome:
            self.corrected = True
            path[-3].W -= self.worth(path[-3], outcome)

    corrected = False


@pytest.mark.thorough
def test_a_correction_by_proofs_is_a_note() -> None:
    def told(**fields: Any) -> list[mv.Finding]:
        return watched(Corrects(Rules("tic_tac_toe", [0, 4]), 1), 600, **fields).check()

    (one,) = (one for one in told(proven="proven") if one.check == "value-uneven")
    assert one.severity == "note"
    assert "results are proven and the visits before are corrected" in one.message
    assert not [one for one in told() if "are corrected" in one.message]
