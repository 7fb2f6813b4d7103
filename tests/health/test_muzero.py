"""MuZero for one player: moves bring rewards, Q = reward + γ·mean is scaled to [0, 1], c grows with the visits."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.values import lambda_returns, of_visits
from tests.health.test_memory import cut
from tests.variants import each, few

GAMMA = 0.9
MOVES, LENGTH = 4, 4


def reward_of(line: tuple[int, ...]) -> float:
    """Of the last move of a line."""
    return float((7 * line[-1] + 3 * sum(line) + len(line)) % 10)


@dataclass
class Node:
    prior: float
    line: tuple[int, ...] = ()
    reward: float = 0.0
    N: int = 0
    W: float = 0.0
    own: float = 0.0  # what it was worth when it was new
    children: dict[int, Node] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return self.W / self.N if self.N else 0.0


class Search:
    """`mistake`: the one that it makes, "" for none."""

    def __init__(
        self, mistake: str, seed: int, scale: tuple[float, float] = (math.inf, -math.inf)
    ) -> None:
        self.mistake, self.random = mistake, random.Random(seed)
        self.low, self.high = scale
        self.root = Node(1.0)
        self.expand(self.root)

    def expand(self, node: Node) -> None:
        if len(node.line) < LENGTH:
            weights = [self.random.random() + 0.1 for _ in range(MOVES)]
            for move, weight in enumerate(weights):
                line = (*node.line, move)
                node.children[move] = Node(weight / sum(weights), line, reward_of(line))

    def score(self, parent: Node, child: Node) -> float:
        c = 1.25 + math.log((parent.N + 19_653) / 19_652)
        if self.mistake == "never scaled":
            c += 2
        explored = c * child.prior * math.sqrt(parent.N) / (1 + child.N)
        if self.mistake == "prior beside":
            explored += child.prior
        if not child.N:
            return explored
        q = child.mean if self.mistake == "no reward" else child.reward + GAMMA * child.mean
        if self.mistake == "no reward, discounted":
            q = GAMMA * child.mean
        if self.mistake == "reward of the parent":
            q = parent.reward + GAMMA * child.mean
        if self.mistake == "no discount":
            q = child.reward + child.mean
        if self.mistake == "sums compared":
            q = child.W
        if self.mistake == "totals":
            q = child.reward + GAMMA * child.W
        if self.mistake == "reward outside" and self.high > self.low:
            return (
                explored + child.reward + GAMMA * (child.mean - self.low) / (self.high - self.low)
            )
        if self.mistake == "reward twice":
            q += child.reward
        if self.mistake == "never scaled":
            return explored + q
        return explored + ((q - self.low) / (self.high - self.low) if self.high > self.low else q)

    def iterate(self) -> None:
        path = [self.root]
        while path[-1].N and path[-1].children:
            node = path[-1]
            path.append(max(node.children.values(), key=lambda child: self.score(node, child)))
        leaf = path[-1]
        if not leaf.children:
            self.expand(leaf)
        value, line, weight = 0.0, leaf.line, 1.0
        while len(line) < LENGTH:
            line = (*line, self.random.randrange(MOVES))
            value, weight = value + weight * reward_of(line), weight * GAMMA
        if self.mistake == "whole episode":
            value *= GAMMA ** len(leaf.line)
            for i in range(len(leaf.line)):
                value += GAMMA**i * reward_of(leaf.line[: i + 1])
        if self.mistake == "from the root":
            value *= GAMMA ** len(leaf.line)
        if self.mistake == "leaf's value lost":
            value = 0.0
        for node in path if self.mistake == "not reversed" else reversed(path):
            if self.mistake == "reward of the wrong node":
                value = node.reward + GAMMA * value
            elif self.mistake == "discounted twice":
                value *= GAMMA
            node.own = node.own if node.N else value
            node.N, node.W = node.N + 1, node.W + value
            number = node.W if "sums" in self.mistake else node.reward + GAMMA * node.mean
            without = self.mistake in ("reward of the wrong node", "scaled by the means")
            number = node.mean if without else number
            if self.mistake == "totals":
                number = node.reward + GAMMA * node.W
            if self.mistake == "root alone":
                number = self.root.mean
            self.low, self.high = min(self.low, number), max(self.high, number)
            if self.mistake == "rewards never added":
                value *= GAMMA
            elif self.mistake == "from the root":
                value += GAMMA ** max(len(node.line) - 1, 0) * node.reward
            elif self.mistake == "λ-returns":
                value = node.reward + GAMMA * (0.3 * node.own + 0.7 * value)
            elif self.mistake == "λ-returns of wrong rewards":
                value = GAMMA * (node.reward + 0.3 * node.own + 0.7 * value)
            elif self.mistake != "reward of the wrong node":
                value = node.reward + GAMMA * value


def recorded(
    search: Search,
    told: bool = True,
    selection: str = "",
    n: int = 400,
    leaves: int = 1,
    **fields: Any,
) -> mv.Trace:
    more = {"reward": "reward"} if told else {}
    with mv.record(
        root=search.root, children="children", visits="N", value="W", prior="prior", players=("agent",),
        value_range=(0, 40), discount=GAMMA, step_rewards=True, **more,
        **({"selection": selection} if selection else {}), **fields,
    ) as rec:  # fmt: skip
        for _ in range(n // leaves):
            for _ in range(leaves):
                search.iterate()
            rec.iteration(leaves=leaves)
    return rec.trace


def bad(trace: mv.Trace) -> list[mv.Finding]:
    return [finding for finding in trace.check() if finding.severity != "note"]


@pytest.mark.parametrize("selection", few(["", "muzero"]))
def test_the_rule_is_found_with_rewards_and_scale(selection: str) -> None:
    trace = recorded(Search("", 1), selection=selection)
    [rule] = [finding for finding in trace.check() if finding.check == "selection-rule"]
    assert not bad(trace)
    assert "PUCT, Q scaled to [0, 1]" in rule.message
    assert "Q is reward + γ·mean" in rule.message
    assert "init = 1.25 explains" in rule.message
    assert rule.evidence["share"] == 1.0


@pytest.mark.parametrize(
    ("mistake", "check", "words"),
    each(
        2,
        [
            ("no reward", "selection-reward", "the reward of the move is left out of Q"),
            (
                "no reward, discounted",
                "selection-reward",
                "the reward of the move is left out of Q",
            ),
            ("reward of the wrong node", "selection-reward", "counts twice"),
            (
                "reward of the parent",
                "selection-reward",
                "that of the move into the parent, and not of the move that is chosen",
            ),
            ("sums", "selection-sum", "least and greatest of the value sums"),
            (
                "sums compared",
                "selection-sum",
                "the value sums, scaled to [0, 1], are compared in place of the means",
            ),
            ("totals", "selection-sum", "is scaled by the least and greatest of these"),
            ("prior beside", "selection-prior-in-value", "the prior is added to the scaled Q, too"),
            ("no discount", "selection-reward", "the discount γ is left out"),
            ("discounted twice", "value-reward", "γ·(reward + γ·Δchild)"),
            ("from the root", "value-reward", "discounted from the root on"),
            ("whole episode", "value-reward", "the rewards on the way to a node count twice"),
            ("not reversed", "value-reward", "from the root down"),
            ("reward twice", "selection-reward", "2·reward + γ·mean"),
        ],
    ),
)
def test_a_mistake_is_named(mistake: str, check: str, words: str) -> None:
    [finding] = bad(recorded(Search(mistake, 1)))
    assert (finding.check, finding.severity) == (check, "error")
    assert words in finding.message


def test_returns_between_a_child_and_what_it_was_worth_by_itself_are_no_mistake() -> None:
    trace = recorded(Search("λ-returns", 1))
    [backup] = [each for each in trace.check() if each.check == "value-backup"]
    assert not bad(trace)
    assert "λ = 0.7" in backup.message
    [finding] = bad(recorded(Search("λ-returns of wrong rewards", 1)))
    assert finding.check == "value-reward"


class LambdaAtFirst(Search):
    """Backs up λ-returns in its first 200 iterations, and no rewards afterwards."""

    def iterate(self) -> None:
        self.mistake = "λ-returns" if self.root.N < 200 else "rewards never added"
        super().iterate()


def test_the_weight_is_taken_from_the_first_steps_and_has_to_hold_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace, changes = recorded(Search("λ-returns", 1)), recorded(LambdaAtFirst("", 1))
    at_once = [str(each) for each in trace.check()]
    cut(monkeypatch, 200, 10**9)
    monkeypatch.setattr(of_visits, "ENOUGH_STEPS", 300)
    assert lambda_returns.lambda_of(CheckedSearch(changes), GAMMA) is None
    assert [str(each) for each in trace.check()] == at_once
    monkeypatch.setattr(lambda_returns, "_holds", lambda *_: True)
    weight, _ = lambda_returns.lambda_of(CheckedSearch(changes), GAMMA) or (None, "")
    assert weight == pytest.approx(0.7)  # the first steps alone tell another story


@pytest.mark.thorough
def test_a_mistake_that_the_score_told_has_too_is_named() -> None:
    for mistake, n in (("", 0), ("no reward", 1), ("sums compared", 1)):
        search = Search(mistake, 1)
        found = bad(recorded(search, selection="muzero", score=search.score))
        assert len(found) == n
        assert all("The score that was told has the same mistake" in str(each) for each in found)


@pytest.mark.thorough
def test_a_q_that_is_never_scaled_is_not_the_declared_rule() -> None:
    [finding] = bad(recorded(Search("never scaled", 1), selection="muzero"))
    assert (finding.check, finding.severity) == ("selection-not-declared", "error")
    assert "the least and greatest are never updated" in finding.message


@pytest.mark.parametrize("selection", few(["", "muzero"]))
def test_a_scale_of_means_without_rewards_is_said_to_be_one(selection: str) -> None:
    [finding] = bad(recorded(Search("scaled by the means", 1), selection=selection))
    assert (finding.check, finding.severity) == ("selection-scale", "warning")
    assert "leaves [0, 1]" in finding.message


@pytest.mark.parametrize("selection", few(["", "muzero"]))
def test_a_scale_of_the_root_alone_is_named(selection: str) -> None:
    [finding] = bad(recorded(Search("root alone", 1), selection=selection))
    assert (finding.check, finding.severity) == ("selection-scale", "warning")
    assert "mean of the root, which alone updates them" in finding.message


@pytest.mark.thorough
@pytest.mark.parametrize("selection", few(["", "muzero"]))
def test_a_reward_that_is_not_normalized_with_the_value_is_named(selection: str) -> None:
    [finding] = bad(recorded(Search("reward outside", 13), selection=selection, n=350))
    assert finding.check == "selection-scale"
    assert "the reward stands outside the min-max normalization" in finding.message


def test_rewards_that_are_backed_up_wrongly_show_in_batches_too() -> None:
    assert not bad(recorded(Search("", 1), leaves=8))
    [finding] = bad(recorded(Search("discounted twice", 1), leaves=8))
    assert (finding.check, finding.severity) == ("value-reward", "error")
    assert "γ·(reward + γ·Δchild)" in finding.message
    assert "its children get" in finding.message


@pytest.mark.thorough  # `test_a_scale_that_never_changes_…` has one, too
def test_a_scale_of_an_earlier_search_is_not_called_random() -> None:
    found = recorded(Search("", 1, (-100.0, 300.0)), selection="muzero", n=600).check()
    assert [one for one in found if one.severity != "note"] == []
    (finding,) = (one for one in found if one.check.startswith("selection-"))
    assert finding.check == "selection-unexplained"
    assert "fit no c of PUCT" in finding.message


def test_rewards_that_were_not_told_are_asked_for() -> None:
    findings = recorded(Search("", 1), told=False, selection="muzero").check()
    assert any(
        "were not told (reward=)" in each.message and each.severity == "note" for each in findings
    )


def test_a_leafs_value_that_is_lost_beside_rewards_is_a_note() -> None:
    found = {one.check: one for one in recorded(Search("leaf's value lost", 1)).check()}
    assert found["simulation-constant"].severity == "note"
    assert "beside the rewards" in found["simulation-constant"].message
    assert "simulation-constant" not in {one.check for one in recorded(Search("", 1)).check()}


@pytest.mark.thorough
def test_rewards_that_are_declared_and_never_come_are_a_note() -> None:
    found = {
        one.check: one for one in recorded(Search("rewards never added", 1), told=False).check()
    }
    assert found["value-reward"].severity == "note"
    assert "rewards on the way are left out" in found["value-reward"].message
    right = recorded(Search("", 1), told=False).check()
    assert "value-reward" not in {one.check for one in right}


def between_two(one_view: bool) -> mv.Trace:
    """Lines of moves drawn at random in a game for two that brings rewards; values of the player to move.
    one_view: rewards are added as they are, whoever made the move."""
    draw, tree = random.Random(1), {(): (0, 0.0)}

    def step() -> None:
        line: tuple[int, ...] = ()
        while line in tree and len(line) < LENGTH:
            line = (*line, draw.randrange(2))
        value = draw.uniform(-1, 1)  # of who moves at the leaf
        for end in range(len(line), -1, -1):
            node = line[:end]
            visits, total = tree.get(node, (0, 0.0))
            tree[node] = visits + 1, total + value
            reward = reward_of(node) / 10 if node else 0.0  # of who moved into the node
            value = reward - value
            if one_view and end % 2:
                value -= 2 * reward

    with mv.record(
        root=(),
        children=lambda node: [(*node, i) for i in (0, 1) if (*node, i) in tree],
        visits=lambda node: tree[node][0], value=lambda node: tree[node][1],
        to_move=lambda node: len(node) % 2, value_view="to_move", value_range=(-5, 5), step_rewards=True,
        discount=1.0, reward=lambda node: reward_of(node) / 10 if node else 0.0,
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 300):
            pass
    return rec.trace


def test_rewards_that_keep_one_players_view_are_named() -> None:
    assert not [one for one in bad(between_two(False)) if one.check == "value-reward"]
    [finding] = [one for one in bad(between_two(True)) if one.check == "value-reward"]
    assert "where one of the players moves" in finding.message


@pytest.mark.thorough
def test_a_scale_that_never_changes_may_be_that_of_an_earlier_search() -> None:
    """Values that all lie within it are divided by one number, so that c seems to be that much greater."""
    found = recorded(Search("", 1, (-1.0, 60.0)), selection="muzero", n=600).check()
    assert [one for one in found if one.severity != "note"] == []


@pytest.mark.thorough
def test_first_play_that_is_a_mean_of_siblings_is_no_mistake() -> None:
    """EfficientZero: a child without visits counts as its siblings and the parent do together."""
    search = Search("", 1)
    plain = search.score

    def score(parent: Node, child: Node) -> float:
        if child.N or search.high <= search.low:
            return plain(parent, child)
        known = [each.reward + GAMMA * each.mean for each in parent.children.values() if each.N]
        mean = (sum(known) + parent.mean) / (1 + len(known))
        return plain(parent, child) + (mean - search.low) / (search.high - search.low)

    search.score = score  # type: ignore[method-assign]
    assert not bad(recorded(search, selection="muzero"))
