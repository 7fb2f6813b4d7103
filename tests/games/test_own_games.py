"""A game of the user's own: what it gives, and what it is told when it breaks its contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.games import LISTED, game
from mcts_viz.games.position import board_after
from mcts_viz.testing import check_game
from mcts_viz.web.library import Library
from samples.own_game import Kalah, Position
from tests.games.nim import LARGEST, Heaps, Nim
from tests.searches import prepare

# what a search finds


def winning(stones: tuple[int, ...]) -> set[int]:
    """The moves after which the heaps' exclusive or is 0: theory's answer."""
    moves = set()
    for heap, left in enumerate(stones):
        others = 0
        for other, n in enumerate(stones):
            others ^= n if other != heap else 0
        moves |= {LARGEST * heap + left - others - 1} if others < left else set()
    return moves


@pytest.mark.parametrize("stones", [(3, 2), (1, 2, 2), (3, 1, 1), (1, 3, 5), (2, 3, 4)])
def test_a_winning_move_of_nim_is_found(stones: tuple[int, ...]) -> None:
    trace = mv.search(Nim(*stones), iterations=2_500, seed=1)
    assert trace.best_action in winning(stones)
    assert trace.at(2_500).mean_value[trace.at(2_500).ranked_children()[0]] > 0.6


@pytest.mark.parametrize("stones", [(2, 2), (1, 2, 3)])
def test_a_lost_position_of_nim_is_seen_to_be_lost(stones: tuple[int, ...]) -> None:
    tree = mv.search(Nim(*stones), iterations=2_500, seed=1).at(2_500)
    assert not winning(stones)
    assert tree.mean_value[tree.ranked_children()[0]] < 0.4


# what the trace carries


def test_the_trace_of_an_own_game_carries_names_and_texts(tmp_path: Path) -> None:
    trace = mv.search(Nim(3, 2), iterations=200, seed=1, path=tmp_path / "nim.mcts")
    assert trace.meta["game"] == {"name": "nim", "title": "Nim", "parameters": {}, "n_actions": 14}
    assert trace.meta["action_labels"][:3] == ["1 of heap 1", "2 of heap 1", "3 of heap 1"]
    assert trace.meta["players"] == ["A", "B"]
    assert trace.meta["root"] == {"to_move": 0, "state": "3 2, A to move"}
    tree = trace.at(200)
    assert tree.state(0) == "3 2, A to move"
    for node in range(tree.n_nodes):
        position = Heaps((3, 2), 0)
        for step in tree.path(node)[1:]:
            position = Nim(3, 2).play(position, int(tree.action[step]))
        assert tree.state(node) == str(position)
        assert tree.to_move[node] == position.player


def test_it_opens_again_with_the_same_snapshots(tmp_path: Path) -> None:
    recorded = mv.search(Kalah(), iterations=120, seed=2, path=tmp_path / "kalah.mcts")
    opened = mv.open(tmp_path / "kalah.mcts")
    assert opened.complete
    assert opened.meta == recorded.meta
    for t in (0, 1, 60, 120):
        ours, theirs = recorded.at(t), opened.at(t)
        for column in ("parent", "action", "to_move", "visits", "value_sum", "outcome"):
            assert np.array_equal(
                getattr(ours, column), getattr(theirs, column), equal_nan=column == "outcome"
            )
        assert [ours.state(v) for v in range(len(ours))] == [
            theirs.state(v) for v in range(len(theirs))
        ]
        assert ours.labels() == theirs.labels()


def test_a_snapshot_of_it_keeps_the_texts(tmp_path: Path) -> None:
    tree = mv.search(Nim(3, 2), iterations=50, seed=1).at(50)
    tree.to_json(tmp_path / "nim.json")
    again = mv.open(tmp_path / "nim.json").at(1)
    assert [again.state(v) for v in range(len(again))] == [tree.state(v) for v in range(len(tree))]


def test_the_same_seed_gives_the_same_tree_watched_or_not() -> None:
    first, second = (mv.search(Kalah(), iterations=80, seed=5) for _ in range(2))
    assert first.at(80).visits.tolist() == second.at(80).visits.tolist()
    assert first.iteration(80).rollout == second.iteration(80).rollout


def test_a_player_may_move_twice() -> None:
    """In Kalah, after a last seed in the own store."""
    tree = mv.search(Kalah(), iterations=60, seed=1).at(60)
    again = next(v for v in tree.children(0) if tree.label(v) == "house 3")
    assert (tree.to_move[0], tree.to_move[again]) == (0, 0)


def test_the_page_shows_the_text_and_looks_for_no_board(tmp_path: Path) -> None:
    mv.search(Kalah(), iterations=20, seed=1, path=tmp_path / "kalah.mcts")
    library = Library([], tmp_path)
    key = library.key_of(tmp_path / "kalah.mcts")
    trace = library.trace(key)
    assert library.board_svg(key, 3) is None
    assert library.n_legal(trace, 3) is None
    assert "South to move" in str(trace.at(20).state(0))


def test_the_start_may_be_moves_by_id_or_name() -> None:
    by_name = mv.search(Nim(3, 2), iterations=5, seed=1, start=["2 of heap 1"]).meta
    by_id = mv.search(Nim(3, 2), iterations=5, seed=1, start=[1]).meta
    assert by_name["start"] == by_id["start"] == [1]
    assert by_name["root"] == {"to_move": 1, "state": "1 2, B to move"}


class Numbers(Nim):
    """Whose names look like ids."""

    def action_name(self, action: int) -> str:
        return str(action + 1)


class Letters(Nim):
    """Whose names differ in their case alone."""

    n_actions = 2

    def action_name(self, action: int) -> str:
        return "bB"[action]

    def __init__(self) -> None:
        self.stones = (2,)


def test_a_number_is_an_id_and_a_text_first_a_name() -> None:
    assert prepare(Numbers(3, 2), start=[1]).start == (1,)
    assert prepare(Numbers(3, 2), start=["1"]).start == (0,)


def test_names_may_differ_in_their_case_alone() -> None:
    played = prepare(Letters()).game
    assert [played.action(name) for name in ("b", "B")] == [0, 1]


# how it runs


def test_it_runs_interpreted_however_large_the_budget() -> None:
    assert not prepare(Nim(), iterations=10_000_000).worth_compiling()
    assert not prepare(Nim(), seconds=1_000).worth_compiling()
    assert not prepare(Nim(), compile=False).worth_compiling()


def test_it_cannot_be_compiled() -> None:
    with pytest.raises(mv.SearchError, match=r"compile=True: nim.* plain Python"):
        mv.search(Nim(), compile=True)


def test_a_flat_game_of_the_users_own_needs_no_board(tmp_path: Path) -> None:
    four = game("connect_four:4,4")
    mine = mv.FlatGame(**{**vars(four), "name": "mine", "board": None, "text": str})
    trace = mv.search(mine, iterations=30, seed=1, path=tmp_path / "mine.mcts")
    assert trace.at(30).state(0) == str(four.start_state())
    assert board_after(trace.meta.game.name, []) is None


# the contract test

# moves of a large board are many, and all of them are tried at every step
PLAYOUTS = {"mnk:15,15,5": 1, "mnk:5,5,4": 10}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough if name in PLAYOUTS else ()) for name in LISTED],
)
def test_every_built_in_game_keeps_the_contract(name: str) -> None:
    check_game(game(name), playouts=PLAYOUTS.get(name, 20))


def test_own_games_that_keep_the_contract_pass() -> None:
    check_game(Nim(3, 4, 5), playouts=20)
    check_game(Kalah(), playouts=20)


def test_a_flat_game_that_breaks_the_contract_is_named() -> None:
    three = game("tic_tac_toe")
    wrong = mv.FlatGame(
        **{**vars(three), "rules": three.rules._replace(outcome=lambda state: float("nan"))}
    )
    with pytest.raises(mv.GameContractError, match="tic_tac_toe: legal_actions gave no action"):
        check_game(wrong)


@pytest.mark.parametrize("playouts", [0, -1, 1.5, True, None])
def test_the_number_of_playouts_is_a_whole_one(playouts: Any) -> None:
    with pytest.raises(mv.GameError, match=r"playouts = .* is not a whole number from 1 up"):
        check_game(Nim(), playouts=playouts)


# a game that breaks it: one method replaced, and what is said


def broken(**methods: Callable[..., Any]) -> Any:
    """Nim with other methods, or attributes."""
    return type("Broken", (Nim,), methods)(2, 1)


def fail(*_: Any) -> Any:
    raise ZeroDivisionError("by zero")


def after_a_move(state: Any) -> bool:
    return sum(state.stones) < 3


BEGINNING = "\nPosition at the beginning: 2 1, A to move"

ANSWERS: list[tuple[dict[str, Any], str]] = [
    # legal_actions
    (
        {"legal_actions": lambda self, state: []},
        "nim: legal_actions gave no action, and outcome gave None; give an action, or the outcome when "
        f"the game is over.{BEGINNING}",
    ),
    (
        {"legal_actions": lambda self, state: [0, 14]},
        f"nim: legal_actions gave 14; actions are ints from 0 to n_actions - 1 = 13.{BEGINNING}",
    ),
    ({"legal_actions": lambda self, state: [-1]}, f"gave -1; actions are ints.*{BEGINNING}"),
    ({"legal_actions": lambda self, state: [0.0]}, "legal_actions gave 0.0; actions are ints"),
    ({"legal_actions": lambda self, state: [True]}, "legal_actions gave True; actions are ints"),
    ({"legal_actions": lambda self, state: ["a"]}, "legal_actions gave 'a'; actions are ints"),
    (
        {"legal_actions": lambda self, state: [0, 1, 0]},
        f"nim: legal_actions gave 0 more than once; give each action once.{BEGINNING}",
    ),
    (
        {"legal_actions": lambda self, state: None},
        f"legal_actions failed with TypeError: 'NoneType' object is not iterable.{BEGINNING}",
    ),
    ({"legal_actions": fail}, f"legal_actions failed with ZeroDivisionError: by zero.{BEGINNING}"),
    # outcome
    (
        {"outcome": lambda self, state: 2.0 if after_a_move(state) else None},
        r"nim: outcome gave 2, which is not in -1 to 1; .*\n"
        r"Position after the moves \[\d\]: \d \d, B to move",
    ),
    (
        {"outcome": lambda self, state: float("nan") if after_a_move(state) else None},
        r"nim: outcome gave nan, which is not in -1 to 1; .*\nPosition after the moves \[\d\]: ",
    ),
    (
        {"outcome": lambda self, state: "won" if after_a_move(state) else None},
        r"nim: outcome gave 'won', not a number; .*\nPosition after the moves \[\d\]: ",
    ),
    ({"outcome": lambda self, state: False}, f"outcome gave False, not a number; .*{BEGINNING}"),
    ({"outcome": lambda self, state: 0}, f"outcome gave 0 at the beginning; .*{BEGINNING}"),
    ({"outcome": fail}, f"nim: outcome failed with ZeroDivisionError: by zero.{BEGINNING}"),
    # to_move
    (
        {"to_move": lambda self, state: state.player + 1},
        r"nim: to_move gave 2; players are 0 and 1.\nPosition after the moves \[\d\]: ",
    ),
    (
        {"to_move": lambda self, state: "A"},
        f"nim: to_move gave 'A'; players are 0 and 1.{BEGINNING}",
    ),
    ({"to_move": fail}, f"nim: to_move failed with ZeroDivisionError: by zero.{BEGINNING}"),
    # play
    ({"play": fail}, rf"nim: play\(state, \d\) failed with ZeroDivisionError: by zero.{BEGINNING}"),
    (
        {"play": lambda self, state, action: None},
        rf"nim: play\(state, \d\) gave None; return the new position, .*{BEGINNING}",
    ),
    (
        {"play": lambda self, state, action: state},
        r"nim: outcome is still None after max_moves = 21 moves; .*"
        r"\nPosition after the moves \[[\d, ]+\]: 2 1, A to move",
    ),
    # initial_state, and its text
    ({"initial_state": fail}, "nim: initial_state failed with ZeroDivisionError: by zero"),
    ({"initial_state": lambda self: None}, "nim: initial_state gave None; return the first position"),
    (
        {"initial_state": lambda self: object(), "outcome": lambda self, state: None,
         "legal_actions": lambda self, state: [0], "to_move": lambda self, state: 0},
        r"nim: str\(state\) has nothing to show: give object a __str__ .*\nPosition at the beginning",
    ),
    # action_name
    ({"action_name": fail}, r"nim: action_name\(0\) failed with ZeroDivisionError: by zero"),
    ({"action_name": lambda self, a: a}, r"nim: action_name\(0\) gave 0, not a text"),
    ({"action_name": lambda self, a: " "}, r"nim: action_name\(0\) gave ' ', not a text"),
    (
        {"action_name": lambda self, a: "take"},
        r"nim: action_name\(1\) gave 'take', as action_name\(0\) did; give each action a name of its own",
    ),
    # attributes
    ({"name": ""}, "Broken: name gave '', not a text"),
    ({"name": 7}, "Broken: name gave 7, not a text"),
    ({"name": "\udc80"}, r"Broken: name gave '\\udc80', which is not valid Unicode"),
    ({"name": None}, "Broken has no name; a game has the attributes name, n_actions and the methods"),
    ({"play": None, "outcome": None}, "Broken has no play, outcome; a game has the attributes"),
    ({"play": mv.Game.play}, "Broken has no play; a game has the attributes"),
    ({"max_moves": 0}, "nim: max_moves = 0 is not a whole number from 1 to 10,000; give one"),
    ({"players": ("A",)}, r"nim: players = \('A',\) is not a pair of symbols"),
    ({"players": ("A", "A")}, r"nim: players = \('A', 'A'\) is not a pair of symbols"),
    ({"reward_range": (0, 1)}, r"nim: reward_range = \(0, 1\) is not a pair \(-r, r\)"),
    ({"reward_range": 1}, r"nim: reward_range = 1 is not a pair \(-r, r\)"),
    ({"title": 3}, "nim: title gave 3, not a text"),
]  # fmt: skip


@pytest.mark.parametrize(("methods", "message"), ANSWERS)
def test_a_wrong_answer_is_named_with_the_method_and_the_position(
    methods: dict[str, Any], message: str
) -> None:
    for ask in (check_game, mv.search):
        with pytest.raises(mv.GameContractError, match=message):
            ask(broken(**methods))


@pytest.mark.parametrize("n_actions", [0, 40_000, 2.0, True, "3"])
def test_the_number_of_actions_is_a_whole_one(n_actions: Any) -> None:
    nim = Nim()
    nim.n_actions = n_actions
    with pytest.raises(mv.GameContractError, match=r"n_actions = .* whole number from 1 to 32,767"):
        check_game(nim)


def test_the_users_own_exception_is_the_cause() -> None:
    with pytest.raises(mv.GameContractError) as caught:
        mv.search(broken(play=fail))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


# states that are shared, and answers that change


class Board:
    """A state that can be changed: what `play` must not do to the one it is given."""

    def __init__(self, stones: list[int], player: int) -> None:
        self.stones, self.player = stones, player

    def __str__(self) -> str:
        return f"{' '.join(map(str, self.stones))}, {'AB'[self.player]} to move"


class Mutable(Nim):
    """Nim that plays on boards, as it should be."""

    def initial_state(self) -> Any:
        return Board(list(self.stones), 0)

    def play(self, state: Any, action: int) -> Any:
        return self.moved(Board(list(state.stones), state.player), action)

    def moved(self, board: Board, action: int) -> Board:
        heap, taken = divmod(action, LARGEST)
        board.stones[heap] -= taken + 1
        board.player = 1 - board.player
        return board


class InPlace(Mutable):
    """Changes the board that it is given."""

    def play(self, state: Any, action: int) -> Any:
        return self.moved(state, action)


class Shallow(Mutable):
    """Copies the board, but not its list of heaps."""

    def play(self, state: Any, action: int) -> Any:
        return self.moved(Board(state.stones, state.player), action)


class OneBoard(Mutable):
    """Gives the same board again and again."""

    def play(self, state: Any, action: int) -> Any:
        self.scratch = getattr(self, "scratch", Board([], 0))
        if state is self.scratch:
            return super().play(state, action)
        self.scratch.stones, self.scratch.player = list(state.stones), state.player
        return self.moved(self.scratch, action)


class Late(Mutable):
    """Its third position changes the first one."""

    def initial_state(self) -> Any:
        self.board = super().initial_state()
        return self.board

    def play(self, state: Any, action: int) -> Any:
        if sum(state.stones) < sum(self.stones):
            self.board.stones[0] = 6
        return super().play(state, action)


class Forgetful(Mutable):
    """Has another first position each time."""

    def initial_state(self) -> Any:
        self.n = getattr(self, "n", 0) + 1
        return Board([2, self.n], 0)


class Chancy(Mutable):
    """Plays another move now and then."""

    def play(self, state: Any, action: int) -> Any:
        self.n = getattr(self, "n", 0) + 1
        after = super().play(state, action)
        after.stones.append(self.n)
        return after

    def legal_actions(self, state: Any) -> Any:
        return super().legal_actions(Board(state.stones[:2], state.player))

    def outcome(self, state: Any) -> Any:
        return super().outcome(Board(state.stones[:2], state.player))


class Shuffled(Nim):
    """Its actions come in another order each time."""

    def legal_actions(self, state: Any) -> Any:
        self.n = getattr(self, "n", 0) + 1
        return super().legal_actions(state)[:: 1 if self.n % 2 else -1]


CHANGES: list[tuple[Any, str]] = [
    (InPlace, rf"nim: play\(state, \d\) changed the state that it was given: .*{BEGINNING}"),
    (Shallow, rf"nim: play\(state, \d\) changed the state that it was given: .*{BEGINNING}"),
    (OneBoard, rf"nim: play\(state, \d\) gave a state that other moves from here change: .*{BEGINNING}"),
    (Late, rf"nim: play changed a position some moves after it: .*{BEGINNING}"),
    (Forgetful, r"nim: initial_state gave another position than at first: .*\nPosition at the beginning"),
    (Chancy, rf"nim: play\(state, \d\) gave another position the second time: .*{BEGINNING}"),
    (
        Shuffled,
        rf"nim: legal_actions gave \(0, 1, 7\), and \(7, 1, 0\) when it was asked again; .*{BEGINNING}",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "message"), CHANGES)
def test_what_positions_share_is_found(kind: Any, message: str) -> None:
    for ask in (check_game, mv.search):
        with pytest.raises(mv.GameContractError, match=message):
            ask(kind(2, 1))


def test_states_that_can_be_changed_are_fine_as_long_as_nobody_does() -> None:
    check_game(Mutable(2, 2, 1))
    ours = mv.search(Mutable(2, 2, 1), iterations=100, seed=1)
    assert ours.at(100).visits.tolist() == (
        mv.search(Nim(2, 2, 1), iterations=100, seed=1).at(100).visits.tolist()
    )


def test_a_breach_that_the_first_playouts_miss_ends_the_search(tmp_path: Path) -> None:
    """One line of play among many leads there; what was recorded until then stays."""
    rare = [0, 7, 14, 1, 8, 15]

    class Rare(Nim):
        def outcome(self, state: Any) -> Any:
            return 5 if state.stones == (4, 4, 4) else super().outcome(state)

    nim = Rare(7, 7, 7)
    played = prepare(nim, iterations=20_000, seed=1, start=rare[:5])
    assert played.start == tuple(rare[:5])
    file = tmp_path / "rare.mcts"
    with pytest.raises(mv.GameContractError, match="outcome gave 5") as caught:
        mv.search(nim, iterations=20_000, seed=1, start=rare[:5], path=file)
    assert "Position after the moves [0, 7, 14, 1, 8, 15]: 4 4 4, A to move" in str(caught.value)
    assert not mv.open(file).complete


def test_a_long_line_of_moves_is_cut_short_in_a_message() -> None:
    class Endless(Nim):
        max_moves = 200

        def play(self, state: Any, action: int) -> Any:
            return Heaps(state.stones, 1 - state.player)

    with pytest.raises(mv.GameContractError, match=r"after 200 moves, \[(\d+, ){30}…\]: 2 1, A"):
        check_game(Endless())


def test_a_position_of_several_lines_stands_below_its_moves() -> None:
    class Wrong(Kalah):
        def to_move(self, state: Position) -> int:
            return 2

    with pytest.raises(mv.GameContractError, match="at the beginning:\n    4  4  4  4  4  4\n 0 "):
        check_game(Wrong())


# what is no game at all


@pytest.mark.parametrize("name", ["tic_tac_toe", "mnk:3,3,3", "connect_four:9,9"])
def test_the_name_of_a_built_in_game_is_taken(name: str) -> None:
    taken = broken(name=name)
    for ask in (check_game, mv.search):
        with pytest.raises(
            mv.GameContractError, match="is the name of a built-in game; give it anoth"
        ):
            ask(taken)


def test_a_class_is_not_a_game() -> None:
    for ask in (check_game, mv.search):
        with pytest.raises(mv.GameContractError, match=r"Nim is a class, .* of it: Nim\(\)"):
            ask(Nim)  # type: ignore[arg-type]


def test_what_is_nothing_like_a_game_is_refused_as_an_unknown_one() -> None:
    with pytest.raises(mv.GameError, match=r"game 3\.5 is not known; choose one of: tic_tac_toe"):
        mv.search(3.5)  # type: ignore[arg-type]
    with pytest.raises(mv.GameContractError, match="float has no initial_state, to_move, "):
        check_game(3.5)  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    class Numpy(Nim):
        def legal_actions(self, state: Any) -> Any:
            return np.array(super().legal_actions(state), np.uint8)

        def outcome(self, state: Any) -> Any:
            result = super().outcome(state)
            return None if result is None else np.float32(result)

        def to_move(self, state: Any) -> Any:
            return np.int8(state.player)

    check_game(Numpy())
    trace = mv.search(Numpy(), iterations=20, seed=1)
    assert (
        trace.at(20).visits.tolist()
        == mv.search(Nim(), iterations=20, seed=1).at(20).visits.tolist()
    )


@pytest.mark.parametrize(
    ("before", "action", "after", "player", "outcome"),
    [
        # the last seed in the own store: South again
        ((4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0), 2, (4, 4, 0, 5, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0), 0, None),
        # in an empty house of South's: it and the five opposite are captured
        ((1, 0, 0, 0, 0, 3, 0, 1, 0, 0, 0, 5, 0, 0), 0, (0, 0, 0, 0, 0, 3, 6, 1, 0, 0, 0, 0, 0, 0), 1, None),
        # in an empty house with nothing opposite: nothing is
        ((1, 0, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0, 5, 0), 0, (0, 1, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0, 5, 0), 1, None),
        # round the board, past North's store
        ((2, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9), 5, (3, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 9), 1, None),
        # South's houses are empty: North keeps the rest, and the fuller store wins
        ((0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 0, 3, 0, 2), 5, (0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 5), 0, 1.0),
        ((0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 3, 0, 2), 5, (0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 5), 0, -1.0),
        ((0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0, 3, 0, 2), 5, (0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 5), 0, 0.0),
    ],
)  # fmt: skip
def test_kalah_is_played_by_its_rules(
    before: tuple[int, ...],
    action: int,
    after: tuple[int, ...],
    player: int,
    outcome: float | None,
) -> None:
    """And the same on the other side of the board, where North is to move."""
    kalah = Kalah()
    position = kalah.play(Position(before, 0), action)
    assert (position, kalah.outcome(position)) == (Position(after, player), outcome)
    turned = kalah.play(Position(before[7:] + before[:7], 1), action)
    assert turned == Position(after[7:] + after[:7], 1 - player)
    assert kalah.outcome(turned) == (None if outcome is None else -outcome)
