"""Each mistake is found, as an error or a warning, under a name that leads to it."""

from collections.abc import Callable
from operator import itemgetter

import pytest

import mcts_viz as mv
from tests.health.faulty import FAULTY, EveryChildAnywhere, cases
from tests.health.unusual import START, Rules, of
from tests.variants import few, one_of_each

LIKE_CORRECT_ONES = (
    "simulation-repeats",
)  # a fixed seed and a rollout that its position decides end alike


@pytest.mark.parametrize(("name", "checks", "record"), one_of_each(itemgetter(1), cases()))
def test_a_mistake_is_found_under_its_name(
    name: str, checks: tuple[str, ...], record: Callable[[int], mv.Trace]
) -> None:
    findings = record(1).check()
    serious = [
        finding.check
        for finding in findings
        if finding.severity != "note" or finding.check in LIKE_CORRECT_ONES
    ]
    assert set(checks) & set(serious), [str(finding) for finding in findings]


def test_a_sign_that_changes_from_the_leaf_on_is_told_from_one_that_is_wrong_everywhere() -> None:
    case = FAULTY["the sign changes from the leaf on"]
    findings = case.record(Rules("tic_tac_toe", [0, 4]), 1).check()
    assert any("the sign changes from the leaf on" in finding.message for finding in findings)
    findings = FAULTY["value in the wrong view"].record(Rules("tic_tac_toe", [0, 4]), 1).check()
    assert not any("from the leaf on" in finding.message for finding in findings)


@pytest.mark.thorough
def test_rollouts_with_a_fixed_seed_are_not_said_to_begin_with_the_wrong_player() -> None:
    case = FAULTY["rollouts with a fixed seed"]
    found = [finding.check for finding in case.record(Rules("connect_four", []), 138).check()]
    assert "simulation-first-move" not in found


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("virtual losses that stay", "virtual-loss-left"),
        ("the leaf's parent not counted", "visits-missing"),
        ("root, its child and leaf counted", "visits-missing"),
    ],
)
def test_a_back_up_that_is_wrong_is_one_finding(name: str, check: str) -> None:
    """What leaves get is not known where visits are lost, nor which of them a batch evaluated twice."""
    for game, start in START.items():
        found = FAULTY[name].record(Rules(game, start), 1).check()
        assert [each.check for each in found if each.severity != "note"] == [check], game


@pytest.mark.thorough
def test_a_rule_of_its_own_is_a_note_where_iterations_have_several_leaves() -> None:
    """With priors that it may not choose by, too."""
    rules = Rules("tic_tac_toe", START["tic_tac_toe"])
    for told, severity in (({}, "note"), ({"selection": "puct", "c": 1.4}, "error")):
        found = of(EveryChildAnywhere, prior="P", **told)(rules, 1).check()
        severities = [one.severity for one in found if one.check == "selection-whole-tree"]
        assert severities == [severity]


@pytest.mark.thorough
@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("PUCT without brackets around 1 + n", "c·P·√N / 1 + n is (c·P·√N / 1) + n"),
        ("PUCT without brackets around 1 + n, declared", "c·P·√N / 1 + n is (c·P·√N / 1) + n"),
        ("√(ln N / 1 + n)", "√(ln N / 1 + n) is √((ln N / 1) + n)"),
    ],
)
def test_brackets_that_are_not_there_are_named(game: str, name: str, words: str) -> None:
    found = FAULTY[name].record(Rules(game, START[game]), 1).check()
    (one,) = (each for each in found if each.check == "selection-no-visits")
    assert "there are no brackets around 1 + n" in one.message
    assert words in one.message
    assert "the parent's visits, not by the child's" not in one.message


@pytest.mark.thorough
@pytest.mark.parametrize("game", START)
def test_brackets_are_named_beside_a_first_child_that_is_always_taken(game: str) -> None:
    """By the children's visits all scores are equal at first, whatever the priors."""
    case = FAULTY["PUCT of the children's visits without brackets around 1 + n"]
    found = case.record(Rules(game, START[game]), 1).check()
    (one,) = (each for each in found if each.check == "selection-unvisited")
    assert "the first child is always taken" in one.message
    assert "there are no brackets around 1 + n" in one.message
    assert "N of all children" in one.message


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    few(["PUCT without visits", "PUCT by the parent's visits", "PUCT, highest prior again"]),
)
def test_other_terms_without_visits_are_not_said_to_lack_brackets(name: str) -> None:
    found = FAULTY[name].record(Rules("connect_four", START["connect_four"]), 1).check()
    (one,) = (each for each in found if each.check == "selection-no-visits")
    assert "brackets" not in one.message


def test_a_term_without_visits_is_named_beside_brackets_where_it_fits_as_well() -> None:
    """By a great c the highest prior is taken again and again, as without brackets."""
    rules = Rules("tic_tac_toe", START["tic_tac_toe"])
    found = FAULTY["PUCT, highest prior again"].record(rules, 1).check()
    (one,) = (each for each in found if each.check == "selection-no-visits")
    assert "which fits as well with c ≥" in one.message
    assert "P·√N, without 1 + n" in one.message
    assert "P·√N / (1 + N)" not in one.message
