"""Whatever is wrong with what a user tells about the search, the message names the field, the node
and the fix."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mcts_viz as mv
from tests.recording.searches import PlainUCT

FIELDS: dict[str, Any] = {"children": "children", "visits": "visits", "value": "wins"}


class Slotted:
    __slots__ = ("kids", "n", "w")

    def __init__(self) -> None:
        self.n, self.w, self.kids = 0, 0.0, []  # type: ignore[var-annotated]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"children": "kids"}, r"children='kids': the root, a Node, has no attribute 'kids'; it has: .*children"),
        ({"visits": "visit"}, r"has no attribute 'visit'; .*Did you mean visits='visits'\?"),
        ({"value": "q"}, r"value='q'.*Name one of them, or give a function of the node"),
        ({"children": "visits"}, r"children='visits' gives 0 at the root, not a list"),
        ({"children": "__str__"}, "a method, which is not called"),
        ({"visits": "board"}, r"visits='board' gives '\.+' at the root, not a whole number"),
        ({"visits": lambda node: 1.5}, r"visits=\(a function\) gives 1\.5 at the root"),
        ({"value": "board"}, r"value='board' gives '\.+' at the root, not a number"),
        ({"value": lambda node: node.board[9]}, r"value=, a function, cannot be read from the root.*IndexError"),
        ({"children": 1.5}, r"children=1\.5 is no field of a node"),
        ({"visits": None}, r"visits=None is no field of a node"),
        ({"to_move": lambda node: -1}, r"to_move=\(a function\) gives -1 at the root; players are 0.*and 1"),
        ({"to_move": lambda node: "X"}, r"gives 'X' at the root; players are 0"),
        ({"state": "bord"}, r"Did you mean state='board'\?"),
        ({"state": "board", "state_format": "html"}, r"state_format='html' is not known; choose one of: text"),
        ({"state_format": "grid"}, r"and there is no state=; give that as well"),
        ({"value_view": "me"}, r"value_view='me' is not known; choose one of: 'mover'"),
        ({"value_kind": "avg"}, r"value_kind='avg' is not known; choose one of: 'sum'"),
        ({"value_view": "player0"}, r"value_view='player0' needs to know who moves.*to_move="),
        ({"value_range": (1, -1)}, r"value_range=\(1, -1\) is not a range"),
        ({"value_range": 1}, r"value_range=1 is not a pair"),
        ({"reward_range": (0, float("inf"))}, r"reward_range=\(0, inf\) is not a range"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_refused_before_the_search_begins(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    path = tmp_path / "never.mcts"
    with pytest.raises(mv.TraceError, match=message):
        mv.record(path, root=PlainUCT().root, **{**FIELDS, **fields})
    assert not path.exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "mve"}, r"action='mve': node 1 \(root → 0\), a Node, has no attribute 'mve'.*'move'"),
        ({"prior": lambda node: "high"}, r"prior=\(a function\) gives 'high' at node 1"),
        ({"to_move": lambda node: 1 if node.parent is None else -1}, r"gives -1 at node 1"),
        ({"value": lambda node: float("nan")}, r"give a sum of nan over 1 visits at the root"),
        ({"value": lambda node: float("-inf")}, r"give a sum of -inf"),
        ({"visits": lambda node: 2**40 * node.visits}, r"gives 1,099,511,627,776 at the root; .* up to 2,147,483,647"),
        ({"value": lambda node: "x" * 99 if node.visits else 0}, r"gives 'x+… at the root, not a number"),
    ],
)  # fmt: skip
def test_a_field_that_goes_wrong_later_names_the_node(fields: dict[str, Any], message: str) -> None:
    search = PlainUCT()
    rec = mv.record(root=search.root, **{**FIELDS, **fields})
    with pytest.raises(mv.TraceError, match=message), rec:
        list(rec.steps(search.step, 3))


def test_a_key_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(
        mv.TraceError, match=r"a dict, has no key 'visit'; it has: N, visits.*Did you mean"
    ):
        mv.record(root={"N": 1, "visits": 1}, children=lambda n: [], visits="visit", value="N")


def test_slots_are_attributes_too() -> None:
    with pytest.raises(mv.TraceError, match="it has: kids, n, w"):
        mv.record(root=Slotted(), children="kids", visits="n", value="wins")


def test_a_root_whose_position_nobody_knows_is_refused_where_there_are_boards() -> None:
    search = PlainUCT()
    fields = {**FIELDS, "action": "move", "game": "tic_tac_toe"}
    with mv.record(root=lambda: search.root, **fields) as rec:
        list(rec.steps(search.step, 12))
        search.root = PlainUCT().root
        search.step()
        with pytest.raises(mv.TraceError, match=r"not seen before.*begin another.*start="):
            rec.iteration()
    assert (rec.trace.n_iterations, rec.trace.complete) == (12, False)


def test_a_tree_that_never_changes_is_not_the_search_s() -> None:
    search = PlainUCT()
    rec = mv.record(root=PlainUCT().root, **FIELDS)
    message = r"in 3 iterations nothing has changed.*root=lambda"
    with pytest.raises(mv.TraceError, match=message), rec:
        list(rec.steps(search.step, 3))


def test_children_that_lead_back_up_are_refused() -> None:
    root = SimpleNamespace(visits=1, wins=0.0, near=[])
    child = SimpleNamespace(visits=1, wins=0.0, near=[root])
    root.near.append(child)
    rec = mv.record(root=root, children="near", visits="visits", value="wins")
    with pytest.raises(mv.TraceError, match=r"leads from node 1 \(root → 0\) back to the root"):
        rec.iteration()


def test_children_made_anew_at_every_look_are_refused() -> None:
    root = SimpleNamespace(visits=1, wins=0.0, kids=[(1, 1.0)])

    def wrapped(node: Any) -> list[Any]:
        return [SimpleNamespace(visits=n, wins=w, kids=[]) for n, w in node.kids]

    rec = mv.record(root=root, children=wrapped, visits="visits", value="wins")
    rec.iteration()
    with pytest.raises(mv.TraceError, match="gives new objects each time"):
        rec.iteration()


@pytest.mark.parametrize(
    ("move", "message"),
    [((0, 1), r"action= gives \(0, 1\) at node 1.*tic_tac_toe has no move"), (9, "from 0 to 8"), ("z9", "z9")],
)  # fmt: skip
def test_a_move_that_the_built_in_game_does_not_have_is_refused(move: Any, message: str) -> None:
    search = PlainUCT()
    rec = mv.record(root=search.root, action=lambda node: move, game="tic_tac_toe", **FIELDS)
    search.step()
    with pytest.raises(mv.TraceError, match=message):
        rec.iteration()


def test_so_is_one_of_a_rollout_by_the_name_of_what_was_told() -> None:
    search = PlainUCT()
    rec = mv.record(root=search.root, action="move", game="tic_tac_toe", **FIELDS)
    search.step()
    with pytest.raises(mv.TraceError, match=r"rollout=\[9\]: tic_tac_toe has no move 9"):
        rec.iteration(rollout=[9])


def test_a_built_in_game_needs_the_moves() -> None:
    search = PlainUCT()
    rec = mv.record(root=search.root, game="tic_tac_toe", **FIELDS)
    search.step()
    with pytest.raises(mv.TraceError, match="give action="):
        rec.iteration()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"game": "connect_four:x"}, mv.GameError, "list of whole numbers"),
        ({"game": "tic_tac_toe", "start": ["z"]}, mv.GameError, "has no move 'z'"),
        ({"start": ["e4"]}, mv.GameError, "not built in"),
        ({"players": ("X", "Y", "")}, mv.GameError, "no names of 1 to 16 players"),
        (
            {"players": ("X", "Y", "Z"), "value_view": "root"},
            mv.TraceError,
            "says nothing of the others'",
        ),
        ({"selection": 7, "c": 1}, mv.SearchError, "is no name; write one of ucb1"),
        ({"selection": "ucb1"}, mv.SearchError, "give the exploration weight"),
        ({"c": 1.4}, mv.SearchError, "name it as well"),
    ],
)
def test_a_wrong_argument_is_named(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        mv.record(root=PlainUCT().root, **FIELDS, **arguments)


def test_a_file_that_cannot_be_made_is_refused_before_the_search_begins(tmp_path: Path) -> None:
    make = partial(mv.record, root=PlainUCT().root, **FIELDS)
    with pytest.raises(mv.TraceError, match="cannot be written"):
        make(tmp_path / "no folder" / "mine.mcts")


def test_an_outcome_that_is_no_number_is_refused() -> None:
    search = PlainUCT()
    rec = mv.record(root=search.root, **FIELDS)
    search.step()
    with pytest.raises(mv.TraceError, match="outcome='X wins' is not a number"):
        rec.iteration(outcome="X wins")  # type: ignore[arg-type]
