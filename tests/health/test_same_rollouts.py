"""Rollouts that always take the first of the legal moves, and others that end alike from equal positions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.health.unusual import ByPosition, Rules, Search, watched
from tests.variants import few


class FirstMove(Search):
    """`legal[0]` in place of a random one."""

    place = 0

    def rollout(self, state: Any) -> float:
        while (outcome := self.rules.outcome(state)) is None:
            state = self.rules.play(state, self.rules.moves(state)[self.place])
        return float(outcome)


class LastMove(FirstMove):
    """`legal.pop()`."""

    place = -1


def repeats(search: Search) -> tuple[str, str]:
    findings = {one.check: one for one in watched(search, 800).check()}
    one = findings.get("simulation-repeats")
    return ("", "") if one is None else (one.severity, one.message)


@pytest.mark.parametrize(("kind", "word"), [(FirstMove, "first"), (LastMove, "last")])
@pytest.mark.parametrize("game", few(["tic_tac_toe", "connect_four"]))
def test_a_move_that_is_not_drawn_is_named_by_the_ends_of_simulations(
    game: str, kind: type[Search], word: str
) -> None:
    severity, message = repeats(kind(Rules(game, []), 1))
    assert severity == "warning"
    assert f"always the {word} of the legal moves" in message


@pytest.mark.parametrize("game", few(["tic_tac_toe", "connect_four"]))
def test_rollouts_that_their_position_decides_are_but_a_note(game: str) -> None:
    severity, message = repeats(ByPosition(Rules(game, []), 1))
    assert severity == "note"
    assert "of the legal moves" not in message


@pytest.mark.parametrize("game", few(["tic_tac_toe", "connect_four"]))
def test_nothing_is_said_of_random_rollouts(game: str) -> None:
    assert repeats(Search(Rules(game, []), 1)) == ("", "")
