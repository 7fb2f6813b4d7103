"""One verdict on the move: right or a mistake, sure or not, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.health.finding import Finding
from mcts_viz.health.verdict import verdict

SAMPLES = Path(__file__).parents[2] / "samples"
CORNER = (4, 0, 8)  # then O has to take a corner


def ttt(iterations: int, start: tuple[int, ...] = (), **options: object) -> mv.Trace:
    return mv.search(
        "tic_tac_toe", iterations=iterations, seed=1, start=start, compile=False, **options
    )


def test_a_mistake_of_a_short_search_is_called_one_and_so_is_its_cause() -> None:
    judged = mv.open(SAMPLES / "too_few_iterations.mcts").verdict()
    assert judged.word == "mistake"
    assert judged.right is False
    assert judged.sureness == "undecided"
    assert judged.cause is not None
    assert judged.cause.kind == "too few iterations"
    assert str(judged) == (
        "b3 would be played. It is a mistake: it loses in 4 plies, and c3 draws. The vote is "
        "undecided: 5 of 20 visits, a1 4. Likeliest cause: too few iterations: 20 for 6 moves."
    )
    assert json.loads(json.dumps(judged.as_json()))["word"] == "mistake"


def test_a_right_move_with_a_clear_vote_has_no_cause() -> None:
    judged = mv.open(SAMPLES / "tic_tac_toe_1000.mcts").verdict()
    assert (judged.word, judged.sureness, judged.cause) == ("right", "clear", None)


def test_where_every_move_loses_no_choice_is_a_mistake() -> None:
    trace = ttt(200, (3, 0, 7, 8, 6, 2))  # O threatens on three lines
    judged = trace.verdict()
    assert judged.all_lose
    assert judged.right
    assert "Every move loses, so no choice is a mistake" in str(judged)
    assert "mistake" not in judged.word
    assert "Every move loses, so no choice is a mistake" in str(trace.truth())


def test_what_the_solver_of_a_search_has_proven_needs_no_other() -> None:
    trace = ttt(2_000, (3, 0, 7, 8, 6, 2), solver=True)
    judged = trace.verdict(truth=False)
    assert judged.all_lose
    assert judged.right
    assert "as the search itself has proven" in str(judged)


def test_one_move_visited_is_the_only_one_where_the_rules_have_no_other() -> None:
    first = ttt(10).verdict(1, truth=False)
    assert first.sureness == "undecided"
    assert first.cause is not None
    assert first.cause.text == "too few iterations: 1 for 9 moves."
    assert "no other move was visited" in first.vote
    last = ttt(10, (0, 1, 2, 3, 4, 6, 5, 8)).verdict(truth=False)
    assert last.sureness == "only move"
    assert str(last).endswith("There is no other move, after 10 of 10 visits.")


def test_where_the_rules_are_not_known_nothing_is_said_of_other_moves() -> None:
    root = {"n": 0, "w": 0.0, "children": []}
    left = {"n": 1, "w": 1.0, "children": []}
    with mv.record(root=root, children="children", visits="n", value="w", players=("me",)) as rec:
        root.update(n=1, w=1.0, children=[left])
        rec.iteration()
    judged = rec.trace.verdict()
    assert judged.sureness == "only move tried"
    assert judged.cause is None


@pytest.mark.thorough
def test_before_the_end_a_move_leads_and_a_margin_that_chance_gives_is_undecided() -> None:
    trace = mv.open(SAMPLES / "connect_four_5000.mcts")
    judged = trace.verdict(20, truth=False)
    assert judged.sureness == "undecided"  # 4 visits to 3
    assert "leads so far" in str(judged)
    assert judged.right is None
    assert "not known" in judged.word
    assert trace.verdict(truth=False).sureness == "clear"
    assert trace.verdict(0, truth=False).move is None


def evaluator(position: object, legal: list[int]) -> tuple[list[float], float]:
    """It thinks nothing of corners."""
    weights = [0.01 if move in (2, 6) else 1.0 for move in legal]
    return [each / sum(weights) for each in weights], 0.0


def test_a_prior_that_hides_the_better_move_is_named() -> None:
    trace = mv.search(
        "tic_tac_toe", "alphazero", evaluator=evaluator, iterations=80, seed=1, start=CORNER
    )
    judged = trace.verdict()
    assert judged.is_mistake
    assert judged.cause is not None
    assert judged.cause.kind == "misleading prior"
    assert judged.cause.test == "c"


def test_a_finding_of_the_checks_comes_first_and_an_accepted_one_does_not_count() -> None:
    trace = mv.open(SAMPLES / "too_few_iterations.mcts")
    values = trace.truth()
    broken = Finding("backup.visits", "error", 3, 1, "wrong")
    judged = verdict(trace.at(20), 20, values, lambda: [broken])
    assert judged.cause is not None
    assert (judged.cause.kind, judged.cause.test, judged.cause.node) == ("finding", "health", 1)
    assert (
        judged.cause.text == "the check backup.visits found a mistake in how the search was done."
    )
    doubted = Finding("backup.visits", "warning", 3, 1, "odd")
    judged = verdict(trace.at(20), 20, values, lambda: [doubted])
    assert judged.cause is not None
    assert judged.cause.text.startswith("the check backup.visits gave a warning")
    accepted = Finding("backup.visits", "error", 3, 1, "wrong", accepted="on purpose")
    judged = verdict(trace.at(20), 20, values, lambda: [accepted])
    assert judged.cause is not None
    assert judged.cause.kind == "too few iterations"


@pytest.mark.parametrize("rule", ["highest_mean", "most_visits"])
def test_the_vote_is_told_in_what_the_rule_compares(rule: str) -> None:
    trace = ttt(300, final_move=rule)
    judged = trace.verdict(truth=False)
    now = trace.at(300)
    ranked = now.ranked_children(0)
    shown = (
        f"{now.mean_value[ranked[0]]:.4f}"
        if rule == "highest_mean"
        else f"{now.visits[ranked[0]]:,} of 300"
    )
    assert shown in judged.vote


def test_the_checks_are_asked_only_where_a_cause_is_looked_for() -> None:
    def check() -> list[Finding]:
        pytest.fail("checked, which takes minutes for a long trace")

    trace = ttt(10, (0, 1, 2, 3, 4, 6, 5, 8))
    assert verdict(trace.at(10), 10, "not solved", check).sureness == "only move"


def test_an_accepted_finding_is_no_cause() -> None:
    trace = mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1)
    check = next(one.check for one in trace.check() if one.severity != "note")
    cause, other = trace.verdict().cause, trace.verdict(accept={check: "as published"}).cause
    assert cause is not None
    assert cause.text.find(check) >= 0
    assert other is None or check not in other.text
    with pytest.raises(mv.errors.TraceError, match="there is no check"):
        trace.verdict(accept={"nothing": "as published"})
