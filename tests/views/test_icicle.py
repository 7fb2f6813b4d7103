"""The icicle: no node that is a pixel wide is missing, and every width is the snapshot's visits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.errors import PageError
from mcts_viz.views.icicle import Icicle, icicle
from mcts_viz.views.layout import depths
from mcts_viz.views.visible import final_visits

TRACE = mv.search("connect_four", iterations=600, seed=3)
WIDE = mv.search("tic_tac_toe", "tech_io", iterations=400, seed=3)
FINAL = {id(trace): final_visits(trace.columns) for trace in (TRACE, WIDE)}

CASES = {
    "trace": st.sampled_from([TRACE, WIDE]),
    "first": st.integers(0, 300),
    "n": st.integers(0, 100),
    "focus": st.sampled_from([0, 0, 1, 3, 40]),
    "width": st.sampled_from([1, 20, 200, 4_000]),
}


def made(trace: mv.Trace, first: int, n: int, focus: int, width: int) -> Icicle:
    return icicle(trace.columns, trace.at(first), first + n, FINAL[id(trace)], focus, width)


def state_at(found: Icicle, step: int) -> tuple[list[int], list[float]]:
    """Visits and value sums of the items so many iterations after the first one."""
    window = found.window
    visits, value = window.base_visits.copy(), window.base_value_sum.copy()
    end = window.update_offset[step]
    np.add.at(visits, window.update_item[:end], window.update_visits[:end])
    np.add.at(value, window.update_item[:end], window.update_value[:end])
    return visits.tolist(), value.tolist()


@given(**CASES, data=st.data())
def test_widths_are_the_snapshots_visits_and_no_node_of_a_pixel_is_missing(
    trace: mv.Trace, first: int, n: int, focus: int, width: int, data: st.DataObject
) -> None:
    found = made(trace, first, n, focus, width)
    step = data.draw(st.integers(0, n))
    snapshot = trace.at(first + step)
    visits, value = state_at(found, step)
    shown = found.visible.node[: found.visible.n_nodes].tolist()
    for item, node in enumerate(shown):
        exists = node < len(snapshot)
        assert visits[item] == (snapshot.visits[node] if exists else 0)
        assert value[item] == (snapshot.value_sum[node] if exists else 0)
    whole = int(snapshot.visits[focus]) if focus < len(snapshot) else 0
    below = [v for v in range(len(snapshot)) if focus in snapshot.path(v)]
    wide = {v for v in below if whole and snapshot.visits[v] * width >= whole}
    assert wide <= set(shown)
    assert found.n_below[step] == len(below)


@given(**CASES)
def test_a_stub_holds_the_visits_of_the_children_left_out(
    trace: mv.Trace, first: int, n: int, focus: int, width: int
) -> None:
    found = made(trace, first, n, focus, width)
    visible = found.visible
    shown = set(visible.node[: visible.n_nodes].tolist())
    end = trace.at(first + n)
    visits = state_at(found, n)[0]
    for stub in range(visible.n_nodes, len(visible)):
        left_out = [v for v in end.children(int(visible.node[stub])) if v not in shown]
        assert visits[stub] == sum(int(end.visits[v]) for v in left_out)
        assert visible.hidden_children[stub - visible.n_nodes] == len(left_out)


def test_siblings_stand_as_in_the_tree_by_final_visits_the_stub_last() -> None:
    found = made(TRACE, 100, 50, 0, 60)
    order, parent = found.order.tolist(), found.visible.parent.tolist()
    depth = depths(found.visible.parent)
    assert [depth[item] for item in order] == sorted(depth.tolist())
    final = TRACE.at(600)
    for above in range(found.visible.n_nodes):
        family = [item for item in order if parent[item] == above]
        stubs = [item >= found.visible.n_nodes for item in family]
        assert stubs == sorted(stubs)
        weight = [final.visits[found.visible.node[i]] for i, s in zip(family, stubs) if not s]
        assert weight == sorted(weight, reverse=True)


def test_the_last_visit_before_the_run_is_told() -> None:
    assert made(TRACE, 200, 10, 0, 500).window.base_last_visit is None
    final = FINAL[id(TRACE)]
    found = icicle(TRACE.columns, TRACE.at(200), 210, final, 0, 500, lasts=True)
    last = {node: t for t in range(1, 201) for node in TRACE.iteration(t).path}
    for item, node in enumerate(found.visible.node[: found.visible.n_nodes].tolist()):
        assert found.window.base_last_visit is not None
        assert found.window.base_last_visit[item] == last.get(node, 0)


@pytest.mark.parametrize(
    ("focus", "width", "told"),
    [
        (9_999, 100, "focus=9999: no such node in this trace"),
        (0, 0, "width=0: choose a number of pixels from 1 to 8,192"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(focus: int, width: int, told: str) -> None:
    with pytest.raises(PageError, match=told):
        made(TRACE, 0, 10, focus, width)
