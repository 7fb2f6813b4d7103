"""Gumbel MuZero: scores as its author computes them, the schedule of sequential halving, and the usual mistakes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.analysis.node.halving import halving_phase
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.recording.recording import Recording
from tests.complaints import complaints
from tests.recording.gumbel_search import GumbelSearch
from tests.variants import few


def recording(search: GumbelSearch, **told: Any) -> Recording[mv.Trace]:
    siblings = {"actions": 9, "considered": search.considered, "simulations": search.simulations}
    return mv.record(
        root=search.root, children="children", visits="visits", action="move", prior="prior",
        evaluation="evaluation", gumbel="gumbel", value_view="to_move",
        to_move=lambda node: node.board.count(".") % 2 ^ 1,
        game="tic_tac_toe",
        policies={"selection": {"name": "gumbel_muzero", "siblings": siblings}, "simulation": {"name": "value"}},
        **{"value": "total", **told},
    )  # fmt: skip


def recorded(search: GumbelSearch, **told: Any) -> mv.Trace:
    with recording(search, **told) as rec:
        for _ in rec.steps(search.step, search.simulations):
            pass
    return rec.trace


@pytest.mark.parametrize("seed", few(range(3)))
def test_scores_and_move_are_those_of_the_search(seed: int) -> None:
    search = GumbelSearch(seed=seed)
    trace = recorded(search)
    last = trace.at(trace.n_iterations)
    scaled = search.scaled(search.root)
    for child, node in zip(
        search.root.children, sorted(last.children(0), key=lambda v: last.action[v])
    ):
        assert last.action[node] == child.move
        assert last.value_term[node] == pytest.approx(scaled[child.move or 0], abs=1e-5)
    assert last.best_action == search.best()
    assert complaints(trace) == []
    rule = next(f for f in trace.check() if f.check == "selection-rule")
    assert "gumbel_muzero explains all" in rule.message


def test_with_rewards_q_is_the_reward_and_the_mean() -> None:
    search = GumbelSearch(256, considered=8, with_rewards=True)
    trace = recorded(search, reward="reward", step_rewards=True)
    last = trace.at(trace.n_iterations)
    brings = trace.columns.nodes.reward
    assert brings is not None
    rewarded = next(v for v in range(1, last.n_nodes) if last.visits[v] and brings[v])
    for parent in (0, int(last.parent[rewarded])):
        node = search.root
        for way in last.path(parent)[1:]:
            node = next(child for child in node.children if child.move == last.action[way])
        if parent:
            weights = [math.log(c.prior) + s for c, s in zip(node.children, search.scaled(node))]
            total = sum(math.exp(each) for each in weights)
            expected = [math.exp(each) / total for each in weights]
        else:
            expected = search.scaled(node)
        places = {child.move: at for at, child in enumerate(node.children)}
        for child in last.children(parent):
            due = expected[places[int(last.action[child])]]
            assert last.value_term[child] == pytest.approx(due, abs=1e-5)
    rule = next(f for f in trace.check() if f.check == "selection-rule")
    assert "gumbel_muzero explains all" in rule.message
    assert complaints(trace) == []


def test_a_reward_that_is_left_out_beside_siblings_is_named() -> None:
    search = GumbelSearch(256, considered=8, fault="no reward", with_rewards=True)
    findings = {each.check: each for each in recorded(search, reward="reward").check()}
    assert findings["selection-reward"].severity == "error"
    assert "the reward of a move is left out of Q" in findings["selection-reward"].message


def test_a_reward_that_values_have_already_is_not_to_be_told() -> None:
    search = GumbelSearch(256, considered=8, with_rewards=True)
    told = {"reward": "reward", "value": lambda node: node.total - node.visits * node.reward}
    (rule,) = [one for one in recorded(search, **told).check() if one.check == "selection-rule"]
    assert rule.severity == "note"
    assert "leave out reward=" in rule.message


def test_a_discount_that_varies_leaves_choices_uncompared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CheckedSearch, "discount", None)
    findings = recorded(GumbelSearch(with_rewards=True), reward="reward", step_rewards=True).check()
    (rule,) = [one for one in findings if one.check.startswith("selection-")]
    assert rule.severity == "note"
    assert "γ varies from move to move" in rule.message


@pytest.mark.parametrize("is_right", [True, False])
def test_the_move_played_is_that_of_the_improved_policy(is_right: bool) -> None:
    search = GumbelSearch(simulations=64, considered=8)
    with recording(search) as rec:
        for _ in rec.steps(search.step, search.simulations):
            pass
        others = [c.move for c in search.root.children if c.move != search.best() and c.visits]
        rec.final_move(search.best() if is_right else others[0])
    found = [each for each in rec.trace.check() if each.check == "choice-final-move"]
    assert [
        f"the rule gumbel_muzero gives {rec.trace.action_name(search.best())}" in str(each)
        for each in found
    ] == ([] if is_right else [True])


FAULTS = {
    "schedule": ("selection-halving", "visit a move out of turn"),
    "twice": ("selection-not-declared", "the Gumbel noise is added twice"),
    "no noise": ("selection-not-declared", "the Gumbel noise is left out"),
    "no logits": ("selection-not-declared", "the logits are left out at the root"),
    "values later": ("selection-not-declared", "ranked by σ(q) alone once they have visits"),
    "priors as logits": ("selection-not-declared", "probabilities are taken for logits"),
    "other view": ("selection-wrong-view", "values count in the view of the other player"),
    "not mixed": ("selection-not-declared", "untried moves count as the evaluator's value alone"),
    "by action": ("selection-not-declared", "looked up by the number of its action"),
    "noise below": ("selection-noise-below", "below the root's children have Gumbel noise"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_is_named(fault: str) -> None:
    check, words = FAULTS[fault]
    findings = recorded(GumbelSearch(simulations=64, considered=8, fault=fault)).check()
    named = [finding for finding in findings if finding.check == check]
    assert named, [str(each) for each in findings]
    assert words in named[0].message


def without_numbers(search: GumbelSearch, **told: str) -> list[mv.Finding]:
    """Recorded by somebody who says no more than the rule's name."""
    with mv.record(
        root=search.root, children="children", visits="visits", value="total", action="move", prior="prior",
        gumbel="gumbel", value_view="to_move", to_move=lambda node: node.board.count(".") % 2 ^ 1,
        policies={"selection": {"name": "gumbel_muzero"}, "simulation": {"name": "value"}}, **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, search.simulations):
            pass
    return [one for one in rec.trace.check() if one.check.startswith("selection-")]


@pytest.mark.parametrize(
    ("fault", "severity", "words"),
    [
        ("", "note", "with the numbers of mctx (value_scale 0.1, visit_offset 50) explains"),
        ("by action", "error", "looked up by the number of its action"),
        ("other view", "error", "values count in the view of the other player"),
        ("not mixed", "note", "If it is meant, tell it: policies="),
        ("other scale", "note", "has other numbers than mctx's, or was changed: policies="),
    ],
)
def test_without_its_numbers_choices_below_the_root_are_compared_by_those_of_mctx(
    fault: str, severity: str, words: str
) -> None:
    (one,) = without_numbers(
        GumbelSearch(simulations=128, considered=8, fault=fault), evaluation="evaluation"
    )
    assert one.severity == severity
    assert words in one.message


def test_what_has_to_be_told_is_said() -> None:
    (one,) = without_numbers(GumbelSearch())
    assert one.severity == "note"
    assert "needs the evaluator's value of each node (evaluation=), and its numbers" in one.message


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gumbel", "gumbel_muzero"), ("UCB", "ucb1"), ("PUTC", "puct"), ("PUCT+V", "puct")],
)
def test_an_unknown_rule_is_one_that_may_be_meant(name: str, meant: str) -> None:
    with mv.record(
        root=(search := GumbelSearch()).root, children="children", visits="visits", value="total", value_view="to_move",
        selection=name,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 20):
            pass
    (one,) = (one for one in rec.trace.check() if one.check == "selection-rule")
    assert f"did you mean {meant!r}?" in one.message


@pytest.mark.parametrize(("seeds", "repeats"), [(range(8), False), ([0] * 8, True)])
def test_noise_that_searches_share_is_named(
    seeds: Sequence[int], repeats: bool, tmp_path: Path
) -> None:
    with mv.ManyWriter(tmp_path / "a.many") as many:
        for seed in seeds:
            many.append(recorded(GumbelSearch(simulations=16, seed=seed)))
    named = [found.check for found in mv.fleet(tmp_path).check()]
    assert ("fleet-noise-repeats" in named) == repeats
    assert "fleet-noise-missing" not in named


def test_moves_out_of_the_present_phase_have_no_score() -> None:
    trace = recorded(GumbelSearch())
    first = trace.at(18)  # the second phase: the better half has one visit more
    scores = first.uct[first.children(0)]
    assert sorted(math.isinf(score) and score < 0 for score in scores).count(False) <= 2
    assert trace.iteration(19).comparisons[0].scores.max() > -math.inf


def test_the_phase_of_sequential_halving_is_told() -> None:
    trace = recorded(
        GumbelSearch()
    )  # 4 moves, 32 simulations: 4 visits for each of 4, then 8 for each of 2
    words = [halving_phase(trace.at(t)).words(trace.at(t)) for t in (0, 15, 16, 30)]  # type: ignore[union-attr]
    assert (
        words[0]
        == words[1]
        == "Sequential halving, phase 1 of 2 (simulations 1 to 16): 4 of the moves share it"
    )
    assert words[2].startswith(
        "Sequential halving, phase 2 of 2 (simulations 17 to 32): 2 of the moves share it"
    )
    assert words[3].count(",") == words[2].count(",") + 1  # two moves by name
    assert halving_phase(mv.search("tic_tac_toe", iterations=10, seed=1).at(5)) is None
