"""Why a search ended early, and what its numbers then mean: each search here is a real one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.choice.decision import decision
from mcts_viz.analysis.history.ending import ending
from mcts_viz.analysis.iteration.story import iteration_story
from mcts_viz.analysis.node.facts import child_rows, node_facts
from mcts_viz.cli import main
from mcts_viz.engine.search import run
from mcts_viz.runs.recorder import Recorder
from mcts_viz.web.panels.node import decision_reason
from mcts_viz.web.panels.tabs.iteration import level_row
from tests.searches import prepare
from tests.web.recordings import record_kept

# X to move wins at once with c1, which makes a row of a1 b1 c1
#   3 . . .
#   2 O O .
#   1 X X .
WIN_AT_ONCE = ["a1", "a2", "b1", "b2"]


def test_a_budget_used_up_needs_no_words(tmp_path: Path) -> None:
    assert ending(mv.search("tic_tac_toe", iterations=30, seed=1)) is None
    assert ending(mv.search("tic_tac_toe", seconds=0.05, seed=1)) is None
    trace = mv.search("tic_tac_toe", iterations=50, nodes=20, seed=1)
    trace.at(trace.n_iterations).to_json(tmp_path / "x.json")
    assert ending(mv.open(tmp_path / "x.json")) is None


def test_a_decided_search_says_that_the_runner_up_could_not_overtake() -> None:
    trace = mv.search("tic_tac_toe", iterations=1_000, seed=1, decided=True, start=WIN_AT_ONCE)
    n = trace.n_iterations
    assert 500 <= n < 1_000
    assert ending(trace) == (
        f"ended after {n} of 1,000 iterations: the runner-up could no longer overtake"
    )


def test_a_proven_search_says_the_result() -> None:
    trace = mv.search("tic_tac_toe", iterations=1_000, seed=1, solver=True, start=WIN_AT_ONCE)
    n = trace.n_iterations
    assert ending(trace) == f"ended after {n} of 1,000 iterations: the result is proven, X wins"


def test_a_limit_of_memory_is_named() -> None:
    trace = mv.search("tic_tac_toe", iterations=100_000, seed=1, memory=1)
    assert trace.n_iterations < 100_000
    assert str(ending(trace)).endswith(
        "of 100,000 iterations: its 1 MB were full, or it was stopped"
    )
    assert str(ending(trace, stopped=False)).endswith(": its 1 MB were full")
    assert str(ending(trace, stopped=True)).endswith(": stopped before its budget was used up")


def test_a_recording_says_that_its_memory_was_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "run.mcts")
    assert (
        main(["record", "tic_tac_toe", "--iterations", "100000", "--memory", "1", "-o", path]) == 0
    )
    assert " of 100,000 iterations: its 1 MB were full. Look" in capsys.readouterr().out


def test_a_full_tree_says_how_many_nodes_it_has() -> None:
    trace = mv.search("tic_tac_toe", iterations=1_000, seed=1, nodes=50)
    assert ending(trace) == (
        "ended after 49 of 1,000 iterations: the tree has 50 nodes, and 50 were allowed"
    )
    trace = mv.search("tic_tac_toe", seconds=60, seed=1, nodes=50)
    assert ending(trace) == "ended after 49 iterations: the tree has 50 nodes, and 50 were allowed"


def test_seconds_that_end_a_search_with_iterations_left_are_told() -> None:
    trace = mv.search("connect_four", iterations=10_000_000, seconds=0.05, seed=1, compile=False)
    n = trace.n_iterations
    assert ending(trace) == f"ended after {n:,} of 10,000,000 iterations: the 0.05 s were over"


def test_a_search_stopped_by_hand_or_by_memory_was_stopped_before_its_end() -> None:
    plan = prepare("tic_tac_toe", iterations=1_000, seed=1)
    chunks: list[int] = []
    with Recorder(plan) as recorder:

        def consume(chunk: Any) -> None:
            recorder(chunk)
            chunks.append(chunk.n)

        run(plan, consume, stop=lambda: len(chunks) > 2)
    trace = recorder.trace(mv.Trace)
    words = f"ended after {sum(chunks)} of 1,000 iterations: "
    assert ending(trace) == f"{words}stopped before its budget was used up"
    assert ending(trace, stopped=False) == f"{words}the memory that there is for it was full"


def with_proof(node_at: int, result: float) -> tuple[mv.Trace, Any, Any]:
    """A search whose solver has proven the result (view of X, who moves) of the root move at that
    place in the order of visits: its last tree, and the decision there."""
    trace = mv.search("tic_tac_toe", iterations=200, seed=1, solver=True)
    final = trace.at(200)
    ranked = final.ranked_children(0)
    proven = np.full(len(final), np.nan, np.float32)
    proven[ranked[node_at]] = result
    return trace, ranked, decision(replace(final, proven=proven))


def test_a_proven_win_is_played_and_named_though_another_move_has_more_visits() -> None:
    _, ranked, told = with_proof(3, 1.0)
    assert (told.chosen, told.runner_up) == (ranked[3], ranked[0])
    assert (told.rule_words, told.standing, told.margin) == ("proven win", 1, None)
    assert told.runner_up_visits > told.chosen_visits
    text = decision_reason(told)
    assert text.startswith(f"proven win · {told.chosen_visits} of 200 visits · runner-up ")
    assert text.endswith(f": {told.runner_up_visits} visits")


def test_a_move_not_proven_lost_is_played_though_a_lost_one_has_more_visits() -> None:
    _, ranked, told = with_proof(0, -1.0)
    assert (told.chosen, told.runner_up) == (ranked[1], ranked[2])
    assert told.rule_words == "most visits among moves not proven lost"
    assert told.margin == told.chosen_visits - told.runner_up_visits
    _, ranked, told = with_proof(1, -1.0)
    assert (told.chosen, told.rule_words) == (ranked[0], "most visits")


def test_a_search_with_a_win_at_once_plays_it() -> None:
    trace = mv.search("tic_tac_toe", iterations=500, seed=3, solver=True, start=WIN_AT_ONCE)
    told = decision(trace.at(trace.n_iterations))
    assert told is not None
    assert (told.chosen_label, told.rule_words) == ("c1", "proven win")


def test_a_child_without_visits_comes_first_and_has_no_mean() -> None:
    trace = mv.search("tic_tac_toe", "tech_io", iterations=60, seed=1)
    rows = child_rows(trace.at(4), 0, 9)
    new = [row for row in rows if row.visits == 0]
    assert new
    for row in new:
        assert row.comes_first
        assert (row.mean_value, row.exploration_term, row.score) == (None, None, None)
    assert next(row for row in rows if row.next_selected).node == trace.iteration(5).path[1]
    facts = node_facts(trace.at(4), new[0].node)
    assert (facts.comes_first, facts.mean_value, facts.why_no_score) == (True, None, None)


def test_a_level_won_by_a_child_without_visits_has_ties_and_no_margin_of_nan() -> None:
    trace = mv.search("tic_tac_toe", "tech_io", iterations=60, seed=1)
    level = iteration_story(trace, 5).levels[0]
    before = trace.at(4)
    others = [v for v in before.children(0) if before.visits[v] == 0 and v != level.node]
    assert level.comes_first
    assert list(level.ties) == [before.label(v) for v in others]
    assert level.margin == 0.0
    assert level_row(level)["over"] == f"first of {len(others) + 1} unvisited"
    last = next(t for t in range(2, 60) if sum(trace.at(t).visits[1:10] == 0) == 1)
    only = iteration_story(trace, last + 1).levels[0]
    assert (only.comes_first, only.ties, only.margin) == (True, (), None)
    assert level_row(only)["over"] == "not visited before"


def test_first_play_urgency_is_the_score_of_a_child_without_visits() -> None:
    trace = mv.search("tic_tac_toe", "alphazero", iterations=60, seed=1)
    now = trace.at(3)
    for row in child_rows(now, 0, 9):
        if row.visits == 0:
            assert not row.comes_first
            assert row.value_term == 0.0
            assert row.prior is not None
            assert row.exploration_term == pytest.approx(1.25 * row.prior * 3**0.5)


def test_several_simulations_of_a_leaf_are_told_apart() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1, n_rollouts=3)
    told = iteration_story(trace, 5)
    assert told.rollouts is not None
    assert len(told.rollouts) == 3
    assert all(moves and "-1" not in moves for moves in told.rollouts)
    n_moves = sum(map(len, told.rollouts))
    assert f"of 3 simulations, {n_moves} random moves" in told.summary
    assert told.summary.count("mean ") == 1


def test_a_leaf_that_an_evaluator_values_has_no_simulation_and_no_winner() -> None:
    trace = mv.search("tic_tac_toe", "alphazero", iterations=20, seed=1)
    told = iteration_story(trace, 5)
    assert told.rollouts is None
    assert "for X by the evaluator" in told.summary
    assert "draw" not in told.summary


def test_decisive_moves_are_not_called_random() -> None:
    told = iteration_story(mv.search("tic_tac_toe", iterations=9, seed=1, simulation="decisive"), 5)
    assert "random" not in told.summary


def test_an_inherited_tree_without_its_squares_says_why_it_has_no_score() -> None:
    """As older versions recorded it; now the squares come with the tree."""
    recorded = record_kept(selection="ucb1_tuned", c=1)
    assert node_facts(recorded.at(50), 1).score is not None
    older = mv.Trace({**recorded.meta, "whole_tree": None}, recorded.columns)
    facts = node_facts(older.at(50), 1)
    assert facts.score is None
    assert "without the squares" in (facts.why_no_score or "")


SAMPLES = Path(__file__).parents[2] / "samples"


def test_a_recorded_search_without_a_budget_ended_when_it_ended() -> None:
    """Nobody said how many iterations there would be."""
    for name in ("planning.mcts", "pig.mcts"):
        assert ending(mv.open(SAMPLES / name)) is None
