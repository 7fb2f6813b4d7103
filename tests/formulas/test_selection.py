"""One copy of each formula serves scalars, arrays and compiled code, with the same bits."""

import math
from typing import Any

import numba
import numpy as np
import pytest

from mcts_viz.errors import SearchError
from mcts_viz.formulas.selection import (
    SELECTION_FORMULAS,
    SelectionFormula,
    log_visits,
    selection_formula,
)

RNG = np.random.default_rng(1)
VISITS = RNG.integers(1, 50_000, 2_000).astype(np.int32)
PARENT = (VISITS + RNG.integers(0, 1_000_000, 2_000)).astype(np.int32)
VALUE_SUM = RNG.random(2_000) * VISITS
PRIOR = RNG.random(2_000).astype(np.float32)
SQUARES = VALUE_SUM * RNG.random(2_000)


def test_ucb1_is_the_mean_and_the_confidence_radius() -> None:
    value, exploration = selection_formula("ucb1")(3.0, 4, 10, math.log(10), math.nan, 1.5)
    assert value == 0.75
    assert exploration == 1.5 * math.sqrt(math.log(10) / 4)


def test_ucb1_double_log_has_twice_the_logarithm_under_the_root() -> None:
    formula = selection_formula("ucb1_double_log")
    value, exploration = formula(3.0, 4, 10, math.log(10), math.nan, 1.5)
    assert value == 0.75
    assert exploration == 1.5 * math.sqrt(2 * math.log(10)) * 0.5
    assert exploration == pytest.approx(1.5 * math.sqrt(2 * math.log(10) / 4), rel=1e-15)


def test_ucb1_tuned_has_the_variance_of_the_childs_values() -> None:
    # four values: 1, 1, 1, 0
    value, exploration = selection_formula("ucb1_tuned")(
        3.0, 4, 10, math.log(10), math.nan, 2.0, 3.0
    )
    variance = 3 / 4 - 0.75**2 + math.sqrt(2 * math.log(10) / 4)
    assert value == 0.75
    assert variance > 0.25
    assert exploration == pytest.approx(2 * math.sqrt(math.log(10) / 4 * 0.25), rel=1e-15)
    # a thousand values, all the same: the variance is small
    value, exploration = selection_formula("ucb1_tuned")(
        500.0, 1_000, 2_000, math.log(2_000), math.nan, 1.0, 250.0
    )
    rate = math.log(2_000) / 1_000
    assert math.sqrt(2 * rate) < 0.25
    assert exploration == pytest.approx(math.sqrt(rate * math.sqrt(2 * rate)), rel=1e-15)


def test_puct_weighs_the_prior() -> None:
    formula = selection_formula("puct")
    value, exploration = formula(3.0, 4, 25, math.log(25), 0.2, 1.5)
    assert value == 0.75
    assert exploration == pytest.approx(1.5 * 0.2 * 5 / (1 + 4), rel=1e-15)
    assert formula.unvisited(25, math.log(25), 0.2, 1.5, -0.5) == (-0.5, pytest.approx(1.5))


def test_a_child_without_visits_has_its_urgency_alone_under_ucb1() -> None:
    assert selection_formula("ucb1").unvisited(25, math.log(25), math.nan, 1.5, 0.4) == (0.4, 0.0)


@pytest.mark.parametrize("name", SELECTION_FORMULAS)
def test_scalars_arrays_and_compiled_code_give_the_same_bits(name: str) -> None:
    formula: Any = selection_formula(name)
    compiled = SelectionFormula(
        *(numba.njit(error_model="numpy")(part) if callable(part) else part for part in formula)
    )
    logs = log_visits(PARENT)
    arrays = formula(VALUE_SUM, VISITS, PARENT, logs, PRIOR, math.sqrt(2), SQUARES)
    rows: list[Any] = list(zip(VALUE_SUM, VISITS, PARENT, logs, PRIOR, SQUARES))
    plain = np.array([formula(*row[:5], math.sqrt(2), row[5]) for row in rows])
    fast = np.array([compiled(*row[:5], math.sqrt(2), row[5]) for row in rows])
    assert np.array_equal(np.array(arrays).T, plain)
    assert np.array_equal(fast, plain)
    unvisited = formula.unvisited(PARENT, logs, PRIOR, math.sqrt(2), 0.25)
    plain = np.array(
        [formula.unvisited(n, log, p, math.sqrt(2), 0.25)[1] for _, _, n, log, p, _ in rows]
    )
    fast = np.array(
        [compiled.unvisited(n, log, p, math.sqrt(2), 0.25)[1] for _, _, n, log, p, _ in rows]
    )
    assert np.array_equal(np.broadcast_to(unvisited[1], plain.shape), plain)
    assert np.array_equal(fast, plain)


def test_the_logarithm_is_the_searchs_own() -> None:
    visits = np.arange(100_000, dtype=np.int32)
    compiled: Any = numba.njit(lambda n: math.log(n))
    logs = log_visits(visits)
    assert math.isnan(logs[0])
    assert logs[1:].tolist() == [math.log(n) for n in range(1, 100_000)]
    assert logs[1:].tolist() == [compiled(n) for n in visits[1:]]
    assert log_visits(np.zeros(0, np.int32)).size == 0


@pytest.mark.parametrize("name", ["ucb2", "", None, ["ucb1"]])
def test_an_unknown_formula_is_refused_with_those_there_are(name: Any) -> None:
    with pytest.raises(
        SearchError, match=r"selection policy .* is not known; choose one of: ucb1, ucb1_double_log"
    ):
        selection_formula(name)
