"""The rules of a game from a start position on, and which game a trace's metadata mean."""

from __future__ import annotations

import pytest

from mcts_viz.errors import GameError
from mcts_viz.games import game
from mcts_viz.games.position import (
    PositionTexts,
    StartPosition,
    board_after,
    built_in,
    position_after,
    start_position,
)
from tests.games.nim import Nim

TIC_TAC_TOE = game("tic_tac_toe")
WON_AT_ONCE = (0, 3, 1, 4)  # X completes the top row with 2


def test_a_state_is_fresh_each_time() -> None:
    start = StartPosition(TIC_TAC_TOE, WON_AT_ONCE)
    start.play(start.state(), 2)
    assert start.outcome(start.state()) is None


def test_rules_are_asked_from_the_start_position_on() -> None:
    start = StartPosition(TIC_TAC_TOE, WON_AT_ONCE)
    assert start.actions == list(WON_AT_ONCE)
    assert start.legal == start.legal_actions(start.state()) == [2, 5, 6, 7, 8]
    assert start.to_move(start.state()) == 0
    won = start.after([2])
    assert (start.outcome(won), start.legal_actions(won)) == (1.0, [])


def test_a_child_leaves_its_parent_as_it_was() -> None:
    start = StartPosition(TIC_TAC_TOE)
    state = start.state()
    child = start.child(state, 4)
    assert start.legal_actions(state) == list(range(9))
    assert 4 not in start.legal_actions(child)
    with pytest.raises(GameError, match="action 4 is not legal there"):
        start.child(child, 4)


def test_moves_that_are_not_legal_lead_nowhere() -> None:
    assert StartPosition(TIC_TAC_TOE).after([4, 4]) is None
    with pytest.raises(GameError, match="not legal"):
        StartPosition(TIC_TAC_TOE, [4, 4])


@pytest.mark.parametrize(
    ("name", "moves", "actions"),
    [
        ("connect_four", [3, 3], [3, 3]),
        ("connect_four", [], []),
        ("connect_four", [99], None),
        ("chess", [], None),
        ("", [], None),
    ],
)
def test_a_traces_game_is_found_by_its_name(
    name: str, moves: list[int], actions: list[int] | None
) -> None:
    found = start_position(name, moves)
    assert (None if found is None else found.actions) == actions


def test_a_game_that_is_given_comes_before_the_name() -> None:
    found = start_position("connect_four", [], Nim())
    assert found is not None
    assert found.game.name == Nim().name


def test_boards_and_positions_of_built_in_games_only() -> None:
    board = board_after("tic_tac_toe", [4])
    assert board is not None
    assert board.symbols[4] == "X"
    found = position_after("tic_tac_toe", [4])
    assert found is not None
    assert len(found.legal) == 8
    assert built_in("tic_tac_toe") is TIC_TAC_TOE
    assert board_after("tic_tac_toe", [4, 4]) is position_after("go", []) is None


def test_texts_follow_the_nodes_of_a_growing_tree() -> None:
    start = start_position("", [], Nim())
    assert start is not None
    texts = PositionTexts(start)
    first, second = start.legal[:2]
    told = texts.of_new_nodes([0, 0], [first, second])
    assert told == [start.text(start.after([first])), start.text(start.after([second]))]
    reply = start.legal_actions(start.after([second]))[0]
    assert texts.of_new_nodes([2], [reply]) == [start.text(start.after([second, reply]))]
    assert PositionTexts(StartPosition(TIC_TAC_TOE)).of_new_nodes([0], [4]) is None
