"""A search as one HTML file: it steps from the disk, without a network, and its numbers are the trace's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Request, expect

import mcts_viz as mv
from mcts_viz.trace.reader import END_MARK
from mcts_viz.views.view_spec import PageView
from mcts_viz.web.one_file.document import MOST, OneTrace, one_file, steps_around
from mcts_viz.web.scripts import DRAWING, text_of
from tests.browser import value_of
from tests.conftest import Console
from tests.web.recordings import HOSTILE, SCRIPT, record_foreign

SAMPLES = Path(__file__).parents[2] / "samples"
AT_REST = """(t) => { const d = window.mcts && mcts.app && mcts.app.debug();
    return d && !d.loading && !d.waiting && !d.playing && d.t === t && d.paint.t === t; }"""
Opener = Callable[[Path, int], Page]


@pytest.fixture
def opened(page: Page) -> Iterator[Opener]:
    """Opens a file without a network; at the end, nothing but the file must have been asked for."""
    asked: list[str] = []

    def hear(request: Request) -> None:
        asked.append(request.url)

    page.on("request", hear)
    page.context.set_offline(True)

    def open_file(path: Path, iteration: int) -> Page:
        page.goto(path.as_uri())
        page.wait_for_function(AT_REST, arg=iteration)
        return page

    yield open_file
    page.context.set_offline(False)
    assert asked
    assert all(url.startswith(("file:", "data:")) for url in asked)


def shown(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = value_of(page, "mcts.app.debug()")
    return found


def expect_numbers(page: Page, snapshot: mv.Snapshot) -> None:
    """What the picture shows are the snapshot's numbers."""
    told = shown(page)
    assert told["t"] == snapshot.iteration
    nodes = [item for item in told["items"] if not item["stub"]]
    assert len(nodes) > 1
    for item in nodes:
        assert item["visits"] == snapshot.visits[item["node"]]
        assert item["value_sum"] == snapshot.value_sum[item["node"]]


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.mcts")), ids=lambda path: path.stem)
def test_files_of_all_samples_are_small_and_whole(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "steps.html"
    mv.open(path).to_html(file)
    text = file.read_text(encoding="utf-8")
    assert file.stat().st_size < 1_000_000  # 5 MB are promised
    assert not re.search("<!--(title|styles|scripts|data)-->", text)
    assert text.count("</script>") == 2


def test_it_steps_from_the_disk_with_the_traces_own_numbers(opened: Opener, tmp_path: Path) -> None:
    trace, file = mv.open(SAMPLES / "tic_tac_toe_1000.mcts"), tmp_path / "steps.html"
    trace.to_html(file, 500)
    page = opened(file, 500)
    expect_numbers(page, trace.at(500))
    for key, iteration in (
        ("ArrowRight", 501),
        ("Shift+ArrowLeft", 491),
        ("Control+ArrowRight", 591),
        ("End", 1_000),
        ("Home", 0),
        ("ArrowRight", 1),
    ):
        page.keyboard.press(key)
        page.wait_for_function(AT_REST, arg=iteration)
        if iteration > 1:
            expect_numbers(page, trace.at(iteration))
    page.get_by_role("button", name="+100").click()
    page.wait_for_function(AT_REST, arg=101)
    page.locator("#speed").select_option("10000")
    page.get_by_role("button", name="play").click()
    page.wait_for_function(AT_REST, arg=1_000)
    expect_numbers(page, trace.at(1_000))


@pytest.mark.thorough
def test_a_node_shows_its_board_its_numbers_and_its_children(
    opened: Opener, tmp_path: Path
) -> None:
    trace, file = mv.open(SAMPLES / "tic_tac_toe_1000.mcts"), tmp_path / "steps.html"
    trace.to_html(file, 800)
    page, snapshot = opened(file, 800), trace.at(800)
    best = snapshot.ranked_children()[0]
    rows = page.locator("#side tbody tr")
    expect(rows.first).to_contain_text(f"★ {snapshot.label(best)}")
    expect(rows.first).to_contain_text(f"{snapshot.mean_value[best]:.4f}")
    expect(rows).to_have_count(len(snapshot.children(0)))
    page.locator("#side tbody button").first.click()
    side = page.locator("#side")
    expect(side.locator("h2")).to_have_text(snapshot.label(best))
    expect(side).to_contain_text(f"{snapshot.visits[best]} visits")
    expect(side.locator("svg")).to_have_count(1)
    page.locator("#status-line").click()
    page.keyboard.press("e")
    expect(page.locator("#status-line")).to_contain_text("This file holds one picture of the tree")


@pytest.mark.thorough
def test_the_picture_zooms_pans_and_tells_of_a_node(opened: Opener, tmp_path: Path) -> None:
    file = tmp_path / "steps.html"
    mv.search("tic_tac_toe", iterations=200, seed=1).to_html(file)
    page = opened(file, 200)

    def root() -> dict[str, float]:
        found: dict[str, float] = shown(page)["items"][0]["position"]
        return found

    before = root()
    page.mouse.move(before["x"], before["y"])
    expect(page.locator("#hover-card")).to_contain_text("200")
    page.mouse.move(before["x"] - 150, before["y"] + 30)
    page.mouse.down()
    page.mouse.move(before["x"] - 50, before["y"] + 30, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "x => Math.abs(mcts.app.debug().items[0].position.x - x) < 3", arg=before["x"] + 100
    )
    page.mouse.wheel(0, -400)
    page.wait_for_function(
        "x => Math.abs(mcts.app.debug().items[0].position.x - x) > 5", arg=before["x"] + 100
    )


@pytest.mark.thorough
def test_a_long_trace_gives_a_window_that_says_so(opened: Opener, tmp_path: Path) -> None:
    trace, file = mv.open(SAMPLES / "connect_four_5000.mcts"), tmp_path / "steps.html"
    trace.to_html(file, 3_000)
    page = opened(file, 3_000)
    expect(page.locator("#about")).to_contain_text("iterations 2,000 to 4,000 of 5,000")
    page.keyboard.press("Home")
    page.wait_for_function(AT_REST, arg=2_000)
    expect_numbers(page, trace.at(2_000))
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(AT_REST, arg=2_000)
    page.keyboard.press("End")
    page.wait_for_function(AT_REST, arg=4_000)
    expect_numbers(page, trace.at(4_000))


@pytest.mark.thorough
def test_a_damaged_trace_says_in_its_file_how_far_it_goes(opened: Opener, tmp_path: Path) -> None:
    damaged, file = tmp_path / "damaged.mcts", tmp_path / "steps.html"
    mv.search("tic_tac_toe", iterations=20, seed=1, path=damaged)
    damaged.write_bytes(damaged.read_bytes().removesuffix(END_MARK) + bytes(1_000))
    mv.open(damaged).to_html(file)
    expect(opened(file, 20).locator("#about")).to_contain_text("1,000 bytes from byte")


@pytest.mark.thorough
@pytest.mark.parametrize("sample", ["planning", "tic_tac_toe_1000"])
def test_it_offers_no_colour_that_the_file_has_no_numbers_for(
    opened: Opener, tmp_path: Path, sample: str
) -> None:
    trace, file = mv.open(SAMPLES / f"{sample}.mcts"), tmp_path / "steps.html"
    trace.to_html(file)
    page = opened(file, trace.n_iterations)
    expect_numbers(page, trace.at(trace.n_iterations))
    colours = page.locator("#colour option").all_text_contents()
    assert "visits" in colours
    assert "true value" not in colours


# what would run, were it not text
ATTACKS = (
    SCRIPT, HOSTILE, "</title></style></script><script>ran = 1</script>", "<!--scripts-->", "<!--data-->",
    "line\u2028and\u2029paragraph", "\u202eturned", "\x00", "\ud800 half a pair", "javascript:ran=1",
    "[x](javascript:ran=1)", "<svg onload=ran=1>", "<iframe srcdoc='<script>parent.ran=1</script>'>",
    "<b>" + "M" * 1_000_000,
)  # fmt: skip


def record_attacks(path: Path) -> None:
    """A tree whose every label, position and player is one of them."""

    class Node:
        def __init__(self, label: str, number: int) -> None:
            self.label, self.number, self.n, self.w = label, number, 1, 0.5
            self.children: list[Node] = []

    root = Node("root", 0)
    root.n, root.w = 0, 0.0
    with mv.record(
        path, root=root, children="children", visits="n", value="w", action="number", label="label",
        state=lambda node: f"{SCRIPT}\n[x](javascript:ran=1)\n# {HOSTILE}", state_format="markdown",
        documents=lambda node: {"plan": node.label}, players=[HOSTILE, SCRIPT], to_move=lambda node: 0,
        value_range=(0, 1),
    ) as rec:  # fmt: skip
        for number, label in enumerate(ATTACKS):
            root.children.append(Node(label, number))
            root.n, root.w = root.n + 1, root.w + 0.5
            rec.iteration()


def test_a_file_of_attacks_stands_and_runs_none(
    opened: Opener, console: Console, tmp_path: Path
) -> None:
    record_attacks(tmp_path / "attacks.mcts")
    file = tmp_path / "steps.html"
    mv.open(tmp_path / "attacks.mcts").to_html(file)
    text = file.read_text(encoding="utf-8")
    assert text.count("</script>") == 2
    assert len(text) < 1_000_000  # of a label of 1 MB, too
    page = opened(file, len(ATTACKS))
    page.keyboard.press("Home")
    for t in range(1, len(ATTACKS) + 1):
        page.keyboard.press("ArrowRight")
        page.wait_for_function(AT_REST, arg=t)
    for item in [each for each in shown(page)["items"] if each["position"]]:
        page.mouse.move(item["position"]["x"], item["position"]["y"])  # its card, too
        page.evaluate("(node) => mcts.app.select(node)", item["node"])
        assert page.evaluate("document.querySelector('#side h2').textContent.length") <= 401
    side = page.locator("#side")
    assert side.evaluate("(box) => box.scrollWidth <= box.clientWidth + 1")
    assert page.evaluate("window.ran ?? null") is None
    assert page.locator("img[src=x], svg[onload], iframe, a[href^=javascript]").count() == 0


def test_a_hostile_trace_is_only_text(opened: Opener, console: Console, tmp_path: Path) -> None:
    record_foreign(tmp_path / "foreign.mcts")
    mv.open(tmp_path / "foreign.mcts").to_html(tmp_path / "steps.html")
    page = opened(tmp_path / "steps.html", 60)
    page.keyboard.press("j")
    expect(page.locator("#side h2")).to_contain_text(HOSTILE)
    expect(page.locator("#side pre")).to_contain_text(SCRIPT)
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize(
    ("t", "n", "first", "last"),
    [
        (0, 10, 0, 10),
        (5, MOST, 0, MOST),
        (0, 5_000, 0, MOST),
        (2_500, 5_000, 1_500, 3_500),
        (5_000, 5_000, 3_000, 5_000),
    ],
)
def test_the_window_is_around_the_iteration(t: int, n: int, first: int, last: int) -> None:
    assert steps_around(t, n) == (first, last, t)


def test_an_iteration_that_is_not_there_is_refused(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1)
    with pytest.raises(mv.TraceError, match="iteration 21 is not in this trace"):
        trace.to_html(tmp_path / "steps.html", 21)
    assert list(tmp_path.iterdir()) == []


def test_no_script_of_it_asks_for_dash_or_for_an_end_of_the_script() -> None:
    for name in DRAWING:
        assert "</" not in text_of((name,)), name


@pytest.mark.thorough
def test_columns_survive_the_way_through_the_file(opened: Opener, tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=60, seed=1)
    trace.to_html(tmp_path / "steps.html")
    page = opened(tmp_path / "steps.html", 60)
    parents = page.evaluate("Array.from(mcts.answers.view().columns.parent)")
    assert np.array_equal(np.array(parents)[: trace.n_nodes], trace.at(60).parent)


@pytest.mark.thorough
def test_its_colour_box_says_what_is_drawn_and_its_legends_have_their_looks(
    opened: Opener, tmp_path: Path
) -> None:
    view = PageView(colour="visits")
    trace = mv.search("tic_tac_toe", iterations=60, seed=1)
    source = OneTrace(trace, lambda node: None)
    (tmp_path / "steps.html").write_bytes(one_file(source, "key", "a", 60, view))
    page = opened(tmp_path / "steps.html", 60)
    expect(page.locator("#colour")).to_have_value("visits")
    expect(page.locator(".mcts-legend-title")).to_contain_text("visits")
    swatch = page.locator(".mcts-timeline-swatch").first
    assert swatch.evaluate("(it) => getComputedStyle(it).display") == "inline-block"


@pytest.mark.thorough
def test_dark_and_light(browser: Browser, tmp_path: Path) -> None:
    mv.search("tic_tac_toe", iterations=20, seed=1).to_html(tmp_path / "steps.html")
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto((tmp_path / "steps.html").as_uri())
    page.wait_for_function(AT_REST, arg=20)
    assert page.evaluate("document.documentElement.dataset.mctsTheme") == "dark"
    page.get_by_role("button", name="light / dark").click()
    assert page.evaluate("document.documentElement.dataset.mctsTheme") == "light"
    context.close()
