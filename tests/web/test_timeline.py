"""The timeline's marks: that they are what the API says, where they lead, and how they are chosen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.web.recordings import CONNECT_FOUR, FOREIGN, TIC_TAC_TOE, record_kept
from tests.web.screen import Screen, Site

ONE_PAGE = True  # see the fixture `page`

FAULTY, KEPT = "credits-one-side", "kept"


@pytest.fixture(scope="module", autouse=True)
def _more(site: Site) -> None:
    mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1, path=site.folder / f"{FAULTY}.mcts")
    record_kept(site.folder / f"{KEPT}.mcts")


def open_marks(screen: Screen, name: str, iteration: int, **more: Any) -> Screen:
    """Open a trace and wait until its marks are there and its health is known."""
    screen.open(name, iteration, **more)
    screen.page.wait_for_function("() => document.querySelectorAll('.mcts-mark-button').length > 0")
    return screen


def menu(screen: Screen) -> None:
    screen.page.locator(".mcts-marks-button").click()
    expect(screen.page.get_by_role("dialog", name="marks on the timeline")).to_be_visible()


def count_of(screen: Screen, kind: str) -> Any:
    return screen.page.locator(f".mcts-marks-kind:has(input[value={kind}]) .mcts-marks-count")


def test_there_is_a_mark_wherever_the_api_says_that_something_happened(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000)
    told = screen.site.trace(CONNECT_FOUR).events()
    width = screen.page.locator("#timeline").bounding_box()
    assert width is not None
    inside = width["width"] - 16
    at = [e.iteration for e in told]
    # marks less than 9 pixels apart are one, which lies where the first of them does
    places: list[float] = []
    for x in (8 + inside * t / 2_000 for t in at):
        if not places or x - places[-1] >= 9:
            places.append(x)
    shown = screen.page.eval_on_selector_all(
        ".mcts-mark-button", "(all) => all.map((each) => parseFloat(each.style.left))"
    )
    assert shown == pytest.approx(places, abs=0.01)
    menu(screen)
    for kind, n in told.found.items():
        hidden = told.hidden.get(kind, 0)
        expect(count_of(screen, kind)).to_have_text(f"{n - hidden} of {n}" if hidden else f"{n}")
    total = sum(told.hidden.values())
    expect(screen.page.locator(".mcts-marks-button")).to_contain_text(
        f"{len(told)} marks · {total} hidden"
    )


@pytest.mark.thorough
def test_the_mouse_on_a_mark_reads_what_happened_and_a_click_goes_there(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000)
    mark = screen.page.locator(".mcts-mark-button:not(.many)[data-kind=depth]").last
    t = int(mark.get_attribute("data-iteration") or -1)
    (told,) = [e for e in screen.site.trace(CONNECT_FOUR).events() if e.iteration == t]
    mark.hover()
    card = screen.page.locator(".mcts-mark-card")
    expect(card).to_contain_text(told.text)
    expect(card).to_contain_text(f"{told.iteration:,}")
    mark.click()
    screen.wait(told.iteration)
    screen.wait_for("mcts.app.cursor().node === arg", told.node)
    expect(screen.page.locator(".mcts-now")).to_contain_text(told.text)


@pytest.mark.thorough
@pytest.mark.own_page
def test_n_and_p_walk_through_all_marks_and_stop_at_the_ends(screen: Screen) -> None:
    open_marks(screen, TIC_TAC_TOE, 0)
    expected = sorted({e.iteration for e in screen.site.trace(TIC_TAC_TOE).events()} - {0})
    menu(screen)  # without the selected node's own mark, which changes on the way
    screen.page.locator(".mcts-marks-kind input[value=visit]").uncheck()
    screen.page.keyboard.press("Escape")
    screen.page.evaluate("document.activeElement.blur()")
    for t in expected[:6]:
        screen.press("n").wait(t)
    for t in reversed(expected[:5]):
        screen.press("p").wait(t)
    screen.press("p")
    expect(screen.page.locator(".mcts-now")).to_have_text("no mark before this")
    screen.page.evaluate("document.querySelector('.mcts-lane').firstChild.id = 'drawn-before'")
    screen.page.set_viewport_size({"width": 1200, "height": 720})  # draws the marks anew
    expect(screen.page.locator("#drawn-before")).to_have_count(0)
    expect(screen.page.locator(".mcts-now")).to_have_text("no mark before this")
    screen.press("End").wait(300).press("n")
    expect(screen.page.locator(".mcts-now")).to_have_text("no mark after this")


@pytest.mark.thorough
def test_keys_pressed_faster_than_the_picture_still_count(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 0)
    expected = sorted({e.iteration for e in screen.site.trace(CONNECT_FOUR).events()} - {0})
    screen.press("n", "n", "n").wait(expected[2])


@pytest.mark.thorough
def test_a_mark_of_a_hidden_node_brings_it_into_view(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 0, budget=50)
    deepest = [e for e in screen.site.trace(CONNECT_FOUR).events() if e.kind == "depth"][-1]
    assert deepest.node not in screen.items()
    screen.page.evaluate(
        "t => [...document.querySelectorAll('.mcts-mark-button')].find((b) => b.dataset.iteration == t).click()",
        deepest.iteration,
    )
    screen.wait(deepest.iteration)
    screen.wait_for("mcts.app.cursor().node === arg", deepest.node)
    screen.wait_for("d.items.some((item) => item.node === arg && !item.stub)", deepest.node)
    screen.wait(deepest.iteration)
    expect(screen.page.locator("#node-panel")).to_contain_text(f"node {deepest.node:,}")


@pytest.mark.thorough
def test_the_first_visit_of_the_selected_node_is_marked(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000, node=7)
    visits = screen.site.trace(CONNECT_FOUR).history(7).visits
    first = int((visits > 0).argmax())
    menu(screen)
    expect(count_of(screen, "visit")).to_have_text("1")
    for kind in ("lead", "value", "depth", "terminal", "finding"):
        screen.page.locator(f".mcts-marks-kind input[value={kind}]").uncheck()
    marks = screen.page.locator(".mcts-mark-button")
    expect(marks).to_have_count(1)
    assert marks.get_attribute("data-iteration") == str(first)


@pytest.mark.thorough
def test_kinds_that_are_not_wanted_are_hidden_and_stay_so_after_a_reload(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000)
    menu(screen)
    screen.page.locator(".mcts-marks-kind input[value=value]").uncheck()
    expect(screen.page.locator(".mcts-mark-button[data-kind=value]")).to_have_count(0)
    assert "marks-off=value" in screen.page.url
    screen.page.reload()
    screen.wait()
    expect(screen.page.locator(".mcts-mark-button").first).to_be_visible()
    expect(screen.page.locator(".mcts-mark-button[data-kind=value]")).to_have_count(0)
    told = screen.site.trace(CONNECT_FOUR).events()
    n = sum(e.kind == "value" for e in told) + sum(told.hidden.values())
    expect(screen.page.locator(".mcts-marks-button")).to_contain_text(f"{n} hidden")


@pytest.mark.thorough
def test_a_threshold_of_ones_own_moves_the_crossings(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000)
    expected = screen.site.trace(CONNECT_FOUR).events(threshold=0.52)
    menu(screen)
    screen.page.locator("#mark-threshold").fill("0.52")
    screen.page.locator("#mark-threshold").press("Enter")
    n, hidden = expected.found.get("value", 0), expected.hidden.get("value", 0)
    assert n
    expect(count_of(screen, "value")).to_have_text(f"{n - hidden} of {n}" if hidden else f"{n}")
    assert "threshold=0.52" in screen.page.url
    screen.page.locator("#mark-threshold").fill("7")
    screen.page.locator("#mark-threshold").press("Enter")
    expect(screen.message()).to_have_text("No root value can be 7: choose a threshold from 0 to 1.")


@pytest.mark.thorough
def test_findings_of_a_short_search_are_marked_without_being_asked_for(screen: Screen) -> None:
    finding = mv.open(screen.site.path(FAULTY)).check()[0]
    assert finding.iteration is not None
    screen.open(FAULTY, 300)
    mark = screen.page.locator(".mcts-mark-button[data-kind=finding]").first
    expect(mark).to_be_visible()
    mark.hover()
    expect(screen.page.locator(".mcts-mark-card")).to_contain_text(finding.message[:60])
    mark.click()
    screen.wait(int(mark.get_attribute("data-iteration") or -1))


@pytest.mark.thorough
@pytest.mark.own_page
def test_findings_come_from_the_health_tab_too(screen: Screen) -> None:
    screen.page.route("**/findings", lambda route: route.fulfill(json={"marks": None}))
    open_marks(screen, FAULTY, 300)
    menu(screen)
    expect(count_of(screen, "finding")).to_have_text("not checked")
    screen.page.keyboard.press("Escape")
    screen.tab("Health")
    expect(screen.page.locator(".mcts-mark-button[data-kind=finding]").first).to_be_visible()


@pytest.mark.thorough
def test_a_kept_tree_is_marked_where_it_begins(screen: Screen) -> None:
    open_marks(screen, KEPT, 0)
    told = screen.site.trace(KEPT).events().shown[0]
    expect(screen.page.locator(".mcts-now")).to_contain_text(told.text)


@pytest.mark.thorough
def test_the_legend_names_the_moves_that_led(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    trace = screen.site.trace(CONNECT_FOUR)
    chips = screen.page.locator(".mcts-timeline-chip")
    leaders = {e.text.split(" takes")[0] for e in trace.events(most=None) if e.kind == "lead"}
    assert {text.strip() for text in chips.all_text_contents()} <= leaders | {
        "column 1",
        "column 4",
    }
    final = trace.at(2_000).best_action_name
    assert chips.first.text_content() == final  # it led longest, as it did to the end


@pytest.mark.thorough
def test_another_trace_brings_its_own_marks(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000)
    screen.choose("trace-select", TIC_TAC_TOE)
    screen.wait()
    n = len(screen.site.trace(TIC_TAC_TOE).events())
    expect(screen.page.locator(".mcts-marks-button")).to_contain_text(f"{n} marks")


@pytest.mark.thorough
def test_hostile_names_stay_text(screen: Screen) -> None:
    open_marks(screen, FOREIGN, 30)
    screen.page.locator(".mcts-mark-button").first.hover()
    expect(screen.page.locator(".mcts-mark-card")).to_contain_text("<img src=x")
    assert screen.page.locator("#timeline img, .mcts-mark-card img").count() == 0


@pytest.mark.thorough
def test_the_marks_have_names_and_the_menu_can_be_used_by_keyboard(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000)
    n = len(screen.site.trace(CONNECT_FOUR).events())
    expect(screen.page.locator(".mcts-lane")).to_have_attribute(
        "aria-label", f"{n} marks; n and p go to the next and the previous one"
    )
    screen.page.locator(".mcts-marks-button").focus()
    screen.press("Enter")
    expect(screen.page.locator(".mcts-marks-kind input").first).to_be_focused()
    screen.press("Tab", "Tab", "Space")
    expect(screen.page.locator(".mcts-mark-button[data-kind=lead]")).to_have_count(0)
    screen.press("Escape")
    expect(screen.page.locator(".mcts-marks-menu")).to_be_hidden()
    expect(screen.page.locator(".mcts-marks-button")).to_be_focused()


@pytest.mark.thorough
def test_the_marks_follow_the_width_of_the_page(screen: Screen) -> None:
    open_marks(screen, CONNECT_FOUR, 1_000)
    last = screen.page.locator(".mcts-mark-button").last
    before = last.bounding_box()
    screen.page.set_viewport_size({"width": 1600, "height": 800})
    assert before is not None
    screen.page.wait_for_function(
        "x => parseFloat([...document.querySelectorAll('.mcts-mark-button')].pop().style.left) > x",
        arg=before["x"] + 20,
    )
