"""The events of a search: those that a look at every single snapshot finds, in words that are true."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.history.events import KINDS, WORTH, events
from mcts_viz.analysis.point_of_view import player_0_value
from tests.web.recordings import record_kept

Place = tuple[str, int, int]  # kind, iteration, node


def watched(trace: mv.Trace, node: int, threshold: float) -> list[Place]:
    """What one sees who looks at every snapshot, from the first to the last."""
    found: list[Place] = []
    side, leader, before = 0, None, trace.at(0)
    deepest = int(before.depth.max())
    start = trace.at(0).ranked_children(0)
    leader = start[0] if start else None
    side = side_of(before, threshold) or 0
    if before.n_nodes > node and before.visits[node] > 0:
        found.append(("visit", 0, node))
    for t in range(1, trace.n_iterations + 1):
        tree = trace.at(t)
        ranked = tree.ranked_children(0)
        if leader is not None and ranked and ranked[0] != leader:
            found.append(("lead", t, ranked[0]))
        leader = ranked[0] if ranked else leader
        now = side_of(tree, threshold)
        if now and side and now != side:
            found.append(("value", t, 0))
        side = now or side
        new = range(before.n_nodes, tree.n_nodes)
        below = [len(tree.path(v)) - 1 for v in new]
        if below and max(below) > deepest:
            deepest = max(below)
            found.append(("depth", t, new[below.index(deepest)]))
        found += [("terminal", t, v) for v in new if not math.isnan(tree.outcome[v])]
        found += [("proven", t, v) for v in newly_proven(before, tree)]
        if (
            tree.n_nodes > node
            and tree.visits[node]
            and not (before.n_nodes > node and before.visits[node])
        ):
            found.append(("visit", t, node))
        before = tree
    return sorted(found)


def side_of(tree: mv.Snapshot, threshold: float) -> int:
    if not tree.visits[0]:
        return 0
    mean = tree.value_sum[0] / tree.visits[0]
    value = float(player_0_value(np.array([mean]), 1 - int(tree.to_move[0]), tree.meta)[0])
    return (value > threshold) - (value < threshold)


def newly_proven(before: mv.Snapshot, after: mv.Snapshot) -> list[int]:
    """Inner nodes with a proven result that they did not have before."""
    if after.proven is None or before.proven is None:
        return []
    known = np.full(after.n_nodes, np.nan)
    known[: before.n_nodes] = before.proven
    fresh = ~np.isnan(after.proven) & np.isnan(known) & np.isnan(after.outcome)
    return [int(v) for v in np.flatnonzero(fresh)]


SEARCHES = {
    "uct": lambda: mv.search("tic_tac_toe", iterations=400, seed=1),
    "all children at once": lambda: mv.search("tic_tac_toe", "tech_io", iterations=300, seed=3),
    "second player to move": lambda: mv.search("tic_tac_toe", iterations=300, seed=2, start=["a1"]),
    "wins and losses": lambda: mv.search("connect_four", "mctspy", iterations=300, seed=2),
    "solver": lambda: mv.search(
        "tic_tac_toe", "tech_io", iterations=900, seed=1, solver=True, start=["a1", "b2", "c3"]
    ),
    "kept": lambda: record_kept(),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_the_events_are_those_that_one_sees_in_the_snapshots(name: str) -> None:
    trace = SEARCHES[name]()
    low, high = trace.meta["value_range"]
    for threshold in ((low + high) / 2, low + 0.6 * (high - low)):
        for node in (1, trace.n_nodes - 1):
            told = events(trace, node, threshold, most=None)
            found = [(e.kind, e.iteration, e.node) for e in told if e.kind != "kept"]
            assert sorted(found) == watched(trace, node, threshold)
            assert told.hidden == {}
            assert sum(told.found.values()) == len(told)


def test_they_come_in_the_order_in_which_they_happened() -> None:
    told = mv.search("tic_tac_toe", "tech_io", iterations=300, seed=3).events()
    order = [(e.iteration, list(KINDS).index(e.kind)) for e in told]
    assert order == sorted(order)


def test_of_too_many_the_longest_leads_are_shown_and_the_others_counted() -> None:
    trace = mv.search("tic_tac_toe", iterations=400, seed=1)
    all_ = [e for e in trace.events(most=None) if e.kind == "lead"]
    lasted = {
        e.iteration: after - e.iteration
        for e, after in zip(all_, [*(e.iteration for e in all_[1:]), 401])
    }
    assert len(all_) > 4
    told = trace.events(most=3)
    shown = [e for e in told if e.kind == "lead"]
    assert {lasted[e.iteration] for e in shown} == set(sorted(lasted.values())[-3:])
    assert told.hidden["lead"] == len(all_) - 3


def test_of_too_many_finished_games_the_nearest_to_the_root_are_shown() -> None:
    trace = mv.search("tic_tac_toe", iterations=4_000, seed=1)
    final = trace.at(4_000)
    n = int((~np.isnan(final.outcome)).sum())
    told = trace.events()
    shown = [int(final.depth[e.node]) for e in told if e.kind == "terminal"]
    nearest = sorted(final.depth[~np.isnan(final.outcome)].tolist())[: len(shown)]
    assert sorted(shown) == nearest
    assert told.found["terminal"] == n
    assert told.hidden["terminal"] == n - len(shown) > 0


def test_a_depth_record_is_worth_a_mark_when_it_stands_for_a_while() -> None:
    trace = mv.search("connect_four", iterations=2_000, seed=2)
    all_ = [e.iteration for e in trace.events(most=None) if e.kind == "depth"]
    ends = [*all_[1:], 2_001]
    worth = [t for t, end in zip(all_, ends) if (end - t) * WORTH >= 2_000]
    told = trace.events()
    assert [e.iteration for e in told if e.kind == "depth"] == worth
    assert told.hidden["depth"] == len(all_) - len(worth) > 0


def test_the_words_say_what_is_so_after_that_iteration() -> None:
    trace = mv.search("connect_four", iterations=2_000, seed=2)
    for event in trace.events(node=5):
        tree, before = trace.at(event.iteration), trace.at(event.iteration - 1)
        if event.kind == "lead":
            new, old = tree.best_action_name, before.best_action_name
            assert event.text == f"{new} takes the lead from {old}"
        if event.kind == "depth":
            assert f"depth {len(tree.path(event.node)) - 1}, {tree.label(event.node)}" in event.text
        if event.kind == "value":
            value = tree.value_sum[0] / tree.visits[0]  # of O: the view of X is its mirror image
            assert f"{1 - value:.4f}, view of X" in event.text
        if event.kind == "visit":
            assert event.text == f"first visit of {tree.label(5)}"
    proven = [e.text for e in SEARCHES["solver"]().events() if e.kind == "proven" and not e.node]
    assert proven == ["proven: draw, root"]


def test_a_kept_tree_begins_with_a_mark() -> None:
    trace = record_kept()
    kept = trace.meta["inherited"]
    first = trace.events().shown[0]
    assert (first.kind, first.iteration, first.node) == ("kept", 0, 0)
    assert f"{kept['visits']} visits, {kept['nodes']} nodes" in first.text
    seen = next(e for e in trace.events(node=1) if e.kind == "visit")
    assert seen.iteration == 0
    assert seen.text.endswith("was before the first iteration")


def test_a_part_of_a_search_has_the_events_of_a_shorter_one() -> None:
    long = mv.search("tic_tac_toe", iterations=400, seed=1)
    short = mv.search("tic_tac_toe", iterations=150, seed=1)
    assert events(long, most=None, t=150) == events(short, most=None)


def test_a_threshold_that_no_value_reaches_is_refused() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1)
    with pytest.raises(mv.TraceError, match=r"threshold 7 .* choose one from 0 to 1"):
        trace.events(threshold=7)
    with pytest.raises(mv.TraceError, match="threshold nan"):
        trace.events(threshold=math.nan)
    with pytest.raises(mv.TraceError, match="node 999 is not in the tree"):
        trace.events(node=999)


def test_a_search_without_iterations_has_no_events() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1)
    assert len(events(trace, t=0)) == 0
