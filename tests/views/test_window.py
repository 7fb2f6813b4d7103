from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcts_viz.errors import PageError
from mcts_viz.trace.sums import Sums
from mcts_viz.views import tally
from mcts_viz.views.hidden_ends import Known, hidden_ends
from mcts_viz.views.timeline import RootReplay
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import final_visits, visible_items
from mcts_viz.views.window import Recent, VisibleReplay, last_visits
from tests.views.synthetic import META, trace_of_parents, uct_trace

UCT = uct_trace(300, branching=4, max_depth=6)
UNEVEN = trace_of_parents(
    np.concatenate([[-1], np.random.default_rng(3).integers(0, np.arange(1, 200))]).astype(np.int32)
)
TRACES = [UCT, UNEVEN]


def replay_of(trace: int, spec: ViewSpec) -> VisibleReplay:
    columns = TRACES[trace].columns
    visible = visible_items(columns.nodes.parent, final_visits(columns), spec)
    return VisibleReplay(columns, visible, len(columns.leaf))


SPECS = st.builds(
    ViewSpec,
    st.integers(1, 250),
    st.frozensets(st.integers(0, 150), max_size=3),
    st.frozensets(st.integers(0, 50), max_size=2),
    st.integers(0, 6),
)


@given(trace=st.integers(0, 1), spec=SPECS, every=st.integers(1, 400), data=st.data())
def test_every_visible_node_equals_the_snapshot_to_the_last_bit(
    trace: int, spec: ViewSpec, every: int, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "KEYFRAME_EVERY", every)
        replay = replay_of(trace, spec)
    t = data.draw(st.integers(0, replay.n_iterations))
    snapshot = TRACES[trace].at(t)
    visible = replay.visible
    base, count = replay.base(t), replay.count(t)
    for item, node in enumerate(visible.node[: visible.n_nodes].tolist()):
        exists = node < len(snapshot)
        assert count[item] == exists
        assert base.visits[item] == (snapshot.visits[node] if exists else 0)
        assert base.value_sum[item] == (snapshot.value_sum[node] if exists else 0)


@given(trace=st.integers(0, 1), spec=SPECS, every=st.integers(1, 400), data=st.data())
def test_the_last_visit_is_the_iteration_that_updated_an_item_last(
    trace: int, spec: ViewSpec, every: int, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "KEYFRAME_EVERY", every)
        replay = replay_of(trace, spec)
    t = data.draw(st.integers(0, replay.n_iterations))
    columns = TRACES[trace].columns
    last = np.zeros(len(replay.visible), np.int32)
    for iteration in range(1, t + 1):
        begin, end = columns.updates.offset[[iteration - 1, iteration]]
        items = replay.visible.item_of_node[columns.updates.node[begin:end]]
        last[items[items >= 0]] = iteration
    assert replay.window(t, t).base_last_visit.tolist() == last.tolist()
    visible = replay.visible
    of_nodes = last_visits(columns, t)[visible.node[: visible.n_nodes]]
    assert of_nodes.tolist() == last[: visible.n_nodes].tolist()


@given(trace=st.integers(0, 1), spec=SPECS, data=st.data())
def test_a_stub_adds_up_the_children_it_stands_for(
    trace: int, spec: ViewSpec, data: st.DataObject
) -> None:
    replay = replay_of(trace, spec)
    t = data.draw(st.integers(0, replay.n_iterations))
    snapshot, visible = TRACES[trace].at(t), replay.visible
    for item in range(visible.n_nodes, len(visible)):
        hidden = [
            v for v in np.flatnonzero(visible.item_of_node == item).tolist() if v < len(snapshot)
        ]
        assert replay.count(t)[item] == len(hidden)
        assert replay.base(t).visits[item] == snapshot.visits[hidden].sum()
        assert replay.base(t).value_sum[item] == pytest.approx(snapshot.value_sum[hidden].sum())


@given(trace=st.integers(0, 1), spec=SPECS, data=st.data())
def test_a_window_played_forward_arrives_at_every_later_base(
    trace: int, spec: ViewSpec, data: st.DataObject
) -> None:
    replay = replay_of(trace, spec)
    first = data.draw(st.integers(0, replay.n_iterations))
    last = data.draw(st.integers(first, replay.n_iterations))
    window = replay.window(first, last)
    visits, value_sum, count = (
        window.base_visits.copy(),
        window.base_value_sum.copy(),
        window.base_count.copy(),
    )
    for i, t in enumerate(range(first + 1, last + 1)):
        for u in range(window.update_offset[i], window.update_offset[i + 1]):
            visits[window.update_item[u]] += window.update_visits[u]
            value_sum[window.update_item[u]] += window.update_value[u]
        for u in range(window.new_offset[i], window.new_offset[i + 1]):
            count[window.new_item[u]] += 1
        assert (visits == replay.base(t).visits).all()
        assert (count == replay.count(t)).all()
        assert (
            value_sum[: replay.visible.n_nodes]
            == replay.base(t).value_sum[: replay.visible.n_nodes]
        ).all()


@given(trace=st.integers(0, 1), spec=SPECS, data=st.data())
def test_the_path_is_the_visible_part_of_the_way_to_the_leaf(
    trace: int, spec: ViewSpec, data: st.DataObject
) -> None:
    replay = replay_of(trace, spec)
    t = data.draw(st.integers(1, replay.n_iterations))
    columns, item_of_node = TRACES[trace].columns, replay.visible.item_of_node
    way = TRACES[trace].at(t).path(int(columns.leaf[t - 1]))
    expected = [int(item_of_node[v]) for v in way if item_of_node[v] >= 0]
    assert replay.path(t) == expected
    window = replay.window(t - 1, t)
    assert window.leaf_depth.tolist() == [len(way) - 1]
    assert window.leaf_item.tolist() == [expected[-1] if expected else -1]


@given(trace=st.integers(0, 1), spec=SPECS, data=st.data())
def test_windows_from_a_recent_snapshot_on_equal_those_from_the_beginning(
    trace: int, spec: ViewSpec, data: st.DataObject
) -> None:
    told: Any = TRACES[trace]
    whole = replay_of(trace, spec)
    n = whole.n_iterations
    start = data.draw(st.integers(0, n))
    recent = Recent(told).advance(data.draw(st.integers(0, start))).advance(start)
    replay = VisibleReplay(told.columns, whole.visible, n, recent=recent)
    for t in (start, data.draw(st.integers(start, n)), data.draw(st.integers(0, n))):
        expected, found = whole.window(t, n), replay.window(t, n)
        for name, column in vars(expected).items():
            value = vars(found)[name]
            if name == "base_value_sum":  # of a stub: added up in another order
                np.testing.assert_allclose(value, column)
                n_nodes = whole.visible.n_nodes
                assert value[:n_nodes].tolist() == column[:n_nodes].tolist()
            else:
                np.testing.assert_array_equal(value, column, err_msg=name)


def test_a_picture_that_ends_before_the_recent_state_is_made_from_the_beginning() -> None:
    told: Any = TRACES[0]
    whole = replay_of(0, ViewSpec())
    n = whole.n_iterations
    recent = Recent(told).advance(n)
    assert recent.advance(n - 9).iteration == n  # it only goes on
    replay = VisibleReplay(told.columns, whole.visible, n - 5, recent=recent)
    found, expected = replay.window(n - 8, n - 5), whole.window(n - 8, n - 5)
    for name, column in vars(expected).items():
        np.testing.assert_array_equal(vars(found)[name], column, err_msg=name)


@given(trace=st.integers(0, 1), data=st.data())
def test_root_moves_that_grow_equal_those_of_the_whole_search(
    trace: int, data: st.DataObject
) -> None:
    columns: Any = TRACES[trace].columns
    n = len(columns.leaf)
    lengths = sorted(data.draw(st.lists(st.integers(0, n), min_size=1, max_size=5)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "MOST_KEYFRAMES", data.draw(st.integers(1, 40)))
        grown = None
        for length in lengths:
            grown = RootReplay(columns, META, length, grown)
        assert grown is not None
        fresh = RootReplay(columns, META, lengths[-1])
        assert grown.children.tolist() == fresh.children.tolist()
        for found, expected in zip(grown.timeline(), fresh.timeline()):
            np.testing.assert_array_equal(found, expected)
        every = fresh.timeline().iteration
        assert every[0] == 0
        assert every[-1] == lengths[-1]
        first = data.draw(st.integers(0, lengths[-1]))
        leaders = fresh.leaders(first, lengths[-1]).tolist()
        assert grown.leaders(first, lengths[-1]).tolist() == leaders


@pytest.mark.parametrize(("first", "last"), [(-1, 3), (5, 4), (0, 301)])
def test_a_window_outside_the_trace_is_refused(first: int, last: int) -> None:
    with pytest.raises(PageError, match="this trace has 0 to 300"):
        replay_of(0, ViewSpec()).window(first, last)


@given(trace=st.integers(0, 1), spec=SPECS, known=st.integers(0, 199), data=st.data())
def test_what_of_a_path_no_item_shows_comes_with_its_numbers_at_the_iteration(
    trace: int, spec: ViewSpec, known: int, data: st.DataObject
) -> None:
    replay = replay_of(trace, spec)
    visible, columns = replay.visible, TRACES[trace].columns
    known = min(known, replay.n_iterations)
    first = data.draw(st.integers(known, replay.n_iterations))
    last = data.draw(st.integers(first, min(first + 40, replay.n_iterations)))
    before = TRACES[trace].at(known)
    at_hand = Known(known, lambda nodes: Sums(before.visits[nodes], before.value_sum[nodes]))
    ends = hidden_ends(columns, visible, at_hand, first, last)
    shown = set(visible.node[: visible.n_nodes].tolist())
    for t in range(first + 1, last + 1):
        path = [int(columns.leaf[t - 1])]
        while path[-1]:
            path.append(int(columns.nodes.parent[path[-1]]))
        in_view = shown & set(path)
        hidden = path[: next(i for i, v in enumerate(path) if v in shown)] if in_view else []
        rows = slice(ends.offset[t - 1 - first], ends.offset[t - first])
        assert ends.node[rows].tolist() == hidden[::-1]
        for at, visits, values in (
            (t, ends.visits, ends.value_sum), (t - 1, ends.visits_before, ends.value_sum_before),
        ):  # fmt: skip
            snapshot = TRACES[trace].at(at)
            for node, n, value in zip(hidden[::-1], visits[rows], values[rows]):
                exists = node < len(snapshot)
                assert n == (snapshot.visits[node] if exists else 0)
                assert value == pytest.approx(snapshot.value_sum[node] if exists else 0)
