from __future__ import annotations

import pytest

import mcts_viz as mv
from mcts_viz.analysis.move_sequence import follow, path_moves, readings
from mcts_viz.errors import PageError

CONNECT_FOUR = mv.search("connect_four", iterations=600, seed=2).at(600)
TIC_TAC_TOE = mv.search("tic_tac_toe", iterations=300, seed=1).at(300)
STARTED = mv.search("connect_four", iterations=200, seed=1, start=["column 4", "column 3"]).at(200)


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
    assert readings(CONNECT_FOUR, text)[0].node == node_of(CONNECT_FOUR, "column 4", "column 3")


def test_names_come_before_action_ids_which_are_offered_too() -> None:
    found = {reading.how: reading.node for reading in readings(CONNECT_FOUR, "4 3")}
    assert found == {
        "moves": node_of(CONNECT_FOUR, "column 4", "column 3"),
        "action ids": node_of(CONNECT_FOUR, "column 5", "column 4"),
    }


def test_a_bare_number_is_a_node_a_move_or_an_action() -> None:
    found = readings(CONNECT_FOUR, "5")
    assert [reading.how for reading in found] == ["node id", "moves", "action ids"]
    assert [reading.node for reading in found] == [
        5, node_of(CONNECT_FOUR, "column 5"), node_of(CONNECT_FOUR, "column 6"),
    ]  # fmt: skip
    assert [reading.how for reading in readings(CONNECT_FOUR, "#5")] == ["node id"]


def test_action_ids_lead_through_a_game_whose_moves_have_other_names() -> None:
    line = TIC_TAC_TOE.principal_path[:4]
    actions = " ".join(str(TIC_TAC_TOE.action[v]) for v in line[1:])
    assert readings(TIC_TAC_TOE, actions)[0].node == line[-1]


def test_every_path_that_is_copied_is_found_again() -> None:
    for snapshot in (CONNECT_FOUR, TIC_TAC_TOE, STARTED):
        for node in range(1, len(snapshot)):
            assert readings(snapshot, ", ".join(path_moves(snapshot, node)))[0].node == node


def test_a_copied_path_begins_at_the_games_first_position_and_leads_there_again() -> None:
    node = STARTED.principal_path[2]
    moves = path_moves(STARTED, node)
    assert moves[:2] == ["column 4", "column 3"]
    again = mv.search("connect_four", iterations=1, seed=1, start=moves).at(0)
    actions = [3, 2, *(int(STARTED.action[v]) for v in STARTED.path(node)[1:])]
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
        readings(CONNECT_FOUR, text)
    assert told in str(error.value)


def test_beyond_the_end_of_the_search_or_the_game_it_says_which() -> None:
    leaf = next(v for v in range(len(CONNECT_FOUR) - 1, 0, -1) if not CONNECT_FOUR.children(v))
    with pytest.raises(PageError, match="the search did not go on from there"):
        follow(CONNECT_FOUR, ", ".join([*path_moves(CONNECT_FOUR, leaf), "column 1"]))
    late = mv.search("tic_tac_toe", iterations=100, seed=1, start=["a1", "b1", "a2", "b2"]).at(100)
    with pytest.raises(PageError, match="No move 'c1' after a3: the game is over there"):
        follow(late, "a3 c1")
