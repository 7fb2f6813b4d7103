"""Noise that is drawn anew at every choice at the root is told from noise that is drawn once, and from a root with
habits of its own."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, Node, Puct, Rules, watched
from tests.variants import few, in_turn

CHECK = "selection-fresh-noise"
START = {"tic_tac_toe": [], "connect_four": [3, 3, 2, 2, 4]}


class FreshNoise(Puct):
    """Noise at the root is drawn where the score is computed, anew at every choice."""

    def choose(self, node: Node) -> Node:
        if node.parent is not None:
            return super().choose(node)
        gamma = [self.random.gammavariate(0.8, 1) for _ in node.children]
        kept = [child.P for child in node.children]
        for child, one in zip(node.children, gamma):
            child.P = 0.75 * child.P + 0.25 * one / sum(gamma)
        best = super().choose(node)
        for child, prior in zip(node.children, kept):
            child.P = prior
        return best


class NoiseApart(Puct):
    """Drawn once, and kept apart from the priors, which are recorded."""

    weight_of_root = 1.0

    def noisy(self, node: Node, child: Node) -> float:
        if node.parent is not None:
            return child.P
        if not node.results:
            gamma = [self.random.gammavariate(0.8, 1) for _ in node.children]
            node.results = [one / sum(gamma) for one in gamma]
        return 0.75 * child.P + 0.25 * node.results[node.children.index(child)]

    def score(self, node: Node, child: Node) -> float:
        c = self.weight(node) * (self.weight_of_root if node.parent is None else 1.0)
        q = child.Q if child.N else self.first(node)
        return q + c * self.noisy(node, child) * math.sqrt(node.N) / (1 + child.N)


class Growing(NoiseApart):
    def weight(self, node: Node) -> float:
        return 1.25 + math.log((node.N + 501) / 500)


class OwnC(NoiseApart):
    """Another c at the root (lc0)."""

    weight_of_root = 1.6


class OwnUrgency(NoiseApart):
    """Children of the root without visits count as won (lc0)."""

    def first(self, node: Node) -> float:
        return 1.0 if node.parent is None else 0.0


class Forced(NoiseApart):
    """Forced playouts at the root (KataGo)."""

    def choose(self, node: Node) -> Node:
        for child in node.children if node.parent is None else ():
            if child.N and 2 * self.noisy(node, child) * node.N > child.N**2:
                return child
        return super().choose(node)


class EpsilonAtRoot(Puct):
    def choose(self, node: Node) -> Node:
        if node.parent is None and self.random.random() < 0.1:
            return self.random.choice(node.children)
        return super().choose(node)


class Ucb1AtRoot(Puct):
    def score(self, node: Node, child: Node) -> float:
        if node.parent is not None:
            return super().score(node, child)
        return child.Q + math.sqrt(math.log(node.N) / child.N) if child.N else math.inf


class RoundRobinAtRoot(Puct):
    def choose(self, node: Node) -> Node:
        if node.parent is None:
            return min(node.children, key=lambda child: child.N)
        return super().choose(node)


def found(kind: type[Puct], game: str, seed: int = 1, **told: Any) -> list[tuple[str, str]]:
    trace = watched(kind(Rules(game, START[game]), seed), 500, **PRIORS, **told)
    return [(one.check, one.severity) for one in trace.check()]


@pytest.mark.parametrize("game", few(START))
def test_new_noise_at_every_choice_is_found(game: str) -> None:
    assert (CHECK, "warning") in found(FreshNoise, game)


@pytest.mark.thorough
@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize(
    ("kind", "declared"),
    in_turn(
        [
            NoiseApart,
            Growing,
            OwnC,
            OwnUrgency,
            Forced,
            EpsilonAtRoot,
            Ucb1AtRoot,
            RoundRobinAtRoot,
        ],
        [{}, {"selection": "puct", "c": 1.5, "unvisited": 0}],
        2,
    ),
)
def test_noise_that_is_drawn_once_and_other_habits_at_the_root_are_not_taken_for_it(
    kind: type[Puct], declared: dict[str, Any], game: str
) -> None:
    assert CHECK not in [check for check, _ in found(kind, game, **declared)]


class NoiseAgain(Puct):
    """Noise is added to the root's priors in every iteration, and stays there."""

    def step(self) -> None:
        super().step()
        gamma = [self.random.gammavariate(0.8, 1) for _ in self.root.children]
        for child, one in zip(self.root.children, gamma):
            child.P = 0.75 * child.P + 0.25 * one / sum(gamma)


@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize("told", few([{}, {"selection": "puct", "c": 1.5}]))
def test_priors_of_the_root_that_are_seen_to_change_are_named(
    game: str, told: dict[str, Any]
) -> None:
    trace = watched(NoiseAgain(Rules(game, START[game]), 1), 300, **PRIORS, **told)
    (one,) = (each for each in trace.check() if each.check == CHECK)
    assert one.severity == "warning"
    assert "seen to change again and again" in one.message


def test_noise_that_each_new_root_gets_once_is_right() -> None:
    """Where the tree is kept from move to move."""
    search = Puct(Rules("connect_four", []), 1)
    with mv.record(
        root=lambda: search.root,
        children="children",
        visits="N",
        value="W",
        action="move",
        **PRIORS,
    ) as rec:
        for _ in range(8):
            for _ in range(60):
                search.step()
                rec.iteration()
            search.root = max(search.root.children, key=lambda child: child.N)
            gamma = [search.random.gammavariate(0.8, 1) for _ in search.root.children]
            for child, one in zip(search.root.children, gamma):
                child.P = 0.75 * child.P + 0.25 * one / sum(gamma)
    assert len(rec.traces) == 8
    for trace in rec.traces:
        assert CHECK not in {each.check for each in trace.check()}
        assert not any("again and again" in note for note in trace.meta.notes)
