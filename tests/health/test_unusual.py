"""A correct search that is not textbook UCT gets no error and no warning."""

from collections.abc import Callable

import pytest

import mcts_viz as mv
from tests.health.unusual import cases
from tests.variants import one_game_each

CASES = list(cases())


@pytest.mark.parametrize(("name", "record"), one_game_each(CASES, 2))
def test_a_correct_unusual_search_has_no_error_and_no_warning(
    name: str, record: Callable[[int], mv.Trace]
) -> None:
    findings = record(1).check()
    assert [str(finding) for finding in findings if finding.severity != "note"] == []


SAID = {  # the rule that is found, in part of its words
    "PUCT, unvisited as the parent, reduced": "count as their parent less 0.25·√(priors",
    "PUCT, unvisited as the parent": "count as their parent",
    "PUCT, unvisited as lost": "count as a loss",
    "PUCT, unvisited as won": "count as a win",
    "urgency 1.1": "children without visits count as 1.1",
    "urgency 0.4": "children without visits count as 0.4",
    "c(N), published": "ln((N + 19653) / 19652)",
    "c(N) at a pace of its own, unvisited reduced": "as their parent less 0.33·√(priors",
    "MuZero's scaled Q": "Q scaled to [0, 1]",
    "noise at the root": "explains all",
    "n + 1 below": "n + 1",
    "decisive moves": "choices of a move that wins at once",
}


@pytest.mark.parametrize("title", SAID)
def test_the_rule_is_named(title: str) -> None:
    record = dict(CASES)[f"{title} (tic_tac_toe)"]
    (rule,) = (finding for finding in record(1).check() if finding.check == "selection-rule")
    assert SAID[title] in rule.message


@pytest.mark.parametrize("start", [[4, 1, 5, 2], [8, 6, 4, 5], [7, 6, 4, 0]])
def test_a_search_that_finds_its_win_at_once_is_not_called_greedy(start: list[str | int]) -> None:
    """UCB1 without exploration explains all its choices; so does the PUCT that made them."""
    told = mv.search("tic_tac_toe", "alphazero", iterations=40, seed=1, start=start, compile=False)
    untold = {**told.meta, "policies": {**told.meta["policies"], "selection": None}}
    findings = mv.Trace(untold, told.columns).check()
    assert [str(finding) for finding in findings if finding.severity != "note"] == []
