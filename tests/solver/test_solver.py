"""The solver against a plain minimax, and against what is published of the games."""

import math
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from mcts_viz.games import FlatGame, game
from mcts_viz.solver import plain
from mcts_viz.solver.alpha_beta import HORIZON
from mcts_viz.solver.solver import Solver, usual_limit
from tests.solver.reference import Score, TooManyError, exact
from tests.variants import each, few

ENOUGH = 100_000_000

# Pascal Pons, "Solving Connect 4: how to build a perfect AI", test set L3_R1 (end, easy): columns from
# 1, and the score: 22 less the winner's discs at the end, negative where the player to move loses
PUBLISHED = {
    "2252576253462244111563365343671351441": -1,
    "7422341735647741166133573473242566": 1,
    "23163416124767223154467471272416755633": 0,
    "71255763773133525731261364622167124446454": 0,
    "65214673556155731566316327373221417": -1,
    "52677675164321472411331752454": 0,
    "3135151421347443544172316522225776773566": 0,
    "562154564361751726662253737734213275114": 0,
    "233377345754465174223731671122611552": 1,
    "6763525635134453444361412671365712": -1,
    "211376455663355325112113664364524722": 0,
    "3146762114467714356347741621375222": -1,
    "67152117737262713366376314254": 6,
    "2762751722231276466633475674533": 5,
    "3642756176227637211322113551637574556": 2,
    "22647455554314246733661634615122372377511": 0,
    "427566236745127177115664464254": 2,
    "7172212567451542223676134464437761515": 0,
    "641154574541323641152467137655232232366": 0,
    "5775265212657176476365522624313714333": 2,
    "3575316255751336464276636772271112": -3,
    # of its sets of beginnings: 12 to 14 discs on the board
    "427631264721": 10,
    "43745416472735": -13,
}

# John Tromp, "John's Connect Four Playground" (rows, columns): these boards are draws
SMALL_BOARDS = {(4, 4): 0, (4, 5): 0, (5, 4): 0, (5, 5): 0}

# (columns, rows, in a row): Uiterwijk & van den Herik 2000, "The advantage of the initiative"
FIRST_RESULTS = {(3, 3, 3): 0, (4, 3, 3): 1, (4, 4, 3): 1, (4, 4, 4): 0, (5, 4, 4): 0}


def solved(name: str, state: list[int], ply: int = 0, solver: Solver | None = None) -> Score:
    """As the reference says it."""
    played = game(name)
    found = (solver or Solver(played)).solve(state, ply, ENOUGH, distance=True)
    assert found.result is not None
    sign = 1 if played.rules.to_move(state) == 0 else -1
    return sign * found.result, -1 if found.plies is None else found.plies


def comparable(score: Score) -> Score:
    """A draw has no plies."""
    return score if score[0] else (0, -1)


@pytest.mark.thorough
def test_every_position_of_tic_tac_toe_is_solved() -> None:
    played = game("tic_tac_toe")
    known: dict[tuple[int, ...], Score] = {}
    exact(played, played.start_state(), known)
    assert len(known) == 5_478  # legal positions that can be reached, the finished ones included
    solver = Solver(played)
    finished = [0, 0, 0]
    for state, expected in known.items():
        ply = state[2]
        found = solver.solve(state, ply, ENOUGH, distance=True)
        sign = 1 if ply % 2 == 0 else -1
        assert found.result == sign * expected[0]
        assert found.plies == (expected[1] if expected[0] else None)
        finished[found.result + 1] += expected[1] == 0 and not played.legal(list(state))
    assert finished == [316, 16, 626]  # won by O, drawn, won by X


@pytest.mark.parametrize(("m", "n", "k"), few(FIRST_RESULTS))
def test_small_boards_of_k_in_a_row_are_as_published(m: int, n: int, k: int) -> None:
    played = game(f"mnk:{m},{n},{k}")
    assert solved(played.name, played.start_state())[0] == FIRST_RESULTS[m, n, k]


@pytest.mark.parametrize("name", few(["mnk:3,3,3", "mnk:4,3,3"]))
def test_every_position_of_small_boards_agrees_with_minimax(name: str) -> None:
    played = game(name)
    known: dict[tuple[int, ...], Score] = {}
    exact(played, played.start_state(), known)
    solver = Solver(played)
    chosen = random.Random(1).sample(sorted(known), min(3_000, len(known)))
    for state in chosen:
        ply = played.n_actions - sum(state[: played.n_actions])  # a 1 for each empty cell
        assert solved(name, list(state), ply, solver) == comparable(known[state])


@pytest.mark.thorough
@pytest.mark.parametrize(("n_columns", "n_rows"), few(SMALL_BOARDS))
def test_small_boards_of_connect_four_are_as_published(n_columns: int, n_rows: int) -> None:
    played = game(f"connect_four:{n_columns},{n_rows}")
    assert solved(played.name, played.start_state())[0] == SMALL_BOARDS[n_columns, n_rows]


def test_the_smallest_connect_four_agrees_with_minimax() -> None:
    played = game("connect_four:4,4")
    start = played.position([0, 1, 1])[0]
    known: dict[tuple[int, ...], Score] = {}
    exact(played, start, known)
    solver = Solver(played)
    for state in random.Random(1).sample(sorted(known), 3_000):
        assert solved(played.name, list(state), state[2], solver) == comparable(known[state])


@pytest.mark.parametrize("text", each(3, PUBLISHED))
def test_published_positions_of_connect_four(text: str) -> None:
    played = game("connect_four")
    state, actions = played.position([int(column) - 1 for column in text])
    result, plies = solved("connect_four", state, len(actions))
    expected = PUBLISHED[text]
    assert result == (expected > 0) - (expected < 0)
    if result:
        discs = (len(actions) + plies + 1) // 2  # of the winner, as the last disc is the winner's
        assert 22 - discs == abs(expected)


@pytest.mark.parametrize("text", [text for text in PUBLISHED if len(text) > 33])
def test_published_positions_agree_with_minimax(text: str) -> None:
    played = game("connect_four")
    state, actions = played.position([int(column) - 1 for column in text])
    expected = exact(played, state, {})
    assert solved("connect_four", state, len(actions)) == comparable(expected)


def late_positions(played: FlatGame, at_most: int) -> Iterator[tuple[list[int], int]]:
    """Positions of random games with few empty cells left, and how many moves were made: nobody wins
    who can do without, or most games would end early."""

    def ends(state: list[int], action: int) -> bool:
        after = list(state)
        played.rules.play(after, action)
        return not math.isnan(played.rules.outcome(after))

    for seed in range(10_000):
        draw = random.Random(seed)
        state, line = played.start_state(), []
        while legal := played.legal(state):
            line.append(draw.choice([move for move in legal if not ends(state, move)] or legal))
            played.rules.play(state, line[-1])
        back = draw.randrange(4, at_most)
        if len(line) > max(back, 30):
            yield played.position(line[:-back])[0], len(line) - back


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["ultimate_tic_tac_toe", "sudo_tic_tac_toe"]))
def test_ends_on_nine_boards_agree_with_minimax(name: str) -> None:
    played = game(name)
    solver = Solver(played)
    results: Counter[int] = Counter()
    for state, ply in late_positions(played, at_most=12 if name[0] == "u" else 9):
        try:  # a game that was won early leaves many cells empty
            expected = comparable(exact(played, state, {}, most=3_000))
        except TooManyError:
            continue
        assert solved(name, state, ply, solver) == expected
        results[expected[0]] += 1
        if results.total() == 20:
            break
    assert results.total() == 20
    assert results[1]
    assert results[-1]


def test_what_is_not_solved_within_the_limit_is_not_known() -> None:
    played = game("connect_four")
    solver = Solver(played)
    found = solver.solve(played.start_state(), 0, 1_000)
    assert found == (None, None, 1_000)
    assert solver.solve(played.start_state(), 0, 0) == (None, None, 0)


@pytest.mark.thorough
def test_the_same_questions_cost_the_same() -> None:
    played = game("connect_four:5,5")
    answers = []
    for _ in range(2):
        solver = Solver(played)
        found = [solver.solve(played.position([move])[0], 1, 300_000, True) for move in range(5)]
        answers.append(found)
    assert answers[0] == answers[1]
    assert any(one.looked_at for one in answers[0])


@pytest.mark.parametrize("name", few(["tic_tac_toe", "mnk:4,3,3", "connect_four:4,4"]))
def test_the_plain_search_for_own_games_says_the_same(name: str) -> None:
    played = game(name)
    solver = Solver(played)
    for seed in range(30):
        draw = random.Random(seed)
        state, ply = played.start_state(), 0
        while (legal := played.legal(state)) and ply < played.max_moves - 8:
            played.rules.play(state, draw.choice(legal))
            ply += 1
        value, _, done = plain.search(played, state, ply, -HORIZON, HORIZON, ENOUGH)
        assert done
        result, plies = solved(name, state, ply, solver)
        sign = 1 if played.rules.to_move(state) == 0 else -1
        assert (value > 0) - (value < 0) == sign * result
        if result:
            assert HORIZON - abs(value) - ply == plies


def test_larger_positions_get_a_smaller_limit() -> None:
    limits = [
        usual_limit(game(name)) for name in ("connect_four", "ultimate_tic_tac_toe", "mnk:15,15,5")
    ]
    assert limits == sorted(limits, reverse=True)
