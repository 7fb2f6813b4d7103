"""Episodes that end with the best result, and count less than what is not finished."""

from __future__ import annotations

import re
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Alone, Node, watched


class Sums:
    """Four steps of 0 to 2; a sum of 5 is right, all others are wrong."""

    first: Any = ()

    def moves(self, state: Any) -> list[int]:
        return [0, 1, 2] if len(state) < 4 else []

    def play(self, state: Any, move: int) -> Any:
        return (*state, move)

    def player(self, state: Any) -> int:
        return 0

    def outcome(self, state: Any) -> float | None:
        return float(sum(state) == 5) if len(state) == 4 else None


class Judged(Alone):
    """A judge answers in words."""

    pattern = r"Score: (\d+)"

    def says(self, leaf: Node) -> str:
        if leaf.outcome is not None:
            return "Right. Score: 10/10" if leaf.outcome else "Wrong. Score: 0/10"
        return f"Perhaps. Score: {self.guess(leaf)}/10"

    def guess(self, leaf: Node) -> int:
        return 8 - abs(len(leaf.state) - sum(leaf.state))

    def evaluate(self, leaf: Node) -> float:
        found = re.search(self.pattern, self.says(leaf))
        return int(found[1]) / 10 if found else 0.0


class OneDigit(Judged):
    pattern = r"Score: (\d)"


class Forgotten(Judged):
    """Whatever is finished counts as wrong."""

    def evaluate(self, leaf: Node) -> float:
        return 0.0 if leaf.outcome is not None else super().evaluate(leaf)


class Scaled(Judged):
    """A success counts 0.1, and what is not finished less."""

    def evaluate(self, leaf: Node) -> float:
        return super().evaluate(leaf) * (0.1 if leaf.outcome is not None else 0.08)


class Unknown(Judged):
    """What is right is known to the recording alone."""

    def says(self, leaf: Node) -> str:
        return f"Perhaps. Score: {self.guess(leaf)}/10"


class Unlikely(Judged):
    """What is not finished hardly ever looks good."""

    def guess(self, leaf: Node) -> int:
        return sum(leaf.state) % 2


class FourAtOnce:
    def step(self) -> None:
        for _ in range(4):
            super().step()  # type: ignore[misc]


class OneDigitInBatches(FourAtOnce, OneDigit):
    pass


class JudgedInBatches(FourAtOnce, Judged):
    pass


def of_ends(kind: type[Judged]) -> list[mv.Finding]:
    told: dict[str, Any] = {"outcome": "outcome", "reward_range": (0.0, 1.0)}
    findings = watched(kind(Sums(), 1), 300, players=("agent",), **told).check()
    return [one for one in findings if one.check == "simulation-terminal"]


@pytest.mark.parametrize("kind", [OneDigit, Forgotten, OneDigitInBatches])
def test_a_success_that_counts_less_than_what_is_not_finished_is_named(kind: type[Judged]) -> None:
    (one,) = of_ends(kind)
    assert one.severity == "warning"
    assert "what ends best counts less than what is not finished" in one.message
    assert '"10/10" may be read as 1' in one.message


@pytest.mark.parametrize("kind", [Judged, Scaled, Unknown, Unlikely, JudgedInBatches])
def test_nothing_is_said_where_success_counts_most_or_is_not_known(kind: type[Judged]) -> None:
    assert of_ends(kind) == []
