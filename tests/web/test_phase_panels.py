"""What the tabs of the iteration and of the rollouts say of each kind of search, as plain functions: no browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.analysis.iteration.phases import PHASES
from mcts_viz.analysis.iteration.story import Level
from mcts_viz.analysis.node.rollouts import rollouts_through
from mcts_viz.errors import PageError
from mcts_viz.export.formats import write
from mcts_viz.web.cursor import phase_of, place
from mcts_viz.web.library import Library
from mcts_viz.web.panels.tabs.iteration import NO_PHASES, Shown, iteration_shown, level_row
from mcts_viz.web.panels.tabs.rollouts import note, players
from tests.web.recordings import KEPT, record_kept
from tests.web.test_panels import text_of

Open = Callable[..., tuple[Library, str]]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Records a search of Tic-Tac-Toe and opens it: the library, and the trace's key."""

    def record(name: str = "uct", **parameters: Any) -> tuple[Library, str]:
        path = tmp_path / f"{name}.mcts"
        if name == KEPT:
            record_kept(path)
        else:
            mv.search("tic_tac_toe", **{"iterations": 60, "seed": 1, **parameters}, path=path)
        library = Library([], tmp_path)
        return library, library.key_of(path)

    return record


def shown(library: Library, key: str, t: int, phase: str | None) -> Shown:
    cursor = {"trace": key, "iteration": t, "node": 0, "phase": phase}
    return iteration_shown(library, place(library, cursor), cursor)


def rollouts_note(library: Library, key: str, t: int, node: int = 0) -> str:
    here = place(library, {"trace": key, "iteration": t, "node": node})
    return text_of(note(here, rollouts_through(here.trace, node, t), 1))


def test_panels_look_at_the_tree_before_the_iteration_until_backpropagation(opened: Open) -> None:
    library, key = opened()
    for phase in (*PHASES, None, "no phase"):
        here = place(library, {"trace": key, "iteration": 9, "phase": phase})
        assert here.snapshot.iteration == (8 if phase in PHASES[:-1] else 9)
    assert place(library, {"trace": key, "iteration": 0, "phase": "select"}).snapshot.iteration == 0
    assert phase_of({"phase": "no phase"}) is None


def test_before_the_first_iteration_no_phase_is_shown(opened: Open) -> None:
    library, key = opened()
    told = shown(library, key, 0, "select")
    assert told.rows == []
    assert "nothing has happened yet" in told.note
    library, key = opened(KEPT)
    assert "was kept from the move before" in shown(library, key, 0, "select").note


def test_a_snapshot_shows_that_it_has_no_phases(opened: Open, tmp_path: Path) -> None:
    library, key = opened()
    write(library.trace(key).at(30), tmp_path / "snapshot.json")
    key = library.key_of(tmp_path / "snapshot.json")
    assert shown(library, key, 1, "select").note == NO_PHASES


def test_priors_and_urgency_are_told_in_select_and_expand(opened: Open) -> None:
    library, key = opened(preset="alphazero")
    rows = shown(library, key, 4, "select").rows
    assert sum(row["has_urgency"] for row in rows) > 1
    assert all(
        "first-play urgency" in row["said"] and row["score"] is not None
        for row in rows
        if row["has_urgency"]
    )
    added = shown(library, key, 4, "expand").rows
    assert all(row["prior"] is not None for row in added)


def test_children_that_were_not_visited_have_no_value_and_are_named(opened: Open) -> None:
    library, key = opened(preset="tech_io")
    told = shown(library, key, 5, "select")
    new = [row for row in told.rows if row["visits"] == 0]
    assert new == told.rows[: len(new)]
    assert all(
        (row["value_term"], row["score"], row["comes_first"]) == (None, None, True) for row in new
    )
    assert all("not visited" in row["said"] for row in new)
    assert "never visited comes first" in text_of(told.note)


def test_a_proven_child_says_that_its_result_competes(opened: Open) -> None:
    library, key = opened(preset="tech_io", solver=True, start=["a1", "b2", "c3"], iterations=300)
    trace = library.trace(key)
    said = [
        row["said"]
        for t in range(1, trace.n_iterations + 1)
        for row in shown(library, key, t, "select").rows
    ]
    assert any("proven: " in each for each in said)
    changed = [
        row["said"]
        for t in range(1, trace.n_iterations + 1)
        for row in shown(library, key, t, "backpropagate").rows
    ]
    assert sum("proven: " in each for each in changed) == len(trace.columns.proven.at)


def test_what_a_leaf_is_worth_without_a_rollout_is_said_in_simulate(opened: Open) -> None:
    library, key = opened(preset="alphazero")
    assert "No rollout: " in text_of(shown(library, key, 9, "simulate").note)
    library, key = opened("unrecorded", rollouts=False)
    assert "not recorded" in text_of(shown(library, key, 9, "simulate").note)


def test_of_several_rollouts_each_is_shown_and_that_only_their_mean_is_known(opened: Open) -> None:
    library, key = opened(n_rollouts=3)
    told = text_of(shown(library, key, 9, "simulate").note)
    assert "of their results only the mean" in told
    for number in (1, 2, 3):
        assert f"Simulation {number} of 3" in told
    assert library.rollout_svg(key, 9, 2, 0) == library.rollout_svg(key, 9, 0, 0)
    with pytest.raises(PageError, match="has 3 simulations"):
        library.rollout_svg(key, 9, 3, 0)


def test_rollouts_tell_what_the_trace_has_of_them(opened: Open) -> None:
    library, key = opened(preset="alphazero")
    assert "An evaluator values the leaves" in rollouts_note(library, key, 30)
    library, key = opened("unrecorded", rollouts=False)
    assert "were not recorded: their outcomes alone" in rollouts_note(library, key, 30)
    library, key = opened(KEPT)
    visits = library.trace(key).at(0).visits[0]
    assert f"{visits} visits from the search before" in rollouts_note(library, key, 30)
    library, key = opened("over", start=["a1", "b2", "c3"], iterations=600)
    assert "the game was over at the leaf, without a simulation" in rollouts_note(library, key, 600)


def test_a_rollout_that_is_not_through_the_node_gives_way_to_the_newest(opened: Open) -> None:
    library, key = opened()
    trace = library.trace(key)
    mine = rollouts_through(trace, 2, 60)
    here = place(library, {"trace": key, "iteration": 60, "node": 2})
    other = next(t for t in range(1, 61) if t not in mine.iterations)
    for wanted, found in ((None, -1), (other, -1), (int(mine.iterations[0]), 0)):
        head = text_of(players(library, here, mine, wanted)[0])
        assert head == f"Iteration {mine.iterations[found]}"


def test_a_rollout_of_a_game_that_is_not_known_here_has_no_board(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, key = opened()
    monkeypatch.setattr(Library, "position_svg", lambda *_: None)
    told = text_of(shown(library, key, 9, "simulate").note)
    assert "its moves, without a board" in told
    moves = library.trace(key).rollouts(9)
    assert moves
    assert library.trace(key).action_name(moves[0][0]) in told


@pytest.mark.parametrize(
    ("runner_up", "margin", "by_chance", "words"),
    [
        ("b2", 0.25, False, "b2, by 0.2500"),
        ("b2", -0.25, False, "(behind b2, by 0.2500)"),
        ("b2", 0.0, False, "b2, by 0.0000"),
        (None, None, False, "only child"),
        (None, None, True, "chance decides"),
    ],
)
def test_a_row_says_what_the_choice_was_ahead_of(
    runner_up: str | None, margin: float | None, by_chance: bool, words: str
) -> None:
    score = None if by_chance else 0.5
    level = Level(
        1, 3, "a1", "selected", score, 0.0, score, runner_up, None, margin, (), by_chance=by_chance
    )
    assert level_row(level)["over"] == words
