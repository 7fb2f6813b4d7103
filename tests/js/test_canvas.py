from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser import value_of
from tests.conftest import Console
from tests.js.conftest import TRACES, open_trace, wait_for_iteration

UCT = TRACES["uct"]


def debug(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = value_of(page, "mcts.app.debug()")
    return found


def item_of(page: Page, node: int, stub: bool = False) -> dict[str, Any]:
    return next(i for i in debug(page)["items"] if i["node"] == node and i["stub"] == stub)


def assert_equals_snapshot(page: Page, t: int) -> None:
    shown, snapshot = debug(page), UCT.at(t)
    assert shown["t"] == t
    nodes = [item for item in shown["items"] if not item["stub"]]
    assert nodes
    for item in nodes:
        assert item["visits"] == snapshot.visits[item["node"]]
        assert item["value_sum"] == snapshot.value_sum[item["node"]]
    if t:
        assert shown["leaf"] == UCT.columns.leaf[t - 1]
        way = snapshot.path(shown["leaf"])
        assert shown["path"][: len(set(way) & {i["node"] for i in nodes})] == [
            v for v in way if v in {i["node"] for i in nodes}
        ]
    visits = snapshot.visits[np.flatnonzero(snapshot.parent == 0)]
    if visits.size and visits.max() > 0:
        assert snapshot.visits[shown["chosen"]] == visits.max()


def test_every_number_on_the_canvas_equals_the_snapshot(canvas: Page) -> None:
    for t in (0, 1, 7, 1_023, 1_024, 1_025, 2_999, 3_000):
        open_trace(canvas, "uct", t)
        assert_equals_snapshot(canvas, t)
        expect(canvas.locator("#iteration-readout")).to_have_text(f"{t:,} / 3,000")


@pytest.mark.thorough
def test_steps_across_windows_and_back_arrive_at_the_same_numbers(canvas: Page) -> None:
    open_trace(canvas, "uct", 1_020)
    for key, t in [
        ("ArrowRight", 1_021), ("Shift+ArrowRight", 1_031), ("Control+ArrowRight", 1_131),
        ("Shift+ArrowLeft", 1_121), ("Control+ArrowLeft", 1_021), ("ArrowLeft", 1_020),
        ("End", 3_000), ("ArrowRight", 3_000), ("Home", 0), ("ArrowLeft", 0),
    ]:  # fmt: skip
        canvas.keyboard.press(key)
        wait_for_iteration(canvas, t)
        assert_equals_snapshot(canvas, t)


def test_nothing_moves_while_stepping(tree: Page) -> None:
    before = {i["item"]: i["position"] for i in debug(tree)["items"] if not i["stub"]}
    for _ in range(3):
        tree.keyboard.press("Control+ArrowRight")
    wait_for_iteration(tree, 1_800)
    for item in debug(tree)["items"]:
        if item["item"] in before and before[item["item"]] and item["position"]:
            assert item["position"]["x"] == before[item["item"]]["x"]
            assert item["position"]["y"] == before[item["item"]]["y"]


def test_no_request_is_made_inside_a_window(tree: Page) -> None:
    asked: list[str] = []
    tree.on("request", lambda request: asked.append(request.url))
    tree.evaluate("for (let i = 0; i < 200; i++) mcts.app.step(1)")
    wait_for_iteration(tree, 1_700)
    assert [url for url in asked if "/window" in url and "from=1024" in url] == []


@pytest.mark.thorough
def test_of_many_far_seeks_the_last_one_wins_with_few_requests(canvas: Page) -> None:
    open_trace(canvas, "uct", 0)
    asked: list[str] = []
    canvas.on("request", lambda request: asked.append(request.url))
    canvas.evaluate("for (const t of [3000, 1100, 2900, 1500, 2100, 2222]) mcts.app.seek(t)")
    wait_for_iteration(canvas, 2_222)
    assert_equals_snapshot(canvas, 2_222)
    assert len([url for url in asked if "/window" in url]) <= 4


def test_playing_moves_on_by_itself_and_stops_at_the_end(canvas: Page) -> None:
    open_trace(canvas, "uct", 2_900)
    canvas.evaluate("mcts.app.setSpeed(2000)")
    canvas.keyboard.press("Space")
    wait_for_iteration(canvas, 3_000)
    canvas.wait_for_function("() => !mcts.app.debug().playing")
    assert canvas.locator("#play-button").get_attribute("data-playing") == "false"


@pytest.mark.thorough
def test_a_step_while_playing_stops_playing(canvas: Page) -> None:
    open_trace(canvas, "uct", 10)
    canvas.keyboard.press("Space")
    canvas.wait_for_function("() => mcts.app.debug().t > 10")
    canvas.keyboard.press("ArrowLeft")
    assert debug(canvas)["playing"] is False


@pytest.mark.thorough
def test_the_slider_scrubs_and_is_named(tree: Page) -> None:
    slider = tree.get_by_role("slider", name="iteration")
    slider.fill("2345")
    wait_for_iteration(tree, 2_345)
    assert_equals_snapshot(tree, 2_345)
    slider.press("ArrowRight")
    wait_for_iteration(tree, 2_346)


def test_a_click_selects_and_the_cursor_comes_to_rest_in_the_store_and_the_address(
    tree: Page,
) -> None:
    node = next(i["node"] for i in debug(tree)["items"] if i["label"] == "b" and not i["stub"])
    at = item_of(tree, node)["position"]
    tree.mouse.click(at["x"], at["y"])
    tree.wait_for_function(f"() => mcts.app.cursor().node === {node}")
    tree.wait_for_function(
        f"() => published.some(([id, p]) => id === 'cursor' && p.data.node === {node})"
    )
    tree.wait_for_function(f"() => location.search.includes('node={node}')")
    again = tree.evaluate("mcts.app.fromAddress()")
    assert (again["trace"], again["iteration"], again["node"]) == ("uct", 1_500, node)


@pytest.mark.thorough
def test_panels_hear_of_a_run_of_steps_once(tree: Page) -> None:
    tree.wait_for_function("() => !mcts.app.debug().loading")
    tree.evaluate("published.length = 0; for (let i = 0; i < 50; i++) mcts.app.step(1)")
    tree.wait_for_function("() => published.length > 0 && !mcts.app.debug().loading")
    assert tree.evaluate("published.map(([id, p]) => [id, p.data.iteration])") == [
        ["cursor", 1_550]
    ]


@pytest.mark.thorough
def test_a_stub_opens_and_its_node_stays_where_it_was(tree: Page) -> None:
    stub = next(i for i in debug(tree)["items"] if i["stub"])
    node, before = stub["node"], item_of(tree, stub["node"])["position"]
    tree.evaluate(f"mcts.app.expand({node})")
    tree.wait_for_function(
        f"() => mcts.app.cursor().view.opened.includes({node}) && !mcts.app.debug().waiting"
    )
    shown = {i["node"] for i in debug(tree)["items"] if not i["stub"]}
    snapshot = UCT.at(1_500)
    assert set(np.flatnonzero(snapshot.parent == node).tolist()) <= shown
    after = item_of(tree, node)["position"]
    assert (after["x"], after["y"]) == (
        pytest.approx(before["x"], abs=0.6),
        pytest.approx(before["y"], abs=0.6),
    )
    assert_equals_snapshot(tree, 1_500)


@pytest.mark.thorough
def test_e_collapses_and_expands_the_selected_node(tree: Page) -> None:
    tree.evaluate("mcts.app.select(1)")
    tree.keyboard.press("e")
    tree.wait_for_function("() => mcts.app.cursor().view.closed.includes(1)")
    assert not any(
        UCT.columns.nodes.parent[i["node"]] == 1 for i in debug(tree)["items"] if not i["stub"]
    )
    tree.keyboard.press("e")
    tree.wait_for_function("() => !mcts.app.cursor().view.closed.includes(1)")
    assert any(
        UCT.columns.nodes.parent[i["node"]] == 1 for i in debug(tree)["items"] if not i["stub"]
    )


@pytest.mark.thorough
def test_a_double_click_makes_a_node_the_root_of_the_picture_and_escape_goes_back(
    tree: Page,
) -> None:
    at = item_of(tree, 2)["position"]
    tree.mouse.dblclick(at["x"], at["y"])
    tree.wait_for_function("() => mcts.app.cursor().view.focus === 2")
    assert debug(tree)["items"][0]["node"] == 2
    assert_equals_snapshot_nodes(tree, 1_500)
    tree.keyboard.press("Escape")
    tree.wait_for_function(
        "() => mcts.app.cursor().view.focus === 0 && mcts.app.debug().items[0].node === 0"
    )


def assert_equals_snapshot_nodes(page: Page, t: int) -> None:
    snapshot = UCT.at(t)
    for item in debug(page)["items"]:
        if not item["stub"]:
            assert item["visits"] == snapshot.visits[item["node"]]


@pytest.mark.thorough
def test_selecting_a_hidden_node_brings_it_into_view(tree: Page) -> None:
    shown = {i["node"] for i in debug(tree)["items"]}
    hidden = next(v for v in range(1_400, 0, -1) if v not in shown)
    tree.evaluate(f"mcts.app.select({hidden})")
    tree.wait_for_function(
        f"() => mcts.app.debug().items.some(i => i.node === {hidden} && i.position)"
    )
    at = item_of(tree, hidden)["position"]
    assert 0 < at["x"] < 860
    assert 0 < at["y"] < 610


def test_wheel_zooms_and_a_drag_pans_and_both_survive_a_step(tree: Page) -> None:
    before = item_of(tree, 0)["position"]
    tree.mouse.move(400, 300)
    tree.mouse.down()
    tree.mouse.move(460, 330, steps=5)
    tree.mouse.up()
    tree.wait_for_function(f"() => mcts.app.debug().items[0].position.x > {before['x'] + 50}")
    moved = item_of(tree, 0)["position"]
    assert moved["x"] == pytest.approx(before["x"] + 60, abs=2)
    assert moved["y"] == pytest.approx(before["y"] + 30, abs=2)
    tree.evaluate(
        "document.querySelector('.js-plotly-plot').once('plotly_relayout', () => { window.zoomed = true; }) && 0"
    )
    tree.mouse.wheel(0, -200)
    tree.wait_for_function(
        "() => window.zoomed"
    )  # Plotly redraws some time after the last turn of the wheel
    tree.wait_for_function(
        f"() => Math.abs(mcts.app.debug().items[0].position.x - {moved['x']}) > 1"
    )
    zoomed = item_of(tree, 0)["position"]
    tree.keyboard.press("ArrowRight")
    wait_for_iteration(tree, 1_501)
    assert item_of(tree, 0)["position"] == zoomed


def test_what_is_drawn_is_found_under_the_mouse(tree: Page) -> None:
    found = tree.evaluate(
        """() => mcts.app.debug().items.filter(i => i.position && !i.stub && i.position.radius > 5).map(i => {
            const box = document.querySelector(".mcts-tree-canvas").getBoundingClientRect();
            document.querySelector(".js-plotly-plot").dispatchEvent(new MouseEvent("mousemove",
              {clientX: i.position.x, clientY: i.position.y, bubbles: true}));
            return [i.node, Number(document.getElementById("hover-card").dataset.node)];
        })"""
    )
    assert len(found) > 10
    assert all(node == hovered for node, hovered in found)


def test_the_hover_card_shows_numbers_and_board_and_takes_text_as_text(canvas: Page) -> None:
    open_trace(canvas, "uct", 1_500)
    at = item_of(canvas, 1)["position"]
    canvas.mouse.move(at["x"], at["y"])
    card = canvas.locator("#hover-card")
    expect(card).to_contain_text(f"{UCT.at(1_500).visits[1]:,}")
    expect(card.locator("svg")).to_be_visible()
    open_trace(canvas, "foreign", 20)
    at = item_of(canvas, 1)["position"]
    canvas.mouse.move(at["x"] + 1, at["y"])
    expect(card.locator("pre")).to_have_text("<b>state of 1</b>")
    canvas.mouse.move(5, 5)
    expect(card).to_be_hidden()


def test_colours_show_the_snapshots_numbers(tree: Page) -> None:
    snapshot = UCT.at(1_500)
    for colour, expected in {
        "visits": snapshot.visits,
        "mean_value": snapshot.mean_value,
        "uct": snapshot.uct,
        "exploration": snapshot.exploration_term,
    }.items():
        tree.evaluate(f"mcts.app.setView({{colour: {colour!r}}})")
        for item in debug(tree)["items"]:
            if not item["stub"] and item["node"]:
                assert item["measure"] == pytest.approx(float(expected[item["node"]]), rel=1e-12)
        expect(tree.locator(".mcts-legend-title")).not_to_be_empty()


@pytest.mark.thorough
def test_keys_are_left_alone_while_somebody_types(tree: Page) -> None:
    tree.locator("#text").focus()
    tree.keyboard.press("ArrowRight")
    tree.keyboard.press("Space")
    assert debug(tree)["t"] == 1_500
    assert debug(tree)["playing"] is False


def test_an_unknown_trace_is_said_and_not_thrown(canvas: Page, console: Console) -> None:
    console.allow("404")
    canvas.evaluate("mcts.app.openTrace('nowhere')")
    expect(canvas.locator("#status-line")).to_have_text("there is no trace 'nowhere'")


@pytest.mark.thorough
def test_a_failing_seek_is_said_and_the_picture_stays(tree: Page, console: Console) -> None:
    console.allow("500|Failed to load")
    tree.route("**/window?**", lambda route: route.fulfill(status=500, body="{}"))
    tree.evaluate("mcts.app.seek(10)")
    expect(tree.locator("#status-line")).to_contain_text("500")
    assert debug(tree)["t"] == 1_500


def test_the_status_line_counts_what_is_hidden(tree: Page) -> None:
    expect(tree.locator("#status-line")).to_contain_text("nodes hidden")


@pytest.mark.thorough
def test_dark_and_light_repaint_everything(tree: Page) -> None:
    tree.evaluate("mcts.app.setTheme('dark')")
    assert (
        tree.evaluate("document.querySelector('.js-plotly-plot')._fullLayout.plot_bgcolor")
        == "#1a1c20"
    )
    tree.evaluate("mcts.app.setTheme('light')")
    assert (
        tree.evaluate("document.querySelector('.js-plotly-plot')._fullLayout.plot_bgcolor")
        == "#ffffff"
    )


def test_no_button_of_the_graph_sends_anything_anywhere(tree: Page) -> None:
    tree.wait_for_selector(".modebar-btn", state="attached")
    titles = tree.locator(".modebar-btn").evaluate_all("all => all.map(each => each.dataset.title)")
    assert sorted(titles) == ["Pan", "Zoom", "Zoom in", "Zoom out"]
