"""The icicle on the page: its widths, and what it shares with the tree."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from mcts_viz.analysis.iteration.phases import PHASES
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


def wait_for_icicle(screen: Screen, iteration: int) -> dict[str, Any]:
    screen.wait_for("d.icicle && d.icicle.t === arg && d.icicle.boxes.length > 0", iteration)
    found: dict[str, Any] = screen.debug()["icicle"]
    return found


def box_of(icicle: dict[str, Any], node: int) -> dict[str, Any]:
    return next(box for box in icicle["boxes"] if box["node"] == node and not box["stub"])


def test_every_width_is_the_visits_at_the_iteration_shown(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 1_000, show="icicle")
    for t in (1_000, 1_001, 1_030, 1_000):
        screen.page.evaluate("t => mcts.app.seek(t)", t)
        icicle = wait_for_icicle(screen, t)
        snapshot = trace.at(t)
        whole = box_of(icicle, 0)
        pixel = whole["width"] / snapshot.visits[0]
        drawn = [box for box in icicle["boxes"] if not box["stub"]]
        assert {box["node"] for box in drawn} == {
            v for v in range(len(snapshot)) if snapshot.visits[v] * pixel >= 1
        }
        for box in drawn:
            assert box["visits"] == snapshot.visits[box["node"]]
            assert box["width"] == pytest.approx(box["visits"] * pixel)
        assert icicle["drawn"] == len(drawn)
        assert icicle["narrow"] == len(snapshot) - len(drawn)
    expect(screen.status()).to_contain_text(
        f"{icicle['drawn']:,} nodes drawn, {icicle['narrow']:,} narrower than a pixel"
    )


@pytest.mark.thorough
def test_colours_are_those_of_the_tree(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, show="both")
    for colour in ("mean_value", "visits", "uct", "last_visit", "player"):
        screen.page.evaluate("colour => mcts.app.setView({colour})", colour)
        icicle = wait_for_icicle(screen, 1_000)
        nodes = screen.items()
        shared = [box for box in icicle["boxes"] if not box["stub"] and box["node"] in nodes]
        assert len(shared) > 20
        for box in shared:
            assert box["colour"] == nodes[box["node"]]["colour"], (colour, box["node"])


@pytest.mark.thorough
def test_a_click_selects_in_both_and_shows_a_hidden_node_in_the_tree(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(2_000)
    screen.open(CONNECT_FOUR, 2_000, show="both", budget=20)
    icicle = wait_for_icicle(screen, 2_000)
    hidden = next(
        box for box in icicle["boxes"]
        if not box["stub"] and box["node"] not in screen.items() and box["width"] > 6
    )  # fmt: skip
    screen.page.mouse.click(hidden["x"] + hidden["width"] / 2, hidden["y"])
    node = hidden["node"]
    screen.wait_for(
        f"d.cursor.node === {node} && d.items.some((i) => i.node === {node} && i.position)"
    )
    screen.wait_for("d.icicle.selected === arg", node)
    expect(screen.text("node-panel").locator("h2")).to_have_text(snapshot.label(node))
    other = snapshot.ranked_children(0)[1]
    screen.click_node(other)
    screen.wait_for("d.icicle.selected === arg", other)


@pytest.mark.thorough
def test_the_wheel_zooms_a_drag_moves_and_0_shows_all(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000, show="icicle", budget=20)
    node = screen.site.trace(CONNECT_FOUR).at(2_000).ranked_children(0)[0]
    icicle = wait_for_icicle(screen, 2_000)
    before, drawn = box_of(icicle, node), icicle["drawn"]
    mouse, (x, y) = screen.page.mouse, (before["x"] + before["width"] / 2, before["y"])
    mouse.move(x, y)
    screen.page.keyboard.down("Control")
    mouse.wheel(0, -600)
    screen.page.keyboard.up("Control")
    screen.wait_for("d.icicle.zoom.times > 2 && d.icicle.drawn > arg", drawn)
    wide = box_of(wait_for_icicle(screen, 2_000), node)
    assert wide["x"] + wide["width"] / 2 == pytest.approx(x, abs=2)
    mouse.down()
    mouse.move(x - 60, y, steps=4)
    mouse.up()
    screen.wait_for("d.icicle.t === 2000")
    moved = box_of(wait_for_icicle(screen, 2_000), node)
    assert moved["x"] == pytest.approx(wide["x"] - 60, abs=3)
    assert screen.cursor()["node"] != node  # a drag is no click
    screen.press("0")
    screen.wait_for("d.icicle.zoom.times === 1")
    assert box_of(wait_for_icicle(screen, 2_000), node)["width"] == pytest.approx(before["width"])


@pytest.mark.thorough
def test_the_hover_card_is_the_trees(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(1_000)
    screen.open(CONNECT_FOUR, 1_000, show="icicle")
    node = snapshot.ranked_children(0)[0]
    box = box_of(wait_for_icicle(screen, 1_000), node)
    screen.page.mouse.move(box["x"] + box["width"] / 2, box["y"])
    card = screen.text("hover-card")
    expect(card).to_be_visible()
    expect(card).to_contain_text(f"{snapshot.visits[node]:,}")
    expect(card).to_contain_text(f"{snapshot.mean_value[node]:.4f}".replace("-", "−"))
    expect(card).to_contain_text(f"{snapshot.uct[node]:.4f}".replace("-", "−"))
    expect(card.locator("svg.mcts-board")).to_be_visible()
    screen.press("ArrowLeft", "ArrowLeft")  # the mouse rests: the card keeps up
    wait_for_icicle(screen, 998)
    before = screen.site.trace(CONNECT_FOUR).at(998)
    expect(card).to_contain_text(f"visits{before.visits[node]:,}")
    expect(card).to_contain_text(f"selection score{before.uct[node]:.4f}")
    screen.page.mouse.move(640, 20)
    expect(card).to_be_hidden()


@pytest.mark.thorough
def test_a_double_click_focuses_and_the_bar_above_leads_back(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    snapshot = trace.at(2_000)
    screen.open(CONNECT_FOUR, 2_000, show="icicle")
    node = snapshot.ranked_children(0)[0]
    box = box_of(wait_for_icicle(screen, 2_000), node)
    screen.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"])
    screen.wait_for("d.cursor.view.focus === arg && d.icicle?.boxes.some((b) => b.ancestor)", node)
    screen.wait()
    icicle = wait_for_icicle(screen, 2_000)
    focused = box_of(icicle, node)
    below = [v for v in range(len(snapshot)) if node in snapshot.path(v)]
    assert icicle["drawn"] + icicle["narrow"] == len(below)
    child = snapshot.ranked_children(node)[0]
    share = snapshot.visits[child] / snapshot.visits[node]
    assert box_of(icicle, child)["width"] == pytest.approx(focused["width"] * share)
    above = next(box for box in icicle["boxes"] if box["ancestor"])
    screen.page.mouse.click(above["x"] + 40, above["y"])
    screen.wait_for("d.cursor.view.focus === 0")


@pytest.mark.thorough
def test_tree_icicle_and_both_are_chosen_and_stand_in_the_address(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    assert screen.debug()["icicle"] is None
    tree = screen.page.locator(".mcts-tree-canvas")
    whole = tree.bounding_box()
    assert whole is not None
    control = screen.page.get_by_role("radiogroup", name="view")
    control.get_by_text("both").click()
    wait_for_icicle(screen, 1_000)
    screen.wait_for(
        "document.querySelector('.mcts-tree-canvas').clientHeight < arg", whole["height"] * 0.7
    )
    icicle = screen.page.locator(".mcts-icicle-canvas").bounding_box()
    half = tree.bounding_box()
    assert icicle is not None
    assert half is not None
    assert icicle["y"] >= half["y"] + half["height"] - 1
    screen.wait()
    assert "show=both" in screen.page.url
    screen.page.reload()
    wait_for_icicle(screen, 1_000)
    screen.wait_for_keys()
    screen.press("ArrowRight")
    wait_for_icicle(screen, 1_001)
    control.get_by_text("tree", exact=True).click()
    screen.wait_for("d.icicle === null")
    expect(screen.text("icicle")).to_be_hidden()


@pytest.mark.thorough
@pytest.mark.own_page
def test_the_edge_between_tree_and_icicle_moves_and_stays_so(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, show="both")
    wait_for_icicle(screen, 1_000)
    edge = screen.page.get_by_role("separator", name="Height of the icicle")
    before = height_of(screen, ".icicle"), height_of(screen, ".mcts-tree-canvas")
    box = edge.bounding_box()
    assert box is not None
    screen.page.mouse.move(box["x"] + 100, box["y"])
    screen.page.mouse.down()
    screen.page.mouse.move(box["x"] + 100, box["y"] - 60, steps=3)
    screen.page.mouse.up()
    screen.wait_for("document.querySelector('.icicle').clientHeight > arg", before[0] + 50)
    screen.wait_for(
        "document.querySelector('.mcts-tree-canvas').clientHeight < arg", before[1] - 50
    )
    dragged = height_of(screen, ".icicle")
    screen.page.reload()
    wait_for_icicle(screen, 1_000)
    assert height_of(screen, ".icicle") == pytest.approx(dragged, abs=2)
    edge.press("Home")
    screen.wait_for("document.querySelector('.icicle').clientHeight < arg", before[0] + 5)


def height_of(screen: Screen, part: str) -> float:
    box = screen.page.locator(part).bounding_box()
    assert box is not None
    return float(box["height"])


@pytest.mark.thorough
@pytest.mark.parametrize("phase", few(PHASES))
@pytest.mark.parametrize("t", few([1_025, 1_000]))  # the first of a window, and one in the middle
def test_in_phases_it_has_the_numbers_of_the_tree(screen: Screen, t: int, phase: str) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, t, show="both")
    wait_for_icicle(screen, t)
    while screen.debug()["phase"] != phase:
        screen.press("ArrowDown")
    screen.wait(t)
    screen.wait_for("d.icicle.phase === arg && d.icicle.t === d.t", phase)
    snapshot = trace.at(t if phase == "backpropagate" else t - 1)
    shown, nodes = screen.debug(), screen.items()
    icicle = shown["icicle"]
    drawn = [box for box in icicle["boxes"] if not box["stub"]]
    pixel = box_of(icicle, 0)["width"] / snapshot.visits[0]
    for box in drawn:
        assert box["visits"] == snapshot.visits[box["node"]]
        assert box["width"] == pytest.approx(box["visits"] * pixel)
        if box["node"] in nodes:
            assert box["colour"] == nodes[box["node"]]["colour"]
    n_nodes = len(trace.at(t - 1 if phase == "select" else t))
    assert icicle["drawn"] + icicle["narrow"] == n_nodes
    expect(screen.status()).to_contain_text(f"of {n_nodes:,} nodes in view")


@pytest.mark.thorough
def test_the_hover_card_in_a_phase_has_the_numbers_before_the_iteration(screen: Screen) -> None:
    t = 1_000
    trace = screen.site.trace(CONNECT_FOUR)
    node = trace.iteration(t).path[1]
    before = trace.at(t - 1)
    assert before.visits[node] == trace.at(t).visits[node] - 1
    screen.open(CONNECT_FOUR, t, show="icicle", phase="select")
    box = box_of(wait_for_icicle(screen, t), node)
    screen.page.mouse.move(box["x"] + box["width"] / 2, box["y"])
    expect(screen.text("hover-card")).to_contain_text(f"visits{before.visits[node]:,}")
    expect(screen.text("hover-card")).to_contain_text(f"{before.mean_value[node]:.4f}")
