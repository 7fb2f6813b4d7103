"""Moving through the iterations: keys, buttons, playing, scrubbing; the picture stays where it is."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import NOTE_THE_PANELS, Screen

ONE_PAGE = True  # see the fixture `page`

WINDOW = "/window?"
PANEL = "_dash-update-component"


def test_keys_step_by_1_10_and_100_and_to_both_ends(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 500)
    for key, iteration in [
        ("ArrowRight", 501), ("Shift+ArrowRight", 511), ("Control+ArrowRight", 611),
        ("ArrowLeft", 610), ("Shift+ArrowLeft", 600), ("Control+ArrowLeft", 500),
        ("End", 2_000), ("ArrowRight", 2_000), ("Home", 0), ("Control+ArrowLeft", 0),
    ]:  # fmt: skip
        screen.press(key).wait(iteration)
        expect(screen.text("iteration-readout")).to_have_text(f"{iteration:,} / 2,000")


def test_panels_come_along_while_a_search_is_played_and_say_of_which_iteration_they_are(
    screen: Screen,
) -> None:
    screen.open(CONNECT_FOUR, 100)
    screen.page.evaluate(NOTE_THE_PANELS)
    screen.press("Space")
    screen.page.wait_for_function("() => new Set(noted.visits).size >= 4")
    expect(screen.text("picture-words")).not_to_contain_text("iteration 100 ")
    screen.press("Space").wait()
    noted = screen.page.evaluate("noted")
    told = {each.removeprefix("iteration ") for each in noted["of"] if each}
    assert len(told) >= 3
    last = f"{screen.cursor()['iteration']:,}"
    screen.expect_facts(visits=last)
    told |= {"100", last}  # where it began and where it is need not be said
    assert {each for each in noted["visits"] if each} <= told
    expect(screen.page.locator(".side[data-of]")).to_have_count(0)


@pytest.mark.thorough
def test_buttons_do_what_the_keys_do(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 500)
    for label, iteration in [
        ("One on", 501), ("10 on", 511), ("100 on", 611), ("One back", 610), ("10 back", 600),
        ("100 back", 500), ("After the last", 2_000), ("Before the first", 0),
    ]:  # fmt: skip
        screen.step_button(label).click()
        screen.wait(iteration)
        expect(screen.text("iteration-readout")).to_have_text(f"{iteration:,} / 2,000")


@pytest.mark.thorough
def test_what_is_pressed_counts_where_the_page_moves_under_the_mouse(screen: Screen) -> None:
    """The card above the tabs may grow between the press and the release."""
    screen.open(TIC_TAC_TOE, 100)
    tab = screen.page.get_by_role("tab", name="Rollouts")
    box = tab.bounding_box()
    assert box is not None
    screen.page.mouse.move(box["x"] + 5, box["y"] + 5)
    screen.page.mouse.down()
    card = screen.text("node-panel")
    card.evaluate("(card) => { card.style.marginTop = '150px'; }")
    screen.page.mouse.up()
    expect(tab).to_have_attribute("aria-selected", "true")
    screen.wait_for_keys()
    card.evaluate("(card) => { card.style.marginTop = ''; }")
    box = tab.bounding_box()
    assert box is not None
    other = screen.page.get_by_role("tab", name="Notes")
    other.hover()
    screen.page.mouse.down()
    screen.page.mouse.move(box["x"] + 5, box["y"] + 5)  # let go somewhere else
    screen.page.mouse.up()
    expect(other).to_have_attribute("aria-selected", "false")
    screen.wait_for_keys()


@pytest.mark.thorough
def test_after_a_click_on_a_button_or_a_choice_the_keys_are_the_pages_again(
    screen: Screen,
) -> None:
    screen.open(TIC_TAC_TOE, 10)
    screen.step_button("One on").click()
    screen.wait(11).wait_for_keys()
    screen.press(" ")
    screen.wait_for("d.playing && d.t > 12")
    screen.press(" ").wait()
    screen.choose("colour-select", "visits")
    t = screen.debug()["t"]
    screen.press("ArrowRight").wait(t + 1)
    assert screen.debug()["options"]["colour"] == "visits"


@pytest.mark.thorough  # tests/js/test_canvas.py has it
def test_playing_goes_to_the_end_stops_there_and_starts_again_from_the_beginning(
    screen: Screen,
) -> None:
    screen.open(TIC_TAC_TOE, 200)
    play = screen.text("play-button")
    expect(play).to_have_attribute("aria-label", "play")
    screen.choose("speed-select", "60 / s")
    play.click()
    expect(play).to_have_attribute("aria-label", "pause")
    screen.wait(300)
    expect(play).to_have_attribute("aria-label", "play")
    screen.choose("speed-select", "30 / s")
    play.click()
    screen.wait_for("d.playing && d.t > 0 && d.t < 200")
    play.click()
    screen.wait()


@pytest.mark.thorough
def test_space_plays_and_pauses_and_plus_and_minus_change_the_speed(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 0)
    screen.press("+", "+")
    expect(screen.text("speed-select")).to_have_value("60 / s")
    screen.press("-")
    expect(screen.text("speed-select")).to_have_value("30 / s")
    screen.press(" ")
    screen.wait_for("d.playing && d.t > 3")
    screen.press(" ").wait()
    paused = screen.debug()["t"]
    assert 3 < paused < 300
    screen.press("ArrowRight").wait(paused + 1)


@pytest.mark.thorough
def test_every_speed_that_a_key_reaches_is_one_that_the_box_shows(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 0)
    box = screen.text("speed-select")
    screen.press(*["-"] * 12)
    expect(box).to_have_value("1 / s")
    for _ in range(12):
        screen.press("+")
        speed = screen.debug()["speed"]
        expect(box).to_have_value(f"{speed:,} / s")


@pytest.mark.thorough  # tests/js/test_canvas.py has it
def test_the_picture_follows_the_slider(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    slider = screen.page.get_by_role("slider", name="iteration")
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    screen.page.mouse.move(box["x"] + box["width"] / 2, y)
    screen.page.mouse.down()
    seen = []
    for part in (0.55, 0.7, 0.9, 0.25):
        screen.page.mouse.move(box["x"] + box["width"] * part, y, steps=4)
        screen.wait_for(
            f"Math.abs(d.paint.t - 2000 * {part}) < 30"
        )  # while the hand still holds it
        seen.append(screen.debug()["t"])
    screen.page.mouse.up()
    screen.wait(seen[-1])
    assert seen[0] < seen[1] < seen[2] > seen[3]
    expect(screen.text("iteration-readout")).to_have_text(f"{seen[-1]:,} / 2,000")


@pytest.mark.thorough
def test_a_click_on_the_timeline_goes_to_that_iteration(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    chart = screen.page.locator("#timeline canvas")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": 8 + (box["width"] - 16) * 0.2, "y": 30})
    screen.wait(400)


@pytest.mark.thorough  # tests/js/test_canvas.py has it
@pytest.mark.parametrize("name", few([TIC_TAC_TOE, CONNECT_FOUR]))
def test_nothing_moves_while_stepping(screen: Screen, name: str) -> None:
    screen.open(name, 150)
    before = screen.items()
    zoom = screen.page.evaluate(
        "document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range.join()"
    )
    for key, iteration in [("ArrowRight", 151), ("Control+ArrowRight", 251), ("Home", 0)]:
        screen.press(key).wait(iteration)
        after = screen.items()
        compared = 0
        for node in before.keys() & after.keys():
            was, now = before[node]["position"], after[node]["position"]
            if was and now:
                compared += 1
                assert (was["x"], was["y"]) == (now["x"], now["y"])
        assert compared >= (1 if iteration == 0 else 20)
    assert zoom == screen.page.evaluate(
        "document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range.join()"
    )


@pytest.mark.thorough
def test_zoom_and_pan_survive_a_step(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 150)
    before = screen.items()[0]["position"]
    screen.page.mouse.move(300, 420)
    screen.page.mouse.down()
    screen.page.mouse.move(260, 400, steps=4)
    screen.page.mouse.up()
    screen.wait_for(f"Math.abs(d.items[0].position.x - {before['x']} + 40) < 3")
    moved = screen.items()[0]["position"]
    screen.press("ArrowRight").wait(151)
    assert screen.items()[0]["position"]["x"] == moved["x"]
    screen.page.get_by_role("button", name="Fit the tree").click()
    screen.wait_for(f"Math.abs(d.items[0].position.x - {before['x']}) < 1")


@pytest.mark.thorough
def test_stepping_inside_a_window_asks_the_server_for_no_picture(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 200)
    screen.press("ArrowRight").wait(201)
    screen.page.wait_for_load_state("networkidle")  # the next window is prefetched
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url))
    screen.press(*["ArrowRight"] * 30, *["Control+ArrowRight"] * 3, *["ArrowLeft"] * 10)
    screen.wait(521)
    assert [url for url in asked if WINDOW in url or "/view" in url] == []


def test_a_step_leaves_the_pages_elements_as_they_are(screen: Screen) -> None:
    """The browser looks at the whole page again where one is added or marked: its rules ask what is inside of what."""
    screen.open(CONNECT_FOUR, 1_000)
    screen.page.wait_for_load_state("networkidle")
    changed = screen.page.evaluate(
        """() => {
          const watch = new MutationObserver(() => {});
          watch.observe(document, {subtree: true, childList: true, attributes: true});
          for (let k = 0; k < 5; k++) mcts.app.step(1);
          return watch.takeRecords().map((each) => `${each.type} ${each.target.nodeName} ${each.attributeName}`);
        }"""
    )
    assert set(changed) == {"attributes INPUT aria-valuetext"}
    expect(screen.text("iteration-readout")).to_have_text("1,005 / 2,000")


def test_panels_are_asked_for_when_the_steps_have_come_to_rest(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 200)
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.post_data or ""))
    screen.page.evaluate("for (let i = 0; i < 40; i++) mcts.app.step(1)")
    screen.wait(240)
    screen.expect_facts(visits="240")
    told = [re.findall(r'"iteration":(\d+)', body) for body in asked]
    assert {int(t) for found in told for t in found} <= {200, 240}


@pytest.mark.thorough
def test_a_step_asks_the_server_only_for_the_panels_that_one_sees(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    expect(screen.page.locator("#children-table .ag-row").first).to_be_visible()
    screen.expect_facts(visits="1,000")
    screen.page.wait_for_load_state("networkidle")
    asked: list[str] = []
    screen.page.on("request", lambda r: asked.append(r.post_data or "") if PANEL in r.url else None)
    screen.press("ArrowRight").wait(1_001)
    screen.expect_facts(visits="1,001")
    outputs = [json.loads(each)["output"] for each in asked]
    assert sorted(each.strip(".").split(".")[0] for each in outputs) == [
        "children-table",
        "node-panel",
    ]
