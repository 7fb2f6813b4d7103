"""What findings say, and that small trees get none that a larger one would not."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import (
    PRIORS,
    AllChildren,
    Alone,
    AloneHidden,
    FourRollouts,
    Minimax,
    OneVisitGiven,
    Puct,
    Rules,
    Search,
    Shared,
    Walk,
    watched,
)
from tests.health.zoo import recorded
from tests.variants import few

START = ("tic_tac_toe", [0, 4])
SHARED: dict[str, Any] = {"children": lambda node: node.by_move, "action": None, "thorough": True}


def message(trace: mv.Trace, check: str) -> str:
    (finding,) = (one for one in trace.check() if one.check == check)
    return finding.message


def serious(trace: mv.Trace) -> list[str]:
    return [str(one) for one in trace.check() if one.severity != "note"]


def test_uneven_values_are_two_that_differ() -> None:
    said = message(recorded("tic_tac_toe", "another simulation for each node"), "value-uneven")
    pair = re.search(r": (\S+) and (\S+);", said)
    assert pair is not None
    assert pair[1] != pair[2]


def test_choices_before_all_moves_are_tried_name_what_would_explain_them() -> None:
    said = message(watched(AloneHidden(Walk(), 1)), "selection-untried")
    assert "chance=" in said
    assert 'selection= with a name, such as "open-loop UCT"' in said


def test_choices_that_no_rule_explains_are_counted() -> None:
    class Whim(Search):
        def score(self, node: Any, child: Any) -> float:
            return super().score(node, child) + 0.4 * (child.move % 2)

    said = message(watched(Whim(Rules(*START), 1)), "selection-unexplained")
    assert re.match(r"[\d,]+ of [\d,]+ choices fit no c of UCB1", said)


@pytest.mark.thorough
def test_the_same_c_as_declared_is_counted_not_the_best_one() -> None:
    trace = watched(Puct(Rules(*START), 1), selection="puct", c=9.0, **PRIORS)
    said = message(trace, "selection-not-declared")
    assert "declared is PUCT with c = 9, which explains" in said
    assert "100%" not in said


@pytest.mark.parametrize("iterations", [5, 10, 20, 40, 80])
@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_small_trees_have_no_findings_of_large_ones(iterations: int, seed: int) -> None:
    rules = Rules(*START)
    assert serious(watched(Minimax(rules, seed), iterations, backup="minimax")) == []
    assert serious(watched(Shared(rules, seed), iterations, **SHARED)) == []


def test_means_of_several_rollouts_are_not_held_against_single_ones() -> None:
    for seed in (1, 2, 3):
        trace = watched(FourRollouts(Rules(*START), seed), outcomes=True)
        assert "simulation-not-random" not in [one.check for one in trace.check()]


def test_children_that_are_all_judged_as_they_are_made_are_no_back_up_off_the_path() -> None:
    """Agents judge every new child, and the best one counts for the nodes above."""

    class Judged(AllChildren):
        def step(self) -> None:
            path = [self.root]
            while path[-1].children:
                path.append(self.choose(path[-1]))
            leaf = path[-1]
            if leaf.outcome is None:
                self.grow(leaf)
            for child in leaf.children:
                self.backpropagate([child], self.evaluate(child))
            best = max(leaf.children, key=lambda child: child.Q, default=leaf)
            self.backpropagate(path, best.Q if best is not leaf else self.evaluate(leaf))

    class Alone(Judged):
        def worth(self, node: Any, outcome: float) -> float:
            return outcome

    trace = watched(Alone(Walk(), 1))
    assert serious(trace) == []
    assert "all children are evaluated as they are made" in message(trace, "visits-off-path")


def test_a_visit_that_does_not_reach_the_root_is_said_to_be_one() -> None:
    class Stops(Search):
        """A finished game that is visited again is counted by itself."""

        def backpropagate(self, path: list[Any], outcome: float) -> None:
            again = path[-1].outcome is not None and path[-1].N > 0
            super().backpropagate(path[-1:] if again else path, outcome)

    said = message(watched(Stops(Rules(*START), 1)), "visits-off-path")
    assert "a back-up begins at a node and does not go up" in said
    assert "several parents" not in said


@pytest.mark.parametrize("start", [[], [4, 0], [4, 0, 8]])
def test_a_score_in_which_it_matters_how_soon_a_game_is_won_is_no_mistake(start: list[int]) -> None:
    class Sooner(Search):
        """A move that is saved is worth a tenth of a win."""

        def evaluate(self, leaf: Any) -> float:
            state, moves = leaf.state, 0
            while (outcome := self.rules.outcome(state)) is None:
                state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
                moves += 1
            while leaf is not self.root:
                leaf, moves = leaf.parent, moves + 1
            return float(outcome * (2 - moves / 10))

    trace = watched(Sooner(Rules("tic_tac_toe", start), 1), 800, value_range=(-2.0, 2.0))
    assert serious(trace) == []


@pytest.mark.parametrize(
    ("game", "start"), few([("tic_tac_toe", [4]), ("connect_four", [3, 3, 3])])
)
def test_moves_that_are_left_out_as_mirror_images_are_not_missing(
    game: str, start: list[int]
) -> None:
    class OneOfEach(Search):
        """Of moves at the root that lead to mirror images of one another, one is made."""

        kept = (0, 1, 2, 3) if game == "connect_four" else (0, 1)

        def grow(self, node: Any) -> Any:
            if node is self.root and node.untried is None:
                node.untried = list(self.kept)
            return super().grow(node)

    class OneTooFew(OneOfEach):
        kept = (0, 1, 2) if game == "connect_four" else (0,)

    trace = watched(OneOfEach(Rules(game, start), 1))
    assert serious(trace) == []
    assert "mirror images" in message(trace, "expansion-missing")
    assert serious(watched(OneTooFew(Rules(game, start), 1))) != []


def test_the_best_result_in_place_of_the_sum_is_said_to_be_one() -> None:
    class Best(Alone):
        """The best result is kept, and divided by the visits as a sum would be."""

        def backpropagate(self, path: list[Any], outcome: float) -> None:
            for node in path:
                node.N, node.W = node.N + 1, max(node.W, outcome)

    trace = watched(Best(Walk(), 1))
    assert "is the best result that was found below it, and no sum" in message(
        trace, "value-overwritten"
    )
    kept = watched(Best(Walk(), 1), value_kind="mean")
    assert "value-overwritten" not in [one.check for one in kept.check()]


@pytest.mark.thorough
def test_the_first_child_that_is_always_taken_is_named_beside_unvisited_ones() -> None:
    class First(AllChildren):
        def choose(self, node: Any) -> Any:
            return node.children[0]

    said = message(watched(First(Rules("connect_four", []), 1)), "selection-unvisited")
    assert "the first child is always taken" in said


def test_rollouts_that_are_cut_short_show_in_the_values_alone() -> None:
    class Cut(Search):
        """Eight moves; a game that is not over then counts as a draw."""

        def rollout(self, state: Any) -> float:
            for _ in range(8):
                if (outcome := self.rules.outcome(state)) is not None:
                    return float(outcome)
                state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
            return float(self.rules.outcome(state) or 0.0)

    trace = watched(Cut(Rules("connect_four", []), 1), 300)
    assert "seem to be cut short" in message(trace, "simulation-unfinished")
    assert serious(trace) == []
    whole = watched(Search(Rules("connect_four", []), 1), 300)
    assert "simulation-unfinished" not in [one.check for one in whole.check()]


@pytest.mark.parametrize("seed", few([4, 1, 2, 3]))
def test_rollouts_that_learn_from_those_before_are_not_called_turned(seed: int) -> None:
    """Replies that won are played again (last good reply): a tree's rollouts may then be won by one side as a whole."""

    class GoodReplies(Search):
        def rollout(self, state: Any) -> float:
            played: list[tuple[int, int, int]] = []
            last = -1
            while (outcome := self.rules.outcome(state)) is None:
                moves, player = self.rules.moves(state), self.rules.player(state)
                move = self.replies.get((player, last), -1)
                move = move if move in moves else self.random.choice(moves)
                played.append((player, last, move))
                last, state = move, self.rules.play(state, move)
            for player, before, move in played:
                if outcome == 1 - 2 * player:
                    self.replies[player, before] = move
            return float(outcome)

        def __init__(self, rules: Any, seed: int) -> None:
            self.replies: dict[tuple[int, int], int] = {}
            super().__init__(rules, seed)

    search = GoodReplies(Rules("connect_four", [3, 3, 2, 2, 4]), seed)
    assert serious(watched(search, 1_000)) == []


@pytest.mark.thorough
def test_choices_that_no_rule_explains_are_compared_with_the_declared_one() -> None:
    """Though another one explains more of them."""

    class Whim(Puct):
        def score(self, node: Any, child: Any) -> float:
            if not child.N:
                return 10.0
            return child.Q + 0.3 * (child.move % 2) + (math.log(node.N) / child.N) ** 0.5

    trace = watched(Whim(Rules(*START), 1), selection="puct", c=1.5, **PRIORS)
    assert re.match(
        r"[\d,]+ of [\d,]+ choices fit no c of PUCT", message(trace, "selection-unexplained")
    )


def test_losses_that_are_never_counted_are_told_from_draws() -> None:
    class Wins(Search):
        """Of the player to move at the node, with 1 for a win and nothing else."""

        def worth(self, node: Any, outcome: float) -> float:
            return -max(0.0, -super().worth(node, outcome))

    said = message(watched(Wins(Rules(*START), 1)), "value-draw-as-win")
    assert "0 is what a draw is worth" in said
    assert "losses are never counted" in said


def test_visits_that_nodes_begin_with_are_said_to_count_in_their_means() -> None:
    said = message(watched(OneVisitGiven(Rules(*START), 1)), "visits-given")
    assert "begins with 1 visit that no iteration made" in said
    assert "nearer 0 than what came back" in said
