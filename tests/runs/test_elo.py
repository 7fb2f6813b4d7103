"""The difference in Elo and the sequential test, held against fastchess's own numbers."""

from __future__ import annotations

import math

import pytest

from mcts_viz.errors import SearchError
from mcts_viz.runs.elo import SequentialTest, elo_difference, sequential_test

# losses, draws, wins; or pairs of games with 0, ½, 1, 1½ and 2 points: fastchess, app/tests/sprt_test.cpp
RATIOS = [
    ([36027, 68692, 36433], 0, 2, "normalized", 0.92),
    ([10650, 20431, 10871], -1.75, 0.25, "normalized", 2.30),
    ([21184, 40708, 21404], 0.5, 2.5, "logistic", -1.57),
    ([57030, 106593, 57433], 0, 2, "logistic", -2.59),
    ([365, 16618, 36029 + 200, 16974, 390], 0, 2, "normalized", 2.25),
    ([127, 4883, 10311 + 401, 5150, 104], -1.75, 0.25, "normalized", 3.01),
    ([223, 9863, 20279 + 1000, 10037, 246], 0.5, 2.5, "logistic", -3.07),
    ([871, 26175, 55003 + 980, 26678, 821], 0, 2, "logistic", -4.98),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "model", "ratio"), RATIOS)
def test_likelihood_ratios_are_those_of_fastchess(
    counts: list[float], elo0: float, elo1: float, model: str, ratio: float
) -> None:
    assert SequentialTest(elo0, elo1, model=model).ratio(counts) == pytest.approx(ratio, rel=0.01)


def test_where_all_games_end_alike_the_ratio_is_the_one_worked_out_by_hand() -> None:
    """Draws alone fit no gain best: a gain needs wins, a share of t². Wins alone: of two points, the likelier mean."""
    t = 5 / (800 / math.log(10))
    drawn = SequentialTest(0, 5).ratio([0, 16700, 0])
    assert drawn == pytest.approx(16700 * math.log(1 - t**2), rel=0.02)
    won = SequentialTest(0, 5).ratio([0, 0, 104])
    assert won == pytest.approx(104 * math.log(1 + t), rel=0.02)  # (p − ½) = t √(p (1 − p))


@pytest.mark.parametrize(
    ("counts", "elo", "half"),  # fastchess, app/tests/elo_test.cpp
    [
        ([96, 111, 136], 40.70, 30.43),
        ([34, 54, 31 + 32, 64, 75], 55.58, 27.65),
        ([332, 433, 457 + 41, 333, 334], -8.64, 10.33),
    ],
)
def test_differences_in_elo_are_those_of_fastchess(
    counts: list[float], elo: float, half: float
) -> None:
    found = elo_difference(counts)
    assert found.elo == pytest.approx(elo, rel=0.01)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.01)


def test_the_ends_of_the_scale_are_infinite() -> None:
    assert elo_difference([0, 0, 5]).elo == math.inf
    assert elo_difference([5, 0, 0]).elo == -math.inf
    assert elo_difference([0, 0, 0]) == (0.0, -math.inf, math.inf)


@pytest.mark.parametrize("counts", [[0, 2, 0], [0, 0, 1, 0, 0], [0, 0, 50, 0, 0]])
def test_drawn_games_alone_are_even_with_an_interval_that_narrows_with_their_number(
    counts: list[float],
) -> None:
    found = elo_difference(counts)
    assert str(found.elo) == "0.0"  # and not -0.0
    assert found.low == pytest.approx(-found.high)
    # Wilson's of a share of a half: z / √(n + z²) / 2 to either side
    half = 1.96 / math.sqrt(sum(counts) + 1.96**2) / 2
    assert found.high == pytest.approx(400 * math.log10((0.5 + half) / (0.5 - half)), rel=1e-3)


def test_games_won_alone_have_a_lower_end() -> None:
    found = elo_difference([0, 0, 5])
    assert found.high == math.inf
    assert found.low == pytest.approx(400 * math.log10(5 / 1.96**2), rel=1e-3)


def test_a_test_ends_at_the_bounds_of_wald() -> None:
    test = sequential_test(["elo0=0", "elo1=10", "alpha=0.05", "beta=0.05"])
    assert test.bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert test.decided([2000, 4000, 2000]) is False
    assert test.decided([2000, 4000, 2600]) is True
    assert test.decided([2, 4, 3]) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("elo0=0", "write it as elo0=0 elo1=10"),
        ("elo0=0 elo1=ten", "write it as"),
        ("elo0=0 elo1=5 gamma=1", "write it as"),
        ("elo0=5 elo1=5", "elo0 is less than elo1, and both are within ±200"),
        ("elo0=0 elo1=nan", "elo0 is less than elo1"),
        ("elo0=0 elo1=5 alpha=0.6 beta=0.5", "less than 1 together"),
        ("elo0=0 elo1=5 model=bayes", "model=bayes is none of normalized, logistic"),
    ],
)
def test_a_test_that_is_none_is_refused(words: str, message: str) -> None:
    with pytest.raises(SearchError, match=message):
        sequential_test([words])
