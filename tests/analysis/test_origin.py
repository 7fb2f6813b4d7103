"""Where a number comes from: what the iterations added comes to the number, with nothing left over, and each of them is
told as a recount in plain Python finds it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.choice.explanation import explain
from mcts_viz.analysis.origin.branches import branches, quick_branches, update_rows
from mcts_viz.analysis.origin.origin import NUMBERS, OF_SCORE
from tests.recording.searches import PlainUCT
from tests.web.recordings import record_kept

SAMPLES = Path(__file__).parent.parent.parent / "samples"
COLUMN = {"score": "uct"}  # what a snapshot calls it


@cache
def jumping() -> mv.Trace:
    """A watched search of which an iteration is three of the search's own, so that visits jump."""
    search = PlainUCT()
    with mv.record(
        root=search.root, children="children", visits="visits", value="wins", action="move",
        to_move="player", game="tic_tac_toe", value_range=(0, 1), selection="ucb1", c=1.4,
    ) as rec:  # fmt: skip
        for _ in range(60):
            for _ in range(3):
                search.step()
            rec.iteration()
    return rec.trace


@cache
def solver() -> mv.Trace:
    return mv.search(
        "tic_tac_toe", "tech_io", iterations=300, solver=True, start=["a1", "b2", "c3"], seed=1
    )


@cache
def tuned() -> mv.Trace:
    return mv.search("tic_tac_toe", iterations=200, selection="ucb1_tuned", c=1, seed=1)


@cache
def tic_tac_toe() -> mv.Trace:
    return mv.search("tic_tac_toe", iterations=300, seed=1)


@cache
def connect_four() -> mv.Trace:
    return mv.search("connect_four", iterations=400, seed=2)


@cache
def alphazero() -> mv.Trace:
    return mv.open(SAMPLES / "alphazero.mcts")


@cache
def kept() -> mv.Trace:
    return record_kept()


TRACES = [tic_tac_toe, connect_four, alphazero, jumping, kept, solver, tuned]


def nodes_of(trace: mv.Trace) -> list[int]:
    """The root, its child with the most visits, and a grandchild and one that was made late."""
    last = trace.at(trace.n_iterations)
    best = last.ranked_children(0)[0]
    below = last.ranked_children(best)[:1]
    return [0, best, *below, int(np.flatnonzero(last.visits)[-1])]


def plain_states(trace: mv.Trace, node: int) -> list[tuple[int, float]]:
    """[T + 1] visits and value sum after each iteration, counted one update after the other."""
    updates, states, row = trace.columns.updates, [], 0
    nodes, visits, values = (
        each.tolist() for each in (updates.node, updates.visits, updates.value)
    )
    n, total = 0, 0.0
    for end in updates.offset.tolist():
        for row in range(row, end):  # noqa: B020 (goes on where it was)
            if nodes[row] == node:
                n, total = n + visits[row], total + values[row]
        row = end
        states.append((n, total))
    return states


@pytest.mark.parametrize("make", TRACES)
def test_what_the_iterations_added_comes_to_the_number_exactly(
    make: Callable[[], mv.Trace],
) -> None:
    trace = make()
    t = trace.n_iterations * 3 // 4
    shown = trace.at(t)
    for node in nodes_of(trace):
        if node >= shown.n_nodes:
            continue
        for number in NUMBERS:
            if node == 0 and number in OF_SCORE:
                continue
            found = trace.origin(node, number, t)
            column = float(getattr(shown, COLUMN.get(number, number))[node])
            assert found.total == column or (found.total is None and np.isnan(column)), number
            if found.total is None or np.isinf(found.total):
                continue
            rows = list(found)
            assert all(a.after == b.before for a, b in itertools.pairwise(rows))
            begun = Fraction(0 if found.kept is None or np.isinf(found.kept) else found.kept)
            steps = (
                Fraction(each.after or 0)
                - Fraction(0 if each.before is None or np.isinf(each.before) else each.before)
                for each in rows
            )
            assert begun + sum(steps) == Fraction(found.total), (node, number)


@pytest.mark.parametrize("make", TRACES)
def test_each_iteration_is_told_as_a_recount_finds_it(make: Callable[[], mv.Trace]) -> None:
    trace = make()
    for node in nodes_of(trace):
        states = plain_states(trace, node)
        for number in ("visits", "value_sum"):
            found = trace.origin(node, number)
            total = states[0][1 if number == "value_sum" else 0]
            for each in found:
                assert (each.visits, each.after) == (
                    states[each.iteration][0] - states[each.iteration - 1][0],
                    states[each.iteration][1 if number == "value_sum" else 0],
                )
                total += each.value if number == "value_sum" else each.visits
            assert total == pytest.approx(found.total, abs=1e-12)
            told = {each.iteration for each in found}
            assert told >= {t for t in range(1, len(states)) if states[t] != states[t - 1]}
        for number in OF_SCORE if node else ():
            for each in trace.origin(node, number).rows(0, 20):
                for at, value in ((each.iteration - 1, each.before), (each.iteration, each.after)):
                    tree = trace.at(at)
                    real = getattr(tree, COLUMN.get(number, number))
                    expected = float(real[node]) if node < tree.n_nodes else np.nan
                    assert value == expected or (value is None and np.isnan(expected))


@pytest.mark.parametrize("make", TRACES)
def test_the_child_that_each_went_through_is_on_its_path(make: Callable[[], mv.Trace]) -> None:
    trace = make()
    for node in nodes_of(trace):
        through: Counter[int] = Counter()
        for each in trace.origin(node):
            path = trace.iteration(each.iteration).path
            place = path.index(node) if node in path else None
            after = path[place + 1 :] if place is not None else []
            assert each.child == (after[0] if after else None)
            through[after[0] if after else node if place is not None else -1] += 1
        assert trace.origin(node).by_child == through
        rows = update_rows(trace.columns, node, 1, trace.n_iterations)
        if make is not jumping:
            when = trace.origin(node).iteration
            both = (
                quick_branches(trace.columns, node, when, rows),
                branches(trace.columns, node, when),
            )
            assert both[0].tolist() == both[1].tolist()


def test_what_was_there_before_the_trace_is_said_as_such() -> None:
    trace = kept()
    found = trace.origin(1)
    assert found.kept_visits == trace.at(0).visits[1] == found.kept > 0
    assert f"{found.kept_visits} visits of the node from before this trace" in str(found)
    assert trace.origin(1, "mean_value").kept == trace.at(0).mean_value[1]


def test_visits_that_jump_are_added_as_they_were() -> None:
    trace = jumping()
    rows = trace.origin(0).rows()
    assert [each.visits for each in rows] == [3] * 60
    assert [each.after for each in rows] == list(range(3, 181, 3))


def test_iterations_through_a_node_are_those_that_have_it_on_their_path() -> None:
    for trace in (tic_tac_toe(), connect_four(), kept()):
        for node in nodes_of(trace):
            expected = [
                t for t in range(1, trace.n_iterations + 1) if node in trace.iteration(t).path
            ]
            assert trace.iterations_through(node) == expected


def test_a_stretch_is_counted_by_move_term_nodes_and_outcomes() -> None:
    trace = tic_tac_toe()
    told = trace.totals(101, 250)
    paths = [trace.iteration(t) for t in range(101, 251)]
    assert {each.node: each.iterations for each in told.moves} == Counter(
        each.path[1] for each in paths
    )
    assert told.new_nodes == sum(len(each.new_nodes) for each in paths)
    assert told.outcomes == Counter(
        {1.0: "X wins", 0.0: "draw", -1.0: "O wins"}[each.outcome] for each in paths
    )
    assert told.mean_outcome == np.mean([each.outcome for each in paths])
    assert (told.iterations, told.ended, told.step) == (150, 0, 1)
    assert "150 iterations from 101 to 250" in str(told)


def test_the_terms_that_decided_a_stretch_are_those_of_the_explanation() -> None:
    trace = connect_four()
    for node in nodes_of(trace)[:2]:
        told = explain(trace, trace.n_iterations, node).selections
        assert trace.totals(node=node).reasons == told.reasons
        parts = [trace.totals(first, first + 99, node) for first in (1, 101, 201, 301)]
        summed = sum((Counter(part.reasons) for part in parts), Counter())
        assert summed == Counter(told.reasons)


def test_of_very_many_selections_some_are_looked_at_and_it_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mcts_viz.analysis.origin.range_totals.MOST_WEIGHED", 100)
    told = connect_four().totals()
    assert told.step == 4
    assert 90 < sum(told.reasons.values()) <= 100
    assert "every 4th looked at" in str(told)


@pytest.mark.parametrize(
    ("node", "number", "said"),
    [
        (0, "score", "the root has no selection score"),
        (1, "luck", "choose one of: visits"),
        (99_999, "visits", "99999 is not in"),
    ],
)
def test_what_has_no_origin_is_refused_in_words(node: int, number: str, said: str) -> None:
    with pytest.raises(mv.TraceError, match=said):
        tic_tac_toe().origin(node, number)


def test_a_stretch_that_is_none_is_refused_in_words() -> None:
    with pytest.raises(mv.TraceError, match="choose a first one from 1 to 200"):
        tic_tac_toe().totals(201, 200)
