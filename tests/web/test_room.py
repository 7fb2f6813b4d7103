"""What can be read without doing anything: how many nodes, their labels, the path of the iteration; and the room that a
person makes for it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from tests.importing import make_agent_logs
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`
SAMPLES = Path(__file__).parents[2] / "samples"

# the words that the canvas of the tree is given when it is drawn
WRITTEN = """() => {
    const pen = CanvasRenderingContext2D.prototype, {fillText} = pen, found = [];
    pen.fillText = function (text, ...where) { found.push(text); return fillText.call(this, text, ...where); };
    mcts.session.parts().tree.draw();
    pen.fillText = fillText;
    return found;
}"""
# the same, each with its font
FONTS = """() => {
    const pen = CanvasRenderingContext2D.prototype, {fillText} = pen, found = [];
    pen.fillText = function (text, ...where) {
        found.push([text, this.font]);
        return fillText.call(this, text, ...where);
    };
    mcts.session.parts().tree.draw();
    pen.fillText = fillText;
    return found;
}"""
# texts on that canvas that lie over another one, over a node that is not theirs, or beyond its edge
COVERED = """() => {
    const pen = CanvasRenderingContext2D.prototype, {fillText} = pen, texts = [];
    const canvas = document.querySelector(".mcts-tree-canvas"), frame = canvas.getBoundingClientRect();
    pen.fillText = function (text, x, y) {
        if (text && this.canvas === canvas) {
            const {b, e, f} = this.getTransform(), width = this.measureText(text).width;
            const half = 0.36 * Number(/([\\d.]+)px/.exec(this.font)[1]);
            const shift = this.textAlign === "center" ? width / 2 : 0;
            texts.push(b ? {text, left: e + y - half, right: e + y + half, top: f - width, bottom: f}
                : {text, left: x - shift, right: x - shift + width, top: y - half, bottom: y + half});
        }
        return fillText.apply(this, arguments);
    };
    mcts.session.parts().tree.draw();
    pen.fillText = fillText;
    const nodes = mcts.app.debug().items.filter((item) => !item.stub && item.position).map(({node, position}) =>
        ({node, x: position.x - frame.left, y: position.y - frame.top, r: position.radius}));
    const below = (low, high, a, b) => a[low] + 1 < b[high] && b[low] + 1 < a[high];
    const covers = (a, b) => below("left", "right", a, b) && below("top", "bottom", a, b);
    const inside = (a, {x, y, r}) => a.left >= x - r - 2 && a.right <= x + r + 2
        && Math.abs(y - (a.top + a.bottom) / 2) < r;
    const within = (low, value, high) => Math.max(low, Math.min(value, high));
    const away = (a, {x, y}) => Math.hypot(within(a.left, x, a.right) - x, within(a.top, y, a.bottom) - y);
    return texts.flatMap((a, i) => [
        ...texts.slice(i + 1).filter((b) => covers(a, b)).map((b) => `${a.text} over ${b.text}`),
        ...nodes.filter((n) => !inside(a, n) && away(a, n) < n.r - 1.5).map((n) => `${a.text} over node ${n.node}`),
        ...a.left < -0.5 || a.right > frame.width + 0.5 ? [`${a.text} is cut`] : [],
    ]);
}"""
LEFT = "document.querySelector('.mcts-tree-canvas').getBoundingClientRect().left"
LEGEND = "document.querySelector('.mcts-legend').getBoundingClientRect().top"


def drawn(screen: Screen) -> list[dict[str, Any]]:
    """Nodes on the screen."""
    return [item for item in screen.items().values() if item["position"]]


def height(screen: Screen) -> tuple[float, float]:
    """Top of the picture and of the legend in it."""
    box = screen.page.locator(".picture").bounding_box()
    assert box is not None
    return box["y"], screen.page.evaluate(LEGEND)


@pytest.mark.parametrize("name", few([CONNECT_FOUR, TIC_TAC_TOE]))
def test_the_first_view_can_be_read(screen: Screen, name: str) -> None:
    trace = screen.site.trace(name)
    screen.open(name, 300, budget=0)
    items = drawn(screen)
    shown = [item for item in screen.debug()["items"] if not item["stub"]]
    assert 60 <= screen.page.evaluate("mcts.session.view().meta.n_visible") <= 120
    assert len(items) == len(shown)  # all on the screen
    assert min(item["position"]["radius"] for item in items) >= 4.5
    top, legend = height(screen)
    lowest = max(item["position"]["y"] for item in items)
    assert lowest > top + 0.7 * (
        legend - top
    )  # no quarter of the height is empty, but for a result
    written = screen.page.evaluate(WRITTEN)
    for child in trace.at(300).children(0):
        label = trace.at(300).label(child)
        assert {label, label.removeprefix("column ")} & set(written)


@pytest.mark.thorough
def test_a_step_asks_for_no_other_nodes_and_a_click_for_no_other_room(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 300, budget=0)
    before = set(screen.items())
    node = next(node for node, stub in screen.stubs().items() if stub["position"])
    screen.page.evaluate(f"mcts.app.expand({node})")
    screen.wait_for(f"d.cursor.view.opened.includes({node})")
    screen.wait()
    assert before <= set(screen.items())


@pytest.mark.thorough
@pytest.mark.parametrize("phase", few(["select", None, "backpropagate"]))
def test_the_path_is_drawn_to_its_end_and_never_under_the_legend(
    screen: Screen, phase: str | None
) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    more: dict[str, str | int] = {"budget": 0} | ({"phase": phase} if phase else {})
    for t in (311, 1_200, 1_999):
        screen.open(CONNECT_FOUR, t, **more)
        debug, told = screen.debug(), trace.iteration(t)
        seen = {item["node"] for item in drawn(screen)}
        end = debug["end"] or []
        path = [v for v in told.path if v < trace.at(t - (phase == "select")).n_nodes]
        assert path == [v for v in path if v in seen] + [each["node"] for each in end]
        _, legend = height(screen)
        assert all(each["y"] + each["radius"] < legend for each in end)
        assert [each["label"] for each in end] == [trace.at(t).label(each["node"]) for each in end]
    assert end


@pytest.mark.thorough
def test_a_node_that_is_gone_to_stands_above_the_legend(screen: Screen) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(2_000)
    screen.open(CONNECT_FOUR, 2_000, budget=0)
    shown = screen.items()
    deep = [v for v in range(len(snapshot)) if v not in shown and len(snapshot.path(v)) > 5]
    for node in deep[:: len(deep) // 3]:
        screen.press("/")
        screen.text("find-text").fill(f"#{node}")
        screen.text("find-text").press("Enter")
        screen.wait_for(f"d.cursor.node === {node} && d.items.some(i => i.node === {node})")
        screen.wait()
        at = screen.items()[node]["position"]
        top, legend = height(screen)
        assert top + 20 < at["y"] - at["radius"]
        assert at["y"] + at["radius"] < legend - 20


@pytest.mark.thorough
def test_the_end_of_the_path_has_its_numbers_and_can_be_clicked(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 1_200, budget=0)
    end = screen.debug()["end"][0]
    screen.page.mouse.move(end["x"] - 1, end["y"])
    screen.page.mouse.move(end["x"], end["y"])
    card = screen.text("hover-card")
    card.wait_for()
    snapshot = trace.at(1_200)
    assert f"node {end['node']}" in (card.text_content() or "")
    numbers = dict(
        zip(card.locator("dt").all_text_contents(), card.locator("dd").all_text_contents())
    )
    assert numbers["visits"] == f"{snapshot.visits[end['node']]:,}"
    assert numbers["mean value"] == f"{snapshot.mean_value[end['node']]:.4f}"
    assert numbers["selection score"] == f"{snapshot.uct[end['node']]:.4f}"
    screen.page.mouse.click(end["x"], end["y"])
    screen.wait_for(
        f"d.cursor.node === {end['node']} && d.items.some(i => i.node === d.cursor.node)"
    )


@pytest.mark.thorough
@pytest.mark.parametrize("t", [40, 1_500])
def test_every_sibling_compared_has_its_score_or_a_mark_that_the_table_has_it(
    screen: Screen, t: int
) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, t, budget=0, phase="select")
    marked = {mark["node"]: mark for mark in screen.debug()["marks"]}
    seen = {item["node"] for item in drawn(screen)}
    compared = [v for level in trace.iteration(t).comparisons for v in level.children if v in seen]
    assert compared
    assert set(compared) <= set(marked)
    if any(mark["kind"] == "table" for mark in marked.values()):
        assert any("in the table" in text for text in screen.page.evaluate(WRITTEN))


@pytest.mark.thorough
@pytest.mark.parametrize("name", [CONNECT_FOUR, TIC_TAC_TOE])
@pytest.mark.parametrize("phase", [None, "select", "expand", "simulate", "backpropagate"])
def test_no_text_covers_another_or_a_node(screen: Screen, name: str, phase: str | None) -> None:
    more: dict[str, str | int] = {"budget": 0} | ({"phase": phase} if phase else {})
    for t in (299,) if name == TIC_TAC_TOE else (40, 1_999):
        screen.open(name, t, **more)
        assert screen.page.evaluate(COVERED) == []


@pytest.mark.thorough
@pytest.mark.own_page
def test_where_there_is_little_room_no_result_covers_a_name(screen: Screen, tmp_path: Path) -> None:
    make_agent_logs.write(tmp_path)
    mv.import_trace(tmp_path / "aide_journal.json", screen.site.folder / "aide.mcts")
    shutil.copy(SAMPLES / "game_of_24.mcts", screen.site.folder)
    for name, iterations in (("aide", (20, 22, 24)), ("game_of_24", (11,))):
        screen.open(name, 1, budget=0)
        screen.page.get_by_role("button", name="Play", exact=True).click()
        screen.page.wait_for_selector("#match-panel:not([hidden])")
        for t in iterations:
            screen.page.evaluate("t => mcts.app.seek(t)", t)
            screen.wait(t)
            assert screen.page.evaluate(COVERED) == []
            told = screen.page.evaluate(WRITTEN)
            assert name != "aide" or any(text.startswith("reward") for text in told)
        screen.page.get_by_role("button", name="Close").click()


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_cut_name_has_letters_enough_and_names_close_together_are_small(screen: Screen) -> None:
    screen.visit()
    for sample in ("planning", "misleading_prior"):
        shutil.copy(SAMPLES / f"{sample}.mcts", screen.site.folder)
    screen.open("planning", 600, budget=0)
    written = screen.page.evaluate(WRITTEN)
    assert {"east", "south"} <= set(written)
    assert [text for text in written if text.endswith("…") and len(text) < 5] == []
    screen.open("misleading_prior", 600, budget=0)
    end = screen.debug()["end"]
    assert end[1]["y"] - end[0]["y"] < 12
    label = screen.site.trace("misleading_prior").at(600).label(end[0]["node"])
    assert any(
        "9.5px" in font for text, font in screen.page.evaluate(FONTS) if text in label.split()
    )


@pytest.mark.thorough
@pytest.mark.parametrize("phase", ["select", "backpropagate"])
def test_numbers_of_a_phase_stand_at_their_nodes(screen: Screen, phase: str) -> None:
    for name, t in ((TIC_TAC_TOE, 299), (CONNECT_FOUR, 40), (CONNECT_FOUR, 1_999)):
        screen.open(name, t, budget=0, phase=phase)
        seen, left = screen.items(), screen.page.evaluate(LEFT)
        for mark in screen.debug()["marks"]:
            if "box" not in mark:
                continue
            at, label = seen[mark["node"]]["position"], seen[mark["node"]]["label"]
            away = max(mark["box"]["left"] + left - at["x"], at["x"] - mark["box"]["right"] - left)
            assert away < at["radius"] + 20 + 9 * len(label), mark


@pytest.mark.thorough
def test_zooming_in_shows_more_nodes_and_fitting_fewer_again(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000, budget=0)
    few_nodes = len(screen.items())
    box = screen.page.locator("#tree-graph").bounding_box()
    assert box is not None
    screen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    for _ in range(9):
        screen.page.mouse.wheel(0, -240)
    screen.wait_for(f"d.items.filter((i) => !i.stub).length > {1.5 * few_nodes}")
    screen.wait()
    screen.press("0")
    screen.wait_for(f"d.items.filter((i) => !i.stub).length === {few_nodes}")
    screen.wait()
    assert len(drawn(screen)) == few_nodes


@pytest.mark.thorough
def test_value_and_visits_are_written_beside_the_first_two_levels_where_one_asks(
    screen: Screen,
) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(2_000)
    screen.open(CONNECT_FOUR, 2_000, budget=0)
    best = snapshot.ranked_children(0)[0]
    told = f"{snapshot.mean_value[best]:.2f} · {snapshot.visits[best]:,}"
    assert told not in screen.page.evaluate(WRITTEN)
    screen.page.get_by_role("button", name="Write mean value and visits").click()
    screen.wait_for("d.options.numbers === 1")
    assert told in screen.page.evaluate(WRITTEN)
    assert "numbers=1" in screen.page.url


@pytest.mark.thorough
@pytest.mark.own_page
def test_what_is_folded_and_how_wide_the_panels_are_stays_so(screen: Screen) -> None:
    page = screen.page
    screen.open(CONNECT_FOUR, 500, budget=0)
    before, side = height(screen), page.locator(".side").bounding_box()
    assert side is not None
    page.get_by_role("button", name="Fold the legend").click()
    page.get_by_role("button", name="Fold the tools").click()
    page.mouse.move(side["x"] - 3, side["y"] + 300)
    page.mouse.down()
    page.mouse.move(side["x"] - 103, side["y"] + 300, steps=4)
    page.mouse.up()
    for _ in range(2):
        screen.wait()
        top, legend = height(screen)
        assert top < before[0] - 30
        assert legend > before[1] + 20
        wide = page.locator(".side").bounding_box()
        assert wide is not None
        assert wide["width"] == pytest.approx(side["width"] + 100, abs=4)
        assert not page.locator("#colour-select").is_visible()
        page.reload()
    screen.wait()
    page.get_by_role("separator", name="Width of the panels").press("Home")
    page.get_by_role("button", name="Fold the legend").click()
    page.get_by_role("button", name="Fold the tools").click()
    screen.wait()
    assert height(screen) == pytest.approx(before, abs=1)
    assert page.locator(".side").bounding_box() == side


@pytest.mark.parametrize("width", [130, 400])
def test_where_there_is_little_room_the_words_before_a_number_go_and_not_the_number(
    screen: Screen, width: int
) -> None:
    screen.open(CONNECT_FOUR, 300)
    seen = screen.page.evaluate(
        """(width) => {
            const reason = document.querySelector(".decision .reason"), box = reason.parentElement;
            box.style.flex = `0 0 ${width}px`;
            const whole = reason.getBoundingClientRect(), [words, numbers] = reason.firstChild.children;
            const isIn = (part) => {
                const {left, right, top, bottom} = part.getBoundingClientRect();
                return left >= whole.left - 1 && right <= whole.right + 1
                    && top >= whole.top - 1 && bottom <= whole.bottom + 1;
            };
            const found = [isIn(words), isIn(numbers), reason.firstChild.textContent];
            box.style.flex = "";
            return found;
        }""",
        width,
    )
    assert seen[:2] == [width == 400, True]
    assert seen[2].startswith("most visits: ")


def test_where_there_is_less_room_the_number_of_all_goes_and_the_moves_own_stays(
    screen: Screen,
) -> None:
    screen.open(CONNECT_FOUR, 300)
    seen = screen.page.evaluate(
        """() => {
            const reason = document.querySelector(".decision .reason"), box = reason.parentElement;
            const [, numbers] = reason.firstChild.children, [own, all] = numbers.querySelectorAll(":scope > *");
            box.style.flex = `0 0 ${8 + Math.ceil(own.getBoundingClientRect().width) + 10}px`; // 8: its padding
            const whole = numbers.getBoundingClientRect(), isIn = (part) => {
                const {left, right, top, bottom} = part.getBoundingClientRect();
                return left >= whole.left - 1 && right <= whole.right + 1
                    && top >= whole.top - 1 && bottom <= whole.bottom + 1;
            };
            const found = [isIn(own), isIn(all), all.textContent];
            box.style.flex = "";
            return found;
        }"""
    )
    assert seen == [True, False, " of 300"]
