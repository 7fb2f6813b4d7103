from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.errors import PageError
from mcts_viz.trace.path_loops import LOOPS
from mcts_viz.views import visible as visible_module
from mcts_viz.views.layout import depths, layout_of, tidy_layout
from mcts_viz.views.view_nodes import principal_line, visible_of, without_closed
from mcts_viz.views.view_spec import PageView, ViewSpec
from mcts_viz.views.visible import (
    NO_ITEM,
    Visible,
    final_visits,
    visible_items,
)
from mcts_viz.web.routes.binary import unpack
from mcts_viz.web.routes.views import view_routes
from tests.js.page import Traces
from tests.views.synthetic import SyntheticTrace, trace_of_parents, uct_trace

TRACE = uct_trace(400, branching=4, max_depth=8)
#        0
#      / | \
#     1  2  3
#    /|  |
#   4 5  6
#  /|
# 7 8
SMALL = trace_of_parents(np.array([-1, 0, 0, 0, 1, 1, 2, 4, 4], np.int32))


def shown(trace: SyntheticTrace, **spec: Any) -> Visible:
    return visible_items(trace.columns.nodes.parent, final_visits(trace.columns), ViewSpec(**spec))


def nodes(visible: Visible) -> list[int]:
    found: list[int] = visible.node[: visible.n_nodes].tolist()
    return found


def stubs(visible: Visible) -> dict[int, tuple[int, int]]:
    parents = visible.node[visible.n_nodes :].tolist()
    hidden = visible.hidden_children.tolist()
    return dict(zip(parents, zip(hidden, visible.hidden_visits.tolist())))


def test_the_most_visited_nodes_are_shown_and_the_rest_is_counted() -> None:
    visible = shown(SMALL, budget=3)
    assert nodes(visible) == [
        0,
        1,
        2,
        3,
        4,
    ]  # 3 by visits are 0, 1, 4; all of the root's children come along
    assert stubs(visible) == {1: (1, 1), 2: (1, 1), 4: (2, 2)}


def test_a_whole_tree_within_the_budget_has_no_stub() -> None:
    visible = shown(SMALL, budget=9)
    assert nodes(visible) == list(range(9))
    assert stubs(visible) == {}


def test_opening_a_node_shows_all_its_children_and_its_ancestors() -> None:
    assert nodes(shown(SMALL, budget=1, opened=frozenset({4}))) == [0, 1, 2, 3, 4, 7, 8]


def test_closing_a_node_hides_its_descendants_without_a_stub() -> None:
    visible = shown(SMALL, closed=frozenset({1}))
    assert nodes(visible) == [0, 1, 2, 3, 6]
    assert stubs(visible) == {}
    assert visible.n_children.tolist() == [3, 2, 1, 0, 0]


@pytest.mark.parametrize("are_ready", [False, True], ids=["numpy", "compiled"])
def test_that_visits_are_known_to_fall_changes_no_picture(
    are_ready: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    LOOPS.load().join()
    parent, visits = TRACE.columns.nodes.parent, final_visits(TRACE.columns)
    some = {"opened": frozenset({9, 30}), "closed": frozenset({2})}
    for spec in (
        ViewSpec(budget=40, **some),
        ViewSpec(wide=300, high=200),
        ViewSpec(budget=20, focus=1, whole=frozenset({3})),
        ViewSpec(budget=30, top=2, levels=3, opened=frozenset({9})),
    ):
        monkeypatch.setattr(LOOPS, "are_ready", False)
        expected = vars(visible_items(parent, visits, spec))
        monkeypatch.setattr(LOOPS, "are_ready", are_ready)
        for name, found in vars(visible_items(parent, visits, spec, falls=True)).items():
            assert np.array_equal(found, expected[name]), name


def test_closed_wins_over_opened_below_it() -> None:
    assert nodes(shown(SMALL, opened=frozenset({4}), closed=frozenset({1}))) == [0, 1, 2, 3, 6]


def test_closing_a_node_opens_and_moves_no_other_one() -> None:
    columns, final = TRACE.columns, TRACE.at(TRACE.n_iterations)
    before = visible_of(columns, final, ViewSpec(budget=60))
    closed = nodes(before)[1]
    after = visible_of(columns, final, ViewSpec(budget=60, closed=frozenset({closed})))
    assert set(nodes(after)) < set(nodes(before))
    where = tidy_layout(before, final.visits)
    now = layout_of(after, without_closed(columns, final, after), final.visits)
    place = dict(zip(nodes(before), where.x.tolist()))
    assert now.x[: after.n_nodes].tolist() == [place[v] for v in nodes(after)]
    assert now.depth.tolist() == depths(after.parent).tolist()
    levels = [now.depth[item] for item in now.order]
    assert levels == sorted(levels)
    assert sorted(now.order.tolist()) == list(range(len(after)))


def test_the_focus_is_the_root_of_the_picture() -> None:
    visible = shown(SMALL, focus=1, budget=2)
    assert nodes(visible) == [1, 4, 5]
    assert stubs(visible) == {4: (2, 2)}
    assert visible.parent.tolist() == [NO_ITEM, 0, 0, 1]


def test_a_focus_below_a_closed_node_is_still_shown() -> None:
    assert nodes(shown(SMALL, focus=4, closed=frozenset({1}))) == [4, 7, 8]


def test_updates_of_hidden_children_count_for_the_stub_and_deeper_ones_for_nobody() -> None:
    visible = shown(SMALL, budget=1)
    assert visible.item_of_node.tolist() == [0, 1, 2, 3, 4, 4, 5, NO_ITEM, NO_ITEM]


def test_least_visits_hides_the_nodes_below_it_and_counts_them() -> None:
    visible = shown(SMALL, least=2)  # visits: 8 5 2 1 3 1 1 1 1
    assert nodes(visible) == [0, 1, 2, 4]
    assert stubs(visible) == {0: (1, 1), 1: (1, 1), 2: (1, 1), 4: (2, 2)}


def test_top_keeps_the_most_visited_children_of_each_node() -> None:
    visible = shown(SMALL, top=1)
    assert nodes(visible) == [0, 1, 4, 7]  # 7 and 8 tie: the older one
    assert stubs(visible) == {0: (2, 3), 1: (1, 1), 4: (1, 1)}


def test_levels_are_counted_from_the_focus() -> None:
    assert nodes(shown(SMALL, levels=1)) == [0, 1, 2, 3]
    assert nodes(shown(SMALL, levels=1, focus=1)) == [1, 4, 5]
    assert stubs(shown(SMALL, levels=1, focus=1)) == {4: (2, 2)}


def test_only_the_principal_variation_is_the_line_that_is_given() -> None:
    visible = visible_items(
        SMALL.columns.nodes.parent, final_visits(SMALL.columns), ViewSpec(pv=True), line=[0, 2, 6]
    )
    assert nodes(visible) == [0, 2, 6]
    assert stubs(visible) == {0: (2, 6)}


def test_the_principal_variation_goes_on_from_a_focus_beside_it() -> None:
    trace = mv.search("tic_tac_toe", iterations=300, seed=1)
    final = trace.at(300)
    beside = final.ranked_children(0)[2]
    assert principal_line(final, 0) == final.principal_path
    visible = visible_of(trace.columns, final, ViewSpec(pv=True, focus=beside))
    line = [beside]
    while following := final.ranked_children(line[-1]):
        line.append(following[0])
    assert nodes(visible) == sorted(line)


def test_what_is_opened_by_hand_is_shown_whatever_the_filter() -> None:
    visible = shown(SMALL, top=1, opened=frozenset({2}))
    assert nodes(visible) == [0, 1, 2, 4, 6, 7]


def test_a_whole_subtree_is_shown_down_to_nodes_closed_in_it() -> None:
    assert nodes(shown(SMALL, budget=1, whole=frozenset({1}))) == [0, 1, 2, 3, 4, 5, 7, 8]
    closed = shown(SMALL, budget=1, whole=frozenset({1}), closed=frozenset({4}))
    assert nodes(closed) == [0, 1, 2, 3, 4, 5]
    assert nodes(shown(SMALL, budget=1, whole=frozenset({4}))) == [0, 1, 2, 3, 4, 7, 8]


def test_a_whole_subtree_of_too_many_nodes_keeps_the_most_visited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(visible_module, "WHOLE_AT_MOST", 4)
    visible = shown(TRACE, budget=1, whole=frozenset({0}))
    visits = final_visits(TRACE.columns)
    root_children = np.flatnonzero(TRACE.columns.nodes.parent == 0)
    best = sorted(range(len(visits)), key=lambda v: (-visits[v], v))[:4]
    assert set(nodes(visible)) == {*best, *root_children[root_children > 0].tolist()}


@pytest.mark.parametrize("role", ["focus", "opened", "closed"])
def test_a_node_that_is_not_in_the_trace_is_named(role: str) -> None:
    with pytest.raises(
        PageError, match=f"{role}=9: no such node in this trace, whose nodes are 0 to 8"
    ):
        shown(SMALL, **{role: 9 if role == "focus" else frozenset({9})})


@given(
    budget=st.integers(1, 400),
    focus=st.integers(0, 60),
    opened=st.frozensets(st.integers(0, 380), max_size=4),
    closed=st.frozensets(st.integers(0, 100), max_size=4),
    whole=st.frozensets(st.integers(0, 100), max_size=2),
    least=st.sampled_from([0, 0, 2, 9]),
    top=st.sampled_from([0, 0, 1, 3]),
    levels=st.sampled_from([0, 0, 1, 4]),
    faulty=st.booleans(),
)
def test_items_are_a_tree_and_agree_with_a_plain_walk(
    budget: int, focus: int, opened: frozenset[int], closed: frozenset[int],
    whole: frozenset[int], least: int, top: int, levels: int, faulty: bool,
) -> None:  # fmt: skip
    spec = ViewSpec(budget, opened, closed, focus, whole, least, top, levels)
    visits = final_visits(TRACE.columns)
    if faulty:  # a search that visits children more often than parents
        visits = np.random.default_rng(0).permutation(visits).astype(np.int32)
    parent = TRACE.columns.nodes.parent.tolist()
    visible = visible_items(TRACE.columns.nodes.parent, visits, spec)
    assert set(nodes(visible)) == _plain_walk(parent, visits.tolist(), spec)
    inside = set(nodes(visible))
    assert all(parent[v] in inside for v in inside if v != focus)


def _plain_walk(parent: list[int], visits: list[int], spec: ViewSpec) -> set[int]:
    inside, depth = {spec.focus}, {spec.focus: 0}
    for v in range(1, len(parent)):
        if v != spec.focus and parent[v] in inside:
            inside.add(v)
            depth[v] = depth[parent[v]] + 1

    def passes(v: int) -> bool:
        siblings = [w for w in range(1, len(parent)) if parent[w] == parent[v]]
        place = sorted(siblings, key=lambda w: (-visits[w], w)).index(v)
        return (
            visits[v] >= spec.least
            and (not spec.top or place < spec.top)
            and (not spec.levels or depth[v] <= spec.levels)
        )

    key: dict[int, int] = {spec.focus: visits[spec.focus]}
    for v in sorted(inside - {spec.focus}):
        if parent[v] in key and (not spec.is_filtered or passes(v)):
            key[v] = min(visits[v], key[parent[v]])
    taken = set(sorted(key, key=lambda v: (-key[v], v))[: spec.budget])
    taken |= {v for v in key if v > 0 and parent[v] == spec.focus and v != spec.focus}

    def below(v: int, top: int) -> bool:
        while v not in (top, spec.focus):
            v = parent[v]
        return v == top

    for v in (spec.opened | spec.whole) & inside:
        if v in spec.opened:
            taken |= {w for w in inside if w > 0 and parent[w] == v and w != spec.focus}
            taken |= {w for w in inside if below(v, w)}
        if v in spec.whole:
            taken |= {w for w in inside if below(w, v) or below(v, w)}

    def is_cut(v: int) -> bool:
        while v != spec.focus:
            v = parent[v]
            if v in spec.closed:
                return True
        return False

    return {v for v in taken | {spec.focus} if not is_cut(v)}


def test_a_chain_of_10_000_nodes_needs_no_recursion() -> None:
    n = 10_001
    parent = np.arange(-1, n - 1, dtype=np.int32)
    visits = np.arange(n, 0, -1, dtype=np.int32)
    visible = visible_items(parent, visits, ViewSpec(budget=20_000, focus=5_000))
    assert visible.n_nodes == 5_001


@given(
    st.builds(
        ViewSpec,
        st.integers(1, 1_000),
        st.frozensets(st.integers(0, 99)),
        st.frozensets(st.integers(0, 99)),
        st.integers(0, 99),
        st.frozensets(st.integers(0, 99)),
        st.integers(0, 99),
        st.integers(0, 99),
        st.integers(0, 99),
        st.booleans(),
    )
)
def test_a_spec_survives_the_address(spec: ViewSpec) -> None:
    assert ViewSpec.from_query(spec.to_query()) == spec


def test_an_empty_query_is_the_default_view() -> None:
    assert ViewSpec.from_query({}) == ViewSpec()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"budget": "300000"}, "budget=300000"),
        ({"budget": "many"}, "budget='many': a whole number is expected"),
        ({"opened": "1,x"}, "opened='x'"),
        ({"focus": "-1"}, "focus='-1'"),
        ({"least": "few"}, "least='few': a whole number is expected"),
    ],
)
def test_a_query_that_makes_no_sense_is_refused_by_name(
    query: dict[str, str], message: str
) -> None:
    with pytest.raises(PageError, match=message):
        ViewSpec.from_query(query)


def test_the_looks_are_names_of_the_list() -> None:
    assert PageView.from_query({"colour": "visits", "focus": "3"}) == PageView(
        colour="visits", focus=3
    )
    for name in ("colour", "size", "show"):
        with pytest.raises(
            PageError, match=f"{name}='red': choose one of: {PageView.choices(name)[0]}"
        ):
            PageView.from_query({name: "red"})


ROOM = {"wide": 751, "high": 242}  # of a fitted tree at 1280 × 720


def test_where_the_room_decides_a_tree_has_as_many_nodes_as_can_be_read() -> None:
    trace = uct_trace(3_000, branching=5, max_depth=30)
    parent, visits = trace.columns.nodes.parent, final_visits(trace.columns)
    visible = shown(trace, **ROOM)
    assert 60 <= visible.n_nodes <= 120
    assert int(depths(visible.parent).max()) <= 242 // 44 + 1  # stubs hang one lower
    children = set(np.flatnonzero(parent == 0).tolist())
    assert children <= set(nodes(visible))
    deep = {v for v in nodes(visible) if v and v not in children}
    least = min(int(visits[v]) for v in deep)
    near = [v for v in range(len(parent)) if visits[v] > least and v not in nodes(visible)]
    assert all(depth_of(parent, v) > 242 // 44 for v in near)  # only what lies too deep is left out
    larger = shown(trace, **{name: 2 * pixels for name, pixels in ROOM.items()})
    assert set(nodes(visible)) < set(nodes(larger))
    assert shown(trace, budget=200, **ROOM).n_nodes == pytest.approx(200, abs=5)


def depth_of(parent: npt.NDArray[np.int32], node: int) -> int:
    depth = 0
    while node:
        node, depth = int(parent[node]), depth + 1
    return depth


def test_scales_are_those_of_the_trace_whatever_is_in_view() -> None:
    trace = uct_trace(2_000, branching=4)
    app = Flask(__name__)
    app.register_blueprint(view_routes(Traces({"it": trace})))
    scales = [
        unpack(app.test_client().get(f"/api/trace/it/view?{query}").data)[0]["scales"]
        for query in ("", "budget=20", "focus=1", "wide=751&high=242", "opened=5&levels=3")
    ]
    assert all(each == scales[0] for each in scales)
    assert scales[0]["visits"]["high"] == 2_000
