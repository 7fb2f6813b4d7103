"""One choice of whose view values are in, which all numbers, colours and sentences of the page follow."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz.analysis.node.facts import child_rows, node_facts
from mcts_viz.analysis.origin.origin import origin
from mcts_viz.analysis.point_of_view import Viewpoint, mover_into
from mcts_viz.views.measures import mean_in_view
from mcts_viz.views.view_spec import VIEWPOINTS
from tests.web.recordings import TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True
MOVER, X, O = [*VIEWPOINTS.values()][:3]  # noqa: E741  # a player's name


@pytest.fixture(scope="module")
def tree(recordings: object) -> mv.Snapshot:
    return mv.open(f"{recordings}/{TIC_TAC_TOE}.mcts").at(200)


def test_a_value_is_mirrored_where_another_player_moved(tree: mv.Snapshot) -> None:
    child = tree.children(0)[0]
    grandchild = tree.children(child)[0]
    assert (mover_into(tree, child), mover_into(tree, grandchild)) == (0, 1)
    mean = tree.mean_value
    assert [view.mean(tree, child) for view in (MOVER, X, O)] == pytest.approx(
        [mean[child], mean[child], 1 - mean[child]]
    )
    assert [view.mean(tree, grandchild) for view in (MOVER, X, O)] == pytest.approx(
        [mean[grandchild], 1 - mean[grandchild], mean[grandchild]]
    )
    # nobody moved into the root: there it is the player to move
    assert [view.of(tree, 0) for view in (MOVER, X, O)] == [0, 0, 1]
    assert MOVER.mean(tree, 0) == pytest.approx(1 - mean[0])


@pytest.mark.parametrize("view", [MOVER, X, O])
def test_all_numbers_of_a_node_are_in_one_view(tree: mv.Snapshot, view: Viewpoint) -> None:
    seen = mean_in_view(tree, view)
    for node in (0, *tree.children(0)[:3], *tree.children(tree.children(0)[0])[:3]):
        facts = node_facts(tree, node, view)
        assert facts.mean_value == pytest.approx(seen[node])
        assert facts.value_sum == pytest.approx(seen[node] * facts.visits)
        for row in child_rows(tree, node, viewpoint=view):
            assert row.mean_value == pytest.approx(seen[row.node])


def test_what_made_a_number_is_in_its_view(recordings: object) -> None:
    trace = mv.open(f"{recordings}/{TIC_TAC_TOE}.mcts")
    node = trace.at(200).children(0)[0]
    for number in ("value_sum", "mean_value"):
        recorded, found = origin(trace, node, number, 200), origin(trace, node, number, 200, O)
        assert found.total == pytest.approx(
            {"value_sum": O.value_sum, "mean_value": O.mean}[number](trace.at(200), node)
        )
        for own, other in zip(recorded, found):
            assert other.value == pytest.approx(own.visits - own.value)
        assert found.curve(50)[1][-1] == pytest.approx(found.total)


@pytest.mark.thorough
def test_the_whole_page_follows_the_choice(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 200)
    tree = screen.site.trace(TIC_TAC_TOE).at(200)
    child = int(np.argmax(tree.visits * (tree.parent == 0)))
    legend, timeline = (
        screen.page.locator(".mcts-legend"),
        screen.page.locator(".mcts-timeline-view"),
    )
    expect(legend).to_contain_text("view of the mover")
    expect(timeline).to_contain_text("view of X")
    expect(screen.text("node-panel")).to_contain_text("values in the view of X, who is to move")
    colours = {node: item["colour"] for node, item in screen.items().items()}
    screen.choose("viewpoint-select", "O")
    screen.page.wait_for_url("**viewpoint=second**")
    expect(legend).to_contain_text("mean value, view of O")
    expect(timeline).to_contain_text("view of O")
    expect(screen.text("node-panel")).to_contain_text("values in the view of O")
    screen.expect_facts(mean_value=f"{tree.mean_value[0]:.4f}")
    cell = screen.page.locator(f"#children-table [row-id='{child}'] [col-id='mean_value']")
    expect(cell).to_have_text(f"{1 - tree.mean_value[child]:.4f}")
    expect(screen.text("children-note")).to_contain_text(
        "Means in the view of O. Scores in the view of X"
    )
    assert screen.items()[child]["colour"] != colours[child]
    screen.hover_node(child)
    card = screen.text("hover-card")
    expect(card).to_contain_text("view of O")
    expect(card).to_contain_text(f"{1 - tree.mean_value[child]:.4f}")
    screen.choose("viewpoint-select", "mover")
    screen.page.wait_for_function("() => !location.search.includes('viewpoint')")


@pytest.mark.thorough
def test_an_address_keeps_the_choice_and_one_player_has_none(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 200, viewpoint="third")  # there is none
    expect(screen.text("viewpoint-select")).to_have_value("mover")
    screen.open(TIC_TAC_TOE, 200, viewpoint="first")
    expect(screen.text("viewpoint-select")).to_have_value("X")
    expect(screen.page.locator(".mcts-legend")).to_contain_text("mean value, view of X")
