"""What there is to read of a node stands in its card, as text; what its branch cost, too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import mcts_viz as mv
from mcts_viz.analysis.node.branch import BranchTotals, branch_totals
from mcts_viz.trace.trace import Trace
from mcts_viz.views.measures import measured, trace_scales
from mcts_viz.views.node_numbers import number_names
from mcts_viz.views.tree_svg import tree_svg
from mcts_viz.views.view_spec import PageView
from mcts_viz.web.cursor import Place
from mcts_viz.web.panels.documents import branch_words, difference, reading
from tests.web.screen import Screen, served

EVIL = "<img src=x onerror=alert(1)>\n<script>document.title = 'hacked'</script>"
RECORDS = [
    {"id": 1, "parent": None, "score": 0.5, "cost": 1.0, "plan": "# Begin", "code": "a\nb\n"},
    {"id": 2, "parent": 1, "score": 0.9, "cost": 1.5, "plan": EVIL, "code": "a\nc\n"},
    {
        "id": 3,
        "parent": 2,
        "score": 0.2,
        "cost": 0.6,
        "error": "boom",
        "code": EVIL,
        "my diff": "-x\n+y",
    },
]


def imported(folder: Path) -> Trace:
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(each) + "\n" for each in RECORDS), encoding="utf-8")
    report = mv.import_trace(log, folder / "run.mcts", fields={"text": "plan+code+my diff"})
    return mv.open(report.path)


def test_a_branch_knows_its_costs_and_its_best_node(tmp_path: Path) -> None:
    trace = imported(tmp_path)
    last = trace.at(3)
    whole = branch_totals(last, 0)
    assert whole == BranchTotals(3, {"cost": pytest.approx(3.1)}, 1, 0.5, 1, 0.9)
    assert branch_words(whole) == (
        "Branch of 3 nodes, 1 of them failed: cost 3.10; a better one below: node 1 (0.9)."
    )
    assert branch_words(branch_totals(last, 1)).endswith("cost 2.10; no better node below.")
    assert last.subtree_sum("cost").tolist() == pytest.approx([3.1, 2.1, 0.6])
    assert trace.at(1).numbers["cost"].tolist() == [1.0]


def test_a_difference_has_its_place_and_its_lines() -> None:
    assert difference("a\nb", "a\nc").splitlines() == ["@@ -1,2 +1,2 @@", " a", "-b", "+c"]
    assert "too long" in difference("x\n" * 5000, "y")


def test_texts_of_strangers_stay_text(tmp_path: Path) -> None:
    trace = imported(tmp_path)
    here = Place("key", trace, trace.at(3), 2)
    shown = str(reading(here, {"name": "code"})[-1])
    assert 'Pre("<img src=x onerror' in shown
    assert "dangerously" not in shown


# the open document and its buttons are in the part of the card that one sees
IN_SIGHT = """() => {
    const card = document.getElementById("node-panel").getBoundingClientRect();
    const [buttons, shown] = [".documents", ".document"].map(
        (each) => document.querySelector(each).getBoundingClientRect());
    return buttons.top >= card.top - 1 && Math.min(shown.bottom, shown.top + 100) <= card.bottom + 1;
}"""


def test_documents_open_in_the_card_and_stay_open_from_node_to_node(
    page: Page, tmp_path: Path
) -> None:
    imported(tmp_path)
    with served(tmp_path) as site:
        screen = Screen(page, site)
        screen.open("run", 3, node=1)
        page.get_by_role("button", name="plan", exact=True).click()
        shown = page.locator(".document")
        expect(shown).to_contain_text("<script>")
        page.wait_for_function(IN_SIGHT)
        assert page.title() == "mcts_viz"
        page.get_by_role("button", name="code", exact=True).click()
        page.get_by_role("button", name="± parent").click()
        expect(shown.locator(".added")).to_have_text("+c")
        page.get_by_role("button", name="± others").click()  # than this node
        screen.click_node(2)
        expect(shown.locator(".removed")).to_have_text(["-a", "-c"])
        page.get_by_role("button", name="± node 1").click()
        expect(shown.locator(".removed")).to_have_count(0)
        screen.click_node(0)
        expect(shown).to_contain_text("b")
        page.get_by_role("button", name="code", exact=True).click()
        expect(shown).to_have_count(0)
        page.goto("about:blank")  # or it would miss its server


@pytest.mark.thorough
def test_quick_clicks_keep_their_order(page: Page, tmp_path: Path) -> None:
    """All in one moment, before the server has answered the first."""
    imported(tmp_path)
    clicks = """() => {
        const press = (text) => [...document.querySelectorAll(".document-button")]
            .find((each) => each.textContent === text).click();
        press("plan"); press("code"); press("code"); press("plan"); press("code");
    }"""
    with served(tmp_path) as site:
        screen = Screen(page, site)
        screen.open("run", 3, node=1)
        page.evaluate(clicks)
        expect(page.locator(".document-button[aria-pressed=true]")).to_have_text(["code"])
        expect(page.locator(".document")).to_have_text(re.compile("a\\s+c"))
        page.get_by_role("button", name="code", exact=True).click()
        expect(page.locator(".document")).to_have_count(0)
        page.goto("about:blank")  # or it would miss its server


@pytest.mark.thorough
def test_numbers_of_nodes_are_colours_and_sizes_and_failures_triangles(
    page: Page, tmp_path: Path
) -> None:
    imported(tmp_path)
    with served(tmp_path) as site:
        screen = Screen(page, site)
        screen.open("run", 3, colour="number_0", size="number_1")
        expect(page.locator(".mcts-legend-title")).to_have_text("colour: score")
        expect(page.locator(".mcts-legend")).to_contain_text("size: cost")
        expect(page.locator(".mcts-legend")).to_contain_text("△ failed")
        page.goto("about:blank")  # or it would miss its server


def test_a_picture_file_has_the_colour_of_a_number(tmp_path: Path) -> None:
    trace = imported(tmp_path)
    last = trace.at(3)
    assert number_names(last.numbers) == ["score", "cost"]
    assert trace_scales(last)["number_1"].title == "cost"
    assert measured("number_1", trace.columns, last).tolist() == [1.0, 1.5, 0.6]
    svg = tree_svg(last, trace.columns, last, PageView(), "number_0", "light", "run")
    assert "score" in "".join(svg)


def test_words_are_found_in_names_and_documents(tmp_path: Path) -> None:
    trace = imported(tmp_path)
    found = trace.find_text("SCRIPT")
    assert [(hit.node, hit.where) for hit in found.hits] == [(1, "plan"), (2, "code")]
    assert "document.title" in found.hits[0].excerpt
    assert trace.find_text("boom").hits[0].node == 2
    assert trace.find_text("begin").hits[0].where == "name"
    assert not trace.find_text("nowhere").hits
    for words in ("parent", "in the log", "none"):  # which stand in what is told of every record
        assert not trace.find_text(words).hits
    assert not trace.find_text(" ").hits


@pytest.mark.thorough
def test_hits_are_listed_and_marked_in_the_tree_and_on_the_timeline(
    page: Page, tmp_path: Path
) -> None:
    imported(tmp_path)
    with served(tmp_path) as site:
        screen = Screen(page, site)
        screen.open("run", 3)
        page.get_by_role("button", name="Find").click()
        screen.text("find-text").fill("alert")
        expect(page.locator("#find-offers")).to_contain_text("2 nodes with “alert”")
        expect(page.locator("#timeline .mcts-glyph-hit").first).to_be_visible()
        page.locator(".find-reading").nth(1).click()
        screen.wait_for("d.selected === 2 || mcts.app.cursor().node === 2")
        page.goto("about:blank")  # or it would miss its server
