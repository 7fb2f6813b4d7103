from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from mcts_viz.views.layout import Layout, depths, euler_tour, tidy_layout
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import Visible, final_visits, visible_items
from tests.views.synthetic import SyntheticTrace, trace_of_parents, uct_trace


def laid_out(trace: SyntheticTrace, **spec: Any) -> tuple[Visible, Layout]:
    visits = final_visits(trace.columns)
    visible = visible_items(trace.columns.nodes.parent, visits, ViewSpec(**spec))
    return visible, tidy_layout(visible, visits)


CASES = {
    "uct": lambda: laid_out(uct_trace(1_500), budget=200),
    "wide": lambda: laid_out(trace_of_parents(np.array([-1] + [0] * 100, np.int32))),
    "chain": lambda: laid_out(trace_of_parents(np.arange(-1, 1_200, dtype=np.int32)), budget=5_000),
    "root alone": lambda: laid_out(trace_of_parents(np.array([-1], np.int32))),
}


@pytest.mark.parametrize("case", CASES)
def test_every_item_is_one_level_below_its_parent_and_within_its_strip(case: str) -> None:
    visible, layout = CASES[case]()
    below = np.flatnonzero(visible.parent >= 0)
    above = visible.parent[below]
    assert (layout.depth[below] == layout.depth[above] + 1).all()
    assert (layout.width[above] + 1e-9 >= layout.width[below]).all()
    assert np.isfinite(layout.x).all()
    assert layout.x.min() >= 0


@pytest.mark.parametrize("case", CASES)
def test_items_of_a_level_never_overlap(case: str) -> None:
    _, layout = CASES[case]()
    for begin, end in zip(layout.level_start[:-1], layout.level_start[1:]):
        x = layout.x[layout.order[begin:end]]
        assert (np.diff(x) > 0.3).all()


@pytest.mark.parametrize("case", CASES)
def test_a_parent_stands_over_the_middle_of_its_children(case: str) -> None:
    visible, layout = CASES[case]()
    for item in range(len(visible)):
        children = np.flatnonzero(visible.parent == item)
        if len(children):
            x = layout.x[children]
            assert layout.x[item] == pytest.approx((x.min() + x.max()) / 2)


def test_siblings_stand_by_falling_visits_with_the_stub_last() -> None:
    trace = uct_trace(1_500)
    visible, layout = laid_out(trace, budget=100)
    visits = final_visits(trace.columns)
    for item in range(visible.n_nodes):
        children = np.flatnonzero(visible.parent == item)
        children = children[np.argsort(layout.x[children])]
        nodes = [c for c in children.tolist() if c < visible.n_nodes]
        assert children.tolist()[: len(nodes)] == nodes
        counts = visits[visible.node[nodes]].tolist()
        assert counts == sorted(counts, reverse=True)


def test_edges_do_not_cross() -> None:
    visible, layout = laid_out(uct_trace(1_500), budget=200)
    for begin, end in zip(layout.level_start[1:-1], layout.level_start[2:]):
        parents = visible.parent[layout.order[begin:end]]
        assert (np.diff(layout.x[parents]) >= 0).all()


def test_the_tour_runs_along_every_edge_twice_and_only_along_edges() -> None:
    visible, layout = laid_out(uct_trace(800), budget=120)
    tour = euler_tour(visible.parent, layout).tolist()
    steps = list(pairwise(tour))
    edges = {(int(p), c) for c, p in enumerate(visible.parent.tolist()) if p >= 0}
    assert set(steps) == edges | {(c, p) for p, c in edges}
    assert len(steps) == 2 * len(edges)


def test_depths_of_a_chain() -> None:
    assert depths(np.arange(-1, 5_000, dtype=np.int32)).tolist() == list(range(5_001))
