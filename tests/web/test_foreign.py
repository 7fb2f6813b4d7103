"""Traces of strangers: whatever their texts try, they stay texts; and searches that are no two-player
games are shown as what they are."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import mcts_viz as mv
from mcts_viz import cli
from mcts_viz.trace import format as trace_format
from samples import beyond_two_players
from tests.variants import few
from tests.web.screen import Screen, Site, served

ONE_PAGE = True  # see the fixture `page`

RUN = "window.ran=1"
HOSTILE = (
    f"<img src=x onerror={RUN}>",
    f"</script><script>{RUN}</script>",
    f"<svg onload={RUN}>",
    f'" onmouseover="{RUN}" x="',
    f"'><iframe srcdoc='<script>parent.{RUN}</script>'>",
    f"<a href='javascript:{RUN}'>click</a>",
    f"[click](javascript:{RUN})",
    f"![x](x onerror={RUN})",
    f"${{{RUN}}} {{{{{RUN}}}}} #{{{RUN}}}",
    f"<style>*{{background:url(javascript:{RUN})}}</style>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    "<b>bold</b>&lt;i&gt;",
    '=HYPERLINK("http://x.invalid","click")',
    "\u202etxet\u202c \u2028 \u0000 \ud83d \x1b[31m",
    "__proto__",
    "constructor",
)
CALL = (
    "call:transfer_money_to_account_with_confirmation(account='DE89370400440532013000',amount=100)"
)
LONG_NAMES = {  # of moves, and the positions after them
    CALL: "state after that call",
    "https://example.com/very/long/path/without/any/break/at/all/index.html?query=1": "short",
    "x" * 5_000: "y" * 60,
    "z" * 90: "\n".join(["0123456789" * 4] * 3),
}
NAME = "<img src=x onerror=window.ran=1>"  # of a file
DANGER = """() => ({
    ran: window.ran ?? null,
    bad: [...document.querySelectorAll("*")].filter((e) =>
        [...e.attributes].some((a) => /^on/i.test(a.name) || /^javascript:/i.test(a.value))
        || e.matches("img[src=x], iframe, math, b") && /bold|ran=1|^$/.test(e.textContent)
           && (e.matches("math, iframe, img[src=x]") || e.textContent === "bold")).map((e) => e.outerHTML),
})"""


def record_hostile(path: Path, number: int, state_format: str | None = None) -> None:
    """A search whose every text is one of those."""

    def text(i: int) -> str:
        return HOSTILE[(number + i) % len(HOSTILE)]

    made = [0]

    def node(prior: float) -> Any:
        made[0] += 1
        return SimpleNamespace(n=0, w=0.0, kids=[], text=f"{text(made[0])} {made[0]}", p=prior)

    root = node(1.0)
    with mv.record(
        path, root=root, children="kids", visits="n", value="w", label="text", prior="p",
        state=lambda at: f"{at.text}\n\n# {text(1)}\n* {text(2)}\n\n{text(0)}\t{text(3)}",
        state_format=state_format, action=lambda at: at.text,
        game=text(3), players=(text(4), text(5)), to_move=lambda at: 0, value_range=(0, 1),
    ) as rec:  # fmt: skip
        for i in range(40):
            at = [root]
            while at[-1].kids and len(at) < 3:
                at.append(at[-1].kids[i % len(at[-1].kids)])
            if len(at[-1].kids) < 5:
                at[-1].kids.append(node(0.2))
                at.append(at[-1].kids[-1])
            for each in at:
                each.n += 1
                each.w += i % 3 / 2
            rec.iteration()


MARKDOWN = """# Plan

Take **three** and `8`, see [there](http://x.invalid/) and ![it](http://x.invalid/i.png).

- first
- *second*

| a | b |
|---|---|
| 1 | 2 |
"""


def record_positions(folder: Path) -> None:
    """Two searches of two nodes each: with positions in Markdown, and as arrays."""
    for name, states in (
        ("in_markdown", [MARKDOWN, "plain *words*"]),
        ("in_arrays", [np.array([["X", "O"], ["", "X"]]), [["<b>", None], [1, 2.5]]]),
    ):
        child = SimpleNamespace(n=0, w=0.0, kids=[], board=states[1])
        root = SimpleNamespace(n=0, w=0.0, kids=[child], board=states[0])
        with mv.record(
            folder / f"{name}.mcts", root=root, children="kids", visits="n", value="w",
            state="board", state_format="markdown" if name == "in_markdown" else None,
        ) as rec:  # fmt: skip
            for _ in range(5):
                root.n += 1
                child.n += 1
                rec.iteration()


def record_moves(path: Path, moves: Mapping[str, str], *, labelled: bool = True) -> None:
    """A search of one level, whose first move gets most of the visits."""
    kids = [SimpleNamespace(n=0, w=0.0, kids=[], name=name, text=moves[name]) for name in moves]
    root = SimpleNamespace(n=0, w=0.0, kids=[], name="", text="")
    with mv.record(
        path, root=root, children="kids", visits="n", value="w", state="text",
        label="name" if labelled else None, action=lambda at: at.name, value_range=(0, 1),
        selection="ucb1", c=1.4,
    ) as rec:  # fmt: skip
        for i in range(3 * len(kids)):
            if i < len(kids):
                root.kids.append(kids[i])
            for each in (root, kids[i] if i < len(kids) else kids[0]):
                each.n += 1
                each.w += 0.5
            rec.iteration()


@pytest.fixture(scope="module")
def site(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("foreign")
    for number in range(0, len(HOSTILE), 4):
        record_hostile(folder / f"hostile{number}.mcts", number)
        for state_format in ("markdown", "grid"):
            record_hostile(folder / f"{state_format}{number}.mcts", number, state_format)
    record_hostile(folder / f"{NAME}.mcts", 0)
    record_positions(folder)
    record_moves(folder / "long_names.mcts", LONG_NAMES)
    record_moves(folder / "no_names.mcts", {"": "", "  ": "", "c": ""})
    for name in beyond_two_players.RECORDS:
        shutil.copy(Path(__file__).parents[2] / "samples" / name, folder)
    with served(folder, port) as site:
        yield site


def is_safe(screen: Screen) -> None:
    found = screen.page.evaluate(DANGER)
    assert found == {"ran": None, "bad": []}


@pytest.mark.parametrize("written", few(["hostile", "markdown", "grid"]))
@pytest.mark.parametrize("number", few(range(0, len(HOSTILE), 4)))
def test_no_text_of_a_trace_becomes_more_than_text(
    screen: Screen, number: int, written: str
) -> None:
    trace = screen.site.trace(f"{written}{number}")
    screen.open(f"{written}{number}", 40, node=1)
    is_safe(screen)
    for node in trace.at(40).children(0)[:4]:
        screen.click_node(node)
        screen.hover_node(node)
        expect(screen.text("hover-card").locator(".mcts-card-state")).to_be_visible()
        assert screen.page.locator(".state-parts :is(a, img, b, script, style)").count() == 0
        is_safe(screen)
    screen.page.mouse.move(640, 20)
    for tab in ("Siblings", "This iteration", "Why this move", "Health", "Children"):
        screen.tab(tab)
        screen.wait()
        is_safe(screen)
    screen.press("f")
    screen.wait()
    is_safe(screen)


def parts(screen: Screen, place: str) -> Locator:
    """The parts of the position in the inspector or beside the mouse."""
    return screen.page.locator(f"{place} .state-parts")


@pytest.mark.thorough
@pytest.mark.parametrize("place", few(["#hover-card", "#node-panel"]))
def test_a_position_in_markdown_is_shown_as_such(screen: Screen, place: str) -> None:
    screen.open("in_markdown", 5)
    screen.hover_node(0)
    found = parts(screen, place)
    expect(found.locator("h3")).to_have_text("Plan")
    expect(found.locator("strong")).to_have_text("three")
    expect(found.locator("code")).to_have_text("8")
    expect(found.locator("li")).to_have_text(["first", "second"])
    expect(found.locator("td")).to_have_text(["a", "b", "1", "2"])
    expect(found.locator("p")).to_contain_text(
        "there (http://x.invalid/) and it (http://x.invalid/i.png)"
    )
    expect(found.locator("a, img")).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.parametrize("place", few(["#hover-card", "#node-panel"]))
def test_an_array_is_shown_as_a_grid(screen: Screen, place: str) -> None:
    screen.open("in_arrays", 5)
    screen.hover_node(0)
    cells = parts(screen, place).locator("table tr td")
    expect(cells).to_have_text(["X", "O", "", "X"])
    screen.click_node(1)
    screen.hover_node(1)
    expect(cells).to_have_text(["<b>", "", "1", "2.5"])
    expect(parts(screen, place).locator("tr")).to_have_count(2)


OUTSIDE = """() => [...document.querySelectorAll("#node-panel, #node-panel *, .note, .ag-root-wrapper, #hover-card")]
    .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1)
    .map((e) => e.outerHTML.slice(0, 100))"""


@pytest.mark.parametrize("node", few(range(1, len(LONG_NAMES) + 1)))
def test_names_without_a_break_leave_every_number_in_sight(screen: Screen, node: int) -> None:
    name = list(LONG_NAMES)[node - 1]
    screen.open("long_names", 12, node=node)
    expect(screen.text("node-panel").locator("h2")).to_have_text(name)
    state = screen.text("hover-card").locator(".mcts-card-state")
    for _ in range(20):  # a panel that fills late moves the picture away from under the mouse
        screen.hover_node(node)
        with contextlib.suppress(AssertionError):
            expect(state).to_be_visible(timeout=1_000)
            break
    expect(state).to_be_visible()
    for tab in ("Siblings", "Children"):
        screen.tab(tab)
        assert screen.page.evaluate("document.documentElement.scrollWidth") == 1280
        assert screen.page.evaluate(OUTSIDE) == []
    heights = screen.page.evaluate(
        """() => ["node-panel", "hover-card"].map((id) => document.getElementById(id).offsetHeight)"""
    )
    assert max(heights) < 420
    screen.text("node-panel").locator(".term.score b").click(trial=True)


TEXTS_DRAWN = """() => {
    const pen = CanvasRenderingContext2D.prototype, draw = pen.fillText;
    window.drawn = [];
    pen.fillText = function (text, x, ...more) {
        if (this.canvas.matches(".mcts-tree-canvas") && this.getTransform().b === 0) {
            window.drawn.push([text, x, x + this.measureText(text).width, this.canvas.clientWidth]);
        }
        return draw.call(this, text, x, ...more);
    };
}"""


@pytest.mark.thorough
@pytest.mark.own_page
def test_the_move_that_leads_is_named_in_few_letters_inside_the_picture(screen: Screen) -> None:
    screen.open("long_names", 12)
    screen.page.evaluate(TEXTS_DRAWN)
    screen.press("ArrowLeft").wait(11)
    marks = [each for each in screen.page.evaluate("drawn") if each[0].startswith("leads")]
    text, left, right, width = marks[-1]
    assert re.fullmatch(r"leads call:transfer\w+…", text)
    assert left >= 0
    assert right <= width


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_move_is_chosen_only_where_it_is_known_how(screen: Screen) -> None:
    screen.open("planning", 600)
    screen.page.evaluate(TEXTS_DRAWN)
    screen.press("ArrowLeft").wait(599)
    screen.press("ArrowRight").wait(600)
    words = [text.split(" ")[0] for text, *_ in screen.page.evaluate("drawn")]
    assert "leads" in words
    assert "chosen" not in words


@pytest.mark.thorough
def test_a_move_with_a_blank_name_is_told_by_its_number(screen: Screen) -> None:
    screen.open("no_names", 9, node=0)
    names = [screen.site.trace("no_names").at(9).label(node) for node in (1, 2, 3)]
    assert names == ["0", "1", "c"]
    screen.tab("Children")
    screen.expect_table("children-table", [{"move": name} for name in names])
    expect(screen.page.locator(".mcts-timeline-legend")).to_contain_text("0")
    screen.click_node(1)
    expect(screen.text("node-panel").locator("h2")).to_have_text("0")


@pytest.mark.thorough
def test_half_a_surrogate_pair_in_a_stranger_s_file_hurts_nobody(
    screen: Screen, tmp_path: Path
) -> None:
    path = screen.site.folder / "surrogate.mcts"
    with mock.patch.object(trace_format, "document_of", half_a_pair):
        record_positions_of(path)
    assert mv.open(path).meta["game"]["name"] == "half \ufffd"
    screen.open("surrogate", 5)
    is_safe(screen)
    for command in (["explain"], ["check"], ["export", "-o", str(tmp_path / "out.json")]):
        assert cli.main([command[0], str(path), *command[1:]]) in (0, 1)
    screen.delete(path)


def half_a_pair(meta: Mapping[str, Any]) -> bytes:
    """The metadata as a careless program writes it: in ASCII, with an escape that is no letter."""
    told = {**meta, "game": {**meta["game"], "name": "half \ud83d", "title": "half \ud83d"}}
    return json.dumps({**told, "players": ["A \udc00", "B"]}).encode()


def record_positions_of(path: Path) -> None:
    """Five iterations of a search of two nodes."""
    child = SimpleNamespace(n=0, w=0.0, kids=[])
    root = SimpleNamespace(n=0, w=0.0, kids=[child])
    with mv.record(path, root=root, children="kids", visits="n", value="w") as rec:
        for _ in range(5):
            root.n += 1
            child.n += 1
            rec.iteration()


@pytest.mark.thorough
def test_a_file_s_name_is_only_text(screen: Screen) -> None:
    screen.visit(f"?trace={quote(screen.site.key(NAME))}&iteration=1")
    expect(screen.text("trace-select")).to_have_value(NAME)
    is_safe(screen)
    screen.text("trace-select").click()
    expect(screen.page.get_by_role("option", name=NAME)).to_be_visible()
    is_safe(screen)


def test_an_exported_page_and_picture_carry_text_as_text(tmp_path: Path, site: Site) -> None:
    snapshot = site.trace("hostile0").at(40)
    written = {}
    for suffix in (".json", ".graphml", ".csv", ".svg"):
        snapshot.export(tmp_path / f"a{suffix}")
        written[suffix] = (tmp_path / f"a{suffix}").read_text(encoding="utf-8")
    for suffix in (".graphml", ".svg"):
        assert not re.search(r"<(script|img|iframe|math|b)\b", written[suffix])
    assert '"=HYPERLINK' not in written[".csv"]
    back = mv.open(tmp_path / "a.json").at(1)
    assert [back.label(v) for v in range(len(back))] == [
        snapshot.label(v) for v in range(len(snapshot))
    ]


@pytest.mark.thorough
def test_a_file_that_steps_by_itself_shows_text_as_text(
    page: Page, tmp_path: Path, site: Site
) -> None:
    site.trace("hostile0").to_html(tmp_path / "steps.html")
    page.goto((tmp_path / "steps.html").as_uri())
    page.wait_for_function("() => window.mcts && mcts.app && mcts.app.debug()")
    assert page.evaluate(DANGER) == {"ran": None, "bad": []}


@pytest.mark.thorough
def test_planning_alone_has_no_opponent_on_the_page(screen: Screen) -> None:
    screen.open("planning", 600, node=2)
    panel = screen.text("node-panel")
    expect(panel.locator("pre")).to_contain_text("R")
    expect(panel).not_to_contain_text("view of")
    expect(panel).not_to_contain_text("to move")
    legend = screen.page.locator(".mcts-legend")
    expect(legend).to_contain_text("mean value")
    expect(legend).not_to_contain_text("good for")
    screen.tab("Why this move")
    expect(screen.page.locator(".why-told").first).to_contain_text("East is most visited")
    expect(screen.page.locator(".why")).not_to_contain_text("for robot")


@pytest.mark.thorough
def test_chance_is_named_where_it_decides(screen: Screen) -> None:
    screen.open("pig", 500, node=1)
    panel = screen.text("node-panel")
    expect(panel.locator(".turn")).to_have_text("chance decides here")
    screen.tab("Children")
    expect(screen.text("children-note")).to_contain_text("Chance decides here")
    event = screen.site.trace("pig").at(500).children(1)[0]
    screen.click_node(event)
    expect(panel).to_contain_text("values in the view of A, who moved before chance did")
    expect(panel).to_contain_text("Chance led here: nothing was compared.")


@pytest.mark.thorough
def test_long_texts_fit_the_panel(screen: Screen) -> None:
    screen.open("game_of_24", 150, node=1)
    text = screen.text("node-panel").locator("pre")
    expect(text).to_contain_text("Let us try")
    assert text.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1")
