"""What the page says when something is missing, foreign, cut off or broken: words, never silence or a stack trace."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

import mcts_viz as mv
from tests.conftest import Console
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, FOREIGN, HOSTILE, INTERRUPTED, SNAPSHOT, TIC_TAC_TOE
from tests.web.screen import Screen, Site, served

ONE_PAGE = True  # see the fixture `page`


@pytest.fixture
def empty(page: Page, tmp_path: Path) -> Iterator[Site]:
    """A page without a trace."""
    with served(tmp_path) as site:
        yield site
        page.goto("about:blank")  # or it would miss its server


def test_an_empty_library_says_what_to_do_and_fills_with_a_search(page: Page, empty: Site) -> None:
    screen = Screen(page, empty)
    page.goto(empty.address)
    expect(screen.text("empty-page")).to_contain_text("There is no trace here yet")
    for key in ("ArrowRight", " ", "e", "f", "j", "Escape", "End", "+"):
        page.keyboard.press(key)
    page.get_by_role("button", name="New search").click()
    screen.text("search-iterations").fill("60")
    screen.text("search-start").click()
    screen.wait_for("d.n_iterations === 60")
    screen.wait(60)
    screen.expect_facts(visits="60")
    expect(screen.text("empty-page")).to_be_hidden()


@pytest.mark.thorough
def test_exporting_without_a_trace_says_that_there_is_none(page: Page, empty: Site) -> None:
    screen = Screen(page, empty)
    page.goto(empty.address)
    expect(screen.text("empty-page")).to_contain_text("There is no trace here yet")
    screen.menu("CSV, one row a node")
    expect(screen.message()).to_contain_text("There is no trace to export yet")


@pytest.mark.thorough
def test_an_address_of_a_trace_that_is_not_here_says_so_and_another_one_opens(
    screen: Screen, console: Console
) -> None:
    console.allow("400|404")
    screen.page.goto(f"{screen.site.address}?trace=nowhere&iteration=5")
    expect(screen.page.get_by_text("there is no trace 'nowhere' here").first).to_be_visible()
    screen.text("trace-select").click()
    screen.page.get_by_role("option", name=TIC_TAC_TOE, exact=True).click()
    screen.wait_for("d.n_iterations === 300")
    screen.wait(300)
    expect(screen.page.get_by_text("there is no trace 'nowhere' here")).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("query", "told"),
    few(
        [
            ("focus=9999", "Focus=9999: no such node"),
            ("budget=999999", "Budget=999999: choose a number"),
        ]
    ),
)
def test_an_address_with_an_impossible_view_says_so(
    screen: Screen, console: Console, query: str, told: str
) -> None:
    console.allow("400")
    screen.page.goto(
        f"{screen.site.address}?trace={screen.site.key(TIC_TAC_TOE)}&iteration=5&{query}"
    )
    expect(screen.page.get_by_text(told).first).to_be_visible()


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_file_deleted_while_it_is_open_is_named(screen: Screen, console: Console) -> None:
    console.allow("400|404")
    path = screen.site.folder / "short_lived.mcts"
    shutil.copy(screen.site.path("connect_four"), path)
    screen.open("short_lived", 100)
    path.unlink()
    screen.press("ArrowRight").wait(101)  # what is in the browser stays usable
    expect(screen.message()).to_contain_text("short")
    screen.choose("budget-select", "100")
    expect(screen.status()).to_contain_text("short")
    screen.page.evaluate("dash_clientside.set_props('message', {children: ''})")
    expect(screen.message()).to_be_hidden()
    screen.menu("JSON (networkx")
    expect(screen.message()).to_contain_text("short")


@pytest.mark.thorough
def test_an_error_of_the_program_in_a_callback_is_told_on_the_page(
    screen: Screen, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen.open(TIC_TAC_TOE, 100)

    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("mcts_viz.web.panels.node.node_facts", fail)
    screen.press("ArrowRight").wait(101)
    expect(screen.message()).to_contain_text("This part of the page failed: ZeroDivisionError: oh")
    monkeypatch.undo()
    screen.press("ArrowRight").wait(102)
    screen.expect_facts(visits="102")


@pytest.mark.thorough
def test_a_server_that_is_gone_is_told_and_the_picture_stays(
    screen: Screen, console: Console
) -> None:
    console.allow(".")
    screen.open("connect_four", 100)

    def refuse(route: Route) -> None:
        route.abort()

    screen.page.route("**/api/**", refuse)
    screen.press("ArrowRight").wait(101)
    screen.choose("budget-select", "100")
    expect(screen.status()).to_have_class("status mcts-error")
    expect(screen.status()).not_to_be_empty()
    assert len(screen.items()) > 90
    screen.page.unroute("**/api/**", refuse)
    screen.choose("budget-select", "50")
    screen.wait_for("d.cursor.view.budget === 50 && d.items.length < 90")


@pytest.mark.thorough
def test_an_interrupted_trace_says_how_far_it_goes(screen: Screen) -> None:
    n = screen.site.trace(INTERRUPTED).n_iterations
    screen.open(INTERRUPTED, 9_999)
    assert 0 < screen.debug()["t"] == n < 300
    expect(screen.text("trace-note")).to_contain_text(f"complete up to iteration {n}")
    screen.expect_facts(visits=str(n))


ONE_ITERATION = "off, this file is a single tree"


def expect_tooltip(screen: Screen, control: Locator, text: str) -> None:
    screen.page.mouse.move(1, 1)
    expect(screen.page.get_by_role("tooltip")).to_have_count(0)
    control.hover()
    expect(screen.page.get_by_role("tooltip")).to_contain_text(text)


@pytest.mark.thorough
def test_a_snapshot_has_nothing_to_step_through_and_its_controls_say_why(screen: Screen) -> None:
    expected = screen.site.trace(SNAPSHOT).at(1)
    screen.open(SNAPSHOT, 0)  # a snapshot was never empty
    assert screen.debug()["t"] == 1
    screen.expect_facts(visits=str(expected.visits[0]))
    controls = screen.page.locator(".controls [data-needs]:not([data-needs=again])")
    assert controls.count() == 8 + 1 + 4  # steps, play, phases
    expect(screen.page.locator(".controls [data-needs][aria-disabled=true]")).to_have_count(13)
    for control in (controls.first, controls.last):
        expect_tooltip(screen, control, ONE_ITERATION)
    expect_tooltip(screen, screen.page.locator("#play-button"), "Play or pause ( Space )")
    expect(screen.page.locator(".mcts-scrubber")).to_be_disabled()
    expect(screen.page.locator("#speed-select")).to_be_disabled()
    expect(screen.text("hint")).to_have_text("click a node")
    for control in controls.all():
        control.click(force=True)
    told = "No steps: this file is a single tree."
    for key in ("ArrowRight", "Shift+ArrowLeft", "ArrowDown", " ", "Home"):
        screen.page.evaluate("mcts.app.resetZoom()")
        expect(screen.status()).not_to_have_text(told)  # of the key before
        screen.press(key)
        expect(screen.status()).to_have_text(told)
    shown = screen.wait(1).debug()
    assert (shown["phase"], shown["playing"], shown["cursor"]["iteration"]) == (None, False, 1)


@pytest.mark.thorough
def test_a_snapshots_picture_marks_no_iteration(screen: Screen) -> None:
    screen.open(SNAPSHOT, 1)
    assert screen.debug()["marked"] == {"path": [], "made": [], "updated": []}
    legend = screen.page.locator(".mcts-legend")
    expect(legend).to_contain_text("leading move")
    expect(legend).not_to_contain_text("new node")
    screen.tab("This iteration")
    expect(screen.text("iteration-note")).to_contain_text("whole trees, not the single iterations")
    screen.expect_table("iteration-table", [])


@pytest.mark.thorough
def test_controls_are_on_again_with_a_trace_that_has_iterations(screen: Screen) -> None:
    screen.open(SNAPSHOT, 1)
    expect(screen.page.locator(".controls [data-off]")).to_have_count(13)
    screen.choose("trace-select", TIC_TAC_TOE)
    screen.wait_for("d.n_iterations === 300")
    screen.wait(300)
    expect(screen.page.locator(".controls [data-off]")).to_have_count(0)
    button = screen.step_button("One back")
    expect_tooltip(screen, button, "One back ( ← )")
    expect(screen.page.get_by_role("tooltip")).not_to_contain_text("off")
    button.click()
    screen.wait(299)
    expect(screen.page.locator(".mcts-scrubber")).to_be_enabled()


@pytest.mark.thorough
def test_a_search_of_one_iteration_is_stepped_through(screen: Screen) -> None:
    mv.search("tic_tac_toe", iterations=1, seed=1, path=screen.site.folder / "single.mcts")
    screen.open("single", 1)
    expect(screen.page.locator(".controls [data-off]")).to_have_count(0)
    screen.press("ArrowLeft").wait(0)
    screen.press("ArrowDown").wait(1)
    assert screen.debug()["phase"] == "select"


@pytest.mark.thorough
def test_a_trace_of_snapshots_is_stepped_through_but_has_no_phases(screen: Screen) -> None:
    trace, files = screen.site.trace(TIC_TAC_TOE), []
    for t in (20, 120, 300):
        files.append(screen.site.folder / f"after_{t}.json")
        trace.at(t).to_json(files[-1])
    mv.from_snapshots(files, screen.site.folder / "several.mcts")
    screen.open("several", 2, phase="select")
    screen.expect_facts(visits="120")
    expect(screen.page.locator("[data-needs=steps][data-off]")).to_have_count(0)
    phases = screen.page.locator(".controls [data-needs=phases][data-off]")
    expect(phases).to_have_count(4)
    expect_tooltip(screen, phases.first, "whole trees, not the phases that made them")
    screen.press("ArrowRight").wait(3)
    screen.expect_facts(visits="300")
    screen.press("ArrowDown")
    screen.page.evaluate("mcts.app.setView({size: 'share'})")  # a picture that comes in between
    screen.wait_for("d.options.size === 'share'")
    expect(screen.status()).to_contain_text("whole trees, not the phases that made them")
    assert screen.debug()["phase"] is None
    expect(screen.status()).to_contain_text("nodes in view")  # again, once that was to be read


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_foreign_trace_shows_its_texts_as_text(screen: Screen) -> None:
    trace = screen.site.trace(FOREIGN)
    screen.open(FOREIGN, 60)
    snapshot = trace.at(60)
    node = snapshot.principal_path[1]
    label = snapshot.label(node)
    assert HOSTILE in label
    screen.click_node(node)
    panel = screen.text("node-panel")
    expect(panel.locator("h2")).to_have_text(label)
    expect(panel.locator("pre")).to_have_text(snapshot.state(node) or "")
    expect(panel.locator(".turn")).to_contain_text("B to move")
    expect(panel).to_contain_text("This trace names no selection formula")
    expect(screen.text("decision")).to_contain_text(label)
    screen.press("f")
    screen.wait_for(f"d.items[0].node === {node}")
    expect(screen.text("breadcrumbs")).to_contain_text(label)
    screen.press("Escape")
    screen.wait_for("d.items[0].node === 0")
    screen.hover_node(node)
    expect(screen.text("hover-card").locator("pre")).to_contain_text("<script>alert(2)</script>")
    screen.page.mouse.move(1, 1)
    for tab, table in [("Siblings", "siblings-table"), ("This iteration", "iteration-table")]:
        screen.tab(tab)
        expect(screen.text(table).locator("[col-id=move].ag-cell").first).to_contain_text("<img")
    screen.text("colour-select").click()
    offered = screen.page.get_by_role("option")
    # there are no scores and no priors
    expect(offered).to_have_text(["mean value", "visits", "player", "last visit", "true value"])
    offered.first.click()
    screen.wait_for_keys()
    screen.press("/")
    screen.text("find-text").fill("<b>bold</b>")
    screen.text("find-text").press("Enter")
    expect(screen.text("find-error")).to_contain_text("No move '<b'")
    assert screen.page.locator("img[src=x], b:text-is('bold')").count() == 0
    assert screen.page.evaluate("[...document.scripts].every(s => !s.text.includes('alert('))")


@pytest.mark.thorough
def test_a_hostile_address_is_only_text(screen: Screen, console: Console) -> None:
    console.allow("400|404")
    screen.page.goto(f"{screen.site.address}?trace={HOSTILE}&node={HOSTILE}&colour={HOSTILE}")
    expect(screen.page.get_by_text("there is no trace").filter(visible=True).first).to_be_visible()
    assert screen.page.locator("img[src=x]").count() == 0


@pytest.mark.own_page
def test_what_cannot_be_opened_is_told_in_a_card_with_the_way_on(
    screen: Screen, console: Console
) -> None:
    console.allow("400|404|ERR_ABORTED|Failed to fetch")
    broken = screen.site.folder / "broken.mcts"
    broken.write_bytes(screen.site.path(CONNECT_FOUR).read_bytes()[:700])
    screen.page.goto(f"{screen.site.address}?trace={screen.site.key('broken')}")
    card = screen.text("empty-page")
    expect(card.locator("h2")).to_have_text("broken cannot be opened")
    expect(card.locator(".empty-words")).to_contain_text("broken.mcts")
    for part in (".tools", ".stepping"):
        expect(screen.page.locator(part)).to_have_attribute("inert", "")
    expect(screen.page.locator(".side")).to_be_hidden()
    expect(screen.message()).to_be_hidden()
    card.get_by_role("link", name=CONNECT_FOUR).click()
    screen.wait_for("d.n_iterations === 2000")
    screen.wait(2_000)
    expect(card).to_be_hidden()
    expect(screen.page.locator("[inert]")).to_have_count(0)
    screen.expect_facts(visits="2,000")
    screen.choose("trace-select", "broken")  # from one that is open
    expect(card).to_be_visible()
    expect(screen.page.locator(".side")).to_be_hidden()
    assert screen.page.evaluate("mcts.app.debug()") is None
    screen.delete(broken)


@pytest.mark.thorough
def test_a_folder_opens_at_the_first_trace_that_can_be_read(
    page: Page, recordings: Path, tmp_path: Path, console: Console
) -> None:
    (tmp_path / "a.mcts").write_bytes((recordings / f"{TIC_TAC_TOE}.mcts").read_bytes()[:700])
    shutil.copy(recordings / f"{TIC_TAC_TOE}.mcts", tmp_path / "b.mcts")
    console.allow("finding-count")  # of the one that cannot be read
    with served(tmp_path) as site:
        page.goto(site.address)
        Screen(page, site).wait(300)
        page.goto("about:blank")
