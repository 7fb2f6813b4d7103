"""A check goes through a trace in ranges of iterations: what it takes does not grow with the trace, and what
it finds does not depend on where ranges end."""

import re
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.health import checked_search, choice, families
from mcts_viz.health.checking import check_trace
from mcts_viz.health.families import Families
from mcts_viz.health.occurrences import MOST_NUMBERS, ValueCounts
from mcts_viz.health.outcomes import ends
from mcts_viz.health.selection import check as selection
from mcts_viz.health.selection.fit import Bounds, most_overlap
from mcts_viz.health.tree import expansion, visits
from tests.health.faulty import cases
from tests.health.zoo import ZOO, recorded
from tests.variants import each, few

SAMPLES = Path(__file__).parents[2] / "samples"
# mistakes whose findings have numbers in them that come from many iterations
MISTAKES = [
    None, "leaf counted twice", "siblings counted too", "sum overwritten", "undeclared discount",
    "noise on the value", "only wins of the searcher", "draws like wins", "score out of range",
    "leaf gets no value", "argmin", "random choice", "other c than declared", "subtree counted twice",
    "chooses before all are tried", "move tried twice", "outcome of a finished game",
]  # fmt: skip


def cut(monkeypatch: pytest.MonkeyPatch, rows: int, compared: int) -> None:
    """Into ranges of so many rows; so many children are compared."""
    for module in (checked_search, visits, expansion, choice):
        monkeypatch.setattr(module, "RANGE_ROWS", rows)
    monkeypatch.setattr(checked_search, "BATCH_ROWS", rows)
    monkeypatch.setattr(selection, "MOST_ROWS", compared)


@pytest.fixture
def short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    cut(monkeypatch, 200, 10**9)


@pytest.mark.parametrize("mistake", each(4, MISTAKES))
def test_where_ranges_end_changes_no_finding(
    mistake: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mistake is None or mistake in ZOO
    trace = recorded("tic_tac_toe", mistake, 2, 400)
    whole = trace.check()
    cut(monkeypatch, 200, 10**9)
    parts = list(checked_search.CheckedSearch(trace).ranges())
    assert len(parts) > 5
    assert [part.first for part in parts[1:]] == [part.last + 1 for part in parts[:-1]]
    for one, other in zip(trace.check(), whole, strict=True):
        assert str(one) == str(other)
        # sums of values that are no multiples of a power of two are rounded at other places
        assert one.evidence.keys() == other.evidence.keys()
        for name, value in one.evidence.items():
            number = isinstance(value, float)
            expected = other.evidence[name]
            assert value == (pytest.approx(expected, rel=1e-9) if number else expected)


def test_statistics_before_any_iteration_are_those_of_the_snapshot(
    short_ranges: None,
) -> None:
    trace = mv.search("tic_tac_toe", "tech_io", iterations=150, seed=1, compile=False)
    seen = 0
    for part in checked_search.CheckedSearch(trace).ranges():
        for t in range(part.first, part.last + 2):
            snapshot = trace.at(t - 1)
            nodes = np.arange(len(snapshot.visits))
            before = part.before(nodes, np.full(len(nodes), t))
            assert np.array_equal(before.visits, snapshot.visits)
            assert np.array_equal(before.value_sum, snapshot.value_sum)
            seen += 1
    assert seen > 150


def most_memory(iterations: int, **options: Any) -> int:
    """Bytes, at most, while a trace is checked, on top of the trace."""
    trace = mv.search("tic_tac_toe", iterations=iterations, seed=1, compile=False, **options)
    _ = trace.topology
    tracemalloc.start()
    try:
        check_trace(trace)  # without the rules, which are asked a fixed number of times at most
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "options",
    few(
        [
            {"preset": "rhu2001"},  # its choices are explained by no rule that is known
            {},  # healthy: one rule explains all choices
            {"simulation": "decisive", "preset": "tech_io"},
        ]
    ),
)
def test_memory_hardly_grows_with_the_trace(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut(monkeypatch, 4_000, 2_000)
    few, many = most_memory(1_000, **options), most_memory(4_000, **options)
    assert many < 2.5 * few  # for four times as many iterations
    cut(monkeypatch, 1_000_000, 1_000_000)  # all at once
    assert most_memory(4_000, **options) > 2.5 * many


def test_of_many_finished_games_the_first_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that is over again and again, as in a long search of Tic-Tac-Toe, would fill the memory."""
    record = next(record for name, _, record in cases() if name.startswith("ends ignored"))
    trace = record(1)

    def told() -> str:
        (one,) = (each for each in trace.check() if each.check == "simulation-terminal")
        return one.message

    assert "of the first" not in told()
    monkeypatch.setattr(ends, "MOST", 30)
    assert re.search(r"So it is with \d+ of the first \d+ visits of finished games", told())


def intervals(seed: int) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Batches of intervals about 0.5 to 3, some of them empty, some without an end, many equal."""
    draw = np.random.default_rng(seed)
    for _ in range(20):
        low = np.round(draw.normal(1.0, 0.5, 500), 2 + seed % 5).clip(0)
        high = low + np.round(draw.exponential(1.0, 500), 2)
        high[draw.random(500) < 0.1] = np.inf
        empty = draw.random(500) < 0.1
        yield np.where(empty, np.inf, low), np.where(empty, -np.inf, high)


@pytest.mark.parametrize("seed", few(range(3)))
def test_most_intervals_meet_where_a_count_says(seed: int) -> None:
    low, high = (np.concatenate(bound) for bound in zip(*intervals(seed)))
    at, _, n = most_overlap(Bounds(low, high))
    counts = [int(((low <= begin) & (begin <= high)).sum()) for begin in low[low <= high]]
    assert n == max(counts) == int(((low <= at) & (at <= high)).sum())


def test_a_tally_has_the_median_of_its_numbers() -> None:
    draw = np.random.default_rng(1)
    few, many = draw.integers(0, 50, 5_001) / 8, draw.random(400_000)
    for numbers, slack in ((few, 0.0), (few[:-1], 0.0), (many, 0.01)):
        counts = ValueCounts()
        for part in np.array_split(numbers, 40):
            counts.add(part)
        assert counts.total == len(numbers)
        assert len(counts.numbers) <= MOST_NUMBERS
        assert counts.median() == pytest.approx(float(np.median(numbers)), abs=slack)


@pytest.mark.parametrize("at_once", [7, 1 << 20])
def test_families_are_whole_and_none_is_left_out(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "AT_ONCE", at_once)
    trace = mv.search("tic_tac_toe", "tech_io", iterations=200, seed=1, compile=False)
    topology, made = trace.topology, Families(trace.columns.nodes.parent)
    for most in (1, 7, 100, 10_000):
        found: dict[int, list[int]] = {}
        for parents, begin, children in made.parts(most):
            ends = [*begin[1:], len(children)]
            for parent, first, last in zip(parents.tolist(), begin, ends):
                assert parent not in found
                found[parent] = children[first:last].tolist()
            assert len(children) <= most or len(parents) == 1
        assert all(one < other for one, other in pairwise(found))
        assert found == {
            node: topology.children(node, trace.n_nodes).tolist()
            for node in range(trace.n_nodes)
            if len(topology.children(node, trace.n_nodes))
        }


def test_children_are_counted_at_any_time() -> None:
    trace = mv.search("connect_four", iterations=300, seed=1, compile=False)
    draw = np.random.default_rng(1)
    nodes, n_nodes = draw.integers(0, trace.n_nodes, 500), draw.integers(1, trace.n_nodes + 1, 500)
    counts = Families(trace.columns.nodes.parent).count(nodes, n_nodes)
    each = [trace.topology.children(int(v), int(n)) for v, n in zip(nodes, n_nodes)]
    assert counts.tolist() == [len(children) for children in each]
    children = Families(trace.columns.nodes.parent).oldest(nodes, counts)
    assert children.tolist() == np.concatenate(each).tolist()
