from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_viz.errors import PageError
from mcts_viz.views.visible import NO_ITEM, ViewSpec, Visible, final_visits, visible_items
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
    return visible_items(trace.columns, final_visits(trace.columns), ViewSpec(**spec))


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


def test_closed_wins_over_opened_below_it() -> None:
    assert nodes(shown(SMALL, opened=frozenset({4}), closed=frozenset({1}))) == [0, 1, 2, 3, 6]


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


@pytest.mark.parametrize("role", ["focus", "opened", "closed"])
def test_a_node_that_is_not_in_the_trace_is_named(role: str) -> None:
    with pytest.raises(
        PageError, match=f"{role}=9: no such node in this trace, whose nodes are 0 to 8"
    ):
        shown(SMALL, **{role: 9 if role == "focus" else frozenset({9})})


@settings(max_examples=60, deadline=None)
@given(
    budget=st.integers(1, 400),
    focus=st.integers(0, 60),
    opened=st.frozensets(st.integers(0, 380), max_size=4),
    closed=st.frozensets(st.integers(0, 100), max_size=4),
    faulty=st.booleans(),
)
def test_items_are_a_tree_and_agree_with_a_plain_walk(
    budget: int, focus: int, opened: frozenset[int], closed: frozenset[int], faulty: bool
) -> None:
    spec = ViewSpec(budget, opened, closed, focus)
    visits = final_visits(TRACE.columns)
    if faulty:  # a search that visits children more often than parents
        visits = np.random.default_rng(0).permutation(visits).astype(np.int32)
    parent = TRACE.columns.parent.tolist()
    visible = visible_items(TRACE.columns, visits, spec)
    assert set(nodes(visible)) == _plain_walk(parent, visits.tolist(), spec)
    inside = set(nodes(visible))
    assert all(parent[v] in inside for v in inside if v != focus)


def _plain_walk(parent: list[int], visits: list[int], spec: ViewSpec) -> set[int]:
    key: dict[int, int] = {spec.focus: visits[spec.focus]}
    for v in range(len(parent)):
        if v != spec.focus and v > 0 and parent[v] in key and parent[v] not in spec.closed:
            key[v] = min(visits[v], key[parent[v]])
    taken = set(sorted(key, key=lambda v: (-key[v], v))[: spec.budget])
    for v in spec.opened | {spec.focus}:
        if v in key and v not in spec.closed:
            taken |= {
                child for child in key if child > 0 and parent[child] == v and child != spec.focus
            }
            while v != spec.focus:
                taken.add(v)
                v = parent[v]
    return taken | {spec.focus}


def test_a_chain_of_10_000_nodes_needs_no_recursion() -> None:
    n = 10_001
    parent = np.arange(-1, n - 1, dtype=np.int32)
    trace = trace_of_parents(np.array([-1, 0, 1], np.int32))
    visits = np.arange(n, 0, -1, dtype=np.int32)
    columns = trace.columns.__class__(**{**vars(trace.columns), "parent": parent})
    visible = visible_items(columns, visits, ViewSpec(budget=20_000, focus=5_000))
    assert visible.n_nodes == 5_001


@given(
    st.builds(
        ViewSpec,
        st.integers(1, 1_000),
        st.frozensets(st.integers(0, 99)),
        st.frozensets(st.integers(0, 99)),
        st.integers(0, 99),
    )
)
def test_a_spec_survives_the_address(spec: ViewSpec) -> None:
    assert ViewSpec.from_query(spec.to_query()) == spec


def test_an_empty_query_is_the_default_view() -> None:
    assert ViewSpec.from_query({}) == ViewSpec()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"budget": "0"}, "budget=0"),
        ({"budget": "many"}, "budget='many': a whole number is expected"),
        ({"opened": "1,x"}, "opened='x'"),
        ({"focus": "-1"}, "focus='-1'"),
    ],
)
def test_a_query_that_makes_no_sense_is_refused_by_name(
    query: dict[str, str], message: str
) -> None:
    with pytest.raises(PageError, match=message):
        ViewSpec.from_query(query)
