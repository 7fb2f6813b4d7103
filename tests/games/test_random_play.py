"""Games played at random: compiled or not, they are the same, and they follow the rules."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from mcts_viz.games import FlatGame, any_game, game, random_play
from mcts_viz.games.random_play import RandomPlay
from tests.games.nim import Nim

GAMES = ("tic_tac_toe", "connect_four", "mnk:4,4,3", "ultimate_tic_tac_toe")


@pytest.fixture(autouse=True)
def nothing_played() -> Iterator[None]:
    kept = dict(random_play._played)
    random_play._played.clear()
    yield
    random_play._played.clear()
    random_play._played.update(kept)


def ends(played: FlatGame, takes_wins: bool = False, n: int = 40, seed: int = 3) -> list[float]:
    return list(RandomPlay(played, seed).ends(played.start_state(), n, takes_wins))


@pytest.mark.parametrize("takes_wins", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_compiled_games_end_as_interpreted_ones(
    name: str, takes_wins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ends(game(name), takes_wins)
    assert len(set(plain)) > 1
    monkeypatch.setattr(random_play, "WORTH_LOADING", 0)
    monkeypatch.setattr(random_play, "WORTH_COMPILING", 0)
    assert ends(game(name), takes_wins) == plain


def test_many_games_are_compiled_and_few_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(random_play, "_compiled", asked.append)
    monkeypatch.setattr(random_play, "_can_be_compiled", lambda rules: True)
    monkeypatch.setattr(random_play, "_is_kept", lambda rules: False)
    monkeypatch.setattr(random_play, "WORTH_LOADING", 0)
    monkeypatch.setattr(random_play, "WORTH_COMPILING", 100)
    ends(game("tic_tac_toe"), n=5)
    assert not asked
    ends(game("tic_tac_toe"), n=30)
    with pytest.raises(TypeError):  # the stand-in is no function
        ends(game("tic_tac_toe"))
    assert asked == [game("tic_tac_toe").rules]


def test_how_often_x_wins_at_random() -> None:
    # counted over all games: 58.49 % are won by X, 28.81 % by O
    got = np.array(ends(game("tic_tac_toe"), n=20_000))
    assert abs((got > 0).mean() - 0.5849) < 5 * np.sqrt(0.5849 * 0.4151 / 20_000)
    assert abs((got < 0).mean() - 0.2881) < 5 * np.sqrt(0.2881 * 0.7119 / 20_000)


@pytest.mark.parametrize("moves", [[0, 3, 1, 4], [0, 3, 1, 4, 8]])
def test_who_can_win_at_once_does_so(moves: list[int]) -> None:
    state, _ = game("tic_tac_toe").position(moves)
    got = RandomPlay(game("tic_tac_toe"), 1).ends(state, 50, takes_wins=True)
    assert set(got) == {1.0 if len(moves) == 4 else -1.0}
    assert len(set(RandomPlay(game("tic_tac_toe"), 1).ends(state, 50))) > 1


def test_a_game_that_is_over_stays_so_and_one_without_end_is_left() -> None:
    state, _ = game("tic_tac_toe").position([0, 3, 1, 4, 2])
    assert set(RandomPlay(game("tic_tac_toe"), 1).ends(state, 3)) == {1.0}
    endless = replace(
        game("tic_tac_toe"),
        rules=game("tic_tac_toe").rules._replace(
            play=lambda state, action: None, outcome=lambda state: float("nan")
        ),
        compilable=False,
    )
    assert np.isnan(RandomPlay(endless, 1).ends(endless.start_state(), 2)).all()


def test_rules_that_numba_cannot_type_are_played_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = game("tic_tac_toe").rules
    known: dict[str, object] = {"outcome": rules.outcome}  # of two types, as numba has none

    def outcome(state: list[int]) -> float:
        known[str(state)] = 1
        return float(rules.outcome(state))

    odd = replace(game("tic_tac_toe"), name="odd", rules=rules._replace(outcome=outcome))
    plain = ends(odd)
    monkeypatch.setattr(random_play, "WORTH_LOADING", 0)
    monkeypatch.setattr(random_play, "WORTH_COMPILING", 0)
    assert ends(odd) == plain
    assert not RandomPlay(odd, 1).is_quick
    assert RandomPlay(game("tic_tac_toe"), 1).is_quick
    assert not RandomPlay(any_game(Nim()), 1).is_quick


def test_a_game_of_the_users_own_is_played_by_its_methods() -> None:
    played = any_game(Nim())
    assert set(ends(played, n=30)) == {-1.0, 1.0}
