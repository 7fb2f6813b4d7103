"""Evaluators: what every one of them promises, and what each says of known positions."""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest

from mcts_viz.errors import GameError
from mcts_viz.games import LISTED, FlatGame, game
from mcts_viz.games.evaluators import (
    EVALUATORS,
    Evaluate,
    decisive,
    default_evaluator,
    evaluator,
    evaluator_names,
)
from tests.games.boards import ascii_board, connect_four_state, tic_tac_toe_state
from tests.variants import few

PAIRS = [(name, played) for played in LISTED for name in evaluator_names(game(played))]
SIZES = ["connect_four", "connect_four:7,7", "connect_four:14,4", "connect_four:4,12"]


def positions(played: FlatGame, games: int, seed: int = 1) -> Iterator[list[int]]:
    """Every position of random games that is not the end."""
    choose = np.random.default_rng(seed)
    for _ in range(games):
        state = played.start_state()
        while legal := played.legal(state):
            yield list(state)
            played.rules.play(state, int(choose.choice(legal)))


def asked(evaluate: Evaluate, played: FlatGame, state: list[int]) -> tuple[list[float], float]:
    """Priors by action, 0 for illegal ones, and the value."""
    legal = played.legal(state)
    priors = [float("nan")] * played.n_actions
    value = evaluate(state, legal, len(legal), priors)
    by_action = [0.0] * played.n_actions
    for action, prior in zip(legal, priors):
        by_action[action] = prior
    return by_action, value


def assert_keeps_its_promises(evaluate: Evaluate, played: FlatGame, games: int) -> None:
    for state in positions(played, games):
        before = list(state)
        priors, value = asked(evaluate, played, state)
        assert sum(priors) == pytest.approx(1, abs=1e-12)
        assert all(priors[action] > 0 for action in played.legal(state))
        assert -1 <= value <= 1
        assert state == before


@pytest.mark.parametrize(("name", "played"), PAIRS)
def test_priors_sum_to_1_the_value_is_in_range_and_the_state_untouched(
    name: str, played: str
) -> None:
    assert_keeps_its_promises(evaluator(name, game(played)), game(played), 10)


@pytest.mark.parametrize("played", LISTED)
def test_so_it_is_with_decisive(played: str) -> None:
    assert_keeps_its_promises(decisive(game(played)), game(played), 4)


@pytest.mark.parametrize(
    ("name", "played"), few([*PAIRS, *(("centre", size) for size in SIZES[2:])], 3)
)
def test_compiled_and_interpreted_are_the_same_to_the_last_bit(name: str, played: str) -> None:
    found = game(played)
    evaluate: Any = evaluator(name, found)
    compiled = numba.njit(forceinline=True, error_model="numpy", _nrt=False)(evaluate)
    for state in positions(found, 5, seed=2):
        legal = found.legal(state)
        slow = [0.0] * found.n_actions
        value = evaluate(state, legal, len(legal), slow)
        array = np.array(state, np.int64)
        for dtype in (np.int64, np.int32):
            fast = np.zeros(found.n_actions)
            assert compiled(array, np.array(legal, dtype), len(legal), fast) == value
            assert list(fast) == slow
        assert list(array) == state


@pytest.mark.parametrize("size", SIZES)
def test_centre_sees_a_mirrored_position_mirrored(size: str) -> None:
    played = game(size)
    evaluate = evaluator("centre", played)
    stride = dict(played.parameters)["rows"] + 1

    def mirrored(discs: int) -> int:
        columns = [(discs >> c * stride) & ((1 << stride) - 1) for c in range(played.n_actions)]
        return sum(column << c * stride for c, column in enumerate(reversed(columns)))

    for state in positions(played, 20):
        priors, value = asked(evaluate, played, state)
        other = [mirrored(state[0]), mirrored(state[1]), state[2]]
        assert asked(evaluate, played, other) == (priors[::-1], value)


@pytest.mark.parametrize("size", SIZES)
def test_centre_with_the_sides_swapped_is_the_negative(size: str) -> None:
    played = game(size)
    evaluate = evaluator("centre", played)
    values = set()
    for state in positions(played, 20):
        priors, value = asked(evaluate, played, state)
        buffer = [0.0] * played.n_actions
        legal = played.legal(state)
        # the same discs with the other player to move, then with the colours swapped
        assert evaluate([*state[:2], state[2] + 1], legal, len(legal), buffer) == -value
        assert evaluate([state[1], state[0], state[2]], legal, len(legal), buffer) == -value
        assert buffer[: len(legal)] == [priors[action] for action in legal]
        values.add(value)
    assert len(values) > 10
    assert asked(evaluate, played, played.start_state())[1] == 0


def test_centre_favours_the_centre_columns() -> None:
    played = game("connect_four")
    priors, _ = asked(evaluator("centre", played), played, played.start_state())
    assert priors == [weight / 16 for weight in (1, 2, 3, 4, 3, 2, 1)]


@pytest.mark.parametrize(
    ("board", "x_points", "o_points"),
    [
        # a corner is in three lines, one in each direction
        ("X......", 3, 0),
        # the disc at the bottom of the middle column: four lines along the row, one up, two diagonal
        ("...X...", 7, 0),
        # X: both discs in the only line along the row that O is not in, each up and in a diagonal; O:
        # two lines along the row, one up, one diagonal
        ("XX..O..", 2 + 2 + 2, 2 + 1 + 1),
        ("XXX.O..", 3 + 6 + 3 + 3, 1 + 1 + 1),  # three in a line count 6 more
    ],
)
def test_centre_counts_discs_in_lines_that_are_open(
    board: str, x_points: int, o_points: int
) -> None:
    played = game("connect_four")
    state = connect_four_state(ascii_board("\n".join([*["......."] * 5, board])))
    lead = (x_points - o_points) * (1 if state[2] % 2 == 0 else -1)
    assert asked(evaluator("centre", played), played, state)[1] == lead / (20 + abs(lead))


def points_of(rows: list[str]) -> tuple[int, int]:
    """Points of X and of O, line by line."""
    points = {"X": 0, "O": 0}
    for row in range(len(rows)):
        for column in range(len(rows[0])):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, column + i * right) for i in range(4)]
                if all(0 <= r < len(rows) and 0 <= c < len(rows[0]) for r, c in cells):
                    line = "".join(rows[r][c] for r, c in cells)
                    for mine, theirs in ("XO", "OX"):
                        if theirs not in line:
                            n = line.count(mine)
                            points[mine] += n + (6 if n == 3 else 0)
    return points["X"], points["O"]


@pytest.mark.parametrize("size", SIZES)
def test_centre_is_what_counting_line_by_line_gives(size: str) -> None:
    played = game(size)
    choose = np.random.default_rng(4)
    for _ in range(10):
        actions: list[int] = []
        while legal := played.legal(played.position(actions)[0]):
            board = played.board(actions)
            cells = "".join(symbol or "." for symbol in board.symbols)
            rows = [cells[i : i + board.columns] for i in range(0, len(cells), board.columns)]
            x, o = points_of(rows)
            lead = x - o if len(actions) % 2 == 0 else o - x
            state, _ = played.position(actions)
            assert asked(evaluator("centre", played), played, state)[1] == lead / (20 + abs(lead))
            actions.append(int(choose.choice(legal)))


@pytest.mark.parametrize(
    ("board", "value", "likely"),
    [
        ("XX. OO. ...", 1, [2]),
        ("OO. X.. ..X", 0, [2]),
        ("OXO ..X O.X", -1, [3, 4, 7]),
        ("X.. ... ..O", 0, [1, 2, 3, 4, 5, 6, 7]),
        ("XOX XOO OX.", 0, [8]),
    ],
)
def test_decisive_says_who_wins_at_once(board: str, value: float, likely: list[int]) -> None:
    played = game("tic_tac_toe")
    priors, found = asked(decisive(played), played, tic_tac_toe_state(board.replace(" ", "\n")))
    assert found == value
    assert [action for action in range(9) if priors[action] > 0.1 + 1e-9] == likely


def test_decisive_needs_the_rule() -> None:
    known = game("tic_tac_toe")
    bare = type(known)(**{**vars(known), "rules": known.rules._replace(decisive_actions=None)})
    with pytest.raises(GameError, match="the rules of tic_tac_toe have none"):
        decisive(bare)


def test_connect_four_is_evaluated_by_its_centre_and_the_rest_uniformly() -> None:
    assert {name: default_evaluator(game(name)) for name in LISTED} == {
        name: "centre" if name.startswith("connect_four") else "uniform" for name in LISTED
    }


def test_an_evaluator_that_there_is_not_is_refused_with_the_names_there_are() -> None:
    unknown: Any
    for unknown in ("oracle", 3, None, "decisive"):
        with pytest.raises(GameError, match=r"is not known; choose one of: centre, uniform$"):
            evaluator(unknown, game("connect_four:5,5"))
    with pytest.raises(GameError, match=r"'centre' is not for tic_tac_toe; choose one of: uniform"):
        evaluator("centre", game("tic_tac_toe"))
    assert set(EVALUATORS) == {"centre", "uniform"}


def test_it_is_the_same_function_each_time() -> None:
    """So that what numba has compiled with it is found again."""
    for name, played in PAIRS:
        assert evaluator(name, game(played)) is evaluator(name, game(played))
