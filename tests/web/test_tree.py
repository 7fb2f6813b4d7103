"""The tree under hand: selecting, expanding, collapsing, focusing, hovering, and how many nodes to show."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.conftest import Console
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`
# what the page asks the server for with 50 nodes
FIFTY = re.compile(r"/view\?(?:.*&)?budget=50(?:&|$)")


def test_a_click_on_a_node_selects_it_and_the_panels_follow(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    snapshot = trace.at(200)
    screen.open(TIC_TAC_TOE, 200)
    node = snapshot.principal_path[2]
    screen.click_node(node)
    panel = screen.text("node-panel")
    expect(panel).to_contain_text(f"node {node:,} · depth 2")
    expect(panel.locator("h2")).to_have_text(snapshot.label(node))
    expect(panel.locator(".line")).to_have_text(
        " · ".join(snapshot.label(v) for v in snapshot.path(node)[1:])
    )
    screen.expect_facts(visits=f"{snapshot.visits[node]:,}")
    expect(panel.get_by_alt_text("position at the node")).to_be_visible()
    assert panel.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)")
    screen.wait()
    assert screen.cursor()["node"] == node


@pytest.mark.thorough
def test_a_click_on_a_row_selects_the_node_and_the_arrow_keys_go_on_stepping(
    screen: Screen,
) -> None:
    snapshot = screen.site.trace(TIC_TAC_TOE).at(200)
    screen.open(TIC_TAC_TOE, 200)
    child = snapshot.ranked_children(0)[2]
    screen.page.locator(f"#children-table [row-id='{child}'] [col-id='move']").first.click()
    expect(screen.text("node-panel").locator("h2")).to_have_text(snapshot.label(child))
    screen.wait_for_keys()
    screen.press("ArrowRight").wait(201)
    screen.tab("Siblings")
    expect(
        screen.page.locator(f"#siblings-table [row-id='{child}'].row-selected").first
    ).to_be_visible()
    screen.press("ArrowRight").wait(202)
    screen.tab("This iteration")
    screen.press("ArrowLeft").wait(201)
    assert screen.cursor()["node"] == child


@pytest.mark.thorough
def test_a_column_head_sorts_the_table(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    snapshot = screen.site.trace(CONNECT_FOUR).at(1_000)
    screen.page.get_by_role("columnheader", name="mean").click()
    ids = sorted(snapshot.children(0), key=lambda v: -snapshot.mean_value[v])
    screen.expect_table("children-table", [{"move": snapshot.label(v)} for v in ids])


@pytest.mark.thorough  # tests/js/test_canvas.py has it
def test_e_collapses_and_expands_the_selected_node(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    node = trace.at(300).principal_path[1]
    screen.open(TIC_TAC_TOE, 300, node=node)
    below = set(trace.at(300).children(node))
    assert below <= screen.items().keys()
    screen.press("e")
    screen.wait_for(f"d.cursor.view.closed.includes({node})")
    screen.wait(300)
    assert not below & screen.items().keys()
    screen.press("e")
    screen.wait_for(f"!d.cursor.view.closed.includes({node})")
    screen.wait(300)
    assert below <= screen.items().keys()


@pytest.mark.thorough
def test_a_click_on_a_handle_collapses_a_node_that_stays_where_it_was(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    node = trace.at(300).principal_path[1]
    screen.open(TIC_TAC_TOE, 300, node=node)
    screen.wait_for(f"d.items.some(i => i.node === {node} && i.position)")
    before = screen.items()[node]["position"]
    screen.page.mouse.click(before["handle"]["x"], before["handle"]["y"])
    screen.wait_for(f"d.cursor.view.closed.includes({node})")
    screen.wait()
    after = screen.items()[node]["position"]
    assert (after["x"], after["y"]) == (
        pytest.approx(before["x"], abs=1), pytest.approx(before["y"], abs=1),
    )  # fmt: skip
    assert after["handle"]["sign"] == "+"


@pytest.mark.thorough
def test_a_collapsed_subtree_takes_and_moves_nothing_else_and_comes_back(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    node = trace.at(2_000).principal_path[1]
    screen.open(CONNECT_FOUR, 2_000, budget=100, node=node)

    def places() -> dict[int, tuple[int, int] | None]:
        found = {v: item["position"] for v, item in screen.wait().items().items()}
        return {v: at and (round(at["x"]), round(at["y"])) for v, at in found.items()}

    before = places()
    screen.press("e")
    screen.wait_for(f"d.cursor.view.closed.includes({node})")
    after = places()
    assert set(after) < set(before)
    assert all(before[v] == at for v, at in after.items())
    for back in ("e", "Control+z"):
        screen.press(back)
        screen.wait_for(f"!d.cursor.view.closed.includes({node})")
        assert places() == before
        if back == "e":
            screen.press("e")
            screen.wait_for(f"d.cursor.view.closed.includes({node})")
    screen.press("Control+z", "Control+z", "Control+z")
    expect(screen.status()).to_have_text("There is nothing to undo.")


def test_what_is_collapsed_while_another_view_is_on_its_way_adds_to_it(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000)
    first, second = screen.site.trace(CONNECT_FOUR).at(2_000).children(0)[:2]
    with screen.held(r"/view\?") as view:
        screen.page.evaluate(f"() => {{ mcts.app.collapse({first}); }}")
    screen.page.evaluate(f"() => {{ mcts.app.collapse({second}); }}")
    view()
    both = "String(d.cursor.view.closed) === String(arg)"
    screen.wait_for(both, [int(first), int(second)])
    with screen.held(r"/view\?") as view:
        screen.press("Control+z")
    screen.press("Control+z")
    view()
    screen.wait_for(both, [])
    screen.wait()
    assert {first, second} <= screen.items().keys()


@pytest.mark.thorough  # tests/js/test_canvas.py has it
def test_a_click_on_a_stub_shows_the_children_that_it_stands_for(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 2_000, budget=20)
    drawn = [stub for stub in screen.stubs().values() if stub["position"]]
    stub = max(drawn, key=lambda item: item["visits"])
    node, at = stub["node"], stub["position"]
    assert stub["label"] == f"+{stub['count']} more"
    screen.page.mouse.click(at["x"], at["y"])
    screen.wait_for(f"d.cursor.view.opened.includes({node})")
    screen.wait()
    assert set(trace.at(2_000).children(node)) <= screen.items().keys()
    assert node not in screen.stubs()


@pytest.mark.thorough
def test_the_budget_is_the_number_of_nodes_shown_and_the_status_counts_the_hidden(
    screen: Screen,
) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 2_000)
    for option, shown in [("100", 100), ("1,000", 1_000)]:
        screen.choose("budget-select", option)
        screen.wait_for(f"d.cursor.view.budget === {shown} && d.items.length > {shown // 2}")
        screen.wait()
        assert len(screen.items()) == pytest.approx(shown, abs=7)  # the root's children always
        hidden = trace.n_nodes - len(screen.items())
        expect(screen.status()).to_contain_text(
            f"{len(screen.items()):,} of {trace.n_nodes:,} nodes in view · +{hidden:,} nodes hidden"
        )
        assert sum(stub["count"] for stub in screen.stubs().values()) <= hidden


@pytest.mark.thorough
def test_a_colour_chosen_while_more_nodes_are_on_their_way_stays(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000)
    screen.page.evaluate("mcts.app.setView({budget: 1000}); mcts.app.setView({colour: 'visits'})")
    screen.wait_for("d.cursor.view.budget === 1000")
    screen.wait()
    assert screen.debug()["options"]["colour"] == screen.cursor()["view"]["colour"] == "visits"
    expect(screen.text("colour-select")).to_have_value("visits")


@pytest.mark.thorough
def test_a_choice_on_its_way_is_not_taken_back_by_an_earlier_one(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 700)
    screen.page.evaluate(
        """() => {
            window.dash_clientside.set_props("budget-select", {value: "50"}); // chosen, not yet heard of,
            mcts.app.onRest(mcts.app.cursor()); // when the controls are told of something else
        }"""
    )
    screen.page.wait_for_function("() => mcts.app.cursor().view.budget === 50")
    screen.wait(700)
    assert len(screen.items()) <= 50
    expect(screen.text("budget-select")).to_have_value("50")


COUNT_LOOKS = """() => {
    const controls = mcts.treeTools.controls;
    window.looks = 0;
    mcts.treeTools.controls = (cursor) => { window.looks += 1; return controls(cursor); };
}"""


@pytest.mark.thorough
def test_a_choice_stays_in_its_box_however_long_its_picture_takes(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 700)
    held: list[Route] = []
    screen.page.route(FIFTY, lambda route: held.append(route))  # a slow server
    screen.choose("budget-select", "50")
    box = screen.text("budget-select")
    screen.page.evaluate(COUNT_LOOKS)
    for time in (1, 2, 3):
        screen.page.evaluate("mcts.app.onRest(mcts.app.cursor())")
        # looked at now and again half a second later, and not taken back
        screen.page.wait_for_function("(n) => window.looks >= n", arg=2 * time)
        expect(box).to_have_value("50", timeout=1)
    for route in held:
        route.continue_()
    screen.page.unroute(FIFTY)
    screen.wait_for("d.cursor.view.budget === 50")
    screen.wait(700)
    assert len(screen.items()) <= 50
    expect(box).to_have_value("50")


@pytest.mark.thorough
def test_a_choice_that_cannot_be_shown_is_taken_back(screen: Screen, console: Console) -> None:
    console.allow("500")
    screen.open(CONNECT_FOUR, 700)
    screen.page.route(FIFTY, lambda route: route.fulfill(status=500, body="{}"))
    screen.choose("budget-select", "50")
    screen.page.evaluate("mcts.app.onRest(mcts.app.cursor())")
    expect(screen.text("budget-select")).to_have_value("300")
    screen.page.unroute(FIFTY)


@pytest.mark.thorough
def test_a_double_click_focuses_and_the_breadcrumb_leads_back(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(2_000)
    screen.open(CONNECT_FOUR, 2_000)
    node = snapshot.principal_path[1]
    screen.click_node(node, times=2)
    screen.wait_for(f"d.cursor.view.focus === {node} && d.items[0].node === {node}")
    screen.wait()
    crumbs = screen.page.get_by_label("focused subtree").get_by_role("button")
    expect(crumbs).to_have_text(["whole tree", snapshot.label(node)])
    child = snapshot.ranked_children(node)[0]
    screen.click_node(child)
    screen.press("f")
    screen.wait_for(f"d.items[0].node === {child}")
    expect(crumbs).to_have_text(["whole tree", snapshot.label(node), snapshot.label(child)])
    crumbs.nth(1).click()
    screen.wait_for(f"d.items[0].node === {node}")
    screen.wait()
    assert screen.items()[node]["visits"] == snapshot.visits[node]
    screen.press("Escape")
    screen.wait_for("d.items[0].node === 0")
    expect(crumbs).to_have_count(0)  # nothing to lead back to


@pytest.mark.thorough  # tests/js/test_canvas.py has it
def test_the_hover_card_shows_board_and_numbers_of_the_iteration(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(1_000)
    screen.open(CONNECT_FOUR, 1_000)
    node = snapshot.principal_path[1]
    screen.hover_node(node)
    card = screen.text("hover-card")
    expect(card).to_be_visible()
    expect(card).to_contain_text(snapshot.label(node))
    expect(card).to_contain_text(f"{snapshot.visits[node]:,}")
    expect(card).to_contain_text(f"{snapshot.mean_value[node]:.4f}".replace("-", "−"))
    expect(card).to_contain_text(f"{snapshot.uct[node]:.4f}".replace("-", "−"))
    expect(card.locator("svg.mcts-board")).to_be_visible()
    screen.page.mouse.move(640, 20)
    expect(card).to_be_hidden()


@pytest.mark.thorough
def test_the_card_beside_a_resting_mouse_keeps_up_with_the_picture(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 1_000)
    node = trace.at(1_000).principal_path[1]
    screen.hover_node(node)
    card = screen.text("hover-card")
    for key, t in (("Home", 0), ("End", trace.n_iterations)):
        screen.press(key).wait(t)
        if t == 0:  # the node was not made yet
            expect(card).to_be_hidden()
        else:
            expect(card).to_contain_text(f"visits{trace.at(t).visits[node]:,}")
    screen.press("ArrowLeft").wait(trace.n_iterations - 1)
    expect(card).to_contain_text(f"visits{trace.at(trace.n_iterations - 1).visits[node]:,}")


@pytest.mark.thorough
def test_hjkl_walk_the_tree(screen: Screen) -> None:
    snapshot = screen.site.trace(TIC_TAC_TOE).at(300)
    screen.open(TIC_TAC_TOE, 300)
    screen.press("j")
    screen.wait_for("d.cursor.node !== 0")
    first = screen.cursor()["node"]
    assert snapshot.parent[first] == 0
    screen.press("l")
    screen.wait_for(f"d.cursor.node !== {first}")
    second = screen.cursor()["node"]
    assert snapshot.parent[second] == 0
    assert screen.items()[second]["position"]["x"] > screen.items()[first]["position"]["x"]
    screen.press("h")
    screen.wait_for(f"d.cursor.node === {first}")
    screen.press("k")
    screen.wait_for("d.cursor.node === 0")


@pytest.mark.thorough
def test_find_takes_an_id_or_a_line_of_moves_and_says_what_it_cannot_find(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    snapshot = trace.at(2_000)
    screen.open(CONNECT_FOUR, 2_000)
    line = snapshot.principal_path[:4]
    screen.press("/")
    field = screen.text("find-text")
    expect(field).to_be_focused()
    for text, told in [
        ("", "Type a node id"),
        ("#99999", f"Node 99999 is not in this trace, which has 0 to {trace.n_nodes - 1:,}"),
        ("column 4, sideways", "No move 'sideways' after column 4; searched there: column"),
        ("9" * 5_000, "is not in this trace"),
    ]:
        field.fill(text)
        field.press("Enter")
        expect(screen.text("find-error")).to_contain_text(told)
        expect(screen.page.locator(".find-nothing")).to_be_hidden()  # once is enough
    field.type("!")
    expect(screen.text("find-error")).to_be_empty()  # of the text before
    field.fill(", ".join(snapshot.label(v).upper() for v in line[1:]))
    field.press("Enter")
    expect(field).to_be_hidden()
    screen.wait_for(f"d.cursor.node === {line[-1]}")
    hidden = next(v for v in range(trace.n_nodes - 1, 0, -1) if v not in screen.items())
    screen.page.get_by_role("button", name="Find").click()
    field.fill(f"#{hidden}")
    screen.text("find-go").click()
    screen.wait_for(f"d.items.some(i => i.node === {hidden} && i.position)")
    expect(screen.text("node-panel")).to_contain_text(f"node {hidden:,} ·")
    # the same node again, after another one was selected
    screen.click_node(0) if 0 in screen.items() and screen.items()[0]["position"] else None
    screen.page.evaluate("mcts.app.select(0)")
    screen.wait_for("d.cursor.node === 0")
    screen.page.get_by_role("button", name="Find").click()
    screen.text("find-go").click()
    screen.wait_for(f"d.cursor.node === {hidden}")
