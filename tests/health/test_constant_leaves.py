"""New leaves that all get one value, though finished games, or random ones from there, differ."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.faulty import ResultLost
from tests.health.unusual import (
    PRIORS,
    Alone,
    Indifferent,
    Node,
    Puct,
    Rules,
    Search,
    Walk,
    watched,
)

CHECK = "simulation-constant"


class NetworkLost(Puct):
    def evaluate(self, leaf: Node) -> float:
        return leaf.outcome or 0.0


def found(search: Search, **told: Any) -> list[tuple[str, str]]:
    return [(one.check, one.severity) for one in watched(search, 1_000, **told).check()]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "start"),
    [("tic_tac_toe", []), ("tic_tac_toe", [4, 0]), ("connect_four", [3, 3, 2, 2])],
)
def test_results_that_are_lost_are_found(game: str, start: list[int]) -> None:
    assert (CHECK, "warning") in found(ResultLost(Rules(game, start), 1))


def test_they_are_found_where_nothing_is_known_of_the_game() -> None:
    lost = found(ResultLost(Rules("connect_four", [3, 3, 2, 2]), 1), game=None, start=None)
    assert (CHECK, "warning") in lost


def test_a_network_may_know_nothing() -> None:
    """With priors it is a note, as networks that were not trained say so, too."""
    assert (CHECK, "note") in found(NetworkLost(Rules("tic_tac_toe", [4, 0]), 1), **PRIORS)


@pytest.mark.parametrize("kind", [Search, Puct])
def test_nothing_is_said_where_leaves_differ(kind: type[Search]) -> None:
    told = PRIORS if kind is Puct else {}
    assert CHECK not in [check for check, _ in found(kind(Rules("tic_tac_toe", []), 1), **told)]
    assert CHECK not in [check for check, _ in found(Alone(Walk(), 1))]


def test_a_game_in_which_every_value_is_0_is_no_mistake() -> None:
    findings = found(Indifferent(Rules("tic_tac_toe", []), 1), **PRIORS)
    assert [check for check, severity in findings if severity != "note"] == []


def test_a_tree_in_which_everything_is_worth_the_same_is_a_note() -> None:
    class Default(Alone):
        """The judge's answer is not read."""

        def evaluate(self, leaf: Node) -> float:
            return 0.5

    assert (CHECK, "note") in found(Default(Walk(), 1))
    assert CHECK not in [check for check, _ in found(Alone(Walk(), 1))]


def test_a_search_that_goes_on_where_it_has_won_alone_loses_nothing() -> None:
    """Among the new leaves of a greedy search, those that get children are those that were won."""
    trace = mv.search(
        "connect_four",
        preset="sudo_tic_tac_toe",
        iterations=300,
        seed=1_020,
        start=[0],
        compile=False,
    )
    inner = [v for v in range(1, trace.n_nodes) if trace.at(300).children(v)]
    assert len(inner) > 40
    assert CHECK not in [one.check for one in trace.check()]


def test_an_evaluator_that_says_the_same_of_everything_is_a_note_beside_a_few_ends() -> None:
    class SameOfAll(Puct):
        """0.25 for who is to move."""

        def evaluate(self, leaf: Node) -> float:
            same = 0.25 if leaf.player == 0 else -0.25
            return same if leaf.outcome is None else leaf.outcome

    untold = {"game": None, "start": None, **PRIORS}
    connect_four = Rules("connect_four", [3, 3, 2, 2])
    assert (CHECK, "note") in found(SameOfAll(connect_four, 1), **untold)
    assert CHECK not in [check for check, _ in found(Puct(connect_four, 1), **untold)]
