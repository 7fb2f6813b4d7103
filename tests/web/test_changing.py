"""Another trace takes the place of one: never are two searches on the page, also when the server is slow."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Route, expect

from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

# what each part that can be read says, noted with every picture of the screen: true for the second search
WATCH = """() => {
    window.seen = [];
    const clear = (element) => {
        if (!element || getComputedStyle(element).visibility !== "visible") return false;
        let each = element;
        while (each && getComputedStyle(each).opacity === "1") each = each.parentElement;
        return each === null;
    };
    const parts = {
        tree: [".picture", () => mcts.app.debug()?.n_iterations === 2000],
        board: ["#node-panel img", (img) => img.src.includes("connect") && img.complete],
        numbers: [".facts dd", (dd) => dd.textContent.startsWith("2,000")],
        tab: ["#children-table", (table) => {
            const moves = [...table.querySelectorAll("[col-id=move].ag-cell")];
            return moves.length > 0 && moves.every((cell) => cell.textContent.includes("column"));
        }],
        decision: ["#decision", (line) => line.textContent.includes("column")],
        timeline: [".timeline", (line) => line.querySelector(".mcts-scrubber").max === "2000"],
    };
    const look = () => {
        const now = {};
        for (const [name, [selector, isSecond]] of Object.entries(parts)) {
            const element = document.querySelector(selector);
            if (clear(element)) now[name] = isSecond(element);
        }
        window.seen.push(now);
        requestAnimationFrame(look);
    };
    look();
}"""
SECOND = "() => Object.keys(seen.at(-1)).length === 6 && Object.values(seen.at(-1)).every(Boolean)"


def slow(route: Route) -> None:
    time.sleep(0.15)
    route.continue_()


@pytest.mark.parametrize("way", few(["list", "opened", "back"]))
def test_two_searches_are_never_on_the_page(screen: Screen, way: str) -> None:
    if way == "back":
        screen.open(CONNECT_FOUR, 2_000)
        screen.choose("trace-select", TIC_TAC_TOE)
        screen.wait(300)
    else:
        screen.open(TIC_TAC_TOE, 300)
    screen.expect_facts(visits="300")
    screen.page.wait_for_function("() => !document.documentElement.dataset.mctsParts")
    screen.page.route("**/*", slow)
    screen.page.evaluate(WATCH)
    if way == "list":
        screen.choose("trace-select", CONNECT_FOUR)
    elif way == "back":
        screen.page.go_back()
    else:
        key = screen.site.key(CONNECT_FOUR)
        screen.page.evaluate("key => mcts.dash.set('trace-opened', {data: {key}})", key)
    screen.page.wait_for_function(SECOND)
    screen.page.unroute("**/*", slow)
    seen = screen.page.evaluate("seen")
    mixed = [each for each in seen if len(set(each.values())) > 1]
    assert not mixed, mixed
    assert any(not each for each in seen), "what is stale was to be dimmed"
    expect(screen.page.locator("[aria-busy=true]")).to_have_count(0)


@pytest.mark.parametrize("is_other", few([True, False]))
def test_what_changes_in_the_tree_stops_no_trace_that_is_on_its_way(
    screen: Screen, is_other: bool
) -> None:
    screen.open(TIC_TAC_TOE if is_other else CONNECT_FOUR, 300)
    key = screen.site.key(CONNECT_FOUR)
    with screen.held(r"/view\?") as view:
        screen.page.evaluate("(key) => { mcts.app.openTrace(key, {iteration: 1500}); }", key)
    screen.page.evaluate(
        """() => {
            mcts.app.collapse(1);
            mcts.app.setView({budget: 50, viewpoint: "second"}); // the server gives some games' values by it
            mcts.app.setView({colour: "visits"});
        }"""
    )
    view()
    screen.wait(1_500)
    screen.wait_for("d.n_iterations === 2000")
    view_now = screen.cursor()["view"]
    assert [view_now[name] for name in ("closed", "budget", "viewpoint", "colour")] == [
        [], 0, "mover", "visits",
    ]  # fmt: skip
    expect(screen.page.locator("[aria-busy=true]")).to_have_count(0)
