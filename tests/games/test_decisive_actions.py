"""Decisive actions, game by game, against trying out every move and every reply."""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest

from mcts_viz.games import LISTED, Game, game
from mcts_viz.games.rules import Rules, generic_decisive_actions
from tests.games.boards import connect_four_state, tic_tac_toe_state
from tests.variants import few

# name → random games to look at; every position of a game is one to compare
GAMES = {
    "tic_tac_toe": 800,
    "connect_four": 100,
    "connect_four:4,4": 200,
    "connect_four:14,4": 50,
    "connect_four:4,12": 50,
    "mnk:3,3,3": 300,
    "mnk:4,5,4": 100,
    "mnk:5,4,3": 100,
    "mnk:6,6,4": 50,
    "mnk:7,1,2": 200,
    "mnk:1,5,3": 50,
    "mnk:15,15,5": 2,
    "sudo_tic_tac_toe": 40,
    "ultimate_tic_tac_toe": 40,
}
EVERY = {"mnk:15,15,5": 25}  # of the positions, where they have many moves and replies
SIZES = [name for name in GAMES if name not in LISTED]  # other boards of the games there are
ALL = pytest.mark.parametrize("name", few([*(name for name in GAMES if name in LISTED), *SIZES], 2))


def positions(played: Game, games: int, seed: int = 1) -> Iterator[list[int]]:
    """Every position of random games. In half of them nobody takes a win or loses at once where there
    is another way: such games are longer, and full of threats."""
    choose = np.random.default_rng(seed)
    for number in range(games):
        state = played.start_state()
        while legal := played.legal(state):
            yield list(state)
            actions = legal
            if number % 2:
                found = chosen(fast(played), state, played.n_actions)
                actions = [a for a in legal if not ends(played, state, a)] or legal
                actions = [a for a in actions if a in found] or actions
            played.rules.play(state, int(choose.choice(actions)))


def ends(played: Game, state: list[int], action: int) -> bool:
    after = list(state)
    played.rules.play(after, action)
    return not np.isnan(played.rules.outcome(after))


def chosen(rule: Any, state: Any, n_actions: int) -> list[int]:
    out = [-1] * n_actions
    return out[: rule(state, out)]


def fast(played: Game) -> Any:
    assert played.rules.decisive_actions is not None
    return played.rules.decisive_actions


def decisive(played: Game, state: list[int]) -> list[int]:
    """What both ways agree on."""
    slow = generic_decisive_actions(played.rules, played.n_actions)
    found = chosen(fast(played), state, played.n_actions)
    assert found == chosen(slow, state, played.n_actions)
    return found


@ALL
def test_they_are_those_found_by_trying_out_every_move_and_reply(name: str) -> None:
    played = game(name)
    slow = generic_decisive_actions(played.rules, played.n_actions)
    seen = 0
    for number, state in enumerate(positions(played, GAMES[name])):
        if number % EVERY.get(name, 1):
            continue
        before = list(state)
        assert chosen(fast(played), state, played.n_actions) == chosen(
            slow, before, played.n_actions
        ), before
        assert state == before
        seen += 1
    assert seen >= 10


@ALL
def test_compiled_they_are_the_same_and_the_state_stays_as_it_was(name: str) -> None:
    played = game(name)
    compiled = numba.njit(forceinline=True, error_model="numpy", _nrt=False)(fast(played))
    for state in positions(played, max(1, GAMES[name] // 4), seed=2):
        array = np.array(state, np.int64)
        for dtype in (np.int64, np.int32):
            out = np.full(played.n_actions, -1, dtype)
            n = compiled(array, out)
            assert list(out[:n]) == chosen(fast(played), state, played.n_actions)
        assert list(array) == state


def test_a_win_comes_before_a_block() -> None:
    board = """
        XX.
        OO.
        ...
    """
    assert decisive(game("tic_tac_toe"), tic_tac_toe_state(board)) == [2]


def test_every_winning_move_is_one_of_them() -> None:
    board = """
        XX.
        X.O
        .OO
    """
    assert decisive(game("tic_tac_toe"), tic_tac_toe_state(board)) == [2, 6]


def test_without_a_win_the_opponents_line_is_blocked() -> None:
    board = """
        OO.
        .X.
        X..
    """
    assert decisive(game("tic_tac_toe"), tic_tac_toe_state(board)) == [2]


def test_where_every_move_loses_all_legal_ones_count() -> None:
    board = """
        OXO
        ..X
        O.X
    """
    assert decisive(game("tic_tac_toe"), tic_tac_toe_state(board)) == [3, 4, 7]


def test_a_disc_is_not_put_under_the_opponents_fourth() -> None:
    board = """
        .......
        .......
        .......
        .......
        .OOO.X.
        .XXO.X.
    """
    assert decisive(game("connect_four"), connect_four_state(board)) == [1, 2, 3, 5, 6]


def test_a_five_in_a_row_with_a_gap_is_seen() -> None:
    played = game("mnk:15,15,5")
    moves = ["a1", "a15", "b1", "c15", "d1", "e15", "e1"]
    state, _ = played.position(moves)
    assert decisive(played, state) == [played.action("c1")]


@pytest.mark.parametrize(("name", "safe"), [("sudo", range(1, 9)), ("ultimate", range(9))])
def test_only_in_sudo_one_local_board_to_be_won_is_one_not_to_send_the_opponent_to(
    name: str, safe: range
) -> None:
    played = game(f"{name}_tic_tac_toe")
    moves = [(3, 0), (0, 3), (3, 2), (2, 5), (5, 0), (0, 4)]  # O lacks cell 5 of board 0
    state, _ = played.position([9 * board + cell for board, cell in moves])
    assert decisive(played, state) == [9 * 4 + cell for cell in safe]


def test_rules_need_not_have_them() -> None:
    known = game("tic_tac_toe").rules
    assert Rules(known.play, known.legal_actions, known.outcome, known.to_move)[4] is None


def test_the_generic_ones_do_without_turns_that_alternate() -> None:
    """A player who moves again has nothing to fear from the reply."""

    def play(state: list[int], action: int) -> None:
        state[action] = 1
        state[3] += 1

    def legal_actions(state: list[int], out: Any) -> int:
        free = [a for a in range(3) if state[a] == 0]
        out[: len(free)] = free
        return len(free)

    def outcome(state: list[int]) -> float:
        # whoever takes 2 behind 0 wins; players 0, 0 and 1 move
        if state[0] and state[2]:
            return -1.0 if state[3] == 3 else 1.0
        return float("nan")

    rules = Rules(play, legal_actions, outcome, lambda state: int(state[3] >= 2))
    slow = generic_decisive_actions(rules, 3)
    assert chosen(slow, [0, 0, 0, 0], 3) == [0, 1, 2]  # no win yet, and no reply either
    assert chosen(slow, [1, 0, 0, 1], 3) == [2]  # wins
    assert chosen(slow, [0, 1, 0, 1], 3) == [0, 2]  # after either the opponent wins
