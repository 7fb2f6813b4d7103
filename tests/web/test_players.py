"""Several players on the page: the view of each of them, their values in the card, and the payoffs of joint moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz.analysis.point_of_view import Viewpoint
from tests.recording.player_searches import FIELDS, JOINT_FIELDS, DecoupledUCT, MaxN
from tests.web.screen import Screen
from tests.web.test_room import WRITTEN


def three(path: Path) -> mv.Trace:
    search = MaxN()
    with mv.record(path, root=search.root, **FIELDS) as rec:
        for _ in range(120):
            search.step()
            rec.iteration(outcome=search.outcome)
    return rec.trace


@pytest.mark.own_page
def test_the_page_is_in_the_view_of_any_player(screen: Screen) -> None:
    last = three(Path(screen.site.folder) / "three.mcts").at(120)
    child = last.ranked_children(0)[0]
    screen.open("three", 120)
    legend = screen.page.locator(".mcts-legend")
    expect(legend).to_contain_text("view of whoever moved there")
    expect(screen.text("node-panel")).to_contain_text("mean for each player:")
    screen.choose("viewpoint-select", "blue")
    screen.page.wait_for_url("**viewpoint=third**")
    expect(legend).to_contain_text("mean value, view of blue")
    expect(screen.text("node-panel")).to_contain_text("values in the view of blue")
    screen.hover_node(child)
    card = screen.text("hover-card")
    expect(card).to_contain_text("view of blue")
    expect(card).to_contain_text(f"{Viewpoint(2).mean(last, child):.4f}".replace("-", "−"))


@pytest.mark.thorough
@pytest.mark.own_page
def test_the_card_has_the_payoffs_of_joint_moves(screen: Screen) -> None:
    screen.visit()
    search = DecoupledUCT()
    with mv.record(
        Path(screen.site.folder) / "hands.mcts", root=search.root, **JOINT_FIELDS
    ) as rec:
        for _ in range(120):
            search.step()
            rec.iteration(outcome=search.outcome)
    trace = screen.open("hands", 120, budget=0).site.trace("hands")
    written = [text.removesuffix("…") for text in screen.page.evaluate(WRITTEN)]
    for child in trace.at(120).children(0):  # each is named, if need be by its beginning
        assert any(trace.at(120).label(child).startswith(text) for text in written if len(text) > 3)
    panel = screen.text("node-panel")
    expect(panel).to_contain_text("all choose at once")
    expect(panel.locator("table.matrix button")).to_have_count(len(search.root.children))
    expect(panel.locator("table.matrix th[scope=row] small")).to_have_count(3)
    expect(screen.text("children-note")).to_contain_text("no scores are compared")
    for width, height in ((1280, 720), (1024, 768)):
        screen.page.set_viewport_size({"width": width, "height": height})
        beyond = panel.locator(".joint-scroll").evaluate(
            "(box) => box.scrollWidth - box.clientWidth"
        )
        assert beyond <= 0, "nothing is cut"
        assert panel.evaluate("(card) => card.scrollHeight - card.clientHeight") <= 1
    screen.tab("History")  # has the room then
    expect(panel.locator("table.matrix")).to_be_hidden()
    screen.tab("Children")
    panel.locator("table.matrix button").first.click()
    expect(panel).to_contain_text("all moved here at once")
