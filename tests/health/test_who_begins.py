"""Simulations from the opening, whose leaves differ little: by counts, whether their sign is right, and who begins."""

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.games import game
from tests.health import zoo

LENGTH = {"tic_tac_toe": 400, "connect_four": 1_000}
GAMES = list(LENGTH)


class Played(zoo.Search):
    """Plays a game at random from each leaf where it goes on."""

    def play_on(self, node: zoo.Node) -> tuple[float, list[int]]:
        state = list(node.state)
        if not self.game.legal(state):
            return float(self.game.rules.outcome(state)), []
        swapped = self.other_begins(node)
        if swapped:  # with the discs of the other player, which is as if that one moved
            state[0], state[1] = state[1], state[0]
        while legal := self.game.legal(state):
            self.game.rules.play(state, self.choose(state, legal))
        outcome = float(self.game.rules.outcome(state))
        return -outcome if swapped != self.turns(node) else outcome, []

    def choose(self, state: list[int], legal: list[int]) -> int:
        return self.random.choice(legal)

    def other_begins(self, node: zoo.Node) -> bool:
        return False

    def turns(self, node: zoo.Node) -> bool:
        return False


class TakesWins(Played):
    def choose(self, state: list[int], legal: list[int]) -> int:
        for move in legal:
            if abs(self.game.rules.outcome(self.after(state, move))) == 1:
                return move
        return super().choose(state, legal)


class Turned(Played):
    def turns(self, node: zoo.Node) -> bool:
        return True


class TurnedWhereOMoves(Played):
    def turns(self, node: zoo.Node) -> bool:
        return node.player == 1


class OtherBegins(Played):
    def other_begins(self, node: zoo.Node) -> bool:
        return True


class XBegins(Played):
    def other_begins(self, node: zoo.Node) -> bool:
        return node.player == 1


def found(kind: type[zoo.Search], name: str, seed: int) -> dict[str, mv.Finding]:
    search = kind(game(name), seed=seed)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        to_move="player", game=name, value_range=(0.0, 1.0),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, LENGTH[name]):
            pass
    of_leaves = [one for one in rec.trace.check() if one.check.startswith(("simulation", "value"))]
    return {one.check: one for one in of_leaves}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", [Played, TakesWins])
def test_right_simulations_are_right(kind: type[zoo.Search], name: str) -> None:
    assert "simulation-first-move" not in (said := found(kind, name, 1))
    assert [one for one in said.values() if one.severity != "note"] == []


@pytest.mark.parametrize("name", GAMES)
def test_a_sign_that_is_turned_at_every_leaf_is_an_error(name: str) -> None:
    said = found(Turned, name, 2)
    assert {one.check for one in said.values() if one.severity == "error"} & {
        "value-wrong-view",
        "simulation-flipped",
    }


@pytest.mark.parametrize("seed", [1, 5])
@pytest.mark.parametrize("name", GAMES)
def test_a_sign_that_is_turned_by_the_parity_of_the_leaf_is_an_error(name: str, seed: int) -> None:
    said = found(TurnedWhereOMoves, name, seed).values()
    (one,) = [one for one in said if one.severity == "error"]
    assert one.check == "simulation-flipped"
    assert "at leaves where O is to move, and not at others" in one.message


@pytest.mark.parametrize("name", GAMES)
def test_who_makes_the_first_move_of_a_simulation(name: str) -> None:
    one = found(OtherBegins, name, 1)["simulation-first-move"]
    assert "the other player seems to make the first move of each rollout" in one.message
    assert one.severity == "warning" or "a policy that learns" in one.message


def test_simulations_that_one_player_always_begins_are_noted() -> None:
    one = found(XBegins, "tic_tac_toe", 1)["simulation-first-move"]
    assert "X seems to make the first move of each rollout, whoever is to move" in one.message
    assert one.severity == "note"


class OfFive(zoo.Search):
    """Means of five simulations."""

    def simulate(self, node: zoo.Node) -> tuple[float, list[int]]:
        return float(np.mean([super(OfFive, self).simulate(node)[0] for _ in range(5)])), []

    def worth(self, node: zoo.Node, outcome: float) -> float:
        mover = 1 - self.root.player if node.parent is None else node.parent.player
        return (1 + outcome * (1 - 2 * mover)) / 2


class OfFivePlayed(OfFive, Played):
    pass


class OfFiveOfTheOther(OfFive, OtherBegins):
    pass


class OfFiveThatTakeWins(OfFive, TakesWins):
    pass


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
def test_the_same_is_told_of_means_of_several_simulations(name: str) -> None:
    assert found(OfFiveOfTheOther, name, 1)["simulation-first-move"].severity == "warning"
    for kind in (OfFivePlayed, OfFiveThatTakeWins):
        assert [one for one in found(kind, name, 1).values() if one.severity != "note"] == []
