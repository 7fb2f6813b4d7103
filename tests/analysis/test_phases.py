"""The phases of an iteration as rows and in words, against `trace.iteration(t)` and the snapshots around it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.iteration.captions import caption, choice_caption, score_text
from mcts_viz.analysis.iteration.phases import PHASES, Choice, has_phases, phase_story
from mcts_viz.analysis.point_of_view import Viewpoint, player_name
from mcts_viz.trace.iteration import Comparison
from mcts_viz.trace.players import CHANCE
from tests.variants import few
from tests.web.recordings import record_foreign, record_kept

KINDS: dict[str, dict[str, Any]] = {
    "uct": {},
    "tech_io": {"preset": "tech_io"},
    "alphazero": {"preset": "alphazero"},
    "rhu2001": {"preset": "rhu2001"},
    "solver": {"preset": "tech_io", "solver": True, "start": ["a1", "b2", "c3"]},
    "ucb1_tuned": {"selection": "ucb1_tuned", "c": 1},
    "three": {"n_rollouts": 3},
}


def searched(**parameters: Any) -> mv.Trace:
    return mv.search("tic_tac_toe", **{"iterations": 120, "seed": 1, **parameters})


FIRST = ("solver", "kept", "uct")  # in `make test`: every kind of phase


@pytest.fixture(scope="module", params=few(dict.fromkeys([*FIRST, *KINDS]), len(FIRST)))
def trace(request: pytest.FixtureRequest) -> mv.Trace:
    return record_kept() if request.param == "kept" else searched(**KINDS[request.param])


def number_or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def assert_told(choice: Choice, compared: Comparison, before: mv.Snapshot) -> None:
    assert {each.node for each in choice.candidates} == set(compared.children)
    for each in choice.candidates:
        i = compared.children.index(each.node)
        assert each.visits == compared.visits[i] == before.visits[each.node]
        assert each.value_term == number_or_none(compared.value_terms[i])
        assert each.exploration_term == number_or_none(compared.exploration_terms[i])
        assert each.score == number_or_none(compared.scores[i])
        assert each.comes_first == np.isposinf(compared.scores[i])
        assert each.mean_value == number_or_none(before.mean_value[each.node])
        assert each.is_chosen == (each.node == compared.chosen)
        tied = {*compared.ties, compared.chosen} if compared.ties else set()
        assert each.is_tied == (each.node in tied)


def test_select_tells_every_child_compared_with_its_terms_before_the_choice(
    trace: mv.Trace,
) -> None:
    for t in range(1, trace.n_iterations + 1):
        told, compared = phase_story(trace, t), trace.iteration(t).comparisons
        assert [choice.parent for choice in told.choices] == [each.node for each in compared]
        for choice, each in zip(told.choices, compared):
            assert_told(choice, each, trace.at(t - 1))


def test_the_best_candidates_come_first_and_the_chosen_one_before_its_ties() -> None:
    trace = searched()
    for t in range(1, 121):
        for choice in phase_story(trace, t).choices:
            scores = [math.inf if c.score is None else c.score for c in choice.candidates]
            assert scores == sorted(scores, reverse=True)
            assert choice.candidates[0].is_chosen


def test_expand_tells_every_new_node(trace: mv.Trace) -> None:
    for t in range(1, trace.n_iterations + 1):
        told, iteration, after = phase_story(trace, t), trace.iteration(t), trace.at(t)
        assert [each.node for each in told.added] == iteration.new_nodes
        for each in told.added:
            assert each.parent == after.parent[each.node]
            assert each.move == after.label(each.node)
            assert each.prior == number_or_none(float(after.prior[each.node]))
            assert each.on_path == (each.node in iteration.path)
            assert (each.outcome is not None) == bool(after.terminal[each.node])


def test_backpropagate_tells_each_node_of_the_path_before_and_after(trace: mv.Trace) -> None:
    for t in range(1, trace.n_iterations + 1):
        told, iteration = phase_story(trace, t), trace.iteration(t)
        before, after = trace.at(t - 1), trace.at(t)
        on_path = [each for each in told.changes if each.on_path]
        assert [each.node for each in on_path] == iteration.path
        assert {u.node for u in iteration.updates} <= {each.node for each in told.changes}
        for each in told.changes:
            v, is_new = each.node, each.node >= before.n_nodes
            assert each.visits == (0 if is_new else before.visits[v], after.visits[v])
            view = Viewpoint()  # of the root: who is to move
            sums = (0.0 if is_new else view.value_sum(before, v), view.value_sum(after, v))
            assert each.value_sum == sums
            means = (math.nan if is_new else view.mean(before, v), view.mean(after, v))
            assert each.mean_value == tuple(number_or_none(float(m)) for m in means)
            recorded = sum(u.value for u in iteration.updates if u.node == v)
            assert each.added == (pytest.approx(sums[1] - sums[0]) if v == 0 else recorded)


def test_means_before_and_after_are_in_the_view_that_the_page_has(trace: mv.Trace) -> None:
    for viewpoint in (Viewpoint(), Viewpoint(0), Viewpoint(1)):
        for each in phase_story(trace, trace.n_iterations, viewpoint).changes:
            after = trace.at(trace.n_iterations)
            mean = viewpoint.mean(after, each.node)
            assert each.mean_value[1] == (None if math.isnan(mean) else mean)
            assert each.view_of == player_name(trace.meta, viewpoint.of(after, each.node))


def test_a_result_proven_in_an_iteration_is_told_in_its_backpropagation() -> None:
    trace = searched(**KINDS["solver"])
    columns = trace.columns
    assert len(columns.proven.at)
    for t in range(1, trace.n_iterations + 1):
        told = phase_story(trace, t)
        proven = set(columns.proven.node[columns.proven.at == t].tolist())
        assert {each.node for each in told.changes if each.proven is not None} == proven
        assert ("Proven:" in caption(told, "backpropagate")) == bool(proven)


def test_every_phase_of_every_kind_of_search_has_a_caption(trace: mv.Trace) -> None:
    for t in range(1, trace.n_iterations + 1):
        told = phase_story(trace, t)
        for phase in PHASES:
            said = caption(told, phase)
            assert said.endswith(".")
            assert "nan" not in said
            assert "None" not in said
            assert "\n" not in said


def test_a_choice_is_told_with_its_sum_and_what_it_was_ahead_of() -> None:
    trace = searched()
    t = next(t for t in range(60, 120) if (trace.iteration(t).comparisons[0].margin or 0) > 0.01)
    told = phase_story(trace, t)
    choice, compared = told.choices[0], trace.iteration(t).comparisons[0]
    scores = dict(zip(compared.children, compared.scores))
    second = max((v for v in scores if v != compared.chosen), key=lambda v: scores[v])
    label, i = trace.at(t - 1).label, compared.children.index(compared.chosen)
    terms = score_text(
        compared.value_terms[i], compared.exploration_terms[i], compared.scores[i], compared.margin
    )
    said = choice_caption(choice)
    assert compared.margin is not None
    margin = f"{compared.margin:.2f}"
    assert (
        said == f"{label(compared.chosen)} selected: {terms}, ahead of {label(second)} by {margin}"
    )
    assert caption(told, "select").startswith(said)


@pytest.mark.parametrize(
    ("value", "exploration", "score", "margin", "said"),
    [
        (0.61, 0.22, 0.83, 0.04, "0.61 + 0.22 = 0.83"),
        (0.614, 0.224, 0.838, 0.04, "0.614 + 0.224 = 0.838"),  # 0.61 + 0.22 = 0.84 looks wrong
        (0.61, 0.22, 0.83, 0.002, "0.6100 + 0.2200 = 0.8300"),  # the margin can be seen
        (0.61, 0.004, 0.614, 0.04, "0.6100 + 0.0040 = 0.6140"),  # not 0.61 + 0.00
        (0.5, -0.25, 0.25, None, "0.50 − 0.25 = 0.25"),
        (0.0, 2.0, 2.0, 0.0, "0.00 + 2.00 = 2.00"),
    ],
)
def test_a_sum_has_the_decimals_that_it_needs(
    value: float, exploration: float, score: float, margin: float | None, said: str
) -> None:
    assert score_text(value, exploration, score, margin) == said


def test_children_without_visits_are_said_to_come_first() -> None:
    told = phase_story(searched(preset="tech_io"), 5)
    n = sum(each.comes_first for each in told.choices[0].candidates)
    assert n > 1
    assert f"the first of {n} not visited yet" in caption(told, "select")
    assert [each.visits for each in told.choices[0].candidates[:n]] == [0] * n


def test_a_first_play_urgency_is_named() -> None:
    told = phase_story(searched(preset="alphazero"), 3)
    chosen = told.choices[0].candidates[0]
    assert chosen.has_urgency
    assert chosen.score is not None
    assert "first-play urgency" in caption(told, "select")


def test_a_tie_names_the_others_and_who_wins_it() -> None:
    trace = searched()
    ties = 0
    for t in range(1, 121):
        for choice, compared in zip(
            phase_story(trace, t).choices, trace.iteration(t).comparisons
        ):  # fmt: skip
            if not compared.ties:
                continue
            ties += 1
            said = choice_caption(choice)
            assert f"tied with {trace.at(t - 1).label(compared.ties[0])}" in said
            assert said.endswith("first made wins")
    assert ties


def test_a_search_without_a_formula_says_that_its_scores_are_not_known(tmp_path: Path) -> None:
    record_foreign(tmp_path / "foreign.mcts")
    trace = mv.open(tmp_path / "foreign.mcts")
    told = phase_story(trace, 50)
    assert not told.knows_scores
    assert "the scores are not in the trace" in caption(told, "select")
    assert [each.score for each in told.choices[0].candidates] == [None] * 9
    before = trace.at(49)
    for each in told.choices[0].candidates:
        assert each.mean_value == number_or_none(float(before.mean_value[each.node]))
    assert "The moves of the simulation were not recorded." in caption(told, "simulate")


def test_what_is_not_simulated_is_said() -> None:
    over = searched(start=["a1", "b2", "c3"])
    t = next(
        t
        for t in range(1, 121)
        if not np.isnan(over.columns.nodes.outcome[over.columns.leaf[t - 1]])
    )
    assert caption(phase_story(over, t), "simulate").startswith("No simulation: the game is over")
    valued = caption(phase_story(searched(preset="alphazero"), 9), "simulate")
    assert valued.startswith("No rollout: ")
    assert "by the evaluator" in valued
    unrecorded = caption(phase_story(searched(rollouts=False), 9), "simulate")
    assert unrecorded.endswith("The moves of the simulation were not recorded.")
    several = caption(phase_story(searched(n_rollouts=3), 9), "simulate")
    assert "of 3 simulations" in several


def test_moves_are_called_random_only_where_the_trace_says_so(tmp_path: Path) -> None:
    assert "random moves" in caption(phase_story(searched(), 9), "simulate")
    decisive = phase_story(searched(simulation="decisive"), 9)
    assert "random" not in caption(decisive, "simulate")


def test_an_iteration_that_stays_at_the_root_or_adds_nothing_says_so() -> None:
    first = phase_story(searched(preset="alphazero"), 1)
    assert caption(first, "select") == "Nothing to select: the iteration stayed at the root."
    again = phase_story(searched(preset="tech_io"), 2)
    assert caption(again, "expand").startswith("Nothing added: ")


def test_a_snapshot_has_no_phases(tmp_path: Path) -> None:
    searched().at(50).to_json(tmp_path / "snapshot.json")
    assert not has_phases(mv.open(tmp_path / "snapshot.json"))
    assert has_phases(searched())


def test_what_chance_decides_is_no_choice() -> None:
    """In pig the roll of the die comes after the choice to roll."""
    trace = mv.open(Path(__file__).parents[2] / "samples" / "pig.mcts")
    to_move = trace.at(trace.n_iterations).to_move
    rolls = 0
    for t in range(400, 420):
        for choice in phase_story(trace, t).choices:
            by_chance = bool(to_move[choice.parent] == CHANCE)
            assert choice.level.by_chance is by_chance
            if by_chance:
                rolls += 1
                assert choice.chooser == "chance"
                assert choice_caption(choice) == f"{choice.level.move}, by chance"
                assert {each.score for each in choice.candidates} == {None}
                assert not any(each.comes_first or each.is_tied for each in choice.candidates)
                assert choice.level.margin is choice.level.runner_up is None
    assert rolls > 10


def test_values_beyond_all_digits_are_short_in_a_caption() -> None:
    class Node:
        def __init__(self) -> None:
            self.children: list[Node] = []
            self.visits, self.value = 0, 0.0

    root = Node()
    root.children = [Node()]
    with mv.record(root=root, children="children", visits="visits", value="value") as rec:
        for _ in range(2):
            for node in (root, root.children[0]):
                node.visits, node.value = node.visits + 1, node.value - 1e250
            rec.iteration()
    said = caption(phase_story(rec.trace, 2), "backpropagate")
    assert said.startswith("2 nodes updated. The root: visits 1 → 2, mean −1.0000e+250 → ")
    assert len(said) < 150
