"""Evaluations of leaves: those of the leaf before, cut off at the middle, or the same beside other priors."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from mcts_viz.health import checked_search
from mcts_viz.health.outcomes import late
from tests.health.faulty import PuctIllegalPriors, PuctLate
from tests.health.unusual import PRIORS, Node, Puct, Rules, Search, watched
from tests.variants import each, few, in_turn

GAMES = [("tic_tac_toe", []), ("connect_four", [3, 3, 2, 2])]
one_game = pytest.mark.parametrize(("game", "start"), few(GAMES))
UNKNOWN = {"game": None, "start": None, "state": lambda node: str(node.state)}
# the same with moves that no board can be made of
HIDDEN = {"game": None, "start": None, "action": lambda node: 100 + node.move}


class Network(Puct):
    """In the view of the player to move, on both sides of 0."""

    def own(self, leaf: Node) -> float:
        return random.Random(str(leaf.state)).uniform(-0.9, 0.9)

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return self.own(leaf) * (1 if leaf.player == 0 else -1)


class Relu(Network):
    def own(self, leaf: Node) -> float:
        return max(0.0, super().own(leaf))


class NoSign(Network):
    def own(self, leaf: Node) -> float:
        return abs(super().own(leaf))


class Hopeful(Network):
    """Not trained yet: all values are good for the player to move, and thin out towards 0."""

    def own(self, leaf: Node) -> float:
        return math.tanh(random.Random(str(leaf.state)).gauss(0.2, 0.05))


class Threats(Network):
    """A count of threats, as a heuristic has: few values, none below 0."""

    def own(self, leaf: Node) -> float:
        return random.Random(str(leaf.state)).randrange(6) / 10


class NoiseEverywhere(Network):
    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        gamma = [self.random.gammavariate(0.5, 1) for _ in leaf.children]
        for child, one in zip(leaf.children, gamma):
            child.P = 0.75 * child.P + 0.25 * one / sum(gamma)


class Reflected(NoiseEverywhere):
    """The board is turned at random before the network sees it: its value differs as its priors do."""

    def own(self, leaf: Node) -> float:
        return self.random.uniform(-0.9, 0.9)


def found(search: Search, **told: Any) -> dict[str, tuple[str, str]]:
    findings = watched(search, 800, **PRIORS, **told).check()
    return {one.check: (one.severity, one.message) for one in findings}


@pytest.mark.thorough
@pytest.mark.parametrize("told", few([{}, UNKNOWN]), ids=["rules", "texts"])
@one_game
def test_the_value_of_the_leaf_before_is_named(
    game: str, start: list[int], told: dict[str, Any]
) -> None:
    wrong = found(PuctLate(Rules(game, start), 1), **told)
    assert wrong["simulation-late"][0] == "error"
    assert "value of the leaf before" in wrong["simulation-late"][1]
    assert "simulation-late" not in found(Puct(Rules(game, start), 1), **told)
    assert "simulation-late" not in found(Search(Rules(game, start), 1), **told)


class LateAtEnds(Network):
    """An end of the game is valued at its first visit; later the value of the last evaluation is still there."""

    kept = 0.0

    def value(self, leaf: Node) -> float:
        return super().evaluate(leaf)

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is None or not leaf.N:
            self.kept = self.value(leaf)
        return self.kept


class LateForTheMover(LateAtEnds):
    """It is kept in the view of who is to move."""

    def evaluate(self, leaf: Node) -> float:
        side = 1 if leaf.player == 0 else -1
        if leaf.outcome is None or not leaf.N:
            self.kept = side * self.value(leaf)
        return side * self.kept


class LateAtAllVisits(LateAtEnds):
    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is None:
            self.kept = self.value(leaf)
        return self.kept


class DrawnAgain(Network):
    """No children below a depth, where each visit is a value of its own."""

    def expand(self, leaf: Node) -> None:
        if len([cell for cell in leaf.state if int(cell)]) < 5:
            super().expand(leaf)

    def own(self, leaf: Node) -> float:
        return self.random.uniform(-0.9, 0.9)


@pytest.mark.parametrize("told", few([{"outcome": "outcome"}, UNKNOWN]), ids=["told", "untold"])
@pytest.mark.parametrize(
    ("kind", "words"),
    few(
        [
            (LateForTheMover, "get their result at their first visit alone, and later what"),
            (LateAtEnds, "get their result at their first visit alone, and later what"),
            (LateAtAllVisits, "get at later visits what"),
        ]
    ),
)
def test_ends_that_get_what_the_leaf_before_got_are_named(
    kind: type[Search], words: str, told: dict[str, Any]
) -> None:
    wrong = found(kind(Rules(*GAMES[0]), 1), **{**UNKNOWN, **told})
    severity, message = wrong["simulation-late"]
    assert severity == "error"
    assert (words if "outcome" in told else "nodes without children get at later visits") in message
    assert "value-wrong-view" not in wrong


@pytest.mark.parametrize("kind", each(2, [Network, DrawnAgain, Search, Threats]))
def test_ends_that_get_their_own_value_are_not_late(kind: type[Search]) -> None:
    assert "simulation-late" not in found(kind(Rules(*GAMES[0]), 1), **UNKNOWN)


@pytest.mark.thorough
def test_of_a_long_trace_the_first_visits_and_some_positions_are_enough_for_the_value_of_the_leaf_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checked_search, "RANGE_ROWS", 400)  # an iteration has some four rows
    monkeypatch.setattr(late, "MOST_VISITS", 200)
    monkeypatch.setattr(late, "MOST_ASKED", 150)
    seen: list[int] = []
    pairs = late._pairs
    monkeypatch.setattr(
        late, "_pairs", lambda search, node: seen.append(len(node)) or pairs(search, node)
    )
    wrong = found(PuctLate(Rules("tic_tac_toe", []), 1))
    assert wrong["simulation-late"][0] == "error"
    assert "simulation-late" not in found(Puct(Rules("tic_tac_toe", []), 1))
    assert all(200 <= n < 400 for n in seen)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "told", few([{}, {"game": None, "start": None}]), ids=["rules", "no rules"]
)
@pytest.mark.parametrize("kind", [Relu, NoSign])
@one_game
def test_values_that_are_cut_off_at_the_middle_are_named(
    game: str, start: list[int], kind: type[Search], told: dict[str, Any]
) -> None:
    severity, message = found(kind(Rules(game, start), 1), **told)["simulation-not-random"]
    assert severity == "warning"
    assert "no evaluation is bad for the player to move" in message
    assert "ReLU" in message


def test_values_on_one_side_are_a_note_where_nobody_tells_of_an_opponent() -> None:
    told = found(Relu(Rules(*GAMES[0]), 1), **HIDDEN, to_move=None)
    severity, message = told["simulation-not-random"]
    assert severity == "note"
    assert "Right where one player searches alone" in message


@pytest.mark.parametrize(
    ("kind", "told"), in_turn([Network, Hopeful, Threats], [{"game": None, "start": None}, {}])
)
def test_a_network_that_is_hopeful_or_counts_threats_is_not_cut_off(
    kind: type[Search], told: dict[str, Any]
) -> None:
    _, message = found(kind(Rules(*GAMES[1]), 1), **told).get("simulation-not-random", ("", ""))
    assert "ReLU" not in message


@pytest.mark.thorough
@pytest.mark.parametrize("told", few([{}, UNKNOWN]), ids=["rules", "texts"])
def test_noise_at_every_node_is_told_from_a_reflection_by_the_values(told: dict[str, Any]) -> None:
    rules = Rules(*GAMES[0])
    same = "The network says the same value of both"
    assert same in found(NoiseEverywhere(rules, 1), **told)["expansion-priors-vary"][1]
    assert same not in found(Reflected(rules, 1), **told)["expansion-priors-vary"][1]
    assert "expansion-priors-vary" not in found(Network(rules, 1), **told)


UNTOLD = {"game": None, "start": None}


class NoisyThreats(Threats, NoiseEverywhere):
    """Few values: that two are the same does not tell that the position is."""


class ByOrder(Network):
    """The policy sees in which order the moves came, and the value counts what stands where."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        moves, node = "", leaf
        while node.parent is not None:
            moves, node = f"{moves} {node.move}", node.parent
        weights = [random.Random(f"{moves} {child.move}").random() for child in leaf.children]
        for child, one in zip(leaf.children, weights):
            child.P = one / sum(weights)

    def own(self, leaf: Node) -> float:
        return super().own(leaf) + self.iterations * 1e-9


@pytest.mark.parametrize("game", few(["tic_tac_toe", "mnk:5,5,4"]))
def test_noise_at_every_node_is_found_where_nothing_but_the_moves_is_told(game: str) -> None:
    rules = Rules(game, [])
    _, words = found(NoiseEverywhere(rules, 1), **UNTOLD)["expansion-priors-vary"]
    assert "the same moves in another order" in words
    assert "noise seems to be added at every node" in words


@pytest.mark.thorough
@pytest.mark.parametrize("kind", each(2, [Network, Reflected, ByOrder, NoisyThreats, Puct]))
@one_game
def test_nothing_is_said_where_equal_moves_may_be_different_positions(
    kind: type[Search], game: str, start: list[int]
) -> None:
    assert "expansion-priors-vary" not in found(kind(Rules(game, start), 1), **HIDDEN)


@pytest.mark.thorough
def test_of_a_wide_tree_the_nodes_that_have_children_are_compared() -> None:
    """They are few among all."""
    search = NoiseEverywhere(Rules("mnk:5,5,4", []), 1)
    assert "expansion-priors-vary" in found(search, **UNKNOWN)


@pytest.mark.thorough
@one_game
def test_priors_that_are_not_normalised_again_are_named_without_rules(
    game: str, start: list[int]
) -> None:
    unknown = {"game": None, "start": None}
    rules = Rules(game, [*start, 0, 0, 0, 0, 0, 0] if game == "connect_four" else start)
    severity, message = found(PuctIllegalPriors(rules, 1), **unknown)["expansion-priors"]
    # a move to a field is made once, so that it is known which are left; a column takes several
    assert severity == ("warning" if game == "tic_tac_toe" else "note")
    assert "made together" in message
    assert "expansion-priors" not in found(Puct(rules, 1), **unknown)


class LikelyMovesAlone(Puct):
    """Moves that the policy thinks unlikely get no child, and the others keep their priors."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        if len(leaf.children) > 2:
            leaf.children.remove(min(leaf.children, key=lambda child: child.P))


def test_priors_beside_moves_that_are_left_out_are_worth_a_note() -> None:
    search = LikelyMovesAlone(Rules("tic_tac_toe", []), 1)
    severity, message = found(search, game=None, start=None)["expansion-priors"]
    assert severity == "note"
    assert "Right where some of the legal moves have no children" in message


class ZippedPolicy(Puct):
    """The network knows the legal moves; its answer is read by the place in the list of them."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        policy = dict.fromkeys(range(9), 0.0) | {each.move: each.P for each in leaf.children}
        for child, prior in zip(leaf.children, policy.values()):
            child.P = prior


def test_a_policy_that_is_read_by_the_place_of_a_move_is_one_of_the_causes() -> None:
    search = ZippedPolicy(Rules("tic_tac_toe", [0, 4]), 1)
    severity, message = found(search, game=None, start=None)["expansion-priors"]
    assert severity == "warning"
    assert "zip(legal, probs) in place of probs[legal]" in message


class Logits(Puct):
    """The policy is taken as it comes, before the softmax."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        for child in leaf.children:
            child.P = math.log(child.P)


class LogPriors(Logits):
    """The probability is taken where the child is chosen."""

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        return q + self.c * self.probability(node, child) * math.sqrt(node.N) / (1 + child.N)

    def probability(self, node: Node, child: Node) -> float:
        return math.exp(child.P)


class SoftmaxOfLogits(LogPriors):
    """Logits are no logarithms of probabilities: these have a constant in them."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        for child in leaf.children:
            child.P += 2.0

    def probability(self, node: Node, child: Node) -> float:
        return math.exp(child.P) / sum(math.exp(each.P) for each in node.children)


class RootPriors(Puct):
    """The policy's answer for the root is used at all nodes, over their legal moves."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        if leaf is self.root:
            self.answer = {child.move: child.P for child in leaf.children}
        total = sum(self.answer[child.move] for child in leaf.children)
        for child in leaf.children:
            child.P = self.answer[child.move] / total


class PriorsAtRootAlone(Puct):
    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        for child in leaf.children:
            child.P = child.P if leaf is self.root else 1 / len(leaf.children)


class UnweighedNoise(Puct):
    """Noise is added to the root's priors, which lose nothing for it."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        if leaf is self.root:
            for child in leaf.children:
                child.P += 0.25 / len(leaf.children)


class NoiseOfOneNumber(Puct):
    """Noise of the root's priors takes the same, small number for all moves."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        if leaf is self.root:
            for child in leaf.children:
                child.P = 0.75 * child.P + 0.25 * 0.001


class PriorOfTheLastMove(Puct):
    """All moves of a node have the prior of its last one."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        for child in leaf.children:
            child.P = leaf.children[-1].P


class EvenPriors(Puct):
    """All moves of a node have the same share."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        for child in leaf.children:
            child.P = 1 / len(leaf.children)


@one_game
def test_one_prior_for_all_moves_of_a_node_is_a_note(game: str, start: list[int]) -> None:
    rules = Rules(game, start)
    severity, message = found(PriorOfTheLastMove(rules, 1), **UNKNOWN)["expansion-priors"]
    assert severity == "note"
    assert (
        "one prior for all moves of a node, another one at each node, and not 1 in all" in message
    )
    assert "expansion-priors" not in found(EvenPriors(rules, 1), **UNKNOWN)


@pytest.mark.thorough
@one_game
def test_priors_below_0_are_logits(game: str, start: list[int]) -> None:
    rules = Rules(game, start)
    declared = {"selection": "puct", "c": 1.4}
    findings = found(Logits(rules, 1), **declared)
    severity, message = findings["expansion-priors"]
    assert severity == "warning"
    assert "no probabilities, but logarithms of probabilities" in message
    assert not {"selection-no-visits", "selection-unexplained"} & findings.keys()
    assert found(Logits(rules, 1), selection="softmax of P")["expansion-priors"][0] == "note"


@pytest.mark.thorough
@one_game
def test_logits_as_priors_are_named_where_no_rule_is_told(game: str, start: list[int]) -> None:
    findings = watched(Logits(Rules(game, start), 1), **PRIORS).check()
    serious = [one for one in findings if one.severity != "note"]
    assert [one.check for one in serious] == ["expansion-priors"]
    assert "PUCT with the recorded priors" in serious[0].message


@one_game
@pytest.mark.parametrize("kind", few([LogPriors, SoftmaxOfLogits]))
@pytest.mark.parametrize("declared", [{}, {"selection": "puct", "c": 1.5}])
def test_logarithms_of_which_the_search_takes_probabilities_are_right(
    game: str, start: list[int], kind: type[Puct], declared: dict[str, Any]
) -> None:
    findings = found(kind(Rules(game, start), 1), **declared)
    assert [check for check, (severity, _) in findings.items() if severity != "note"] == []
    assert "PUCT" in findings["selection-rule"][1]
    words = "softmax" if kind is SoftmaxOfLogits else "e to the power"
    assert words in findings["selection-log-priors"][1]


@pytest.mark.thorough
@one_game
@pytest.mark.parametrize("told", few([{}, UNKNOWN]), ids=["rules", "texts"])
def test_priors_that_are_the_same_everywhere_are_a_note(
    game: str, start: list[int], told: dict[str, Any]
) -> None:
    rules = Rules(game, start)
    severity, message = found(RootPriors(rules, 1), **told)["expansion-same-priors"]
    assert severity == "note"
    assert "have the root's for the same moves" in message
    severity, message = found(PriorsAtRootAlone(rules, 1), **told)["expansion-same-priors"]
    assert severity == "note"
    assert "the policy is asked at the root alone" in message
    assert "expansion-same-priors" not in found(Puct(rules, 1), **told)


@pytest.mark.thorough
@one_game
def test_noise_that_is_not_weighed_against_the_priors_shows_without_rules(
    game: str, start: list[int]
) -> None:
    severity, message = found(UnweighedNoise(Rules(game, start), 1), **HIDDEN)["expansion-priors"]
    assert severity == "note"
    assert "add up to 1.25" in message


@one_game
def test_noise_that_is_no_distribution_shows_without_rules(game: str, start: list[int]) -> None:
    search = NoiseOfOneNumber(Rules(game, start), 1)
    severity, message = found(search, **HIDDEN)["expansion-priors"]
    assert severity == "note"
    assert "does not add up to 1" in message


@one_game
@pytest.mark.parametrize("as_white", [False, True])
def test_evaluations_for_the_player_to_move_that_are_taken_as_one_players_are_noted(
    game: str, start: list[int], as_white: bool
) -> None:
    class AsWhite(Puct):
        def evaluate(self, leaf: Node) -> float:
            value = super().evaluate(leaf)
            return value if leaf.outcome is not None else value * (1 if leaf.player == 0 else -1)

    search = (AsWhite if as_white else Puct)(Rules(game, start), 1)

    def told(node: Node) -> float:
        return Puct.evaluate(search, node) * (1 if node.player == 0 else -1)

    notes = [
        one.message
        for one in watched(search, 600, **PRIORS, evaluation=told).check()
        if one.check == "simulation-flipped"
    ]
    assert (
        any("get the opposite of the evaluation that was told" in each for each in notes)
        == as_white
    )


@one_game
def test_evaluations_with_the_wrong_sign_here_and_there_are_noted(
    game: str, start: list[int]
) -> None:
    class Turned(Puct):
        """As from a table that was filled where the other player was to move."""

        def evaluate(self, leaf: Node) -> float:
            value = super().evaluate(leaf)
            turned = leaf.outcome is None and leaf.parent is not None and leaf.move % 3 == 0
            return -value if turned else value

    search = Turned(Rules(game, start), 1)

    def told(node: Node) -> float:
        return Puct.evaluate(search, node) * (1 if node.player == 0 else -1)

    severity, message = found(search, evaluation=told)["simulation-flipped"]
    assert severity == "note"
    assert "of both players, get the opposite of the evaluation that was told" in message
    assert "found there by a key without the player to move" in message


@one_game
@pytest.mark.parametrize("sign", [1, -1])
def test_leaves_that_get_the_opposite_of_what_was_told_are_named(
    game: str, start: list[int], sign: int
) -> None:
    search = Puct(Rules(game, start), 1)

    def told(node: Node) -> float:
        return sign * search.evaluate(node) * (1 if node.player == 0 else -1)

    findings = found(search, evaluation=told)
    assert ("simulation-flipped" in findings) == (sign < 0)
    if sign < 0:
        severity, message = findings["simulation-flipped"]
        assert severity == "warning"
        assert "told for the player to move there" in message


class FiveGames(Search):
    """A leaf gets the mean of five rollouts."""

    sign = 1.0

    def evaluate(self, leaf: Node) -> float:
        return self.sign * sum(self.rollout(leaf.state) for _ in range(5)) / 5


class FiveTurnedGames(FiveGames):
    sign = -1.0


@pytest.mark.parametrize(
    ("told", "severity"),
    [({}, "warning"), ({"policies": {"simulation": {"name": "random", "rollouts": 5}}}, "error")],
)
def test_means_of_a_few_games_are_held_against_random_play_as_games_are(
    told: dict[str, Any], severity: str
) -> None:
    rules = Rules("tic_tac_toe", [])
    said = {one.check: one for one in watched(FiveTurnedGames(rules, 1), 400, **told).check()}
    assert said["value-wrong-view"].severity == severity
    assert "as of the means of 5 games" in said["value-wrong-view"].message
    right = watched(FiveGames(rules, 1), 400, **told).check()
    assert [one.check for one in right if one.severity != "note"] == []
