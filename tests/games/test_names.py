"""What a user may call a game and a move, and what is said to the rest."""

from typing import Any

import numpy as np
import pytest

from mcts_viz.errors import GameError
from mcts_viz.games import LISTED, game


@pytest.mark.parametrize("name", LISTED)
def test_every_game_describes_itself(name: str) -> None:
    found = game(name)
    assert found.name == name
    assert len(found.action_labels) == found.n_actions == len(set(found.action_labels))
    assert found.rules.to_move(found.start_state()) == 0
    assert len(found.start_state()) == found.state_size


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("chess", "game 'chess' is not known; choose one of: tic_tac_toe, mnk:M,N,K, connect_four"),
        ("", "game '' is not known; choose one of: tic_tac_toe, mnk:M,N,K, connect_four"),
        (42, "game 42 is not known; choose one of"),
        (None, "game None is not known; choose one of"),
        ("tic_tac_toe:3", "tic_tac_toe does not take the parameters '3'; write tic_tac_toe"),
        ("connect_four:6,7,8", "connect_four does not take the parameters '6,7,8'"),
        (
            "connect_four:six",
            "'six' is not a list of whole numbers; write connect_four:6,7",
        ),
        ("connect_four:", "'' is not a list of whole numbers; write connect_four:6,7"),
        ("mnk", "game 'mnk': mnk needs parameters; write mnk:5,5,4"),
        ("mnk:3,3", "mnk does not take the parameters '3,3'; write mnk:5,5,4"),
        ("mnk:16,3,3", "mnk:16,3,3 is not a board size: M columns and N rows are 1 to 15 each"),
        ("mnk:0,3,3", "is not a board size"),
        ("mnk:4,3,5", "mnk:4,3,5: 5 in a row does not fit; K is 2 to 4 here"),
        ("mnk:4,3,1", "1 in a row does not fit"),
        ("connect_four:3,7", "connect_four:3,7 is not a board size: at least 4,4"),
        ("connect_four:8,7", r"connect_four:8,7 is not a board size: .*at most 62"),
        ("connect_four:-6,-7", "is not a board size"),
        ("connect_four:99999999999,99999999999", "is not a board size"),
    ],
)
def test_a_game_that_there_is_not_is_refused(name: Any, message: str) -> None:
    with pytest.raises(GameError, match=message):
        game(name)


@pytest.mark.parametrize(
    "move", ["z9", -1, 9, 10**30, "9" * 5_000, 1.0, None, "", True, "column 1", [0]]
)
def test_a_move_that_there_is_not_is_refused(move: Any) -> None:
    with pytest.raises(
        GameError,
        match=r"tic_tac_toe has no move .* a name such as 'a3', or an action id from 0 to 8",
    ):
        game("tic_tac_toe").action(move)


def test_a_move_is_an_action_id_or_a_name() -> None:
    moves: list[Any] = [4, "0", np.int64(8), "b3", "C3"]
    assert game("tic_tac_toe").position(moves)[1] == [4, 0, 8, 1, 2]
    assert game("connect_four").position(["column 4", 3, "Column 1"])[1] == [3, 3, 0]


@pytest.mark.parametrize("moves", ["40", "a3", 4, None])
def test_a_start_position_is_a_list_of_moves(moves: Any) -> None:
    with pytest.raises(GameError, match=r"is not a list of moves; give one such as \['a3', 'b3'\]"):
        game("tic_tac_toe").position(moves)


def test_an_illegal_move_of_the_start_position_is_named_with_what_was_legal() -> None:
    with pytest.raises(
        GameError, match="move 2 of the start position, 'b2', is not legal in tic_tac_toe"
    ):
        game("tic_tac_toe").position([4, "b2"])
    with pytest.raises(GameError, match=r"move 6 .* the game is over before it"):
        game("tic_tac_toe").position([0, 3, 1, 4, 2, 5])


@pytest.mark.parametrize(
    ("name", "typed", "action"),
    [
        ("connect_four", "4", 3), ("connect_four", "column 4", 3), ("connect_four", " COLUMN  4 ", 3),
        ("connect_four", "id:4", 4), ("connect_four", 4, 4), ("tic_tac_toe", "4", 4),
        ("tic_tac_toe", "b2", 4), ("sudo_tic_tac_toe", "80", 80),
    ],
)  # fmt: skip
def test_the_name_on_the_board_comes_before_the_id(
    name: str, typed: str | int, action: int
) -> None:
    assert game(name).action(typed) == action


@pytest.mark.parametrize("typed", ["0", "8", "id:7", "id:", "column", ""])
def test_a_number_that_is_not_on_the_board_is_no_move(typed: str) -> None:
    with pytest.raises(GameError, match="connect_four has no move"):
        game("connect_four").action(typed)
