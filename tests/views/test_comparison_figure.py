"""The picture of two trees: what is shown where, and what the marks say."""

from __future__ import annotations

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.comparison import compare_at, match
from mcts_viz.analysis.sensitivity import gathered
from mcts_viz.errors import PageError
from mcts_viz.views.comparison_figure import BUDGET, RANKED, comparison_figure, union_layout
from mcts_viz.views.sensitivity_figure import sensitivity_figure

PAIR = [mv.search("connect_four", iterations=800, seed=1, c=c) for c in (1.4, 0.4)]
MATCHED = match(*PAIR)


Mark = tuple[float, float, float, str]


def marks(
    at_a: int, at_b: int, colour: str = "visits", selected: int | None = None
) -> dict[int, Mark]:
    """Place, colour and symbol by union id."""
    told = compare_at(MATCHED, at_a, at_b)
    figure = comparison_figure(told, union_layout(MATCHED, selected), colour, selected)
    nodes = next(trace for trace in figure.data if trace.name == "nodes")
    columns = (
        [ids[0] for ids in nodes.customdata],
        nodes.x,
        nodes.y,
        nodes.marker.color,
        nodes.marker.symbol,
    )
    return {int(v): (x, y, c, s) for v, x, y, c, s in zip(*columns)}


def test_every_node_stands_where_it_always_does() -> None:
    final = marks(800, 800)
    for at in ((0, 0), (100, 100), (300, 20), (799, 800)):
        for node, (x, y, _, _) in marks(*at).items():
            assert (x, y) == final[node][:2]
            assert y == MATCHED.tree.depth[node]


def test_only_nodes_of_the_iterations_compared_are_shown() -> None:
    told = compare_at(MATCHED, 100, 40)
    there = told.in_a | told.in_b
    shown = set(marks(100, 40))
    assert all(there[node] for node in shown)
    assert shown == {node for node in marks(800, 800) if there[node]}


def test_the_largest_differences_in_the_end_are_always_shown() -> None:
    final = compare_at(MATCHED)
    shown = marks(800, 800)
    assert set(final.by_visits[:RANKED].tolist()) <= set(shown)
    assert len(shown) <= BUDGET + 7  # the root's children are shown whatever the budget


def test_a_selected_node_is_shown_with_its_ancestors() -> None:
    hidden = next(v for v in range(len(MATCHED.tree.parent) - 1, 0, -1) if v not in marks(800, 800))
    assert set(MATCHED.tree.path(hidden)) <= set(marks(800, 800, selected=hidden))


@pytest.mark.parametrize("colour", ["visits", "mean"])
def test_colour_and_symbol_say_what_differs(colour: str) -> None:
    told = compare_at(MATCHED, 500, 400)
    differences = told.share_difference if colour == "visits" else told.mean_difference
    for node, (_, _, value, symbol) in marks(500, 400, colour).items():
        known = np.isfinite(differences[node])
        assert value == (differences[node] if known else 0)
        assert symbol.endswith("-open") == (not known)
        kind = "triangle-left" if told.only_a[node] else "triangle-right"
        both = told.in_a[node] and told.in_b[node]
        assert symbol.removesuffix("-open") == ("circle" if both else kind)


def test_a_colour_that_there_is_not_is_refused() -> None:
    with pytest.raises(PageError, match="choose one of: visits, mean"):
        comparison_figure(compare_at(MATCHED), union_layout(MATCHED), "prior")


def test_the_heat_map_counts_the_searches() -> None:
    results = {(0, 0): (3, {3: 5, 4: 1}), (0, 1): (4, {3: 2, 4: 4}), (1, 0): (3, {3: 6})}
    found = gathered("a search", 6, 1.0, [0.5, 1.0], [1, 2], {3: "d", 4: "e", 5: "f"}, results)
    (heat,) = sensitivity_figure(found).data
    assert list(heat.x) == ["0.5", "1 (as searched)"]
    assert list(heat.y) == ["d", "e"]
    assert [list(row) for row in heat.text] == [["1 of 2", "1 of 1"], ["1 of 2", ""]]
    assert np.array_equal(heat.z, [[0.5, 1.0], [0.5, 0.0]])
