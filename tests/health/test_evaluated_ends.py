"""Finished games that are given an evaluation, not their result; and those that count by how much they are won."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, START, Node, Puct, Rules, Search, watched

TOLD: dict[str, Any] = {**PRIORS, "outcome": "outcome"}
UNKNOWN: dict[str, Any] = {**TOLD, "game": None, "start": None, "value_range": (-1.0, 1.0)}


class Guessed(Puct):
    """A network that guesses who is ahead, at finished games, too."""

    def evaluate(self, leaf: Node) -> float:
        guess = 0.4 + 0.3 * math.sin(sum((i + 1) * int(x) for i, x in enumerate(leaf.state)))
        return guess * self.side(leaf)

    def side(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return 1.0 if len(str(leaf.state)) % 2 else -1.0


class Known(Guessed):
    """The same network, which is not asked at finished games."""

    def evaluate(self, leaf: Node) -> float:
        return leaf.outcome if leaf.outcome is not None else super().evaluate(leaf)


class Utility(Guessed):
    """The result, and a little of the margin (KataGo)."""

    def evaluate(self, leaf: Node) -> float:
        value = super().evaluate(leaf)
        return 0.9 * leaf.outcome + 0.1 * value if leaf.outcome is not None else value


class ByLength(Known):
    """A later win counts less."""

    def evaluate(self, leaf: Node) -> float:
        depth, node = 0, leaf
        while node.parent is not None:
            node, depth = node.parent, depth + 1
        return super().evaluate(leaf) * (0.7**depth if leaf.outcome else 1.0)


class Rollouts(Search):
    """By what margin a game is won counts; no network is told."""

    def rollout(self, state: Any) -> float:
        outcome = super().rollout(state)
        return outcome * (0.4 + 0.3 * math.sin(sum((i + 1) * int(x) for i, x in enumerate(state))))


class Batches(Search):
    """Four leaves an iteration."""

    def step(self) -> None:
        for _ in range(4):
            super().step()


class GuessedInBatches(Batches, Guessed):
    pass


class KnownInBatches(Batches, Known):
    pass


class UtilityInBatches(Batches, Utility):
    pass


def findings(kind: type[Search], check: str, **told: Any) -> list[mv.Finding]:
    trace = watched(kind(Rules("tic_tac_toe", [0, 4]), 1), 600, **told)
    return [one for one in trace.check() if one.check == check]


@pytest.mark.parametrize("kind", [Guessed, GuessedInBatches])
@pytest.mark.parametrize("told", [TOLD, UNKNOWN], ids=["rules known", "told"])
def test_a_finished_game_that_is_evaluated_is_named(
    kind: type[Search], told: dict[str, Any]
) -> None:
    (one,) = findings(kind, "simulation-terminal", **told)
    assert one.severity == "warning"
    assert one.message.startswith("a finished game is given an evaluation, not its result")
    assert "outcome= may then tell by how much" in one.message
    assert findings(kind, "value-not-the-result", **told) == []


@pytest.mark.parametrize("kind", [Known, Utility, ByLength, KnownInBatches, UtilityInBatches])
@pytest.mark.parametrize("told", [TOLD, UNKNOWN], ids=["rules known", "told"])
def test_finished_games_that_get_their_result_are_right(
    kind: type[Search], told: dict[str, Any]
) -> None:
    assert findings(kind, "simulation-terminal", **told) == []


def test_an_outcome_that_says_by_how_much_is_no_evaluation() -> None:
    def margin(node: Node) -> float | None:
        search = Guessed(Rules("tic_tac_toe", [0, 4]), 1)
        return None if node.outcome is None else search.evaluate(node)

    told = {**UNKNOWN, "outcome": margin}
    assert findings(Guessed, "simulation-terminal", **told) == []


class FromParent(Search):
    """The expansion does not play its move on the state that is simulated."""

    def evaluate(self, leaf: Node) -> float:
        return self.rollout(leaf.state if leaf.N or leaf.parent is None else leaf.parent.state)


class AlwaysFromParent(Search):
    def evaluate(self, leaf: Node) -> float:
        return self.rollout(leaf.state if leaf.parent is None else leaf.parent.state)


class LateNetwork(Known):
    """Whether the game is over is asked when a node is come to again."""

    def evaluate(self, leaf: Node) -> float:
        self.outcome = super().evaluate(leaf) if leaf.N else Guessed.evaluate(self, leaf)
        return self.outcome


class Turned(Search):
    def evaluate(self, leaf: Node) -> float:
        return -leaf.outcome if leaf.outcome is not None else super().evaluate(leaf)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (FromParent, "always at the first visit of a node"),
        (FromParent, "the expansion does not play its move on the working state"),
        (AlwaysFromParent, "varies from visit to visit"),
        (AlwaysFromParent, "starts from another position, such as the parent's"),
        (LateNetwork, "evaluated before anybody asks whether the game is over"),
    ],
)
def test_outcomes_of_a_finished_game_that_differ_say_why(kind: type[Search], words: str) -> None:
    assert any(words in one.message for one in findings_by_outcome(kind))


def test_outcomes_of_finished_games_that_are_always_wrong_say_no_more() -> None:
    (one,) = findings_by_outcome(Turned)
    assert one.message.endswith("iterations")
    assert findings_by_outcome(Search) == []


def findings_by_outcome(kind: type[Search]) -> list[mv.Finding]:
    """Where the outcome of each iteration is told."""
    search = kind(Rules("connect_four", START["connect_four"]), 1)
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move", to_move="player",
        value_range=(-1, 1), outcome="outcome",
    ) as rec:  # fmt: skip
        for _ in range(500):
            search.step()
            rec.iteration(outcome=search.outcome)
    return [one for one in rec.trace.check() if one.check == "simulation-terminal"]


def test_where_no_network_is_told_a_note_names_both_causes() -> None:
    told = {**UNKNOWN, "prior": None}
    assert findings(Rollouts, "simulation-terminal", **told) == []
    (one,) = findings(Rollouts, "value-not-the-result", **told)
    assert one.severity == "note"
    assert "given an evaluation, not its result; or where it matters by what margin" in one.message


class Queens:
    """One player sets queens on a board of 5 × 5, row by row; what counts is how many there is room for."""

    first: Any = ()
    size = 5

    def moves(self, state: Any) -> list[int]:
        row = len(state)
        free = [
            column for column in range(self.size)
            if all(column != at and abs(column - at) != row - of for of, at in enumerate(state))
        ]  # fmt: skip
        return free if row < self.size else []

    def play(self, state: Any, move: int) -> Any:
        return (*state, move)

    def player(self, state: Any) -> int:
        return 0

    def outcome(self, state: Any) -> float | None:
        return None if self.moves(state) else len(state) / self.size


class AloneGuessed(Puct):
    """A network is asked at the ends of episodes, too."""

    def worth(self, node: Node, outcome: float) -> float:
        return outcome

    def guess(self, leaf: Node) -> float:
        return 0.4 + 0.2 * math.sin(
            sum((i + 2) * (int(x) + 1) ** 2 for i, x in enumerate(leaf.state))
        )

    def evaluate(self, leaf: Node) -> float:
        return self.guess(leaf)


class AloneKnown(AloneGuessed):
    def evaluate(self, leaf: Node) -> float:
        return leaf.outcome if leaf.outcome is not None else self.guess(leaf)


def at_ends(kind: type[AloneGuessed], told: bool, **other: Any) -> list[mv.Finding]:
    search = kind(Queens(), 1)
    more = {"evaluation": search.guess} if told else {}
    policies = {"simulation": {"name": "value"}}
    trace = watched(
        search, 500, outcome="outcome", players=("agent",), value_range=(0.0, 1.0), reward_range=(0.0, 1.0),
        policies=policies, **more, **other,
    )  # fmt: skip
    return [one for one in trace.check() if one.check.startswith(("simulation-", "value-"))]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("prior", [None, "P"])
def test_of_one_player_episodes_that_end_with_an_evaluation_are_named(
    prior: str | None, told: bool
) -> None:
    (one,) = at_ends(AloneGuessed, told, prior=prior)
    assert one.check == "simulation-terminal"
    assert one.severity == ("warning" if told and prior else "note")
    assert "finished games are given evaluations, and not their results" in one.message
    assert ("what was told to be its evaluation" in one.message) == told


@pytest.mark.parametrize("told", [True, False])
def test_of_one_player_episodes_that_end_with_their_score_are_right(told: bool) -> None:
    assert at_ends(AloneKnown, told, prior="P") == []
