"""Which nodes are shown: the filter's menu, whole subtrees, and what the page says of the hidden ones."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from mcts_viz.views.view_nodes import visible_of
from mcts_viz.views.view_spec import ViewSpec
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


def shown_nodes(screen: Screen, name: str, **spec: int | bool) -> set[int]:
    trace = screen.site.trace(name)
    final = trace.at(trace.n_iterations)
    visible = visible_of(trace.columns, final, ViewSpec(**spec))  # type: ignore[arg-type]
    return set(visible.node[: visible.n_nodes].tolist())


def expect_nodes(screen: Screen, nodes: set[int]) -> None:
    screen.wait_for(
        "JSON.stringify(d.items.filter((i) => !i.stub).map((i) => i.node).sort((a, b) => a - b))"
        " === JSON.stringify(arg)",
        sorted(nodes),
    )


def test_the_filters_menu_hides_nodes_and_the_cross_shows_them_again(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000)
    everything = set(screen.items())
    screen.page.get_by_role("button", name="filter", exact=True).click()
    screen.page.get_by_label("Least visits").fill("20")
    expect_nodes(screen, shown_nodes(screen, CONNECT_FOUR, least=20))
    screen.page.get_by_label("Children of a node, at most").fill("2")
    expect_nodes(screen, shown_nodes(screen, CONNECT_FOUR, least=20, top=2))
    screen.page.keyboard.press("Escape")
    button = screen.text("filter-button")
    expect(button).to_contain_text("filter: at least 20 visits")
    expect(screen.status()).to_contain_text("filter: at least 20 visits, 2 most visited children")
    screen.wait()
    trace = screen.site.trace(CONNECT_FOUR)
    final = trace.at(2_000)
    for node, stub in screen.stubs().items():
        hidden = [v for v in final.children(node) if v not in screen.items()]
        assert stub["count"] == len(hidden)
        assert stub["visits"] == sum(int(final.visits[v]) for v in hidden)
    address = screen.page.url
    assert "least=20" in address
    assert "top=2" in address
    screen.page.get_by_role("button", name="Clear the filter").click()
    expect_nodes(screen, everything)
    expect(button).to_have_text("filter")
    expect(screen.page.get_by_role("button", name="Clear the filter")).to_be_hidden()
    button.click()
    least = screen.page.get_by_label("Least visits")
    expect(least).to_have_value("")
    button.click()
    expect(least).to_be_hidden()


def test_a_menu_that_the_mouse_leaves_keeps_no_keys(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 900)
    screen.page.locator("#filter-button").click()
    menu = screen.page.get_by_label("Least visits")
    expect(menu).to_be_visible()
    screen.page.get_by_role("tab", name="Siblings").click()
    expect(menu).to_be_hidden()
    # what the menu does as it closes, where its button had the focus as it opened: a race of two timers
    screen.page.evaluate("document.getElementById('filter-button').focus()")
    screen.wait_for_keys()


@pytest.mark.thorough
def test_a_filters_address_reopens_it_with_its_menu_filled_in(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000, levels=2, top=3)
    expect_nodes(screen, shown_nodes(screen, CONNECT_FOUR, levels=2, top=3))
    screen.page.get_by_role("button", name="filter").first.click()
    expect(screen.page.get_by_label("Levels, at most")).to_have_value("2")
    expect(screen.page.get_by_label("Children of a node, at most")).to_have_value("3")
    expect(screen.page.get_by_label("Least visits")).to_have_value("")


@pytest.mark.thorough
def test_only_the_principal_variation_and_a_click_on_a_stub_shows_the_rest(screen: Screen) -> None:
    final = screen.site.trace(CONNECT_FOUR).at(2_000)
    screen.open(CONNECT_FOUR, 2_000, pv=1)
    expect_nodes(screen, set(final.principal_path))
    at = screen.stubs()[0]["position"]
    screen.page.mouse.click(at["x"], at["y"])
    expect_nodes(screen, set(final.principal_path) | set(final.children(0)))
    screen.wait()
    screen.press("Escape")
    screen.wait_for("d.cursor.view.pv === 0 && d.items.length > 100")


@pytest.mark.thorough
def test_shift_e_shows_a_whole_subtree_and_collapses_it_level_by_level(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    final = trace.at(300)
    node = final.ranked_children(0)[0]
    below = {v for v in range(len(final)) if node in final.path(v)}
    screen.open(TIC_TAC_TOE, 300, node=node, budget=20)
    assert not below <= screen.items().keys()
    screen.press("Shift+E")
    screen.wait_for(f"d.cursor.view.whole.includes({node})")
    screen.wait()
    assert below <= screen.items().keys()
    screen.press("Shift+E")
    screen.wait_for(f"d.cursor.view.closed.includes({node})")
    screen.wait()
    assert below & screen.items().keys() == {node}
    screen.press("e")
    screen.wait_for(f"!d.cursor.view.closed.includes({node})")
    screen.wait()
    assert below & screen.items().keys() == {node, *final.children(node)}
    screen.page.get_by_role("button", name="Expand or collapse the whole subtree").click()
    screen.wait_for(f"d.cursor.view.whole.includes({node})")
    screen.wait()
    assert below <= screen.items().keys()


@pytest.mark.thorough
def test_every_colour_has_a_legend_that_says_what_it_shows(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 1_200)
    legend = screen.page.get_by_label("Legend of the tree")
    for mode, told in [
        ("mean_value", "mean value, view of the mover"),
        ("visits", "visits (logarithmic)"),
        ("uct", "selection score, view of the player who chooses"),
        ("exploration", "exploration term"),
        ("player", "player who moved into the node"),
    ]:
        screen.page.evaluate("(colour) => mcts.app.setView({colour})", mode)
        expect(legend).to_contain_text(f"colour: {told}")
    screen.choose("colour-select", "last visit")
    expect(legend).to_contain_text("colour: last visit (logarithmic)")
    screen.wait()
    for node, item in screen.items().items():
        visited = [
            t for t in range(1_200, 0, -1)
            if node in trace.columns.updates.node[slice(*trace.columns.updates.offset[[t - 1, t]])]
        ][:1]  # fmt: skip
        assert item["measure"] == (1_200 - visited[0] + 1 if visited else None)
        if node > 60:
            break
    # no trace without priors offers them
    assert not np.isfinite(trace.columns.nodes.prior).any()
    screen.text("colour-select").click()
    expect(screen.page.get_by_role("option", name="prior")).to_have_count(0)


@pytest.mark.thorough
def test_the_way_to_a_node_is_copied_and_found_again(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(2_000)
    node = snapshot.principal_path[3]
    screen.open(CONNECT_FOUR, 2_000, node=node)
    screen.page.evaluate(
        "Object.defineProperty(navigator, 'clipboard',"
        " {value: {writeText: async (text) => { window.copied = text; }}})"
    )
    screen.press("c")
    told = ", ".join(snapshot.label(v) for v in snapshot.path(node)[1:])
    expect(screen.status()).to_have_text(f"Copied: {told}")
    screen.page.evaluate("window.copied = ''")
    screen.page.get_by_role("button", name="Copy the moves that lead here").click()
    screen.page.wait_for_function("text => window.copied === text", arg=told)
    screen.page.evaluate("mcts.app.select(0)")
    screen.press("/")
    screen.text("find-text").fill(told)
    first = screen.page.locator(".find-reading").first
    expect(first).to_contain_text(f"node {node:,} · {snapshot.visits[node]:,} visits")
    first.click()
    screen.wait_for(f"d.cursor.node === {node}")


@pytest.mark.thorough
def test_find_offers_the_moves_that_could_follow(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(2_000)
    ranked = sorted(snapshot.children(0), key=lambda v: -snapshot.visits[v])
    screen.open(CONNECT_FOUR, 2_000)
    screen.press("/")
    following = screen.page.locator(".find-next")
    expect(following).to_have_text([snapshot.label(v) for v in ranked])
    following.first.click()
    field = screen.text("find-text")
    expect(field).to_have_value(snapshot.label(ranked[0]))
    below = sorted(snapshot.children(ranked[0]), key=lambda v: -snapshot.visits[v])
    expect(following).to_have_text([snapshot.label(v) for v in below])
    field.fill("4 3")
    readings = screen.page.locator(".find-reading b")
    expect(readings).to_have_text(["column 4 › column 3"])  # the board's numbers, not ids
    field.fill("4 sideways")
    expect(screen.text("find-offers")).to_contain_text("No move 'sideways' after column 4")
