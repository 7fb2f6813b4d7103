"""What the author of a search tells of it and no formula knows: a score of children, and rewards on the way."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from tests.complaints import complaints
from tests.health import unusual
from tests.recording.late_searches import AlphaZero, AlphaZeroNode, MuZero, ucb_score


def muzero(wrong: str = "", n: int = 60, **changes: Any) -> mv.Trace:
    search = MuZero(wrong)
    fields: dict[str, Any] = {
        "children": "children", "visits": "visit_count", "value": "value_sum", "reward": "reward",
        "value_range": (0, 10), "players": ("agent",), "discount": 0.9, **changes,
    }  # fmt: skip
    on = (MuZero, "backpropagate")
    with mv.record(root=lambda _, path: path[0], on=on, **fields) as rec:
        search.run(n)
    return rec.trace


def alphazero(score: Any, epsilon: float = 0.0) -> mv.Trace:
    with mv.record(
        root=lambda _, path: path[0], on=(AlphaZero, "backpropagate"), children="children",
        visits="visit_count", value="value_sum", value_view="to_move",
        to_move=lambda node: 0 if node.to_play == 1 else 1, prior="prior", score=score,
    ) as rec:  # fmt: skip
        AlphaZero(epsilon).run(150)
    return rec.trace


def checks(trace: mv.Trace) -> dict[str, mv.Finding]:
    return {found.check: found for found in trace.check()}


def test_a_score_that_explains_all_choices_is_the_rule() -> None:
    found = checks(alphazero(ucb_score))
    assert [each.severity for each in found.values()] == ["note"]
    assert "the score that its author tells explains all" in found["selection-rule"].message


@pytest.mark.thorough
def test_a_search_that_does_not_follow_its_own_score_is_told_where() -> None:
    trace = alphazero(ucb_score, epsilon=0.2)
    found = checks(trace)["selection-own-score"]
    assert found.severity == "error"
    miss = trace.columns.asides.misses[0]
    assert (found.iteration, found.node) == (miss.row + 1, miss.node)
    assert found.evidence["times"] == len(trace.columns.asides.misses)
    assert f"{miss.best_score:.6g}" in found.message
    assert f"{miss.score:.6g}" in found.message
    assert miss.child in trace.iteration(miss.row + 1).path


def test_a_child_of_another_score_than_an_infinite_one_is_a_miss() -> None:
    """As where unvisited children are to come first, and one with visits is taken."""
    found = checks(
        alphazero(lambda parent, child: ucb_score(parent, child) if child.visit_count else math.inf)
    )
    assert found["selection-own-score"].severity == "error"
    assert "has infinite" in found["selection-own-score"].message


def test_a_score_may_be_of_the_child_alone() -> None:
    trace = alphazero(lambda child: child.visit_count)
    assert checks(trace)["selection-own-score"].evidence["times"] > 50


@pytest.mark.parametrize("at_first", [0.0, None])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_an_attribute_that_is_written_while_the_search_chooses(
    at_first: float | None, epsilon: float
) -> None:
    draw = random.Random(1)

    class Scored:
        def __init__(self) -> None:
            self.visits, self.value, self.score = 0, 0.0, at_first
            self.children: list[Scored] = []

        def best(self) -> Scored:
            for child in self.children:
                child.score = (
                    math.inf
                    if not child.visits
                    else child.value / child.visits
                    + math.sqrt(math.log(self.visits) / child.visits)
                )
            if draw.random() < epsilon:
                return draw.choice(self.children)
            return max(self.children, key=lambda child: child.score or 0.0)

    def step() -> None:
        path = [root]
        while path[-1].children:
            path.append(path[-1].best())
        if path[-1].visits or path[-1] is root:
            path[-1].children = [Scored() for _ in range(3)]
            path.append(path[-1].best())
        won = draw.random()
        for node in path:
            node.visits += 1
            node.value += won

    root = Scored()
    with mv.record(
        root=root, children="children", visits="visits", value="value", value_range=(0, 1), score="score",
        players=("agent",),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 400):
            pass
    assert rec.trace.columns.compared is not None
    assert rec.trace.columns.compared.sum() > 500
    assert ("selection-own-score" in checks(rec.trace)) == (epsilon > 0)


@pytest.mark.parametrize("first", [True, False])
def test_a_score_that_is_for_children_with_visits_is_compared_among_them(first: bool) -> None:
    """Scores are written by back-up, 0 before the first visit; the search looks for children without visits itself."""
    draw = random.Random(1)

    class Scored:
        def __init__(self, parent: Scored | None) -> None:
            self.parent, self.visits, self.value, self.score = parent, 0, 0.0, 0.0
            self.children: list[Scored] = []

    def upper(node: Scored) -> float:
        above = node.parent.visits if node.parent else node.visits
        return 1 + node.value / node.visits + 0.5 * math.sqrt(math.log(above) / node.visits)

    def step() -> None:
        path = [root]
        while path[-1].children:
            new = [each for each in path[-1].children if not each.visits]
            if not new or (not first and draw.random() < 0.5 and len(new) < 3):
                path.append(max(path[-1].children, key=lambda each: each.score))
            else:
                path.append(new[0])
        if path[-1].visits or path[-1] is root:
            path[-1].children = [Scored(path[-1]) for _ in range(3)]
            path.append(path[-1].children[0])
        won = draw.random()
        for node in path:
            node.visits += 1
            node.value += won
        for node in path:
            for child in node.children:
                child.score = upper(child) if child.visits else 0.0

    root = Scored(None)
    with mv.record(
        root=root, children="children", visits="visits", value="value", value_range=(0, 1), score="score",
        players=("agent",),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 300):
            pass
    found = checks(rec.trace)
    if first:
        assert "math.inf" in found["selection-rule"].message
        assert [one.check for one in found.values() if one.severity != "note"] == []
    else:
        assert found["selection-own-score"].severity == "error"


def _at_unvisited(parent: AlphaZeroNode, child: AlphaZeroNode) -> float:
    return child.value_sum / child.visit_count


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (_at_unvisited, r"score=, a function, fails at node \d+ .*ZeroDivisionError.*math\.inf if not child"),
        (lambda parent, child: float("nan"), r"score=\(a function\) gives nan at node"),
        (lambda parent, child: "high", r"gives 'high' at node .*, not a number"),
        ("prioor", r"score='prioor': .* has no attribute 'prioor'.*Did you mean score='prior'"),
        (lambda a, b, c: 0, r"takes 3 arguments \(a, b, c\); give a function of parent and child"),
    ],
)  # fmt: skip
def test_a_score_that_cannot_be_had_is_refused(score: Any, message: str) -> None:
    with pytest.raises(mv.TraceError, match=message):
        alphazero(score)


@pytest.mark.thorough
def test_rewards_that_are_carried_up_rightly_are_no_finding() -> None:
    assert complaints(muzero()) == []
    assert "value-reward" not in checks(muzero(discount=None))
    found = checks(muzero(score=MuZero().score))
    assert "explains all" in found["selection-rule"].message


@pytest.mark.parametrize(
    ("wrong", "words"),
    [("discounted twice", "rewards are discounted twice"), ("left out", "rewards are left out")],
)
def test_rewards_that_are_carried_up_wrongly_are_named(wrong: str, words: str) -> None:
    found = checks(muzero(wrong))["value-reward"]
    assert found.severity == "error"
    assert words in found.message


class Stones:
    """Take one, two or three of eight stones in turn; who takes the last one wins."""

    name, n_actions = "stones", 3

    def initial_state(self) -> tuple[int, int]:
        return 8, 0

    def to_move(self, state: tuple[int, int]) -> int:
        return state[1]

    def legal_actions(self, state: tuple[int, int]) -> range:
        return range(min(3, state[0]))

    def play(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return state[0] - action - 1, 1 - state[1]

    def outcome(self, state: tuple[int, int]) -> float | None:
        return None if state[0] else (1.0 if state[1] else -1.0)

    def action_name(self, action: int) -> str:
        return f"take {action + 1}"

    # as the searches of `unusual` ask
    first, start = (8, 0), list[int]()

    def moves(self, state: tuple[int, int]) -> list[int]:
        return list(self.legal_actions(state))

    def player(self, state: tuple[int, int]) -> int:
        return state[1]


def test_a_recording_knows_the_rules_that_it_was_given(tmp_path: Path) -> None:
    class EndsFlipped(unusual.Search):
        def evaluate(self, leaf: unusual.Node) -> float:
            sign = 1.0 if leaf.outcome is None else -1.0
            return sign * super().evaluate(leaf)

    told = {"game": Stones(), "to_move": "player", "players": None, "value_range": (-1.0, 1.0)}
    search, path = EndsFlipped(Stones(), 1), tmp_path / "stones.mcts"
    fields = {"children": "children", "visits": "N", "value": "W", "action": "move", **told}
    fields = {name: field for name, field in fields.items() if field is not None}
    with mv.record(path, root=search.root, **fields) as rec:  # type: ignore[arg-type]
        for _ in rec.steps(search.step, 300):
            pass
    assert "simulation-terminal" in checks(rec.trace)
    assert "simulation-terminal" not in checks(mv.open(path))  # a file has but the game's name
