"""Play: a board to click beside the tree, engines that answer, and the searches that they leave."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

import mcts_viz as mv
from mcts_viz.runs.match import Match
from mcts_viz.runs.options import SearchOptions
from tests.conftest import Console
from tests.web.recordings import FOREIGN, TIC_TAC_TOE
from tests.web.screen import Screen, Site

ONE_PAGE = True  # see the fixture `page`
OVER = re.compile(r"(X wins|O wins|Draw)\.$")
LONG = 60_000  # milliseconds that several searches may take on a busy machine


@pytest.fixture
def table(screen: Screen) -> Iterator[Table]:
    """The panel, open on a trace."""
    screen.open(TIC_TAC_TOE, 100)
    table = Table(screen)
    table.open()
    yield table
    table.leave()


class Table:
    """The Play panel as a person has it."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.page = screen.page
        self.before = screen.site.names()

    def open(self) -> None:
        self.page.get_by_role("button", name="Play", exact=True).click()
        expect(self.screen.text("match-panel")).to_be_visible()

    def choose(self, box: str, option: str) -> None:
        self.screen.text(f"match-{box}").click()
        self.page.get_by_role("option", name=option, exact=True).click()
        expect(self.screen.text(f"match-{box}")).to_have_value(option)

    def fill(self, **fields: str) -> None:
        for name, value in fields.items():
            self.screen.text(f"match-{name.replace('_', '-')}").fill(value)

    def begin(self, game: str = "Tic-Tac-Toe", **fields: str) -> None:
        if self.screen.text("match-game").input_value() != game:
            self.choose("game", game)
        self.fill(seed="1", second_budget="80", **fields)
        self.screen.text("match-begin").click()
        expect(self.screen.text("match-table")).to_be_visible()

    def cell(self, name: str) -> Locator:
        return self.page.locator(f"#match-position button[aria-label='{name}']")

    def cells(self) -> list[str]:
        buttons = self.page.locator("#match-position [data-move]").all()
        return [button.get_attribute("aria-label") or "" for button in buttons]

    def press(self, what: str) -> None:
        self.page.locator("#match-panel").get_by_role("button", name=what, exact=True).click()

    def leave(self) -> None:
        """Leave no engine at work, and the panel closed and without a game to the next test."""
        if self.page.locator("#match-panel [data-do='stop']").is_visible():
            self.press("Stop")
        self.page.evaluate(
            """() => {
                dash_clientside.set_props("match-setup", {style: {}});
                dash_clientside.set_props("match-table", {hidden: true});
                dash_clientside.set_props("match-panel", {hidden: true});
                Object.keys(sessionStorage).filter((name) => name.startsWith("match"))
                    .forEach((name) => sessionStorage.removeItem(name));
            }"""
        )
        expect(self.screen.text("match-panel")).to_be_hidden()

    def status(self, text: str) -> None:
        expect(self.screen.text("match-status")).to_contain_text(text, timeout=LONG)

    def answered(self) -> None:
        """Wait for the engine's move, and its search on the page."""
        self.status("O played")
        self.status("Your turn: X.")

    def rows(self) -> list[str]:
        return self.page.locator("#match-moves > ol:first-child b").all_text_contents()

    @property
    def folder(self) -> Path:
        """Of the match that was begun last."""
        made = [self.screen.site.folder / name for name in self.screen.site.names() - self.before]
        return max((path for path in made if path.is_dir()), key=lambda path: path.stat().st_mtime)

    def document(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / "game.json").read_text(encoding="utf-8"))
        return told

    def expect_open(self, trace: str) -> None:
        """Wait until the page shows the end of a trace of the match."""
        path = self.folder / trace
        expect(self.screen.text("trace-select")).to_have_value(path.stem, timeout=LONG)
        self.screen.wait_for(  # not the trace before, of the same length
            "d.cursor.trace === arg[0] && d.n_iterations === arg[1] && d.t === arg[1]",
            [self.screen.site.key_of(path), mv.open(path).n_iterations],
        )


def test_after_the_engines_move_its_search_is_on_the_page(table: Table) -> None:
    table.begin()
    table.status("Your turn: X.")
    assert len(table.cells()) == 9
    table.cell("b2").click()
    table.answered()
    mine, theirs = table.document()["moves"]
    assert (mine["name"], mine["trace"]) == ("b2", None)
    table.expect_open(theirs["trace"])
    trace = mv.open(table.folder / theirs["trace"])
    expect(table.screen.text("decision")).to_contain_text(f"{theirs['name']} would be played")
    assert trace.meta["start"] == [4]
    assert trace.n_iterations == 80
    assert table.rows() == ["b2", theirs["name"]]
    assert sorted(table.cells()) == sorted(
        {trace.action_name(action) for action in range(9)} - {"b2", theirs["name"]}
    )
    expect(table.page.locator("#match-moves [aria-current]")).to_contain_text(theirs["name"])
    table.screen.press("ArrowLeft").wait(79)  # the keys are the tree's again


@pytest.mark.thorough
def test_the_tree_and_the_tables_stay_in_view_while_one_plays(table: Table) -> None:
    table.begin()
    boxes = [
        table.page.locator(selector).bounding_box()
        for selector in ("#match-panel", ".tree", ".side")
    ]
    right = 0.0
    for box in boxes:
        assert box is not None
        assert box["x"] >= right
        assert box["width"] > 250
        right = box["x"] + box["width"]
    assert right <= 1280
    table.screen.wait()
    items = table.screen.items()
    assert boxes[1] is not None
    assert all(
        boxes[1]["x"] < item["position"]["x"] < boxes[1]["x"] + boxes[1]["width"]
        for item in items.values()
    )


@pytest.mark.thorough
def test_undo_gives_the_turn_back_and_keeps_the_search(table: Table) -> None:
    table.begin()
    table.cell("a1").click()
    table.answered()
    taken = table.document()["moves"][1]
    table.press("Undo")
    expect(table.page.locator("#match-moves h3")).to_have_text("Taken back")
    assert table.rows() == []
    assert len(table.cells()) == 9
    expect(table.page.get_by_role("button", name="Undo")).to_be_disabled()
    assert [move["name"] for move in table.document()["taken_back"]] == [taken["name"], "a1"]
    table.cell("b2").click()
    table.answered()
    assert table.rows()[0] == "b2"
    last = table.document()["moves"][1]
    table.expect_open(last["trace"])
    table.page.locator("#match-moves .back button").click()
    table.expect_open(taken["trace"])


@pytest.mark.thorough
def test_two_engines_play_to_the_end_and_every_search_is_listed(
    table: Table, tmp_path: Path
) -> None:
    table.choose("first", "engine: mctspy")
    table.fill(first_budget="60")
    table.begin()
    expect(table.screen.text("match-status")).to_have_text(OVER, timeout=LONG)
    told = table.document()
    assert (
        told["result"].lower() in (table.screen.text("match-status").text_content() or "").lower()
    )
    assert [side["preset"] for side in told["sides"]] == ["mctspy", "uct"]
    names = [move["name"] for move in told["moves"]]
    assert table.rows() == names
    assert table.cells() == []
    table.expect_open(told["moves"][-1]["trace"])
    table.page.locator("#match-moves button").nth(1).click()
    table.expect_open(told["moves"][1]["trace"])
    own = [SearchOptions("mctspy", iterations=60), SearchOptions("uct", iterations=80)]
    again = Match("tic_tac_toe", own, tmp_path / "again", seed=1)
    while again.standing.to_move is not None:
        again.think()
    assert [move.name for move in again.standing.moves] == names
    table.screen.text("trace-select").click()
    group = table.page.locator(".mantine-Select-group").filter(has_text=table.folder.name)
    listed = [Path(move["trace"]).stem for move in told["moves"]]
    expect(group.locator(".trace-name")).to_have_text(listed)
    table.screen.press("Escape")


# what tree and board say of which trace they show, noted with every picture of the screen on which both can be seen
OF_WHICH = """() => {
    window.seen = [];
    const looks = (element) => getComputedStyle(element);
    const isClear = (element) => {
        const isSeen = (each) => looks(each).opacity === "1" && looks(each).visibility === "visible";
        while (element && isSeen(element)) element = element.parentElement;
        return element === null;
    };
    const look = () => {
        const board = document.querySelector("#node-panel img"), picture = document.querySelector(".picture");
        if (board && isClear(board) && isClear(picture)) {
            window.seen.push([mcts.app.cursor().trace, board.src.match(/trace.([^/]+)/)[1]]);
        }
        if (window.isWatching) requestAnimationFrame(look);
    };
    window.isWatching = true;
    look();
}"""


def slow(route: Route) -> None:
    time.sleep(0.1)
    route.continue_()


@pytest.mark.thorough
def test_before_its_first_search_a_match_stands_beside_no_other_tree(table: Table) -> None:
    page = table.page
    tools, side = page.locator(".tools"), page.locator(".side")
    table.begin()
    table.status("Your turn: X.")
    said = "getComputedStyle(document.querySelector('.picture'), '::after').content"
    assert page.evaluate(said) == '"The tree of the engine\'s first search comes here."'
    for part in (tools, side, page.locator(".stepping"), page.locator("#tree-graph")):
        expect(part).not_to_be_visible()
    table.cell("b2").click()
    table.answered()
    for part in (tools, side, page.locator(".stepping"), page.locator("#tree-graph")):
        expect(part).to_be_visible()
    assert page.evaluate(said) == "none"


@pytest.mark.thorough
def test_while_two_engines_play_never_are_two_searches_on_the_page(table: Table) -> None:
    table.choose("first", "engine: mctspy")
    table.fill(first_budget="60")
    table.page.route("**/api/trace/**", slow)
    table.page.evaluate(OF_WHICH)
    table.begin()
    expect(table.screen.text("match-status")).to_have_text(OVER, timeout=LONG)
    table.expect_open(table.document()["moves"][-1]["trace"])
    table.screen.wait_for("seen.at(-1)?.[0] === d.cursor.trace")
    table.page.unroute("**/api/trace/**", slow)
    seen = table.page.evaluate("() => { window.isWatching = false; return seen; }")
    assert len({tree for tree, _ in seen}) > 1
    assert not [each for each in seen if each[0] != each[1]]


@pytest.mark.thorough
def test_the_game_is_exported_as_one_folder(table: Table) -> None:
    table.begin()
    table.cell("b2").click()
    table.answered()
    with table.page.expect_download() as download:
        table.page.locator("#match-panel").get_by_role("button", name="Export").click()
    folder = table.folder
    assert download.value.suggested_filename == f"{folder.name}.zip"
    content = Path(download.value.path()).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        told = {name: packed.read(name) for name in packed.namelist()}
    assert told == {f"{folder.name}/{path.name}": path.read_bytes() for path in folder.iterdir()}
    assert {Path(name).name for name in told} == {
        "game.json",
        table.document()["moves"][1]["trace"],
    }


@pytest.mark.thorough
def test_what_cannot_be_played_is_refused_and_the_game_goes_on(table: Table) -> None:
    table.begin(start="b2, a1")
    table.status("Your turn: X.")
    set_ask = """(ask) => dash_clientside.set_props("match-ask", {data:
        {match: JSON.parse(sessionStorage.match).number, id: String(Math.random()), ...ask}})"""
    table.page.evaluate(set_ask, {"do": "play", "action": 4, "moves": 0})
    expect(table.screen.message()).to_contain_text("4 is not legal here; legal here: a3, b3")
    table.page.evaluate(set_ask, {"do": "play", "action": "<b>", "moves": 0})
    expect(table.screen.message()).to_contain_text("'<b>' is no move")
    table.page.evaluate(set_ask, {"do": "play", "action": 0, "moves": 7})  # of another position
    table.page.mouse.click(*middle(table.page.locator("#match-position img")))  # b2 is taken
    assert table.rows() == []
    assert table.document()["moves"] == []
    table.cell("c3").dblclick()  # the second click is too late, not a second move
    table.answered()
    assert len(table.rows()) == 2
    assert table.rows()[0] == "c3"


def middle(what: Locator) -> tuple[float, float]:
    box = what.bounding_box()
    assert box is not None
    return box["x"] + 0.55 * box["width"], box["y"] + 0.45 * box["height"]


@pytest.mark.thorough
def test_the_board_is_played_by_keys_alone(table: Table) -> None:
    table.begin()
    table.cell("a3").focus()
    table.screen.press("ArrowRight", "ArrowDown")
    expect(table.cell("b2")).to_be_focused()
    table.screen.press("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(table.cell("c3")).to_be_focused()
    assert table.screen.cursor()["iteration"] == 100  # arrows on the board do not step
    table.screen.press("Enter")
    table.answered()
    assert table.rows()[0] == "c3"
    table.page.wait_for_function(
        "() => document.activeElement.matches('#match-position [data-move]')"
    )
    table.screen.press("Space")
    table.page.wait_for_function("() => document.querySelectorAll('#match-moves li').length === 4")
    table.page.wait_for_function(
        "() => document.activeElement.matches('#match-position [data-move]')"
    )
    table.expect_open(table.document()["moves"][3]["trace"])
    table.screen.press("Escape", "ArrowLeft").wait(79)  # the tree's keys again


@pytest.mark.thorough
def test_stop_plays_the_best_move_so_far(table: Table) -> None:
    table.fill(second_budget="50000000")
    table.choose("game", "Tic-Tac-Toe")
    table.fill(seed="1")
    table.screen.text("match-begin").click()
    table.cell("b2").click()
    expect(table.screen.text("match-live")).to_contain_text("best so far: ", timeout=LONG)
    table.status("O (uct) is thinking")
    assert table.cells() == []
    table.press("Stop")
    table.answered()
    move = table.document()["moves"][1]
    assert move["search"]["stopped"]
    assert 0 < move["search"]["iterations"] < 50_000_000
    table.expect_open(move["trace"])


@pytest.mark.thorough
def test_engines_that_were_stopped_go_on_when_asked(table: Table) -> None:
    table.choose("first", "engine: uct")
    table.choose("first-unit", "seconds")
    expect(table.screen.text("match-first-budget")).to_have_value("1")  # not a thousand
    table.fill(first_budget="120")
    table.begin()
    expect(table.screen.text("match-live")).to_contain_text("best so far: ", timeout=LONG)
    table.press("Stop")
    table.status("Stopped. O (uct) is to move.")
    assert len(table.rows()) == 1
    table.press("Go on")
    table.status("X (uct) is thinking")
    assert len(table.rows()) == 2
    table.press("Stop")
    table.status("Stopped. O (uct) is to move.")
    table.press("Undo")
    table.status("Stopped. X (uct) is to move.")


@pytest.mark.thorough
def test_a_match_begins_at_the_node_shown(table: Table) -> None:
    screen = table.screen
    screen.page.evaluate("mcts.app.select(20)")
    screen.wait()
    trace = screen.site.trace(TIC_TAC_TOE)
    line = [trace.at(300).label(node) for node in trace.at(300).path(20)[1:]]
    expect(screen.text("match-game")).to_have_value("Connect Four")
    screen.text("match-from-node").click()
    expect(screen.text("match-start")).to_have_value(", ".join(line))
    expect(screen.text("match-game")).to_have_value("Tic-Tac-Toe")
    screen.text("match-begin").click()
    expect(screen.text("match-table")).to_be_visible()
    if len(line) % 2:
        table.answered()
    else:
        table.status("Your turn: X.")
    assert [move["name"] for move in table.document()["start"]] == line


@pytest.mark.thorough
def test_connect_four_is_played_by_column(table: Table) -> None:
    table.begin("Connect Four", start="4, 4")
    table.status("Your turn: X.")
    assert table.cells() == [f"column {n}" for n in range(1, 8)]
    box = table.cell("column 5").bounding_box()
    board = table.page.locator("#match-position img").bounding_box()
    assert box is not None
    assert board is not None
    assert box["height"] > 0.8 * board["height"]
    table.cell("column 5").click(position={"x": 5, "y": 5})
    table.answered()
    assert table.rows()[0] == "column 5"


@pytest.mark.thorough
def test_on_nine_boards_only_the_forced_one_can_be_clicked(table: Table) -> None:
    table.begin("Sudo Tic-Tac-Toe", start="board 5 cell 1, board 1 cell 3")
    table.status("Your turn: X.")
    assert table.cells() == [f"board 3 cell {n}" for n in range(1, 10)]
    board = table.page.locator("#match-position img").bounding_box()
    corner = table.cell("board 3 cell 1").bounding_box()
    assert board is not None
    assert corner is not None
    assert corner["x"] > board["x"] + 0.6 * board["width"]
    table.cell("board 3 cell 5").click()
    table.answered()
    assert table.rows()[0] == "board 3 cell 5"


@pytest.mark.thorough
def test_what_cannot_begin_is_told_in_the_form(table: Table) -> None:
    error = table.screen.text("match-error")
    table.choose("game", "Tic-Tac-Toe")
    for fields, told in (
        ({"start": "b2, b2"}, "'b2', is not legal"),
        ({"start": "a1,a2,b1,b2,c1"}, "the game is over at the start position"),
        ({"start": "", "second_budget": ""}, "Budget of O: give a number of iterations"),
        ({"second_budget": "0"}, "engine of O: iterations = 0"),
    ):
        table.fill(**fields)
        expect(error).to_contain_text(told)
    table.screen.text("match-begin").click()
    expect(table.screen.message()).to_contain_text("engine of O: iterations = 0")
    expect(table.screen.text("match-setup")).to_be_visible()
    assert table.screen.site.names() == table.before
    table.fill(second_budget="10")
    expect(error).to_be_empty()


@pytest.mark.thorough
def test_a_game_unknown_here_cannot_be_played_on(screen: Screen) -> None:
    screen.open(FOREIGN, 30)
    Table(screen).open()
    screen.text("match-from-node").click()
    expect(screen.message()).to_contain_text("This trace's game is not known here")


@pytest.mark.thorough
def test_a_new_game_takes_the_place_of_the_old_one(table: Table) -> None:
    table.begin()
    first = table.folder
    table.cell("b2").click()
    table.answered()
    table.press("New game")
    expect(table.screen.text("match-setup")).to_be_visible()
    table.press("Back to the game")
    expect(table.screen.text("match-table")).to_be_visible()
    table.press("New game")
    table.begin()
    table.page.wait_for_function("() => document.querySelectorAll('#match-moves li').length === 0")
    assert len(table.cells()) == 9
    assert first.is_dir()
    made = table.screen.site.names() - table.before
    assert len([name for name in made if "_match_" in name]) == 2


@pytest.mark.thorough
def test_a_reloaded_page_has_its_game_again_and_its_own_address(table: Table) -> None:
    table.begin()
    table.cell("b2").click()
    table.answered()
    trace = table.document()["moves"][1]["trace"]
    table.expect_open(trace)
    rows = table.rows()
    table.screen.open(TIC_TAC_TOE, 50)
    table.status("Your turn: X.")
    assert table.rows() == rows
    expect(table.screen.text("trace-select")).to_have_value(TIC_TAC_TOE)
    assert table.screen.debug()["t"] == 50
    table.cell(table.cells()[0]).click()
    table.page.wait_for_function("() => document.querySelectorAll('#match-moves li').length === 4")
    table.expect_open(table.document()["moves"][3]["trace"])


@pytest.mark.thorough
def test_a_game_that_the_server_has_lost_is_told_in_words(table: Table) -> None:
    table.begin()
    table.page.evaluate(
        "dash_clientside.set_props('match', {data: {number: 'gone', page: 'another'}})"
    )
    table.status("The server has been restarted")
    assert table.cells() == []
    table.press("New game")
    table.begin()
    table.status("Your turn: X.")


@pytest.mark.thorough
def test_two_tabs_play_two_games(table: Table, context: BrowserContext, site: Site) -> None:
    table.begin()
    table.cell("b2").click()
    table.answered()
    mine = table.rows()
    page: Page = context.new_page()
    console = Console(page)
    other = Table(Screen(page, site))
    other.screen.open(TIC_TAC_TOE, 100)
    other.open()
    other.begin()
    assert other.rows() == []
    other.cell("c1").click()
    other.answered()
    assert other.rows()[0] == "c1"
    assert table.rows() == mine
    table.cell(table.cells()[0]).click()
    table.page.wait_for_function("() => document.querySelectorAll('#match-moves li').length === 4")
    assert len(other.rows()) == 2
    assert console.complaints == []
    page.close()


@pytest.mark.thorough
def test_a_search_that_breaks_off_says_so_and_can_be_tried_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise mv.MctsVizError("the disk is full; make room")

    table.begin()
    with monkeypatch.context() as patched:
        patched.setattr("mcts_viz.runs.engine_move.run", full)
        table.cell("b2").click()
        table.status("The search of O broke off: the disk is full; make room")
    table.press("Go on")
    table.answered()
    assert table.rows()[0] == "b2"


@pytest.mark.thorough
def test_more_changes_any_parameter_of_one_engine(table: Table) -> None:
    screen, page = table.screen, table.page
    screen.text("match-second-more").click()
    dialog = page.get_by_role("dialog", name="Engine of O")
    expect(dialog).to_be_visible()
    dialog.locator("#match-second-fpu").fill("0.5")
    expect(screen.text("match-second-error")).to_contain_text("engine of O: fpu = 0.5")
    dialog.locator("#match-second-fpu").fill("")
    table.choose("second-final-move", "highest mean (max)")
    expect(screen.text("match-second-error")).to_be_empty()
    dialog.get_by_role("button", name="Done").click()
    expect(dialog).to_be_hidden()
    expect(screen.text("match-second-changed")).to_have_text("changed: Final move")
    table.begin()
    table.cell("b2").click()
    table.status("O played")
    (made,) = screen.site.names() - table.before
    (trace,) = (screen.site.folder / made).glob("*.mcts")
    assert mv.open(trace).meta["policies"]["final_move"] == {"name": "highest_mean"}
