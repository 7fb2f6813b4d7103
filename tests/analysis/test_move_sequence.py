from __future__ import annotations

from functools import cache

import pytest

import mcts_viz as mv
from mcts_viz.analysis.node.move_sequence import follow, path_moves, readings
from mcts_viz.errors import PageError


@cache
def connect_four() -> mv.Snapshot:
    return mv.search("connect_four", iterations=600, seed=2).at(600)


@cache
def tic_tac_toe() -> mv.Snapshot:
    return mv.search("tic_tac_toe", iterations=300, seed=1).at(300)


@cache
def started() -> mv.Snapshot:
    return mv.search("connect_four", iterations=200, seed=1, start=["column 4", "column 3"]).at(200)


def node_of(snapshot: mv.Snapshot, *labels: str) -> int:
    node = 0
    for label in labels:
        node = next(v for v in snapshot.children(node) if snapshot.label(v) == label)
    return node


@pytest.mark.parametrize(
    "text",
    [
        "column 4, column 3", "Column 4,COLUMN 3", "4 3", "4, 3", "column 4 › column 3",
        "column 4 · 3", " 4  column 3 ,",
    ],
)  # fmt: skip
def test_moves_are_read_however_they_are_written(text: str) -> None:
    assert readings(connect_four(), text)[0].node == node_of(connect_four(), "column 4", "column 3")


def test_numbers_on_the_board_are_no_action_ids_which_are_written_as_such() -> None:
    found = {reading.how: reading.node for reading in readings(connect_four(), "4 3")}
    assert found == {"moves": node_of(connect_four(), "column 4", "column 3")}
    (named,) = readings(connect_four(), "id:4 id:3")
    assert named.node == node_of(connect_four(), "column 5", "column 4")


def test_a_bare_number_is_a_move_or_a_node() -> None:
    found = readings(connect_four(), "5")
    assert [reading.how for reading in found] == ["moves", "node id"]
    assert [reading.node for reading in found] == [
        node_of(connect_four(), "column 5"), 5,
    ]  # fmt: skip
    assert [reading.how for reading in readings(connect_four(), "#5")] == ["node id"]


def test_action_ids_lead_through_a_game_whose_moves_have_other_names() -> None:
    line = tic_tac_toe().principal_path[:4]
    actions = " ".join(str(tic_tac_toe().action[v]) for v in line[1:])
    assert readings(tic_tac_toe(), actions)[0].node == line[-1]


def test_every_path_that_is_copied_is_found_again() -> None:
    for snapshot in (connect_four(), tic_tac_toe(), started()):
        for node in range(1, len(snapshot)):
            assert readings(snapshot, ", ".join(path_moves(snapshot, node)))[0].node == node


def test_a_copied_path_begins_at_the_games_first_position_and_leads_there_again() -> None:
    node = started().principal_path[2]
    moves = path_moves(started(), node)
    assert moves[:2] == ["column 4", "column 3"]
    again = mv.search("connect_four", iterations=1, seed=1, start=moves).at(0)
    actions = [3, 2, *(int(started().action[v]) for v in started().path(node)[1:])]
    assert list(again.meta["start"]) == actions


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("4, sideways", "No move 'sideways' after column 4; searched there: column"),
        ("column 9", "No move 'column' from the root; searched there: column 4"),
        ("column 4, column 9", "No move 'column 9' after column 4; searched there: "),
        ("", "Type a node id such as #17, or moves from the root"),
        ("#700", "Node 700 is not in this trace, which has 0 to 600"),
        ("#", "After # a node id is expected, such as #17; got ''"),
    ],
)
def test_an_error_names_the_move_that_is_not_there_and_what_is(text: str, told: str) -> None:
    with pytest.raises(PageError) as error:
        readings(connect_four(), text)
    assert told in str(error.value)


def test_beyond_the_end_of_the_search_or_the_game_it_says_which() -> None:
    leaf = next(v for v in range(len(connect_four()) - 1, 0, -1) if not connect_four().children(v))
    with pytest.raises(PageError, match="the search did not go on from there"):
        follow(connect_four(), ", ".join([*path_moves(connect_four(), leaf), "column 1"]))
    late = mv.search("tic_tac_toe", iterations=100, seed=1, start=["a1", "b1", "a2", "b2"]).at(100)
    with pytest.raises(PageError, match="No move 'c1' after a3: the game is over there"):
        follow(late, "a3 c1")
