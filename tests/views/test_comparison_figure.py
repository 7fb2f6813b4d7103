"""The picture of two trees: what is shown where, and what the marks say."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.choice.sensitivity import gathered
from mcts_viz.analysis.comparison.trees import Matched, compare_at, match
from mcts_viz.errors import PageError
from mcts_viz.views.comparison_figure import (
    BESIDE,
    BUDGET,
    DIFFERENCES,
    RANKED,
    comparison_figure,
    union_layout,
)
from mcts_viz.views.comparison_halves import COLOURS, half_disc
from mcts_viz.views.sensitivity_figure import sensitivity_figure


@cache
def matched() -> Matched:
    return match(*(mv.search("connect_four", iterations=800, seed=1, c=c) for c in (1.4, 0.4)))


Mark = tuple[float, float, float, str]


def marks(
    at_a: int, at_b: int, colour: str = "visits_difference", selected: int | None = None
) -> dict[int, Mark]:
    """Place, colour and symbol by union id."""
    told = compare_at(matched(), at_a, at_b)
    figure = comparison_figure(told, union_layout(matched(), selected), colour, selected)
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
            assert y == matched().tree.depth[node]


def test_only_nodes_of_the_iterations_compared_are_shown() -> None:
    told = compare_at(matched(), 100, 40)
    there = told.in_a | told.in_b
    shown = set(marks(100, 40))
    assert all(there[node] for node in shown)
    assert shown == {node for node in marks(800, 800) if there[node]}


def test_the_largest_differences_in_the_end_are_always_shown() -> None:
    final = compare_at(matched())
    shown = marks(800, 800)
    assert set(final.by_visits[:RANKED].tolist()) <= set(shown)
    assert len(shown) <= BUDGET + 7  # the root's children are shown whatever the budget


def test_a_selected_node_is_shown_with_its_ancestors() -> None:
    hidden = next(
        v for v in range(len(matched().tree.parent) - 1, 0, -1) if v not in marks(800, 800)
    )
    assert set(matched().tree.path(hidden)) <= set(marks(800, 800, selected=hidden))


@pytest.mark.parametrize("colour", DIFFERENCES)
def test_colour_and_symbol_say_what_differs(colour: str) -> None:
    told = compare_at(matched(), 500, 400)
    by_visits = colour == "visits_difference"
    differences = told.share_difference if by_visits else told.mean_difference
    for node, (_, _, value, symbol) in marks(500, 400, colour).items():
        known = np.isfinite(differences[node])
        assert value == (differences[node] if known else 0)
        assert symbol.endswith("-open") == (not known)
        kind = "triangle-left" if told.only_a[node] else "triangle-right"
        both = told.in_a[node] and told.in_b[node]
        assert symbol.removesuffix("-open") == ("circle" if both else kind)


@pytest.mark.parametrize("colour", BESIDE)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_node_is_two_halves_with_the_numbers_of_each_tree(colour: str, theme: str) -> None:
    told = compare_at(matched(), 500, 100)
    figure = comparison_figure(told, union_layout(matched()), colour, theme=theme)
    halves = {shape.name: shape for shape in figure.layout.shapes}
    places = marks(500, 100)
    shares, there = (told.share_a, told.share_b), (told.in_a, told.in_b)
    wanted = {f"{'AB'[side]} {v}" for v in places for side in (0, 1) if there[side][v]}
    assert set(halves) == wanted
    assert any(told.only_a[v] for v in places)
    own = COLOURS[theme][0], COLOURS[theme][2]
    for name, shape in halves.items():
        side, v = "AB".index(name[0]), int(name[2:])
        assert (shape.xanchor, shape.yanchor) == places[v][:2]
        assert shape.line.color == own[side]
        radius = (7 + 32 * math.sqrt(shares[side][v])) / 2
        assert shape.path == half_disc(radius, (-1, 1)[side])
        if colour == "visits":
            assert shape.fillcolor == own[side]


def test_the_moves_that_would_be_played_have_a_star_where_the_name_has_no_room() -> None:
    told = compare_at(matched())
    figure = comparison_figure(told, union_layout(matched()))
    (nodes,) = (trace for trace in figure.data if trace.name == "nodes")
    labels = {ids[0]: text for ids, text in zip(nodes.customdata, nodes.text)}
    for side, choice in zip("AB", told.choices):
        assert f"★{side}" in labels[choice].split()


def test_halves_are_coloured_by_the_mean_in_the_view_of_one_player() -> None:
    told = compare_at(matched(), 500, 400)
    figure = comparison_figure(told, union_layout(matched()), "mean")
    (scale,) = (trace for trace in figure.data if trace.name == "scale")
    low, high = scale.marker.cmin, scale.marker.cmax
    assert (low + high) / 2 == 0.5
    stops = [colour for _, colour in scale.marker.colorscale]
    assert "view of X" in scale.marker.colorbar.title.text
    seen = set()
    for shape in figure.layout.shapes:
        side, v = "AB".index(shape.name[0]), int(shape.name[2:])
        mean = (told.mean_a, told.mean_b)[side][v]
        of_x = mean if told.depth[v] % 2 else 1 - mean  # X moves first, so into odd depths
        if not np.isfinite(of_x):
            assert shape.fillcolor == "#ffffff"
        elif of_x <= low or of_x >= high:
            assert shape.fillcolor == stops[0 if of_x <= low else -1]
            seen.add(of_x <= low)
    assert seen == {False, True}


def test_a_colour_that_there_is_not_is_refused() -> None:
    with pytest.raises(PageError, match="choose one of: visits, mean, visits_difference"):
        comparison_figure(compare_at(matched()), union_layout(matched()), "prior")


def test_the_heat_map_counts_the_searches() -> None:
    results = {(0, 0): (3, {3: 5, 4: 1}), (0, 1): (4, {3: 2, 4: 4}), (1, 0): (3, {3: 6})}
    found = gathered("a search", 6, 1.0, [0.5, 1.0], [1, 2], {3: "d", 4: "e", 5: "f"}, results)
    (heat,) = sensitivity_figure(found).data
    assert list(heat.x) == ["0.5", "1 (as searched)"]
    assert list(heat.y) == ["d", "e"]
    assert [list(row) for row in heat.text] == [["1 of 2", "1 of 1"], ["1 of 2", ""]]
    assert np.array_equal(heat.z, [[0.5, 1.0], [0.5, 0.0]])


def test_the_last_move_of_the_root_has_its_label() -> None:
    searches = [mv.search("tic_tac_toe", iterations=n, seed=3, start=(4, 0, 8)) for n in (20, 200)]
    both = match(*searches)
    figure = comparison_figure(compare_at(both, 20, 200), union_layout(both, None), BESIDE[0], None)
    nodes = next(trace for trace in figure.data if trace.name == "nodes")
    moves = [text for text, depth in zip(nodes.text, nodes.y) if depth == 1]
    assert len(moves) == 6
    assert all(moves)


def test_moves_of_the_root_have_their_labels_without_the_words_that_all_share() -> None:
    told = compare_at(matched())
    figure = comparison_figure(told, union_layout(matched()))
    (nodes,) = (trace for trace in figure.data if trace.name == "nodes")
    moves = [text.split()[0] for text, depth in zip(nodes.text, nodes.y) if depth == 1]
    assert len(moves) == 7
    assert {"1", "2", "3"} & set(moves)
    assert all(text in "1234567" or text == "column" for text in moves)
